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
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np

from zeroply.arena.async_games import Forfeited
from zeroply.arena.openings import Opening, Openings, OpeningSpec, read_opening, setting, setups
from zeroply.arena.pairs import Pairs
from zeroply.arena.setup import BATCH, GameSetup
from zeroply.arena.statistics import Sprt
from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.games import game as make_game
from zeroply.runs import Array, Chart, Experiment, Json, RunRecord
from zeroply.specs import parse

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
    """none, random(plies=4), a file of openings, or file("games.wtb", plies=8); deterministic players need them."""
    seed: int = 0
    """Random seed."""

    @property
    @abstractmethod
    def specs(self) -> tuple[str, ...]:
        """Specs of the players."""

    def names(self) -> tuple[str, ...]:
        """The specs of the players as results show them, also if the players no longer exist."""
        return tuple(str(parse(name)) for name in self.specs)


def settings(setup: GameSetup, games: int | None, openings: OpeningSpec, seed: int) -> dict[str, Any]:
    """The fields of `PlayConfig` for a setup."""
    return {
        "game": str(setup.game),
        "games": None if games is None else int(games),
        "openings": setting(openings),
        "seed": int(seed),
    }


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
        with GameSetup.prepare(config.game, config.specs, config.openings, config.games, config.seed, self.batch) as it:
            self._setup = it
            yield

    def inputs(self) -> dict[str, str]:
        return self.setup.fingerprints()

    def check_recordable(self) -> None:
        """A recorded match or league needs players that can be made again."""
        if self.setup.unnamed:
            raise ZeroplyError(
                f"player {self.setup.unnamed[0]} was made in Python and cannot be made again to resume a {self.kind}: "
                "name it by its spec, or leave out run"
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
        if decided := self._decided(blocks):
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
        """Games if no test ends them early."""
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
        return setups(config.openings, make_game(config.game), config.games)

    def _is_over(self, blocks: Sequence[Pairs]) -> bool:
        return bool(self._decided(blocks)) or sum(map(len, blocks)) >= self.setup.pairs

    def _decided(self, blocks: Sequence[Pairs]) -> int:
        """The number of pairs after which the test is decided; 0 if it is not."""
        if self.sprt is None or not blocks:
            return 0
        result = self.sprt.decide(np.concatenate([block.scores.sum(axis=1) for block in blocks]))
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
            lost = {str(n): vars(block.forfeits[n]) for n in (2 * pair, 2 * pair + 1) if n in block.forfeits}
            self.run.log(
                "pair",
                players=list(pairing),
                pair=pair,
                scores=scores,
                mean=round(float(means[pair]), 4),
                opening=self.setup.openings[pair].text(game),
                games=[game.notation.transcript(list(block.game(2 * k + side))) for side in (0, 1)],
                **({"forfeits": lost} if lost else {}),
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
    cell_of = {game.notation.name(cell): cell for cell in range(game.cells)}
    for (i, j), together in groupby(record.events("pair"), key=lambda event: tuple(event["players"])):
        pairs = list(together)
        rows = [[cell_of[name] for name in _NAMES.findall(text)] for pair in pairs for text in pair["games"]]
        moves = np.full((len(rows), max(map(len, rows))), -1, np.int16)
        for row, cells in zip(moves, rows, strict=True):
            row[: len(cells)] = cells
        forfeits = {int(n): Forfeited(**lost) for pair in pairs for n, lost in pair.get("forfeits", {}).items()}
        yield (i, j), Pairs(pairs[0]["pair"], np.array([pair["scores"] for pair in pairs]), moves, forfeits)


def variety_hint(openings: Openings) -> str:
    """How to get games that differ more."""
    return f"give {'--openings' if openings[0] == Opening() else 'more openings'} for more variety"


def forfeit_lines(forfeits: Sequence[object]) -> list[str]:
    """The forfeited games as text, if there are any."""
    if not forfeits:
        return []
    lines = [f"\n  forfeits {len(forfeits)}", *(f"    {lost}" for lost in forfeits[:FORFEITS_SHOWN])]
    more = len(forfeits) - FORFEITS_SHOWN
    return [*lines, f"    ... and {more} more, see --json"] if more > 0 else lines
