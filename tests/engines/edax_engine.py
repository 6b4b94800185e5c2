"""A stand-in with the console of Edax: a prompt without a line end, `setboard`, `go`, and a picture of the board."""

from __future__ import annotations

from wire import Wire

import zeroply as zp


def main() -> None:
    wire = Wire()
    if " ".join(wire.rest) != "-q -n 1 -book-usage off -ponder off -l 7":
        raise SystemExit(f"wrong options: {wire.rest}")
    position = zp.game("othello").start()
    name = position.game.notation.name
    wire.say("\n>")
    for line in wire.lines():
        command, _, rest = line.partition(" ")
        if command == "setboard":
            position = zp.game("othello").parse(rest)
        elif command == "go":
            board = f"{position}\n".replace("\n", "  |\n")
            cell = wire.move(position, lambda cell: f"\n\nEdax plays {name(cell).upper()}\n\n")
            position.play([cell])
            wire.say(board)
        wire.say("\n>")


if __name__ == "__main__":
    main()
