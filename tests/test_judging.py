"""Positions and what their moves cost."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from zeroply.arena.setup import GameSetup
from zeroply.cli.main import main
from zeroply.errors import ZeroplyError
from zeroply.examples import Examples, Split
from zeroply.examples.build import build
from zeroply.games import from_bits, game
from zeroply.learning.imitation import judging
from zeroply.learning.imitation.judging import JudgeConfig, JudgedPositions
from zeroply.nets.encodings import playable
from zeroply.players import player
from zeroply.runs import Run
from zeroply.runs.resume import resume

OTHELLO = game("othello")


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("sets") / "sets"
    build("shipped", folder)
    return str(folder)


def config(sets: str, **changes: object) -> JudgeConfig:
    settings = {"data": sets, "judge": "engine(depth=2)", "positions": 5000, "seed": 3, **changes}
    return JudgeConfig(**settings)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def judged_run(sets: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of a judging."""
    folder = tmp_path_factory.mktemp("judged") / "run"
    judging.judge(config(sets), run=folder)
    return folder


@pytest.fixture(scope="module")
def judged(judged_run: Path) -> JudgedPositions:
    return JudgedPositions.open(judged_run)


@pytest.fixture(scope="module")
def few(sets: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("few") / "run"
    judging.judge(config(sets, positions=100), run=folder)
    return folder


def test_costs_are_what_the_judge_says(judged: JudgedPositions) -> None:
    rows = np.arange(0, len(judged), 100)
    positions = from_bits(OTHELLO, np.array(judged.own[rows]), np.array(judged.opponent[rows]))
    scores = player("engine(depth=2)", OTHELLO).prefer_all(positions)[:, playable(OTHELLO)]
    costs = judged.costs(rows)
    legal = positions.legal()[:, playable(OTHELLO)]
    assert (np.isfinite(costs) == legal).all()
    expected = np.minimum(scores.max(axis=1, keepdims=True) - scores, judging.DEAREST * judging.UNIT)
    assert np.abs(costs[legal] - expected[legal]).max() <= judging.UNIT / 2
    assert (costs.min(axis=1) == 0).all()


def test_no_position_strays_to_the_test_side(sets: str, tmp_path: Path) -> None:
    examples = Examples.open(sets, "unique")
    own, opponent, _ = examples.take(examples.side(Split(by="game", test=0.5, seed=1), "test"))
    tested = from_bits(OTHELLO, own, opponent)
    known = {int(name) for image in range(8) for name in tested.symmetry(image).hash()}
    result = judging.judge(config(sets, until=10, stray=4, strays=1.0, test=0.5, positions=2000), run=tmp_path / "run")
    positions = from_bits(OTHELLO, np.array(result.own), np.array(result.opponent))
    assert not known & {int(name) for name in positions.hash()}


def test_positions_are_those_of_training_games_and_some_stray_from_them(sets: str, tmp_path: Path) -> None:
    data, half = Examples.open(sets, "unique"), Split(by="game", test=0.5, seed=1)
    own, opponent, _ = data.take(data.side(half, "train"))
    known = set(zip(own.tolist(), opponent.tolist(), strict=True))
    for strays, low, high in ((0.0, 0, 0), (1.0, 200, 300)):
        result = judging.judge(config(sets, strays=strays, positions=300, test=0.5), run=tmp_path / str(strays))
        unknown = sum((int(a), int(b)) not in known for a, b in zip(result.own, result.opponent, strict=True))
        assert low <= unknown <= high


def test_a_walker_leads_to_positions_of_its_own(sets: str, tmp_path: Path) -> None:
    far = config(sets, strays=1.0, stray=8, positions=200, judge="greedy")
    boards, discs = [], []
    for walkers in (("random",), ("greedy",), ("random", "greedy")):
        result = judging.judge(replace(far, walkers=walkers), run=tmp_path / "-".join(walkers))
        boards.append(result.own)
        discs.append(np.bitwise_count(result.own) + np.bitwise_count(result.opponent))
        again = judging.judge(replace(far, walkers=walkers), run=tmp_path / "-".join((*walkers, "again")))
        assert np.array_equal(result.own, again.own)
    assert all(np.array_equal(discs[0], other) for other in discs)  # as many moves from the same examples
    random, greedy, both = boards
    assert 50 < (random != greedy).sum() < 200
    alone = (both == random).sum(), (both == greedy).sum()
    assert all(200 / 4 <= one < 200 for one in alone)  # a quarter of the walks has one walker on both sides


def test_only_the_first_moves_of_games_are_judged(sets: str, tmp_path: Path) -> None:
    result = judging.judge(config(sets, until=10, strays=0.0, positions=200, judge="greedy"), run=tmp_path / "run")
    discs = np.bitwise_count(result.own) + np.bitwise_count(result.opponent)
    assert 8 < discs.max() < 14


def test_only_positions_with_few_discs_of_the_side_to_move_are_judged(sets: str, tmp_path: Path) -> None:
    result = judging.judge(config(sets, own=4, positions=150, judge="greedy"), run=tmp_path / "run")
    assert np.bitwise_count(result.own).max() == 4
    assert len(result) == 150


def test_discs_of_the_side_to_move_are_counted_where_it_holds_the_last_cell(sets: str, tmp_path: Path) -> None:
    result = judging.judge(config(sets, own=10, positions=2000, judge="greedy"), run=tmp_path / "run")
    assert np.bitwise_count(result.own).max() == 10
    assert (np.array(result.own) >> np.uint64(63)).any()


class Killed(Exception):
    """What ends a run in the middle."""


def kill(done: int, total: int, text: str = "") -> None:
    raise Killed


def test_a_player_that_has_changed_is_noticed_unless_all_is_done(
    sets: str, few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Killed):
        judging.judge(config(sets), run=tmp_path / "begun", progress=kill)
    monkeypatch.setattr(GameSetup, "fingerprints", lambda self: {"greedy": "another"})
    with pytest.raises(ZeroplyError, match="has changed since the run began"):
        resume(tmp_path / "begun")
    assert len(resume(few)) == 100


def test_interrupted_judging_ends_with_the_same_costs(sets: str, judged: JudgedPositions, tmp_path: Path) -> None:
    with pytest.raises(Killed):
        judging.judge(config(sets), run=tmp_path / "run", progress=kill)
    with pytest.raises(ZeroplyError, match="is not finished"):
        JudgedPositions.open(tmp_path / "run")
    with open(tmp_path / "run" / "costs.u8", "ab") as file:
        file.write(b"half a block")
    again = resume(tmp_path / "run")
    assert (again.own == judged.own).all()
    assert (again.opponent == judged.opponent).all()
    assert (again.stored == judged.stored).all()


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("own.u64", 0),
        ("opponent.u64", 7),
        ("own.u64", 101 * 8),
        ("own.u64", 200 * 8),
        ("costs.u8", 0),
        ("costs.u8", 100),
        ("costs.u8", 100 * 59),
    ],
)
def test_damaged_files_are_noticed(few: Path, tmp_path: Path, name: str, size: int) -> None:
    shutil.copytree(few, tmp_path / "run")
    with open(tmp_path / "run" / name, "ab") as file:
        file.truncate(size)
    with pytest.raises(ZeroplyError, match=f"{name} is damaged: it does not hold 100 positions"):
        JudgedPositions.open(tmp_path / "run")


