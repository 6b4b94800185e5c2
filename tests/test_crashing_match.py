"""A match of two programs, one of which crashes now and then, killed on the way: tests/crashing_match.py in short."""

from __future__ import annotations

from pathlib import Path

from crashing_match import measure


def test_a_match_with_crashes_and_a_kill_has_the_same_games_and_leaves_nothing_behind(tmp_path: Path) -> None:
    figures = measure(games=60, kills=1, concurrency=4, folder=tmp_path, seed=3)
    assert figures["games"] == 60
    assert figures["kills"] == 1
    assert figures["forfeits"] >= 1
