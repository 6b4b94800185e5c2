"""A stand-in that speaks Cassio's protocol and moves at random, with the habits of Edax: results of several depths."""

from __future__ import annotations

from functools import partial

from boards import name_of, new, set_up
from wire import Wire


def result(board: str, tail: str, cell: int) -> str:
    return f"{board}, move {name_of(cell, 8).upper()}, depth 2, {tail}\n"


def main() -> None:
    wire = Wire()
    for line in wire.lines():
        prefix, command, *words = [*line.split(), "", ""]
        if prefix != "ENGINE-PROTOCOL":
            wire.say(f'ERROR: Unknown protocol "{line}"\n')
            continue
        match command:
            case "quit":
                wire.say("bye bye.\n")
                return
            case "get-version":
                wire.say("version: Stand-in 4.4\n")
            case "midgame-search" | "endgame-search":
                board, low, high, *numbers = [word for word in words if word]
                if len(board) != 65 or (low, high) != ("-64", "64") or numbers[-1] != "100":
                    raise SystemExit(f"wrong request: {line}")
                if command == "endgame-search" and (board.count("-") > 12 or len(numbers) != 1):
                    raise SystemExit(f"wrong request: {line}")
                position = set_up(new("othello"), board[:64], board[64])
                side = "W" if board[64] == "O" else "B"
                if "thinks-twice" in wire.quirks:
                    first = name_of(min(position.legal()), 8)
                    wire.say(f"{board}, move {first}, depth 1, @73%, {side}-64.00 <= v <= {side}+64.00, {first}\n")
                if "silent" not in wire.quirks:
                    tail = f"@73%, {side}+3.00 <= v <= {side}+3.00, F5d6, node 1143322, time 0.064"
                    wire.move(position, partial(result, board, tail))
        wire.say("ready.\n")


if __name__ == "__main__":
    main()
