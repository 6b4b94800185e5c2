"""Benchmarks: they measure every row they promise. How fast it is on this machine is not a test's business."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import json
import math
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from rich.console import Console

import zeroply as zp
from zeroply import _core
from zeroply.bench import environments
from zeroply.bench.games import CORE_GAMES, PEER_GAMES, Speed, measure
from zeroply.bench.moves import measure_moves
from zeroply.bench.nets import CASES
from zeroply.bench.web import Clicks
from zeroply.bench.web_trouble import Trouble
from zeroply.cli import output
from zeroply.cli.main import main
from zeroply.games import Positions
from zeroply.players import Player


def test_every_figure_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    threads = zp.threads()
    main(["bench", "games", "--seconds", "0.01", "--batch", "32", "--threads", "2", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert zp.threads() == threads
    assert told["level"]
    rows = {(row["what"], row["game"]): row for row in told["speeds"]}
    assert len(rows) == len(told["speeds"])
    for game in CORE_GAMES:
        assert ("core, 1 thread", game) in rows
        assert any(what.startswith("Python, 2 threads") and game == name for what, name in rows)
    for row in rows.values():
        assert math.isfinite(row["games_per_second"])
        assert 0 < row["games_per_second"] < row["plies_per_second"]
        assert row["core_is_faster_by"] > 0
    for game in CORE_GAMES:
        assert rows["core, 1 thread", game]["core_is_faster_by"] == 1
    if importlib.util.find_spec("pyspiel"):
        assert {game for what, game in rows if what == "OpenSpiel"} == set(dict(PEER_GAMES))


def test_single_positions_are_measured_beside_openspiel(capsys: pytest.CaptureFixture[str]) -> None:
    main(["bench", "single", "--seconds", "0.001", "--json"])
    told = json.loads(capsys.readouterr().out)["speeds"]
    assert [row["game"] for row in told] == [game for game, _ in PEER_GAMES]
    for row in told:
        assert 0 < row["microseconds"] < math.inf
        if importlib.util.find_spec("pyspiel"):
            assert row["ratio"] == row["open_spiel"] / row["microseconds"]


def test_every_environment_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    main(["bench", "envs", "--seconds", "0.001", "--batch", "16", "--json"])
    told = json.loads(capsys.readouterr().out)["speeds"]
    assert [row["game"] for row in told[: len(environments.CASES)]] == [game for game, _ in environments.CASES]
    assert all(0 < row["steps_per_second"] < math.inf for row in told)


def test_environments_are_shown_as_a_table(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    speeds = [Speed("zeroply", "othello", 10, 3_000_000.0), Speed("another", "othello", 10, 1_000_000.0)]
    monkeypatch.setattr(environments, "environment_speeds", lambda seconds, batch: speeds)
    main(["bench", "envs"])
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["zeroply", "othello", "3,000,000", "1.00"] in rows
    assert ["another", "othello", "1,000,000", "3.00"] in rows
    with pytest.raises(SystemExit):
        main(["bench", "envs", "--batch", "0"])
    assert "seconds above 0 and a batch of 1 to" in capsys.readouterr().err


def test_people_at_the_page_play_their_games_to_the_end(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zeroply.bench.web.SEARCH", {"game": "gomoku(size=5)", "player": "random"})
    words = ["--clients", "3", "--games", "2", "--game", "gomoku(size=5)", "--player", "random", "--searches", "1"]
    main(["bench", "web", *words, "--json"])
    told = json.loads(capsys.readouterr().out)
    (program,) = told["programs"]
    assert (told["clients"], program["games"], program["errors"], program["trouble"]) == (3, 6, [], [])
    click, reply = program["times"]
    assert 6 * 3 <= click["answers"] <= 6 * 13  # Black has at least 3 of 25 moves, at most 13
    assert reply["answers"] in range(click["answers"] - 6, click["answers"] + 1)
    assert 0 < click["p50"] <= click["p95"] <= click["p100"] <= program["seconds"]


def test_times_at_the_page_are_percentiles(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    measured = Clicks([0.001 * number for number in range(1, 102)], [], ["it has gone"], 3, 2.0, 0.202)
    monkeypatch.setattr("zeroply.bench.web.measure_clicks", lambda *_: measured)
    main(["bench", "web", "--clients", "4"])
    shown = capsys.readouterr().out
    assert ["click", "101", "51", "96", "101"] in [line.split() for line in shown.splitlines()]
    assert "4 people, 3 games in 2.0 s, 1 errors, 2.00 ms of CPU time per answer it has gone" in " ".join(shown.split())


def test_two_programs_at_the_page_take_turns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[str | None]()

    def measure(*words: Any) -> Clicks:
        asked.append(words[-1])
        return Clicks([0.1 if words[-1] else 0.2], [], [], 1, 1.0, 0.5)

    trouble = [Trouble("half a request", [1.0, 2.0], 15.0)]
    monkeypatch.setattr("zeroply.bench.web.measure_clicks", measure)
    monkeypatch.setattr("zeroply.bench.web_trouble.measure_trouble", lambda program: trouble)
    main(["bench", "web", "--games", "2", "--against", "old", "--trouble", "--json"])
    ours, theirs = json.loads(capsys.readouterr().out)["programs"]
    assert asked == [None, "old", None, "old"]
    assert [one["times"][0]["p50"] for one in (ours, theirs)] == [0.2, 0.1]
    assert (ours["games"], ours["seconds"], ours["server_cpu_seconds"]) == (2, 2.0, 1.0)
    assert theirs["trouble"] == [{"what": "half a request", "slowest": 2.0, "allowed": 15.0, "met": True}]


@pytest.mark.parametrize(
    ("words", "says"),
    [(["--clients", "0"], "needs 1 to 1000 clients"), (["--player", "nobody"], "unknown player 'nobody'")],
)
def test_bad_options_of_the_benchmark_of_the_page(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["bench", "web", *words])
    assert says in capsys.readouterr().err


def test_a_generation_is_measured_in_the_core_and_move_by_move(capsys: pytest.CaptureFixture[str]) -> None:
    main(["bench", "evolve", "--nets", "4", "--games", "2", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert {row["net"] for row in told["speeds"]} == {"spatial(layer=queen)", "mdrnn(k=10)", "mlp(hidden=100)"}
    for row in told["speeds"]:
        assert (row["nets"], row["games"]) == (4, 8)
        assert row["ratio"] == row["lockstep"]["cpu"] / row["core"]["cpu"]
        assert 0 < row["core"]["cpu"] < row["generation"]["cpu"]
    main(["bench", "evolve", "--nets", "2", "--games", "2"])
    assert "2 threads" in capsys.readouterr().out
    with pytest.raises(SystemExit) as left:
        main(["bench", "evolve", "--games", "3"])
    assert left.value.code == 2


def test_every_net_is_measured(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zeroply.bench.nets.CHILDREN_GAMES", 3)
    monkeypatch.setattr("zeroply.bench.nets.POSITIONS", 8)
    monkeypatch.setattr("zeroply.bench.nets.TRIALS", 1)
    threads = zp.threads()
    main(["bench", "nets", "--seconds", "0.005", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert zp.threads() == threads
    assert told["level"]
    assert [(row["net"], row["game"], row["how"]) for row in told["speeds"]] == [(c.net, c.game, c.how) for c in CASES]
    for row in told["speeds"]:
        assert 0 < row["microseconds"] < math.inf
        assert row["paper"] is None or row["times_the_paper"] == row["paper"] / row["microseconds"]
        assert row["bar"] is None or row["of_the_bar"] == row["microseconds"] / row["bar"]
    counted = [(one["nets"], one["games"], one["threads"]) for one in told["generations"]]
    assert counted == [(20, 2000, 2), (20, 2000, 2), (110, 1000, 2)]
    assert all(0 < one["seconds"] < math.inf for one in told["generations"])
    main(["bench", "nets", "--seconds", "0.005"])
    shown = capsys.readouterr().out
    assert all(case.net in shown for case in CASES)
    with pytest.raises(SystemExit) as left:
        main(["bench", "nets", "--seconds", "0"])
    assert left.value.code == 2


@pytest.mark.parametrize("installed", [True, False])
def test_training_and_inference_are_measured_beside_torch(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, installed: bool
) -> None:
    pytest.importorskip("onnxruntime")
    monkeypatch.setattr("zeroply.bench.training.BARS", {0.05: 1.5})
    monkeypatch.setattr("zeroply.bench.training.TRAINING_BATCH", 4)
    monkeypatch.setattr("zeroply.bench.training.INFERENCE_WIDTH", 0.05)
    monkeypatch.setattr("zeroply.bench.training.INFERENCE_BATCHES", (3, 1))
    if not installed:
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    threads = zp.threads()
    main(["bench", "training", "--seconds", "0.001", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert zp.threads() == threads
    assert [row["precision"] for row in told["training"]] == ["fp32", "bf16"][: 1 + _core.has_bfloat()]
    for row in told["training"]:
        assert row["ratio"] == pytest.approx(row["core"] / row["torch"])
        assert row["core"] > 0
    assert [row["batch"] for row in told["inference"]] == [3, 1]
    for row in told["inference"]:
        assert all(row["microseconds"][name] > 0 for name in ("core", "torch"))
        assert (row["microseconds"]["onnxruntime"] is not None) == installed
    main(["bench", "training", "--seconds", "0.001"])
    assert ("onnxruntime is not installed" in capsys.readouterr().out) != installed
    with pytest.raises(SystemExit) as left:
        main(["bench", "training", "--threads", "0"])
    assert left.value.code == 2


def test_every_peer_plays_a_game_that_the_core_plays_too() -> None:
    assert set(dict(PEER_GAMES)) <= set(CORE_GAMES)


def test_the_promised_games_are_among_those_measured() -> None:
    assert {"othello", "gomoku(size=9)", "atarigo(size=9)", "atarigo(size=19)"} <= set(CORE_GAMES)


def test_the_table_names_every_game(capsys: pytest.CaptureFixture[str]) -> None:
    main(["bench", "games", "--seconds", "0.01", "--batch", "32"])
    text = capsys.readouterr().out
    assert all(game in text for game in CORE_GAMES)
    assert "games/s" in text


def test_a_trial_is_counted_whole() -> None:
    speed = measure("a clock", "none", lambda: (3, 30), 0.01)
    assert speed.plies_per_second == pytest.approx(10 * speed.games_per_second)


def test_the_time_of_moves_is_measured_over_whole_games(capsys: pytest.CaptureFixture[str]) -> None:
    threads = zp.threads()
    specs = ["random", "alphabeta(depth=3, eval=mobility)"]
    main(["bench", "moves", *specs, "--games", "2", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert zp.threads() == threads
    rows = told["players"]
    assert [row["player"] for row in rows] == specs
    for row in rows:
        assert 2 * 20 < row["moves"] <= 2 * 52
        assert 0 < row["cpu_seconds"] <= row["slowest_cpu_seconds"]
        assert row["wall_seconds"] > 0
    assert rows[0]["times_the_first"] == 1
    assert rows[1]["times_the_first"] == rows[1]["cpu_seconds"] / rows[0]["cpu_seconds"]
    main(["bench", "moves", *specs, "--games", "1", "--game", "othello"])
    text = capsys.readouterr().out
    assert all(spec in text for spec in specs)


class Sleeper(Player):
    """Takes time, but not the processor's."""

    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        time.sleep(0.02)
        return np.where(positions.legal(), np.float32(0), np.float32(-np.inf))


