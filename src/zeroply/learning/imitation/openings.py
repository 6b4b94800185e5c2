"""Whether a player opens as experts do: its first choice in the positions that occur most often in the first moves.

Positions are counted up to symmetry. In a position with a symmetry of its own, such as the start, a move counts
together with its images.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zeroply.examples import Examples
from zeroply.games import bits, from_bits
from zeroply.learning.imitation.evaluation import Judge

OPENING_MOVES = 12
"""Moves of a game that count as its opening."""
POSITIONS = 50
"""Most frequent positions that are compared."""
MOST_PLAYED = 2
"""A choice is an expert's if it is among this many moves that are played most."""


@dataclass(frozen=True)
class OpeningChoice:
    """A position of the first moves, what experts play there, and what a player chooses."""

    position: str
    """The board, as text."""
    played: int
    """How often it occurs in the games."""
    experts: dict[str, float]
    """The moves that experts play most, with their shares."""
    choice: str
    """The player's first choice."""
    share: float
    """How often experts choose it."""
    agrees: bool
    """Whether it is among the moves that experts play most."""


def opening_rows(original: Examples, rows: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Those of the examples of Original that are among the first moves of their game."""
    first: NDArray[np.uint32] = rows[original.move_numbers(rows) <= OPENING_MOVES]
    return first


def opening_choices(judge: Judge, data: Examples, positions: int = POSITIONS) -> list[OpeningChoice]:
    """The choices of a player in the most frequent positions of the first moves, most frequent first."""
    original, _ = data.original()
    game = original.game
    rows = opening_rows(original, np.arange(len(original), dtype=np.uint32))
    own, opponent, move = original.take(rows)
    boards = from_bits(game, own, opponent)
    images = np.array([np.stack(bits(boards.symmetry(k))) for k in range(len(game.symmetries))])  # [images, 2, n]
    least = np.lexsort((images[:, 1], images[:, 0]), axis=0)[0]
    smallest = images[least, :, np.arange(len(rows))]  # [n, 2]
    names, groups, counts = np.unique(smallest, axis=0, return_inverse=True, return_counts=True)
    frequent = np.argsort(-counts, kind="stable")[:positions]
    place = np.full(len(names), -1)
    place[frequent] = np.arange(len(frequent))
    played = np.zeros((len(frequent), game.cells))
    for k, cells in enumerate(game.symmetries):
        mine = (smallest == images[k].T).all(axis=1) & (place[groups] >= 0)
        np.add.at(played, (place[groups[mine]], np.asarray(cells)[move[mine]]), 1)
    shares = played / played.sum(axis=1, keepdims=True)
    known = from_bits(game, *names[frequent].T.copy())
    chosen = judge.prefer(known).argmax(axis=1)
    enough = np.sort(played, axis=1)[:, -MOST_PLAYED]
    return [
        OpeningChoice(
            position=known[row : row + 1].text()[0],
            played=int(counts[group]),
            experts={
                game.notation.name(int(cell)): float(shares[row, cell])
                for cell in np.argsort(-played[row], kind="stable")[:MOST_PLAYED]
                if played[row, cell]
            },
            choice=game.notation.name(int(chosen[row])),
            share=float(shares[row, chosen[row]]),
            agrees=bool(played[row, chosen[row]] >= max(1, enough[row])),
        )
        for row, group in enumerate(frequent)
    ]
