"""Matches as authors of engines run them: clocks, names, logs, adjudication, and faults met with real programs."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import zeroply as zp
from run_commands import refusal
from scripted import talk
from stand_ins import ENGINES, Bench, bench
from zeroply import records
from zeroply.arena.programs import Programs, clock
from zeroply.cli.main import main
from zeroply.foreign.engine import Limits
from zeroply.runs.resume import resume
from zeroply.search.endings import solve
from zeroply.web.server.allowed_specs import allowed_player

__all__ = ["bench"]  # the fixture


# Faults met with real programs


@pytest.mark.parametrize("quirk", ["complains", "suggests"])
def test_complaints_while_a_program_thinks_cost_no_game(bench: Bench, quirk: str) -> None:
    spec = bench.spec("gomocup", "", f"--quirk complains --quirk {quirk}", processes=1)
    assert zp.match(spec, "naive", game="gomoku(size=5)", games=2).forfeits == []


def test_a_program_that_only_complains_forfeits_with_its_complaint(bench: Bench) -> None:
    spec = bench.spec("gomocup", "", "--quirk complains --fault hangs", timeout=0.6, processes=1)
    (lost, _) = zp.match(spec, "naive", game="gomoku(size=5)", games=2).forfeits
    assert lost.reason == "gave no move within 0.6 s; its last line was 'ERROR no such key: time_left'"
    assert lost.fault == "time"


def test_the_two_prompts_of_a_fresh_edax_are_not_two_answers(bench: Bench) -> None:
    result = zp.match(bench.spec("edax", "", "--quirk new-book", processes=1), "random", games=2, seed=1)
    assert result.forfeits == []


@pytest.mark.parametrize(
    ("protocol", "game", "lines", "moved", "forfeited"),
    [
        ("gtp", "othello", "genmove b\nclear_board\ngenmove b", r"(= [A-H][1-8]\n\n(=\n\n)?){2}", "= resign"),
        ("gomocup", "gomoku", "START 15\nTURN 7,7\nRESTART\nTURN 7,7", r"(OK\n\d+,\d+\n){2}", "ERROR .* illegal move"),
        ("nboard", "othello", "nboard 1\ngo", r"(?s).*status\n=== [a-h][1-8]//.*", "status.* illegal move"),
    ],
)
def test_an_engine_hands_on_the_moves_of_another_program(
    bench: Bench, protocol: str, game: str, lines: str, moved: str, forfeited: str
) -> None:
    program = bench.spec("gtp" if game == "othello" else "gomocup", game)
    assert re.fullmatch(moved, talk(protocol, lines, program, game), re.IGNORECASE)
    wrong = bench.spec("gtp" if game == "othello" else "gomocup", game, "--fault plays-illegal")
    assert re.search(forfeited, talk(protocol, lines, wrong, game))
    assert bench.gone_within(5)


def test_a_program_runs_in_the_folder_that_is_given(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "the engine"
    folder.mkdir()
    (folder / "weights").write_text("gomoku(size=5)")
    script = folder / "engine.py"
    script.write_text(
        f"#!{sys.executable}\nimport sys; sys.path.insert(0, {str(ENGINES)!r})\n"
        "sys.argv.append(open('weights').read())\nfrom gtp_engine import *\nGtpStandIn(Wire()).serve()\n"
    )
    script.chmod(0o755)
    for command in ("./engine.py", f"{sys.executable} engine.py"):
        spec = f'gtp("{command}", cwd="{folder}", processes=1)'
        assert zp.match(spec, "random", game="gomoku(size=5)", games=2).forfeits == []
    with pytest.raises(zp.ZeroplyError, match="the working directory /no/such is not a folder"):
        zp.player('gtp("./engine.py", cwd="/no/such")', "othello")


def test_the_telling_line_of_the_error_output_is_shown(tmp_path: Path) -> None:
    script = tmp_path / "engine.py"
    script.write_text(
        "import sys\nprint('loading\\nRuntimeError: cannot open net.bin\\nnote: see the manual', file=sys.stderr)"
    )
    with pytest.raises(zp.ZeroplyError, match=r"exited with code 0: RuntimeError: cannot open net\.bin$"):
        zp.player(f'gtp("{sys.executable} {script}")', "othello")


@pytest.mark.parametrize(("spec", "game"), [("gtp(cat)", "othello"), ("gomocup(cat)", "gomoku")])
def test_a_program_that_echoes_its_input_is_named(spec: str, game: str) -> None:
    with pytest.raises(zp.ZeroplyError, match=r"'\S*cat' does not speak .*: it echoes its input"):
        zp.player(spec, game)


def test_reports_of_the_search_before_a_move_are_skipped(bench: Bench) -> None:
    spec = bench.spec("gtp", "atarigo(size=5)", "--quirk info", processes=1)
    assert zp.match(spec, "naive", game="atarigo(size=5)", games=2).forfeits == []


def test_a_gomoku_program_is_given_a_depth(bench: Bench) -> None:
    spec = bench.spec("gomocup", "", f"--log {bench.log}", depth=7, processes=1)
    zp.match(spec, "naive", game="gomoku(size=5)", games=2)
    assert bench.told()[0].count("INFO max_depth 7") == 2
    with pytest.raises(zp.ZeroplyError, match="depth of player gomocup must be from 1"):
        zp.player("gomocup(cat, depth=0)", "gomoku")


def test_a_program_that_does_not_play_the_rule_is_refused(bench: Bench) -> None:
    spec = bench.spec("gomocup", "", "--quirk freestyle", processes=1)
    assert zp.match(spec, "naive", game="gomoku(size=5)", games=2).forfeits == []
    with pytest.raises(zp.ZeroplyError, match="answered INFO rule 1 with 'ERROR rule 1 is not supported'"):
        zp.player(spec, "gomoku(size=5, exact=true)")


# Clocks


@pytest.mark.parametrize(
    ("increment", "settings", "nearly_empty"),
    [(0.05, "5 1 20", "1 4"), (2.5, "5 2 1", "1 4"), (0, "5 0 0", "0 0")],
)
def test_gtp_programs_are_told_their_increment_and_never_promised_more(
    bench: Bench, increment: float, settings: str, nearly_empty: str
) -> None:
    spec = bench.spec("gtp", "gomoku(size=5)", f"--log {bench.log}", time=5, increment=increment, processes=1)
    assert zp.match(spec, "naive", game="gomoku(size=5)", games=2).forfeits == []
    (told,) = bench.told()
    assert told.count(f"time_settings {settings}") == 2
    assert any(line.startswith("time_left black 5 0") for line in told)
    late = bench.spec("gtp", "gomoku(size=5)", f"--log {bench.log}", time=0.3, increment=increment, processes=1)
    zp.match(late, "naive", game="gomoku(size=5)", games=2)
    assert any(line == f"time_left black {nearly_empty}" for line in bench.told()[-1])


def test_a_program_that_knows_fischer_time_is_told_the_clock_as_it_is(bench: Bench) -> None:
    arguments = f"--log {bench.log} --quirk fischer"
    spec = bench.spec("gtp", "gomoku(size=5)", arguments, time=5, increment=0.05, processes=1)
    zp.match(spec, "naive", game="gomoku(size=5)", games=2)
    (told,) = bench.told()
    assert told.count("kata-time_settings fischer 5 0.05") == 2
    assert told.count("time_left black 5.00 0") == 1


def test_tc_is_the_clock_of_programs_without_one_of_their_own(bench: Bench) -> None:
    game = "gomoku(size=7)"
    slow = bench.spec("gtp", game, "--think 0.19", name="slow")
    own = bench.spec("gtp", game, "--think 0.19", time=60, name="own")
    result = zp.match(slow, own, game=game, games=2, tc="0.1")
    assert [(lost.player, lost.reason) for lost in result.forfeits] == [("slow", "lost on time: it had 0.1 s")] * 2
    assert (clock("5+0.05"), clock("60"), clock(".5+1")) == ((5, 0.05), (60, 0), (0.5, 1))


@pytest.mark.parametrize("tc", ["", "0", "x", "5+", "40/60", "-5", "1e9", "5+0.1+2"])
def test_a_clock_that_makes_no_sense_is_refused(tc: str) -> None:
    with pytest.raises(zp.ZeroplyError, match="tc must be seconds and increment"):
        Programs(tc=tc)


def test_settings_of_programs_need_a_program(capsys: pytest.CaptureFixture[str]) -> None:
    for option in (("--tc", "5+1"), ("--concurrency", "2"), ("--log", "talk")):
        said = refusal(capsys, "match", "naive", "random", *option)
        assert f"{option[0][2:]} is for programs" in said
    with pytest.raises(zp.ZeroplyError, match="concurrency must be from 1 to 256"):
        Programs(concurrency=0)


def test_programs_of_two_protocols_meet_with_one_clock_and_one_log(bench: Bench, tmp_path: Path) -> None:
    game, log = "gomoku(size=7)", tmp_path / "talk.log"
    gtp = bench.spec("gtp", game, f"--log {bench.log}", name="G")
    piskvork = bench.spec("gomocup", game, f"--log {bench.log}", name="P")
    result = zp.match(gtp, piskvork, game=game, games=2, tc="20+0.5", log=log, concurrency=1)
    assert result.forfeits == []
    assert result.players == ("G", "P")
    told = [line for lines in bench.told() for line in lines]
    assert "time_settings 20 1 2" in told
    assert "INFO timeout_match 20000" in told
    assert {" > clear_board", " > START 7"} <= {f" {line.split(' ', 2)[2]}" for line in log.read_text().splitlines()}


def test_so_many_games_are_played_at_once(bench: Bench) -> None:
    game = "gomoku(size=5)"
    zp.match(bench.spec("gtp", game), "random", game=game, games=20, concurrency=3)
    assert len(bench.pids()) == 3


# Names, the log, saved games


def test_names_stand_in_tables_and_saved_games(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = bench.spec("gtp", "gomoku(size=5)", name='"My engine 1.0"')
    saved, run = tmp_path / "games.sgf", tmp_path / "run"
    words = ["match", program, "naive(name=N1)", "--game", "gomoku(size=5)", "--games", "2"]
    main([*words, "--run", str(run), "--save", str(saved)])
    shown = capsys.readouterr().out
    assert "My engine 1.0 against N1" in shown
    assert str(ENGINES) not in shown
    first, second = records.load(saved)
    assert (first.black, first.white, second.black) == ("My engine 1.0", "N1", "N1")
    assert resume(run).players == ("My engine 1.0", "N1")
    assert zp.Run.read(run).info.config["first"] == program


def test_players_of_a_league_are_told_apart_by_their_names() -> None:
    result = zp.league(["naive(name=a)", "naive(name=b)", "random"], game="gomoku(size=5)", games=2)
    assert result.players == ("a", "b", "random")
    with pytest.raises(zp.ZeroplyError, match="player a appears twice: list each player once, or name them apart"):
        zp.league(["naive(name=a)", "random(name=a)"], game="gomoku(size=5)", games=2)
    for name in ('""', '"a\\nb"', f'"{"x" * 61}"'):
        with pytest.raises(zp.ZeroplyError, match="the name of a player is one line of 1 to 60 characters"):
            zp.player(f"naive(name={name})", "othello")


def test_the_log_holds_the_whole_protocol_and_all_error_output(bench: Bench, tmp_path: Path) -> None:
    log = tmp_path / "talk.log"
    game = "gomoku(size=5)"
    spec = bench.spec("gtp", game, f"--fault dies --after 2 --once {bench.once}", processes=1)
    result = zp.match(spec, "naive", game=game, games=2, log=log)
    assert len(result.forfeits) == 1
    lines = log.read_text().splitlines()
    form = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z gtp_engine\.py\[\d+\] ([<>!]) (.*)"
    marked = [match.groups() for line in lines if (match := re.fullmatch(form, line))]
    assert len(marked) == len(lines)
    assert {(">", "protocol_version"), ("<", "= 2"), (">", "genmove black"), (">", "quit")} <= set(marked)
    assert [text for mark, text in marked if mark == "!"] == ["warming up", "out of luck"]
    with pytest.raises(zp.ZeroplyError, match=r"open .*no/such/folder"):
        zp.match(spec, "naive", game=game, games=2, log=tmp_path / "no/such/folder")


def test_saved_games_have_dates_times_and_reasons(bench: Bench, tmp_path: Path) -> None:
    spec = bench.spec("gtp", "gomoku(size=6)", f"--think 0.05 --fault dies --after 3 --once {bench.once}", name="P")
    run = tmp_path / "run"
    result = zp.match(spec, "random", game="gomoku(size=6)", games=4, seed=1, openings="random(plies=2)", run=run)
    played = result.records()
    assert {one.date for one in played} == {zp.Run.read(run).info.created[:10]}
    (lost,) = (one for one in played if one.forfeit)
    assert lost.reason == "P exited with code 3: out of luck"
    for one in played:
        assert one.seconds[:2] == (None, None)
        mine = one.seconds[2 + (one.white == "P") :: 2]
        assert all(taken is not None and taken >= 0.05 for taken in mine)
        assert {taken for taken in one.seconds if taken not in mine} == {None}
    again = resume(run).records()
    assert again == played
    assert [one.seconds for one in again] == [one.seconds for one in played]
    saved = tmp_path / "games.sgf"
    records.save(played, saved)
    read = records.load(saved)
    assert read == played
    assert [one.seconds for one in read] == [one.seconds for one in played]


def test_othello_times_are_written_as_ggf_has_them(tmp_path: Path) -> None:
    game = zp.game("othello")
    one = zp.GameRecord(game, tuple(game.notation.cells("f5d6c3")), date="2026-11-18", seconds=(0.5, None, 1.25))
    records.save([one], tmp_path / "game.ggf")
    assert "B[F5//0.5]W[D6]B[C3//1.25]" in (tmp_path / "game.ggf").read_text()
    assert records.load(tmp_path / "game.ggf") == [one]
    with pytest.raises(zp.ZeroplyError, match="a record of 1 moves has as many times, or none: not 2"):
        zp.GameRecord(game, (37,), seconds=(1.0, 2.0))


def test_the_table_counts_crashes_and_losses_on_time(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    game = "gomoku(size=6)"
    crashes = bench.spec("gtp", game, "--fault crashes", name="crasher", processes=1)
    hangs = bench.spec("gtp", game, "--fault hangs --after 2", name="hanger", timeout=0.5, processes=1)
    main(["league", crashes, hangs, "random", "--game", game, "--games", "2"])
    shown = capsys.readouterr().out
    table = re.search(r"lost by forfeit +on time +crashes +illegal moves +resigned +other faults.*\n(.*\n.*)\n", shown)
    assert table is not None
    rows = {row.split()[0]: list(map(int, row.split()[1:])) for row in table[1].splitlines()}
    assert rows["crasher"] == [0, 4, 0, 0, 0]
    assert rows["hanger"][0] >= 2
    assert sum(rows["hanger"][1:]) == 0


# Ends of games, pairings, openings


@pytest.mark.parametrize("model", ["logistic", "normalised"])
def test_the_sequential_test_takes_its_errors_and_its_model(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    board = ("--game", "atarigo(size=5)", "--openings", "random(plies=2)", "--games", "200", "--seed", "1")
    words = ["match", "naive", "random", *board, "--sprt", "0", "50", "--alpha", "0.1", "--beta", "0.2"]
    main([*words, "--model", model, "--json"])
    told = json.loads(capsys.readouterr().out)
    test = told["sprt"]
    assert (test["alpha"], test["beta"], test["model"]) == (0.1, 0.2, model)
    assert test["bounds"] == pytest.approx([np.log(0.2 / 0.9), np.log(0.8 / 0.1)])
    assert test["verdict"] == "H1"
    assert test["llr"] >= test["bounds"][1]
    assert told["games"] == 2 * test["pairs"] < 200
    assert told["superiority"] > 0.9


def test_games_are_decided_by_their_exact_score(tmp_path: Path) -> None:
    plain = zp.match("greedy", "random", games=20, openings="random(plies=6)", seed=3)
    result = zp.match(
        "greedy",
        "random",
        games=20,
        openings="random(plies=6)",
        seed=3,
        adjudicate=zp.Adjudication(exact=8),
        run=tmp_path / "run",
    )
    assert result.adjudicated >= 15
    for one, whole in zip(result.records(), plain.records(), strict=True):
        if one.adjudicated is None:
            assert one == whole or one.final().over()[0]
            continue
        position = one.final()
        empty = int((position.stones() == 0).sum())
        assert empty <= 8
        assert one.moves == whole.moves[: len(one.moves)]
        assert one.score == solve(position).scores[0] * position.to_move()[0]
        assert one.reason == f"adjudicated: the exact score with {empty} empty squares"
        assert one.winner == np.sign(one.score)
    assert resume(tmp_path / "run").records() == result.records()
    records.save(result.records(), tmp_path / "games.sgf")
    (won, *_) = (one for one in result.records() if one.adjudicated is not None and one.adjudicated > 0)
    assert f"RE[B+{won.adjudicated}]" in (tmp_path / "games.sgf").read_text()


def test_games_are_decided_when_both_programs_agree(bench: Bench) -> None:
    sure = bench.spec("nboard", "", "--quirk black-is-ahead", name="sure", processes=1)
    doubtful = bench.spec("nboard", "", name="doubtful", processes=1)
    agreeing = bench.spec("nboard", "", "--quirk black-is-ahead", name="agreeing", processes=1)
    result = zp.match(sure, agreeing, games=2, adjudicate=zp.Adjudication(agreed=10))
    assert [(one.winner, one.score, len(one.moves)) for one in result.records()] == [(1, 12, 6)] * 2
    assert result.records()[0].reason == "adjudicated: both programs agreed on +12.5 for Black"
    for other, lead in ((doubtful, 10), (agreeing, 13)):
        assert zp.match(sure, other, games=2, adjudicate=zp.Adjudication(agreed=lead)).adjudicated == 0


def test_what_cannot_be_adjudicated_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("match", "naive", "random", "--game", "gomoku", "--adjudicate.exact", 8)
    assert "adjudication by exact scores is for othello(size=8)" in refusal(capsys, *words)
    with pytest.raises(zp.ZeroplyError, match="with 1 to 20 empty squares"):
        zp.Adjudication(exact=21)
    with pytest.raises(zp.ZeroplyError, match="agree on a lead above 0"):
        zp.Adjudication(agreed=-1)


def test_in_a_gauntlet_only_the_first_player_meets_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["league", "naive", "random", "greedy", "--game", "othello(size=4)", "--games", "4", "--gauntlet"]
    main([*words, "--openings", "random(plies=2)", "--run", str(tmp_path / "run")])
    assert capsys.readouterr().out.count("·") == 5
    result = resume(tmp_path / "run")
    assert list(result.pairings) == [(0, 1), (0, 2)]
    assert result.games.tolist() == [[0, 4, 4], [4, 0, 0], [4, 0, 0]]
    main(["resume", str(tmp_path / "run"), "--json"])
    players = json.loads(capsys.readouterr().out)["players"]
    assert sorted(len(one["against"]) for one in players) == [1, 1, 2]


def test_a_book_of_openings_is_played_in_random_order_by_the_seed(tmp_path: Path) -> None:
    book = tmp_path / "book.txt"
    book.write_text("\n".join(f"{column}{row}" for column in "ABCDE" for row in "12345"))

    def openings(order: str, seed: int) -> list[int]:
        result = zp.match("random", "random", game="gomoku(size=5)", openings=book, order=order, seed=seed)  # type: ignore[arg-type]
        return [one.moves[0] for one in result.records()[::2]]

    assert openings("sequential", 1) == [20 - 5 * row + column for column in range(5) for row in range(5)]
    assert sorted(openings("random", 1)) == list(range(25))
    assert openings("random", 1) == openings("random", 1) != openings("random", 2)
    with pytest.raises(zp.ZeroplyError, match="order must be sequential or random"):
        openings("backwards", 1)


def test_xot_openings_are_eight_different_moves_and_nearly_even() -> None:
    result = zp.match("random", "random", games=60, openings="xot", seed=1)
    begun = [one.moves[:8] for one in result.records()[::2]]
    assert len(set(begun)) == 30
    game = zp.game("othello")
    search = zp.player("alphabeta(depth=6, eval=pattern)", game)
    values = [abs(search.prefer(game.replay(list(moves))).max()) for moves in begun]
    assert 1 < max(values) <= 2
    with pytest.raises(zp.ZeroplyError, match=r"xot is for othello\(size=8\)"):
        zp.match("random", "random", game="gomoku", games=2, openings="xot")


def test_a_working_directory_and_a_log_are_options_of_every_program() -> None:
    assert Limits(cwd="engines", log="talk.log").timeout == 10


def test_a_browser_may_not_name_players() -> None:
    assert str(allowed_player("naive(ties=lowest)")) == "naive(ties=lowest)"
    for spec in ("naive(name=Me)", "hybrid(random(name=Me), naive)"):
        with pytest.raises(zp.ZeroplyError, match="players on the page are called by their specs"):
            allowed_player(spec)
