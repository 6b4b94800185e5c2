"""A stand-in that speaks NBoard's protocol and moves at random, with the habits of Edax: blanks for slashes."""

from __future__ import annotations

import re
import sys

from boards import cell_of, name_of, new, play, set_up
from wire import Wire


class NboardStandIn:
    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.position = new("othello")
        self.due = False  # a pass, before anything else

    def serve(self) -> None:
        for line in self.wire.lines():
            command, _, rest = line.partition(" ")
            match command, rest.split():
                case "nboard", [version]:
                    if version != "1":
                        print('Error: expected "nboard 1" protocol', file=sys.stderr, flush=True)
                case "set", ["depth", depth]:
                    self.wire.say(f"set myname Stand-in{depth}\n")
                case "set", ["game", *_]:
                    self.set_game(rest)
                case "move", [move]:
                    self.move(move)
                case "ping", [number]:
                    self.wire.say(f"\npong {number}\n")
                case "go", []:
                    self.go()

    def set_game(self, text: str) -> None:
        board = re.search(r"BO\[8 ([-*O ]+) ([*O])\]", text)
        if board is None or not text.endswith(";)"):
            raise SystemExit(f"not GGF: {text}")
        self.position = set_up(new("othello"), board[1].replace(" ", ""), board[2])
        self.due = False
        for colour, move in re.findall(r"([BW])\[(\w+)[^]]*\]", text[board.end() :]):
            self.move(move, colour)

    def move(self, text: str, colour: str = "") -> None:
        """Passes must be told where they are made, and nowhere else."""
        side = self.position.to_move
        passes = text.upper() == "PA"
        wanted = "BW"[(side > 0) if self.due else (side < 0)]
        if passes != self.due or (colour or wanted) != wanted:
            raise SystemExit(f"{colour} {text} out of turn")
        self.due = False
        if not passes:
            play(self.position, cell_of(text, 8))
            self.due = self.position.passed

    def go(self) -> None:
        if self.due:
            self.wire.say("=== PA\n")
            return
        self.wire.say("status thinking\nsearch F5-D6 +1.00 0 8 text\nnodestats 100 0.1\nstatus\n")
        score = 12.5 * self.position.to_move if "black-is-ahead" in self.wire.quirks else -1
        self.wire.move(self.position, lambda cell: f"=== {name_of(cell, 8)} {score:+.2f} 0.0\n")


if __name__ == "__main__":
    NboardStandIn(Wire()).serve()
