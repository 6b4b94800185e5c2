"""A stand-in that speaks GTP, whose moves and crashes depend on the moves of its game alone, so games can be repeated.

It dies at its second move of about one game in a hundred, if it is started with `--crashes`.
"""

from __future__ import annotations

import os
import sys
import zlib

from boards import new
from gtp_engine import LETTERS

CRASHES = 100
"""One game in so many is lost by a crash."""
SIZE = 5


def crash_is_due(turns: list[str]) -> bool:
    """Whether a program that crashes does so when it is to move after these turns, such as `black C3`."""
    return zlib.crc32(" ".join(turns).encode()) % CRASHES == 0


def main() -> None:
    crashes = "--crashes" in sys.argv
    position, turns, own = new(f"atarigo(size={SIZE})"), list[str](), 0
    for line in sys.stdin:
        answer = ""
        match line.split():
            case ["protocol_version"]:
                answer = "2"
            case ["name"]:
                answer = "Crasher" if crashes else "Steady"
            case ["list_commands"]:
                answer = "protocol_version\nname\nlist_commands\nboardsize\nclear_board\nplay\ngenmove\nquit"
            case ["clear_board"]:
                position, turns, own = new(f"atarigo(size={SIZE})"), [], 0
            case ["play", colour, vertex]:
                turns.append(f"{colour} {vertex}")
                position.play(SIZE * (SIZE - int(vertex[1:])) + LETTERS.index(vertex[0]))
            case ["genmove", colour]:
                own += 1
                if crashes and own == 2 and crash_is_due(turns):
                    print("fatal: out of luck", file=sys.stderr, flush=True)
                    os._exit(3)
                legal = sorted(position.legal())
                cell = legal[zlib.crc32(" ".join([*turns, "move"]).encode()) % len(legal)]
                answer = f"{LETTERS[cell % SIZE]}{SIZE - cell // SIZE}"
                turns.append(f"{colour} {answer}")
                position.play(cell)
            case ["quit"]:
                return
        sys.stdout.write(f"= {answer}\n\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
