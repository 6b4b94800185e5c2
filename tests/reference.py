"""Othello, Gomoku and Atari-Go once more, plain and slow, straight from the rules: boards are lists, lines are walked.

The tests hold the native core against these. Nothing here is shared with the core, and nothing is clever.
Colours are 1 for Black and -1 for White; cells are numbered row by row from the top left.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, Protocol, Self

EIGHT = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]
FOUR = [(-1, 0), (1, 0), (0, -1), (0, 1)]


class Position(Protocol):
    """What all three have in common."""

    size: int
    stones: list[int]
    to_move: int
    over: bool
    winner: int
    move_number: int
    last: int
    passed: bool
    captured: list[int]
    ko: int

    def legal(self) -> list[int]: ...
    def play(self, cell: int) -> None: ...
    def score(self) -> int: ...
    def copy(self) -> Self: ...


class _Board:
    def __init__(self, size: int) -> None:
        self.size = size
        self.stones = [0] * size**2
        self.to_move = 1
        self.over = False
        self.winner = 0
        self.move_number = 1
        self.last = -1
        self.passed = False  # whether a forced pass followed the last move
        self.captured = [0, 0]
        self.ko = -1

    def copy(self) -> Self:
        other = copy.copy(self)
        other.stones = list(self.stones)
        other.captured = list(self.captured)
        return other

    def ray(self, cell: int, direction: tuple[int, int]) -> Iterator[int]:
        """The cells met when walking from `cell` to the edge, without `cell` itself."""
        row, column = divmod(cell, self.size)
        row, column = row + direction[0], column + direction[1]
        while 0 <= row < self.size and 0 <= column < self.size:
            yield row * self.size + column
            row, column = row + direction[0], column + direction[1]

    def empty(self) -> list[int]:
        return [cell for cell, stone in enumerate(self.stones) if stone == 0]


class Othello(_Board):
    def __init__(self, size: int) -> None:
        super().__init__(size)
        high = size // 2
        for row, column, colour in [(-1, -1, -1), (0, 0, -1), (-1, 0, 1), (0, -1, 1)]:
            self.stones[(high + row) * size + high + column] = colour

    def flips(self, cell: int, colour: int) -> list[int]:
        turned = []
        for direction in EIGHT:
            line = []
            for at in self.ray(cell, direction):
                if self.stones[at] == -colour:
                    line.append(at)
                    continue
                if self.stones[at] == colour:
                    turned += line
                break
        return turned

    def moves(self, colour: int) -> list[int]:
        return [cell for cell in self.empty() if self.flips(cell, colour)]

    def legal(self) -> list[int]:
        return [] if self.over else self.moves(self.to_move)

    def play(self, cell: int) -> None:
        for at in [cell, *self.flips(cell, self.to_move)]:
            self.stones[at] = self.to_move
        self.last = cell
        self.move_number += 1
        self.to_move = -self.to_move
        self.passed = False
        if not self.moves(self.to_move):
            if self.moves(-self.to_move):
                self.passed = True
                self.to_move = -self.to_move
            else:
                self.over = True
                self.winner = (self.score() > 0) - (self.score() < 0)

    def score(self) -> int:
        return sum(self.stones)


class Gomoku(_Board):
    def __init__(self, size: int, exact: bool = False) -> None:
        super().__init__(size)
        self.exact = exact

    def legal(self) -> list[int]:
        return [] if self.over else self.empty()

    def run(self, cell: int, direction: tuple[int, int]) -> int:
        """Stones of the colour on `cell` that follow it without a gap."""
        length = 0
        for at in self.ray(cell, direction):
            if self.stones[at] != self.stones[cell]:
                break
            length += 1
        return length

    def wins(self, cell: int) -> bool:
        for down, right in [(0, 1), (1, 0), (1, 1), (1, -1)]:
            row = 1 + self.run(cell, (down, right)) + self.run(cell, (-down, -right))
            if row == 5 or (row > 5 and not self.exact):
                return True
        return False

    def play(self, cell: int) -> None:
        self.stones[cell] = self.to_move
        self.last = cell
        self.move_number += 1
        if self.wins(cell):
            self.winner = self.to_move
        self.over = self.winner != 0 or not self.empty()
        self.to_move = -self.to_move

    def score(self) -> int:
        return self.winner


class AtariGo(_Board):
    def __init__(self, size: int, captures: int = 1, suicide: str = "loses") -> None:
        super().__init__(size)
        self.captures = captures
        self.suicide = suicide
        self.near = [[next(iter(self.ray(c, d)), -1) for d in FOUR] for c in range(size**2)]
        self.near = [[n for n in cells if n >= 0] for cells in self.near]

    def chain(self, cell: int) -> tuple[set[int], set[int]]:
        """The stones connected to the one on `cell`, and the empty cells beside them."""
        stones, liberties, waiting = {cell}, set(), [cell]
        while waiting:
            for beside in self.near[waiting.pop()]:
                if self.stones[beside] == 0:
                    liberties.add(beside)
                elif self.stones[beside] == self.stones[cell] and beside not in stones:
                    stones.add(beside)
                    waiting.append(beside)
        return stones, liberties

    def liberties(self) -> list[int]:
        """For each cell the liberties of the chain on it, 0 where there is no stone."""
        counts = [0] * self.size**2
        done: set[int] = set()
        for cell, stone in enumerate(self.stones):
            if stone and cell not in done:
                stones, liberties = self.chain(cell)
                done |= stones
                for at in stones:
                    counts[at] = len(liberties)
        return counts

    def put(self, cell: int) -> set[int]:
        """Place a stone and take off what it captures."""
        self.stones[cell] = self.to_move
        taken: set[int] = set()
        for beside in self.near[cell]:
            if self.stones[beside] == -self.to_move:
                stones, liberties = self.chain(beside)
                if not liberties:
                    taken |= stones
        for at in taken:
            self.stones[at] = 0
        return taken

    def is_suicide(self, cell: int) -> bool:
        if any(self.stones[beside] == 0 for beside in self.near[cell]):
            return False
        trial = self.copy()
        return not trial.put(cell) and not trial.chain(cell)[1]

    def legal(self) -> list[int]:
        if self.over:
            return []
        return [
            cell
            for cell in self.empty()
            if cell != self.ko and not (self.suicide == "illegal" and self.is_suicide(cell))
        ]

    def play(self, cell: int) -> None:
        mover = self.to_move
        taken = self.put(cell)
        stones, liberties = self.chain(cell)
        self.last = cell
        self.move_number += 1
        self.captured[0 if mover == 1 else 1] += len(taken)
        self.to_move = -mover
        # The stone that took one stone and could itself be taken back at once: that is ko.
        self.ko = taken.copy().pop() if len(taken) == len(stones) == len(liberties) == 1 else -1
        if self.captured[0 if mover == 1 else 1] >= self.captures:
            self.winner, self.ko = mover, -1
        elif not liberties:
            self.winner = -mover
        elif not self.legal():
            self.winner = mover
        self.over = self.winner != 0

    def score(self) -> int:
        return self.winner


def start(name: str, **options: Any) -> Position:
    """The start of a game: `start("gomoku", size=9)`."""
    games: dict[str, type[Othello] | type[Gomoku] | type[AtariGo]]
    games = {"othello": Othello, "gomoku": Gomoku, "atarigo": AtariGo}
    return games[name](**options)


def perft(position: Position, depth: int) -> int:
    """Number of move sequences of `depth` plies: a pass is a ply, a game that ended earlier counts once."""
    if depth == 0 or position.over:
        return 1
    total = 0
    for move in position.legal():
        child = position.copy()
        child.play(move)
        total += 1 if depth == 1 else perft(child, depth - 2 if child.passed else depth - 1)
    return total
