"""The ladder: how much look-ahead a fixed strategy needs to stop a player (Lin and White 2009, section II-D).

The player has Black, the strategy White. The strategy begins at ply-depth 0, where it evaluates each child as a net
does, and is given two plies more each time the player wins; a draw or a loss ends the climb. Equal moves go to the
lowest square on both sides, so a ladder is the same every time; all players climb together, a rung at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from zeroply.arena.play import Played, play
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.games import game as make_game
from zeroply.players import Choice, FollowingPlayer, Player, player
from zeroply.progress import Progress, no_progress
from zeroply.records import GameRecord
from zeroply.search import EVALUATIONS
from zeroply.search.evaluation import MAX_DEPTH
from zeroply.specs import Spec, parse

HIGHEST = 6
"""The default for the highest ply-depth; two more plies take about ten times as long."""
IAGNO_HIGHEST = 4
"""The ply-depth of the last of iagno's levels."""

_DEPTH: dict[str, Callable[[int], tuple[str, int]]] = {
    "alphabeta": lambda ply_depth: ("depth", ply_depth + 1),
    "engine": lambda ply_depth: ("depth", ply_depth + 1),
    "nboard": lambda ply_depth: ("depth", ply_depth + 1),
    "edax": lambda ply_depth: ("level", ply_depth + 1),
    "iagno": lambda ply_depth: ("level", ply_depth // 2 + 1),
}
"""The players that can be strategies, and the option of their specs that sets a ply-depth."""


@dataclass(frozen=True)
class LadderGame:
    """One game of a ladder."""

    player: int
    """Which of the players had Black, from 0."""
    ply_depth: int
    """The rung: the ply-depth of the strategy, one less than its search depth."""
    winner: int
    """1 if the player won, -1 if the strategy did, 0 if drawn."""
    stones: tuple[int, int]
    """Black's and White's stones on the last board."""
    moves: tuple[int, ...]
    """The cells played."""
    forfeit: str = ""
    """Why it was lost, if not by moves."""


@dataclass(frozen=True)
class LadderResult:
    """How high each player climbed."""

    game: Game
    """The game played."""
    strategy: str
    """The spec of the strategy, without its depth."""
    players: tuple[str, ...]
    """The specs of the players."""
    ply_depths: tuple[int, ...]
    """The rungs of the ladder."""
    games: tuple[LadderGame, ...] = field(repr=False)
    """All games, rung by rung."""

    @property
    def beaten(self) -> tuple[int | None, ...]:
        """For every player the highest ply-depth it beat; None if it did not beat the lowest."""
        highest: list[int | None] = [None] * len(self.players)
        for one in self.games:
            if one.winner > 0:
                highest[one.player] = one.ply_depth
        return tuple(highest)

    @property
    def counts(self) -> dict[int, int]:
        """How many players beat the strategy at each ply-depth."""
        return {depth: sum(g.ply_depth == depth and g.winner > 0 for g in self.games) for depth in self.ply_depths}

    def games_of(self, number: int) -> list[LadderGame]:
        """The games of one player, lowest rung first."""
        return [one for one in self.games if one.player == number]

    def records(self) -> list[GameRecord]:
        """Every game, to be saved by `zeroply.records.save`."""
        strategy = parse(self.strategy)
        return [
            GameRecord(
                self.game,
                one.moves,
                black=self.players[one.player],
                white=str(_rung(strategy, one.ply_depth)),
                forfeit=-one.winner if one.forfeit else 0,
            )
            for one in self.games
        ]


def ladder(
    players: str | Spec | Player | Sequence[str | Spec | Player],
    strategy: str | Spec = "positional",
    *,
    game: str | Spec | Game = "othello",
    highest: int | None = None,
    progress: Progress = no_progress,
) -> LadderResult:
    """Let one player or many climb against a strategy: an evaluation, or a player that takes a depth.

    By default the highest ply-depth is 6, for iagno 4. Foreign programs break ties in their own way.
    """
    rules = make_game(game)
    spec = parse(strategy)
    rungs = _rungs(spec, highest)
    climbing = [players] if isinstance(players, str | Spec | Player) else players
    if not climbing:
        raise ZeroplyError("a ladder needs one player or more")
    with ExitStack() as made:

        def seat(one: str | Spec | Player) -> Player:
            built = player(one, rules)
            return _lowest(built if built is one else made.enter_context(built))

        observers = {depth: seat(_rung(spec, depth)) for depth in rungs}
        climbers = [seat(one) for one in climbing]
        games = _climb(climbers, observers, progress)
        return LadderResult(rules, str(spec), tuple(map(str, climbers)), rungs, tuple(games))


def _climb(climbers: Sequence[Player], observers: Mapping[int, Player], progress: Progress) -> list[LadderGame]:
    """The games of all players, rung by rung, until nobody wins."""
    games: list[LadderGame] = []
    climbing = list(range(len(climbers)))
    for number, (depth, observer) in enumerate(observers.items(), 1):
        rung = _play_rung(climbers, climbing, observer, depth)
        games += rung
        climbing = [one.player for one in rung if one.winner > 0]
        progress(number, len(observers))
        if not climbing:
            break
    return games


class _Lowest(Player):
    """A player that breaks ties by the lowest cell."""

    choice = Choice(ties="lowest")

    def __init__(self, inner: Player) -> None:
        super().__init__(inner.game)
        self.inner = inner
        self.spec = inner.spec

    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        return self.inner.prefer(positions)


def _lowest(climber: Player) -> Player:
    if climber.choice.temperature > 0:
        raise ZeroplyError(f"on a ladder the best move is played: leave temperature out of {climber}")
    return climber if isinstance(climber, FollowingPlayer) else _Lowest(climber)


def _play_rung(climbers: Sequence[Player], climbing: Sequence[int], observer: Player, depth: int) -> list[LadderGame]:
    """One game of every player that is still climbing, in lockstep."""
    seated = [climbers[number] for number in climbing]
    n = len(seated)
    seats = np.stack([np.arange(n, dtype=np.int64), np.full(n, n, np.int64)], axis=1)
    played = play([*seated, observer], seats, observer.game.start(n), np.zeros(n, np.uint64))
    return [_game(played, row, number, depth) for row, number in enumerate(climbing)]


def _game(played: Played, row: int, number: int, depth: int) -> LadderGame:
    board = played.final[row].stones()[0]
    moves = played.moves[row]
    forfeited = played.forfeits.get(row)
    return LadderGame(
        number,
        depth,
        int(played.winner[row]),
        (int((board > 0).sum()), int((board < 0).sum())),
        tuple(moves[moves >= 0].tolist()),
        forfeited.reason if forfeited else "",
    )


def rung_players(strategy: str | Spec, game: Game, highest: int | None = None) -> dict[int, Player]:
    """The players of a strategy by ply-depth."""
    spec = parse(strategy)
    return {depth: player(_rung(spec, depth), game) for depth in _rungs(spec, highest)}


def highest_of(strategy: str | Spec, wanted: int) -> int:
    """The highest ply-depth of a strategy, at most `wanted`; iagno has fewer than others."""
    return min(wanted, IAGNO_HIGHEST) if parse(strategy).name == "iagno" else wanted


def _rungs(strategy: Spec, highest: int | None) -> tuple[int, ...]:
    """The ply-depths of a ladder."""
    top = highest if highest is not None else highest_of(strategy, HIGHEST)
    if not 0 <= top < MAX_DEPTH or top % 2:
        raise ZeroplyError(
            f"the highest ply-depth of a ladder is 0, 2, 4 or another even number below {MAX_DEPTH}, not {top}"
        )
    if (limit := highest_of(strategy, top)) < top:
        raise ZeroplyError(f"iagno has the ply-depths 0 to {limit} only, not {top}")
    return tuple(range(0, top + 1, 2))


def _rung(strategy: Spec, ply_depth: int) -> Spec:
    """The player of a strategy at a ply-depth."""
    if strategy.name in _DEPTH:
        key, value = _DEPTH[strategy.name](ply_depth)
        for own in (key, "ties", "temperature"):
            if own in strategy.kwargs:
                raise ZeroplyError(f"a ladder sets {own} itself: leave it out of {strategy}")
        return Spec(strategy.name, *strategy.args, **{**strategy.kwargs, key: value, "ties": Spec("lowest")})
    if strategy.name in EVALUATIONS:
        return Spec("alphabeta", depth=ply_depth + 1, eval=strategy, ties=Spec("lowest"))
    raise ZeroplyError(
        f"'{strategy.name[:40]}' is not a strategy for a ladder: give an evaluation ({', '.join(EVALUATIONS)}) "
        f"or a player that takes a depth ({', '.join(_DEPTH)})"
    )
