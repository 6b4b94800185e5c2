"""Examples of expert moves once more, plain and slow: games are replayed on lists, datasets are lists of tuples.

The tests hold the native core and the files of datasets against these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

import reference
from random_play import random_record
from zeroply import chance
from zeroply.games import game
from zeroply.records import GameRecord

Example = tuple[int, int, int]
"""Own discs, opposing discs, cell."""

OTHELLO = game("othello")
SYMMETRIES: list[list[int]] = OTHELLO.symmetries.tolist()
DIAGONAL = GameRecord(OTHELLO, (9,), "-" * 18 + "O" + "-" * 8 + "XO" + "-" * 6 + "OX" + "-" * 27 + " X")
"""A game whose only move lies, with its whole board, on a diagonal: it has a symmetry of its own."""


def bits(cells: Iterable[int]) -> int:
    return sum(1 << cell for cell in cells)


def cells(board: int) -> list[int]:
    return [cell for cell in range(64) if board >> cell & 1]


def image(example: Example, k: int) -> Example:
    own, opponent, move = example
    moved = SYMMETRIES[k]
    return bits(moved[c] for c in cells(own)), bits(moved[c] for c in cells(opponent)), moved[move]


def images(example: Example) -> list[Example]:
    return [image(example, k) for k in range(8)]


def replay(record: GameRecord) -> list[tuple[Example, bool]]:
    """The examples of a game, and whether Black is the mover."""
    position = reference.start("othello", size=8)
    if record.setup is not None:
        board = OTHELLO.parse(record.setup).boards()[0]
        position.stones, position.to_move = board.stones.tolist(), board.to_move
    found = []
    for move in record.moves:
        own, opponent = (
            bits(c for c, stone in enumerate(position.stones) if stone == colour)
            for colour in (position.to_move, -position.to_move)
        )
        found.append(((own, opponent, move), position.to_move == 1))
        position.play(move)
    return found


def turned(record: GameRecord) -> GameRecord:
    """The game under the half turn, which leaves the start as it is."""
    return GameRecord(OTHELLO, tuple(SYMMETRIES[3][move] for move in record.moves))


def some_records() -> list[GameRecord]:
    """Whole games, short games that share positions, the same game twice, images of games, and a set-up position."""
    whole = [random_record(seed) for seed in range(12)]
    short = [random_record(100 + seed, plies=1 + seed % 7) for seed in range(60)]
    return [*whole, *short, whole[0], turned(whole[1]), turned(short[3]), DIAGONAL]


def closure(examples: Iterable[Example]) -> set[Example]:
    return {one for example in examples for one in images(example)}


def predictable(examples: Iterable[Example]) -> int:
    """How many a perfect classifier gets right."""
    most: dict[tuple[int, int], int] = {}
    for (own, opponent, _), count in Counter(examples).items():
        most[own, opponent] = max(most.get((own, opponent), 0), count)
    return sum(most.values())


def transcript_class(record: GameRecord) -> object:
    """Equal for games that are the same up to symmetry."""
    played = [example for example, _ in replay(record)]
    shown = [[image(example, k) for example in played] for k in range(8)]
    return min(tuple(one) for one in shown)


def sides_by_game(
    games: Sequence[Sequence[Example]], tested: Sequence[bool], examples: Sequence[Example], up_to_symmetry: bool
) -> list[int]:
    """0 neither, 1 train, 2 test, for the examples of a set without repetitions."""
    training = {example for game, test in zip(games, tested, strict=True) if not test for example in game}
    known = closure(training)
    boards = {(own, opponent) for own, opponent, _ in known}
    belongs = known if up_to_symmetry else training
    return [1 if e in belongs else 0 if (e[0], e[1]) in boards else 2 for e in examples]


def permutation(key: int, n: int) -> NDArray[np.int64]:
    """The core's permutation: six rounds of a Feistel network on eight bits or more, walked until below n."""
    width = max(8, (n - 1).bit_length())
    low = width // 2
    keys = chance.keys(key, np.arange(6))
    right, left = (
        part.astype(np.uint64) for part in (np.arange(1 << width) % (1 << low), np.arange(1 << width) >> low)
    )
    for k in range(0, 6, 2):
        left ^= chance.draw(keys[k], right) >> np.uint64(64 - (width - low))
        right ^= chance.draw(keys[k + 1], left) >> np.uint64(64 - low)
    scrambled = (left << np.uint64(low) | right).tolist()
    out = []
    for i in range(n):
        at = scrambled[i]
        while at >= n:
            at = scrambled[at]
        out.append(at)
    return np.array(out, np.int64)
