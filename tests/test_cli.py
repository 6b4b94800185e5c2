"""The command line: help that helps, JSON for programs, a game in the terminal, and one sentence for bad input."""

from __future__ import annotations

import errno
import importlib
import io
import json
import math
import resource
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zeroply as zp
from search_reference import evaluation, random_positions
from zeroply import levels, records
from zeroply.cli.arguments import Presets
from zeroply.cli.main import COMMANDS, main
from zeroply.nets import inspect, save, shipped
from zeroply.nets.wpc import Wpc
from zeroply.runs import Run
from zeroply.search import Limit
from zeroply.search.endings import solve_moves

ZEROPLY = Path(sys.executable).with_name("zeroply")
TARGETS = {
    name: getattr(importlib.import_module(f"zeroply.cli.{module}"), name.replace("-", "_"))
    for name, (module, _) in COMMANDS.items()
}
PARTED = [name for name, target in TARGETS.items() if isinstance(target, dict)]
"""The commands that have parts."""
PRESET = [name for name, target in TARGETS.items() if isinstance(target, Presets)]
"""Those whose presets are functions of their own."""
EVERY = [
    *((name,) for name in TARGETS if name not in PARTED),
    *((name, part) for name in PARTED for part in TARGETS[name]),
    *((name, "--preset", preset) for name in PRESET for preset in TARGETS[name].targets),
]
"""Every command, part of a command and preset of a command."""


