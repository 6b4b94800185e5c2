"""Fitting the tables of the pattern evaluation, from game results to exact endings, stage by stage.

First all tables are fitted to the results of games (expert games where there are any, else self-play). Then positions
are taken from self-play with a share of random moves, so that the evaluation also learns what blunders cost. From the
last stage of the game to the first they are labelled, the endings exactly and the others by a search that reaches the
tables just fitted, and the stage is fitted to its labels (as Logistello's were to deep search; Buro 1997).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from zeroply import _core, chance, levels
from zeroply.errors import ZeroplyError
from zeroply.games import Positions, bits, from_bits, game
from zeroply.records.wthor import read_wtb
from zeroply.runs import Run, stored
from zeroply.search import Evaluation, Limit
from zeroply.search.endings import solve
from zeroply.search.patterns import in_units, save_tables

Progress = Callable[[str, int, int], None]
"""Called with what is being done, steps done and steps in all."""

KIND = "patterns"
STAGES = _core.PATTERN_STAGES
PLIES = 6  # of a stage
MOST = 10_000_000
"""The most positions of a stage, and games of a round."""
_BLOCK = 2048


@dataclass(frozen=True, kw_only=True)
class FitConfig:
    """Everything that decides how the tables come out."""

    source: str | None = None
    """Folder of WTHOR files for the first fit; without it the results of self-play are used."""
    positions: int = 300_000
    """Labelled positions of each stage and round."""
    games: int = 100_000
    """Games of self-play from which the positions of a round are drawn."""
    depth: int = 4
    """Depth of the search that labels positions before the exact endings."""
    exact: int = 12
    """Positions with at most this many empty squares are solved."""
    rounds: int = 2
    """How often positions are gathered, labelled and fitted; each round plays with the tables of the one before."""
    epochs: int = 15
    """Passes over the data of each fit."""
    rate: float = 0.004
    """First step size; it falls to a twentieth."""
    seed: int = 0
    """What all chance comes from."""

    def __post_init__(self) -> None:
        if self.positions < 1000 or self.games < 100 or self.rounds < 0 or self.epochs < 1:
            raise ZeroplyError("fitting needs 1000 positions, 100 games, 0 rounds and 1 epoch at the least")
        if max(self.positions, self.games) > MOST:
            raise ZeroplyError(f"fitting needs {MOST:,} positions and {MOST:,} games at the most")
        if not 1 <= self.depth <= 10 or not 4 <= self.exact <= 20:
            raise ZeroplyError("fitting needs a depth from 1 to 10 and exact endings from 4 to 20 empty squares")


def start(config: FitConfig, folder: str | os.PathLike[str], progress: Progress | None = None) -> Path:
    """Fit tables in a new run folder; returns the file that holds them in the end."""
    if config.source is not None:
        _expert_files(config.source)  # before anything is written
    with Run.create(folder, kind=KIND, config=stored(config), seed=config.seed, level=levels.chosen()) as run:
        return resume(run, progress)


def resume(run: Run, progress: Progress | None = None) -> Path:
    """Go on with a fit from where its run stands: after the first fit, or any stage of any round."""
    config = run.config(FitConfig)
    target = run.folder / "patterns.safetensors"
    if run.finished:
        return target
    report = progress or (lambda what, done, total: None)
    if run.state is None or run.arrays is None:
        tables = Tables.zero()
        sample, targets = _first_data(config, report)
        report(f"first fit, {len(targets):,} positions", 0, 1)
        errors = fit_to(tables, sample, targets, config, chance.key(config.seed, "first"))
        run.log("first fit", positions=len(targets), errors=errors.round(3).tolist())
        done = 0
        run.save({"done": done}, {"weights": tables.weights, "bias": tables.bias})
    else:
        tables = Tables(run.arrays["weights"].copy(), run.arrays["bias"].copy())
        done = run.state["done"]
    for number in range(done // STAGES, config.rounds):
        report(f"round {number + 1}: self-play", 0, 1)
        # The tables that played this round's games, also after a resume in the middle of it.
        players = tables if done % STAGES == 0 else Tables(run.arrays["player weights"], run.arrays["player bias"])  # type: ignore[index]
        players = Tables(players.weights.copy(), players.bias.copy())
        sample, _ = gather(players, config.games, chance.key(config.seed, "games", number))
        for stage in range(STAGES - 1 - done % STAGES, -1, -1):
            what = f"round {number + 1}, stage {stage}"
            rows = choose_rows(sample, stage, config.positions, chance.key(config.seed, "rows", number, stage))
            chosen = sample[rows]
            labels = label(chosen, tables, config, lambda d, n, what=what: report(what, d, n))  # type: ignore[misc]
            errors = fit_to(tables, chosen, labels, config, chance.key(config.seed, "fit", number, stage))
            done += 1
            run.log("stage", round=number + 1, stage=stage, positions=len(rows), error=round(float(errors[stage]), 3))
            run.save(
                {"done": done},
                {
                    "weights": tables.weights,
                    "bias": tables.bias,
                    "player weights": players.weights,
                    "player bias": players.bias,
                },
            )
    data = "expert games (WTHOR) and self-play" if config.source else "self-play"
    save_tables(target, tables.weights, tables.bias, f"fitted to {data} by: zeroply patterns fit {_options(config)}")
    run.finish({"file": target.name})
    return target


def _options(config: FitConfig) -> str:
    return " ".join(f"--{key} {value}" for key, value in vars(config).items() if value is not None and key != "source")


def _expert_files(source: str) -> list[Path]:
    files = sorted(path for path in Path(source).glob("*") if path.suffix.lower() == ".wtb")
    if not files:
        raise ZeroplyError(f"there are no WTHOR files (.wtb) in {source}")
    return files


def _first_data(config: FitConfig, report: Progress) -> tuple[Sample, NDArray[np.float32]]:
    """Positions with the results of their games: expert games if there are any, else self-play."""
    if config.source is None:
        report("self-play of a disc counter", 0, 1)
        return gather(None, config.games, chance.key(config.seed, "games"))
    files = _expert_files(config.source)
    samples, targets = [], []
    for number, path in enumerate(files):
        report("expert games", number, len(files))
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
    the_game = game("othello")
    evaluation = Evaluation(the_game, _core.patterns(tables.core()) if tables else _core.pieces())
    keys = chance.keys(key, np.arange(games))
    random_plies = chance.below(31, keys, 1000)  # how many moves at the start are random
    share = 0.05 + 0.2 * chance.uniform(keys, 1001)  # of random moves after that
    positions = the_game.start(games)
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


def label(
    sample: Sample, tables: Tables, config: FitConfig, progress: Callable[[int, int], None]
) -> NDArray[np.float32]:
    """[n]: the disc difference to expect, exact near the end, by search before."""
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
        progress(int(block[-1]) + 1, len(labels))
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
    """Rows of a stage, without equal boards, at most `wanted`, drawn by chance."""
    rows = np.flatnonzero(stage_of(sample.empties) == stage)
    mixed = chance.keys(sample.own[rows], sample.opponent[rows])
    _, first = np.unique(mixed, return_index=True)
    rows = rows[first]
    if len(rows) <= wanted:
        return rows
    order = np.argsort(chance.draw(key, np.arange(len(rows))), kind="stable")
    return np.sort(rows[order[:wanted]])
