"""A long match of two programs, one of which crashes in about one game in a hundred; killed and resumed on the way.

    python tests/crashing_match.py --games 10000 --kills 5

It plays the match twice at the same time, once without and once with kills, and checks: no hang, no process or zombie
left, every crash forfeits its game with a reason and nothing else does, and both matches have the same games.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "engines"))

from crashing_engine import SIZE, crash_is_due

import zeroply as zp
from zeroply.specs import literal

GAME = f"atarigo(size={SIZE})"
PLIES = 6
"""Moves of an opening; the crash comes at the second own move after it."""
ZEROPLY = [sys.executable, "-m", "zeroply"]
BYTES_PER_GAME = 250
"""Roughly, of the log of a run: moments of kills are chosen by its length, so a busy machine changes nothing."""
PATIENCE = 600.0
"""Seconds without a new game after which a match counts as hanging; a busy machine takes a minute to start a match."""


class Zombies:
    """Looks for zombies among the children of a process; one is normal for a moment."""

    def __init__(self, parent: int) -> None:
        self.parent = parent
        self.since: dict[int, float] = {}
        self.longest = 0.0

    def look(self) -> None:
        """Note how long each zombie has been one."""
        now = {pid: self.since.get(pid, time.monotonic()) for pid in self._there()}
        self.since = now
        self.longest = max([self.longest, *(time.monotonic() - begun for begun in now.values())])

    def _there(self) -> Iterator[int]:
        try:
            lines = [path.read_text() for path in Path(f"/proc/{self.parent}/task").glob("*/children")]
        except OSError:
            return
        for pid in {int(word) for line in lines for word in line.split()}:
            try:
                if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                    yield pid
            except OSError:
                continue


def left_over(mark: str) -> list[int]:
    """The processes with `mark` in their command line, apart from this one."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark.encode() in entry.read_bytes() and int(entry.parent.name) != os.getpid():
                found.append(int(entry.parent.name))
        except OSError:
            continue
    return found


def play(words: list[str], log: Path, until: float) -> tuple[int, float]:
    """Run a command, killed when its log has `until` bytes; its exit code, and how long a zombie lasted."""
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        zombies, size, moved = Zombies(process.pid), -1, time.monotonic()
        try:
            while process.poll() is None:
                zombies.look()
                now = log.stat().st_size if log.exists() else -1
                if now != size:
                    size, moved = now, time.monotonic()
                assert time.monotonic() - moved < PATIENCE, "the match hangs"
                if size >= until:
                    process.kill()
                time.sleep(0.05)
        except BaseException:
            process.kill()
            raise
        error = b"" if process.stderr is None else process.stderr.read()
        assert process.returncode in (0, -9), error.decode()
        return process.returncode, zombies.longest


def crashes_of(record: zp.GameRecord) -> bool:
    """Whether the crashing program has to die in a game, by its moves alone."""
    points = [f"{record.game.facts.gtp.notation.name(cell)}" for cell in record.moves]
    turns = [f"{('black', 'white')[number % 2]} {point}" for number, point in enumerate(points)]
    first = PLIES + ((record.black != "crasher") != PLIES % 2)
    return len(turns) >= first + 2 and crash_is_due(turns[: first + 2])


def outcome(folder: Path) -> tuple[list[dict[str, Any]], Any]:
    """The games of a run and its result, without any times."""
    record = zp.Run.read(folder)
    events = [{key: event[key] for key in event if key != "time"} for event in record.events("pair")]
    return events, record.result


def command_of(mark: str, games: int, concurrency: int, seed: int) -> list[str]:
    """The command that plays the match, without the folder of its run; `mark` is seen in the engines' command lines."""
    engine = f"{sys.executable} -S -E {Path(__file__).parent / 'engines' / 'crashing_engine.py'} {mark}"
    players = [f"gtp({literal(engine + ' --crashes')}, name=crasher)", f"gtp({literal(engine)}, name=steady)"]
    options = ["--game", GAME, "--openings", f"random(plies={PLIES})", "--games", str(games), "--seed", str(seed)]
    return [*ZEROPLY, "match", *players, *options, "--concurrency", str(concurrency), "--run"]


def play_killed(match: list[str], mark: str, run: Path, games: int, kills: int, seed: int) -> tuple[int, float]:
    """Play a match that is killed at random moments and resumed; how often it was, and how long a zombie lasted."""
    dice, killed, zombie, words, log = random.Random(seed), 0, 0.0, [*match, str(run)], run / "events.jsonl"
    moments = sorted(dice.uniform(0.02, 0.95) * games * BYTES_PER_GAME for _ in range(kills))
    while True:
        code, lasted = play(words, log, moments[killed] if killed < kills else float("inf"))
        zombie = max(zombie, lasted)
        deadline = time.monotonic() + 30
        while left_over(mark) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not left_over(mark), f"processes are left: {left_over(mark)}"
        if code == 0:
            return killed, zombie
        killed += 1
        if (run / "run.json").exists():
            words = [*ZEROPLY, "resume", str(run)]


def measure(games: int, kills: int, concurrency: int, folder: Path, seed: int = 1) -> dict[str, Any]:
    """Play the match twice, check it, and return the figures."""
    number = f"{os.getpid()}-{random.randrange(10**9)}"
    marks = [f"mark-whole-{number}", f"mark-killed-{number}"]
    whole, killing = (command_of(mark, games, concurrency, seed) for mark in marks)
    begun, before = time.monotonic(), os.times()
    with ThreadPoolExecutor(1) as thread:
        log = folder / "whole" / "events.jsonl"
        playing = thread.submit(play, [*whole, str(folder / "whole")], log, float("inf"))
        killed, zombie = play_killed(killing, marks[1], folder / "killed", games, kills, seed)
        code, lasted = playing.result()
    assert code == 0
    assert not left_over(marks[0])
    zombie, wall, used = max(zombie, lasted), time.monotonic() - begun, os.times()
    cpu = used.children_user + used.children_system - before.children_user - before.children_system
    assert outcome(folder / "killed") == outcome(folder / "whole"), "the killed match differs"
    assert zombie < 5, f"a zombie lasted {zombie:.0f} s"

    result = zp.Run.read(folder / "whole").result
    assert result is not None
    lost = {(one["game"], one["reason"], one["fault"]) for one in result["forfeits"]}
    from zeroply.runs.resume import resume

    due = {number for number, record in enumerate(resume(folder / "whole").records(), 1) if crashes_of(record)}
    reason = ("exited with code 3: fatal: out of luck", "crash")
    assert lost == {(number, *reason) for number in due}, "forfeits and crashes differ"
    return {
        "games": result["games"],
        "forfeits": len(lost),
        "reasons": dict(Counter(why for _, why, _ in lost)),
        "kills": killed,
        "longest zombie, s": round(zombie, 2),
        "wall time of both, s": round(wall, 1),
        "CPU time of both, s": round(cpu, 1),
    }


def main() -> None:
    """Play the match with the numbers of the command line and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--concurrency", type=int, default=4)
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="zeroply-match-"))
    try:
        print(json.dumps(measure(given.games, given.kills, given.concurrency, folder), indent=2))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
