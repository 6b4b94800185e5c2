"""Foreign programs as players: four protocols, clocks, and programs that misbehave in every way we could think of.

The stand-ins of `tests/engines` move at random and check what they are told. Whatever they do, the match goes on, the
loss has its reason, and no process is left behind.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import zeroply as zp
from stand_ins import ENGINES, Bench, bench
from zeroply import records
from zeroply.cli.main import main
from zeroply.foreign import command
from zeroply.foreign.engine import Limits
from zeroply.foreign.nboard import ggf, with_passes
from zeroply.players import FollowingPlayer, Forfeit, GameSoFar
from zeroply.runs.resume import resume

__all__ = ["bench"]  # the fixture
GAMES_OF = {
    "gtp": ["othello", "othello(size=10)", "gomoku(size=9)", "atarigo(size=9)", "atarigo(size=6, captures=3)"],
    "nboard": ["othello"],
    "edax": ["othello"],
    "gomocup": ["gomoku(size=9)", "gomoku(size=7, exact=true)"],
}
PLAYED = [(protocol, game) for protocol, games in GAMES_OF.items() for game in games]


# Programs that do as they should


@pytest.mark.parametrize(("protocol", "game"), PLAYED)
def test_a_match_is_played_to_the_end(bench: Bench, protocol: str, game: str) -> None:
    spec = bench.spec(protocol, game)
    result = zp.match(spec, "random", game=game, games=8, openings="random(plies=3)", seed=2)
    assert result.forfeits == []
    assert result.players == (spec, "random")
    assert all(record.final().over()[0] for record in result.records())
    assert len({record.moves for record in result.records()}) == 8
    assert len(bench.pids()) == 2


@pytest.mark.parametrize(("protocol", "game"), [(p, g) for p, g in PLAYED if (p, g[:7]) != ("gtp", "othello")])
def test_games_may_start_from_a_given_position(bench: Bench, tmp_path: Path, protocol: str, game: str) -> None:
    rules = zp.game(game)
    openings = tmp_path / "openings.txt"
    starts = [rules.start(), rules.start()]
    for ply, start in enumerate(starts, 2):
        for _ in range(ply):
            start.play([int(np.flatnonzero(start.legal()[0])[1])])
    openings.write_text("\n".join(start.text()[0] for start in starts))
    spec = bench.spec(protocol, game, processes=1)
    result = zp.match(spec, "random", game=game, openings=str(openings), seed=1)
    assert (result.games, result.forfeits) == (4, [])


def test_othello_over_gtp_cannot_start_from_a_given_position(bench: Bench, tmp_path: Path) -> None:
    opening = tmp_path / "opening.txt"
    opening.write_text(zp.game("othello").replay("f5d6").text()[0])
    with pytest.raises(zp.ZeroplyError, match=r"Stand-in 1\.0 cannot start from a given position over GTP"):
        zp.match("random", bench.spec("gtp", "othello"), openings=str(opening))


@pytest.mark.parametrize("quirk", ["crlf", "pieces", "noisy", "banner", "slow-start", "stubborn", "child"])
def test_odd_habits_cost_no_game(bench: Bench, quirk: str) -> None:
    game = "atarigo(size=5)"
    spec = bench.spec("gtp", game, f"--quirk {quirk}", timeout=1 if quirk == "slow-start" else 5, processes=1)
    assert zp.match(spec, "naive", game=game, games=4).forfeits == []


@pytest.mark.parametrize("quirk", ["crlf", "pieces", "suggests"])
def test_odd_habits_cost_no_game_of_gomoku(bench: Bench, quirk: str) -> None:
    game = "gomoku(size=5)"
    assert zp.match(bench.spec("gomocup", game, f"--quirk {quirk}"), "naive", game=game, games=2).forfeits == []


@pytest.mark.parametrize("arguments", ["", "--quirk explicit"])
def test_passes_over_gtp_are_implied_unless_the_program_insists(bench: Bench, arguments: str) -> None:
    game = "othello(size=4)"
    spec = bench.spec("gtp", game, f"--log {bench.log} {arguments}", processes=1)
    result = zp.match(spec, "random", game=game, games=30, seed=1)
    assert result.forfeits == []
    assert sum("pass" in line for line in bench.told()[0]) >= (5 if arguments else 0)
    assert arguments or not any("pass" in line for line in bench.told()[0])


def test_a_program_is_told_every_game_once(bench: Bench) -> None:
    game = "gomoku(size=7)"
    spec = bench.spec("gtp", game, f"--log {bench.log}", processes=1)
    result = zp.match(spec, "naive", game=game, games=6, openings="random(plies=2)")
    (told,) = bench.told()
    assert told.count("clear_board") == 6
    own = sum(line.startswith("genmove") for line in told)
    assert own + sum(line.startswith("play") for line in told) in range(
        result.lengths.sum() - 6, result.lengths.sum() + 1
    )


def test_a_gomoku_program_is_told_a_turn_at_a_time(bench: Bench) -> None:
    game = "gomoku(size=7)"
    spec = bench.spec("gomocup", game, f"--log {bench.log}", processes=1, timeout=2)
    zp.match(spec, "naive", game=game, games=2)
    (told,) = bench.told()
    assert told[:2] == ["ABOUT", "START 7"]
    assert [told.count(line) for line in ("START 7", "BEGIN", "BOARD")] == [3, 1, 1]
    assert {"INFO timeout_turn 2000", "INFO timeout_match 0", "INFO time_left 2147483647", "INFO rule 0"} <= set(told)


def test_two_programs_can_meet_and_one_can_have_both_colours(bench: Bench) -> None:
    game = zp.game("gomoku(size=7)")
    two = bench.spec("gtp", "gomoku(size=7)"), bench.spec("gomocup", "gomoku(size=7)", processes=1)
    assert zp.match(*two, game=game, games=4).forfeits == []
    with zp.player(bench.spec("gtp", "gomoku(size=7)"), game) as player:
        assert zp.match(player, player, game=game, games=4).forfeits == []
        assert bench.left()  # whoever made a player closes it
        assert zp.match(player, "random", game=game, games=2).forfeits == []


def test_games_are_played_side_by_side(bench: Bench) -> None:
    game, times = "atarigo(size=5)", []
    for processes in (1, 3):
        with zp.player(bench.spec("gtp", game, "--think 0.05", processes=processes), game) as player:
            player.prefer(zp.game(game).start(processes))  # all programs have started now
            begun = time.monotonic()
            zp.match(player, "random", game=game, games=6, seed=1)
            times.append(time.monotonic() - begun)
    assert times[1] < 0.75 * times[0]  # a third on an idle machine


def test_what_the_other_player_does_depends_on_the_seed_alone(bench: Bench) -> None:
    """The stand-in answers by its own dice, so with one process and one seed everything is the same."""
    game = "atarigo(size=5)"
    spec = bench.spec("gtp", game, processes=1)
    one, same, other = (zp.match(spec, "random", game=game, games=6, seed=seed).pairs for seed in (1, 1, 2))
    assert one.moves.tobytes() == same.moves.tobytes() != other.moves.tobytes()


# Positions


@pytest.mark.parametrize(
    ("protocol", "game", "moves"),
    [
        ("gtp", "atarigo(size=5)", "C3D3C4"),
        ("gtp", "othello", ""),
        ("nboard", "othello", "f5d6c3"),
        ("edax", "othello", "f5d6c3"),
        ("gomocup", "gomoku(size=7)", "D4E4"),
    ],
)
def test_a_program_prefers_the_move_it_would_make(bench: Bench, protocol: str, game: str, moves: str) -> None:
    positions = zp.game(game).replay(moves)[[0, 0, 0]]
    with zp.player(bench.spec(protocol, game), game) as player:
        preferences = player.prefer(positions)
        chosen = player.choose(positions, np.arange(3, dtype=np.uint64))
    legal = positions.legal()
    assert (np.sort(preferences[legal].reshape(3, -1), axis=1)[:, -2:] == [-1, 0]).all()
    assert np.isneginf(preferences[~legal]).all()
    assert legal[np.arange(3), chosen].all()


def test_a_program_is_not_asked_about_positions_that_are_over(bench: Bench) -> None:
    game = zp.game("gomoku(size=5)")
    over = game.replay("A1A2B1B2C1C2D1D2E1")
    with zp.player(bench.spec("gtp", "gomoku(size=5)", "--fault hangs", timeout=0.5), game) as player:
        assert np.isneginf(player.prefer(over)).all()
        with pytest.raises(zp.ZeroplyError, match=r"gave no move within 0\.5 s"):
            player.prefer(game.start())


def test_ggf_tells_passes() -> None:
    game = zp.game("othello")
    moves = game.notation.cells(
        "e6f4e3f2g4d6c4c5c6h4g1e7e8b4c3e2e1c7f6g6h6d2a5b6a7c1b8a4a3b7"
        "b3c8d8b2a1b5a6a8c2d7g5b1d1f7g7f5f3f1g3a2h7g8f8h8d3h5h3g2h2"
    )
    so_far = GameSoFar.replayed(game, moves)
    turns = with_passes(game, so_far)
    colours = [colour for colour, _ in turns]
    assert colours == [1, -1] * (len(colours) // 2) + [1] * (len(colours) % 2)
    assert [cell for _, cell in turns if cell >= 0] == moves
    text = ggf(game, so_far.setup, turns)
    assert text.startswith("(;GM[Othello]")
    assert "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[E6]W[F4]" in text
    assert text.count("[PA]") == len(turns) - len(moves) == 2


# Programs that misbehave

FAULTS = {
    "hangs": r"gave no move within 0\.7 s",
    "dies": r"exited with code 3: out of luck",
    "dies-later": r"exited with code 3: had enough",
    "crashes": r"was killed by signal SIGSEGV",
    "plays-illegal": r"played [A-Z]\d+, which is not legal",
    "floods": r"answered 'all work and no play', which is not GTP",
    "floods-a-line": r"flooded its output: more than 1 MB without an answer",
    "garbage": r"answered '%\$&! no idea', which is not GTP",
    "closes": r"closed its output",
    r"'= Q77\n\n'": r"answered 'Q77', which is not a move",
    r"'= I5\n\n'": r"answered 'I5', which is not a move",
    r"'= pass\n\n'": r"passed, which gomoku does not allow",
    r"'= resign\n\n'": r"resigned",
    r"'? out of memory\n\n'": r"answered genmove with '\? out of memory'",
    r"'= A'": r"gave no move within 0\.7 s",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_forfeits_the_game_and_the_match_goes_on(bench: Bench, fault: str) -> None:
    game = "gomoku(size=6)"
    spec = bench.spec("gtp", game, f"--after 2 --once {bench.once} --fault {fault}", timeout=0.7, processes=1)
    result = zp.match("random", spec, game=game, games=4, seed=1)
    assert (result.games, len(result.forfeits)) == (4, 1)
    for lost in result.forfeits:
        number = lost.game - 1
        assert (lost.player, lost.against) == (spec, "random")
        assert re.fullmatch(FAULTS[fault], lost.reason), lost.reason
        assert result.pairs.scores[number // 2, number % 2] == 1
        assert not result.records()[number].final().over()[0]
        assert result.records()[number].winner == (1 if number % 2 == 0 else -1)
    finished = [record.final().over()[0] for record in result.records()]
    assert finished.count(False) == len(result.forfeits)


@pytest.mark.parametrize("fault", ["hangs", "dies", "plays-illegal", "floods", "garbage"])
@pytest.mark.parametrize("protocol", ["nboard", "edax", "gomocup"])
def test_a_fault_in_every_game_loses_every_game(bench: Bench, protocol: str, fault: str) -> None:
    game = GAMES_OF[protocol][0]
    spec = bench.spec(
        protocol, game, f"--fault {fault} --after 3", timeout=5 if fault == "floods" else 0.6, processes=1
    )
    result = zp.match(spec, "random", game=game, games=2)
    assert (result.tally.losses, len(result.forfeits)) == (2, 2)
    reasons = {
        "hangs": r"gave no move within 0\.6 s.*",
        "dies": r"exited with code 3: out of luck",
        "plays-illegal": r"played \w\d, which is not legal",
        "floods": r"flooded its output.*|answered 'all work and no play', which is not a move",
        "garbage": r"(gave no move within .*; its last line was|answered( go with)?) '%\$&! no idea.*",
    }
    for lost in result.forfeits:
        assert re.fullmatch(reasons[fault], lost.reason), lost.reason


def test_a_program_that_resigns_or_plays_illegally_is_not_started_again(bench: Bench) -> None:
    for fault in (r"'= resign\n\n'", "plays-illegal"):
        spec = bench.spec("gtp", "othello", f"--fault {fault}", processes=1)
        assert len(zp.match("random", spec, games=4).forfeits) == 4
    assert len(bench.pids()) == 2


def test_stubborn_programs_with_children_are_killed_when_they_hang(bench: Bench) -> None:
    game = "gomoku(size=6)"
    spec = bench.spec("gtp", game, "--quirk stubborn --quirk child --fault hangs", timeout=0.5)
    result = zp.match(spec, "random", game=game, games=4)
    assert len(result.forfeits) == 4
    assert len(bench.pids()) == 8


# Clocks


def test_a_program_that_is_too_slow_loses_on_time(bench: Bench) -> None:
    game = "gomoku(size=9)"
    spec = bench.spec("gtp", game, "--think 0.4", time=1)
    result = zp.match(spec, "random", game=game, games=2)
    assert [lost.reason for lost in result.forfeits] == ["lost on time: it had 1 s"] * 2
    assert result.lengths.max() <= 7


@pytest.mark.parametrize("limit", ["time", "timeout"])
def test_the_margin_is_granted_once_per_game(bench: Bench, limit: str) -> None:
    game = "gomoku(size=9)"
    spec = bench.spec("gtp", game, "--think 0.19", **{limit: 0.1})
    result = zp.match(spec, "random", game=game, games=2)
    reason = {"time": "lost on time: it had 0.1 s", "timeout": "gave no move within 0.1 s"}[limit]
    assert [lost.reason.partition(";")[0] for lost in result.forfeits] == [reason] * 2
    assert result.lengths.max() <= 5


def test_the_margin_can_be_set(bench: Bench) -> None:
    game = "atarigo(size=5)"
    late = bench.spec("gtp", game, "--think 0.1", timeout=0.05, margin=30)
    assert zp.match(late, "naive", game=game, games=2).forfeits == []
    exact = bench.spec("gtp", game, "--think 0.1", timeout=0.05, margin=0)
    result = zp.match(exact, "naive", game=game, games=2)
    assert len(result.forfeits) == 2
    assert result.lengths.max() <= 1


def test_an_increment_gives_time_for_every_move(bench: Bench) -> None:
    game = "atarigo(size=5)"
    spec = bench.spec("gtp", game, f"--think 0.1 --log {bench.log}", time=1, increment=1, processes=1)
    assert zp.match(spec, "naive", game=game, games=2).forfeits == []
    (told,) = bench.told()
    assert told.count("time_settings 1 1 1") == 2
    left = [int(line.split()[2]) for line in told if line.startswith("time_left")]
    assert left[0] == 1
    assert max(left) > 2


def test_a_gomoku_program_is_told_its_clock(bench: Bench) -> None:
    game = "gomoku(size=7)"
    spec = bench.spec("gomocup", game, f"--think 0.1 --log {bench.log}", time=30, processes=1)
    assert zp.match(spec, "naive", game=game, games=2).forfeits == []
    (told,) = bench.told()
    assert {"INFO timeout_match 30000", "INFO timeout_turn 30000", "INFO time_left 30000"} <= set(told)
    left = [int(line.split()[2]) for line in told if "time_left" in line]
    assert min(left) < 29800


def test_without_a_clock_no_time_is_told(bench: Bench) -> None:
    game = "atarigo(size=5)"
    zp.match(bench.spec("gtp", game, f"--log {bench.log}"), "naive", game=game, games=2)
    assert not any("time" in line for told in bench.told() for line in told)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"timeout": 0}, "timeout must be a number of seconds above 0"),
        ({"time": -1}, "time must be a number of seconds above 0"),
        ({"increment": 1}, "increment needs a clock"),
        ({"time": 1, "increment": -1}, "increment must be"),
        ({"processes": 0}, "processes must be from 1 to 256"),
        ({"startup": 0}, "startup must be"),
        ({"margin": -0.1}, "margin must be a number of seconds, 0 or more"),
    ],
)
def test_impossible_limits_are_refused(limits: dict[str, float], message: str) -> None:
    with pytest.raises(zp.ZeroplyError, match=message):
        Limits(**limits)  # type: ignore[arg-type]


# Starting and ending


def refused(spec: str, game: str = "othello") -> str:
    with pytest.raises(zp.ZeroplyError) as caught:
        zp.player(spec, game)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_program_that_cannot_be_used_is_refused_in_one_sentence(bench: Bench, tmp_path: Path) -> None:
    assert refused('gtp("no-such-engine -l 1")').startswith("the program no-such-engine was not found: install it")
    plain = tmp_path / "plain.txt"
    plain.write_text("text")
    assert "is not executable" in refused(f'gtp("{plain}")')
    plain.chmod(0o755)
    assert "cannot be run: Exec format error" in refused(f'gtp("{plain}")')
    assert "is empty" in refused('gtp("  ")')
    assert "no closing quotation" in refused('gtp("engine \'open")')
    assert "does not speak GTP: it exited with code 0" in refused("gtp('true')")
    assert "does not speak GTP: it gave no answer within 0.3 s" in refused('gtp("sleep 100", startup=0.3)')
    wrong = bench.spec("gtp", "othello", "--fault exit-at-once")
    assert refused(wrong).endswith("does not speak GTP: it exited with code 3: cannot open the weights")
    assert "gave no answer within 0.5 s" in refused(bench.spec("gomocup", "x", "--fault mute", startup=0.5), "gomoku")
    assert "does not speak Edax's console protocol" in refused("edax('true')")
    assert "does not speak the NBoard protocol" in refused("nboard('true')")


def test_a_program_that_plays_another_game_is_refused(bench: Bench) -> None:
    othello = bench.spec("gtp", "othello")
    assert refused(othello, "gomoku(size=8)") == "Stand-in 1.0 does not play gomoku: it plays Othello"
    assert "does not play othello(size=6): it answered boardsize with 'unacceptable" in refused(
        othello, "othello(size=6)"
    )
    assert "with 'ERROR unsupported size'" in refused(bench.spec("gomocup", ""), "gomoku(size=19)")
    assert refused("gomocup('true')") == "player gomocup is for gomoku, not for othello"
    assert refused("edax('true')", "gomoku") == "player edax is for othello(size=8), not for gomoku"
    assert (
        refused("nboard('true')", "othello(size=10)")
        == "player nboard is for othello(size=8), not for othello(size=10)"
    )


def test_options_out_of_range_are_refused(bench: Bench) -> None:
    assert "no temperature" in refused(bench.spec("gtp", "othello", temperature=1))
    assert "level of player edax must be from 0 to 60" in refused("edax('true', level=61)")
    assert "depth of player nboard must be from 1 to 60" in refused("nboard('true', depth=0)")


def test_no_shell_is_involved(bench: Bench, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    assert "does not speak GTP" in refused(f'gtp("true ; touch {mark}")')
    assert "does not speak GTP" in refused(f'gtp("true $(touch {mark}) > {mark}")')
    assert not mark.exists()


def test_a_program_that_does_not_start_again_ends_the_match_with_an_error(bench: Bench, tmp_path: Path) -> None:
    """It works once; what was started then dies in its first game, and its successors do not come up."""
    script = tmp_path / "fickle.sh"
    engine = f"{sys.executable} {ENGINES / 'gtp_engine.py'} 'gomoku(size=6)' --fault dies"
    script.write_text(
        f"#!/bin/sh\nif mkdir {bench.once} 2>/dev/null; then exec {engine}; fi\necho broken >&2\nexit 1\n"
    )
    script.chmod(0o755)
    with pytest.raises(zp.ZeroplyError, match=r"cannot be started again: it exited with code 1: broken"):
        zp.match("random", f'gtp("{script}", processes=1)', game="gomoku(size=6)", games=4)


def test_the_first_player_is_closed_when_the_second_cannot_be_made(bench: Bench) -> None:
    with pytest.raises(zp.ZeroplyError, match="unknown player"):
        zp.match(bench.spec("gtp", "othello"), "nobody", games=2)
    assert len(bench.pids()) == 1


def test_an_error_of_the_other_player_leaves_nothing_behind(bench: Bench) -> None:
    class Broken(zp.Player):
        spec = zp.player("random", "othello").spec

        def prefer(self, positions: zp.Positions) -> np.typing.NDArray[np.float32]:
            raise zp.ZeroplyError("broken on purpose")

    begun = time.monotonic()
    with pytest.raises(zp.ZeroplyError, match="broken on purpose"):
        zp.match(bench.spec("gtp", "othello", "--think 20", timeout=100), Broken(zp.game("othello")), games=4)
    assert time.monotonic() - begun < 15


SCRIPT = """
import sys, time
import zeroply as zp
player = zp.player(sys.argv[1], "gomoku(size=6)")
follower = player.follow()
print("ready", flush=True)
if sys.argv[2] == "match":
    zp.match(player, "random", game="gomoku(size=6)", games=4)
