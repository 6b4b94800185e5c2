"""zeroply behind GTP: recorded sessions of every command and every form of answer, and games against itself."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

import zeroply as zp
from scripted import talk
from zeroply.engine import gtp_analysis
from zeroply.engine.clock import Clock
from zeroply.engine.gtp import COMMANDS
from zeroply.engine.gtp_rules import fixed_points
from zeroply.engine.wire import LONGEST, Wire
from zeroply.errors import ZeroplyError
from zeroply.records import save
from zeroply.specs import literal

ZEROPLY = Path(sys.executable).with_name("zeroply")
PLAYED = ["othello", "othello(size=6)", "gomoku(size=9)", "atarigo(size=6)", "atarigo(size=5, captures=3)"]


def gtp(lines: str, game: str = "othello", player: str = "random(ties=lowest)") -> list[str]:
    """The answers, without the empty lines that end them."""
    said = talk("gtp", lines, player, game)
    assert said.endswith("\n\n")
    return said.removesuffix("\n\n").split("\n\n")


def one(line: str, game: str = "othello", player: str = "random(ties=lowest)") -> str:
    (answer,) = gtp(line, game, player)
    return answer


# The pipes


def wire(data: bytes) -> Wire:
    return Wire(io.BytesIO(data), io.BytesIO())


def test_a_line_that_was_looked_at_is_still_read() -> None:
    incoming = wire(b"first\r\nsecond\nlast")
    assert incoming.peek(5.0) == "first"
    assert incoming.peek() == "first"
    assert list(incoming.lines()) == ["first", "second", "last"]
    assert incoming.peek() == ""
    assert list(incoming.lines()) == []


def test_nobody_speaks() -> None:
    read, write = os.pipe()
    with open(read, "rb", buffering=0) as pipe, open(write, "wb", buffering=0) as other:
        incoming = Wire(pipe, io.BytesIO())
        assert incoming.peek() is None
        assert incoming.peek(0.01) is None
        other.write(b"now\n")
        assert incoming.peek(5.0) == "now"
        other.close()
        assert list(incoming.lines()) == ["now"]


class Gone(io.RawIOBase):
    def read(self, size: int = -1) -> bytes:
        raise OSError("the pipe is gone")


def test_a_pipe_that_breaks_is_the_end_of_the_input() -> None:
    assert list(Wire(Gone(), io.BytesIO()).lines()) == []


def test_a_long_line_is_cut_but_not_the_next() -> None:
    first, second = wire(b"x" * (LONGEST + 5000) + b"\nname\n").lines()
    assert (first, second) == ("x" * LONGEST, "name")


# The form of requests and answers


def test_an_id_is_glued_to_the_sign() -> None:
    assert gtp("7 genmove b\n3 play w a1\nprotocol_version\n12 quit") == ["=7 D3", "?3 illegal move", "= 2", "=12"]


def test_control_characters_comments_tabs_and_empty_lines_do_not_count() -> None:
    lines = "\x01\n\n   \nprotocol\x07_version # what?\n# nothing\n5\tprotocol_version\r\n"
    assert gtp(lines) == ["= 2", "=5 2"]


def test_what_follows_quit_is_not_heard() -> None:
    assert gtp("quit\nname") == ["="]


@pytest.mark.parametrize(
    "line", ["", "#", "9", "foo", "9 foo", "\ufffd\ufffd", "genmove", "genmove red", "play b", "undo"]
)
def test_bad_lines_fail_in_the_form_of_gtp(line: str) -> None:
    said = talk("gtp", line)
    assert said == "" if line in ("", "#") else re.fullmatch(r"\?(9)? [a-z ]+\n\n", said)


def test_the_standard_errors() -> None:
    lines = "foo\nboardsize\nplay b a1\nboardsize 7\nundo\nfinal_score"
    told = ["unknown command", "syntax error", "illegal move", "unacceptable size", "cannot undo", "cannot score"]
    assert gtp(lines) == [f"? {text}" for text in told]


def test_a_vertex_off_the_board_is_told_as_gnu_go_does() -> None:
    answers = gtp("play w I5\nplay w Z1\nplay w A10\nplay q A1\nplay w a01", "gomoku(size=9)")
    assert answers == ["? invalid color or coordinate"] * 4 + ["="]


# Who it is


def test_it_says_who_it_is() -> None:
    assert gtp("name\nversion\nprotocol_version") == ["= zeroply random(ties=lowest)", f"= {zp.__version__}", "= 2"]


def test_it_knows_the_commands_it_lists() -> None:
    listed = one("list_commands").removeprefix("= ").split("\n")
    assert {"play", "genmove", "gogui-rules_legal_moves", "lz-analyze", *COMMANDS} <= set(listed)
    assert gtp("\n".join(f"known_command {name}" for name in listed)) == ["= true"] * len(listed)
    assert gtp("known_command foo\nknown_command") == ["= false", "? syntax error"]


def test_handicaps_are_for_atari_go_only() -> None:
    assert "fixed_handicap" in one("list_commands", "atarigo(size=9)")
    assert "fixed_handicap" not in one("list_commands", "gomoku(size=9)")


def test_quarry_starts_it_in_this_way() -> None:
    lines = "protocol_version\nname\nversion\nlist_commands\nlist_games\nset_game Othello\nboardsize 8\nclear_board"
    answers = gtp(lines + "\ngenmove black\nplay white C3\nset_game Reversi")
    assert answers[4:8] == ["= Othello", "=", "=", "="]
    assert answers[8:] == ["= D3", "=", "? unsupported game"]


# Boards and moves


def test_othello_has_row_1_at_the_top_and_go_at_the_bottom() -> None:
    assert gtp("play b F5\nplay b f5\nshowboard")[:2] == ["=", "? illegal move"]
    assert one("gogui-rules_legal_moves") == "= D3 C4 F5 E6"
    board = gtp("play b A1\ngogui-rules_board", "gomoku(size=5)")[1]
    assert board.split("\n") == ["=", *[". . . . ."] * 4, "X . . . ."]


def test_the_board_is_shown_without_an_empty_line() -> None:
    shown = one("showboard", "othello(size=4)")
    assert shown.split("\n")[:3] == ["=", "  A B C D", "1 - - - -"]
    assert shown.endswith("move 1, Black (X) to play")


def test_a_larger_board_has_no_column_i() -> None:
    answers = gtp("boardsize 10\nclear_board\nlist_stones white\nboardsize 5\nboardsize 99\nboardsize 1e9")
    assert answers == ["=", "=", "= E5 F6", "? unacceptable size", "? unacceptable size", "? syntax error"]
    assert one("play b J1", "gomoku(size=9)") == "="


def test_a_size_that_the_player_does_not_play_leaves_everything_as_it_was() -> None:
    answers = gtp("play b F5\nboardsize 10\nlist_stones b", player="engine(depth=1)")
    assert answers == ["=", "? unacceptable size", "= E4 D5 E5 F5"]


def test_a_colour_may_move_twice_in_go_but_not_in_othello() -> None:
    lines = "play b C3\nplay b C4\nlist_stones b\nundo\nlist_stones b\ngenmove b\nundo\nlist_stones b"
    answers = gtp(lines, "atarigo(size=5)")
    assert answers == ["=", "=", "= C4 C3", "=", "= C3", "= A5", "=", "= C3"]
    assert gtp("play b F5\nplay b D6\ngenmove b") == ["=", "? illegal move", "? wrong color"]


def test_an_illegal_move_out_of_turn_changes_nothing() -> None:
    answers = gtp("play b C3\nplay b C3\ngogui-rules_side_to_move\nundo\nundo", "atarigo(size=5)")
    assert answers == ["=", "? illegal move", "= white", "=", "? cannot undo"]


def test_moves_are_undone_one_by_one() -> None:
    answers = gtp("play b F5\ngenmove w\nundo\nundo\nundo\ngogui-rules_legal_moves")
    assert answers[2:] == ["=", "=", "? cannot undo", "= D3 C4 F5 E6"]


def test_reg_genmove_answers_but_does_not_play() -> None:
    answers = gtp("reg_genmove b\ngogui-rules_side_to_move\nreg_genmove w\ngenmove b")
    assert answers == ["= D3", "= black", "? wrong color", "= D3"]
    assert gtp("reg_genmove w\ngogui-rules_side_to_move", "gomoku(size=5)")[1] == "= black"


def test_komi_is_taken_and_means_nothing() -> None:
    assert gtp("komi 6.5\nkomi -1e1\nkomi\nkomi x") == ["=", "=", "? syntax error", "? syntax error"]


# Passes and ends


@pytest.fixture(scope="module")
def skipped() -> str:
    """A start of a game after which White must pass, as `play` commands."""
    game = zp.game("othello")
    for seed in range(400):
        record = zp.match("random", "random", games=2, seed=seed).records()[0]
        position = game.start()
        lines = []
        for cell in record.moves:
            side = int(position.to_move()[0])
            lines.append(f"play {'b' if side > 0 else 'w'} {game.notation.name(cell)}")
            position.play([cell])
            if side > 0 and position.to_move()[0] > 0 and not position.over()[0]:
                return "\n".join(lines)
    raise AssertionError("no game with a pass")


def test_a_forced_pass_may_be_said_or_left_out(skipped: str) -> None:
    moves = len(skipped.split("\n"))
    left_out = gtp(f"{skipped}\ngenmove b")[moves:]
    said = gtp(f"{skipped}\nplay w pass\ngenmove b")[moves:]
    asked = gtp(f"{skipped}\ngenmove w\ngenmove b")[moves:]
    assert said == ["=", *left_out]
    assert asked == ["= pass", *left_out]
    assert gtp(f"{skipped}\nplay w pass\nundo\nplay b pass")[moves:] == ["=", "=", "? illegal move"]
    assert gtp(f"{skipped}\nis_legal w pass\nis_legal b pass\nall_legal w")[moves:] == ["= 1", "= 0", "="]


def test_nobody_may_pass_who_has_a_move() -> None:
    assert gtp("play b pass\nplay w pass") == ["? illegal move"] * 2
    assert one("play b pass", "gomoku(size=9)") == "? illegal move"


def test_after_the_end_of_othello_both_pass_and_the_score_is_told() -> None:
    moves = "\n".join(["genmove b", "genmove w"] * 8)
    answers = gtp(
        f"{moves}\ngenmove b\ngenmove w\nplay b pass\nplay w pass\nfinal_score\nfinal_status_list alive",
        "othello(size=4)",
    )
    assert answers[16:20] == ["= pass", "= pass", "=", "="]
    assert re.fullmatch(r"= ([BW]\+\d+|0)", answers[20])
    assert answers[21].startswith("= A1 ")


def test_who_has_lost_another_game_resigns_when_asked_for_a_move() -> None:
    stones = "\n".join(f"play b {letter}3" for letter in "ABCDE")
    answers = gtp(f"{stones}\nplay w A1\ngenmove w\ngenmove b\nfinal_score\ngogui-rules_final_result", "gomoku(size=5)")
    assert answers[5:] == ["? illegal move", "= resign", "= pass", "= B+1", "= Black (X) has won"]
    assert gtp("gogui-rules_final_result\nfinal_status_list dead\nfinal_status_list x", "gomoku(size=5)") == [
        "=",
        "? cannot score",
        "? syntax error",
    ]


# Referees


def test_who_would_have_no_move_resigns_when_asked_for_one_out_of_turn() -> None:
    empty = {"E1", "A5", "B5"}
    black = sorted({f"{letter}{row}" for letter in "ABCDE" for row in range(1, 6)} - empty)
    before = "".join(f"play b {vertex}\n" for vertex in black) + "play w A5\n"
    game = "atarigo(size=5, suicide=illegal)"
    answers = gtp(f"{before}all_legal w\nreg_genmove w\ngenmove w\nfinal_score\ngenmove b", game)
    assert [answer.strip() for answer in answers[-5:-2]] == ["=", "= resign", "= resign"]
    assert answers[-1].startswith("= ")
    assert answers[-1] != "= resign"


def test_gogui_can_play_by_the_rules_extension() -> None:
    names = ["game_id", "board_size", "side_to_move", "legal_moves", "final_result", "captured_count"]
    answers = gtp("\n".join(f"gogui-rules_{name}" for name in names))
    assert answers == ["= Othello", "= 8", "= black", "= D3 C4 F5 E6", "=", "= 0 0"]
    assert one("gogui-rules_game_id", "atarigo(size=5)") == "= AtariGo"
    assert one("gogui-rules_board", "othello(size=4)").split("\n") == ["=", ". . . .", ". O X .", ". X O .", ". . . ."]


def test_a_referee_of_atari_go_asks_for_captures_and_liberties() -> None:
    lines = "play b A1\nplay w A2\ncountlib A1\nis_legal w B1\nplay w B1\ncaptures w\ncaptures b\ngenmove b\ngenmove w"
    answers = gtp(lines, "atarigo(size=5)")
    assert answers == ["=", "=", "= 1", "= 1", "=", "= 1", "= 0", "= resign", "= pass"]
    assert gtp("countlib A1\nis_legal b A1\nis_legal b A9\nall_legal x", "atarigo(size=5)") == [
        "? vertex must not be empty",
        "= 1",
        "? invalid color or coordinate",
        "? invalid color",
    ]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("place_free_handicap", "syntax error"),
        ("place_free_handicap 1", "invalid number of stones"),
        ("place_free_handicap 9999", "invalid number of stones"),
    ],
)
def test_handicaps_that_cannot_be_placed(line: str, says: str) -> None:
    assert one(line, "atarigo(size=9)") == f"? {says}"


def test_handicap_stones_lie_where_gtp_has_them() -> None:
    assert one("fixed_handicap 4", "atarigo(size=19)") == "= D4 Q16 D16 Q4"
    assert gtp("fixed_handicap 9\ngogui-rules_side_to_move\nfixed_handicap 2", "atarigo(size=9)") == [
        "= C3 G7 C7 G3 C5 G5 E3 E7 E5",
        "= white",
        "? board not empty",
    ]
    assert one("fixed_handicap 5", "atarigo(size=8)") == "? invalid number of stones"
    assert one("place_free_handicap 7", "atarigo(size=8)") == "= C3 F6 C6 F3"
    assert gtp("set_free_handicap A1 B2\nlist_stones b\nundo\nlist_stones b", "atarigo(size=5)") == [
        "=",
        "= B2 A1",
        "=",
        "=",
    ]
    assert one("set_free_handicap A1 A1", "atarigo(size=5)") == "? bad vertex list"
    assert fixed_points(5, 2) == []


def test_a_game_is_loaded_up_to_before_a_move(tmp_path: Path) -> None:
    game = zp.game("othello")
    path = tmp_path / "game.sgf"
    save([zp.GameRecord(game, tuple(game.notation.cells("f5d6c3")))], path)
    answers = gtp(f"loadsgf {path}\nlist_stones b\nloadsgf {path} 2\nlist_stones w\nloadsgf {path}x\nloadsgf")
    assert answers[0] == "= white"
    assert answers[2:] == ["= white", "= D4", "? cannot load file", "? syntax error"]
    assert one(f"loadsgf {path}", "gomoku(size=9)") == "? cannot load file"


# Analysis


def test_analysis_lists_all_moves_with_their_probabilities_until_somebody_speaks() -> None:
    line = one("lz-analyze b 10\n\n", player="naive(ties=lowest)")
    assert line.split("\n")[0] == "="
    infos = line.split("\n")[1].split("info ")[1:]
    form = r"move [A-H][1-8] visits 1 winrate 5000 prior 2500 lcb 5000 order [0-3] pv [A-H][1-8]"
    assert len(infos) == 4
    assert all(re.fullmatch(form, info.strip()) for info in infos)


def test_analysis_for_katago_tells_fractions() -> None:
    line = one("3 kata-analyze interval 10 ownership true", player="alphabeta(depth=1)")
    assert line.startswith("=3\ninfo move ")
    chances = [float(chance) for chance in re.findall(r"winrate ([0-9.]+)", line)]
    assert len(chances) == 4
    assert all(0 <= chance <= 1 for chance in chances)
    assert chances == sorted(chances, reverse=True)


@pytest.mark.parametrize(
    ("game", "evaluation", "moves", "score"),
    [
        ("othello", "mobility", "F5 D6 C5 F4 E7 F6 G5 E6", 13),
        ("gomoku(size=7)", "lines", "A1 A7 B1 B7 C1 C7 D1 D7", 1000),
    ],
)
def test_scores_of_won_games_can_be_read(game: str, evaluation: str, moves: str, score: float) -> None:
    lines = [f"play {'bw'[i % 2]} {move}" for i, move in enumerate(moves.split())]
    said = gtp("\n".join([*lines, "kata-analyze interval 10"]), game, f"alphabeta(depth=1, eval={evaluation})")[-1]
    scores = [float(number) for number in re.findall(r"scoreMean ([-0-9.]+)", said)]
    assert max(map(abs, scores)) == score
    assert scores[0] == score


def test_a_move_may_be_made_with_analysis() -> None:
    answers = gtp("lz-genmove_analyze b 10\nkata-genmove_analyze w 10\nlz-genmove_analyze x\nlz-genmove_analyze b")
    assert re.fullmatch(r"=\n(info move .*)\nplay D3", answers[0])
    assert re.fullmatch(r"=\n(info move .*)\nplay [A-H][1-8]", answers[1])
    assert answers[2] == "? invalid color"


def test_analysis_of_the_other_colour_leaves_the_turn_alone() -> None:
    answers = gtp("lz-analyze w\ngogui-rules_side_to_move\nundo", "gomoku(size=5)")
    assert answers[0].startswith("=\ninfo move")
    assert answers[1:] == ["= black", "? cannot undo"]


@pytest.mark.parametrize("command", ["lz-analyze", "kata-analyze", "lz-genmove_analyze", "kata-genmove_analyze"])
def test_analysis_that_fails_is_answered_once_and_changes_nothing(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> str:
        raise ZeroplyError("it cannot be said")

    monkeypatch.setattr(gtp_analysis, "_line", fail)
    answers = gtp(f"7 {command} w 10\ngogui-rules_side_to_move\nundo", "gomoku(size=5)")
    assert answers == ["?7 it cannot be said", "= black", "? cannot undo"]


def test_gogui_draws_the_preferences() -> None:
    answers = gtp("gogui-analyze_commands\nzeroply-preferences", "othello(size=4)")
    assert answers[0] == "= dboard/Preferences/zeroply-preferences"
    rows = answers[1].split("\n")[1:]
    assert [row.split().count("0.250") for row in rows] == [1, 1, 1, 1]


# Time


def test_a_clock_shares_out_what_is_left() -> None:
    clock = Clock()
    assert clock.allowance(1, 10) is None
    clock.set(100, 0, 0)
    assert clock.allowance(1, 9) == 10
    clock.spend(1, 50)
    assert clock.allowance(1, 9) == 5
    assert clock.allowance(-1, 9) == 10
    clock.set(0, 10, 20)
    assert clock.allowance(1, 30) == 0.5
    clock.set(10, 30, 0)
    assert clock.allowance(1, 30) is None
    clock.set(1, 6, 2)
    clock.spend(1, 2)
    assert clock.allowance(1, 30) == 3
    clock.tell(1, 4, 1)
    assert clock.allowance(1, 30) == 4


def test_a_search_that_would_take_long_keeps_to_its_time() -> None:
    begun = time.monotonic()
    answers = gtp("time_settings 0 1 5\ngenmove b\ntime_left w 1 0\ngenmove w", player="engine(depth=12)")
    assert time.monotonic() - begun < 10
    assert [answer[0] for answer in answers] == ["=", "=", "=", "="]
    assert gtp("time_settings 1 2\ntime_settings a 1 1\ntime_settings -1 0 0\ntime_left b 1") == ["? syntax error"] * 4


# The program


def test_the_program_ends_with_its_input_and_on_quit() -> None:
    words = [str(ZEROPLY), "engine", "--player", "naive", "--game", "atarigo(size=5)"]
    for told, said in (("1 name\n", "=1 zeroply naive\n\n"), ("quit\n", "=\n\n"), ("genm", "? unknown command\n\n")):
        done = subprocess.run(words, input=told, capture_output=True, text=True, check=False, timeout=60)
        assert (done.returncode, done.stdout, done.stderr) == (0, said, "")


@pytest.mark.parametrize("game", PLAYED)
def test_it_plays_whole_games_with_the_gtp_client(game: str) -> None:
    command = f"{ZEROPLY} engine --player random --game '{game}' --seed 3"
    spec = f"gtp({literal(command)}, timeout=60, startup=120, processes=1)"
    result = zp.match(spec, "naive", game=game, games=2, seed=1)
    assert result.forfeits == []
    assert all(record.final().over()[0] for record in result.records())
