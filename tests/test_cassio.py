"""Cassio's protocol, both ways: programs that speak it as players, and zeroply as an engine of Cassio.

The lines are read here as Cassio itself reads them (`ParserResultLine` in its public source).
"""

from __future__ import annotations

import re
import sys

import pytest

import zeroply as zp
from scripted import talk
from stand_ins import Bench, bench
from zeroply.search.endings import solve

__all__ = ["bench"]  # the fixture
START = "---------------------------OX------XO---------------------------X"
ENDING = "--XXXXX---XOO----OOOXOOX-OOXXOX-XOOXXXX-X-OOXXXXX-OOOX----OOOO-- X"
RESULT = re.compile(
    r"([-XO]{65}), move ([A-H][1-8]), depth (\d+), @(\d+)%, "
    r"([BW][+-]\d+\.\d\d) <= v <= ([BW][+-]\d+\.\d\d), ((?:[A-H][1-8])+), node \d+, time \d+\.\d+"
)


def asked(*commands: str, player: str = "alphabeta(depth=3, eval=pattern)") -> list[str]:
    """What the engine says to commands without their prefix; an empty one is an empty line."""
    lines = "\n".join(f"ENGINE-PROTOCOL {command}" if command else "" for command in commands)
    return talk("cassio", f"{lines}\n", player).splitlines()


def results(*commands: str, player: str = "alphabeta(depth=3, eval=pattern)") -> list[re.Match[str]]:
    """The results of a search, each a line that Cassio can read."""
    *lines, last = asked(*commands, player=player)
    assert last == "ready."
    found = [match for line in lines if (match := RESULT.fullmatch(line))]
    assert len(found) == len(lines)
    for match in found:
        assert len(match[0]) > 80  # Cassio skips shorter lines
        assert match[7].startswith(match[2])
        assert match[5] == match[6]
    return found


# zeroply as an engine


def test_every_command_is_answered() -> None:
    said = asked("init", "get-version", "new-position", "empty-hash", "", "get-search-infos", "stop", player="greedy")
    assert said == ["ready.", "version: zeroply greedy", *["ready."] * 6]
    assert asked(f"feed-hash {START} -2.00 4.00 21 100 F5d6", "quit", "init") == ["bye bye."]


def test_a_search_reports_every_depth_and_at_last_the_requested_one() -> None:
    player = zp.player("alphabeta(depth=3, eval=pattern)", "othello")
    found = results(f"midgame-search {START} -64 64 12 100")
    assert [int(match[3]) for match in found] == [1, 2, 3, 12]
    assert {match[1] for match in found} == {START}
    best = player.prefer(zp.game("othello").start())[0]
    assert float(found[-1][5][1:]) == pytest.approx(best.max(), abs=0.006)
    assert best[zp.game("othello").notation.cell(found[-1][2])] == best.max()
    assert [int(match[3]) for match in results(f"midgame-search {START} 0 1 2 73")] == [1, 2]


def test_a_position_may_have_a_blank_before_its_side() -> None:
    spaced = f"{START[:64]} {START[64]}"
    assert (
        results(f"midgame-search {spaced} -64 64 1 100")[0][2] == results(f"midgame-search {START} -64 64 1 100")[0][2]
    )


@pytest.mark.parametrize("swapped", [False, True])
def test_an_endgame_search_is_exact_and_for_the_side_to_move(swapped: bool) -> None:
    board = ENDING.translate(str.maketrans("XO", "OX")) if swapped else ENDING
    solved = solve(zp.game("othello").parse(board))
    last = results(f"endgame-search {board.replace(' ', '')} -64 64 100")[-1]
    assert last[5] == f"{'W' if swapped else 'B'}{solved.scores[0]:+.2f}"
    assert int(last[3]) == board.count("-")
    assert zp.game("othello").notation.cell(last[2]) == solved.moves[0]


def test_a_player_that_does_not_search_has_a_move_but_no_opinion() -> None:
    (match,) = (results(f"midgame-search {START} -64 64 8 100", player="random(ties=lowest)"),)
    assert [(one[2], one[5]) for one in match][-1] == ("D3", "B+0.00")


