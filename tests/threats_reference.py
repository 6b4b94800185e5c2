"""Plain judges of threats: fives counted cell by cell, chains by their liberties, exhaustive search for forced wins.

They share no code with the core. `wins_within` tries every move of both sides, so it is for small boards; `holds`
follows a line of threats and tries every other answer, on any board.
"""

from __future__ import annotations

from functools import cache
from typing import Protocol

import reference
from zeroply.games import Positions


class Judge(Protocol):
    """A position as the searches below see it."""

    def winning(self, colour: int) -> set[int]:
        """The cells where a colour would win at once."""
        ...

    def moves(self, colour: int) -> list[int]:
        """The moves that do not lose at once."""
        ...

    def put(self, cell: int, colour: int) -> Judge:
        """The position after a move that does not end the game."""
        ...


@cache
def _lines(size: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """For each cell the lines of the board through it, one for each direction."""
    lines = []
    for row in range(size):
        for column in range(size):
            four = []
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                line = []
                for i in range(-size, size):
                    r, c = row + i * down, column + i * right
                    if 0 <= r < size and 0 <= c < size:
                        line.append(r * size + c)
                four.append(tuple(line))
            lines.append(tuple(four))
    return tuple(lines)


class Rows:
    """Gomoku."""

    def __init__(self, size: int, exact: bool, stones: tuple[int, ...]) -> None:
        self.size, self.exact, self.stones = size, exact, stones
        self._winning: dict[int, set[int]] = {}

    def completes(self, cell: int, colour: int) -> bool:
        """Whether a stone on an empty cell wins."""
        for line in _lines(self.size)[cell]:
            at = line.index(cell)
            low = high = at
            while low > 0 and self.stones[line[low - 1]] == colour:
                low -= 1
            while high < len(line) - 1 and self.stones[line[high + 1]] == colour:
                high += 1
            row = high - low + 1
            if row == 5 or (row > 5 and not self.exact):
                return True
        return False

    def winning(self, colour: int) -> set[int]:
        """The cells that complete five."""
        if colour not in self._winning:
            empty = (cell for cell, stone in enumerate(self.stones) if stone == 0)
            self._winning[colour] = {cell for cell in empty if self.completes(cell, colour)}
        return self._winning[colour]

    def moves(self, colour: int) -> list[int]:
        """All empty cells."""
        return [cell for cell, stone in enumerate(self.stones) if stone == 0]

    def put(self, cell: int, colour: int) -> Rows:
        """The position with one more stone."""
        return Rows(self.size, self.exact, (*self.stones[:cell], colour, *self.stones[cell + 1 :]))


class Chains:
    """Atari-Go to the first capture."""

    def __init__(self, size: int, stones: tuple[int, ...]) -> None:
        self.size, self.stones = size, stones
        board = reference.AtariGo(size)
        board.stones = list(stones)
        self._last: dict[int, set[int]] = {1: set(), -1: set()}
        for cell, stone in enumerate(stones):
            if stone:
                _, liberties = board.chain(cell)
                if len(liberties) == 1:
                    self._last[stone] |= set(liberties)
        self._board = board

    def winning(self, colour: int) -> set[int]:
        """The last liberties of opposing chains."""
        return self._last[-colour]

    def moves(self, colour: int) -> list[int]:
        """Moves that are no suicide; only asked for where no capture is possible."""
        return [cell for cell, stone in enumerate(self.stones) if stone == 0 and self._lives(cell, colour)]

    def _lives(self, cell: int, colour: int) -> bool:
        self._board.stones[cell] = colour
        _, liberties = self._board.chain(cell)
        self._board.stones[cell] = 0
        return bool(liberties)

    def put(self, cell: int, colour: int) -> Chains:
        """The position with one more stone."""
        return Chains(self.size, (*self.stones[:cell], colour, *self.stones[cell + 1 :]))


def judge_of(position: Positions) -> tuple[Judge, int]:
    """The judge of a position (a batch of one), and the side to move."""
    stones = tuple(int(stone) for stone in position.stones()[0])
    options = dict(position.game.options)
    size = position.game.size
    rows = Rows(size, bool(options.get("exact")), stones)
    return (rows if "exact" in options else Chains(size, stones)), int(position.to_move()[0])


def wins_within(judge: Judge, colour: int, plies: int) -> bool:
    """Whether the side to move wins in at most `plies` moves of both sides, whatever the other side does."""
    if judge.winning(colour):
        return plies >= 1
    if plies < 3:
        return False
    threatened = judge.winning(-colour)
    if len(threatened) > 1:
        return False
    for cell in sorted(threatened) or judge.moves(colour):
        if threatened and cell not in judge.moves(colour):
            continue
        if _loses_within(judge.put(cell, colour), -colour, plies - 1):
            return True
    return False


def _loses_within(judge: Judge, colour: int, plies: int) -> bool:
    """Whether the side to move loses in at most `plies` moves of both sides, whatever it does."""
    if judge.winning(colour):
        return False
    threats = judge.winning(-colour)
    if plies == 2 and not threats:
        return False
    replies = judge.moves(colour)
    if threats:  # any other answer loses at once
        replies = [cell for cell in replies if {cell} == threats]
    elif not replies:
        return isinstance(judge, Chains)  # only suicide is left; a full board of Gomoku is a draw
    return all(wins_within(judge.put(cell, colour), -colour, plies - 1) for cell in replies)


def forces(judge: Judge, colour: int, threats: int) -> bool:
    """Whether a colour wins by at most that many threats in a row to win at once; every such move is tried."""
    if judge.winning(colour):
        return True
    against = judge.winning(-colour)
    if len(against) > 1 or threats == 0:
        return False
    for cell in judge.moves(colour):
        if against and cell not in against:
            continue
        after = judge.put(cell, colour)
        answers = after.winning(colour)
        if not answers or after.winning(-colour):
            continue
        replies = [reply for reply in after.moves(-colour) if {reply} == answers]
        if all(forces(after.put(reply, -colour), colour, threats - 1) for reply in replies):
            return True
    return False


def holds(judge: Judge, colour: int, line: list[int]) -> bool:
    """Whether a line of threats to win at once wins against every answer: each has no other answer than the line's."""
    if len(line) == 1:
        return line[0] in judge.winning(colour)
    if len(line) < 3 or judge.winning(colour) or line[0] not in judge.moves(colour):
        return False
    if judge.winning(-colour) - {line[0]}:
        return False
    after = judge.put(line[0], colour)
    answers = after.winning(colour)
    if not answers or after.winning(-colour):
        return False
    replies = [reply for reply in after.moves(-colour) if {reply} == answers]
    if line[1] in replies:
        return holds(after.put(line[1], -colour), colour, line[2:])
    lost = all(after.put(reply, -colour).winning(colour) for reply in replies)
    return lost and len(line) == 3 and line[2] in after.put(line[1], -colour).winning(colour)
