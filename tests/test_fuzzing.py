"""The fuzzer finds faults, and a short run of it finds none in what reads the files and lines of others."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz_targets import Target
from fuzzing import LEAST_SHARE, fuzz, targets

NAMES = ["gtp", "nboard", "gomocup", "ggf", "sgf", "transcripts", "wthor", "obf", "specs", "player files", "net files"]


@pytest.mark.parametrize("name", [*NAMES, "checkpoints"])
def test_only_clean_errors_come_out(name: str, tmp_path: Path) -> None:
    known = targets(tmp_path)
    assert set(known) == {*NAMES, "checkpoints"}
    found = fuzz(name, known[name], 150, seed=1)
    assert [why for _, why in found.failures] == []
    assert found.inputs == 150
    assert found.share > LEAST_SHARE / 2


def test_a_fault_is_found_and_told() -> None:
    def attempt(data: bytes) -> bool:
        return bool(1 / (len(data) - 3))

    found = fuzz("broken", Target([b"abc", b"abcd"], attempt), 300)
    assert found.failures
    assert all(len(data) == 3 and "ZeroDivisionError" in why for data, why in found.failures)


def test_the_same_seed_gives_the_same_inputs() -> None:
    seen: list[bytes] = []

    def attempt(data: bytes) -> bool:
        seen.append(data)
        return True

    target = Target([b"abc 12 def"], attempt)
    fuzz("a", target, 50, seed=3)
    fuzz("a", target, 50, seed=3)
    assert seen[:50] == seen[50:]
