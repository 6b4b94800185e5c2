"""Fitting the tables of the pattern evaluation to exact endings and to search, from the end of the game to its start.

Positions come from self-play from random openings of all lengths, so that the evaluation also learns what unbalanced
positions and blunders cost. The last ones are solved; the others are labelled by a search that just reaches the plies
fitted before, so every label stands on exact results (as Logistello's tables were fitted to deep search; Buro 1997).
A fit starts from tables of an earlier one, which play the games, and learns what they lack.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from zeroply import _core, chance
from zeroply.errors import ZeroplyError
from zeroply.games import Positions, bits, from_bits, game
from zeroply.runs import Array, Chart, Experiment, Json, Run, RunRecord, TextTable, python_call
from zeroply.search import Evaluation, Limit
from zeroply.search.endings import solve
from zeroply.search.patterns import Tables

FILE = "patterns.safetensors"
"""Name of the file of the tables in the folder of a run."""
PLIES = 60
"""Plies of a round: positions with 1 to 60 empty squares."""
MOST = 10_000_000
"""The most positions of a ply, and games of a round."""
HELD_OUT = 50
"""One in this many positions is not fitted but measures the error."""
DEPTHS = range(4, 9)
"""Depths at which the deviations of ProbCut are measured."""
WILD = 0.3
"""Positions right after a random move, per quiet position."""
QUIET = 2
"""Plies since the last random move that make a position quiet."""
CENTRED = 4
"""Depth of the search that is made right on average in careful games."""
SOLVED = 14
"""Positions of careful games with at most this many empty squares are solved."""
_BLOCK = 32768


@dataclass(frozen=True, kw_only=True)
class FitConfig:
    """Settings that decide the tables."""

    start: str | None = None
    """File of tables that play the games and that the fit improves; without it the players count discs."""
    positions: int = 80_000
    """Quiet positions per ply."""
    games: int = 160_000
    """Games of self-play from which the positions are drawn."""
    depth: int = 4
    """Depth of the search that labels positions before the exact endings."""
    exact: int = 12
    """Positions with at most this many empty squares are solved."""
    iterations: int = 8
    """Iterations of conjugate gradients per fit; the last fit has four times as many."""
    ridge: float = 100.0
    """Pull of the weights towards those at the start."""
    cells: float = 0.15
    """Assumed correlation of two entries of a table that differ in one cell."""
    stages: float = 0.9
    """Assumed correlation of an entry at two stages that follow each other."""
    careful: int = 1500
    """Careful games in which the tables are made right on average."""
    deviations: int = 100
    """Positions per stage on which the deviations of ProbCut are measured."""
    seed: int = 0
    """Random seed."""

    def __post_init__(self) -> None:
        if self.positions < 100 or self.games < 100 or self.iterations < 1:
            raise ZeroplyError("fitting needs at least 100 positions, 100 games and 1 iteration")
        if self.careful < 10 or self.deviations < 10:
            raise ZeroplyError("fitting needs at least 10 careful games and 10 deviations")
        if max(self.positions, self.games, self.careful, self.deviations) > MOST:
            raise ZeroplyError(f"fitting needs {MOST:,} positions, games and deviations at the most")
        if not 1 <= self.depth <= 10 or not 4 <= self.exact <= 24:
            raise ZeroplyError("fitting needs a depth from 1 to 10 and exact endings from 4 to 24 empty squares")
        if not 0 < self.ridge < 1e9 or not 0 <= self.cells < 1 or not 0 <= self.stages < 1:
            raise ZeroplyError("fitting needs a ridge above 0 and correlations from 0 to below 1")


class PatternFit(Experiment[FitConfig, Path]):
    """Fit the tables of the pattern evaluation to exact endings and search.

    Example: zeroply patterns fit --positions 5000 --games 10000 --run runs/patterns
    """

    kind = "patterns"
    config_type = FitConfig
    unit = "plies"
    game = "othello"
    checkpoint_seconds = 30.0
    charts = (Chart("error", "fit", "held-out error", {"held_out": "error"}),)

    def inputs(self) -> dict[str, str]:
        """The tables it starts from."""
        return {} if self.config.start is None else {"start": _fingerprint(self.config.start)}

    def check_recordable(self) -> None:
        """The tables it starts from must be usable."""
        if self.config.start is not None:
            Tables.load(self.config.start)

    def start(self) -> None:
        self.players = None if self.config.start is None else Tables.load(self.config.start)
        self.tables = self.players or Tables.zero()
        self._white = np.zeros(_core.pattern_parameters(len(self.tables.plies)), np.float32)
        self._done, self._text = 0, ""
        self._sample: Sample | None = None
        self._labels = np.zeros(0, np.float32)

    def restore(self, arrays: Mapping[str, Array], state: Json) -> None:
        self.start()
        self._done = state["done"]
        self.tables = Tables(*(arrays[name].copy() for name in ("plies", "weights", "bias", "deviations")))
        self._labels, self._white = arrays["labels"].copy(), arrays["white"].copy()

    def step(self) -> None:
        """Label one ply, from the last to the first, and fit the tables if the next labels need them."""
        config, empties = self.config, self._done + 1
        if self._done == PLIES:
            self._finish_tables()
        else:
            self._label(empties)
            if empties == PLIES or (empties >= config.exact and (empties - config.exact) % config.depth == 0):
                self._fit(empties)
        self._done += 1

    def _label(self, empties: int) -> None:
        sample = self._positions()
        if empties == 1:
            self._labels = np.full(len(sample.own), np.nan, np.float32)
        rows = np.flatnonzero(sample.empties == empties)
        self._labels[rows] = label(sample[rows], self.tables, self.config)
        self._text = f"{empties} empty"

    def _fit(self, empties: int) -> None:
        """Fit the stages that the new labels concern, at last all of them."""
        config, sample = self.config, self._positions()
        last = empties == PLIES
        end = PLIES + 1 if last or empties == config.exact else first_fixed_ply(self.tables.plies, empties)
        rows = np.flatnonzero(~np.isnan(self._labels) & (60 - sample.empties < end))
        held = chance.below(HELD_OUT, chance.key(config.seed, "held out"), rows) == 0
        kept, held = rows[~held], rows[held]
        before = self.players or Tables.zero()
        iterations = config.iterations * (4 if last else 1)
        self.tables, error = fit_to(before, sample[kept], self._labels[kept], config, iterations, end, self._white)
        missed = values(self.tables, sample[held]) - self._labels[held]
        new = missed[sample.empties[held] > (0 if empties == config.exact else empties - config.depth)]
        self.log(
            "fit",
            fit=self._done + 1,
            empties=empties,
            positions=len(rows),
            error=round(error, 3),
            held_out=round(_spread(missed), 3),
            new_held_out=round(_spread(new), 3),
        )

    def _positions(self) -> Sample:
        """The positions of the fit, the same whenever they are gathered."""
        if self._sample is None:
            config = self.config
            gathered = gather(self.players, config.games, chance.key(config.seed, "games"))
            self._sample = gathered[choose_positions(gathered, config.positions, chance.key(config.seed, "rows"))]
        return self._sample

    def _finish_tables(self) -> None:
        careful = gather(self.tables, self.config.careful, chance.key(self.config.seed, "careful"), careful=True)
        self.tables = centred(self.tables, careful)
        sample = self._positions()
        sample = sample[~sample.wild]
        key = chance.key(self.config.seed, "deviations")
        found, measured = deviations(self.tables, sample, self.config.deviations, key)
        self.tables = replace(self.tables, deviations=found)
        self.log("deviations", depths=list(DEPTHS), measured=measured.round(2).tolist())
        self._text = "deviations of ProbCut"

    @property
    def done(self) -> int:
        return self._done

    @property
    def total(self) -> int:
        return PLIES + 1

    @property
    def figures(self) -> str:
        return self._text

    def state(self) -> Json:
        return {"done": self._done}

    def arrays(self) -> dict[str, Array]:
        """The tables, the labels of the positions and the state of the fit."""
        return {**vars(self.tables), "labels": self._labels, "white": self._white}

    def finish(self) -> None:
        origin = f"fitted to self-play by: zeroply patterns fit {_options(self.config)}"
        self.tables.save(self.recording.folder / FILE, origin)

    @classmethod
    def read(cls, record: RunRecord) -> Path:
        return record.folder / FILE

    def summary(self, result: Path) -> Json:
        return {"file": result.name}

    @classmethod
    def to_json(cls, result: Path) -> Json:
        names = ("empties", "positions", "error", "held_out", "new_held_out")
        fits = [{name: event[name] for name in names} for event in Run.read(result.parent).events("fit")]
        return {"file": str(result), "fits": fits}

    @classmethod
    def report(cls, result: Path) -> list[str | TextTable]:
        return [f"the tables are in {result}"]


fit_patterns = python_call(PatternFit)


def _options(config: FitConfig) -> str:
    return " ".join(f"--{key} {value}" for key, value in vars(config).items() if value is not None and key != "start")


def _spread(missed: NDArray[np.float32]) -> float:
    return float(np.sqrt(np.mean(missed**2))) if len(missed) else 0.0


@dataclass(frozen=True)
class Sample:
    """Positions as bit boards seen by the side to move."""

    own: NDArray[np.uint64]
    """[n]: its discs."""
    opponent: NDArray[np.uint64]
    """[n]: the other side's."""
    wild: NDArray[np.bool_]
    """[n]: whether a random move was played right before, or one move earlier."""

    @classmethod
    def of(cls, positions: Positions) -> Sample:
        """A batch, all of it quiet."""
        return cls(*bits(positions), np.zeros(len(positions), np.bool_))

    @property
    def empties(self) -> NDArray[np.int64]:
        """[n]: empty squares."""
        return np.asarray(64 - np.bitwise_count(self.own | self.opponent).astype(np.int64), np.int64)

    def __getitem__(self, which: NDArray[np.int64] | NDArray[np.bool_]) -> Sample:
        return Sample(self.own[which], self.opponent[which], self.wild[which])

    def positions(self) -> Positions:
        """As a batch with Black to move."""
        return from_bits(game("othello"), self.own, self.opponent)


