"""Instruction-set levels: every level plays the same games, and a level that cannot be had is a clear error.

A process has one level, so these tests start others.
"""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from zeroply import levels
from zeroply.errors import ZeroplyError

HEAVY = ("torch", "matplotlib", "fastapi", "dask", "distributed", "scipy")

PLAY = """
import sys
import numpy as np
from zeroply import _core, chance
from zeroply.games import game

print(_core.LEVEL, file=sys.stderr)
specs = ["othello(size=6)", "othello", "othello(size=10)", "othello(size=16)", "gomoku(size=7)", "gomoku(size=19)"]
specs += ["gomoku(size=9, exact=true)", "atarigo(size=5)", "atarigo(size=19)"]
specs += ["atarigo(size=9, captures=3, suicide=illegal)", "atarigo(size=7, captures=2)"]
for spec in specs:
    tally = game(spec).core.random_games(7, 400)
    print(spec, tally.plies, tally.black_wins, tally.white_wins, game(spec).perft(3 if game(spec).size > 9 else 4))
    positions = game(spec).start(300)
    keys, moves = chance.keys(3, np.arange(300)), np.empty(300, np.int32)
    for _ in range(20):
        positions.batch.random_moves(keys, moves)
        positions.play(moves)
        print(positions.hash().sum(), positions.legal().sum())
print(game("othello").perft(8))
"""


NETS = """
import sys
import numpy as np
import zeroply as zp
from zeroply import _core, chance
from zeroply.nets import population_net

print(_core.LEVEL, file=sys.stderr)
random = zp.player("random", "othello")
positions = zp.game("othello").start(60)
for ply in range(60):  # position i has seen i moves
    later = positions[ply + 1 :]
    positions[np.arange(ply + 1, 60)] = later.after(random.choose(later, chance.keys(ply, np.arange(len(later)))))
specs = ["mdrnn(k=10)", "mdrnn(k=13, layers=2)", "mdrnn(k=6, border=distance, features=true)", "mdlstm(k=5, layers=2)"]
specs += ["mdrnn(k=7, output=value)", "mlp(hidden=37)", "spatial"]
answers = []
for spec in specs:
    net = population_net(spec, zp.game("othello"))
    members = np.repeat(np.arange(20), 3).astype(np.int32)
    for of in (members, members // 4, members * 0):  # members look at three, twelve and sixty positions
        answers.append(net.prefer(net.checked(0.3 * net.initial(chance.keys(1, np.arange(20)))), of, positions))
answers += [zp.player("net(othello-fast)", "othello").prefer(positions[:n]) for n in (1, 2, 5, 60)]
answers.append(chance.normal(3, np.arange(1000)))
for answer in answers:
    print(*answer.ravel())
"""


def run(code: str, level: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != levels.VARIABLE}
    if level is not None:
        environment[levels.VARIABLE] = level
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120)


def error_of(done: subprocess.CompletedProcess[str]) -> str:
    """The last line of a process that must have failed."""
    assert done.returncode != 0
    return done.stderr.strip().splitlines()[-1]


def test_the_plainest_level_can_always_be_had() -> None:
    assert levels.available()[0] == "baseline"
    assert levels.chosen() in levels.available()


def test_every_level_plays_the_same_games() -> None:
    done = {level: run(PLAY, level) for level in levels.available()}
    for level, process in done.items():
        assert process.returncode == 0, process.stderr
        assert process.stderr.split() == [level]
        assert process.stdout == done["baseline"].stdout
    assert done["baseline"].stdout.splitlines()[-1] == "390216"


def test_the_nets_of_every_level_agree() -> None:
    answers = []
    for level in levels.available():
        done = run(NETS, level)
        assert done.returncode == 0, done.stderr
        assert done.stderr.split() == [level]
        answers.append([np.array(line.split(), np.float64) for line in done.stdout.splitlines()])
    assert len(answers[0]) == 26
    for other in answers[1:]:
        for first, second in zip(answers[0], other, strict=True):
            assert np.allclose(first, second, rtol=1e-4, atol=1e-5)


def test_the_best_level_is_taken_unless_another_is_asked_for() -> None:
    code = "from zeroply import levels; before = levels.chosen(); from zeroply import _core; print(before, _core.LEVEL)"
    best = levels.available()[-1]
    assert run(code).stdout.split() == [best, best]
    assert run(code, "").stdout.split() == [best, best]
    assert run(code, "baseline").stdout.split() == ["baseline", "baseline"]


@pytest.mark.parametrize("level", ["v9", "V3", "../baseline", "baseline "])
def test_an_unknown_level_is_one_clear_sentence(level: str) -> None:
    said = error_of(run("from zeroply import _core", level))
    assert said.startswith("zeroply.errors.ZeroplyError: ")
    assert f"'{level}' is not available on this CPU: choose from baseline" in said


def test_a_level_that_is_refused_leaves_the_environment_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "zeroply._core", raising=False)
    for before in (None, "baseline"):
        if before is None:
            monkeypatch.delenv(levels.VARIABLE, raising=False)
        else:
            monkeypatch.setenv(levels.VARIABLE, before)
        with pytest.raises(ZeroplyError, match="'v9' is not available on this CPU"):
            levels.select("v9")
        assert os.environ.get(levels.VARIABLE) == before
    levels.select("baseline")
    assert os.environ[levels.VARIABLE] == levels.chosen() == "baseline"


def test_a_level_can_be_selected_before_the_core_is_loaded() -> None:
    code = """
import os, subprocess, sys
from zeroply import levels
from zeroply.errors import ZeroplyError
levels.select("baseline")
from zeroply import _core
levels.select("baseline")
child = "from zeroply import _core; print(_core.LEVEL)"
print(_core.LEVEL, subprocess.run([sys.executable, "-c", child], capture_output=True, text=True).stdout)
"""
    assert run(code).stdout.split() == ["baseline", "baseline"]


def test_a_level_that_cannot_be_had_is_not_selected() -> None:
    code = """
import os
from zeroply import levels
from zeroply.errors import ZeroplyError
from zeroply.errors import ZeroplyError
try:
    levels.select("v9")
except ZeroplyError as error:
    print(error)
print(os.environ.get(levels.VARIABLE))
"""
    assert run(code).stdout.splitlines()[1] == "None"
    assert run(code, "baseline").stdout.splitlines()[1] == "baseline"
    assert "'v9' is not available" in run(code).stdout


@pytest.mark.parametrize("level", ["v3", "v9"])
def test_another_level_cannot_be_selected_once_the_core_is_loaded(level: str) -> None:
    code = f"from zeroply import _core, levels; levels.select('{level}')"
    said = error_of(run(code, "baseline"))
    assert said.startswith("zeroply.errors.ZeroplyError: the core is already loaded at level baseline")
    assert f"ZEROPLY_LEVEL={level}" in said


@pytest.mark.parametrize("module", ["zeroply", "zeroply.games", "zeroply.levels", "zeroply.chance"])
def test_importing_zeroply_draws_in_nothing_heavy(module: str) -> None:
    loaded = run(f"import sys, {module}; print(*sys.modules)").stdout.split()
    assert module in loaded
    assert not set(HEAVY) & set(loaded)
