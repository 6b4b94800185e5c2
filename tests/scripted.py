"""A session with an engine in this process: all input lines are given at once, all answers are collected."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from zeroply.engine import GameSession, Wire, default_game, server


class Script(Wire):
    """Input lines written in advance."""

    def __init__(self, lines: list[str]) -> None:
        self.left = lines[::-1]
        self.said: list[str] = []

    def lines(self) -> Iterator[str]:
        while self.left:
            yield self.left.pop()

    def peek(self, seconds: float = 0.0) -> str | None:
        return self.left[-1] if self.left else ""

    def take(self, wanted: Callable[[str], bool]) -> str | None:
        return self.left.pop() if self.left and wanted(self.left[-1]) else None

    def say(self, text: str) -> None:
        self.said.append(text)


def talk(protocol: str, lines: str, player: str = "random(ties=lowest)", game: str | None = None) -> str:
    """The answers of an engine to input lines."""
    script = Script(lines.strip("\n").split("\n"))
    session = GameSession(player, game or default_game(protocol))
    try:
        server(protocol, script, session).serve()
    finally:
        session.close()
    return "".join(script.said)