def test_the_loss_is_the_cost_to_expect() -> None:
    torch = pytest.importorskip("torch")
    from zeroply.learning.imitation.losses import hits, loss

    outputs = torch.tensor([[0.0, np.log(3.0), 9.0], [1.0, 1.0, 0.0]])
    costs = torch.tensor([[4.0, 0.0, np.inf], [0.0, 2.0, 6.0]])
    third = 1 / (2 + np.exp(-1))
    expected = (0.25 * 4 + third * 2 + third * np.exp(-1) * 6) / 2
    assert loss(outputs, costs, discs=2.0).item() == pytest.approx(expected / 2)
    assert hits(outputs, costs).item() == 2


@pytest.mark.parametrize("net", ["lines(embedding=4, layers=16)", "dense(layers=32)"])
def test_a_net_learns_what_moves_cost(
    net: str, sets: str, judged_run: Path, judged: JudgedPositions, tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    from zeroply.learning.imitation.config import TrainConfig
    from zeroply.learning.imitation.train import train
    from zeroply.nets import inspect, load

    def cost(file: Path) -> float:
        rows = np.arange(1000)
        positions = from_bits(OTHELLO, np.array(judged.own[rows]), np.array(judged.opponent[rows]))
        best = load(str(file), OTHELLO).prefer(positions)[:, playable(OTHELLO)].argmax(axis=1)
        return float(judged.costs(rows)[rows, best].mean())

    settings = {"net": net, "data": sets, "dataset": "unique", "batch": 256, "threads": 1, "evaluations": 0}
    settings |= {"measured": 100, "rate": 0.02}
    short = train(TrainConfig(preset="fast", epochs=0.002, **settings), run=tmp_path / "short")  # type: ignore[arg-type]
    early = tmp_path / "early"
    judging.judge(config(sets, until=10, positions=100), run=early)
    taught = TrainConfig(preset="fast", epochs=0.1, judged=(str(early), str(judged_run)), **settings)  # type: ignore[arg-type]
    file = train(taught, run=tmp_path / "taught")
    assert cost(file) < 0.8 * cost(short)
    sources = inspect(str(file)).training["judged"]
    assert isinstance(sources, list)
    assert [one["positions"] for one in sources] == [100, len(judged)]
    other = TrainConfig(preset="fast", split_seed=9, judged=(str(judged_run),), **settings)  # type: ignore[arg-type]
    with pytest.raises(ZeroplyError, match="another split"):
        train(other, run=tmp_path / "other")


def test_the_command_judges_what_its_options_say(sets: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = "--set original --judge greedy --positions 50 --walkers greedy random --stray 4 --split position --seed 7"
    main(["data", "judge", "--data", sets, *words.split(), "--run", str(tmp_path / "run"), "--json"])
    assert json.loads(capsys.readouterr().out) == {"folder": str(tmp_path / "run"), "positions": 50}
    info = Run.read(tmp_path / "run").info
    expected = {"dataset": "original", "judge": "greedy", "positions": 50, "stray": 4, "split": "position"}
    assert info.config.items() >= {**expected, "until": JudgeConfig.until, "test": JudgeConfig.test}.items()
    assert (list(info.config["walkers"]), info.seed) == (["greedy", "random"], 7)
    with pytest.raises(SystemExit):
        main(["data", "judge", "--data", sets, "--run", str(tmp_path / "other"), "--strays", "2"])
    assert capsys.readouterr().err == "zeroply: strays must be a share from 0 to 1, not 2.0\n"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"positions": 0}, "positions can be judged, not 0"),
        ({"strays": 2.0}, "a share"),
        ({"stray": 0}, "1 to 60"),
        ({"walkers": ()}, "need a walker"),
        ({"until": 61}, "1 to 60"),
        ({"own": 0}, "1 to 64"),
    ],
)
def test_impossible_settings_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(ZeroplyError, match=message):
        config("nowhere", **change)
