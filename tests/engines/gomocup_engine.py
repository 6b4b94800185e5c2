"""A stand-in that speaks the protocol of Gomocup and moves at random, with talk between its answers."""

from __future__ import annotations

from collections.abc import Iterator

from boards import new, play, set_up
from wire import Wire


class GomocupStandIn:
    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.spec = "gomoku(size=15)"
        self.position = new(self.spec)

    def serve(self) -> None:
        lines = self.wire.lines()
        for line in lines:
            match line.split(maxsplit=1):
                case ["ABOUT"]:
                    self.wire.say('name="Stand-in", version="1.0", author="", country=""\n')
                case ["START", size]:
                    self.start(int(size))
                case ["INFO", "rule 1"] if "freestyle" in self.wire.quirks:
                    self.wire.say("ERROR rule 1 is not supported\n")
                case ["INFO", text] if text.startswith("rule "):
                    self.spec = f"gomoku(size={self.position.size}, exact={text == 'rule 1'})".lower()
                    self.position = new(self.spec)
                case ["INFO", _]:
                    pass
                case ["BEGIN"]:
                    self.answer()
                case ["TURN", point]:
                    play(self.position, self.cell(point))
                    self.answer()
                case ["PLAY", point]:
                    play(self.position, self.cell(point))
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
        self.spec = f"gomoku(size={size})"
        self.position = new(self.spec)
        self.wire.say("OK\n")

    def board(self, lines: Iterator[str]) -> None:
        signs = ["-"] * self.position.size**2
        for line in lines:
            if line == "DONE":
                break
            point, _, owner = line.rpartition(",")
            signs[self.cell(point)] = "-XO"[int(owner)]
        self.position = set_up(new(self.spec), "".join(signs), "X")  # its own colour does not matter to it

    def cell(self, point: str) -> int:
        column, row = map(int, point.split(","))
        return row * self.position.size + column

    def answer(self) -> None:
        size = self.position.size
        self.wire.say("MESSAGE thinking\nDEBUG depth 3\n")
        if "complains" in self.wire.quirks:
            self.wire.say("UNKNOWN command INFO TIME_LEFT\nERROR no such key: time_left\n")
        suggests = "suggests" in self.wire.quirks
        verb = "SUGGEST " if suggests else ""
        cell = self.wire.move(self.position, lambda cell: f"{verb}{cell % size},{cell // size}\n")
        if not suggests:
            play(self.position, cell)


if __name__ == "__main__":
    GomocupStandIn(Wire()).serve()
