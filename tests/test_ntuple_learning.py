"""N-tuple learners: the published shapes, learning as the plain rule says, runs that end the same after any kill."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import zeroply as zp
from zeroply import _core, chance
from zeroply.cli.main import main
from zeroply.errors import ZeroplyError
from zeroply.games import Positions, game
from zeroply.learning.ntuple_champion import FILE, MeasureConfig, player_of
from zeroply.learning.ntuple_coevolution import NtupleCoevolutionConfig, coevolve_ntuples, round_robin
from zeroply.learning.ntuple_shapes import Shape, shape
from zeroply.learning.ntuple_tdl import TdlConfig, learn_ntuples
from zeroply.runs import Run
from zeroply.search import EVALUATIONS
from zeroply.search.ntuples import read_player
from zeroply.specs import Spec

ZEROPLY = Path(sys.executable).with_name("zeroply")
PUBLISHED = {"all-2": "2", "all-3": "3", "all-4": "4", "all-4+2x2": "4+2x2"}
QUICK = MeasureConfig(games=20, measures=3)

Squares = Iterable[int]
Step = tuple[NDArray[np.int8], int, bool]
"""A board seen by the side that has just moved, that side, and whether its move was random."""


def random_weights(the_shape: Shape, members: int, key: int = 7) -> NDArray[np.float32]:
    drawn = chance.uniform(chance.keys(key, np.arange(members))[:, None], np.arange(the_shape.weights)[None, :])
    return (drawn - 0.5).astype(np.float32)


# Shapes


def as_sets(tuples: Iterable[Iterable[Squares]]) -> Counter[frozenset[tuple[frozenset[int], int]]]:
    """Tuples as the sets of squares that their copies look at, whatever the order."""
    return Counter(frozenset(Counter(frozenset(copy) for copy in copies).items()) for copies in tuples)


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_systematic_tuples_are_those_of_the_published_players(name: str, data: Path) -> None:
    published = read_player(data / "league" / f"JaskowskiSzubert2015CoCMAES-{PUBLISHED[name]}.player")
    by_table: dict[int, list[list[int]]] = {}
    for squares, table in zip(published.squares, published.tables, strict=True):
        by_table.setdefault(table, []).append(squares)
    assert as_sets(shape(name).tuples) == as_sets(by_table.values())
    assert shape(name).weights == len(published.weights)


def test_a_weighted_piece_counter_has_ten_squares_up_to_symmetry() -> None:
    tuples = shape("wpc").tuples
    assert len(tuples) == 10
    assert sorted(copy[0] for copies in tuples for copy in copies) == list(range(64))


def test_every_straight_line_of_three_squares_is_looked_at() -> None:
    lines = {frozenset(copy) for copies in shape("all-3").tuples for copy in copies}
    straight = {
        frozenset((row + i * dy) * 8 + column + i * dx for i in range(3))
        for row in range(8)
        for column in range(8)
        for dy, dx in ((0, 1), (1, 0), (1, 1), (1, -1))
        if row + 2 * dy < 8 and 0 <= column + 2 * dx < 8
    }
    assert lines == straight


def test_symmetric_boards_have_equal_values(tmp_path: Path) -> None:
    the_shape = shape("wpc+all-2+all-3+2x2")
    the_shape.write(tmp_path / FILE, random_weights(the_shape, 1)[0])
    evaluation = EVALUATIONS.build(Spec("ntuple", str(tmp_path / FILE)), game=game("othello"))
    positions = game("othello").replay([19, 18, 26, 20, 37])
    values = {float(evaluation.values(Positions(positions.game, positions.batch.image(k)))[0]) for k in range(8)}
    assert len(values) == 1


@pytest.mark.parametrize("name", ["all-9", "", "all-3+all-3", "3x3", "all-2+"])
def test_an_unknown_shape_is_refused(name: str) -> None:
    with pytest.raises(ZeroplyError, match="n-tuple shape"):
        shape(name)


def test_a_champion_file_holds_exactly_the_weights_learned(tmp_path: Path) -> None:
    the_shape = shape("all-2+2x2")
    weights = random_weights(the_shape, 1)[0]
    the_shape.write(tmp_path / FILE, weights)
    read = read_player(tmp_path / FILE)
    assert np.array_equal(np.array(read.weights, np.float32), weights)
    assert read.squares == [list(copy) for copies in the_shape.tuples for copy in copies]


# The core against plain Python


class Plain:
    """The rule of learning, one line after the other."""

    def __init__(self, the_shape: Shape, weights: NDArray[np.float32]) -> None:
        starts = np.concatenate([[0], np.cumsum(the_shape.sizes)[:-1]])
        self.copies = [(list(c), s) for cs, s in zip(the_shape.tuples, starts, strict=True) for c in cs]
        self.weights = weights.copy()

    def entries(self, seen: NDArray[np.int8]) -> list[int]:
        """`seen`: 1 for discs of the side that has just moved, -1 for the other's."""
        return [int(start + sum((seen[sq] + 1) * 3**i for i, sq in enumerate(c[::-1]))) for c, start in self.copies]

    def value(self, seen: NDArray[np.int8]) -> float:
        return float(np.round(self.weights[self.entries(seen)].astype(np.float64).sum() * 2**20) / 2**20)

    def best(self, position: Positions, bits: int) -> int:
        side = position.to_move()[0]
        cells = np.flatnonzero(position.legal()[0])
        values = []
        for cell in cells:
            after = position.after([int(cell)])
            won = int(after.winner()[0]) * side if after.over()[0] else 0
            values.append(1e6 * won if after.over()[0] else self.value(after.stones()[0] * side))
        equal = cells[np.array(values) == max(values)]
        return int(equal[(bits >> 32) * len(equal) >> 32])

    def episode(self, key: int, epsilon: float, plies: int) -> tuple[list[Step], int]:
        position = game("othello").start(1)
        steps: list[Step] = []
        while not position.over()[0]:
            explore, random, tie = (int(chance.draw(key, 3 * len(steps) + i)[0]) for i in range(3))
            side = int(position.to_move()[0])
            explores = len(steps) < plies or (explore >> 11) * 2.0**-53 < epsilon
            cells = np.flatnonzero(position.legal()[0])
            cell = int(cells[(random >> 32) * len(cells) >> 32]) if explores else self.best(position, tie)
            position = position.after([cell])
            steps.append((position.stones()[0] * side, side, explores))
        return steps, int(position.winner()[0])

    def learn(self, steps: list[Step], winner: int, rate: float, trace: float) -> None:
        target = float(winner * steps[-1][1])
        for t in reversed(range(len(steps))):
            seen, side, _ = steps[t]
            v = float(np.tanh(self.value(seen)))
            learns = t + 1 == len(steps) or not steps[t + 1][2]
            if learns:
                for entry in self.entries(seen):
                    self.weights[entry] += np.float32(rate * (target - v) * (1 - v * v))
            ahead = (1 - trace) * v + trace * target if learns else v
            target = ahead if t and steps[t - 1][1] == side else -ahead


