"""zeroply as an engine: any player behind a protocol of the field, on standard input and output.

A new protocol is a file here with a class that reads lines and writes answers, and a line below.
"""

from __future__ import annotations

from typing import Protocol

from zeroply.engine.session import GameSession
from zeroply.engine.wire import Wire
from zeroply.registry import Registry

__all__ = ["PROTOCOLS", "GameSession", "Server", "Wire", "default_game", "server"]


class Server(Protocol):
    """The engine's side of a protocol: a class that takes `wire` and `session`.

    Its attribute `game` is the default game of the protocol, if that is not Othello.
    """

    def serve(self) -> None:
        """Serve until the controller quits or closes the input."""


PROTOCOLS: Registry[Server] = Registry("protocol", context=("wire", "session"), group="protocols")
PROTOCOLS.lazy("gtp", "zeroply.engine.gtp:GtpServer")
PROTOCOLS.lazy("nboard", "zeroply.engine.nboard:NboardServer")
PROTOCOLS.lazy("gomocup", "zeroply.engine.gomocup:GomocupServer")
PROTOCOLS.lazy("cassio", "zeroply.engine.cassio:CassioServer")


def server(protocol: str, wire: Wire, session: GameSession) -> Server:
    """The server of a protocol."""
    return PROTOCOLS.build(protocol, wire=wire, session=session)


def default_game(protocol: str) -> str:
    """The game of a protocol if none is named."""
    return str(getattr(PROTOCOLS.entry(protocol).builder, "game", "othello"))