def gather(tables: Tables | None, games: int, key: int, *, careful: bool = False) -> Sample:
    """Positions of self-play from random openings.

    The player looks one ply ahead with `tables`, or counts discs if there are none, and draws its move from the Gibbs
    distribution. Openings have 2 to 50 random moves, short ones more often; the temperature (0.3 to 3 discs) and the
    share of random moves after the opening (none in half of the games, up to a tenth in the others) differ between
    games. In careful games nothing is random but a temperature of 0.5 discs.
    """
    rules = game("othello")
    evaluation = Evaluation(rules, _core.patterns(tables.core()) if tables else _core.pieces())
    keys = chance.keys(key, np.arange(games))
    length = np.searchsorted([0.3, 0.7], chance.uniform(keys, 1000), side="right")
    random_plies = np.array([2, 8, 20])[length] + chance.below(np.array([9, 17, 31])[length], keys, 1001)
    share = 0.1 * np.maximum(0, 2 * chance.uniform(keys, 1002) - 1)
    temperature = 0.3 * 10.0 ** chance.uniform(keys, 1003)
    if careful:
        random_plies, share, temperature = random_plies * 0, share * 0, temperature * 0 + 0.5
    positions = rules.start(games)
    live, since = np.arange(games), np.full(games, QUIET if careful else 0)
    seen: list[Sample] = []
    ply = 0
    while len(live):
        seen.append(Sample(*bits(positions), since[live] < QUIET))
        moves = np.empty(len(live), np.int32)
        positions.batch.random_moves(keys[live], moves)
        thinks = (ply >= random_plies[live]) & (chance.uniform(keys[live], 2000 + ply) >= share[live])
        if thinks.any():
            found = evaluation.search(positions[thinks], Limit(depth=1), all_moves=True).preferences
            draws = chance.uniform(keys[live[thinks]][:, None], 10_000 + 64 * ply + np.arange(64))
            gumbel = -np.log(-np.log(np.maximum(draws, 1e-300)))
            moves[thinks] = np.argmax(found + temperature[live[thinks]][:, None] * gumbel, axis=1)
        since[live] = np.where(thinks, since[live] + 1, 0)
        positions.play(moves)
        over = positions.over()
        positions, live, ply = positions[~over], live[~over], ply + 1
    columns = ([getattr(sample, name) for sample in seen] for name in ("own", "opponent", "wild"))
    return Sample(*(np.concatenate(column) for column in columns))


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


