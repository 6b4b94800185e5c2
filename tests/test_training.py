"""Training on expert moves: recipes, schedules, exact resuming, bags, several processes, and what is measured."""

from __future__ import annotations

import json
import math
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import zeroply as zp
from zeroply import _core, chance, levels, records
from zeroply.cli.main import main
from zeroply.errors import ZeroplyError
from zeroply.examples import Examples, Split
from zeroply.examples.build import build as build_examples
from zeroply.examples.known import canonical, unknown
from zeroply.games import Positions, from_bits, game
from zeroply.games import bits as bits_of
from zeroply.nets import NETS, Net, inspect, load, untrained
from zeroply.players import player

torch = pytest.importorskip("torch")

from zeroply.learning.imitation import judging, training  # noqa: E402
from zeroply.learning.imitation.config import TrainConfig  # noqa: E402
from zeroply.learning.imitation.distributed import Team  # noqa: E402
from zeroply.learning.imitation.evaluation import evaluate, overlap, sample  # noqa: E402
from zeroply.learning.imitation.judging import JudgeConfig  # noqa: E402
from zeroply.learning.imitation.losses import loss  # noqa: E402
from zeroply.learning.imitation.openings import OPENING_MOVES, opening_choices, opening_rows  # noqa: E402
from zeroply.learning.imitation.optimizers import load_state, optimizer, state_arrays  # noqa: E402
from zeroply.learning.imitation.schedule import rate_at  # noqa: E402
from zeroply.learning.imitation.source import open_examples, source  # noqa: E402
from zeroply.learning.imitation.train import Training, train  # noqa: E402
from zeroply.learning.imitation.trained_net import NET  # noqa: E402
from zeroply.nets.modules.initialise import initialise  # noqa: E402
from zeroply.nets.modules.parts import Module  # noqa: E402
from zeroply.nets.torch_net import TorchNet, load_weights  # noqa: E402
from zeroply.progress import Progress  # noqa: E402
from zeroply.runs import Run, stored  # noqa: E402
from zeroply.runs.files import seal  # noqa: E402
from zeroply.runs.resume import resume  # noqa: E402

OTHELLO = game("othello")


