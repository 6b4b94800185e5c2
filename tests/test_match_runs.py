"""A match kept in a folder: killed or interrupted at any moment it ends the same, its test included."""

from __future__ import annotations

import json
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import zeroply as zp
from run_commands import outcome, refusal, started
from zeroply.arena.league import League
from zeroply.arena.match import Match
from zeroply.arena.setup import FIRST_PAIRS, SHARE, GameSetup
from zeroply.cli.main import main
from zeroply.nets import build, load
from zeroply.runs import Run
from zeroply.runs.resume import resume

MATCHES: dict[str, dict[str, Any]] = {
    "plain": {"games": 60, "openings": "random(plies=6)", "batch": 12},
    "decided": {"games": 4000, "openings": "random(plies=8)", "batch": 16, "sprt": (0, 20)},
    "undecided": {"games": 80, "openings": ["f5d6", "f5f6"], "batch": 4096, "sprt": (0, 5)},
}
MATCH = ("match", "greedy", "random", "--games", 2000, "--openings", "random(plies=8)", "--seed", 4, "--batch", 16)


@pytest.mark.parametrize("name", MATCHES)
def test_interrupted_anywhere_and_resumed_it_ends_the_same(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings: dict[str, Any] = {"seed": 4, **MATCHES[name]}
    plain = zp.match("greedy", "random", **settings)
    whole = zp.match("greedy", "random", **settings, run=tmp_path / "whole")
    assert whole.to_dict() == plain.to_dict()
    blocks = plain.games // 2 // FIRST_PAIRS
    for after in {1, 2, blocks - 1}:
        folder, calls = tmp_path / str(after), iter(range(1000))
        monkeypatch.setattr(Run, "save_due", lambda run, seconds, lucky=after % 2: bool(lucky))

        def interrupt(done: int, total: int, text: str = "", calls: Any = calls, after: int = after) -> None:
            if next(calls) == after:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            zp.match("greedy", "random", **settings, run=folder, progress=interrupt)
        assert not Run.read(folder).finished
        again = resume(folder)
        assert again.records() == plain.records()
        assert again.sprt == plain.sprt
        assert outcome(folder) == outcome(tmp_path / "whole")


@pytest.mark.parametrize("batch", [2, 7, 4096])
def test_the_log_ends_with_the_test_for_any_batch(tmp_path: Path, batch: int) -> None:
    def play(folder: Path, batch: int) -> zp.MatchResult:
        return zp.match("naive", "random", game="atarigo(size=5)", sprt=(0, 20), games=2000, batch=batch, run=folder)

    result = play(tmp_path / "one", batch)
    assert result.sprt is not None
    assert result.sprt.verdict == "H1"
    assert len(list(Run.read(tmp_path / "one").events("pair"))) == result.sprt.pairs
    play(tmp_path / "other", 64)
    assert outcome(tmp_path / "one") == outcome(tmp_path / "other")


def test_killed_between_its_last_game_and_its_result_it_plays_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings: dict[str, Any] = {"game": "atarigo(size=5)", "sprt": (0, 20), "games": 2000}
    whole = zp.match("naive", "random", **settings, run=tmp_path / "run")
    before = outcome(tmp_path / "run")
    (tmp_path / "run" / "result.json").unlink()
    monkeypatch.setattr(GameSetup, "play", lambda *_, **__: pytest.fail("games were played"))
    assert resume(tmp_path / "run").to_dict() == whole.to_dict()
    assert outcome(tmp_path / "run") == before


def test_killed_as_a_process_and_resumed_it_ends_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(word) for word in (*MATCH, "--run", tmp_path / "whole")])
    whole = capsys.readouterr()
    folder, dice = tmp_path / "run", random.Random(3)
    for sign in ("checkpoints/*.safetensors", "lock"):
        words = ("resume", folder) if (folder / "run.json").exists() else (*MATCH, "--run", folder)
        process = started(words, folder, sign)
        time.sleep(dice.uniform(0, 0.2))
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL, "the match was over before it could be killed"
    main(["resume", str(folder)])
    assert capsys.readouterr() == whole
    assert outcome(folder) == outcome(tmp_path / "whole")


def test_an_interrupt_says_how_to_go_on(tmp_path: Path) -> None:
    folder, saved = tmp_path / "run", tmp_path / "its games.txt"
    process = started((*MATCH, "--run", folder, "--save", saved), folder, "checkpoints/*")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, out) == (130, "")
    assert err.splitlines() == [f"resume with: zeroply resume {folder} --save '{saved}'", "zeroply: interrupted"]


def test_a_finished_match_is_told_again_also_if_its_files_are_gone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    openings, run = tmp_path / "openings.txt", tmp_path / "run"
    openings.write_text(f"f5d6c3\n{zp.game('othello').replay('f5f6e6').text()[0]}\n")
    words = ["match", "naive", "greedy", "--openings", str(openings), "--sprt", "0", "20", "--run", str(run)]
    main([*words, "--save", str(tmp_path / "first.sgf")])
    first = capsys.readouterr().out
    openings.unlink()
    main(["resume", str(run), "--save", str(tmp_path / "again.sgf")])
    assert capsys.readouterr().out == first
    assert (tmp_path / "again.sgf").read_text() == (tmp_path / "first.sgf").read_text()
    main(["resume", str(run), "--json"])
    assert json.loads(capsys.readouterr().out) == Run.read(run).result


