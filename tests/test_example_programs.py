"""The programs in examples/: each is short, runs, and does what it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples"
PROGRAMS = sorted(FOLDER.glob("*.py"))


def run(folder: Path, name: str, *words: str) -> str:
    """What a program prints, run in a folder."""
    done = subprocess.run(
        [sys.executable, str(FOLDER / name), *words],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_examples_are_short(program: Path) -> None:
    assert len(program.read_text().splitlines()) < 80


def score(printed: str) -> float:
    found = re.search(r"score ([\d.]+)", printed)
    assert found
    return float(found[1])


def test_an_own_net_learns(tmp_path: Path) -> None:
    assert score(run(tmp_path, "own_net.py", "work")) > 0.5
    assert (tmp_path / "work" / "senet" / "net.safetensors").exists()


def test_an_own_strategy_learns_by_an_own_fitness(tmp_path: Path) -> None:
    learned, played = run(tmp_path, "own_snes.py", str(tmp_path / "snes")).splitlines()
    first, last = map(float, re.findall(r"\d\.\d\d", learned))
    assert last > first + 0.3
    assert score(played) > 0.7


def test_a_game_in_numpy_is_evolved(tmp_path: Path) -> None:
    assert score(run(tmp_path, "connect_four.py", "work")) > 0.6
    assert (tmp_path / "work" / "champion.safetensors").exists()


def test_an_own_player_plays(tmp_path: Path) -> None:
    assert score(run(tmp_path, "own_player.py")) > 0.6


def test_ppo_learns_on_the_vector_environment(tmp_path: Path) -> None:
    results = [float(line.rpartition(" ")[2]) for line in run(tmp_path, "ppo.py", "6").splitlines()]
    assert len(results) == 6
    assert results[0] < 0.15
    assert results[-1] > 0.2


def test_a_net_plays_on_pettingzoo_s_environment(tmp_path: Path) -> None:
    assert run(tmp_path, "pettingzoo_game.py").splitlines()[-1] == "reward of the net: +1"