@pytest.fixture(autouse=True)
def one_thread() -> None:
    _core.set_threads(1)


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Datasets of games in which both sides take most discs, which is easily learned."""
    folder = tmp_path_factory.mktemp("games")
    played = zp.match("greedy(ties=lowest)", "greedy(ties=lowest)", games=120, openings="random(plies=8)", seed=1)
    records.save(played.records(), folder / "games.txt")
    build_examples(folder / "games.txt", folder / "sets")
    return folder / "sets"


def config(sets: Path, **changes: Any) -> TrainConfig:
    plain = TrainConfig(net="dense(layers=32)", data=str(sets), batch=64, seed=1, threads=1)
    return replace(
        plain, **{"epochs": 0.3, "test": 0.2, "evaluations": 2, "evaluated": 200, "measured": 300, **changes}
    )


def weights(file: Path) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in load(str(file), OTHELLO).weights.items()}


# Batches


def test_a_share_of_a_batch_comes_from_the_openings_of_the_training_games(sets: Path) -> None:
    some = config(sets, openings=0.25, split="game", symmetries=True)
    data, split = open_examples(some)
    net = training.first_net(some, OTHELLO)
    batches = source(some, data, data.side(split, "train"), net, 7).from_step(3)
    batch = next(batches)
    assert len(batch.targets) == 64
    planes = batch.inputs[0][48:]
    assert planes.sum(axis=(1, 2, 3)).max() < 4 + OPENING_MOVES
    assert batch.inputs[0][:48].sum(axis=(1, 2, 3)).max() >= 4 + OPENING_MOVES
    again = source(some, data, data.side(split, "train"), net, 7).from_step(2)
    next(again)
    np.testing.assert_array_equal(next(again).inputs[0], batch.inputs[0])


def test_openings_are_repeated_as_often_as_they_were_played(sets: Path) -> None:
    data = Examples.open(sets, "unique")
    original, begins = data.original()
    split = Split(by="game", test=0.2, seed=1)
    rows = opening_rows(original, original.side(split, "train"))
    assert set(rows) <= set(original.side(split, "train"))
    starts = np.isin(rows, begins)
    assert starts.sum() == len(set(begins[:-1]) & set(original.side(split, "train"))) > 90


def test_choices_in_the_most_frequent_openings_are_compared_with_the_experts(sets: Path) -> None:
    data = Examples.open(sets, "unique")
    with player("random", "othello") as judge:
        known = opening_choices(judge, data, 20)
    favourite = {one.position: OTHELLO.notation.cell(next(iter(one.experts))) for one in known}

    class Follower:
        """Plays what experts play most."""

        def prefer(self, positions: Positions) -> NDArray[np.float32]:
            chosen = [favourite[text] for text in positions.text()]
            return np.where(np.arange(64) == np.array(chosen)[:, None], 1, -np.inf).astype(np.float32)

    same = opening_choices(Follower(), data, 20)
    assert all(one.agrees and one.share == max(one.experts.values()) for one in same)
    assert sorted((one.played for one in same), reverse=True) == [one.played for one in same]
    start = OTHELLO.start().text()[0]
    assert [one.played for one in same[:2]] == [120, 120]  # the start, and the only position after one move
    (first,) = [one for one in same if one.position.count("-") == start.count("-")]
    assert list(first.experts.values()) == [0.25, 0.25]  # its four moves are images of each other
    assert {one.agrees for one in known} == {True, False}
    assert all(one.agrees == (one.share >= min(one.experts.values())) for one in known)


@pytest.mark.parametrize("changes", [{"openings": 1.0}, {"openings": 0.001}, {"openings": 0.5, "split": "position"}])
def test_openings_need_a_share_of_the_batch_and_a_split_by_game(sets: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(ZeroplyError, match="openings"):
        config(sets, **changes)


# Devices and precision


@pytest.mark.parametrize("precision", ["tf32", "bf16", "fp16"])
def test_reduced_precision_learns_nearly_the_same_and_resumes_exactly(
    sets: Path, tmp_path: Path, precision: str
) -> None:
    plain, some = config(sets, epochs=0.5), config(sets, epochs=0.5, precision=precision)
    exact, reduced = (json.loads((train(one, run=tmp_path / name).parent / "result.json").read_text())["result"]
                      for one, name in ((plain, "plain"), (some, precision)))  # fmt: skip
    assert abs(exact["test"]["loss"] - reduced["test"]["loss"]) < 0.05
    whole, pieces = (trainer_of(some) for _ in range(2))
    for trainer in (whole, pieces):
        trainer.open_member(0, 0, {}, [])
        for _ in range(4):
            trainer.take_step()
    saved = pieces.arrays()
    pieces.close()
    pieces.open_member(0, 4, saved, [])
    for trainer in (whole, pieces):
        for _ in range(4):
            trainer.take_step()
        trainer.close()
    assert {n: a.tobytes() for n, a in whole.arrays().items()} == {n: a.tobytes() for n, a in pieces.arrays().items()}


def test_a_bf16_training_resumes_exactly_but_only_where_it_rounds_the_same(
    sets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = config(sets, net="conv4(bn=true, width=0.1)", precision="bf16")
    whole = train(settings, run=tmp_path / "whole")
    monkeypatch.setattr(Run, "save_due", lambda run, seconds: True)
    with pytest.raises(KeyboardInterrupt):
        train(settings, run=tmp_path / "cut", progress=interrupt_at(10))
    here = _core.has_bfloat()
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(_core, "has_bfloat", lambda: not here)
        with pytest.raises(ZeroplyError, match=f"processor {'with' if here else 'without'} AVX512_BF16"):
            resume(tmp_path / "cut")
    assert weights(resume(tmp_path / "cut")) == weights(whole)


def trainer_of(some: TrainConfig) -> training.Trainer:
    return training.Trainer(some, open_examples(some), Team(0, 1, torch.device("cpu")))


def test_a_net_can_be_compiled(sets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[object] = []

    def record(module: object) -> object:
        compiled.append(module)
        return module

    monkeypatch.setattr(torch, "compile", record)
    trainer = trainer_of(config(sets, compile=True))
    trainer.open_member(0, 0, {}, [])
    trainer.take_step()
    trainer.close()
    assert compiled == [trainer.module]


def test_unknown_precision_and_missing_devices_are_one_sentence(sets: Path, tmp_path: Path) -> None:
    with pytest.raises(ZeroplyError, match="unknown precision 'fp8': choose one of fp32, tf32, bf16, fp16"):
        config(sets, precision="fp8")
    with pytest.raises(ZeroplyError, match="device 'cuda:63' cannot be used here: choose another --device"):
        train(config(sets, device="cuda:63"), run=tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")
@pytest.mark.parametrize("precision", ["fp32", "tf32", "bf16", "fp16"])
def test_training_on_a_gpu(sets: Path, tmp_path: Path, precision: str) -> None:
    file = train(config(sets, net="conv4(width=0.2)", device="cuda", precision=precision), run=tmp_path / "run")
    assert json.loads((file.parent / "result.json").read_text())["result"]["test"]["top1"] > 0.2


# Recipes


def test_the_paper_s_recipe() -> None:
    on_unique = TrainConfig(preset="liskowski", net="conv8", data="x", dataset="unique")
    assert (on_unique.optimizer, on_unique.momentum, on_unique.rate, on_unique.decay) == ("sgd", 0.95, 0.1, 5e-4)
    assert (on_unique.batch, on_unique.epochs, on_unique.test, on_unique.split) == (512, 24, 0.25, "position")
    on_symmetric = TrainConfig(preset="liskowski", net="conv8", data="x", dataset="unique-s", seed=3)
    assert (on_symmetric.epochs, on_symmetric.test, on_symmetric.seed) == (6, 0.05, 3)
    # Batches as the paper counts them: 171,600 in 24 epochs and 434,400 in 6.
    assert abs(math.ceil(4_880_413 * 0.75 / 512) * 24 - 171_600) / 171_600 < 0.001
    assert abs(math.ceil(39_019_056 * 0.95 / 512) * 6 - 434_400) / 434_400 < 0.001


def test_the_rate_is_halved_twelve_times_or_as_the_text_says() -> None:
    reading = TrainConfig(preset="liskowski", net="conv8", data="x", dataset="unique")
    rates = [rate_at(reading, step, 2400, 100) for step in range(2400)]
    assert sorted(set(rates), reverse=True) == [0.1 * 0.5**k for k in range(12)]
    assert all(rates.count(rate) == 200 for rate in set(rates))
    literal = replace(reading, schedule="literal")
    assert rate_at(literal, 2399, 2400, 100) == 0.1 * 0.5**47
    short = replace(reading, epochs=6.0)
    both = [
        [rate_at(replace(short, schedule=s), step, 600, 100) for step in range(600)] for s in ("halvings", "literal")
    ]
    assert both[0] == both[1]


def test_the_fast_rate_rises_and_falls_to_nothing() -> None:
    fast = replace(TrainConfig(preset="fast", net="conv8", data="x"), warmup=0.1)
    rates = [rate_at(fast, step, 1000, 100) for step in range(1000)]
    assert rates.index(max(rates)) == 100
    assert rates[:100] == sorted(rates[:100])
    assert rates[100:] == sorted(rates[100:], reverse=True)
    assert rates[-1] < 1e-4 * max(rates)


@pytest.mark.parametrize(
    "changes",
    [
        {"batch": 0},
        {"epochs": 0},
        {"rate": 0},
        {"momentum": 1},
        {"warmup": 1},
        {"test": 1},
        {"bag": 101},
        {"member": 1},
    ],
)
def test_bad_numbers_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ZeroplyError):
        TrainConfig(preset="fast", net="conv4", data="x", **changes)


def test_weights_decay_and_biases_do_not() -> None:
    module = untrained("dense(layers=8)", OTHELLO).module
    made = optimizer("adamw", module, rate=0.01, decay=0.1)
    assert [group["weight_decay"] for group in made.param_groups] == [0.1, 0.0]
    assert all(p.ndim == 2 for p in made.param_groups[0]["params"])
    assert sum(len(group["params"]) for group in made.param_groups) == len(list(module.parameters()))


# Training


def test_a_net_learns_and_says_how_it_was_made(sets: Path, tmp_path: Path) -> None:
    reports: list[tuple[int, int]] = []
    file = train(
        config(sets, net="dense(layers=128)", epochs=15, rate=0.005),
        run=tmp_path / "run",
        progress=lambda done, total, _="": reports.append((done, total)),
    )
    result = Run.read(tmp_path / "run").result
    assert result is not None
    by_chance = evaluate(zp.player("random", OTHELLO), Examples.open(sets, "unique"), np.arange(3000, dtype=np.uint32))
    assert result["test"]["top1"] > 1.5 * by_chance.top1
    assert result["train"]["top1"] > result["test"]["top1"]
    assert reports[-1][0] == reports[-1][1]
    losses = [event["loss"] for event in Run.read(tmp_path / "run").events("progress")]
    assert losses[-1] < 0.7 * losses[0]
    info = inspect(str(file))
    assert str(info.spec) == "dense(layers=128)"
    made = dict(info.training)
    assert made["accuracy"] == {"train": result["train"], "test": result["test"]}
    assert str(sets) not in json.dumps(made)
    assert zp.match(f'net("{file}")', "random", games=200, openings="random(plies=4)", seed=1).score > 0.5


@pytest.mark.parametrize(
    "changes",
    [
        {"net": "conv4(width=0.1, bn=true, dropout=0.5)", "optimizer": "sgd", "rate": 0.05},
        {"net": "staged(net=dense(layers=16, bn=true))", "symmetries": True},
        {"net": "dense(layers=16)", "bag": 2, "epochs": 0.1},
    ],
    ids=["sgd and dropout", "adamw and stages", "bag"],
)
def test_a_training_interrupted_anywhere_ends_with_the_same_weights(
    sets: Path, tmp_path: Path, changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = config(sets, **changes)
    whole = train(wanted, run=tmp_path / "whole")
    monkeypatch.setattr(Run, "save_due", lambda run, seconds: True)
    steps = 0

    class Enough(Exception):
        pass

    def stop(done: int, total: int, text: str = "") -> None:
        nonlocal steps
        steps += 1
        if steps % 5 == 0:
            raise Enough

    with pytest.raises(Enough):
        train(wanted, run=tmp_path / "cut", progress=stop)
    for _ in range(100):
        try:
            file = resume(tmp_path / "cut", progress=stop)
            break
        except Enough:
            continue
    assert weights(file) == weights(whole)
    logs = [[{**e, "time": ""} for e in Run.read(tmp_path / name).events()] for name in ("whole", "cut")]
    assert logs[0] == logs[1]


def command(sets: Path, out: Path, *words: str) -> list[str]:
    return [
        *("train", "conv4(width=0.05)", "--data", str(sets), "--set", "unique", "--test", "0.2", "--batch", "64"),
        *("--evaluations", "2", "--evaluated", "100", "--measured", "100", "--epochs", "0.5", "--threads", "1"),
        *("--run", str(out), *words),
    ]


@pytest.fixture(scope="module")
def whole(sets: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The net that `command` trains in one process, uninterrupted."""
    folder = tmp_path_factory.mktemp("trained") / "whole"
    main(command(sets, folder))
    return folder / "net.safetensors"