def test_what_other_threads_do_does_not_count() -> None:
    done = threading.Event()

    def burn() -> None:
        while not done.is_set():
            hashlib.sha256(bytes(2**20))

    other = threading.Thread(target=burn)
    other.start()
    try:
        game = zp.game("atarigo(size=5)")
        pace = measure_moves([Sleeper(game)], game, 3, openings="none")[0]
    finally:
        done.set()
        other.join()
    assert pace.mean_wall > 0.02
    assert pace.mean < 0.1 * pace.mean_wall
    assert pace.slowest > 0


class Counter(Player):
    """Notes how many positions it is asked about at a time."""

    def __init__(self, game: zp.Game) -> None:
        super().__init__(game)
        self.asked: list[int] = []

    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        self.asked.append(len(positions))
        return np.where(positions.legal(), np.float32(0), np.float32(-np.inf))


def test_games_of_a_batch_are_asked_about_together() -> None:
    game = zp.game("atarigo(size=5)")
    one, many = Counter(game), Counter(game)
    alone, together = (measure_moves([who], game, 5, batch=batch)[0] for who, batch in ((one, 1), (many, 3)))
    assert set(one.asked) == {1}
    assert many.asked[0] == max(many.asked) == 3
    assert alone.moves == together.moves == sum(many.asked) / 2, "each move is asked for twice: played, then measured"
    assert together.slowest > 0
    assert together.mean > 0


