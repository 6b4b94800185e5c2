"""Leagues: a table that adds up, and a run that ends the same with any threads, any batch and after any kill."""

from __future__ import annotations

import json
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zeroply as zp
from run_commands import outcome, refusal, started, zeroply
from zeroply import levels
from zeroply.cli.main import main
from zeroply.nets import save
from zeroply.nets.wpc import Wpc
from zeroply.records import replay_all
from zeroply.runs import Run, recorded_level
from zeroply.runs.resume import resume

PLAYERS = ("random", "greedy", "naive", "net(othello-swh)")


def unfinish(folder: Path) -> None:
    """Make a finished run one that was killed before its last checkpoints."""
    (folder / "result.json").unlink()
    for checkpoint in sorted((folder / "checkpoints").iterdir())[1:]:
        checkpoint.unlink()


# The table


@pytest.fixture(scope="module")
def table() -> zp.LeagueResult:
    return zp.league(PLAYERS, games=200, openings="random(plies=6)", seed=1)


def test_every_two_players_meet_equally_often(table: zp.LeagueResult) -> None:
    assert (table.games == 200 * (1 - np.eye(4, dtype=int))).all()
    assert list(table.pairings) == [(i, j) for i in range(4) for j in range(i + 1, 4)]


def test_points_of_two_players_add_up_to_their_games(table: zp.LeagueResult) -> None:
    assert (table.points + table.points.T == table.games).all()
    off = ~np.eye(4, dtype=bool)
    assert np.allclose(table.scores[off], (table.points / np.maximum(1, table.games))[off])
    assert np.isnan(table.scores.diagonal()).all()
    assert np.allclose(table.mean_scores, table.points.sum(axis=1) / 600)
    assert np.isclose(table.mean_scores.mean(), 0.5)


def test_ratings_follow_the_scores_of_a_full_round_robin(table: zp.LeagueResult) -> None:
    order = table.ranking()
    assert order == sorted(order, key=lambda i: -table.mean_scores[i])
    assert table.players[order[0]] == "net(othello-swh)"
    ratings = table.ratings
    assert abs(ratings.elo.mean()) < 1e-6
    assert (ratings.low < ratings.elo).all()
    assert (ratings.elo < ratings.high).all()
    assert (np.diff(ratings.elo[order]) <= 0).all()


def test_every_game_of_a_league_can_be_replayed_to_its_score(table: zp.LeagueResult) -> None:
    records = table.records()
    winners = replay_all(records).winner().tolist()
    assert len(records) == 1200
    points = dict.fromkeys(PLAYERS, 0.0)
    for record, winner in zip(records, winners, strict=True):
        points[record.black] += (1 + winner) / 2
        points[record.white] += (1 - winner) / 2
    assert points == {name: table.points[i].sum() for i, name in enumerate(PLAYERS)}


def test_all_pairings_use_the_same_openings(table: zp.LeagueResult) -> None:
    starts = [[record.moves[:6] for record in table.records()[200 * k : 200 * (k + 1)]] for k in range(6)]
    assert all(start == starts[0] for start in starts)
    assert len(set(starts[0])) == 100


def test_the_summary_is_the_table_strongest_first(table: zp.LeagueResult) -> None:
    summary = table.to_dict()
    assert summary["games"] == 1200
    assert [one["player"] for one in summary["players"]] == [PLAYERS[i] for i in table.ranking()]
    for one in summary["players"]:
        assert one["elo_interval"][0] < one["elo"] < one["elo_interval"][1]
        assert np.isclose(np.mean(list(one["against"].values())), one["score"])
        assert one["games"] == 600
    assert all(sum(pairs) == 100 for pairs in summary["pentanomial"].values())
    json.dumps(summary, allow_nan=False)


def test_a_league_is_printed_as_its_ranking(table: zp.LeagueResult) -> None:
    first, *rows = str(table).splitlines()
    assert first == "othello, 1200 games"
    assert [row.split()[0] for row in rows] == ["1", "2", "3", "4"]
    for row, i in zip(rows, table.ranking(), strict=True):
        _, player, elo, sign, error, score = row.split()
        assert (player, sign) == (PLAYERS[i], "±")
        assert int(elo) == round(table.ratings.elo[i])
        assert int(error) == round((table.ratings.high[i] - table.ratings.low[i]) / 2)
        assert float(score) == pytest.approx(table.mean_scores[i], abs=0.0006)


