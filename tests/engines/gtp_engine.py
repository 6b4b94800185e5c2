"""A stand-in that speaks GTP and moves at random; Othello in the dialect of GRhino, the others as GNU Go does.

With the quirk `explicit` it wants to be told of passes; otherwise it refuses that, as GRhino does.
"""

from __future__ import annotations

from boards import new, play
from wire import Wire

LETTERS = "ABCDEFGHJKLMNOPQRST"
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
        self.spec = wire.rest[0]
        self.othello = self.spec.startswith("othello")
        self.position = new(self.spec)
        self.size = self.position.size
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
        games += ["kata-time_settings"] if "fischer" in self.wire.quirks else []
        return "= " + "\n".join(COMMANDS + games + ["time_settings", "time_left"])

    def do_list_games(self) -> str:
        return "= Othello"

    def do_set_game(self, name: str) -> str:
        return "=" if name == "othello" else "? unsupported game"

    def do_time_settings(self, main: str, overtime: str, stones: str) -> str:
        return "=" if (int(stones) == 0) == (int(overtime) == 0) and int(main) >= 0 else "? syntax error"

    def do_time_left(self, colour: str, seconds: str, stones: str) -> str:
        return "=" if colour in ("black", "white") and float(seconds) >= 0 <= int(stones) else "? syntax error"

    def do_boardsize(self, size: str) -> str:
        return "=" if int(size) == self.size else "? unacceptable size"

    def do_clear_board(self) -> str:
        self.position = new(self.spec)
        return "="

    def do_play(self, colour: str, vertex: str) -> str:
        if vertex == "pass":
            takes = self.waits() and colour != self.on_turn()
            self.told_of_pass = takes
            return "=" if takes else "? syntax error"
        if not self.othello and colour != self.on_turn():  # as Go allows
            self.position.to_move, self.position.ko = 1 if colour == "black" else -1, -1
        row = int(vertex[1:]) - 1 if self.othello else self.size - int(vertex[1:])
        cell = self.size * row + LETTERS.index(vertex[0].upper())
        if colour != self.on_turn() or self.waits() or cell not in self.position.legal():
            return "? illegal move"
        self.position.play(cell)
        self.told_of_pass = False
        return "="

    def name(self, cell: int) -> str:
        row = cell // self.size
        return f"{LETTERS[cell % self.size]}{row + 1 if self.othello else self.size - row}"

    def on_turn(self) -> str:
        return "black" if self.position.to_move > 0 else "white"

    def waits(self) -> bool:
        """Whether it wants to hear of a pass first."""
        return "explicit" in self.wire.quirks and self.position.passed and not self.told_of_pass

    def genmove(self, colour: str) -> None:
        if colour != self.on_turn() or self.waits():
            self.wire.say("= pass\n\n")
            return
        if "info" in self.wire.quirks:
            self.wire.say("# thinking\ninfo depth 3 score cp 20 pv C3\n")
        cell = self.wire.move(self.position, lambda cell: f"= {self.name(cell)}\n\n")
        play(self.position, cell)
        self.told_of_pass = False


if __name__ == "__main__":
    GtpStandIn(Wire()).serve()