def test_a_match_whose_openings_have_changed_does_not_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    openings, run = tmp_path / "openings.txt", tmp_path / "run"
    openings.write_text("f5d6c3\n")
    zp.match("naive", "greedy", openings=openings, run=run)
    (run / "result.json").unlink()
    openings.write_text("f5f6\n")
    assert "has changed since the run began" in refusal(capsys, "resume", run)


def test_a_folder_that_cannot_be_used_is_refused_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("match", "random", "naive", "--games", 2, "--run")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    assert "full is not empty: choose another folder" in refusal(capsys, *words, tmp_path / "full")
    assert "is not a folder" in refusal(capsys, *words, tmp_path / "full" / "file")
    main([str(word) for word in (*words, tmp_path / "run")])
    assert f"resume it with: zeroply resume {tmp_path / 'run'}" in refusal(capsys, *words, tmp_path / "run")
    assert "must be 2 or more, and even" in refusal(capsys, *words[:3], "--games", 3, "--run", tmp_path / "odd")
    assert not (tmp_path / "odd").exists()


class Greedy(zp.Player):
    """A player of one's own by the name of another, which must not take its place."""

    def prefer(self, positions: zp.Positions) -> NDArray[np.float32]:
        return np.where(positions.legal(), np.float32(0), np.float32(-np.inf))


@pytest.mark.parametrize(
    "made",
    [
        lambda: Greedy(zp.game("othello")),
        lambda: zp.player("alphabeta(depth=4)", "othello").within(depth=1),
        lambda: build("wpc", "othello", {"cells": np.zeros(64, np.float32)}),
    ],
)
def test_players_that_cannot_be_made_again_are_not_kept(made: Callable[[], Any], tmp_path: Path) -> None:
    for play in (zp.match, lambda *players, **more: zp.league(players, **more)):
        with pytest.raises(
            zp.ZeroplyError, match=r"made in Python and cannot be made again to resume a (match|league)"
        ):
            play(made(), "random", games=2, run=tmp_path / "run")
    assert not (tmp_path / "run").exists()
    assert zp.match(made(), "random", games=2).games == 2


def test_a_loaded_net_is_kept_by_its_name(tmp_path: Path) -> None:
    net = load("othello-swh", "othello")
    zp.match(net, "random", games=2, run=tmp_path / "run")
    (tmp_path / "run" / "result.json").unlink()
    assert resume(tmp_path / "run").players == ("net(othello-swh)", "random")


@pytest.mark.parametrize(("given", "says"), [(Greedy, "the class Greedy"), (None, "a NoneType"), (3, "a int")])
def test_what_is_no_player_is_told_apart(given: Any, says: str) -> None:
    for play in (zp.match, lambda *players, **more: zp.league(players, **more)):
        with pytest.raises(zp.ZeroplyError, match=f"a player is named by a spec .*, not {says}"):
            play(given, "random", games=2)


def test_a_finished_match_that_a_format_cannot_hold_is_refused_before_it_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    board = zp.game("othello").replay("f5d6").text()
    zp.match("greedy", "random", openings=board, games=2, run=tmp_path / "run")
    assert "cannot hold a set-up" in refusal(capsys, "resume", tmp_path / "run", "--save", tmp_path / "games.wtb")


def test_blocks_of_a_match_that_is_kept_grow_slowly_so_that_a_kill_costs_little() -> None:
    with GameSetup.prepare("gomoku(size=5)", ["random", "random"], "none", 2000, 1) as table:
        blocks = [table.play(0, 1, 1, small=True)]
        while (done := sum(map(len, blocks))) < table.pairs:
            blocks.append(table.play(0, 1, 1, done, small=True))
        whole = table.play(0, 1, 1)
        later = table.play(0, 1, 1, blocks[-2].first, small=True)
    assert sum(map(len, blocks)) == len(whole) == 1000
    assert all(len(block) <= max(FIRST_PAIRS, block.first // SHARE) for block in blocks)
    assert (later.first, len(later)) == (blocks[-2].first, len(blocks[-2]))


def test_the_page_charts_the_mean_score_of_a_match_and_of_each_pairing_of_a_league(tmp_path: Path) -> None:
    played = zp.match("naive", "random", game="atarigo(size=5)", games=40, run=tmp_path / "match")
    points = [p for event in zp.Run.read(tmp_path / "match").events("pair") for p in Match.charts[0].points(event)]
    assert [(name, x) for name, x, _ in points] == [("score", pair) for pair in range(20)]
    assert points[-1][2] == pytest.approx(played.score, abs=1e-4)
    zp.league(["naive", "random", "greedy"], game="othello(size=4)", games=4, run=tmp_path / "league")
    pairs = zp.Run.read(tmp_path / "league").events("pair")
    assert len({name for event in pairs for name, *_ in League.charts[0].points(event)}) == 3
