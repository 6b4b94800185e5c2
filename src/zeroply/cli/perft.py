"""`zeroply perft`: count move sequences, the field's test of rules and their speed."""

from __future__ import annotations

import time

from tyro.conf import Positional

from zeroply import game as make_game
from zeroply.cli.arguments import Json
from zeroply.cli.output import console, print_json


def perft(game: Positional[str] = "othello", depth: int = 9, position: str | None = None, json: Json = False) -> None:
    """Count the move sequences of a length; a pass is a ply, a game that ends earlier counts once.

    Single-threaded and without a hash table.

    Example: zeroply perft "othello" --depth 11

    Args:
        game: Spec of the game.
        depth: Number of plies.
        position: Board string to start from instead of the standard start.
    """
    rules = make_game(game)
    start = rules.parse(position) if position else rules.start()
    before = time.perf_counter()
    count = rules.perft(depth, start)
    seconds = time.perf_counter() - before
    if json:
        print_json({"game": str(rules), "depth": depth, "count": count, "seconds": seconds})
    else:
        console.print(f"{count}")
        console.print(f"{seconds:.3f} s, {count / max(seconds, 1e-9) / 1e6:.0f} million leaves a second", style="dim")