def first_fixed_ply(plies: NDArray[np.int32], empties: int) -> int:
    """The ply from which the tables are not fitted again when positions with `empties` empty squares are new.

    The stage after their ply is fitted again, and so needs all positions up to the next one.
    """
    after = int(np.searchsorted(plies, 60 - empties, side="right"))
    return int(plies[after + 1]) if after + 1 < len(plies) else PLIES + 1


def fit_to(
    before: Tables,
    sample: Sample,
    targets: NDArray[np.float32],
    config: FitConfig,
    iterations: int,
    end: int,
    white: NDArray[np.float32],
) -> tuple[Tables, float]:
    """The tables `before` with what positions teach added, and the root mean square error on these positions.

    `white` is where the fit starts, all 0 for a new one, and gets where it ends. Plies from `end` on are not changed.
    """
    weights, bias = np.zeros_like(before.weights), np.zeros_like(before.bias)
    error = _core.fit_patterns(
        np.ascontiguousarray(sample.own),
        np.ascontiguousarray(sample.opponent),
        np.ascontiguousarray(targets - values(before, sample), np.float32),
        np.ascontiguousarray(sample.wild).view(np.uint8),
        before.plies,
        config.ridge,
        config.cells,
        config.stages,
        iterations,
        end,
        white,
        weights,
        bias,
    )
    return replace(before, weights=before.weights + weights, bias=before.bias + bias), error


