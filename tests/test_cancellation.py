"""Cancelling: a search in the core stops soon after the call, and its thread begins no other work there."""

from __future__ import annotations

import threading
import time

import pytest

import zeroply as zp
from zeroply import _core


@pytest.mark.parametrize(
    ("game", "player"),
    [
        ("gomoku(size=15)", "alphabeta(depth=12, eval=lines)"),
        ("gomoku(size=15)", "engine(depth=20)"),
        ("othello", "engine(depth=20, solve=0)"),
        ("othello", "alphabeta(depth=30, eval=pattern, mode=strong, threads=2)"),
    ],
)
def test_a_cancelled_search_stops_within_50_ms_of_its_own_cpu_time(game: str, player: str) -> None:
    made = zp.player(player, game)
    position = zp.game(game).start()
    cancellation, searching, outcomes = _core.Cancellation(), threading.Event(), list[str]()
    spent = list[float]()

    def search() -> None:
        _core.obey(cancellation)
        searching.set()
        try:
            made.prefer(position)
            outcomes.append("finished")
        except _core.Cancelled:
            outcomes.append("cancelled")
        spent.append(time.thread_time())

    thread = threading.Thread(target=search)
    thread.start()
    searching.wait()
    time.sleep(0.4)
    clock = time.pthread_getcpuclockid(thread.ident or 0)
    cancellation.cancel()
    before = time.clock_gettime(clock)
    thread.join()
    assert outcomes == ["cancelled"]
    assert spent[0] - before < 0.05


def test_a_cancelled_thread_begins_no_work_in_the_core_and_others_do() -> None:
    game, cancellation = zp.game("gomoku"), _core.Cancellation()
    player = zp.player("alphabeta(depth=1, eval=lines)", game)
    found = list[str]()

    def ask(by: _core.Cancellation | None) -> None:
        _core.obey(by)
        try:
            player.prefer(game.start())
            found.append("answered")
        except _core.Cancelled:
            found.append("cancelled")

    cancellation.cancel()
    for by in (cancellation, None):
        thread = threading.Thread(target=ask, args=(by,))
        thread.start()
        thread.join()
    assert found == ["cancelled", "answered"]
