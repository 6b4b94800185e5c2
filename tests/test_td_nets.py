"""Nets that learn values by temporal differences: right targets, exact resuming, and soon better than chance."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zeroply as zp
from zeroply import _core, chance
from zeroply.arena.setup import GameSetup
from zeroply.errors import ZeroplyError
from zeroply.nets import load, untrained

torch = pytest.importorskip("torch")

from zeroply.cli.main import main  # noqa: E402
from zeroply.learning.td_nets import self_play  # noqa: E402
from zeroply.learning.td_training import TdConfig, train_td  # noqa: E402
from zeroply.nets.modules.initialise import initialise  # noqa: E402
from zeroply.nets.torch_net import TorchNet  # noqa: E402
from zeroply.runs import Run  # noqa: E402
from zeroply.runs.resume import resume  # noqa: E402

SMALL = TdConfig(
    net="dense(layers=32, output=value)", games=400, together=50, measure_games=40, measures=2, threads=1, seed=1
)
ACTIONS = "dense(layers=64, output=actions)"


@pytest.fixture(autouse=True)
def one_thread() -> None:
    _core.set_threads(1)


def net_of(spec: str, game: str = "othello") -> TorchNet:
    net = untrained(spec, zp.game(game))
    initialise(net.module, 3)
    return net


@pytest.mark.parametrize("spec", [SMALL.net, ACTIONS])
@pytest.mark.parametrize("trace", [0.0, 1.0])
def test_targets_are_values_of_the_next_position_or_results(spec: str, trace: float) -> None:
    net = net_of(spec)
    lessons = self_play(net, chance.keys(5, np.arange(4)), replace(SMALL, net=spec, epsilon=0.0, plies=0, trace=trace))
    boards = {int(h): row for row, h in enumerate(lessons.positions.hash())}
    compared = 0
    for row, position in enumerate(lessons.positions):
        after = position.after([int(lessons.moves[row])])
        turned = int(after.to_move()[0]) * int(position.to_move()[0])
        if after.over()[0]:
            assert lessons.targets[row] == after.winner()[0] * position.to_move()[0]
        elif trace == 0:
            best = net.prefer(after).max()
            best = np.tanh(best) if net.output == "actions" else best
            assert lessons.targets[row] == pytest.approx(turned * best, abs=1e-5)
        else:  # by the results alone, a game has one value
            assert lessons.targets[row] == turned * lessons.targets[boards[int(after.hash()[0])]]
        compared += 1
    assert compared > 200


def test_random_moves_teach_nothing_about_the_position_before_them() -> None:
    keys = chance.keys(5, np.arange(20))
    for spec, some in ((SMALL.net, True), (ACTIONS, False)):
        lessons = self_play(net_of(spec), keys, replace(SMALL, net=spec, epsilon=0.3, plies=0))
        assert (0.6 < lessons.teaches.mean() < 0.8) == some
        assert lessons.teaches.all() != some
    assert not self_play(net_of(SMALL.net), keys, replace(SMALL, epsilon=1.0)).teaches.any()


@pytest.mark.parametrize("spec", [SMALL.net, ACTIONS])
def test_a_net_soon_beats_chance(tmp_path: Path, spec: str) -> None:
    games = 4000 if "actions" in spec else 1000
    settings = replace(SMALL, net=spec, games=games, together=100, rate=5e-3, measure_games=100)
    file = train_td(settings, run=tmp_path / "run")
    result = Run.read(tmp_path / "run").result
    assert result is not None
    assert result["score"] > 0.7
    assert zp.match(f'net("{file}")', "random", games=200, openings="random(plies=4)", seed=9).score > 0.7


def test_other_games_are_learned_too(tmp_path: Path) -> None:
    settings = replace(
        SMALL, game="atarigo(size=5)", net="conv4(width=0.05, output=value)", games=500, together=100, plies=2
    )
    file = train_td(replace(settings, rate=5e-3), run=tmp_path / "run")
    assert zp.match(f'net("{file}")', "random", game="atarigo(size=5)", games=200, seed=9).score > 0.6


def test_chance_inside_a_net_comes_from_the_seed_too(tmp_path: Path) -> None:
    settings = replace(
        SMALL, net="conv4(width=0.02, dropout=0.5, output=value)", games=20, together=10, measure_games=2
    )
    files = []
    for name in ("first", "second"):
        torch.manual_seed(len(name))
        files.append(train_td(settings, run=tmp_path / name))
    first, second = (load(str(file), zp.game("othello")).weights for file in files)
    assert all(first[name].tobytes() == second[name].tobytes() for name in first)


def test_interrupted_learning_ends_with_the_same_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = replace(SMALL, games=160, together=40)
    whole = train_td(settings, run=tmp_path / "whole")
    monkeypatch.setattr(Run, "save_due", lambda run, seconds: True)

    def stop(done: int, total: int, text: str = "") -> None:
        if done in (40, 120):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_td(settings, run=tmp_path / "cut", progress=stop)
    with monkeypatch.context() as other:
        other.setattr(GameSetup, "fingerprints", lambda self: {"random": "another"})
        with pytest.raises(ZeroplyError, match="has changed since the run began"):
            resume(tmp_path / "cut")
    with pytest.raises(KeyboardInterrupt):
        resume(tmp_path / "cut", progress=lambda done, total, _="": stop(done if done > 80 else 0, total))
    cut = resume(tmp_path / "cut")
    first, second = (load(str(file), zp.game("othello")).weights for file in (whole, cut))
    assert all(first[name].tobytes() == second[name].tobytes() for name in first)


def test_the_command_learns_and_resumes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--games", "100", "--together", "50", "--measure-games", "10", "--measures", "1", "--threads", "1"]
    main(["train-td", SMALL.net, "--run", str(tmp_path / "run"), *words, "--json"])
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert Path(result["file"]).is_file()
    main(["resume", str(tmp_path / "run"), "--json"])
    assert json.loads(capsys.readouterr().out) == result


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"net": "dense(layers=8)"}, "output=value"),
        ({"net": "conv5"}, "unknown net"),
        ({"game": "chess"}, "unknown game"),
        ({"opponent": "nobody"}, "unknown player"),
        ({"measure_games": 3}, "even"),
    ],
)
def test_bad_input_is_refused_before_anything_is_written(tmp_path: Path, changes: dict[str, Any], says: str) -> None:
    with pytest.raises(zp.ZeroplyError, match=says):
        train_td(replace(SMALL, **changes), run=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_games_of_any_length_are_played_to_their_end() -> None:
    """Some of these are longer than twice the number of cells, and none can be drawn."""
    config = TdConfig(net=SMALL.net, game="atarigo(size=5, captures=100, suicide=illegal)", epsilon=1.0, trace=1.0)
    net = net_of(config.net, config.game)
    lessons = self_play(net, chance.keys(1, np.arange(100)), config)
    assert lessons.positions.move_number().max() > 2 * net.game.cells
    assert (lessons.targets != 0).all()
