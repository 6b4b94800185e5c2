"""A game of your own in NumPy: Connect Four, evolved, matched and played on the page.

Python:        python examples/connect_four.py FOLDER
Command line:  zeroply --import connect_four evolve --game connect_four --run runs/four   (in this folder)
The page:      zeroply --import connect_four web
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np

import zeroply as zp
from zeroply.games import conformance
from zeroply.games.array_rules import ArrayRules, Boards, Sides, array_game


@array_game("connect_four")
@dataclass(frozen=True)
class ConnectFour(ArrayRules):
    """Four in a row wins; stones fall to the lowest empty cell of a column."""

    rows: Annotated[int, "rows of the board, 4 to 7; the others stay empty"] = 6

    title = "Connect Four"
    size = 7
    from_top = False
    symmetries = (0, 1)  # left and right
    shortest = 7
    offered = {"rows": range(4, 8)}  # noqa: RUF012

    def __post_init__(self) -> None:
        if self.rows not in range(4, 8):
            raise zp.ZeroplyError(f"connect_four has from 4 to 7 rows, not {self.rows}")

    def legal(self, boards: Boards, sides: Sides) -> np.ndarray:
        """The lowest empty cell of each column."""
        empty = boards == 0
        carried = np.ones_like(empty)
        carried[:, :-1] = ~empty[:, 1:]  # row 0 is the top one
        allowed: np.ndarray = empty & carried
        allowed[:, : self.size - self.rows] = False
        return allowed

    def winner(self, boards: Boards) -> np.ndarray:
        """Whose stones are four in a row in any direction."""
        won = np.zeros(len(boards), np.int8)
        for colour in (1, -1):
            mine = boards == colour
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                four = mine
                for _ in range(3):  # a cell, and the cells that follow it, are all mine
                    four = mine & shifted(four, down, right)
                won[four.any(axis=(1, 2))] = colour
        return won


def shifted(boards: np.ndarray, down: int, right: int) -> np.ndarray:
    """The boards as seen from the next cell in a direction; beyond the edge there is nothing."""
    size = boards.shape[1]
    padded = np.pad(boards, ((0, 0), (1, 1), (1, 1)))
    moved: np.ndarray = padded[:, 1 + down : 1 + down + size, 1 + right : 1 + right + size]
    return moved


def main(folder: Path) -> None:
    """Evolve a net that plays Connect Four, and rate it."""
    conformance.check("connect_four")
    zp.evolve(game="connect_four", net="mdrnn(k=5)", generations=8, seed=1, run=folder)
    print(zp.match(f"net('{folder}/champion.safetensors')", "random", game="connect_four", games=200, seed=1))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "connect_four"))
