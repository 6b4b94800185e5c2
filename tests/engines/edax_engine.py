"""A stand-in with the console of Edax: a prompt without a line end, `setboard`, `go`, and a picture of the board."""

from __future__ import annotations

import re
import time

from boards import name_of, new, play, set_up
from wire import Wire


def main() -> None:
    wire = Wire()
    if not re.fullmatch("-q -n 1 -book-usage off -ponder off -l [1-7]", " ".join(wire.rest)):
        raise SystemExit(f"wrong options: {wire.rest}")
    position = new("othello")
    if "new-book" in wire.quirks:
        wire.say("New book 1 2 3...done>")
        time.sleep(0.2)
    wire.say("\n>")
    for line in wire.lines():
        command, _, rest = line.partition(" ")
        if command == "setboard":
            position = set_up(new("othello"), *rest.split())
        elif command == "go":
            signs = ["-XO"[stone] for stone in position.stones]
            cell = wire.move(position, lambda cell: f"\n\nEdax plays {name_of(cell, 8).upper()}\n\n")
            play(position, cell)
            wire.say("".join(f"{row + 1} {' '.join(signs[8 * row : 8 * row + 8])}  |\n" for row in range(8)))
        wire.say("\n>")


if __name__ == "__main__":
    main()
