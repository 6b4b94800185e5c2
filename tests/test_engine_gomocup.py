"""zeroply behind the Gomocup protocol: recorded sessions of every command, limits, and games against itself."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import time
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import zeroply as zp
from scripted import Script, talk
from zeroply.engine import GameSession, Wire
from zeroply.engine.gomocup import GomocupServer
from zeroply.specs import literal

ZEROPLY = Path(sys.executable).with_name("zeroply")
POINT = r"[0-9]+,[0-9]+"


def gomocup(lines: str, player: str = "random(ties=lowest)") -> list[str]:
    return talk("gomocup", lines, player, "gomoku(size=15)").splitlines()


def test_it_says_who_it_is() -> None:
    form = r'name="zeroply", version="[^"]+", author="[^"]+", country="[^"]+", www="[^"]+", email="[^"]+"'
    (line,) = gomocup("ABOUT")
    assert re.fullmatch(form, line)


def test_a_game_is_started_on_any_size_it_plays() -> None:
    assert gomocup("START 15\nSTART 20\nRECTSTART 9,9\nRESTART\nEND\nABOUT") == ["OK"] * 4
    for line in ("START 21", "START 4", "START x", "START", "RECTSTART 9,10", "RECTSTART 9", "RECTSTART"):
        (said,) = gomocup(line)
        assert said.startswith("ERROR ")


def test_it_opens_and_answers() -> None:
    assert gomocup("START 9\nBEGIN\nTURN 4,4\nTURN 0,8") == ["OK", "0,0", "1,0", "2,0"]
    assert gomocup("start 9\nturn 8,0\r\nturn 1 , 0") == ["OK", "0,0", "2,0"]


def test_a_cell_is_column_then_row_from_the_top() -> None:
    stones = "".join(f"{x},8,1\n{x},0,2\n" for x in range(4))
    assert gomocup(f"START 9\nBOARD\n{stones}DONE", "naive(ties=lowest)") == ["OK", "4,8"]


def test_a_board_may_be_empty_or_uneven() -> None:
    assert gomocup("START 9\nBOARD\nDONE") == ["OK", "0,0"]
    assert gomocup("START 9\nBOARD\n0,0,2\nDONE\nTURN 5,5") == ["OK", "1,0", "2,0"]


def test_the_board_of_the_tournaments_is_played_to_its_edges() -> None:
    stones = "".join(f"{x},19,1\n{x},0,2\n" for x in range(15, 19))
    assert gomocup(f"START 20\nBOARD\n{stones}DONE", "alphabeta(depth=2, eval=lines)") == ["OK", "19,19"]


def test_bad_boards_are_read_to_their_end_and_refused() -> None:
    for line in ("9,0,1", "0,0", "0,0,3", "x", "0,0,1\n0,0,2"):
        said = gomocup(f"START 9\nBOARD\n{line}\n1,1,1\nDONE\nTURN 5,5")
        assert said[1].startswith("ERROR ")
        assert said[2:] == ["0,0"]


@pytest.mark.parametrize("command", ["BOARD", "SWAP2BOARD"])
@pytest.mark.parametrize("stones", ["", "1,1,2\n", "x", "1,1\n2,2\n3,3"])
def test_a_board_that_is_cut_off_is_an_error_and_ends_the_session(command: str, stones: str) -> None:
    said = BytesIO()
    wire = Wire(BytesIO(f"START 9\n{command}\n{stones}".encode()), said)
    serving = threading.Thread(target=GomocupServer(wire, GameSession("random", "gomoku(size=9)")).serve, daemon=True)
    serving.start()
    serving.join(20)
    assert not serving.is_alive()
    assert said.getvalue() == b"OK\nERROR the board has no DONE\n"


def test_moves_are_taken_back() -> None:
    assert gomocup("START 9\nTURN 4,4\nTAKEBACK 0,0\nTAKEBACK 4,4\nBEGIN") == ["OK", "0,0", "OK", "OK", "0,0"]
    said = gomocup("START 9\nTURN 4,4\nTAKEBACK 4,4\nTAKEBACK 4,4")
    assert said[:3] == ["OK", "0,0", "OK"]
    assert said[3] == "ERROR there is no stone on 4,4"


@pytest.mark.parametrize(
    "line", ["TURN 0,0", "TURN 9,9", "TURN x", "TURN", "TURN 1", "TURN 1,1,1", "BEGIN", "TAKEBACK 7,7", "PLAY"]
)
def test_what_cannot_be_done_is_an_error_and_changes_nothing(line: str) -> None:
    said = gomocup(f"START 9\nTURN 4,4\n{line}\nTURN 5,5")
    assert said[2].startswith("ERROR ")
    assert said[3] == "1,0"


def test_nothing_is_played_before_start_and_unknown_words_are_unknown() -> None:
    assert gomocup("BEGIN")[0].startswith("ERROR no game was started")
    assert gomocup("FOO\n\nfoo bar") == ["UNKNOWN command"] * 2
    assert gomocup("YXSTOP") == []


def test_a_manager_has_nothing_to_suggest() -> None:
    assert gomocup("START 9\nSUGGEST 0,0\nTURN 5,5") == ["OK", "UNKNOWN command", "0,0"]


def test_a_suggested_move_may_be_played_for_it() -> None:
    assert gomocup("START 9\nPLAY 3,3\nTURN 4,4") == ["OK", "3,3", "0,0"]


def test_after_the_end_there_is_no_move() -> None:
    stones = "".join(f"{x},8,2\n{x},0,1\n" for x in range(5))
    assert gomocup(f"START 9\nBOARD\n{stones}DONE")[1].startswith("ERROR ")


def test_info_is_never_answered_and_sets_rule_and_limits() -> None:
    lines = ["INFO", "INFO x", "INFO timeout_turn x", "INFO folder /tmp", "INFO evaluate 1,1", "INFO max_depth \x1d1"]
    lines += ["INFO game_type 1", "INFO max_node 5"]
    assert gomocup("\n".join(lines)) == []
    session = GameSession("random", "gomoku(size=9)")
    script = Script(
        ["START 9", "INFO rule 1", "INFO timeout_turn 500", "INFO timeout_match 0", "INFO time_left 2147483647"]
    )
    server = GomocupServer(script, session)
    server.serve()
    assert dict(session.game.options)["exact"]
    assert server.seconds() == 0.5
    for lines, low, high in (
        (["INFO timeout_turn 0"], 0.001, 0.1),
        (["INFO timeout_turn 5000", "INFO timeout_match 60000", "INFO time_left 6200"], 0.1, 0.3),
        (["INFO time_left 0"], 0, 0),
    ):
        server.wire = Script(lines)
        server.serve()
        seconds = server.seconds()
        assert seconds is not None
        assert low <= seconds <= high


@pytest.mark.parametrize("rule", [2, 4, 5, 8])
def test_rules_that_are_not_played_are_told_in_a_message_and_refused(rule: int) -> None:
    session = GameSession("random(ties=lowest)", "gomoku(size=9)")
    lines = ["START 9", f"INFO rule {rule}", "BEGIN", "TURN 1,1", "BOARD", "1,1,2", "DONE", "INFO rule 1", "BEGIN"]
    script = Script([*lines, "INFO rule 0"])
    GomocupServer(script, session).serve()
    refused = f"rule {rule & ~1} is not supported, only 0 and 1\n"
    assert script.said[:2] == ["OK\n", f"MESSAGE {refused}"]
    assert script.said[2:5] == [f"ERROR {refused}"] * 3
    assert script.said[5] == "0,0\n"
    assert script.said[6].startswith("MESSAGE the rule stays as it is until")
    assert dict(session.game.options)["exact"]


def test_a_rule_that_the_player_does_not_know_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    session = GameSession("random(ties=lowest)", "gomoku(size=9)")
    script = Script(["START 9", "INFO rule 1", "BEGIN"])
    refused = zp.ZeroplyError("this net is for gomoku(size=9)")

    def set_game(game: zp.Game) -> None:
        if dict(game.options)["exact"]:
            raise refused
        session.new_game()

    monkeypatch.setattr(session, "set_game", set_game)
    GomocupServer(script, session).serve()
    said = f"rule 1 is not played: {refused}\n"
    assert script.said == ["OK\n", f"MESSAGE {said}", f"ERROR {said}"]


def test_choosing_a_side_is_part_of_the_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    session = GameSession("alphabeta(depth=30, eval=lines)", "gomoku(size=15)", seconds=0.8)
    given: list[float | None] = []

    class Slow(zp.Player):
        def prefer(self, positions: zp.Positions) -> NDArray[np.float32]:
            time.sleep(0.1)
            return np.where(positions.legal(), np.float32(0), np.float32(-np.inf))

    def choose(seconds: float | None = None, depth: int | None = None) -> int:
        given.append(seconds)
        return 100

    monkeypatch.setattr(session.player, "within", lambda **limits: Slow(session.game))
    monkeypatch.setattr(session, "choose", choose)
    GomocupServer(Script(["START 15", "SWAP2BOARD", "1,1", "2,2", "3,3", "DONE"]), session).serve()
    assert given[0] is not None
    assert 0.05 < given[0] <= 0.4


def test_a_deep_search_keeps_to_its_time() -> None:
    begun = time.monotonic()
    said = gomocup("START 15\nINFO timeout_turn 100\nBEGIN\nTURN 0,0", "alphabeta(depth=30, eval=lines)")
    assert time.monotonic() - begun < 15
    assert len(said) == 3


def test_swap2_is_opened_chosen_and_played_on() -> None:
    opening = gomocup("START 15\nSWAP2BOARD\nDONE")[1]
    assert len(set(opening.split())) == 3
    assert re.fullmatch(rf"{POINT} {POINT} {POINT}", opening)
    stones = "\n".join(opening.split())
    answer, following = gomocup(f"START 15\nSWAP2BOARD\n{stones}\nDONE\nTURN 0,14", "naive")[1:]
    assert re.fullmatch(rf"SWAP|{POINT}", answer)
    assert re.fullmatch(POINT, following)
    assert re.fullmatch(rf"SWAP|{POINT}", gomocup(f"START 15\nSWAP2BOARD\n{stones}\n1,1\n2,2\nDONE")[1])
    assert gomocup("START 15\nSWAP2BOARD\n1,1\nDONE")[1].startswith("ERROR ")


@pytest.mark.parametrize("winner", [1, 0, -1])
def test_swap2_takes_the_side_that_wins(winner: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GomocupServer, "expected_winner", lambda server, until: winner)
    answer = gomocup("START 15\nSWAP2BOARD\n0,0\n5,5\n1,0\nDONE")[1]
    assert answer == ("SWAP" if winner > 0 else "2,0")


@pytest.mark.parametrize(("side", "winner"), [("X", 1), ("O", -1)])
def test_who_wins_is_found_by_playing_on(side: str, winner: int) -> None:
    session = GameSession("naive", "gomoku(size=9)")
    rows = ["XXXX-----", "OOOO-----", *["-" * 9] * 7]
    session.new_game(session.game.parse(f"{''.join(rows)} {side}"))
    assert GomocupServer(Script([]), session).expected_winner() == winner


def test_c_gomoku_cli_starts_it_in_this_way() -> None:
    info = "INFO rule 0\nINFO timeout_turn 1000\nINFO timeout_match 60000\nINFO max_memory 1\nINFO thread_num 1"
    said = gomocup(
        f"ABOUT\nSTART 15\n{info}\nINFO time_left 60000\nBEGIN\nINFO time_left 59000\nTURN 3,3\nSTART 15\nEND"
    )
    assert said[1:] == ["OK", "0,0", "1,0", "OK"]


def test_it_is_for_gomoku_only() -> None:
    words = [str(ZEROPLY), "engine", "--protocol", "gomocup", "--player", "naive", "--game", "othello"]
    done = subprocess.run(words, input="", capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert "for gomoku" in done.stderr


@pytest.mark.parametrize("game", ["gomoku(size=9)", "gomoku(size=7, exact=true)"])
def test_it_plays_whole_games_with_the_gomocup_client(game: str) -> None:
    command = f"{ZEROPLY} engine --protocol gomocup --player naive --seed 5"
    spec = f"gomocup({literal(command)}, timeout=60, startup=120, processes=1)"
    result = zp.match(spec, "random", game=game, games=2, openings="random(plies=3)", seed=1)
    assert result.forfeits == []
    assert all(record.final().over()[0] for record in result.records())
