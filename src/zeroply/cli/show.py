"""`zeroply show`: a position as text or SVG, with the preferences of a player."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tyro.conf import Positional

import zeroply as zp
from zeroply.cli.arguments import Json, Overwrite
from zeroply.cli.output import console, print_json, print_table
from zeroply.errors import ZeroplyError
from zeroply.files import check_new, write_atomically


def show(
    game: Positional[str] = "othello",
    moves: str | None = None,
    position: str | None = None,
    player: str | None = None,
    symmetry: int = 0,
    svg: Path | None = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Show a position, its legal moves, and optionally a player's preferences.

    Example: zeroply show othello --moves f5d6c3 --player "net(othello-swh)" --svg board.svg

    Args:
        game: Spec of the game.
        moves: Transcript that leads to the position.
        position: Board string, cells row by row and the side to move.
        player: Spec of a player whose preferences are shown.
        symmetry: Show the position under a symmetry of the game, numbered from 0.
        svg: Write a drawing to this file.
    """
    rules = zp.game(game)
    if svg is not None:
        check_new(svg, overwrite)
    if moves is not None and position is not None:
        raise ZeroplyError("give either --moves or --position, not both")
    shown = rules.parse(position) if position is not None else rules.replay(moves or "")
    shown = shown.symmetry(symmetry)
    heat = None
    if player:
        with zp.player(player, rules) as seen:
            heat = seen.prefer_all(shown)[0]
    if svg is not None:
        write_atomically(svg, shown.svg(heat).encode())
    name = rules.notation.name
    legal = [int(cell) for cell in np.flatnonzero(shown.legal()[0])]
    if json:
        print_json(
            {
                "game": str(rules),
                "position": shown.text()[0],
                "status": shown.status()[0],
                "legal": [name(cell) for cell in legal],
                "preferences": {name(cell): float(heat[cell]) for cell in legal} if heat is not None else None,
            }
        )
        return
    console.print(str(shown), markup=False, soft_wrap=True)
    console.print(shown.text()[0], style="dim", markup=False, soft_wrap=True)
    if heat is not None and legal:
        best = sorted(legal, key=lambda cell: -heat[cell])[:10]
        console.print()
        print_table(("move", f"preference of {player}"), [(name(cell), f"{heat[cell]:.4g}") for cell in best], (0, 1))
