"""`zeroply engine`: a player behind a protocol, for graphical boards and tournament managers."""

from __future__ import annotations

import sys

from zeroply.cli.arguments import Threads
from zeroply.cli.output import set_threads


def engine(
    player: str,
    protocol: str = "gtp",
    game: str | None = None,
    seconds: float | None = None,
    seed: int = 0,
    threads: Threads = None,
) -> None:
    """Run a player as an engine for other programs, on standard input and output.

    Example: zeroply engine --protocol gtp --player "net(othello-swh)"

    Args:
        player: Spec of the player.
        protocol: gtp (all games), nboard or cassio (Othello), gomocup (Gomoku), or one of an imported module.
        game: Spec of the game; by default Othello, or Gomoku for gomocup.
        seconds: Time limit per move of search players, even if the protocol sets none.
        seed: Random seed of the player.
    """
    set_threads(threads)
    from zeroply.engine import GameSession, Wire, default_game, server

    session = GameSession(player, game or default_game(protocol), seconds=seconds, seed=seed)
    unbuffered = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)
    try:
        server(protocol, Wire(unbuffered, sys.stdout.buffer), session).serve()
    finally:
        session.close()
