"""`zeroply engine`: a player behind a protocol, for graphical boards and tournament managers."""

from __future__ import annotations

import sys
from typing import Literal

from zeroply.cli.arguments import Threads
from zeroply.cli.output import set_threads


def engine(
    player: str,
    protocol: Literal["gtp", "nboard", "gomocup", "cassio"] = "gtp",
    game: str | None = None,
    seconds: float | None = None,
    seed: int = 0,
    threads: Threads = None,
) -> None:
    """Run a player as an engine for other programs, on standard input and output.

    Example: zeroply engine --protocol gtp --player "net(othello-swh)"

    Args:
        player: Spec of the player.
        protocol: gtp (all games), nboard or cassio (Othello), or gomocup (Gomoku).
        game: Spec of the game; by default Othello, or Gomoku for gomocup.
        seconds: Time limit per move of search players, even if the protocol sets none.
        seed: Random seed of the player.
    """
    set_threads(threads)
    from zeroply.engine import GAMES_OF, GameSession, Wire, server

    session = GameSession(player, game or GAMES_OF[protocol], seconds=seconds, seed=seed)
    unbuffered = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)
    try:
        server(protocol, Wire(unbuffered, sys.stdout.buffer), session).serve()
    finally:
        session.close()