def centred(tables: Tables, sample: Sample) -> Tables:
    """The tables with constant terms that make a search of `CENTRED` plies right on average in careful games.

    From the end backwards: the truth is the exact score at first, then the mean of searches one and two plies deeper,
    whose constant terms are right already. An odd depth turns the sign of the constant at its leaves, so that one side
    to move cannot be too well off at all plies.
    """
    empties, core = sample.empties, tables.core()
    evaluation = Evaluation(game("othello"), _core.patterns(core))
    missing = np.zeros(61)

    def mean(boards: Positions, depth: int) -> float:
        return float(evaluation.search(boards, Limit(depth=depth)).scores.mean(dtype=np.float64))

    for left in range(CENTRED + 1, 61):
        rows = np.flatnonzero(empties == left)
        if not len(rows):
            continue
        boards = sample[rows].positions()
        if left <= SOLVED:
            truth = solve(boards, tables=core).scores.mean(dtype=np.float64)
        else:
            next_ply = mean(boards, CENTRED + 1) - missing[left - CENTRED - 1]
            truth = (next_ply + mean(boards, CENTRED + 2) + missing[left - CENTRED - 2]) / 2
        missing[left - CENTRED] = truth - mean(boards, CENTRED)
    for left in range(61 - CENTRED, 61):  # no search of so many plies ends here
        missing[left] = missing[left - 2]
    return replace(tables, bias=(tables.bias + missing).astype(np.float32))


