"""zeroply as an engine: any player behind a protocol of the field, on standard input and output.

A new protocol is a file here, with a class that is served lines and says its answers, and a line below.
"""

from __future__ import annotations

from pkgutil import resolve_name
from typing import Protocol

from zeroply.engine.seat import Seat
from zeroply.engine.wire import Wire
from zeroply.errors import ZeroplyError

__all__ = ["GAMES_OF", "PROTOCOLS", "Seat", "Server", "Wire", "server"]

PROTOCOLS = {
    "gtp": "zeroply.engine.gtp:GtpServer",
    "nboard": "zeroply.engine.nboard:NboardServer",
    "gomocup": "zeroply.engine.gomocup:GomocupServer",
}
"""Where the server of each protocol is."""
GAMES_OF = {"gtp": "othello", "nboard": "othello", "gomocup": "gomoku"}
"""The game each protocol is spoken about unless another one is given."""


class Server(Protocol):
    """The engine's side of a protocol."""

    def serve(self) -> None:
        """Obey until the other side says good-bye or is gone."""


def server(protocol: str, wire: Wire, seat: Seat) -> Server:
    """The server of a protocol."""
    if protocol not in PROTOCOLS:
        raise ZeroplyError(f"unknown protocol '{protocol}': there are {', '.join(PROTOCOLS)}")
    made: Server = resolve_name(PROTOCOLS[protocol])(wire, seat)
    return made
