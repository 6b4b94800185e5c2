"""Learning values by temporal differences, as an experiment; `zeroply.learning.td_nets`, which needs torch, learns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from tyro.conf import Positional

from zeroply import _core, chance
from zeroply.arena.fingerprints import fingerprints
from zeroply.errors import ZeroplyError
from zeroply.games import game
from zeroply.learning.imitation.trained_net import NET, TrainedNet
from zeroply.nets import save, untrained
from zeroply.runs import Array, Chart, Json, TextTable, python_call

LAST_RATE = 0.05
"""The final learning rate as a share of the initial one."""


@dataclass(frozen=True, kw_only=True)
class TdConfig:
    """Settings that decide what is learned."""

    net: Positional[str]
    """Architecture with output=value or output=actions."""
    game: str = "othello"
    """Spec of the game."""
    games: int = 20_000
    """Games of self-play."""
    together: int = 200
    """Games played with the same weights before an update."""
    epsilon: float = 0.1
    """Share of random moves."""
    trace: float = 0.7
    """The lambda of TD(lambda): 0, which is TD(0), learns from the next position only, 1 from the result only."""
    plies: int = 6
    """Random moves at the start of each game, at most; each game draws its own number."""
    rate: float = 2e-3
    """Initial learning rate; it falls linearly to a twentieth."""
    decay: float = 1e-4
    """Weight decay."""
    batch: int = 512
    """Positions per step."""
    opponent: str = "random"
    """Spec of the opponent in measurements."""
    measure_games: int = 200
    """Games per measurement, even."""
    measures: int = 10
    """Number of measurements, evenly spread."""
    threads: int = 0
    """Number of threads, fixed for the run; 0 for all."""
    seed: int = 0
    """Random seed."""

    def __post_init__(self) -> None:
        if self.games < 1 or not 1 <= self.together <= 100_000 or self.batch < 2 or self.measures < 1:
            raise ZeroplyError("learning needs 1 game, 1 to 100000 games together, batches of 2 and 1 measure, or more")
        if not (0 <= self.epsilon <= 1 and 0 <= self.trace <= 1) or not 0 <= self.plies <= 40:
            raise ZeroplyError("epsilon and trace must be from 0 to 1, plies from 0 to 40")
        if not 0 <= self.threads <= 1024:
            raise ZeroplyError(f"threads must be from 1 to 1024, not {self.threads}")
        if not 0 < self.rate <= 1 or not 0 <= self.decay <= 1:
            raise ZeroplyError("the rate must be above 0 and at most 1, decay from 0 to 1")


class TdTraining(TrainedNet[TdConfig]):
    """Learn the values of positions or moves from self-play; writes net.safetensors into the folder.

    Example: zeroply train-td "conv4(width=0.25, output=value)" --games 20000 --run runs/td --seed 1
    """

    kind = "train-td"
    config_type = TdConfig
    unit = "games"
    net_files = (NET,)
    charts = (
        Chart("score", "measure", "games", {"score": "score"}),
        Chart("error", "measure", "games", {"error": "error"}),
    )

    @contextmanager
    def resources(self) -> Iterator[None]:
        from zeroply.nets.torch_net import needs_torch

        with needs_torch():
            from zeroply.learning import td_nets
        self._td = td_nets
        self.config = replace(self.config, threads=self.config.threads or _core.threads())
        if untrained(self.config.net, game(self.config.game)).output == "moves":
            raise ZeroplyError(
                f"temporal differences teach values: use output=value or output=actions in {self.config.net}"
            )
        yield

    def inputs(self) -> dict[str, str]:
        return fingerprints([self.config.opponent], self.config.game, games=self.config.measure_games)

    def start(self) -> None:
        self._games = 0
        self._learner = self._td.Learner(self.config, chance.key(self.config.seed, self.kind))

    def restore(self, arrays: Mapping[str, Array], state: Json) -> None:
        self.start()
        self._games = state["done"]
        self._learner.restore(arrays)

    def step(self) -> None:
        config, before = self.config, self._games
        games = min(config.together, config.games - before)
        rate = config.rate * (1 - (1 - LAST_RATE) * before / config.games)
        keys = chance.keys(chance.key(config.seed, self.kind, "games"), np.arange(before, before + games))
        error = self._learner.learn(keys, rate, chance.key(config.seed, self.kind, "steps", before))
        self._games += games
        if self._games * config.measures // config.games > before * config.measures // config.games:
            score = self._learner.measure(chance.key(config.seed, "measure"))
            self.log("measure", games=self._games, score=score, error=error)

    @property
    def done(self) -> int:
        return self._games

    @property
    def total(self) -> int:
        return self.config.games

    def state(self) -> Json:
        return {"done": self._games}

    def arrays(self) -> dict[str, Array]:
        return self._learner.arrays()

    def finish(self) -> None:
        origin = {
            "about": f"learned by temporal differences from {self.config.games:,} games of self-play",
            "recipe": asdict(self.config),
            "scores": self._scores(),
        }
        save(self._learner.trained(), self.recording.folder / NET, origin)

    def _scores(self) -> list[Json]:
        return [{name: event[name] for name in ("games", "score")} for event in self.recording.events("measure")]

    def figures_of_result(self) -> Json:
        scores = self._scores()
        return {"opponent": self.config.opponent, "score": scores[-1]["score"], "scores": scores}

    @classmethod
    def report(cls, result: Path) -> list[str | TextTable]:
        result_json = cls.to_json(result)
        return [f"score against {result_json['opponent']}: {result_json['score']:.3f}", f'play it as net("{result}")']


train_td = python_call(TdTraining)
