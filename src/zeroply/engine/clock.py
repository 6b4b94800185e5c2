"""The clock of a side in GTP: a main time, then overtime periods with a number of stones each (GTP 2, section 4.2).

A controller may say what is left before each move; between such words the engine counts for itself.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Side:
    """The time left of one side."""

    seconds: float
    """Seconds of the main time, or of the period."""
    stones: int = 0
    """Stones that must be played in the period; 0 in the main time."""


class Clock:
    """The clocks of both sides; without settings there is no limit."""

    def __init__(self) -> None:
        self._sides: dict[int, Side] = {}
        self._period = Side(0.0)

    def set(self, main: float, overtime: float, stones: int) -> None:
        """Begin with these times; overtime without a number of stones means that there is no limit."""
        self._sides.clear()
        self._period = Side(overtime, stones)
        if not (overtime > 0 and stones == 0):
            first = Side(main) if main > 0 or overtime == 0 else Side(overtime, stones)
            self._sides = {colour: Side(first.seconds, first.stones) for colour in (1, -1)}

    def tell(self, colour: int, seconds: float, stones: int) -> None:
        """Set a side's time left as the controller reports it."""
        self._sides[colour] = Side(seconds, stones)

    def spend(self, colour: int, seconds: float) -> None:
        """Subtract the time of a move."""
        side = self._sides.get(colour)
        if side is None:
            return
        in_main = side.stones == 0
        side.seconds -= seconds
        side.stones -= not in_main
        over = side.seconds <= 0 if in_main else side.stones == 0
        if over and self._period.stones:
            self._sides[colour] = Side(self._period.seconds, self._period.stones)

    def allowance(self, colour: int, moves: int) -> float | None:
        """Seconds for the next move of a side with this many moves left; None if there is no limit."""
        side = self._sides.get(colour)
        if side is None:
            return None
        if side.stones:
            return max(0.0, side.seconds / side.stones)
        later = self._period.seconds / self._period.stones if self._period.stones else 0.0
        return max(side.seconds / (moves + 1), later, 0.0)