def values(tables: Tables, sample: Sample) -> NDArray[np.float32]:
    """[n]: the static evaluation of positions."""
    out = np.empty(len(sample.own), np.float32)
    _core.patterns(tables.core()).values(sample.positions().batch, out)
    return out


def choose_rows(sample: Sample, empties: NDArray[np.int64], left: int, wanted: int, key: int) -> NDArray[np.int64]:
    """Rows with `left` empty squares, without equal boards, at most `wanted`, drawn at random."""
    rows = np.flatnonzero(empties == left)
    _, first = np.unique(chance.keys(sample.own[rows], sample.opponent[rows]), return_index=True)
    rows = rows[first]
    if len(rows) <= wanted:
        return rows
    order = np.argsort(chance.draw(chance.keys(key, left), np.arange(len(rows))), kind="stable")
    return np.sort(rows[order[:wanted]])


def choose_positions(sample: Sample, wanted: int, key: int) -> NDArray[np.int64]:
    """Rows of every ply: at most `wanted` quiet positions, and some wild ones for each."""
    chosen = []
    for wild, most in ((False, wanted), (True, int(WILD * wanted))):
        rows = np.flatnonzero(sample.wild == wild)
        part = sample[rows]
        empties = part.empties
        chosen += [rows[choose_rows(part, empties, left, most, key)] for left in range(1, PLIES + 1)]
    return np.concatenate(chosen)


def deviations(
    tables: Tables, sample: Sample, wanted: int, key: int
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """ProbCut's deviations [stages, depths], and the measured ones among them [stages, len(DEPTHS)].

    The logarithm of a deviation is a level for each stage plus a multiple of the shallow search's depth and one of its
    distance from the deep search; this gives those of other depths, and of stages too late for them.
    """
    evaluation = Evaluation(game("othello"), _core.patterns(tables.core()))
    measured = np.full((len(tables.plies), len(DEPTHS)), np.nan)
    empties = sample.empties
    for stage, ply in enumerate(tables.plies):
        left = int(min(60 - ply, 55))
        rows = choose_rows(sample, empties, left, wanted, key)
        if left <= DEPTHS[0] or len(rows) < 10:
            continue
        depths = [depth for depth in range(1, DEPTHS[-1] + 1) if depth < left]
        positions = sample[rows].positions()
        scores = {depth: evaluation.search(positions, Limit(depth=depth)).scores for depth in depths}
        for i, depth in enumerate(DEPTHS):
            if depth in scores:
                measured[stage, i] = max(0.25, float(np.std(scores[depth] - scores[shallow_depth(depth)])))
    stages, columns = np.nonzero(~np.isnan(measured))
    all_depths = np.arange(_core.PATTERN_DEPTHS)
    shallow = np.array([shallow_depth(int(depth)) for depth in all_depths])
    terms = np.stack([shallow, all_depths - shallow], axis=1).astype(float)
    deep = np.array(DEPTHS)[columns]
    levels = np.eye(len(tables.plies))[stages]
    inputs = np.concatenate([levels, terms[deep]], axis=1)
    fitted = np.linalg.lstsq(inputs, np.log(measured[stages, columns]), rcond=None)[0]
    level, slopes = fitted[: len(tables.plies)], fitted[len(tables.plies) :]
    level = np.interp(np.arange(len(level)), np.unique(stages), level[np.unique(stages)])
    found = np.exp(level[:, None] + terms @ slopes)
    return np.clip(found, 0.25, 30).astype(np.float32), measured


def shallow_depth(depth: int) -> int:
    """Depth of ProbCut's shallow search: half of the deep one's, and of the same parity."""
    return depth // 2 - ((depth - depth // 2) & 1)


def _fingerprint(file: str) -> str:
    from hashlib import blake2b

    try:
        return blake2b(Path(file).read_bytes(), digest_size=16).hexdigest()
    except OSError:
        raise ZeroplyError(f"there is no file of pattern tables {file}") from None