def zeroply(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """The installed program."""
    return subprocess.run([ZEROPLY, *words], capture_output=True, text=True, check=False, input=stdin)


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in; whatever a test needs beside it goes to its parent."""
    folder = tmp_path / "workplace"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def output(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a command that succeeds prints; it says nothing on stderr."""
    capsys.readouterr()
    main(list(words))
    printed = capsys.readouterr()
    assert printed.err == ""
    return printed.out


def as_json(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(output(capsys, *words, "--json"), parse_constant=refuse)


# Help


def processor_seconds() -> float:
    """Of all child processes so far; unlike the clock it does not count waiting for a busy machine."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_help_is_a_table_of_contents_in_under_a_third_of_a_second() -> None:
    best = math.inf
    for _ in range(5):
        start = processor_seconds()
        done = zeroply("--help")
        best = min(best, processor_seconds() - start)
    assert done.returncode == 0
    assert best < 0.3
    lines = done.stdout.splitlines()
    for name, (_, help_line) in COMMANDS.items():
        assert any(line.split() == [name, *help_line.split()] for line in lines)
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("words", [[], ["-h"], ["--help"], ["help"]])
def test_help_is_what_one_gets_by_asking_in_any_way(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert "usage: zeroply COMMAND" in output(capsys, *words)


def test_the_promised_commands_are_there() -> None:
    promised = "games players nets show perft match league play study resume bench"
    assert set(promised.split()) <= set(COMMANDS)


def test_importing_zeroply_and_asking_for_help_draws_in_nothing_heavy() -> None:
    code = (
        "import sys, zeroply; from zeroply.cli.main import main; main(['--help']); "
        "print('HEAVY', [name for name in ('torch', 'matplotlib', 'fastapi', 'dask', 'scipy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("HEAVY []\n")


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_every_command_explains_itself_with_an_example(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main([*words, "--help"])
    text = capsys.readouterr().out
    command = " ".join(words).partition(" --preset")[0]
    assert caught.value.code == 0
    assert f"usage: zeroply {command}" in text
    assert f"Example: zeroply {command}" in text


@pytest.mark.parametrize("command", PARTED)
def test_commands_with_parts_list_them(capsys: pytest.CaptureFixture[str], command: str) -> None:
    with pytest.raises(SystemExit) as caught:
        main([command, "--help"])
    text = capsys.readouterr().out
    assert caught.value.code == 0
    assert "Example: zeroply" in text
    assert all(part in text for part in TARGETS[command])


def test_the_version_is_printed() -> None:
    done = zeroply("--version")
    assert (done.returncode, done.stdout) == (0, f"zeroply {zp.__version__}\n")


# Every command, for programs and for people


@pytest.mark.parametrize("command", PRESET)
def test_the_help_of_a_command_names_its_presets(capsys: pytest.CaptureFixture[str], command: str) -> None:
    with pytest.raises(SystemExit, match="0"):
        main([command, "--help"])
    printed = capsys.readouterr().out
    assert all(preset in printed for preset in TARGETS[command].targets)


def test_games_players_and_nets_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    games, players, nets = (as_json(capsys, name) for name in ("games", "players", "nets"))
    assert {"atarigo", "gomoku", "othello"} <= {one["name"] for one in games}
    assert {"greedy", "naive", "net", "random"} <= {one["name"] for one in players}
    assert {"temperature", "ties"} <= {one["name"] for one in players[0]["parameters"]}
    assert "wpc" in {one["name"] for one in nets["architectures"]}
    shipped = {one["name"]: one for one in nets["shipped"]}
    expected = {"name": "othello-swh", "game": "othello", "net": "wpc", "weights": 64}
    assert {key: shipped["othello-swh"][key] for key in expected} == expected
    assert shipped["othello"]["weights"] == 4_732_297
    for entry in (*games, *players, *nets["architectures"]):
        assert entry["help"]
        assert all(parameter["help"] for parameter in entry["parameters"])
    suicide = next(one for one in games[0]["parameters"] if one["name"] == "suicide")
    assert (suicide["choices"], suicide["accepts"]) == (["loses", "illegal"], "one of loses, illegal")
    assert next(one for one in games[0]["parameters"] if one["name"] == "size")["choices"] is None
    for name, words in {
        "games": ("(loses|illegal)", "gomoku"),
        "players": ("(random|lowest)", "temperature"),
        "nets": ("(average|dense)", "othello-swh", "net(atarigo-5-evolved)"),
    }.items():
        printed = " ".join(output(capsys, name).split())
        assert [word for word in words if word not in printed] == []


def test_the_sizes_of_some_nets_only(capsys: pytest.CaptureFixture[str]) -> None:
    rows = as_json(capsys, "nets", "conv4", "mdrnn(k=10)", "spatial(layer=queen)")
    assert [(row["net"], row["weights"]) for row in rows] == [
        ("conv4", 1_316_028),
        ("mdrnn(k=10)", 140),
        ("spatial(layer=queen)", 4_710),
    ]
    assert rows[0]["multiply_adds"] > 1_000_000


def test_every_net_that_is_shipped_plays_its_game() -> None:
    for name in shipped():
        made_for = inspect(name).game
        result = zp.match(f"net({name})", "random", game=str(made_for), games=10, openings="random(plies=2)", seed=1)
        assert result.score > 0.5, name


@pytest.mark.parametrize("game", ["atarigo", "gomoku"])
def test_evolved_champions_play_on_other_boards(game: str) -> None:
    for size in (5, 7, 9):
        for board in (5, 11):
            names = (f"net({game}-{size}-evolved)", "random")
            assert zp.match(*names, game=f"{game}(size={board})", games=2, seed=1).games == 2


def test_show_tells_the_position_its_moves_and_what_a_player_likes(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["show", "othello", "--moves", "f5d6c3", "--player", "greedy"]
    printed = as_json(capsys, *words)
    position = zp.game("othello").replay("f5d6c3")
    assert printed["position"] == position.text()[0]
    assert printed["status"] == "move 4, White (O) to play"
    assert printed["legal"] == ["d3", "f3", "f4", "g5"]
    assert printed["preferences"] == {"d3": 4, "f3": 4, "f4": 4, "g5": 5}
    text = output(capsys, *words)
    assert str(position) in text
    assert position.text()[0] in text
    assert "preference of greedy" in text


@pytest.mark.parametrize("plies", [20, 55])
def test_the_preferences_shown_of_a_player_that_looks_ahead_are_scores(
    plies: int, capsys: pytest.CaptureFixture[str]
) -> None:
    position = random_positions("othello", [plies], seed=3)
    main(["show", "othello", f"--position={position.text()[0]}", "--player", "engine(depth=3)", "--json"])
    shown = json.loads(capsys.readouterr().out)["preferences"]
    if plies == 20:
        exact = evaluation("pattern").search(position, Limit(depth=3), all_moves=True).preferences[0]
    else:
        exact = solve_moves(position)[0]
    name = zp.game("othello").notation.name
    assert shown == {name(int(cell)): float(exact[cell]) for cell in np.flatnonzero(position.legal()[0])}


def test_show_draws_to_a_file(capsys: pytest.CaptureFixture[str], workplace: Path) -> None:
    output(capsys, "show", "gomoku(size=9)", "--moves", "E5D4", "--svg", "board.svg")
    assert (workplace / "board.svg").read_text().startswith("<svg")
    assert [path.name for path in workplace.iterdir()] == ["board.svg"]


@pytest.mark.parametrize("k", range(8))
def test_show_turns_a_position_by_any_symmetry(capsys: pytest.CaptureFixture[str], k: int) -> None:
    printed = as_json(capsys, "show", "othello", "--moves", "f5d6c3", "--symmetry", str(k))
    assert printed["position"] == zp.game("othello").replay("f5d6c3").symmetry(k).text()[0]


def test_show_reads_what_it_prints(capsys: pytest.CaptureFixture[str]) -> None:
    printed = as_json(capsys, "show", "atarigo(size=5, captures=3)", "--moves", "B3C3A4D4B5C5C4B4")
    again = as_json(capsys, "show", "atarigo(size=5, captures=3)", "--position", printed["position"])
    assert again["position"] == printed["position"]
    assert again["legal"] == printed["legal"]


def test_perft_counts(capsys: pytest.CaptureFixture[str]) -> None:
    assert output(capsys, "perft", "othello", "--depth", "6").splitlines()[0] == "8200"
    assert as_json(capsys, "perft", "gomoku(size=5)", "--depth", "2")["count"] == 600


@pytest.mark.parametrize("command", ["show", "perft"])
def test_a_board_may_begin_with_an_empty_cell(capsys: pytest.CaptureFixture[str], command: str) -> None:
    board = zp.game("othello").replay("f5").text()[0]
    assert board.startswith("-")
    assert output(capsys, command, "othello", "--position", board)


def test_the_program_itself_counts() -> None:
    done = zeroply("perft", "othello", "--depth", "6")
    assert done.returncode == 0
    assert done.stdout.split()[0] == "8200"


def test_match_tells_the_same_as_python(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["match", "naive", "random", "--game", "atarigo(size=5)", "--games", "200", "--seed", "3"]
    printed = as_json(capsys, *words)
    result = zp.match("naive", "random", game="atarigo(size=5)", games=200, seed=3)
    assert (printed["wins"], printed["draws"], printed["losses"]) == (
        result.tally.wins,
        result.tally.draws,
        result.tally.losses,
    )
    assert printed["pentanomial"] == result.pentanomial.tolist()
    assert printed["score_interval"] == list(result.score_interval)
    assert printed["as_black"]["wins"] + printed["as_white"]["wins"] == printed["wins"]
    assert printed["length"]["min"] <= printed["length"]["mean"] <= printed["length"]["max"]
    text = output(capsys, *words)
    for words_of_table in ("naive against random, atarigo(size=5), 200 games", "as Black", "Elo", "pairs", "length"):
        assert words_of_table in text


def test_infinite_elo_is_null_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    printed = as_json(capsys, "match", "naive", "random", "--game", "gomoku(size=7)", "--games", "2", "--seed", "0")
    assert printed["score"] == 1
    assert printed["elo"] is None


@pytest.mark.parametrize(
    "options", [["--batch", "2"], ["--batch", "37"], ["--threads", "1"], ["--threads", "2", "--batch", "64"]]
)
def test_batch_and_threads_do_not_change_what_is_printed(
    capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    words = ["match", "naive", "random", "--games", "60", "--openings", "random(plies=4)", "--seed", "5"]
    threads = zp.threads()
    try:
        assert output(capsys, *words, *options) == output(capsys, *words)
    finally:
        zp.set_threads(threads)


def test_match_stops_when_its_test_is_decided(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["match", "naive", "random", "--game", "atarigo(size=5)", "--games", "2000", "--sprt", "-10", "10"]
    printed = as_json(capsys, *words)
    assert printed["sprt"]["verdict"] == "H1"
    assert printed["games"] == 2 * printed["sprt"]["pairs"] < 2000
    assert "H1 accepted" in output(capsys, *words)


@pytest.mark.parametrize("name", ["games.txt", "games.sgf"])
def test_match_and_league_save_their_games(capsys: pytest.CaptureFixture[str], workplace: Path, name: str) -> None:
    output(capsys, "match", "naive", "random", "--game", "gomoku(size=7)", "--games", "6", "--save", name)
    assert len(records.load(workplace / name)) == 6
    output(capsys, "league", "naive", "random", "naive(ties=lowest)", "--games", "4", "--save", name, "--overwrite")
    assert len(records.load(workplace / name)) == 12
    assert [path.name for path in workplace.iterdir()] == [name]


def test_openings_are_read_from_a_file(capsys: pytest.CaptureFixture[str], workplace: Path) -> None:
    (workplace / "openings.txt").write_text("f5d6\nf5f6\nf5f4\n")
    assert as_json(capsys, "match", "naive", "random", "--openings", "openings.txt")["games"] == 6


def test_league_prints_a_crosstable(capsys: pytest.CaptureFixture[str], workplace: Path) -> None:
    words = ["league", "random", "greedy", "net(othello-swh)", "--games", "40", "--openings", "random(plies=5)"]
    printed = as_json(capsys, *words)
    assert printed["games"] == 120
    assert printed["players"][0]["player"] == "net(othello-swh)"
    text = output(capsys, *words)
    rows = [line.split() for line in text.splitlines() if "othello-swh" in line]
    assert rows[0][:2] == ["1", "net(othello-swh)"]
    assert "·" in rows[0]
    assert list(workplace.iterdir()) == []


def test_a_table_of_eight_players_can_be_read_on_eighty_columns(capsys: pytest.CaptureFixture[str]) -> None:
    players = ["random", "greedy", "naive", "net(othello-swh)", "random(temperature=0.5)", "naive(ties=lowest)"]
    players += ["greedy(ties=lowest)", "net(othello-swh, temperature=0.1)"]
    text = output(capsys, "league", *players, "--games", "2")
    assert "…" not in text
    assert all(player in text for player in players)


@pytest.mark.parametrize("words", [["games"], ["--help"], ["match", "random", "random", "--games", "2", "--json"]])
def test_output_that_cannot_be_written_is_told_in_a_sentence(words: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "zeroply", *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr == "zeroply: cannot write the output: No space left on device\n"


class Unwritable(io.StringIO):
    """An output whose writing fails."""

    def __init__(self, error: OSError) -> None:
        super().__init__()
        self.error = error

    def flush(self) -> None:
        raise self.error


def test_output_that_fails_ends_the_command_by_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[int] = []
    errors = io.StringIO()
    monkeypatch.setattr("os._exit", left.append)
    monkeypatch.setattr("sys.stderr", errors)
    output = Unwritable(OSError(errno.ENOSPC, "No space left on device"))
    monkeypatch.setattr("sys.stdout", output)
    main(["--version"])
    assert (left, errors.getvalue()) == ([2], "zeroply: cannot write the output: No space left on device\n")
    assert output.getvalue() == f"zeroply {zp.__version__}\n"
    monkeypatch.setattr("sys.stdout", Unwritable(OSError(errno.ENOENT, "No such file", "data.txt")))
    with pytest.raises(OSError, match="No such file"):
        main(["--version"])
    monkeypatch.setattr("sys.stdout", Unwritable(BrokenPipeError()))
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert (ended.value.code, errors.closed) == (1, True)


def test_output_may_be_closed() -> None:
    command = f"{shlex.quote(sys.executable)} -m zeroply games >&-"
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_league_is_kept_in_a_folder_and_resumed(capsys: pytest.CaptureFixture[str], workplace: Path) -> None:
    words = ["league", "random", "greedy", "--games", "10", "--run", "runs/first"]
    first = as_json(capsys, *words)
    assert Run.read(workplace / "runs" / "first").finished
    assert as_json(capsys, "resume", "runs/first") == first
    assert "othello, 10 games" in output(capsys, "resume", "runs/first")


def test_a_command_that_is_interrupted_says_how_to_resume(
    capsys: pytest.CaptureFixture[str], workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    def error_of(*words: str) -> str:
        with pytest.raises(SystemExit) as ended:
            main(list(words))
        assert ended.value.code == 130
        return " ".join(capsys.readouterr().err.split())

    with monkeypatch.context() as interrupted:
        interrupted.setattr("zeroply.arena.match.Match.step", interrupt)
        match = error_of("match", "random", "greedy", "--games", "2", "--run", "runs/one", "--save", "some games.txt")
        assert "resume with: " in match
        assert match.endswith("zeroply resume runs/one --save 'some games.txt' zeroply: interrupted")
        resumed = error_of("resume", "runs/one", "--save", "some games.txt", "--overwrite")
        assert resumed.endswith("zeroply resume runs/one --save 'some games.txt' --overwrite zeroply: interrupted")
        assert "resume" not in error_of("match", "random", "greedy", "--games", "2")
        interrupted.setattr("zeroply.cli.study.run_study", interrupt)
        assert error_of("study", "run", "S.reference").endswith(
            "run the same command again to resume zeroply: interrupted"
        )
    assert as_json(capsys, "resume", "runs/one", "--save", "some games.txt")["games"] == 2
    assert len(records.load("some games.txt")) == 2


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["resume", "runs/one", "--processes", "2"], "is a run of kind 'match', which has no --processes or --cluster"),
        (["resume", "runs/two", "--save", "a.txt"], "is a run of kind 'evolve', which has no games for --save"),
        (["resume", "runs/one", "--processes", "2", "--cluster", "local:2"], "give --processes or --cluster, not both"),
        (["resume", "runs/one", "--cluster", "here"], "--cluster must be tcp://host:port or local:2, not 'here'"),
    ],
)
def test_a_run_is_resumed_with_its_own_options_only(
    capsys: pytest.CaptureFixture[str], workplace: Path, words: list[str], says: str
) -> None:
    for name, kind in (("one", "match"), ("two", "evolve")):
        Run.create(f"runs/{name}", kind=kind, config={}, seed=1, level=levels.chosen()).close()
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert says in " ".join(capsys.readouterr().err.split())


def test_study_lists_and_runs(
    capsys: pytest.CaptureFixture[str], workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zeroply.studies.report.can_draw", lambda: False)
    assert as_json(capsys, "study", "list")[0].keys() == {"name", "title", "source"}
    assert "S.reference" in output(capsys, "study", "list")
    printed = as_json(capsys, "study", "run", "S.reference")
    assert len(printed["tables"]["rates"]) == 12
    assert all(claim["verdict"] == "cannot tell" for claim in printed["claims"])
    text = output(capsys, "study", "run", "S.reference")
    assert "…" not in text
    assert "cannot tell" in text
    assert [path.name for path in workplace.iterdir()] == ["results"]


def test_names_with_square_brackets_are_printed_as_they_are(
    capsys: pytest.CaptureFixture[str], workplace: Path
) -> None:
    # Square brackets mean style to the printer of tables; names of files may hold them.
    for folder in ("x[red]", "x[/red]"):
        (workplace / folder).mkdir(parents=True)
        save(Wpc(zp.game("othello"), {"cells": np.ones(64, np.float32)}), workplace / folder / "n.safetensors")
        player = f'net("{folder}/n.safetensors")'
        assert player in output(capsys, "match", player, "random", "--games", "2")
        assert player in output(capsys, "league", player, "random", "--games", "2")
        assert player in output(capsys, "show", "othello", "--player", player)


@pytest.mark.parametrize(
    ("words", "whole"),
    [
        (["match", "greedy", "random", "--games", "2"], "           wins  draws  losses  score"),
        (["match", "greedy", "random", "--games", "2"], " as Black  "),
        (["show", "gomoku(size=20)"], f"20{' -' * 20}"),
        (
            ["show", "--player", "alphabeta(depth=1, eval=positional)"],
            "preference of alphabeta(depth=1, eval=positional)",
        ),
        (["play", "--game", "gomoku(size=20)"], f"20{' -' * 20}"),
    ],
)
def test_boards_and_scores_are_whole_on_a_narrow_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: list[str], whole: str
) -> None:
    monkeypatch.setattr("zeroply.cli.output.console.width", 40)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert whole in output(capsys, *words)


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"'{ZEROPLY}' show gomoku | head -1; '{ZEROPLY}' games | true"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""


# A game in the terminal


def play(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], typed: list[str], *words: str
) -> list[str]:
    """Play in the terminal, typing the given lines; the lines that are printed."""
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in typed)))
    return output(capsys, "play", *words).splitlines()


def test_a_game_of_gomoku_is_won(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    typed = ["A1", "b1", "C1", "d1", "E1"]
    shown = play(monkeypatch, capsys, typed, "random(ties=lowest)", "--game", "gomoku(size=5)")
    assert "random(ties=lowest) plays A5." in "\n".join(shown)
    assert "You have won!" in shown
    again = next(line for line in shown if "zeroply show" in line)
    capsys.readouterr()
    main(shlex.split(again[again.index("zeroply show") :])[1:])
    assert "Black (X) has won" in capsys.readouterr().out


def test_a_whole_game_of_othello_with_white(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = zp.game("othello(size=4)")
    them, position, typed = zp.player("greedy(ties=lowest)", rules), rules.start(), []
    while not position.over()[0]:
        if position.to_move()[0] > 0:
            position = position.after(them.choose(position, np.zeros(1, np.uint64)))
        else:
            typed.append(rules.notation.name(int(np.flatnonzero(position.legal()[0])[-1])))
            position = position.after(typed[-1])
    words = ("greedy(ties=lowest)", "--game", "othello(size=4)", "--colour", "white")
    shown = "\n".join(play(monkeypatch, capsys, typed, *words))
    assert str(position) in shown
    winner = int(position.winner()[0])
    assert {0: "A draw.", 1: "greedy(ties=lowest) has won.", -1: "You have won!"}[winner] in shown


def test_a_forced_pass_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    rules = zp.game("othello(size=4)")
    dice = np.random.default_rng(1)
    for _ in range(200):  # find a game in which the opponent, who takes the lowest cell, has to pass
        position, typed, passed = rules.start(), [], False
        while not position.over()[0] and not passed:
            legal = np.flatnonzero(position.legal()[0])
            if position.to_move()[0] < 0:
                position = position.after([int(legal[0])])
                continue
            typed.append(rules.notation.name(int(dice.choice(legal))))
            position = position.after(typed[-1])
            passed = bool(position.to_move()[0] > 0 and not position.over()[0])
        if passed:
            break
    assert passed
    shown = play(monkeypatch, capsys, typed, "random(ties=lowest)", "--game", "othello(size=4)")
    assert any("pass" in line for line in shown)


def test_the_same_seed_gives_the_same_replies(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("random", "--game", "gomoku(size=9)", "--seed", "5")
    first, again = (play(monkeypatch, capsys, ["A1", "B1", "C1"], *words) for _ in range(2))
    assert first == again
    assert "seed 5" in first[0]


def test_what_one_may_type(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    typed = ["moves", "hint", "z9", "a1", "f5f5", "", "help", "F5", "undo", "undo", "c4", "quit"]
    shown = "\n".join(play(monkeypatch, capsys, typed, "greedy(ties=lowest)"))
    assert "d3, c4, f5, e6" in shown
    assert "greedy(ties=lowest) would play d3 here." in shown
    assert "'z9' is not a cell of this board" in shown
    assert "a1 is not a legal move for Black; legal moves: d3, c4, f5, e6" in shown
    assert "hint, undo, moves" in shown
    assert shown.count("move 1, Black (X) to play") == 3
    assert "Good-bye.\nmoves: c4" in shown


@pytest.mark.parametrize("typed", [[], ["f5"], ["quit"], ["q"]])
def test_the_end_of_the_input_ends_the_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], typed: list[str]
) -> None:
    shown = play(monkeypatch, capsys, typed, "random", "--seed", "1")
    assert sum(line.endswith("Good-bye.") for line in shown) == 1


def test_who_resigns_has_lost(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    shown = play(monkeypatch, capsys, ["f5", "resign"], "random", "--seed", "1")
    assert sum(line.endswith("random has won.") for line in shown) == 1


def test_the_program_itself_plays() -> None:
    done = zeroply("play", "random", "--seed", "1", stdin="f5\nquit\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Good-bye." in done.stdout


# Bad input: one line on stderr, exit code 2, nothing written


BAD = [
    (["teach"], "unknown command 'teach'"),
    (["xyzzy"], "unknown command 'xyzzy': commands are games"),
    (["macth"], "unknown command 'macth' (did you mean match?): commands are games"),
    (["show", "chess"], "unknown game 'chess'"),
    (["show", "othello(size=3)"], "even sizes from 4 to 16, not 3"),
    (["show", "othello(size=7)"], "even sizes from 4 to 16, not 7"),
    (["show", "gomoku(size=21)"], "sizes from 5 to 20, not 21"),
    (["show", "othello(size=8"], "never closed"),
    (["show", "othello)"], "closes nothing"),
    (["show", ""], "empty"),
    (["show", "--moves", "f5", "--position", "X"], "either --moves or --position"),
    (["show", "--position", "XO"], "has 2 cells where 64 are needed"),
    (["show", "--position", "?" * 64 + " X"], "is not a cell"),
    (["show", "--position", "-" * 64 + " Z"], "side to move"),
    (["show", "--moves", "a1"], "move 1: a1 is not a legal move"),
    (["show", "--moves", "f5f5"], "move 2: f5 is not a legal move"),
    (["show", "--moves", "hello"], "is not a list of moves"),
    (["show", "gomoku", "--moves", "i5"], "cells are A1 to P15, without the letter I\n"),
    (["show", "gomoku(size=8)", "--moves", "i5"], "cells are A1 to H8\n"),
    (["show", "othello(size=10)", "--moves", "k5"], "cells are a1 to j10\n"),
    (["show", "--symmetry", "8"], "symmetries of othello are numbered 0 to 7"),
    (["show", "--player", "nobody-at-all"], "unknown player 'nobody-at-all'"),
    (["show", "--svg", "missing/board.svg"], "cannot write missing/board.svg"),
    (["perft", "--depth", "-1"], "depth of 0 or more"),
    (["perft", "--depth", "3000000000"], "and 1000 at most, not 3000000000"),
    (["perft", "chess"], "unknown game"),
    (["play", "nobody-at-all"], "unknown player"),
    (["play", "othello"], "unknown player 'othello' (did you mean net(othello)?)"),
    (["play", "--game", "chess"], "unknown game"),
    (["play", "--moves", "f5", "--position", "X"], "either --moves or --position"),
    (["play", "--moves", "f5f5"], "move 2: f5 is not a legal move"),
    (["play", "--save", "game.obf"], "or .ggf (GGF) or .wtb (WTHOR), unlike game.obf"),
    (["play", "--save", "missing/game.sgf"], "missing"),
    (["play", "--save", "../illegal.txt"], "illegal.txt exists: give the name of a new file"),
    (["play", "--game", "gomoku", "--save", "g.wtb"], "WTHOR is for othello(size=8), not for"),
    (
        ["play", "--position", "-" * 27 + "OX------XO" + "-" * 27 + " O", "--save", "g.wtb"],
        "cannot hold a set-up position",
    ),
    (["match", "nobody-at-all", "random"], "unknown player"),
    (["match", "naive(tie=lowest)", "random"], "no key 'tie' (did you mean ties?)"),
    (["match", "naive(ties=lowest", "random"], "never closed"),
    (["match", "greedy", "random", "--game", "gomoku"], "player greedy is for othello, not for gomoku"),
    (["match", "net(nobody)", "random"], "unknown net 'nobody'"),
    (["match", "net(missing.safetensors)", "random"], "no net file missing.safetensors"),
    (["match", "net(othello-swh)", "random", "--game", "gomoku"], "made for othello and cannot play gomoku"),
    (["match", "net(../other.safetensors)", "random"], "made for gomoku(size=8) and cannot play othello"),
    (["match", "net(../broken.safetensors)", "random"], "not a net file or is damaged"),
    (["match", "random", "random", "--seed", "abc"], "zeroply: --seed needs a whole number, not 'abc'\n"),
    (["match", "random", "random", "--games=abc"], "zeroply: --games needs a whole number, not 'abc'\n"),
    (["match", "random", "random", "--sprt", "5"], "zeroply: --sprt needs two numbers, not '5'\n"),
    (["match", "random", "random", "--seed"], "zeroply: --seed needs a whole number\n"),
    (["match", "random", "random", "--sede", "4"], "zeroply: match has no option --sede (did you mean --seed?)"),
    (["match", "random", "random", "naive"], "zeroply: match cannot take 'naive' there"),
    (["match", "random"], "zeroply: match needs SECOND"),
    (["evolve", "--run", "x", "--sizes", "5", "a"], "zeroply: --sizes needs whole numbers, not '5' 'a'\n"),
    (["evolve", "--run", "x", "--by", "no"], "zeroply: --by must be one of length, result, discs, not 'no'\n"),
    (["data", "get", "foo"], "zeroply: ARCHIVE must be one of wthor, not 'foo'\n"),
    (["evolve", "--preset", "cmaes"], "unknown preset 'cmaes': presets are schaul, hill-climbing, cma-es, self-play\n"),
    (["evolve", "--preset", "cma-es", "--sgima", "1"], "zeroply: evolve has no option --sgima (did you mean --sigma?)"),
    (
        ["coevolve", "--run", "x", "--elitist"],
        "--elitist is the default of coevolve: leave it out, or give --no-elitist",
    ),
    (["coevolve", "--run", "x", "--no-elitits"], "coevolve has no option --no-elitits (did you mean --no-elitist?)"),
    (
        ["coevolve", "--preset", "lin-white", "--run", "x", "--observe.every", "-1"],
        "every must be 0 (no observers) or more",
    ),
    (["coevolve", "--presett", "lin-white"], "coevolve has no option --presett (did you mean --preset?)"),
    (["evaluate", "random", "--data", "d", "--sett", "unique"], "evaluate has no option --sett (did you mean --set?)"),
    (["ntuples", "tdl"], "zeroply: ntuples tdl needs --run: see zeroply ntuples tdl --help\n"),
    (["ntuples", "tdl", "--run", "x", "--plies", "41"], "zeroply: plies must be from 0 to 40, not 41\n"),
    (["ntuples", "tdl", "--run", "x", "--epsilno", "1"], "has no option --epsilno (did you mean --epsilon?)"),
    (["ntuples", "tdl", "--run", "x", "--measure.gmaes", "4"], "--measure.gmaes (did you mean --measure.games?)"),
    (["ntuples", "tdl", "--run", "x", "--measure.games", "4x"], "--measure.games needs a whole number, not '4x'\n"),
    (["ntuples", "tdl", "--run", "x", "--measure.measures", "0"], "zeroply: measures must be from 1 to 10000, not 0\n"),
    (["train-td", "--run", "x"], "zeroply: train-td needs NET: see zeroply train-td --help\n"),
    (["train-td", "conv4", "--run", "x", "--threads", "-1"], "zeroply: threads must be from 1 to 1024, not -1\n"),
    (["train-td", "conv4", "--run", "x", "--gmaes", "1"], "train-td has no option --gmaes (did you mean --games?)"),
    (["data", "judge", "--data", "x", "--sett", "unique"], "data judge has no option --sett (did you mean --set?)"),
    (["study"], "zeroply: study needs one of list, run, nets, train, verify, tables\n"),
    (["study", "rnu"], "zeroply: study has no part 'rnu': its parts are list, run, nets, train, verify, tables\n"),
    (["study", "run", "S.fig2", "--sedes", "2"], "zeroply: study run has no option --sedes (did you mean --seeds?)"),
    (["study", "run", "S.fig2", "--scale", "big"], "--scale must be one of smoke, cpu, paper, not 'big'\n"),
    (["match", "random", "random", "--games", "3"], "2 or more, and even"),
    (["match", "random", "random", "--games", "0"], "must be 2 or more, and even"),
    (["match", "random", "random", "--batch", "1"], "a batch has 2 to 1,000,000 games, not 1"),
    (["league", "random", "greedy", "--batch", "3000000000"], "a batch has 2 to 1,000,000 games"),
    (["match", "random", "random", "--threads", "0"], "threads must be from 1 to 1024, not 0"),
    (["match", "random", "random", "--threads", "9999"], "threads must be from 1 to 1024"),
    (["match", "random", "random", "--sprt", "20", "0"], "elo0 below elo1"),
    (["match", "random", "random", "--openings", "missing.txt"], "missing.txt"),
    (["match", "random", "random", "--openings", 'file("missing.txt")'], "cannot read the opening file missing.txt"),
    (["match", "random", "random", "--openings", "../illegal.txt"], "illegal.txt, line 2: move 2: f5 is not a legal"),
    (["match", "random", "random", "--openings", "random(plies=0)"], "1 ply or more"),
    (["match", "random", "random", "--openings", "random(plies=1000000000)"], "ask for fewer plies"),
    (["match", "random", "random", "--openings", "random(plies=1)"], "only about 4 different openings"),
    (["match", "random", "random", "--save", "games.doc"], ".txt (transcripts) or .sgf"),
    (["match", "random", "random", "--save", "games.obf"], "or .ggf (GGF) or .wtb (WTHOR), unlike games.obf"),
    (["league", "random", "naive", "--save", "games.obf"], "or .ggf (GGF) or .wtb (WTHOR), unlike games.obf"),
    (["ladder", "greedy", "--save", "games.obf"], "or .ggf (GGF) or .wtb (WTHOR), unlike games.obf"),
    (["match", "random", "random", "--save", "missing/games.sgf"], "missing"),
    (["match", "random", "random", "--save", "../illegal.txt"], "illegal.txt exists: give the name of a new file"),
    (["match", "random", "random", "--game", "gomoku", "--save", "g.wtb"], "WTHOR is for othello(size=8), not for"),
    (["league", "random", "naive", "--game", "atarigo", "--save", "g.ggf"], "GGF is for othello, not for"),
    (["ladder", "greedy", "--highest", "10000000000"], "even number below 60, not 10000000000"),
    (["ladder", "greedy", "--game", "othello(size=6)", "--save", "g.wtb"], "WTHOR is for othello(size=8), not for"),
    (["show", "--svg", "../illegal.txt"], "illegal.txt exists: give the name of a new file"),
    (["champion", "../full", "--out", "net.txt"], "ends in .safetensors, unlike net.txt"),
    (["champion", "../full", "--out", "../other.safetensors"], "exists: give the name of a new file"),
    (["league"], "two players or more"),
    (["league", "random"], "two players or more"),
    (["league", "random", "random"], "random appears twice"),
    (["league", "random", "naive", "--games", "5", "--run", "new"], "2 or more, and even"),
    (["league", "random", "naive", "--run", "../full"], "not empty"),
    (["league", "random", "naive", "--run", "../illegal.txt"], "not a folder"),
    (["league", "random", "naive", "--save", "games"], ".txt (transcripts) or .sgf"),
    (["resume", "missing"], "missing does not exist"),
    (["resume", "."], "not a run folder"),
    (["resume", "../full"], "not a run folder"),
    (["resume", "../illegal.txt"], "not a folder"),
    (["study", "run", "S.nothing"], "unknown study 'S.nothing'"),
    (["study", "run", "S.reference", "--seeds", "0"], "1 seed or more"),
    (["bench", "games", "--seconds", "0.01", "--threads", "0"], "threads"),
    (["bench", "games", "--seconds", "0.01", "--batch", "1"], "batch"),
    (["bench", "games", "--seconds", "0.01", "--batch", "100000000000"], "a batch of 2 to 1,000,000 games"),
    (["bench", "loader", "--seconds", "0.01", "--batch", "100000000000"], "a batch of 1 to 1,000,000 positions"),
    (["bench", "games", "--seconds", "0"], "seconds"),
]


@pytest.mark.parametrize(("words", "says"), BAD, ids=[" ".join(words) for words, _ in BAD])
def test_bad_input_is_one_sentence_and_nothing_is_written(
    capsys: pytest.CaptureFixture[str], workplace: Path, words: list[str], says: str
) -> None:
    (workplace.parent / "illegal.txt").write_text("f5d6\nf5f5\n")
    (workplace.parent / "full").mkdir()
    (workplace.parent / "full" / "something").write_text("")
    rules = zp.game("gomoku(size=8)")
    save(Wpc(rules, {"cells": np.ones(64, np.float32)}), workplace.parent / "other.safetensors")
    (workplace.parent / "broken.safetensors").write_bytes(b"broken")
    before = sorted(workplace.parent.rglob("*"))
    with pytest.raises(SystemExit) as caught:
        main(words)
    printed = capsys.readouterr()
    assert caught.value.code == 2
    assert printed.out == ""
    assert printed.err.startswith("zeroply: ")
    assert printed.err.count("\n") == 1
    assert says in printed.err
    assert sorted(workplace.parent.rglob("*")) == before


@pytest.mark.parametrize(
    "words",
    [
        ["match", "naive"],
        ["match"],
        ["match", "naive", "random", "--games", "many"],
        ["match", "naive", "random", "--colour", "red"],
        ["match", "naive", "random", "extra"],
        ["match", "naive", "random", "--sprt", "5"],
        ["play", "naive", "--colour", "green"],
        ["resume"],
        ["study"],
        ["study", "walk"],
        ["study", "run", "S.reference", "--scale", "huge"],
        ["bench"],
        ["perft", "--depth", "deep"],
        ["games", "everything"],
    ],
    ids=" ".join,
)
def test_words_that_cannot_be_parsed_exit_with_2(
    capsys: pytest.CaptureFixture[str], workplace: Path, words: list[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(words)
    printed = capsys.readouterr()
    assert caught.value.code == 2
    assert printed.out == ""
    assert printed.err
    assert "Traceback" not in printed.err
    assert list(workplace.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["teach"], "zeroply: unknown command 'teach'"),
        (["show", "othello(size=7)"], "zeroply: othello is played on even sizes from 4 to 16, not 7"),
        (["match", "naive(tie=lowest)", "random"], "zeroply: player naive has no key 'tie'"),
        (["resume", "/"], "zeroply: / is not a run folder"),
    ],
)
def test_the_program_itself_exits_with_2(workplace: Path, words: list[str], says: str) -> None:
    done = zeroply(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(says)
    assert done.stderr.count("\n") == 1
    assert list(workplace.iterdir()) == []


def test_a_file_that_cannot_be_written_is_found_out_before_the_games_are_played(
    capsys: pytest.CaptureFixture[str], workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("games were played")

    monkeypatch.setattr("zeroply.match", never)
    with pytest.raises(SystemExit) as caught:
        main(["match", "random", "random", "--save", "missing/games.sgf"])
    assert caught.value.code == 2
    assert "missing" in capsys.readouterr().err
    assert list(workplace.iterdir()) == []


@pytest.mark.parametrize("command", ["match", "league"])
def test_set_up_openings_that_cannot_be_saved_are_refused_before_the_first_game(
    capsys: pytest.CaptureFixture[str], workplace: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    othello = zp.game("othello")
    Path("openings.txt").write_text("\n".join(["f5d6", othello.start().text()[0], othello.replay("f5f6").text()[0]]))
    words = [command, "random", "naive", "--openings", "openings.txt", "--save", "games.wtb"]
    output(capsys, *words, "--games", "4")
    assert len(records.load("games.wtb")) == 4
    monkeypatch.setattr(f"zeroply.{command}", lambda *_, **__: pytest.fail("games were played"))
    with pytest.raises(SystemExit) as caught:
        main([*words, "--overwrite"])
    assert caught.value.code == 2
    printed = capsys.readouterr().err
    assert printed == "zeroply: cannot save games in games.wtb: WTHOR cannot hold a set-up position: save it as .ggf\n"


def test_a_league_that_cannot_save_its_games_does_not_begin(
    capsys: pytest.CaptureFixture[str], workplace: Path
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["league", "random", "naive", "--games", "2", "--run", "run", "--save", "missing/games.sgf"])
    assert caught.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert list(workplace.iterdir()) == []