def test_kill_9_and_resume_give_the_same_weights_bit_for_bit(sets: Path, whole: Path, tmp_path: Path) -> None:
    code = "from zeroply.runs import Run; Run.save_due = lambda run, seconds: True; "
    code += "from zeroply.cli.main import main; main()"
    killed = subprocess.Popen([sys.executable, "-c", code, *command(sets, tmp_path / "cut")])
    checkpoints = tmp_path / "cut" / "checkpoints"
    for _ in range(3000):
        if checkpoints.is_dir() and len(list(checkpoints.glob("*.safetensors"))) >= 2:
            break
        time.sleep(0.01)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    assert Run.read(tmp_path / "cut").result is None
    resume(tmp_path / "cut")
    assert weights(tmp_path / "cut" / "net.safetensors") == weights(whole)


@pytest.mark.parametrize("kind", ["sgd", "adamw"])
def test_what_an_optimizer_remembers_comes_back(kind: str) -> None:
    planes, moves = torch.rand(32, 2, 8, 8), torch.randint(0, 60, (32,))

    def steps(count: int, before: dict[str, NDArray[Any]] | None = None) -> tuple[list[Any], dict[str, NDArray[Any]]]:
        module = untrained("conv4(width=0.1)", OTHELLO).module
        initialise(module, 1)
        made = optimizer(kind, module, rate=0.01, decay=0.01, momentum=0.9)
        if before is not None:
            load_state(kind, made, module, before)
        for _ in range(count):
            made.zero_grad()
            loss(module(planes), moves).backward()  # type: ignore[no-untyped-call]
            made.step()
        return [p.detach().clone() for p in module.parameters()], state_arrays(kind, made, module)

    _, remembered = steps(3)
    afresh, _ = steps(1)
    later, _ = steps(1, remembered)
    again, _ = steps(1, remembered)
    assert all(torch.equal(a, b) for a, b in zip(later, again, strict=True))
    assert not all(torch.equal(a, b) for a, b in zip(later, afresh, strict=True))