"""


@pytest.mark.parametrize("way", ["exit", "SIGINT", "SIGTERM", "SIGKILL"])
def test_programs_end_with_python_however_it_ends(bench: Bench, way: str) -> None:
    spec = bench.spec("gtp", "gomoku(size=6)", "--quirk stubborn --fault hangs", timeout=100)
    words = [sys.executable, "-c", SCRIPT, spec, "wait" if way == "exit" else "match"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as python:
        assert python.stdout is not None
        assert python.stdout.readline() == b"ready\n"
        if way != "exit":
            deadline = time.monotonic() + 20
            while len(bench.pids()) < 2 and time.monotonic() < deadline:
                time.sleep(0.02)
            python.send_signal(getattr(signal, way))
        python.wait(20)
    assert len(bench.pids()) == (1 if way == "exit" else 2)
    assert bench.gone_within(5)


def test_a_player_that_is_forgotten_ends_its_programs(bench: Bench) -> None:
    player = zp.player(bench.spec("gtp", "gomoku(size=6)"), "gomoku(size=6)")
    assert bench.left()
    del player
    assert bench.left() == []


def test_a_closed_player_says_so(bench: Bench) -> None:
    with zp.player(bench.spec("gtp", "gomoku(size=6)"), "gomoku(size=6)") as player:
        pass
    with pytest.raises(zp.ZeroplyError, match="was closed"):
        zp.match(player, "random", game="gomoku(size=6)", games=2)


def test_a_program_that_dies_between_games_is_replaced_without_loss(bench: Bench) -> None:
    game = zp.game("gomoku(size=6)")
    with zp.player(bench.spec("gtp", "gomoku(size=6)", processes=1), game) as player:
        assert zp.match(player, "random", game=game, games=2).forfeits == []
        (pid,) = bench.pids()
        os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        assert zp.match(player, "random", game=game, games=2).forfeits == []
        assert len(bench.pids()) == 2


def test_an_abandoned_game_ends_at_once(bench: Bench) -> None:
    game = zp.game("gomoku(size=6)")
    with zp.player(bench.spec("gtp", "gomoku(size=6)"), game) as player:
        assert isinstance(player, FollowingPlayer)
        follower = player.follow()
        assert isinstance(follower.reply(GameSoFar.replayed(game)), int)
        follower.abandon()
        assert follower.reply(GameSoFar.replayed(game)) == Forfeit("was stopped")
        follower.finish()
        assert bench.gone_within(1)


def test_games_are_found_where_debian_puts_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    engine = tmp_path / "my-engine"
    engine.write_text("#!/bin/sh\n")
    engine.chmod(0o755)
    with pytest.raises(zp.ZeroplyError):
        command.words_of("my-engine -l 1")
    monkeypatch.setattr(command, "GAMES_FOLDERS", (str(tmp_path),))
    assert command.words_of("my-engine -l 1") == [str(engine), "-l", "1"]


# Leagues, the command line


def test_a_league_keeps_its_forfeits_and_resumes_with_them(bench: Bench, tmp_path: Path) -> None:
    game = "gomoku(size=6)"
    spec = bench.spec("gtp", game, f"--fault dies --once {bench.once}")
    folder = tmp_path / "run"
    result = zp.league([spec, "random", "naive"], game=game, games=4, run=folder)
    (lost,) = result.forfeits
    assert (lost.player, lost.reason) == (spec, "exited with code 3: out of luck")
    assert result.to_dict()["forfeits"] == [vars(lost)]
    again = resume(folder)
    assert again.forfeits == result.forfeits
    assert again.points.tolist() == result.points.tolist()
    assert again.records() == result.records()
    (forfeited,) = (one for one in result.records() if one.forfeit)
    assert (forfeited.black if forfeited.forfeit > 0 else forfeited.white) == spec


def test_a_league_does_not_go_on_with_another_program(bench: Bench, tmp_path: Path) -> None:
    engine = tmp_path / "engine.py"
    engine.write_text(
        f"import sys; sys.path.insert(0, {str(ENGINES)!r})\nfrom gtp_engine import *\nGtpStandIn(Wire()).serve()"
    )
    spec = f'gtp("{sys.executable} {engine} gomoku(size=6)", processes=1)'
    folder = tmp_path / "run"
    zp.league([spec, "random"], game="gomoku(size=6)", games=2, run=folder)
    (folder / "result.json").unlink()
    engine.write_text(engine.read_text() + "\n")
    with pytest.raises(zp.ZeroplyError, match="has changed since the run began"):
        resume(folder)


def test_the_command_line_tells_forfeits(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    spec = bench.spec("gtp", "gomoku(size=6)", f"--fault dies --once {bench.once}")
    words = ["match", "random", spec, "--game", "gomoku(size=6)", "--games", "4"]
    main(words)
    assert "forfeits 1" in (shown := capsys.readouterr().out)
    assert "exited with code 3: out of luck" in shown
    bench.once.unlink()
    main([*words, "--json"])
    (lost,) = json.loads(capsys.readouterr().out)["forfeits"]
    assert lost["player"] == spec
    assert lost["reason"] == "exited with code 3: out of luck"


@pytest.mark.parametrize("suffix", [".txt", ".sgf", ".ggf", ".wtb"])
def test_resigned_games_are_saved_as_lost(bench: Bench, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"games{suffix}"
    main(
        [
            "match",
            bench.spec("gtp", "othello", r"--after 3 --fault '= resign\n\n'"),
            "greedy",
            "--games",
            "2",
            "--save",
            str(path),
        ]
    )
    assert [one.result for one in records.load(path)] == (["?", "?"] if suffix == ".wtb" else ["W+F", "B+F"])
    if suffix == ".wtb":
        assert records.read_wtb(path).black_discs.tolist() == [0, 64]


def test_a_person_can_play_a_program(
    bench: Bench, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = iter(["f5\n", "undo\n", "d3\n", "hint\n", "quit\n"])
    monkeypatch.setattr(sys.stdin, "readline", lambda: next(lines))
    main(["play", bench.spec("gtp", "othello"), "--seed", "1"])
    shown = capsys.readouterr().out
    assert shown.count(" plays ") == 2
    assert shown.count(" would play ") == 1
    assert "Good-bye" in shown


# Real programs


def test_grhino_plays_othello(debian_program: Callable[..., Path]) -> None:
    program = debian_program("gtp-rhino", "grhino")
    spec = f'gtp("{program} -l 1")'
    result = zp.match("greedy", spec, games=6, openings="random(plies=4)", seed=1)
    assert result.forfeits == []
    assert result.tally.losses >= 4
    assert all(record.final().over()[0] for record in result.records())


def test_grhino_can_start_from_a_position_and_knows_its_clock(
    debian_program: Callable[..., Path], tmp_path: Path
) -> None:
    program = debian_program("gtp-rhino", "grhino")
    opening = tmp_path / "opening.txt"
    opening.write_text(zp.game("othello").replay("f5d6c3d3c4f4c5").text()[0])
    result = zp.match("random", f'gtp("{program} -l 1", time=60, increment=1)', openings=str(opening), seed=1)
    assert (result.games, result.forfeits) == (2, [])
    assert refused(f'gtp("{program}")', "gomoku").endswith("does not play gomoku: it plays Othello")


def test_gnu_go_plays_atari_go_with_zeroply_as_referee(debian_program: Callable[..., Path]) -> None:
    program = debian_program("gnugo")
    spec = f'gtp("{program} --mode gtp --level 0")'
    result = zp.match("naive", spec, game="atarigo(size=9)", games=4, seed=1)
    assert result.forfeits == []
    assert all(record.final().over()[0] for record in result.records())
    assert all(record.final().captured()[0].any() for record in result.records())
