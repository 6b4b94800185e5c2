"""zeroply as an engine: any player behind a protocol of the field, on standard input and output.

A new protocol is a file here with a class that reads lines and writes answers, and a line below.
"""

from __future__ import annotations

from pkgutil import resolve_name
from typing import Protocol

from zeroply.engine.session import GameSession
from zeroply.engine.wire import Wire
from zeroply.errors import ZeroplyError

__all__ = ["GAMES_OF", "PROTOCOLS", "GameSession", "Server", "Wire", "server"]

PROTOCOLS = {
    "gtp": "zeroply.engine.gtp:GtpServer",
    "nboard": "zeroply.engine.nboard:NboardServer",
    "gomocup": "zeroply.engine.gomocup:GomocupServer",
    "cassio": "zeroply.engine.cassio:CassioServer",
}
"""The server of each protocol."""
GAMES_OF = {"gtp": "othello", "nboard": "othello", "gomocup": "gomoku", "cassio": "othello"}
"""The default game of each protocol."""


class Server(Protocol):
    """The engine's side of a protocol."""

    def serve(self) -> None:
        """Serve until the controller quits or closes the input."""


def server(protocol: str, wire: Wire, session: GameSession) -> Server:
    """The server of a protocol."""
    if protocol not in PROTOCOLS:
        raise ZeroplyError(f"unknown protocol '{protocol}': protocols are {', '.join(PROTOCOLS)}")
    made: Server = resolve_name(PROTOCOLS[protocol])(wire, session)
    return made