def test_a_training_can_go_on_from_a_net(sets: Path, tmp_path: Path) -> None:
    first = train(config(sets, epochs=1), run=tmp_path / "first")
    second = train(config(sets, init=str(first), rate=1e-9, decay=0.0, warmup=0.0), run=tmp_path / "second")
    one, two = (load(str(file), OTHELLO).weights for file in (first, second))
    assert all(np.allclose(one[name], two[name], atol=1e-5) for name in one if "running" not in name)
    with pytest.raises(ZeroplyError, match="do not fit"):
        train(config(sets, init=str(first), net="dense(layers=33)"), run=tmp_path / "third")


def bits(game: zp.Game, weights: Any = None) -> Net:
    """Two layers over the bits of both boards."""

    class Bits(Module):
        inputs = "bits"

        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = torch.nn.Linear(128, 32), torch.nn.Linear(32, 60)

        def forward(self, own: Any, opponent: Any) -> Any:
            places = torch.arange(64)
            seen = torch.cat([(board[:, None] >> places) & 1 for board in (own, opponent)], dim=1)
            return self.second(torch.relu(self.first(seen.float())))

    return TorchNet(game, weights, Bits(), "pieces", "moves")


@pytest.mark.parametrize("spec", ["bits", "staged(net=bits)"])
def test_a_module_may_ask_for_bitboards(sets: Path, tmp_path: Path, spec: str) -> None:
    if "bits" not in NETS:
        NETS.lazy("bits", f"{__name__}:bits")
    file = train(config(sets, net=spec, epochs=4, rate=0.01), run=tmp_path / "run")
    result = Run.read(tmp_path / "run").result
    assert result is not None
    assert result["train"]["top1"] > 0.2
    net = load(str(file), OTHELLO)
    assert net.encoding == "bitboards of own and opposing stones"
    by_planes = untrained("dense(layers=32, bn=false)", OTHELLO)
    if spec == "bits":  # the same numbers, seen as planes
        names = {"first": "layers.1", "second": "layers.3"}
        load_weights(
            by_planes.module,
            {n.replace(*next(i for i in names.items() if i[0] in n)): a for n, a in net.weights.items()},
        )
        positions = OTHELLO.replay("f5d6c3d3c4")
        np.testing.assert_allclose(net.prefer(positions), by_planes.prefer(positions), atol=1e-5)


@pytest.mark.parametrize("spec", ["conv4(width=0.02, bn=true)", "dense(layers=8-8)"])
def test_a_last_batch_of_one_example_is_learned_too(sets: Path, tmp_path: Path, spec: str) -> None:
    examples, split = open_examples(config(sets))
    batch = len(examples.side(split, "train")) - 1
    file = train(config(sets, net=spec, batch=batch, epochs=2.0, evaluations=0), run=tmp_path / "run")
    assert all(np.isfinite(array).all() for array in load(str(file), OTHELLO).weights.values())


def test_judged_positions_must_be_of_the_same_examples_and_fit_the_net(sets: Path, tmp_path: Path) -> None:
    judging.judge(
        JudgeConfig(data=str(sets), judge="greedy", positions=50, split="game", test=0.05, split_seed=1),
        run=tmp_path / "j",
    )
    given = {"judged": (str(tmp_path / "j"),), "split": "game", "test": 0.05, "split_seed": 1}
    with pytest.raises(ZeroplyError, match="which colour is to move"):
        train(config(sets, net="conv4(width=0.02, encoding=turn)", **given), run=tmp_path / "turn")
    played = zp.match("greedy", "greedy", games=10, openings="random(plies=8)", seed=2)
    records.save(played.records(), tmp_path / "games.txt")
    build_examples(tmp_path / "games.txt", tmp_path / "others")
    with pytest.raises(ZeroplyError, match="positions of other examples"):
        train(config(tmp_path / "others", **given), run=tmp_path / "other")
    assert not (tmp_path / "turn").exists()
    assert not (tmp_path / "other").exists()