def test_the_bar_of_a_measurement_runs_in_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.StringIO()
    monkeypatch.setattr(output, "errors", Console(file=shown, force_terminal=True, width=80))
    before = threading.active_count()
    with output.progress("playing", live=False) as report:
        report(3, 10)
        assert "3/10" in shown.getvalue()
        assert threading.active_count() == before
    with output.progress("playing"):
        assert threading.active_count() == before + 1


def test_what_the_parts_of_search_gain_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("zeroply.bench.searches.MODES", (("othello", "pattern", 7),))
    monkeypatch.setattr("zeroply.bench.searches.NETS", (("spatial(layer=queen)", "othello", 2),))
    monkeypatch.setattr("zeroply.bench.searches.THREADS", (("othello", "pattern", 6, "exact"),))
    main(["bench", "search", "--positions", "4", "--json"])
    gains = json.loads(capsys.readouterr().out)["gains"]
    assert [gain["what"] for gain in gains] == ["mode strong", "children in one call", "2 threads, mode exact"]
    assert all(gain["ratio"] == gain["before"] / gain["after"] for gain in gains)
    assert [gain["same_move"] for gain in gains[1:]] == [1, 1]
    main(["bench", "search", "--positions", "1"])
    assert "mode strong" in capsys.readouterr().out
    for words in (["--positions", "0"], ["--threads", "0"]):
        with pytest.raises(SystemExit) as left:
            main(["bench", "search", *words])
        assert left.value.code == 2


