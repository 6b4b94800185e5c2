"""Other programs that drive engines: whole games over GTP with the npm package @sabaki/gtp, and a whole game of Othello
in a window of Quarry (Debian). Without them the tests are skipped.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import zeroply as zp

ZEROPLY = Path(sys.executable).with_name("zeroply")
SCRIPT = Path(__file__).parent / "clients" / "sabaki_game.js"


SABAKI = Path(__file__).parents[1] / "build" / "npm" / "node_modules" / "@sabaki" / "gtp"


@pytest.fixture(scope="module")
def sabaki() -> Path:
    """The folder of the package."""
    if shutil.which("node") is None or not SABAKI.is_dir():
        pytest.skip("node or @sabaki/gtp is not installed: install node and npm, then run 'make test DEBIAN=1'")
    return SABAKI


@pytest.mark.parametrize("game", ["othello", "gomoku(size=9)", "atarigo(size=7)"])
def test_sabaki_plays_whole_games(sabaki: Path, game: str) -> None:
    size = "9" if "gomoku" in game else "7" if "atarigo" in game else "8"
    engine = [str(ZEROPLY), "engine", "--player", "random", "--game", game]
    words = ["node", str(SCRIPT), str(sabaki), size, *engine]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["analysed"]
    assert found["scores"][0] == found["scores"][1]
    assert len(found["moves"]) > 8
    assert found["moves"][-1].endswith("pass" if game == "othello" else "resign")


# Quarry

QUARRY = """
[GTP Engine "zeroply "]
Screen name format = "%n %v"
Name = "zeroply"
Command line = "{engine}"
Supported games = "Reversi"

[New Game Parameters]
Game = "Reversi"
White is computer = true
Black is computer = true
"""
ENGINE = """#!/bin/sh
tee {folder}/told.$$ | {zeroply} engine --player "alphabeta(depth=1)" | tee {folder}/said.$$
"""


class Screen:
    """An empty X display on which programs open windows."""

    def __init__(self, display: str, home: Path) -> None:
        self.environment = {**os.environ, "DISPLAY": display, "HOME": str(home)}

    def run(self, *words: str) -> str:
        """Run a program to its end; returns its output."""
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, check=False, timeout=60)
        return done.stdout

    def click(self, title: str, x: int, y: int) -> None:
        """Click in a window as soon as it exists; negative numbers count from the right and the bottom."""
        deadline = time.monotonic() + 60
        while not (found := self.run("xdotool", "search", "--onlyvisible", "--name", title).split()):
            assert time.monotonic() < deadline, f"there is no window {title}"
            time.sleep(0.2)
        time.sleep(2)  # until it is drawn
        lines = self.run("xdotool", "getwindowgeometry", "--shell", found[0]).splitlines()
        at = {key: int(value) for key, _, value in (line.partition("=") for line in lines)}
        x, y = at["X"] + (x if x >= 0 else at["WIDTH"] + x), at["Y"] + (y if y >= 0 else at["HEIGHT"] + y)
        self.run("xdotool", "mousemove", str(x), str(y), "click", "1")


@contextmanager
def running(*words: str, **options: object) -> Iterator[subprocess.Popen[bytes]]:
    """A program in the background, terminated afterwards."""
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)  # type: ignore[call-overload]
    try:
        yield process
    finally:
        process.terminate()
        process.wait(10)


def test_quarry_plays_a_whole_game_of_othello(debian_program: Callable[..., Path], tmp_path: Path) -> None:
    quarry, xvfb = debian_program("quarry"), debian_program("Xvfb", "xvfb")
    debian_program("xdotool")
    engine = tmp_path / "engine"
    engine.write_text(ENGINE.format(folder=tmp_path, zeroply=ZEROPLY))
    engine.chmod(0o755)
    (tmp_path / ".quarry").write_text(QUARRY.format(engine=engine))
    with running(str(xvfb), "-displayfd", "1", "-screen", "0", "1024x768x24", stdout=subprocess.PIPE) as screen:
        assert screen.stdout is not None
        display = Screen(f":{int(screen.stdout.readline())}", tmp_path)
        with running(str(quarry), env=display.environment, stdout=subprocess.DEVNULL):
            display.click("Control Center", 97, 27)  # New Game
            display.click("New Game", -50, -28)  # Forward
            display.click("New Game", -50, -28)  # Play
            assert _moves_of(tmp_path, 180) == "over"


def _moves_of(folder: Path, seconds: float) -> str:
    """`over` once the engines have played a game to its end, or how far they came within the time."""
    deadline, position = time.monotonic() + seconds, zp.game("othello").start()
    while time.monotonic() < deadline:
        time.sleep(0.5)
        for told in folder.glob("told.*"):
            position = zp.game("othello").start()
            said = (folder / f"said.{told.suffix[1:]}").read_text().split("\n\n")[:-1]  # the last may be half an answer
            requests = [line.split() for line in told.read_text().splitlines()]
            for words, answer in zip(requests, said, strict=False):
                if "play" in words:
                    position.play([words[-1].lower()])
                elif "genmove" in words and "pass" not in answer:
                    position.play([answer.split()[-1].lower()])
            if position.over()[0]:
                return "over"
    return position.status()[0]
