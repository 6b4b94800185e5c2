"""A stand-in that speaks the protocol of Gomocup and moves at random, with talk between its answers."""

from __future__ import annotations

from collections.abc import Iterator

from wire import Wire

import zeroply as zp


class GomocupStandIn:
    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.position = zp.game("gomoku").start()

    def serve(self) -> None:
        lines = self.wire.lines()
        for line in lines:
            match line.split(maxsplit=1):
                case ["ABOUT"]:
                    self.wire.say('name="Stand-in", version="1.0", author="", country=""\n')
                case ["START", size]:
                    self.start(int(size))
                case ["INFO", text] if text.startswith("rule "):
                    self.position = zp.game(
                        f"gomoku(size={self.position.game.size}, exact={text == 'rule 1'})".lower()
                    ).start()
                case ["INFO", _]:
                    pass
                case ["BEGIN"]:
                    self.answer()
                case ["TURN", point]:
                    self.position.play([self.cell(point)])
                    self.answer()
                case ["PLAY", point]:
                    self.position.play([self.cell(point)])
                    self.wire.say(f"{point}\n")
                case ["BOARD"]:
                    self.board(lines)
                    self.answer()
                case _:
                    self.wire.say("UNKNOWN command\n")

    def start(self, size: int) -> None:
        if size > 15:
            self.wire.say("ERROR unsupported size\n")
            return
        self.position = zp.game(f"gomoku(size={size})").start()
        self.wire.say("OK\n")

    def board(self, lines: Iterator[str]) -> None:
        signs = ["-"] * self.position.game.cells
        for line in lines:
            if line == "DONE":
                break
            point, _, owner = line.rpartition(",")
            signs[self.cell(point)] = "-XO"[int(owner)]
        self.position = self.position.game.parse("".join(signs) + " X")  # its own colour does not matter to it

    def cell(self, point: str) -> int:
        column, row = map(int, point.split(","))
        return row * self.position.game.size + column

    def answer(self) -> None:
        size = self.position.game.size
        self.wire.say("MESSAGE thinking\nDEBUG depth 3\n")
        suggests = "suggests" in self.wire.quirks
        verb = "SUGGEST " if suggests else ""
        cell = self.wire.move(self.position, lambda cell: f"{verb}{cell % size},{cell // size}\n")
        if not suggests:
            self.position.play([cell])


if __name__ == "__main__":
    GomocupStandIn(Wire()).serve()