def test_repeated_games_of_a_league_are_counted_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    players = ["net(othello)", "net(othello-fast)", "random"]
    result = zp.league(players, games=20)
    assert result.different[:2, :2].tolist() == [[0, 2], [2, 0]]
    assert (result.different[:2, 2] == 20).all()
    assert result.to_dict()["different"]["net(othello) - net(othello-fast)"] == 2
    warning = "In 1 of 3 pairings fewer than half of the games are different"
    main(["league", *players, "--games", "20"])
    assert f"{warning}, so the intervals are too narrow; give --openings for more variety." in capsys.readouterr().out
    main(["league", *players, "--games", "20", "--openings", "random(plies=6)"])
    assert "different" not in capsys.readouterr().out


def test_a_player_added_at_the_end_changes_nothing_among_the_others() -> None:
    few, more = (zp.league(players, games=20, seed=2) for players in (PLAYERS[:2], PLAYERS))
    assert (few.pairings[0, 1].moves == more.pairings[0, 1].moves).all()


def test_two_players_and_all_wins_have_finite_ratings() -> None:
    table = zp.league(["naive", "random"], game="gomoku(size=5)", games=2, seed=3)
    assert np.isfinite(table.ratings.elo).all()


# The seed decides everything


def test_the_same_seed_gives_the_same_run_with_any_threads_and_any_batch(tmp_path: Path) -> None:
    threads, outcomes = zp.threads(), []
    try:
        for number, batch in ((1, 4096), (2, 4096), (1, 2), (2, 7)):
            zp.set_threads(number)
            folder = tmp_path / f"{number}-{batch}"
            zp.league(PLAYERS, games=20, openings="random(plies=5)", seed=8, batch=batch, run=folder)
            outcomes.append(outcome(folder))
    finally:
        zp.set_threads(threads)
    assert len(outcomes[0]["events"]) == 6 * 10
    assert all(one == outcomes[0] for one in outcomes)


def test_another_seed_gives_another_league(tmp_path: Path) -> None:
    for seed in (1, 2):
        zp.league(PLAYERS[:2], games=20, seed=seed, run=tmp_path / str(seed))
    assert outcome(tmp_path / "1")["events"] != outcome(tmp_path / "2")["events"]


def test_a_run_holds_the_same_league_as_one_without_a_folder(tmp_path: Path) -> None:
    plain = zp.league(PLAYERS, games=20, seed=5)
    kept = zp.league(PLAYERS, games=20, seed=5, run=tmp_path / "run")
    assert plain.to_dict() == kept.to_dict() == Run.read(tmp_path / "run").result
    assert resume(tmp_path / "run").records() == plain.records()


# Kills


LEAGUE = ("league", *PLAYERS, "--games", 400, "--openings", "random(plies=8)", "--seed", 4, "--batch", 16)


