"""The ladder: two plies more for every win, a draw or a loss ends it, and it is the same every time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import reference
import zeroply as zp
from zeroply import records
from zeroply.arena.ladder import LadderResult, ladder
from zeroply.cli.main import main
from zeroply.games import Positions
from zeroply.players import Choice, Follower, FollowingPlayer, Forfeit, GameSoFar, Player

PLAYERS = ["greedy", "net(othello-swh)", "random", "alphabeta(eval=mobility)", "alphabeta(depth=3, eval=iagno)"]


@pytest.fixture(scope="module")
def climbed() -> LadderResult:
    """Five players against the positional strategy."""
    return ladder(PLAYERS, "positional", highest=4)


# Climbing


def test_the_strategy_gets_two_plies_more_for_every_win_and_the_climb_ends_with_the_first_game_not_won(
    climbed: LadderResult,
) -> None:
    assert climbed.ply_depths == (0, 2, 4)
    for number, beaten in enumerate(climbed.beaten):
        games = climbed.games_of(number)
        won = [one.ply_depth for one in games if one.winner > 0]
        assert [one.ply_depth for one in games] == [0, 2, 4][: len(games)]
        assert beaten == (won[-1] if won else None)
        assert won == [0, 2, 4][: len(won)]
        assert len(games) == min(len(won) + 1, 3)


def test_players_come_to_different_heights(climbed: LadderResult) -> None:
    assert len(set(climbed.beaten)) > 1
    assert climbed.counts[0] >= climbed.counts[2] >= climbed.counts[4]
    assert sum(climbed.counts.values()) == sum(one.winner > 0 for one in climbed.games)


def test_a_player_stronger_than_the_strategy_reaches_the_top() -> None:
    result = ladder("alphabeta(depth=5, eval=iagno)", "pieces", highest=2)
    assert result.beaten == (2,)


def test_a_draw_ends_the_climb() -> None:
    result = ladder("alphabeta(depth=3, eval=lines)", "lines", game="gomoku(size=5)")
    assert result.games[-1].winner == 0
    assert result.games[-1].ply_depth < result.ply_depths[-1]
    assert result.beaten[0] is None or result.beaten[0] < result.games[-1].ply_depth


def test_players_have_black_and_the_games_are_as_told(climbed: LadderResult) -> None:
    othello = zp.game("othello")
    for one, record in zip(climbed.games, climbed.records(), strict=True):
        end = othello.replay(record.moves)
        board = end.stones()[0]
        assert end.over()[0]
        assert int(end.winner()[0]) == one.winner
        assert ((board > 0).sum(), (board < 0).sum()) == one.stones
        assert record.black == PLAYERS[one.player]
        assert record.white == f"alphabeta(depth={one.ply_depth + 1}, eval=positional, ties=lowest)"


# The same every time


def plain_value(position: reference.Othello, colour: int, depth: int) -> int:
    """What plain minimax by disc count says of a position, for `colour`; a pass is no ply."""
    if position.over or depth == 0:
        discs = position.score() * colour
        return discs + 1000 * ((discs > 0) - (discs < 0)) if position.over else discs
    values = [plain_value(after(position, cell), colour, depth - 1) for cell in position.legal()]
    return max(values) if position.to_move == colour else min(values)


def after(position: reference.Othello, cell: int) -> reference.Othello:
    following = position.copy()
    following.play(cell)
    return following


def plain_move(position: reference.Othello, depth: int) -> int:
    """The lowest of the best moves."""
    side = position.to_move
    return max(position.legal(), key=lambda cell: (plain_value(after(position, cell), side, depth - 1), -cell))


def test_the_strategy_is_plain_minimax_with_equal_moves_to_the_lowest_square() -> None:
    result = ladder("alphabeta(depth=5, eval=pieces)", "pieces", game="othello(size=6)", highest=2)
    assert [one.ply_depth for one in result.games] == [0, 2]
    for one in result.games:
        position = reference.Othello(6)
        for cell in one.moves:
            if position.to_move < 0:
                assert cell == plain_move(position, one.ply_depth + 1)
            position.play(cell)
        assert position.over
        assert one.winner == position.winner


def test_a_player_that_evaluates_each_child_takes_the_lowest_of_the_best() -> None:
    result = ladder("alphabeta(eval=pieces)", "positional", highest=0)
    position = reference.Othello(8)
    for cell in result.games[0].moves:
        if position.to_move > 0:
            assert cell == plain_move(position, 1)
        position.play(cell)


def test_many_players_climb_as_each_does_alone(climbed: LadderResult) -> None:
    for number, spec in enumerate(PLAYERS):
        alone = ladder([spec], "positional", highest=4)
        assert alone.beaten == (climbed.beaten[number],)
        assert [one.moves for one in alone.games] == [one.moves for one in climbed.games_of(number)]


def test_threads_do_not_change_a_ladder(climbed: LadderResult) -> None:
    threads = zp.threads()
    try:
        zp.set_threads(1 if threads > 1 else 2)
        assert ladder(PLAYERS, "positional", highest=4).games == climbed.games
    finally:
        zp.set_threads(threads)


def test_a_lower_ladder_is_the_beginning_of_a_higher_one(climbed: LadderResult) -> None:
    low = ladder(PLAYERS, "positional", highest=2)
    assert low.games == climbed.games[: len(low.games)]


# Players and strategies


class Reversed(Player):
    """Likes the last square best, all others the same."""

    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        return np.where(positions.legal(), np.float32(0), np.float32(-np.inf))


def test_a_player_that_was_made_before_plays_with_lowest_ties_and_is_left_as_it_was() -> None:
    made = Reversed(zp.game("othello"))
    result = ladder([made, "random"], "pieces", highest=0)
    assert result.games[0].moves == result.games[1].moves
    assert made.choice == Choice()


class Quitter(FollowingPlayer):
    """Forfeits its first move."""

    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        raise zp.ZeroplyError("it is told games, not positions")

    def follow(self) -> Follower:
        return _Quitting()


class _Quitting(Follower):
    def reply(self, game: GameSoFar) -> int | Forfeit:
        return Forfeit("went home")

    def finish(self) -> None:
        return

    def abandon(self) -> None:
        return


def test_a_forfeit_ends_the_climb_and_says_why() -> None:
    result = ladder([Quitter(zp.game("othello")), "greedy"], "positional", highest=0)
    assert result.beaten[0] is None
    assert result.games[0].forfeit == "went home"
    assert [one.forfeit for one in result.records()] == [1, 0]
    assert result.games[1].moves


def test_an_evaluation_is_short_for_alphabeta_with_it(climbed: LadderResult) -> None:
    assert ladder(PLAYERS, "alphabeta(eval=positional)", highest=4).games == climbed.games


def test_iagno_is_the_whole_strategy_and_has_three_rungs() -> None:
    result = ladder("alphabeta(depth=4, eval=iagno)", "iagno")
    assert result.ply_depths == (0, 2, 4)
    assert result.records()[0].white == "iagno(level=1, ties=lowest)"


def test_the_other_games_have_ladders_too() -> None:
    assert ladder("naive", "liberties", game="atarigo(size=5)", highest=2).games
    assert ladder("naive", "lines", game="gomoku(size=7)", highest=2).games


@pytest.mark.parametrize(
    ("players", "strategy", "highest", "says"),
    [
        ([], "positional", 0, "one player or more"),
        (["nobody"], "positional", 0, "unknown player 'nobody'"),
        (["greedy(temperature=1)"], "positional", 0, "leave temperature out of greedy"),
        (["greedy"], "random", 0, "'random' is not a strategy for a ladder: give an evaluation (distance"),
        (["greedy"], "alphabeta(depth=3)", 0, "sets depth itself: leave it out of alphabeta(depth=3)"),
        (["greedy"], "alphabeta(ties=random)", 0, "sets ties itself"),
        (["greedy"], "iagno(level=2)", 0, "sets level itself"),
        (["greedy"], "iagno", 6, "iagno has the ply-depths 0 to 4 only, not 6"),
        (["greedy"], "positional", 3, "even number below 60, not 3"),
        (["greedy"], "positional", -2, "even number below 60, not -2"),
        (["greedy"], "positional", 60, "even number below 60, not 60"),
        (["greedy"], "positional", 10**10, "even number below 60, not 10000000000"),
        (["greedy"], "lines", 0, "evaluation lines is for gomoku"),
        (["greedy"], "wpc", 0, "needs file"),
    ],
)
def test_what_cannot_be_climbed_is_refused_in_one_sentence(
    players: list[str], strategy: str, highest: int, says: str
) -> None:
    with pytest.raises(zp.ZeroplyError) as caught:
        ladder(players, strategy, highest=highest)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


# The command


def output(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    main(["ladder", *words])
    said = capsys.readouterr()
    assert said.err == ""
    return said.out


def test_the_command_tells_the_same_as_python(capsys: pytest.CaptureFixture[str], climbed: LadderResult) -> None:
    told: Any = json.loads(output(capsys, *PLAYERS, "--strategy", "positional", "--highest", "4", "--json"))
    assert [one["player"] for one in told["players"]] == PLAYERS
    assert [one["beaten"] for one in told["players"]] == list(climbed.beaten)
    assert told["ply_depths"] == [0, 2, 4]
    assert told["beaten_by"] == {str(depth): count for depth, count in climbed.counts.items()}
    moves = [zp.game("othello").notation.transcript(list(one.moves)) for one in climbed.games_of(0)]
    assert [one["moves"] for one in told["players"][0]["games"]] == moves


def test_the_table_fits_on_eighty_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, climbed: LadderResult
) -> None:
    monkeypatch.setattr("zeroply.cli.output.console.width", 80)
    lines = output(capsys, *PLAYERS, "--highest", "4").splitlines()
    assert max(map(len, lines)) <= 80
    row = next(line for line in lines if "othello-swh" in line)
    first = climbed.games_of(1)[0]
    assert f"{'won' if first.winner > 0 else 'lost'} {first.stones[0]}-{first.stones[1]}" in row


def test_games_are_saved(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    output(capsys, "greedy", "random", "--highest", "0", "--save", str(tmp_path / "games.txt"))
    assert len(records.load(tmp_path / "games.txt")) == 2


def test_a_command_that_cannot_be_done_exits_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["ladder", "greedy", "--highest", "1"])
    assert caught.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