@pytest.mark.parametrize(("name", "trace", "plies"), [("wpc", 0.0, 0), ("all-3+2x2", 0.0, 4), ("all-2", 0.7, 0)])
def test_the_core_learns_as_the_rule_says(name: str, trace: float, plies: int) -> None:
    the_shape = shape(name)
    plain = Plain(the_shape, random_weights(the_shape, 1)[0] / 10)
    learned = plain.weights.copy()
    _core.td_self_play(the_shape.core(), learned, 5, 10, 3, 0.0005, 0.2, trace, plies)
    episodes = [plain.episode(chance.key(5, 10 + i), 0.2, plies) for i in range(3)]
    for steps, winner in episodes:
        plain.learn(steps, winner, 0.0005, trace)
    assert np.allclose(learned, plain.weights, rtol=0, atol=1e-6)
    assert not np.allclose(learned, random_weights(the_shape, 1)[0] / 10, rtol=0, atol=1e-4)


def test_games_between_members_are_those_of_the_rule() -> None:
    the_shape = shape("all-2")
    weights = random_weights(the_shape, 3)
    sides, n = [(0, 1), (1, 0), (2, 1), (0, 2)], 4
    black, white = (np.array([pair[k] for pair in sides], np.int32) for k in (0, 1))
    openings, keys = chance.keys(1, np.arange(n)), chance.keys(2, np.arange(n))
    results = np.empty(n, np.int8)
    _core.play_ntuple_games(the_shape.core(), weights, black, white, openings, keys, 5, results)
    players = [Plain(the_shape, row) for row in weights]
    for i in range(n):
        position, ply = game("othello").start(1), 0
        while not position.over()[0]:
            cells = np.flatnonzero(position.legal()[0])
            random = int(chance.draw(openings[i], 3 * ply + 1)[0])
            mover = players[sides[i][0 if position.to_move()[0] == 1 else 1]]
            tie = int(chance.draw(keys[i], 3 * ply + 2)[0])
            cell = int(cells[(random >> 32) * len(cells) >> 32]) if ply < 5 else mover.best(position, tie)
            position, ply = position.after([cell]), ply + 1
        assert results[i] == position.winner()[0]


