"""What the application holds while it runs: runs, study reports, players and threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

from fastapi import Depends, Request

from zeroply.games import Game
from zeroply.players import Player
from zeroply.web.server import positions
from zeroply.web.server.player_pool import PlayerPool
from zeroply.web.server.positions import ReplayedGame
from zeroply.web.server.runs import RunIndex
from zeroply.web.server.schemas import PositionRequest
from zeroply.web.server.studies import StudyReports
from zeroply.web.server.thread_pool import BoundedThreadPool

T = TypeVar("T")


class AppState:
    """Everything the server holds."""

    def __init__(self, runs: Path | None, results: Sequence[Path], given: Sequence[str] = ()) -> None:
        self.runs = RunIndex(runs)
        self.reports = StudyReports(results)
        self.players = PlayerPool(self.runs, given)
        self.quick = BoundedThreadPool(threads=2, waiting=400, each=200)
        self.slow = BoundedThreadPool(threads=2, waiting=60, each=40, nice=True)
        self.texts = BoundedThreadPool(threads=1, waiting=60, each=40, nice=True)

    async def replay(self, where: PositionRequest) -> ReplayedGame:
        """The game of a request; a long one that is not in the cache is replayed beside the event loop."""
        if positions.is_short(where):
            return positions.replay(where)
        return await self.quick.run(lambda: positions.replay(where))

    async def ask(self, name: str, game: Game, question: Callable[[Player], T]) -> T:
        """Call `question` with a player, in a quick thread if the player is known to answer at once."""
        threads = self.quick if self.players.is_quick(name, game) else self.slow
        return await threads.run(lambda: self.players.ask(name, game, question))

    def close(self) -> None:
        """Stop all threads and players."""
        for threads in (self.quick, self.slow, self.texts):
            threads.close()
        self.players.close()


async def state_of(request: Request) -> AppState:
    """The state of the application that received a request."""
    state: AppState = request.app.state.zeroply
    return state


CurrentState = Annotated[AppState, Depends(state_of)]
"""A parameter of routes: the state of the application."""