def test_stop_ends_a_search_and_questions_are_answered_meanwhile() -> None:
    search = f"midgame-search {START} -64 64 3 100"
    said = asked(search, "", "get-search-infos", "stop", "get-version")
    assert [int(match[3]) for line in said if (match := RESULT.fullmatch(line))] == [1]
    assert said[1:4] == ["ok.", "node 0, time 0.000", "ready."]
    assert said[4:] == ["version: zeroply alphabeta(depth=3, eval=pattern)", "ready."]
    assert asked(search, "quit")[-1] == "bye bye."


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("wat", "unknown command wat"),
        ("midgame-search", "a search needs 64 squares"),
        (f"midgame-search {START} -64 64", "a search needs 64 squares"),
        (f"midgame-search {START[:60]} -64 64 8 100", "a search needs 64 squares"),
        (f"midgame-search {START} -64 64 x 100", "a search needs 64 squares"),
        (f"endgame-search {'X' * 65} -64 64 100", "the game is over in this position"),
    ],
)
def test_bad_commands_get_an_error_and_the_engine_is_ready_again(command: str, error: str) -> None:
    said = asked(command)
    assert said[0].startswith(f"ERROR: {error}")
    assert said[1:] == ["ready."]


def test_lines_of_other_protocols_get_an_error() -> None:
    assert talk("cassio", "genmove black\n", "greedy").splitlines() == [
        "ERROR: commands begin with ENGINE-PROTOCOL, unlike 'genmove'",
        "ready.",
    ]


def test_only_othello_is_played() -> None:
    with pytest.raises(zp.ZeroplyError, match="Cassio's protocol is for othello"):
        talk("cassio", "", "random", "gomoku")


# Programs as players


def test_a_match_is_played_to_the_end(bench: Bench) -> None:
    spec = bench.spec("cassio", "", f"--quirk thinks-twice --log {bench.log}", depth=5, processes=1)
    result = zp.match(spec, "random", games=2, openings="random(plies=4)", seed=1)
    assert (result.games, result.forfeits) == (2, [])
    assert all(record.final().over()[0] for record in result.records())
    (told,) = bench.told()
    assert told[:3] == ["ENGINE-PROTOCOL init", "ENGINE-PROTOCOL get-version", "ENGINE-PROTOCOL new-position"]
    assert told.count("ENGINE-PROTOCOL new-position") == 2
    searches = [line.split() for line in told if "-search" in line]
    assert {words[1] for words in searches} == {"midgame-search", "endgame-search"}
    for words in searches:
        assert (words[1] == "endgame-search") == (words[2].count("-") <= 12)
        assert words[1] == "endgame-search" or words[5] == "5"


def test_its_name_and_its_value_are_read(bench: Bench) -> None:
    with zp.player(bench.spec("cassio", "", processes=1), "othello") as player:
        assert isinstance(player, zp.players.FollowingPlayer)
        assert "Stand-in 4.4" in player.fingerprint()
        for moves, score in (("", 3.0), ("f5", 3.0)):
            follower = player.follow()
            follower.reply(zp.players.GameSoFar.replayed(player.game, player.game.notation.cells(moves)))
            assert follower.score == score
            follower.finish()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("--quirk silent", "answered a search with no move"),
        ("--fault hangs", "gave no move within 0.7 s"),
        ("--fault dies", "exited with code 3: out of luck"),
        ("--fault plays-illegal", r"played \w\d, which is not legal"),
        ("--fault 'ERROR: no such position\\n'", "answered midgame-search with 'ERROR: no such position'"),
    ],
)
def test_faults_forfeit_with_their_reason(bench: Bench, arguments: str, reason: str) -> None:
    spec = bench.spec("cassio", "", arguments, timeout=0.7, processes=1)
    result = zp.match(spec, "random", games=2, seed=1)
    assert [re.fullmatch(reason, lost.reason) is None for lost in result.forfeits] == [False, False]


def test_what_is_not_cassio_s_protocol_is_refused(bench: Bench) -> None:
    with pytest.raises(zp.ZeroplyError, match=r"does not speak Cassio's protocol: it echoes its input"):
        zp.player("cassio(cat)", "othello")
    with pytest.raises(zp.ZeroplyError, match="player cassio is for othello"):
        zp.player("cassio(cat)", "gomoku")
    with pytest.raises(zp.ZeroplyError, match="depth of player cassio must be from 1 to 60, not 0"):
        zp.player("cassio(cat, depth=0)", "othello")


def test_zeroply_plays_itself_over_the_protocol(bench: Bench) -> None:
    command = f"{sys.executable} -m zeroply engine --protocol cassio --player greedy(ties=lowest)"
    spec = f"cassio('{command}', exact=0, processes=1)"
    result = zp.match(spec, "random", games=2, openings="random(plies=4)", seed=2)
    assert result.forfeits == []
    twin = zp.match("greedy(ties=lowest)", "random", games=2, openings="random(plies=4)", seed=2)
    assert [record.moves for record in result.records()] == [record.moves for record in twin.records()]
