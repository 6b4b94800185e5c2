"""zeroply against itself over every protocol at 50 ms a move: no illegal move, no loss on time.

A few games are part of every test run, with time to spare for a busy machine; a hundred of each with `make duels`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import zeroply as zp
from zeroply.specs import literal

ZEROPLY = Path(sys.executable).with_name("zeroply")
SEARCH = {"othello": "engine(depth=12)", "gomoku": "alphabeta(depth=20, eval=lines)"}
SEARCH["atarigo"] = "alphabeta(depth=20, eval=liberties)"
PLAYED = [
    ("gtp", "othello"),
    ("gtp", "gomoku(size=9)"),
    ("gtp", "atarigo(size=7)"),
    ("nboard", "othello"),
    ("gomocup", "gomoku(size=9)"),
]


def duel(protocol: str, game: str, games: int, timeout: float, seconds: float = 0.05) -> zp.MatchResult:
    """Two engines that would search far longer than they may, each behind the protocol."""
    name = zp.game(game).name
    command = (
        f"{ZEROPLY} engine --protocol {protocol} --game '{game}' --seconds {seconds} --threads 1 "
        f"--player '{SEARCH[name]}'"
    )
    depth = ", depth=60" if protocol == "nboard" else ""
    spec = f"{protocol}({literal(command)}, timeout={timeout}, startup=120, processes=1{depth})"
    return zp.match(spec, spec, game=game, games=games, openings="random(plies=4)", seed=7)


@pytest.mark.parametrize(("protocol", "game"), PLAYED)
def test_engines_play_each_other(protocol: str, game: str) -> None:
    result = duel(protocol, game, 2, 30, seconds=0.01)
    assert result.forfeits == []
    assert all(record.final().over()[0] for record in result.records())


@pytest.mark.duels
@pytest.mark.parametrize(("protocol", "game"), PLAYED)
def test_a_hundred_games_at_50_ms(protocol: str, game: str) -> None:
    result = duel(protocol, game, 100, 0.05)
    print(
        f"\n{protocol} {game}: {result.games} games, {int(result.lengths.sum())} moves, {len(result.forfeits)} forfeits"
    )
    assert result.forfeits == []
