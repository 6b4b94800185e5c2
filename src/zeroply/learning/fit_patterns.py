"""Fitting the tables of the pattern evaluation, from game results to exact endings, stage by stage.

First all tables are fitted to the results of games (expert games if given, else self-play). Then positions are taken
from self-play with some random moves, so that the evaluation also learns the cost of blunders. From the last stage of
the game to the first they are labelled, endings exactly and others by a search that reaches the tables just fitted, and
the stage is fitted to its labels (as Logistello's tables were fitted to deep search; Buro 1997).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from zeroply import _core, chance
from zeroply.errors import ZeroplyError
from zeroply.games import Positions, bits, from_bits, game
from zeroply.records.wthor import read_wtb
from zeroply.runs import Array, Chart, Experiment, Json, Run, RunRecord, TextTable, python_call
from zeroply.search import Evaluation, Limit
from zeroply.search.endings import solve
from zeroply.search.patterns import in_units, save_tables

FILE = "patterns.safetensors"
"""Name of the file of the tables in the folder of a run."""
STAGES = _core.PATTERN_STAGES
PLIES = 6  # of a stage
MOST = 10_000_000
"""The most positions of a stage, and games of a round."""
_BLOCK = 2048


@dataclass(frozen=True, kw_only=True)
class FitConfig:
    """Settings that decide the tables."""

    source: str | None = None
    """Folder of WTHOR files for the first fit; without it the results of self-play are used."""
    positions: int = 300_000
    """Labelled positions per stage and round."""
    games: int = 100_000
    """Games of self-play from which the positions of a round are drawn."""
    depth: int = 4
    """Depth of the search that labels positions before the exact endings."""
    exact: int = 12
    """Positions with at most this many empty squares are solved."""
    rounds: int = 2
    """Rounds of gathering, labelling and fitting; each round plays with the tables of the previous one."""
    epochs: int = 15
    """Passes over the data per fit."""
    rate: float = 0.004
    """Initial learning rate; it falls to a twentieth."""
    seed: int = 0
    """Random seed."""

    def __post_init__(self) -> None:
        if self.positions < 1000 or self.games < 100 or self.rounds < 0 or self.epochs < 1:
            raise ZeroplyError("fitting needs 1000 positions, 100 games, 0 rounds and 1 epoch at the least")
        if max(self.positions, self.games) > MOST:
            raise ZeroplyError(f"fitting needs {MOST:,} positions and {MOST:,} games at the most")
        if not 1 <= self.depth <= 10 or not 4 <= self.exact <= 20:
            raise ZeroplyError("fitting needs a depth from 1 to 10 and exact endings from 4 to 20 empty squares")


class PatternFit(Experiment[FitConfig, Path]):
    """Fit the tables of the pattern evaluation to game results, search and exact endings.

    Example: zeroply patterns fit --run runs/patterns --source data/wthor
    """

    kind = "patterns"
    config_type = FitConfig
    unit = "fits"
    game = "othello"
    charts = (Chart("error", "stage", "round", {"error": "error"}, split="stage"),)

    def check_recordable(self) -> None:
        """The files of expert games must exist when a run begins."""
        if self.config.source is not None:
            _expert_files(self.config.source)

    def start(self) -> None:
        self.tables = Tables.zero()
        self.players = self.tables  # the tables that play the games of a round
        self._fits, self._text = 0, ""
        self._sample: tuple[int, Sample] | None = None  # the positions of a round

    def restore(self, arrays: Mapping[str, Array], state: Json) -> None:
        self.start()
        self.tables = Tables(arrays["weights"].copy(), arrays["bias"].copy())
        self.players = Tables(arrays["player weights"].copy(), arrays["player bias"].copy())
        self._fits = state["fits"]

    def step(self) -> None:
        """The first fit, or one stage of a round, from the last stage to the first."""
        if self._fits == 0:
            self._first_fit()
        else:
            self._fit_stage(*divmod(self._fits - 1, STAGES))
        self._fits += 1

    def _first_fit(self) -> None:
        sample, targets = _first_data(self.config)
        errors = fit_to(self.tables, sample, targets, self.config, chance.key(self.config.seed, "first"))
        self.log("first fit", positions=len(targets), errors=errors.round(3).tolist())
        self._text = f"first fit, {len(targets):,} positions"

    def _fit_stage(self, number: int, place: int) -> None:
        config, stage = self.config, STAGES - 1 - place
        if place == 0:
            self.players = Tables(self.tables.weights.copy(), self.tables.bias.copy())
        if self._sample is None or self._sample[0] != number:
            self._sample = number, gather(self.players, config.games, chance.key(config.seed, "games", number))[0]
        sample = self._sample[1]
        rows = choose_rows(sample, stage, config.positions, chance.key(config.seed, "rows", number, stage))
        labels = label(sample[rows], self.tables, config)
        key = chance.key(config.seed, "fit", number, stage)
        error = round(float(fit_to(self.tables, sample[rows], labels, config, key)[stage]), 3)
        self.log("stage", round=number + 1, stage=stage, positions=len(rows), error=error)
        self._text = f"round {number + 1}, stage {stage}"

    @property
    def done(self) -> int:
        return self._fits

    @property
    def total(self) -> int:
        return 1 + STAGES * self.config.rounds

    @property
    def figures(self) -> str:
        return self._text

    def state(self) -> Json:
        return {"fits": self._fits}

    def arrays(self) -> dict[str, Array]:
        """The tables, and the tables that play the games of this round."""
        return {
            "weights": self.tables.weights,
            "bias": self.tables.bias,
            "player weights": self.players.weights,
            "player bias": self.players.bias,
        }

    def finish(self) -> None:
        data = "expert games (WTHOR) and self-play" if self.config.source else "self-play"
        origin = f"fitted to {data} by: zeroply patterns fit {_options(self.config)}"
        save_tables(self.recording.folder / FILE, self.tables.weights, self.tables.bias, origin)

    @classmethod
    def read(cls, record: RunRecord) -> Path:
        return record.folder / FILE

    def summary(self, result: Path) -> Json:
        return {"file": result.name}

    @classmethod
    def to_json(cls, result: Path) -> Json:
        names = ("round", "stage", "positions", "error")
        stages = [{name: event[name] for name in names} for event in Run.read(result.parent).events("stage")]
        return {"file": str(result), "stages": stages}

    @classmethod
    def report(cls, result: Path) -> list[str | TextTable]:
        return [f"the tables are in {result}"]


fit_patterns = python_call(PatternFit)


def _options(config: FitConfig) -> str:
    return " ".join(f"--{key} {value}" for key, value in vars(config).items() if value is not None and key != "source")


def _expert_files(source: str) -> list[Path]:
    files = sorted(path for path in Path(source).glob("*") if path.suffix.lower() == ".wtb")
    if not files:
        raise ZeroplyError(f"there are no WTHOR files (.wtb) in {source}")
    return files


def _first_data(config: FitConfig) -> tuple[Sample, NDArray[np.float32]]:
    """Positions with the results of their games: expert games if there are any, else self-play."""
    if config.source is None:
        return gather(None, config.games, chance.key(config.seed, "games"))
    samples, targets = [], []
    for path in _expert_files(config.source):
        replay = read_wtb(path).lockstep()
        plies = [(ply.games, Sample(*bits(ply.positions)), ply.positions.to_move()) for ply in replay]
        results = final_difference(replay.final)
        samples += [sample for _, sample, _ in plies]
        targets += [results[games] * side for games, _, side in plies]
    own = np.concatenate([sample.own for sample in samples])
    opponent = np.concatenate([sample.opponent for sample in samples])
    return Sample(own, opponent), np.concatenate(targets).astype(np.float32)


@dataclass
class Tables:
    """Weights in discs while they are being fitted."""

    weights: NDArray[np.float32]
    """[stages, weights of a stage]."""
    bias: NDArray[np.float32]
    """[61] by empty squares."""

    @classmethod
    def zero(cls) -> Tables:
        """All weights 0."""
        return cls(np.zeros((STAGES, _core.PATTERN_WEIGHTS), np.float32), np.zeros(61, np.float32))

    def core(self) -> _core.PatternTables:
        """The tables as the core uses them."""
        return _core.PatternTables(in_units(self.weights), in_units(self.bias))


@dataclass(frozen=True)
class Sample:
    """Positions as bit boards seen by the side to move."""

    own: NDArray[np.uint64]
    """[n]: its discs."""
    opponent: NDArray[np.uint64]
    """[n]: the other side's."""

    @property
    def empties(self) -> NDArray[np.int64]:
        """[n]: empty squares."""
        return np.asarray(64 - np.bitwise_count(self.own | self.opponent).astype(np.int64), np.int64)

    def __getitem__(self, which: NDArray[np.int64] | NDArray[np.bool_]) -> Sample:
        return Sample(self.own[which], self.opponent[which])

    def positions(self) -> Positions:
        """As a batch with Black to move."""
        return from_bits(game("othello"), self.own, self.opponent)


