"""What a match and a league share: pairs of games between players, as an experiment.

Every pair of games is an event in the log of the run, with its opening, so that the log is the whole state: a resumed
run continues after the last pair of the log, and the result of a finished run is read from it. All pairings use the
same openings.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import Any, ClassVar, TypeAlias, TypeVar, get_args

import numpy as np

from zeroply.arena.adjudication import Adjudged, Adjudication
from zeroply.arena.async_games import NO_ADJUDICATION, Forfeited
from zeroply.arena.openings import Opening, Openings, OpeningSpec, Order, read_opening, setting, setups
from zeroply.arena.pairs import LostGame, Pairs
from zeroply.arena.programs import Programs
from zeroply.arena.setup import BATCH, NO_SETTINGS, GameSetup, PlayerLike
from zeroply.arena.statistics import Sprt
from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.games import game as make_game
from zeroply.players import Fault, shown_name
from zeroply.runs import Array, Chart, Experiment, Json, RunRecord, TextTable
from zeroply.runs.files import utc_now
from zeroply.specs import Spec, parse

Pairing: TypeAlias = tuple[int, int]
"""Two players by their places in the list."""
FORFEITS_SHOWN = 10
"""Forfeits that are printed; JSON has them all."""
_NAMES = re.compile("[A-Za-z][0-9]+")  # of the cells in a transcript


@dataclass(frozen=True, kw_only=True)
class PlayConfig(ABC):
    """Settings that decide which games are played."""

    game: str = "othello"
    """Spec of the game."""
    games: int | None = None
    """Games per pairing, even; by default 100, or two for each opening of a file or list."""
    openings: str = "none"  # or a list of them, in Python
    """none, random(plies=4), even(plies=6), xot, a file of openings, or file("games.wtb", plies=8); deterministic
    players need them."""
    order: Order = "sequential"
    """Order of the openings of a file."""
    seed: int = 0
    """Random seed."""
    programs: Programs = NO_SETTINGS
    """For players that are programs, unless their specs say otherwise."""
    adjudicate: Adjudication = NO_ADJUDICATION
    """When games are stopped and decided."""

    @property
    @abstractmethod
    def specs(self) -> tuple[str, ...]:
        """Specs of the players."""

    def names(self) -> tuple[str, ...]:
        """The players as results show them, also if the players no longer exist."""
        return tuple(shown_name(parse(name)) for name in self.specs)


@contextmanager
def prepared(
    players: Sequence[PlayerLike], game: str | Spec | Game, openings: OpeningSpec, batch: int, given: dict[str, Any]
) -> Iterator[tuple[GameSetup, dict[str, Any]]]:
    """The setup of a match or league in Python, and the fields of its `PlayConfig`; `given` are the plain ones."""
    if given["order"] not in get_args(Order):
        raise ZeroplyError(f"order must be sequential or random, not {given['order']!r}")
    with GameSetup.prepare(
        game,
        players,
        openings,
        given["games"],
        given["seed"],
        batch,
        order=given["order"],
        programs=given["programs"],
        adjudication=given["adjudicate"],
    ) as setup:
        games = None if given["games"] is None else int(given["games"])
        plain = {**given, "games": games, "seed": int(given["seed"])}
        yield setup, {"game": str(setup.game), "openings": setting(openings), **plain}


C = TypeVar("C", bound=PlayConfig)
R = TypeVar("R")


class PairedGames(Experiment[C, R]):
    """Games of pairings of players."""

    unit = "games"
    needs_folder = False
    checkpoint_seconds = 1.0  # the log is the state: a checkpoint costs next to nothing
    options = frozenset({"batch"})
    saves_games = True
    charts: ClassVar[tuple[Chart, ...]] = (
        Chart("mean score of the first player", "pair", "pair", {"score": "mean"}, "pairs of games"),
    )

    def __init__(self, config: C, *, batch: int = BATCH, setup: GameSetup | None = None) -> None:
        super().__init__(config)
        self.batch = batch
        self._setup = setup
        self.played: dict[Pairing, list[Pairs]] = {}

    @property
    def setup(self) -> GameSetup:
        """Players and openings, within `resources`."""
        assert self._setup is not None
        return self._setup

    @abstractmethod
    def keys(self) -> dict[Pairing, int]:
        """The pairings and their chance keys, in the order they are played in."""

    @property
    def sprt(self) -> Sprt | None:
        """The sequential test that ends a pairing."""
        return None

    @contextmanager
    def resources(self) -> Iterator[None]:
        """Players and openings, unless they were given."""
        if self._setup is not None:
            yield
            return
        config = self.config
        with GameSetup.prepare(
            config.game,
            config.specs,
            config.openings,
            config.games,
            config.seed,
            self.batch,
            order=config.order,
            programs=config.programs,
            adjudication=config.adjudicate,
        ) as it:
            self._setup = it
            yield

    def inputs(self) -> dict[str, str]:
        return self.setup.fingerprints()

    def check_recordable(self) -> None:
        """A recorded match or league needs players that can be made again."""
        if self.setup.unnamed:
            raise ZeroplyError(
                f"player {self.setup.unnamed[0].spec} was made in Python and cannot be made again to resume a "
                f"{self.kind}: name it by its spec, or leave out run"
            )

    def start(self) -> None:
        self._keys = self.keys()
        self.played = {pairing: [] for pairing in self._keys}
        self._games = 0
        self._left = list(self._keys)

    def restore(self, arrays: Mapping[str, Array], state: Json) -> None:
        self.start()
        for pairing, block in _logged(self.recording, self.setup.game):
            self.played[pairing].append(block)
            self._games += 2 * len(block)
        self._left = [pairing for pairing, blocks in self.played.items() if not self._is_over(blocks)]

    def step(self) -> None:
        """One block of games of the first pairing that is not over; a decided test cuts it short."""
        pairing = self._left[0]
        blocks = self.played[pairing]
        small = self.run is not None or self.sprt is not None
        block = self.setup.play(*pairing, self._keys[pairing], sum(map(len, blocks)), small)
        blocks.append(block)
        if decided := self._decided(blocks, block.first):
            blocks[-1] = block[: decided - block.first]
        self._games += 2 * len(blocks[-1])
        self._log(pairing, blocks)
        if decided or sum(map(len, blocks)) >= self.setup.pairs:
            self._left.pop(0)

    @property
    def done(self) -> int:
        return self._games

    @property
    def total(self) -> int:
        """Games, if no test ends them early."""
        return 2 * self.setup.pairs * len(self._keys)

    @property
    def complete(self) -> bool:
        return not self._left

    def state(self) -> Json:
        return {"games": self._games}

    def joined(self) -> dict[Pairing, Pairs]:
        """The games played, by pairing."""
        return {pairing: Pairs.join(blocks) for pairing, blocks in self.played.items()}

    @classmethod
    def set_up_boards(cls, record: RunRecord) -> Iterable[str]:
        if record.finished:
            return logged_games(record)[0].setups()
        config = record.config(cls.config_type)
        shuffled = config.order == "random"
        return setups(config.openings, make_game(config.game), None if shuffled else config.games)

    def _is_over(self, blocks: Sequence[Pairs]) -> bool:
        return bool(self._decided(blocks)) or sum(map(len, blocks)) >= self.setup.pairs

    @property
    def date(self) -> str:
        """The day on which the games were begun, in UTC."""
        return (utc_now() if self.run is None else self.run.info.created)[:10]

    def _decided(self, blocks: Sequence[Pairs], undecided: int = 0) -> int:
        """The number of pairs after which the test is decided; 0 if it is not, which is known of the first ones."""
        if self.sprt is None or not blocks:
            return 0
        scores = np.concatenate([block.scores.sum(axis=1) for block in blocks])
        result = self.sprt.decide(scores, undecided)
        return result.pairs if result.verdict else 0

    def _log(self, pairing: Pairing, blocks: Sequence[Pairs]) -> None:
        """Log the pairs of the last block, each with the mean score so far."""
        if self.run is None:
            return
        game, block = self.setup.game, blocks[-1]
        means = np.concatenate([one.scores.mean(axis=1) for one in blocks])
        means = means.cumsum() / np.arange(1, len(means) + 1)
        for k, scores in enumerate(block.scores.tolist()):
            pair = block.first + k
            numbers = (2 * pair, 2 * pair + 1)
            lost = {str(n): vars(block.forfeits[n]) for n in numbers if n in block.forfeits}
            adjudged = {str(n): vars(block.adjudged[n]) for n in numbers if n in block.adjudged}
            if times := {str(n): list(block.seconds[n]) for n in numbers if n in block.seconds}:
                self.run.log("times", players=list(pairing), pair=pair, seconds=times)
            self.run.log(
                "pair",
                players=list(pairing),
                pair=pair,
                scores=scores,
                mean=round(float(means[pair]), 4),
                opening=self.setup.openings[pair].text(game),
                games=[game.notation.transcript(list(block.game(2 * k + side))) for side in (0, 1)],
                **({"forfeits": lost} if lost else {}),
                **({"adjudged": adjudged} if adjudged else {}),
            )


def logged_games(record: RunRecord) -> tuple[Openings, dict[Pairing, Pairs]]:
    """The openings and games in the log of a run."""
    game = make_game(record.info.config["game"])
    texts = {event["pair"]: event["opening"] for event in record.events("pair")}
    read = {text: read_opening(text, game) for text in set(texts.values())}
    blocks: dict[Pairing, list[Pairs]] = {}
    for pairing, block in _logged(record, game):
        blocks.setdefault(pairing, []).append(block)
    openings = Openings(game, [read[texts[pair]] for pair in sorted(texts)])
    return openings, {pairing: Pairs.join(blocks[pairing]) for pairing in sorted(blocks)}


def _logged(record: RunRecord, game: Game) -> Iterator[tuple[Pairing, Pairs]]:
    """The pairs of games in the log; neighbours of one pairing together."""
    timed: dict[Pairing, dict[int, tuple[float | None, ...]]] = {}
    for event in record.events("times"):
        times = timed.setdefault((event["players"][0], event["players"][1]), {})
        times |= {int(number): tuple(seconds) for number, seconds in event["seconds"].items()}
    cell_of = {game.notation.name(cell): cell for cell in range(game.cells)}
    for (i, j), together in groupby(record.events("pair"), key=lambda event: tuple(event["players"])):
        pairs = list(together)
        rows = [[cell_of[name] for name in _NAMES.findall(text)] for pair in pairs for text in pair["games"]]
        moves = np.full((len(rows), max(map(len, rows))), -1, np.int16)
        for row, cells in zip(moves, rows, strict=True):
            row[: len(cells)] = cells
        forfeits = {int(n): Forfeited(**lost) for pair in pairs for n, lost in pair.get("forfeits", {}).items()}
        adjudged = {int(n): Adjudged(**one) for pair in pairs for n, one in pair.get("adjudged", {}).items()}
        numbers = range(2 * pairs[0]["pair"], 2 * pairs[-1]["pair"] + 2)
        seconds = {n: one for n, one in timed.get((i, j), {}).items() if n in numbers}
        scores = np.array([pair["scores"] for pair in pairs])
        yield (i, j), Pairs(pairs[0]["pair"], scores, moves, forfeits, adjudged, seconds)


def variety_hint(openings: Openings) -> str:
    """How to get games that differ more."""
    return f"give {'--openings' if openings[0] == Opening() else 'more openings'} for more variety"


FAULTS: dict[Fault, str] = {
    "time": "on time",
    "crash": "crashes",
    "illegal": "illegal moves",
    "resign": "resigned",
    "protocol": "other faults",
}
"""The columns of the table of forfeits."""


def forfeit_table(forfeits: Sequence[LostGame]) -> list[str | TextTable]:
    """How many games each player has forfeited, by the kind of fault; nothing if none was forfeited."""
    players = list(dict.fromkeys(lost.player for lost in forfeits))
    rows = [
        (one, *(str(sum(lost.player == one and lost.fault == fault for lost in forfeits)) for fault in FAULTS))
        for one in players
    ]
    return ["", TextTable(("lost by forfeit", *FAULTS.values()), rows)] if rows else []


def forfeit_lines(forfeits: Sequence[object]) -> list[str]:
    """The forfeited games as text, if there are any."""
    if not forfeits:
        return []
    lines = [f"\n  forfeits {len(forfeits)}", *(f"    {lost}" for lost in forfeits[:FORFEITS_SHOWN])]
    more = len(forfeits) - FORFEITS_SHOWN
    return [*lines, f"    ... and {more} more, see --json"] if more > 0 else lines
