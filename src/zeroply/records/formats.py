"""What a file format of game records has to offer, and what they share.

Formats work on bytes, since some are binary; `source` is the name by which errors speak of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.records.record import GameRecord, replay

Turns = list[tuple[int, int]]
"""Who moved (1 Black, -1 White) and where, as formats tell it that name the colour of each move."""
PASS = -1
"""The cell of a pass."""


@dataclass(frozen=True)
class Format:
    """How records are read from the bytes of a file, and written."""

    name: str
    """What people call it."""
    read: Callable[[bytes, str, Game | None], list[GameRecord]]
    """Records from bytes, the name of their source, and the game if the caller knows it."""
    write: Callable[[Sequence[GameRecord]], bytes] | None = None
    """Bytes from records; None if the format is only read."""


def encode(text: str) -> bytes:
    """Text as UTF-8."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        bad = error.object[error.start : error.end]
        raise ZeroplyError(f"a player's name holds {bad!r}, which no text file can hold") from None


def moves_of(turns: Turns) -> tuple[int, ...]:
    """The cells without the passes."""
    return tuple(cell for _, cell in turns if cell != PASS)


def check_turns(records: Sequence[GameRecord], turns: Sequence[Turns], places: Sequence[str]) -> None:
    """Check that the moves are legal, made by the named colours, and that only those passed who had to."""
    replayed = replay(records, places)
    for i, (record, theirs) in enumerate(zip(records, turns, strict=True)):
        movers = [*replayed.movers_of(i).tolist(), int(replayed.to_move[i])]
        if [colour for colour, _ in theirs] == movers[:-1]:
            continue
        move = 0
        for colour, cell in theirs:
            name = "Black" if colour > 0 else "White"
            if cell != PASS:
                if colour != movers[move]:
                    raise ZeroplyError(f"{places[i]}: move {move + 1}: {name} moves, but it is not {name}'s turn")
                move += 1
            elif colour == movers[move]:
                rule = "has a move" if record.game.name == "othello" else f"may not in {record.game.name}"
                raise ZeroplyError(f"{places[i]}: move {move + 1}: {name} passes but {rule}")