def final_difference(positions: Positions) -> NDArray[np.float32]:
    """[n]: Black's disc difference in finished games, empty squares to the winner."""
    stones = positions.stones().astype(np.int64)
    difference = stones.sum(axis=1)
    return np.asarray(difference + np.sign(difference) * (stones == 0).sum(axis=1), np.float32)


def gather(tables: Tables | None, games: int, key: int) -> tuple[Sample, NDArray[np.float32]]:
    """Positions of self-play with random openings and a share of random moves, and the result of their games.

    The player looks one ply ahead with `tables`, or counts discs if there are none.
    """
    rules = game("othello")
    evaluation = Evaluation(rules, _core.patterns(tables.core()) if tables else _core.pieces())
    keys = chance.keys(key, np.arange(games))
    random_plies = chance.below(31, keys, 1000)  # how many moves at the start are random
    share = 0.05 + 0.2 * chance.uniform(keys, 1001)  # of random moves after that
    positions = rules.start(games)
    live = np.arange(games)
    seen: list[tuple[NDArray[np.int64], Sample, NDArray[np.int8]]] = []
    results = np.zeros(games, np.float32)
    ply = 0
    while len(live):
        seen.append((live, Sample(*bits(positions)), positions.to_move()))
        moves = np.empty(len(live), np.int32)
        positions.batch.random_moves(keys[live], moves)
        thinks = (ply >= random_plies[live]) & (chance.uniform(keys[live], 2000 + ply) >= share[live])
        if thinks.any():
            moves[thinks] = np.argmax(evaluation.search(positions[thinks], Limit(depth=1)).preferences, axis=1)
        positions.play(moves)
        over = positions.over()
        results[live[over]] = final_difference(positions[over])
        positions, live, ply = positions[~over], live[~over], ply + 1
    own = np.concatenate([sample.own for _, sample, _ in seen])
    opponent = np.concatenate([sample.opponent for _, sample, _ in seen])
    targets = np.concatenate([results[rows] * side for rows, _, side in seen])
    return Sample(own, opponent), targets.astype(np.float32)


