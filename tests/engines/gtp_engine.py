"""A stand-in that speaks GTP and moves at random; Othello in the dialect of GRhino, the others as GNU Go does.

With the quirk `explicit` it wants to be told of passes; otherwise it refuses that, as GRhino does.
"""

from __future__ import annotations

from wire import Wire

import zeroply as zp
from zeroply.games.text import Notation

COMMANDS = [
    "protocol_version",
    "name",
    "version",
    "list_commands",
    "quit",
    "boardsize",
    "clear_board",
    "play",
    "genmove",
]


class GtpStandIn:
    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.game = zp.game(wire.rest[0])
        self.othello = self.game.name == "othello"
        self.notation = Notation(self.game.size, "ABCDEFGHJKLMNOPQRST"[: self.game.size], from_top=self.othello)
        self.position = self.game.start()
        self.told_of_pass = False

    def serve(self) -> None:
        if "banner" in self.wire.quirks:
            self.wire.say("Welcome to Stand-in!\n\n")
        for line in self.wire.lines():
            command, *arguments = line.lower().split()
            if command == "genmove":
                self.genmove(*arguments)
            else:
                answer = getattr(self, f"do_{command}", self.unknown)(*arguments)
                self.wire.say(f"{answer}\n\n")

    def unknown(self, *arguments: str) -> str:
        return "? unknown command"

    def do_protocol_version(self) -> str:
        return "= 2"

    def do_name(self) -> str:
        return "= Stand-in"

    def do_version(self) -> str:
        return "= 1.0"

    def do_list_commands(self) -> str:
        games = ["list_games", "set_game"] if self.othello else []
        return "= " + "\n".join(COMMANDS + games + ["time_settings", "time_left"])

    def do_list_games(self) -> str:
        return "= Othello"

    def do_set_game(self, name: str) -> str:
        return "=" if name == "othello" else "? unsupported game"

    def do_time_settings(self, main: str, overtime: str, stones: str) -> str:
        return "=" if (int(stones) == 0) == (int(overtime) == 0) and int(main) >= 0 else "? syntax error"

    def do_time_left(self, colour: str, seconds: str, stones: str) -> str:
        return "=" if colour in ("black", "white") and int(seconds) >= 0 == int(stones) else "? syntax error"

    def do_boardsize(self, size: str) -> str:
        return "=" if int(size) == self.game.size else "? unacceptable size"

    def do_clear_board(self) -> str:
        self.position = self.game.start()
        return "="

    def do_play(self, colour: str, vertex: str) -> str:
        if vertex == "pass":
            takes = self.waits() and colour != self.on_turn()
            self.told_of_pass = takes
            return "=" if takes else "? syntax error"
        if not self.othello and colour != self.on_turn():  # as Go allows
            stones = self.position.text()[0][: self.game.cells]
            self.position = self.game.parse(f"{stones} {'X' if colour == 'black' else 'O'}")
        cell = self.notation.cell(vertex)
        if colour != self.on_turn() or self.waits() or not self.position.legal()[0, cell]:
            return "? illegal move"
        self.position.play([cell])
        self.told_of_pass = False
        return "="

    def on_turn(self) -> str:
        return "black" if self.position.to_move()[0] > 0 else "white"

    def waits(self) -> bool:
        """Whether it wants to hear of a pass first."""
        last = int(self.position.last_move()[0])
        passed = last >= 0 and self.position.stones()[0, last] == self.position.to_move()[0]
        return "explicit" in self.wire.quirks and passed and not self.told_of_pass

    def genmove(self, colour: str) -> None:
        if colour != self.on_turn() or self.waits():
            self.wire.say("= pass\n\n")
            return
        cell = self.wire.move(self.position, lambda cell: f"= {self.notation.name(cell)}\n\n")
        self.position.play([cell])
        self.told_of_pass = False


if __name__ == "__main__":
    GtpStandIn(Wire()).serve()