def test_a_player_that_looks_ahead_is_measured_by_its_best_move(sets: Path) -> None:
    examples, split = open_examples(config(sets))
    rows = examples.side(split, "test")[:50]
    assert len(evaluate(player("greedy", "othello"), examples, rows).top) == 5
    assert len(evaluate(player("engine(depth=2)", "othello"), examples, rows).top) == 1


def test_a_training_that_diverges_says_so(sets: Path, tmp_path: Path) -> None:
    with pytest.raises(ZeroplyError, match="diverged at step"):
        train(
            config(sets, net="dense(layers=32, bn=false)", optimizer="sgd", rate=10.0, decay=10.0, clip=0.0, epochs=5),
            run=tmp_path / "run",
        )


def test_bad_input_is_refused_before_anything_is_written(sets: Path, tmp_path: Path) -> None:
    for changes in ({"net": "conv5"}, {"net": "wpc"}, {"data": str(tmp_path / "nowhere")}, {"dataset": "best"}):
        with pytest.raises(ZeroplyError):
            train(config(sets, **changes), run=tmp_path / "run")
        assert not (tmp_path / "run").exists()


def test_other_examples_than_those_it_was_started_with_are_refused(sets: Path, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        train(config(sets), run=tmp_path / "run", progress=interrupt)
    info = json.loads((tmp_path / "run" / "run.json").read_text())
    assert info["inputs"] == {str(sets): Examples.open(sets, "unique").digest}
    played = zp.match("random", "random", games=20, seed=1)
    records.save(played.records(), tmp_path / "games.txt")
    build_examples(tmp_path / "games.txt", tmp_path / "others")
    shutil.rmtree(sets_of_run := tmp_path / "sets", ignore_errors=True)
    shutil.copytree(tmp_path / "others", sets_of_run)
    info["config"]["data"] = str(sets_of_run)
    body = {key: value for key, value in info.items() if key != "sha256"}
    (tmp_path / "run" / "run.json").write_text(json.dumps(seal(body)))
    with pytest.raises(ZeroplyError, match="has changed since the run began"):
        resume(tmp_path / "run")


def interrupt(done: int, total: int, text: str = "") -> None:
    raise KeyboardInterrupt


def test_a_net_to_begin_with_that_has_changed_is_noticed(sets: Path, tmp_path: Path) -> None:
    before = tmp_path / "before.safetensors"
    for seed in (1, 2):
        train(config(sets, seed=seed), run=tmp_path / f"first-{seed}")
    shutil.copy(tmp_path / "first-1" / NET, before)
    with pytest.raises(KeyboardInterrupt):
        train(config(sets, init=str(before)), run=tmp_path / "run", progress=interrupt)
    shutil.copy(tmp_path / "first-2" / NET, before)
    with pytest.raises(ZeroplyError, match="has changed since the run began"):
        resume(tmp_path / "run")


def interrupt_at(step: int) -> Progress:
    def report(done: int, total: int, text: str = "") -> None:
        if done >= step:
            raise KeyboardInterrupt

    return report


# Several processes

TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "--"]
"""Without the last word torchrun takes --run for an option of its own."""


def test_a_batch_is_shared_among_processes() -> None:
    for size in (1, 2, 3):
        parts = [Team(rank, size, torch.device("cpu")).part(64) for rank in range(size)]
        assert [row for part, _ in parts for row in range(64)[part]] == list(range(64))
        assert sum(weight for _, weight in parts) == pytest.approx(size)
    assert [weight for _, weight in (Team(rank, 2, torch.device("cpu")).part(1) for rank in range(2))] == [0.0, 2.0]