def label(sample: Sample, tables: Tables, config: FitConfig) -> NDArray[np.float32]:
    """[n]: the expected disc difference, exact near the end, by search before."""
    core = tables.core()
    evaluation = Evaluation(game("othello"), _core.patterns(core))
    labels = np.zeros(len(sample.own), np.float32)
    exact = sample.empties <= config.exact
    for low in range(0, len(labels), _BLOCK):
        block = np.arange(low, min(low + _BLOCK, len(labels)))
        solved, searched = block[exact[block]], block[~exact[block]]
        if len(solved):
            labels[solved] = solve(sample[solved].positions(), tables=core).scores
        if len(searched):
            labels[searched] = evaluation.search(sample[searched].positions(), Limit(depth=config.depth)).scores
    return labels


def fit_to(
    tables: Tables, sample: Sample, targets: NDArray[np.float32], config: FitConfig, key: int
) -> NDArray[np.float64]:
    """Fit the tables of the stages that occur in the sample; returns the root mean square error of each."""
    error = np.zeros(STAGES)
    _core.fit_patterns(
        np.ascontiguousarray(sample.own),
        np.ascontiguousarray(sample.opponent),
        np.ascontiguousarray(targets, np.float32),
        key,
        config.epochs,
        config.rate,
        0.0,
        tables.weights,
        tables.bias,
        error,
    )
    return error


def stage_of(empties: NDArray[np.int64]) -> NDArray[np.int64]:
    """The stage of positions by their empty squares."""
    return np.asarray(np.minimum((60 - np.minimum(empties, 60)) // PLIES, STAGES - 1), np.int64)


def choose_rows(sample: Sample, stage: int, wanted: int, key: int) -> NDArray[np.int64]:
    """Rows of a stage, without equal boards, at most `wanted`, drawn at random."""
    rows = np.flatnonzero(stage_of(sample.empties) == stage)
    mixed = chance.keys(sample.own[rows], sample.opponent[rows])
    _, first = np.unique(mixed, return_index=True)
    rows = rows[first]
    if len(rows) <= wanted:
        return rows
    order = np.argsort(chance.draw(key, np.arange(len(rows))), kind="stable")
    return np.sort(rows[order[:wanted]])