def test_time_limits_are_kept(capsys: pytest.CaptureFixture[str]) -> None:
    players = ["alphabeta(depth=40, eval=pattern, mode=strong)", "engine(depth=12)"]
    main(["bench", "clock", *players, "--searches", "25", "--longest", "0.03", "--json"])
    for row in json.loads(capsys.readouterr().out)["players"]:
        assert row["searches"] == 25
        assert row["timed"] > 0
        assert row["late"] == 0
        assert 0 <= row["longest"] < 0.003
    main(["bench", "clock", "alphabeta(eval=lines, depth=9)", "--searches", "3", "--game", "gomoku(size=9)"])
    assert "late" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [["random"], ["engine", "--searches", "0"], ["engine", "--shortest", "0"], ["engine", "--longest", "0.001"]],
)
def test_clocks_that_cannot_be_measured_are_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["bench", "clock", *words])
    assert left.value.code == 2
    assert capsys.readouterr().err.startswith("zeroply: ")


def test_every_time_has_its_unit(capsys: pytest.CaptureFixture[str]) -> None:
    main(["bench", "moves", "random", "--games", "1", "--game", "atarigo(size=5)"])
    text = capsys.readouterr().out
    assert all(head in text.splitlines()[0] for head in ("CPU ms", "wall ms", "slowest,"))
    assert all(head in text.splitlines()[1] for head in ("per move", "CPU ms"))


@pytest.mark.parametrize(
    "words",
    [
        ["random", "--games", "0"],
        ["random", "--batch", "0"],
        ["random", "--games", "3000000000", "--openings", "none"],
        ["nobody"],
        ['gtp("true")'],
        ["random", "--openings", "random(plies=-1)"],
    ],
)
def test_what_cannot_be_measured_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["bench", "moves", *words])
    assert left.value.code == 2
    assert capsys.readouterr().err.startswith("zeroply: ")


def test_endings_are_measured_on_one_thread_and_on_several(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    threads = zp.threads()
    main(["bench", "endings", "--empties", "10", "--positions", "3", "--threads", "3", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert zp.threads() == threads
    assert told["positions"] == 3
    assert [row["threads"] for row in told["times"]] == [1, 3]
    assert told["times"][0]["speed_up"] == told["times"][0]["times_the_first_cpu"] == 1
    for row in told["times"]:
        assert row["nodes"] > 3
        assert row["nodes_per_cpu_second"] == row["nodes"] / row["cpu_seconds"]
        assert row["speed_up"] == told["times"][0]["wall_seconds"] / row["wall_seconds"]
    file = tmp_path / "two.obf"
    file.write_text(f"{'X' * 50}{'O' * 12}-- X;\n{'X' * 30}{'O' * 30}---- X;\n")
    main(["bench", "endings", "--problems", str(file), "--first", "2", "--threads", "2"])
    assert "1 position," in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--threads", "0"], "threads must be from 1 to 1024"),
        (["--empties", "31"], "1 to 30 empty squares"),
        (["--positions", "0"], "1 to 10,000 positions"),
        (["--problems", "{file}", "--first", "3"], "has no positions from number 3"),
        (["--problems", "missing.obf"], "there is no file missing.obf"),
    ],
)
def test_bad_options_of_the_benchmark_of_endings_are_one_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: list[str], says: str
) -> None:
    file = tmp_path / "one.obf"
    file.write_text(f"{'X' * 50}{'O' * 12}-- X;\n")
    with pytest.raises(SystemExit) as left:
        main(["bench", "endings", *(word.format(file=file) for word in words)])
    assert left.value.code == 2
    said = capsys.readouterr().err
    assert says in said
    assert said.count("\n") == 1
