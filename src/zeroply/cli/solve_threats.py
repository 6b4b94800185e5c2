"""`zeroply solve` for games with threats: forced wins of the side to move, by fours and threes or by ataris."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from zeroply.arena.openings import openings, positions_of, read_opening
from zeroply.cli.output import console, print_json
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.games.text import NAMES
from zeroply.search import Limit
from zeroply.search.threats import forced_wins, threat_rules

DEFAULT_SECONDS = 10.0
"""Time limit per position unless one is given: series of threes can branch for hours."""


def solve_threats(
    game: Game, files: Sequence[Path], position: str | None, first: int, last: int | None, limit: Limit, json: bool
) -> None:
    """Solve positions and print the answers; exits with 1 if a position has no forced win within the limit."""
    threat_rules(game)
    if limit.nodes is None and limit.seconds is None:
        limit = Limit(seconds=DEFAULT_SECONDS)
    texts, positions = _positions(game, files, position)
    chosen = range(first - 1, min(len(positions), last or len(positions)))
    if not chosen:
        raise ZeroplyError(f"no position to solve: there are {len(positions)}, see --first and --last")
    answers = []
    for i in chosen:
        answers.append(_answer(i + 1, texts[i], positions[i], limit))
        if not json:
            console.print(_sentence(answers[-1]), markup=False, soft_wrap=True)
    if json:
        print_json({"positions": answers, "won": sum(one["plies"] is not None for one in answers)})
    if any(one["plies"] is None for one in answers):
        sys.exit(1)


def _positions(game: Game, files: Sequence[Path], position: str | None) -> tuple[list[str], Positions]:
    if position is not None:
        positions = positions_of(game, [read_opening(position.strip(), game)])
        if positions.over()[0]:
            raise ZeroplyError("--position is the end of a game: there is nothing to solve")
    else:
        given = [openings(file, game) for file in files]
        positions = Positions.join([one.positions(0, len(one)) for one in given])
    return positions.text(), positions


def _answer(number: int, text: str, position: Positions, limit: Limit) -> dict[str, Any]:
    begun = time.perf_counter()
    found = forced_wins(position, nodes=limit.nodes, seconds=limit.seconds)
    plies = int(found.plies[0])
    return {
        "number": number,
        "position": text,
        "side": NAMES[int(position.to_move()[0])],
        "plies": plies or None,
        "line": [position.game.notation.name(cell) for cell in found.lines[0]],
        "complete": bool(found.complete[0]),
        "nodes": int(found.nodes[0]),
        "seconds": time.perf_counter() - begun,
    }


def _sentence(answer: dict[str, Any]) -> str:
    head = f"{answer['number']}: "
    if answer["plies"] is not None:
        return f"{head}{answer['side']} wins in {answer['plies']}: {' '.join(answer['line'])}"
    if answer["complete"]:
        return f"{head}no forced win by threats for {answer['side']}"
    return f"{head}no forced win found within the limit for {answer['side']}"