def test_two_processes_train_the_net_that_one_would_also_if_one_began(
    sets: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Run, "save_due", lambda run, seconds: True)
    settings = config(sets, net="dense(layers=16, bn=false)", optimizer="sgd", rate=0.05, clip=0.0)
    with pytest.raises(KeyboardInterrupt):
        train(settings, run=tmp_path / "resumed", progress=interrupt_at(10))
    commands = [command(sets, tmp_path / "two", "--json"), ["resume", str(tmp_path / "resumed")]]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (tmp_path / "both.py").write_text(  # one program: starting torch three times takes longer than the training
        "import os\nfrom zeroply.cli.main import main\n"
        f"main({commands[0]!r})\n"
        f"os.environ.update(MASTER_PORT='{port}', TORCHELASTIC_USE_AGENT_STORE='False')  # a second process group\n"
        f"main({commands[1]!r})\n"
    )
    done = subprocess.run(
        [*TORCHRUN, "both"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    files = [tmp_path / name / "net.safetensors" for name in ("two", "resumed")]
    result, _ = json.JSONDecoder().raw_decode(done.stdout)
    assert result["file"] == str(files[0])
    for alone, file, tolerance in ((whole, files[0], 2e-3), (train(settings, run=tmp_path / "one"), files[1], 1e-4)):
        one, two = (load(str(path), OTHELLO).weights for path in (alone, file))
        for name in one:
            np.testing.assert_allclose(one[name], two[name], atol=tolerance)


# Runs of other versions


@pytest.mark.parametrize("changes", [{"unheard_of": 1}, {"net": None}])
def test_a_run_of_another_version_is_explained(
    sets: Path, tmp_path: Path, changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {**stored(config(sets)), **changes}
    settings = {name: value for name, value in settings.items() if value is not None}  # None leaves a field out
    Run.create(tmp_path / "run", kind="train", config=settings, seed=1, level=levels.chosen()).close()
    for rank in ("0", "1"):  # the process that records the run, and one that helps it
        monkeypatch.setenv("RANK", rank)
        monkeypatch.setenv("WORLD_SIZE", "2")
        with pytest.raises(ZeroplyError, match="started by another version"):
            resume(tmp_path / "run")


# Bags


def test_the_members_of_a_bag_differ_and_the_bag_averages_them(sets: Path, tmp_path: Path) -> None:
    file = train(config(sets, bag=3, epochs=0.5), run=tmp_path / "run")
    bag = load(str(file), OTHELLO)
    assert str(bag.spec) == "bag(net=dense(layers=32), members=3)"
    members = [load(str(tmp_path / "run" / f"member-0{k}.safetensors"), OTHELLO) for k in (1, 2, 3)]
    position = OTHELLO.replay("f5d6c3d3c4")
    shares = []
    for member in members:
        outputs = member.outputs(position)[0].astype(np.float64)  # type: ignore[attr-defined]
        shares.append(np.exp(outputs) / np.exp(outputs).sum())
    assert not np.allclose(shares[0], shares[1])
    np.testing.assert_allclose(np.exp(bag.outputs(position)[0]), np.mean(shares, axis=0), atol=1e-5)  # type: ignore[attr-defined]


def test_members_that_are_trained_by_other_jobs_give_the_same_bag(sets: Path, tmp_path: Path) -> None:
    """The second of three members has a run of its own; the others are trained with the bag."""
    some = {"bag": 3, "epochs": 0.2}
    whole = train(config(sets, **some), run=tmp_path / "whole")
    one = train(config(sets, **some, member=2, evaluations=0), run=tmp_path / "one")
    assert str(load(str(one), OTHELLO).spec) == "dense(layers=32)"
    assert weights(one) == weights(tmp_path / "whole" / "member-02.safetensors")
    shared = train(config(sets, **some, members=(str(one.parent),)), run=tmp_path / "shared")
    assert weights(shared) == weights(whole)
    log = Run.read(shared.parent)
    assert {event["member"] for event in log.events("progress")} == {0, 2}


@pytest.mark.parametrize(
    ("its", "bag", "words"),
    [
        ({"member": 1, "epochs": 0.1}, {}, "was trained with other settings than this bag"),
        ({"bag": 0}, {}, "has no new member of a bag: train each with another --member"),
        ({"member": 3}, {"bag": 0}, "only a whole bag takes --members"),
        ({"member": 3}, {"member": 1}, "only a whole bag takes --members"),
    ],
)
def test_members_of_other_bags_are_refused(
    sets: Path, tmp_path: Path, its: dict[str, Any], bag: dict[str, Any], words: str
) -> None:
    some = {"bag": 3, "epochs": 0.05, "evaluations": 0}
    one = train(config(sets, **{**some, **its}), run=tmp_path / "one")
    with pytest.raises(ZeroplyError, match=words):
        train(config(sets, **{**some, "members": (str(one.parent),), **bag}), run=tmp_path / "run")
    assert not (tmp_path / "run").exists()


# Measuring


class Wishes:
    """Prefers given moves; boards are distinguished by their own discs."""

    def __init__(self, values: dict[int, NDArray[np.float32]]) -> None:
        self.values = values

    def prefer(self, positions: zp.Positions) -> NDArray[np.float32]:
        likes = np.stack([self.values.get(int(row.sum()), np.zeros(64)) for row in positions.stones()])
        return np.where(positions.legal(), likes, -np.inf).astype(np.float32)


class Known:
    """A set of a few examples."""

    def __init__(self, transcripts: list[str], moves: list[str]) -> None:
        self.game = OTHELLO
        self.known = [OTHELLO.replay(one) for one in transcripts]
        self.moves = np.array([OTHELLO.notation.cell(move) for move in moves], np.int64)

    def positions(self, rows: NDArray[np.uint32]) -> tuple[zp.Positions, NDArray[np.int64]]:
        return zp.Positions.join(self.known[row] for row in rows), self.moves[rows]


def test_accuracy_counts_equal_moves_by_their_chance() -> None:
    data = Known(["", "f5"], ["d3", "d6"])
    rows = np.arange(2, dtype=np.uint32)
    result = evaluate(zp.player("random", OTHELLO), data, rows)
    assert result.top == pytest.approx([(1 / 4 + 1 / 3) / 2, (2 / 4 + 2 / 3) / 2, (3 / 4 + 1) / 2, 1, 1])
    assert result.by_move() == {1: (1, 0.25), 2: (1, pytest.approx(1 / 3))}
    assert [(cell["move"], cell["legal"], cell["positions"]) for cell in result.cells()] == [(1, 4, 1), (2, 3, 1)]
    assert (result.raw, result.valid, result.loss) == (None, None, None)


def test_accuracy_is_the_rank_of_the_expert_s_move() -> None:
    data = Known([""], ["c4"])
    likes = np.zeros(64, np.float32)
    for value, cell in enumerate(("c4", "d3", "e6", "f5")):
        likes[OTHELLO.notation.cell(cell)] = value
    result = evaluate(Wishes({0: likes}), data, np.zeros(1, np.uint32))
    assert result.top == [0, 0, 0, 1, 1]


def test_a_net_is_also_measured_as_it_is(sets: Path) -> None:
    net = untrained("dense(layers=8)", OTHELLO)
    initialise(net.module, 2)
    data = Examples.open(sets, "unique")
    rows = data.side(Split(by="game", test=0.2, seed=1), "test")[:200]
    result = evaluate(net, data, rows, batch=64)
    own, opponent, moves = data.take(rows)
    positions = from_bits(OTHELLO, own, opponent)
    outputs = torch.from_numpy(net.outputs(positions))
    from zeroply.nets.encodings import playable

    cells = playable(OTHELLO)
    largest = cells[outputs.argmax(dim=1).numpy()]
    assert result.raw == pytest.approx((largest == moves).mean())
    assert result.valid == pytest.approx(positions.legal()[np.arange(len(rows)), largest].mean())
    targets = torch.from_numpy(np.searchsorted(cells, moves))
    assert result.loss == pytest.approx(float(loss(outputs, targets)), rel=1e-5)
    assert result.top1 >= (result.raw or 0)
    chosen = net.prefer(positions).argmax(axis=1)
    assert result.top1 == pytest.approx((chosen == moves).mean())


def test_boards_know_whose_they_are(sets: Path) -> None:
    data = Examples.open(sets, "original")
    rows = np.arange(100, dtype=np.uint32)
    own, opponent, _ = data.take(rows)
    positions = from_bits(OTHELLO, own, opponent, data.black(rows))
    assert ((positions.to_move() > 0) == data.black(rows)).all()
    assert set(positions.to_move().tolist()) == {1, -1}
    plain = from_bits(OTHELLO, own, opponent)
    assert (positions.planes() == plain.planes()).all()
    assert positions[:1].text() == OTHELLO.start().text()


def test_a_sample_is_drawn_by_its_key() -> None:
    rows = np.arange(1000, dtype=np.uint32)
    assert (sample(rows, 100, 1) == sample(rows, 100, 1)).all()
    assert len(np.unique(sample(rows, 100, 1))) == 100
    assert not np.array_equal(sample(rows, 100, 1), sample(rows, 100, 2))
    assert sample(rows, 5000, 1) is rows
    least = np.argsort(chance.draw(7, np.arange(1000)))[:10]  # published numbers were measured on these
    assert sample(rows, 10, 7).tolist() == sorted(least.tolist())


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({}, ""),
        ({"digest": "another"}, "it was trained on other examples, which may include test examples of these"),
        ({"test": 0.5}, "it was trained with another split (by position, test 0.5, seed 0)"),
        ({"dataset": "original"}, "it was trained on original, which is split by position in its own way"),
        ({"dataset": "original", "split": "game"}, "it was trained with another split (by game, test 0.1, seed 0)"),
    ],
)
def test_a_net_that_may_have_seen_test_examples_is_found_out(sets: Path, changes: dict[str, Any], says: str) -> None:
    data = Examples.open(sets, "unique")
    recipe = {"split": "position", "test": 0.1, "split_seed": 0, "dataset": "unique", **changes}
    trained = {"digest": recipe.pop("digest", data.digest), "recipe": recipe}
    assert overlap(trained, data, Split(by="position", test=0.1, seed=0)) == says
    assert overlap({"recipe": recipe}, data, Split()) == overlap({}, data, Split()) == ""


def test_a_training_draws_the_examples_it_is_measured_on_once(
    sets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn, measured = [], []

    def draw(rows: Any, wanted: int, key: int) -> Any:
        drawn.append(wanted)
        return sample(rows, wanted, key)

    def measure(net: Any, data: Any, rows: Any) -> Any:
        measured.append(len(rows))
        return evaluate(net, data, rows)

    monkeypatch.setattr(training, "sample", draw)
    monkeypatch.setattr(training, "evaluate", measure)
    train(config(sets, epochs=0.1, evaluations=3, evaluated=20, measured=30, bag=2), run=tmp_path / "run")
    assert drawn == [20, 20, 30, 30]  # a test and a training side each
    assert measured == [20] * 12 + [30] * 2


def test_nothing_to_measure_on_is_an_error(sets: Path) -> None:
    with pytest.raises(ZeroplyError, match="no examples"):
        evaluate(zp.player("random", OTHELLO), Examples.open(sets, "unique"), np.zeros(0, np.uint32))


@pytest.fixture
def run_json(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*words: str) -> Any:
        capsys.readouterr()
        main(list(words))
        return json.loads(capsys.readouterr().out)

    return run


def test_the_command_measures_any_player(sets: Path, tmp_path: Path, run_json: Any) -> None:
    where = ["--data", str(sets), "--test", "0.2", "--json"]
    greedy = run_json("evaluate", "greedy(ties=lowest)", *where, "--positions", "300")
    assert greedy["test"]["top1"] > 0.5
    assert set(greedy) == {"train", "test"}
    assert sum(cell["positions"] for cell in greedy["test"]["cells"]) == greedy["test"]["positions"]
    engine = run_json("evaluate", "engine(depth=1)", *where, "--positions", "50", "--side", "test")
    assert engine["test"]["raw"] is None
    file = train(config(sets), run=tmp_path / "run")
    net = run_json("evaluate", str(file), *where, "--split", "position")
    assert 0 < net["test"]["valid"] <= 1


def test_the_command_measures_a_whole_set_without_what_another_one_has(
    sets: Path, run_json: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    where = ["evaluate", "greedy(ties=lowest)", "--data", str(sets), "--side", "all", "--positions", "1000000"]
    examples = Examples.open(sets, "unique")
    assert run_json(*where, "--json")["all"]["positions"] == len(examples)
    with pytest.raises(SystemExit):
        main([*where, "--without", str(sets)])
    assert "none is left to measure on" in capsys.readouterr().err
    own, opponent, _ = examples.take(np.arange(50))
    positions = from_bits(OTHELLO, own, opponent)
    images = [positions.symmetry(k) for k in range(8)]
    hashes = [canonical(*bits_of(image)) for image in images]
    assert all((one == hashes[0]).all() for one in hashes)
    different = {min(image.text()[i] for image in images) for i in range(50)}
    assert len(set(hashes[0].tolist())) == len(different)


def test_only_positions_that_the_other_set_has_are_left_out(sets: Path, tmp_path: Path) -> None:
    played = zp.match("random", "greedy", games=10, openings="random(plies=4)", seed=9)
    records.save([*records.load(sets.parent / "games.txt")[:20], *played.records()], tmp_path / "games.txt")
    build_examples(tmp_path / "games.txt", tmp_path / "sets")
    mine, other = Examples.open(tmp_path / "sets", "unique"), Examples.open(sets, "original")

    def smallest(examples: Examples) -> list[str]:
        own, opponent, _ = examples.take(np.arange(len(examples)))
        positions = from_bits(OTHELLO, own, opponent)
        return [min(texts) for texts in zip(*(positions.symmetry(k).text() for k in range(8)), strict=True)]

    known = set(smallest(other))
    expected = [row for row, position in enumerate(smallest(mine)) if position not in known]
    assert 0 < len(expected) < len(mine)
    assert unknown(mine, np.arange(len(mine), dtype=np.uint32), other).tolist() == expected


def test_a_test_that_is_none_is_noticed(sets: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = train(config(sets), run=tmp_path / "run")
    warned = []
    for words in (["--split-seed", "1"], ["--split-seed", "2"]):
        main(["evaluate", str(file), "--data", str(sets), "--test", "0.2", "--positions", "50", "--json", *words])
        warned.append("may have learned from these test examples: it was trained with another split" in err(capsys))
    assert warned == [False, True]
    with pytest.raises(ZeroplyError, match="has learned from test examples of this training"):
        train(config(sets, init=str(file), split_seed=2), run=tmp_path / "second")
    assert not (tmp_path / "second").exists()


def err(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("words", "turned"), [([], True), (["--symmetries", "True"], True), (["--symmetries", "False"], False)]
)
def test_the_command_can_leave_symmetries_out(
    sets: Path, tmp_path: Path, run_json: Any, words: list[str], turned: bool
) -> None:
    brief = ["--epochs", "0.01", "--evaluations", "0", "--measured", "20", "--threads", "1", "--json"]
    run_json("train", "dense(layers=8)", "--data", str(sets), "--run", str(tmp_path / "run"), *brief, *words)
    assert Run.read(tmp_path / "run").info.config["symmetries"] is turned


@pytest.mark.parametrize("words", [[], ["--preset", "liskowski"], ["--set", "unique-s"]])
def test_python_and_the_command_line_train_alike(
    sets: Path, tmp_path: Path, run_json: Any, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[TrainConfig] = []

    class Enough(Exception):
        pass

    def start(experiment: Training, *_: Any, **__: Any) -> None:
        made.append(experiment.config)
        raise Enough

    monkeypatch.setattr("zeroply.cli.experiments.run_experiment", start)
    with pytest.raises(Enough):
        run_json("train", "conv4", "--data", str(sets), "--run", str(tmp_path / "run"), *words)
    keys = {"--preset": "preset", "--set": "dataset"}
    given: dict[str, Any] = {keys[words[0]]: words[1]} if words else {}
    assert made == [TrainConfig(net="conv4", data=str(sets), **given)]


def test_every_command_uses_the_same_dataset_by_default() -> None:
    from zeroply.cli.bench import bench
    from zeroply.cli.evaluate import evaluate as command

    commands: list[Any] = [command, *bench.values()]
    given = {one.__name__: signature(one).parameters.get("dataset") for one in commands}
    named = {name: parameter.default for name, parameter in given.items() if parameter}
    named |= {"train": TrainConfig(net="x", data="x").dataset, "judge": JudgeConfig(data="x").dataset}
    assert len(named) == 4
    assert set(named.values()) == {"unique"}


class SelfMade(torch.nn.Module):  # type: ignore[name-defined, misc]
    """Layers that the recipe names, and others that initialise themselves."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm = torch.nn.Conv2d(2, 6, 3), torch.nn.GroupNorm(2, 6)
        self.scale = torch.nn.Parameter(torch.tensor([0.5, 2.0]))
        self.table = torch.nn.Embedding(7, 3)


def test_only_convolutional_and_linear_layers_are_initialised_anew() -> None:
    module = SelfMade()
    before = {name: array.clone() for name, array in module.state_dict().items()}
    initialise(module, 1)
    after = module.state_dict()
    assert [name for name in after if not torch.equal(after[name], before[name])] == ["conv.weight", "conv.bias"]
    assert not after["conv.bias"].any()
    assert (after["norm.weight"] == 1).all()


def test_layers_that_initialise_themselves_depend_on_the_seed_only(monkeypatch: pytest.MonkeyPatch) -> None:
    from zeroply.nets.modules import initialise as module

    class Found:
        def __init__(self) -> None:
            self.module = SelfMade()

    monkeypatch.setattr(module, "untrained", lambda spec, game: Found())
    result: list[Any] = [module.initialised("any", OTHELLO, seed).module for seed in (1, 1, 2)]
    first, again, other = (one.table.weight for one in result)
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
