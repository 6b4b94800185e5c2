"""Every game passes the conformance check, plays as recorded, and is known by name in its own file only."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from playthroughs import FOLDER, playthrough
from zeroply.games import GAMES, conformance, game
from zeroply.games.positions import Positions

SOURCE = Path(__file__).parents[1] / "src" / "zeroply"
EVERY_BOARD = [f"{name}(size={size})" for name in GAMES for size in game(name).facts.sizes]
OPTIONS = [
    "gomoku(size=9, exact=true)",
    "atarigo(size=5, captures=4)",
    "atarigo(size=7, captures=3, suicide=illegal)",
    "atarigo(size=9, captures=1000, suicide=illegal)",
    "atarigo(size=19, captures=2)",
    "hex(size=5, swap=true)",
]


@pytest.mark.parametrize("spec", EVERY_BOARD)
def test_a_game_conforms_on_every_board(spec: str) -> None:
    conformance.check(spec, sample=8)


@pytest.mark.parametrize("spec", [*GAMES, *OPTIONS])
def test_a_game_conforms_in_many_positions(spec: str) -> None:
    conformance.check(spec, sample=24, seed=1)


def test_a_wrong_symmetry_group_is_named() -> None:
    othello = game("othello(size=6)")
    with pytest.raises(conformance.ConformanceError, match=r"symmetries keep the rules.*not a group"):
        conformance.check(replace(othello, facts=replace(othello.facts, symmetries=(0, 1, 2))))


def test_a_pass_that_the_facts_deny_is_named() -> None:
    othello = game("othello(size=4)")
    with pytest.raises(conformance.ConformanceError, match="sides alternate unless passes exist"):
        conformance.check(replace(othello, facts=replace(othello.facts, passes=False)), sample=200)


def test_a_copy_that_shares_its_board_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Positions, "copy", lambda self: self)
    with pytest.raises(conformance.ConformanceError, match=r"gomoku.* breaks the property"):
        conformance.check("gomoku(size=5)")


def test_random_moves_are_legal() -> None:
    positions = game("atarigo(size=5)").start(100)
    while not positions.over().all():
        moves = conformance.random_moves(positions, int(positions.move_number().max()))
        there = np.flatnonzero(moves >= 0)
        assert positions.legal()[there, moves[there]].all()
        assert positions.over().tolist() == (moves < 0).tolist()
        positions.play(moves)


@pytest.mark.parametrize("name", sorted(GAMES))
def test_a_game_plays_as_recorded(name: str) -> None:
    """`python tests/playthroughs.py` records all games again."""
    assert playthrough(name) == (FOLDER / f"{name}.txt").read_text()


def test_only_games_know_games_by_name() -> None:
    """Other modules ask `game.facts`, or `game.require` if they work with one game only."""
    quoted = rf"""["'`](?:{"|".join(GAMES)})["'`]"""
    compared = re.compile(rf"(?:[=!]==?|\bin|\bcase)\s*[(\[{{]?\s*{quoted}|startsWith\({quoted}|{quoted}\s*[=!]=")
    key = re.compile(rf"[{{,]\s*{quoted}\s*:|^\s*{quoted}\s*:")
    comparisons = []
    for path in sorted([*SOURCE.rglob("*.py"), *SOURCE.rglob("*.js")]):
        where = path.relative_to(SOURCE)
        planned = where.parts[0] == "studies"  # the plan of a study says which games it measures
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if compared.search(line) or (not planned and key.search(line)):
                comparisons += [f"{where}:{number}: {line.strip()}"] if where.parts[0] != "games" else []
    assert comparisons == []


def test_the_winning_row_is_shown() -> None:
    position = game("gomoku(size=9)").replay("A1A2B1B2C1C2D1D2E1")
    names = [position.game.notation.name(int(cell)) for cell in np.flatnonzero(position.winning()[0])]
    assert names == ["A1", "B1", "C1", "D1", "E1"]
    assert not game("gomoku(size=9)").replay("A1A2B1B2").winning().any()
    assert not game("othello").replay("f5d6c5f4e7f6g5e6e3").winning().any()
