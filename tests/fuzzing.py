"""Fuzzing of everything that reads what others wrote: protocols, records, specs, player files, nets and checkpoints.

    python tests/fuzzing.py --count 200000

Valid inputs are mutated, and only clean errors may come out. How many inputs get past the first stage is counted, as a
fuzzer that only ever meets the first check finds nothing.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import fuzz_files
import fuzz_protocols
import zeroply as zp
from fuzz_mutations import mutated
from fuzz_targets import Target
from zeroply import chance
from zeroply.errors import ZeroplyError
from zeroply.records.ggf import write_ggf
from zeroply.records.sgf import write_sgf
from zeroply.records.transcripts import write_transcripts

HANG_SECONDS = 20
"""An input that takes longer has hung."""
LEAST_SHARE = 0.3
"""The share of inputs that must get past the first stage."""
MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None
"""Where files are written, hundreds of thousands of times."""


@dataclass
class Outcome:
    """What fuzzing a target found."""

    name: str
    """The target."""
    inputs: int = 0
    """Inputs tried."""
    deep: int = 0
    """Inputs that got past the first stage."""
    failures: list[tuple[bytes, str]] = field(default_factory=list)
    """Inputs that crashed or hung, with the traceback."""
    seconds: float = 0.0
    """Time by the clock."""

    @property
    def share(self) -> float:
        """Share that got past the first stage."""
        return self.deep / max(1, self.inputs)


def targets(folder: Path) -> dict[str, Target]:
    """All targets by name; files are written in the folder."""
    all_games = ("othello", "gomoku(size=9)", "atarigo(size=7)")
    return {
        "gtp": fuzz_protocols.gtp(),
        "nboard": fuzz_protocols.nboard(),
        "gomocup": fuzz_protocols.gomocup(),
        "ggf": fuzz_files.text_records(".ggf", write_ggf, "othello"),
        "sgf": fuzz_files.text_records(".sgf", write_sgf, *all_games),
        "transcripts": fuzz_files.text_records(".txt", write_transcripts, *all_games),
        "wthor": fuzz_files.wthor(),
        "obf": fuzz_files.obf(),
        "specs": fuzz_files.specs(),
        "player files": fuzz_files.player_files(folder),
        "net files": fuzz_files.net_files(folder),
        "checkpoints": fuzz_files.checkpoints(folder),
    }


def fuzz(name: str, target: Target, count: int, seed: int = 0) -> Outcome:
    """Try mutations of a target's seeds."""
    dice = random.Random(chance.key(seed, "fuzz", name))
    outcome = Outcome(name)
    begun = time.monotonic()
    for data in _inputs(dice, target, count):
        outcome.inputs += 1
        signal.alarm(HANG_SECONDS)
        try:
            outcome.deep += target.attempt(data)
        except ZeroplyError:
            pass
        except Exception:
            outcome.failures.append((data, traceback.format_exc(limit=-6)))
        finally:
            signal.alarm(0)
    outcome.seconds = time.monotonic() - begun
    return outcome


def _inputs(dice: random.Random, target: Target, count: int) -> Iterator[bytes]:
    for _ in range(count):
        if target.mutate is not None and dice.random() < 0.5:
            yield target.mutate(dice, dice.choice(target.seeds))
        else:
            yield mutated(dice, target.seeds, target.words)


def _hung(number: int, frame: FrameType | None) -> None:
    raise TimeoutError(f"took longer than {HANG_SECONDS} s")


def main() -> None:
    """Fuzz all targets, or those named, and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("names", nargs="*", help="targets; all of them by default")
    parser.add_argument("--count", type=int, default=200_000, help="mutations of each target")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    signal.signal(signal.SIGALRM, _hung)
    zp.set_threads(1)
    good = True
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        known = targets(Path(folder))
        print(f"{'target':<14}{'mutations':>12}{'past the first stage':>23}{'failures':>10}{'seconds':>10}")
        for name in options.names or known:
            found = fuzz(name, known[name], options.count, options.seed)
            good = good and not found.failures and found.share >= LEAST_SHARE
            deep = f"{found.deep:,} ({found.share:.1%})"
            print(f"{name:<14}{found.inputs:>12,}{deep:>23}{len(found.failures):>10}{found.seconds:>10.0f}", flush=True)
            for data, why in found.failures[:3]:
                print(f"\n{data[:2000]!r}\n{why}", flush=True)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