@pytest.mark.parametrize("kills", [2, pytest.param(10, marks=pytest.mark.kills)])
def test_killed_at_random_moments_and_resumed_it_ends_the_same(
    kills: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main([str(word) for word in (*LEAGUE, "--run", tmp_path / "whole")])
    whole = capsys.readouterr().out
    dice = random.Random(20)
    killed = kept = finished = 0
    while killed < kills or not finished:
        folder = tmp_path / f"run{finished}"
        words = ("resume", folder) if (folder / "run.json").exists() else (*LEAGUE, "--run", folder)
        sign = "checkpoints/*.safetensors" if killed % 2 else "lock"
        process = started((*words, "--threads", 1 + killed % 2), folder, sign)
        if killed < kills:
            time.sleep(dice.uniform(0, 0.3))
            process.kill()
        out, err = process.communicate()
        if process.returncode == -signal.SIGKILL:
            killed += 1
            kept += any(folder.glob("checkpoints/*.safetensors"))
            continue
        assert process.returncode == 0, err
        assert out == whole
        assert outcome(folder) == outcome(tmp_path / "whole")
        finished += 1
    assert kept, "no kill came after a checkpoint"


def test_an_interrupt_says_how_to_go_on(tmp_path: Path) -> None:
    folder, saved = tmp_path / "run", tmp_path / "its games.txt"
    process = started((*LEAGUE, "--run", folder, "--save", saved, "--overwrite"), folder, "checkpoints/*")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130
    assert out == ""
    how = f"zeroply resume {folder} --save '{saved}' --overwrite"
    assert err.splitlines() == [f"resume with: {how}", "zeroply: interrupted"]
    assert recorded_level(folder)


def test_an_interrupt_before_there_is_a_run_does_not_say_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("zeroply.runs.run.write_info", interrupt)
    with pytest.raises(SystemExit) as caught:
        main(["league", "random", "naive", "--games", "2", "--run", str(tmp_path / "run")])
    assert caught.value.code == 130
    assert capsys.readouterr().err == "zeroply: interrupted\n"
    assert list(tmp_path.iterdir()) == []


def test_a_run_in_use_is_refused(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = f"from zeroply.runs import Run; run = Run.open({str(run)!r}); print('open', flush=True); input()"
    holder = subprocess.Popen([sys.executable, "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "open\n"
    try:
        error = refusal(capsys, "resume", run)
    finally:
        holder.communicate("")
    assert error == f"zeroply: {run} is in use by process {holder.pid}: wait until it ends or stop it\n"


# Damage and change


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small finished run with two checkpoints or more."""
    folder = tmp_path_factory.mktemp("league") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Run, "save_due", lambda run, seconds: True)
        zp.league(PLAYERS[:3], games=40, seed=1, batch=8, run=folder)
    assert len(list((folder / "checkpoints").iterdir())) == 3
    return folder


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    """A copy of it to damage."""
    return Path(shutil.copytree(finished, tmp_path / "run"))


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)


def empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("damage", [cut, flip, empty])
def test_with_a_damaged_checkpoint_the_one_before_is_used_and_it_says_so_once(
    run: Path, finished: Path, damage: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    (run / "result.json").unlink()
    *_, previous, newest = sorted((run / "checkpoints").iterdir())
    damage(newest)
    main(["resume", str(run)])
    printed = capsys.readouterr()
    assert "othello, 120 games" in printed.out
    warning = [line for line in printed.err.splitlines() if newest.name in line and previous.name in line]
    assert len(warning) == len(printed.err.splitlines()) == 1, printed.err
    assert outcome(run) == outcome(finished)


def test_a_finished_run_prints_its_table_again_and_changes_nothing(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    main(["resume", str(run)])
    shown = capsys.readouterr().out
    assert "othello, 120 games" in shown
    main(["resume", str(run), "--json"])
    assert json.loads(capsys.readouterr().out) == Run.read(run).result
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before


@pytest.fixture
def league_of_files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A killed run whose net and openings come from files: the run, the net, the openings."""
    net, openings, folder = tmp_path / "net.safetensors", tmp_path / "openings.txt", tmp_path / "run"
    rules = zp.game("othello")
    save(Wpc(rules, {"cells": np.arange(64, dtype=np.float32)}), net)
    openings.write_text("f5d6\nf5f6\nf5f4\n")
    zp.league([f'net("{net}")', "random"], games=20, openings=str(openings), run=folder)
    (folder / "result.json").unlink()
    return folder, net, openings


def test_files_that_stay_the_same_let_a_run_go_on(
    league_of_files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, net, openings = league_of_files
    rules = zp.game("othello")
    save(Wpc(rules, {"cells": np.arange(64, dtype=np.float32)}), net, {"about": "the same weights"})
    openings.write_text(openings.read_text() + "# the same openings\n")
    main(["resume", str(folder)])
    assert "othello, 20 games" in capsys.readouterr().out


def test_a_changed_net_file_stops_a_run(
    league_of_files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, net, _ = league_of_files
    save(Wpc(zp.game("othello"), {"cells": np.ones(64, np.float32)}), net)
    assert re.search(r"cannot resume: .* has changed since the run began", refusal(capsys, "resume", folder))


def test_a_changed_opening_file_stops_a_run(
    league_of_files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, _, openings = league_of_files
    openings.write_text("f5d6\nf5f4\nf5f6\n")
    assert re.search(r"cannot resume: .* has changed since the run began", refusal(capsys, "resume", folder))


@pytest.mark.parametrize("which", [1, 2])
def test_a_missing_file_stops_a_run(
    league_of_files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str], which: int
) -> None:
    league_of_files[which].unlink()
    assert league_of_files[which].name in refusal(capsys, "resume", league_of_files[0])


def test_a_finished_league_is_told_also_if_its_files_have_changed_or_are_gone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    openings, run = tmp_path / "openings.txt", tmp_path / "run"
    openings.write_text("f5d6c3\n")
    words = ["league", "random", "greedy", "--openings", str(openings), "--run", str(run)]
    main([*words, "--save", str(tmp_path / "first.txt")])
    first = capsys.readouterr().out
    main(["resume", str(run), "--save", str(tmp_path / "again.txt")])
    assert capsys.readouterr().out == first
    assert (tmp_path / "again.txt").read_text() == (tmp_path / "first.txt").read_text()
    assert "exists: give the name of a new file" in refusal(capsys, "resume", run, "--save", tmp_path / "again.txt")
    openings.write_text("f5f6e6\n")
    main(["resume", str(run)])
    assert capsys.readouterr().out == first
    openings.unlink()
    main(["resume", str(run)])
    assert capsys.readouterr().out == first
    main(["resume", str(run), "--save", str(tmp_path / "third.txt")])
    assert (tmp_path / "third.txt").read_text() == (tmp_path / "first.txt").read_text()


def test_a_refused_resume_can_be_tried_again(
    league_of_files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, _, openings = league_of_files
    before = openings.read_text()
    openings.write_text("f5f4\n")
    refusal(capsys, "resume", folder)
    openings.write_text(before)
    main(["resume", str(folder)])
    assert "othello, 20 games" in capsys.readouterr().out


# Levels


def test_a_run_is_resumed_at_the_level_it_was_made_at(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    words = ("league", *PLAYERS, "--games", 40, "--run", folder, "--json")
    first = zeroply(*words, ZEROPLY_LEVEL="baseline")
    assert first.returncode == 0, first.stderr
    assert Run.read(folder).info.level == "baseline"
    before = outcome(folder)
    unfinish(folder)
    again = zeroply("resume", folder, "--json", ZEROPLY_LEVEL=levels.available()[-1])
    assert (again.returncode, again.stderr) == (0, "")
    assert again.stdout == first.stdout
    assert outcome(folder) == before


def test_a_run_of_a_level_that_is_not_here_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    Run.create(folder, kind="league", config={"players": ["random", "naive"]}, seed=0, level="v9").close()
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    done = zeroply("resume", folder)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "level 'v9' is not available on this CPU: choose from baseline" in done.stderr
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


# Bad input


@pytest.mark.parametrize("players", [[], ["random"]])
def test_a_league_needs_two_players(players: list[str]) -> None:
    with pytest.raises(zp.ZeroplyError, match="two players or more"):
        zp.league(players, games=2)


@pytest.mark.parametrize("players", ["random", 3, None])
def test_the_players_of_a_league_are_a_list(players: Any) -> None:
    with pytest.raises(zp.ZeroplyError, match="a league takes a list of players, not"):
        zp.league(players, games=2)


@pytest.mark.parametrize("twice", ["naive", " naive", "naive()"])
def test_a_player_cannot_be_in_a_league_twice(twice: str) -> None:
    with pytest.raises(zp.ZeroplyError, match="player naive appears twice"):
        zp.league(["naive", "random", twice], games=2)


def test_the_same_kind_of_player_may_play_with_other_settings() -> None:
    assert len(zp.league(["naive", "naive(ties=lowest)", "naive(temperature=1)"], games=2).players) == 3


@pytest.mark.parametrize(
    "options",
    [
        {"games": 3},
        {"games": 2, "game": "othello(size=7)"},
        {"games": 2, "openings": "random(plies=0)"},
        {"games": 2, "batch": 1},
    ],
)
def test_a_league_that_cannot_be_played_leaves_no_folder(tmp_path: Path, options: dict[str, Any]) -> None:
    with pytest.raises(zp.ZeroplyError):
        zp.league(["naive", "random"], run=tmp_path / "runs" / "new", **options)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_holds_a_run_says_how_to_go_on(run: Path) -> None:
    with pytest.raises(zp.ZeroplyError, match=f"already holds a run: resume it with: zeroply resume {run}"):
        zp.league(["naive", "random"], games=2, run=run)