def test_wrong_arrays_are_exceptions() -> None:
    core = shape("wpc").core()
    with pytest.raises(ValueError, match="instead of 30"):
        _core.td_self_play(core, np.zeros(31, np.float32), 0, 0, 1, 0.1, 0.1, 0.0, 0)
    one, keys = np.array([1], np.int32), np.zeros(1, np.uint64)
    with pytest.raises(IndexError, match="out of range"):
        _core.play_ntuple_games(core, np.zeros((1, 30), np.float32), one, one, keys, keys, 0, np.zeros(1, np.int8))
    with pytest.raises(ValueError, match="0 to 63"):
        _core.TupleShape([[64]], [0])


# Temporal differences


def test_a_player_learns_to_beat_the_standard_weights_from_nothing(tmp_path: Path) -> None:
    config = TdlConfig(games=6000, rate=0.002, seed=3, measure=MeasureConfig(games=400, measures=1))
    assert learn_ntuples(config, run=tmp_path / "run").score > 0.55


def test_any_number_of_threads_learns_the_same(tmp_path: Path) -> None:
    before = _core.threads()
    try:
        for threads in (1, 3):
            _core.set_threads(threads)
            learn_ntuples(TdlConfig(shape="all-2", games=300, measure=QUICK), run=tmp_path / str(threads))
    finally:
        _core.set_threads(before)
    assert (tmp_path / "1" / FILE).read_bytes() == (tmp_path / "3" / FILE).read_bytes()


def test_another_seed_learns_other_weights(tmp_path: Path) -> None:
    for seed in (1, 2):
        learn_ntuples(TdlConfig(shape="wpc", games=40, seed=seed, measure=QUICK), run=tmp_path / str(seed))
    assert (tmp_path / "1" / FILE).read_bytes() != (tmp_path / "2" / FILE).read_bytes()


@pytest.mark.parametrize(
    "wrong",
    [
        {"games": 0},
        {"rate": 0.0},
        {"rate": float("nan")},
        {"epsilon": 2.0},
        {"trace": -0.1},
        {"batch": 0},
        {"plies": -1},
    ],
)
def test_a_bad_configuration_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ZeroplyError):
        TdlConfig(**wrong)


@pytest.mark.parametrize("wrong", [{"generations": 0}, {"openings": 0}, {"openings": 10**12}, {"population": 10**12}])
def test_a_bad_configuration_of_coevolution_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ZeroplyError):
        NtupleCoevolutionConfig(**wrong)


def test_a_bad_opponent_is_refused_before_the_run_begins(tmp_path: Path) -> None:
    with pytest.raises(ZeroplyError, match="nobody"):
        learn_ntuples(TdlConfig(games=10, measure=MeasureConfig(opponent="nobody")), run=tmp_path / "run")
    assert not (tmp_path / "run").exists()


# Coevolution


def test_the_points_of_a_round_robin_add_up() -> None:
    the_shape = shape("all-2")
    scores = round_robin(the_shape.core(), random_weights(the_shape, 6), 3, 4, 9)
    assert scores.sum() == pytest.approx(3)
    assert scores.std() > 0


def test_a_good_player_wins_the_round_robin() -> None:
    the_shape = shape("wpc")
    weights = random_weights(the_shape, 5) * np.float32(0.01)
    net = [1.0, -0.25, 0.1, 0.05, -0.25, 0.01, 0.01, 0.05, 0.02, 0.01]  # the standard weights by tuple
    weights[2] = np.array([[-w, 0, w] for w in net], np.float32).reshape(-1)
    assert round_robin(the_shape.core(), weights, 20, 6, 1).argmax() == 2


def test_coevolution_improves_from_nothing(tmp_path: Path) -> None:
    config = NtupleCoevolutionConfig(
        shape="wpc", generations=20, openings=2, measure=MeasureConfig(opponent="random", games=200, measures=1)
    )
    assert coevolve_ntuples(config, run=tmp_path / "run").score > 0.75


# Runs


def outcome(folder: Path) -> dict[str, Any]:
    """All that must be the same however a run went."""
    record = Run.read(folder)
    events = [{key: value for key, value in event.items() if key != "time"} for event in record.events()]
    scores = [entry["score"] for entry in (record.result or {})["scores"]]
    return {"events": events, "scores": scores, "champion": (folder / FILE).read_bytes()}


def test_the_champion_of_a_command_plays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    words = "--shape wpc --generations 3 --measure.measures 2 --measure.games 10"
    main(["ntuples", "coevolve", *words.split(), "--run", str(run), "--json"])
    said = json.loads(capsys.readouterr().out)
    assert [entry["generations"] for entry in said["scores"]] == [2, 3]
    assert said["player"] == str(player_of(run / FILE))
    assert zp.match(said["player"], "random", games=20, seed=1).games == 20
    main(["resume", str(run)])  # a finished run only tells its result again
    assert "generations" in capsys.readouterr().out
