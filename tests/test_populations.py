"""Games of populations: the same games as players would play, whatever the batch; and what a game is worth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tiny_net import TinyNet
from zeroply import _core, chance
from zeroply.arena.member_games import play_games
from zeroply.arena.play import Played, play
from zeroply.arena.populations import Population, Seats, game_keys, play_members
from zeroply.arena.scores import Scoring, lateness
from zeroply.errors import ZeroplyError
from zeroply.games import Positions, game
from zeroply.learning.coevolution.meetings import meetings
from zeroply.learning.evolution.executors import workers
from zeroply.nets import population_net
from zeroply.nets.population import VECTOR, Member
from zeroply.nets.spatial import SpatialNet
from zeroply.players import Choice, Follower, FollowingPlayer, Player, player
from zeroply.players.net import NetPlayer

GAMES = ["atarigo(size=5)", "gomoku(size=6)", "othello(size=6)"]


def some(spec: str, members: int, key: int = 5) -> Population:
    net = TinyNet(game(spec))
    return Population(net, net.initial(chance.keys(key, np.arange(members))))


def as_player(population: Population, member: int) -> Player:
    return NetPlayer(population.net.game, Member(population.net, {VECTOR: population.weights[member]}))


def result(played: Played) -> list[tuple[int, list[int]]]:
    return [(int(w), row[row >= 0].tolist()) for w, row in zip(played.winner, played.moves, strict=True)]


@pytest.mark.parametrize("spec", GAMES)
def test_members_play_the_games_they_would_play_as_players(spec: str) -> None:
    population, keys = some(spec, 3), chance.keys(1, np.arange(12))
    seats = Seats.pairs([[0, 0], [1, 0], [2, 0]], games=4)
    together = play_members([population, player("naive", spec)], seats, keys)
    alone = [as_player(population, member) for member in range(3)]
    for number in range(12):
        two = [alone[number // 4], player("naive", spec)]
        its = np.array([[0, 1]] if number % 2 == 0 else [[1, 0]], np.int64)
        single = play(two, its, game(spec).start(1), keys[number : number + 1])
        assert result(single) == result(together)[number : number + 1]


def test_two_populations_meet_each_starting_once() -> None:
    first, second = some("atarigo(size=5)", 2), some("atarigo(size=5)", 3, key=8)
    pairs = [[row, column] for row in range(2) for column in range(3)]
    keys = chance.keys(4, np.arange(12))
    together = play_members([first, second], Seats.pairs(pairs), keys)
    for number, (row, column) in enumerate(np.repeat(pairs, 2, axis=0)):
        two = [as_player(first, row), as_player(second, column)]
        its = np.array([[0, 1]] if number % 2 == 0 else [[1, 0]], np.int64)
        single = play(two, its, game("atarigo(size=5)").start(1), keys[number : number + 1])
        assert result(single) == result(together)[number : number + 1]


def test_a_members_games_do_not_depend_on_the_group_it_is_in() -> None:
    population = some("atarigo(size=5)", 6)
    pairs = np.stack([np.arange(6), np.zeros(6)], axis=1)
    opponent = player("naive", "atarigo(size=5)")
    whole = play_members([population, opponent], Seats.pairs(pairs, 10), game_keys(9, np.arange(6), 10))
    part = Population(population.net, population.weights[4:])
    some_games = play_members([part, opponent], Seats.pairs(pairs[:2], 10), game_keys(9, np.arange(4, 6), 10))
    assert result(some_games) == result(whole)[40:]


def test_temperature_makes_other_moves_possible() -> None:
    population = some("atarigo(size=5)", 1)
    warm = Population(population.net, population.weights, Choice(temperature=5.0))
    seats, keys = Seats.pairs([[0, 0]] * 20), chance.keys(1, np.arange(40))
    opponent = player("random", "atarigo(size=5)")
    cold_games = play_members([population, opponent], seats, keys)
    assert result(play_members([warm, opponent], seats, keys)) != result(cold_games)


def test_colours_alternate_within_a_pair() -> None:
    seats = Seats.pairs([[3, 7]], games=4)
    assert seats.sides.tolist() == [[0, 1], [1, 0], [0, 1], [1, 0]]
    assert seats.members.tolist() == [[3, 7], [7, 3], [3, 7], [7, 3]]
    assert seats.first_is_black.tolist() == [True, False, True, False]


@pytest.mark.parametrize("games", [0, 1, 3, -2])
def test_each_must_start_as_often(games: int) -> None:
    with pytest.raises(ZeroplyError, match="even number of games"):
        Seats.pairs([[0, 0]], games)


class Foreign(FollowingPlayer):
    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        raise NotImplementedError

    def follow(self) -> Follower:
        raise NotImplementedError


def test_a_player_that_follows_games_cannot_meet_a_population() -> None:
    foreign = Foreign(game("atarigo(size=5)"))
    with pytest.raises(ZeroplyError, match="follows whole games"):
        play_members([some("atarigo(size=5)", 1), foreign], Seats.pairs([[0, 0]]), chance.keys(1, np.arange(2)))


# Scores


def finished(spec: str, *transcripts: str) -> Played:
    """Games by their moves."""
    the_game = game(spec)
    cells = [the_game.notation.cells(moves) for moves in transcripts]
    moves = np.full((len(cells), max(map(len, cells))), -1, np.int16)
    final = the_game.start(len(cells))
    for row, played in enumerate(cells):
        moves[row, : len(played)] = played
        final[row] = the_game.replay(played)
    return Played(final, moves)


CORNER = "a2 a1 b1"
"""White plays into the corner and is captured: the shortest game."""


def test_the_shortest_win_is_worth_one() -> None:
    assert Scoring("length").black(finished("atarigo(size=5)", CORNER)).tolist() == [1.0]


def test_a_win_in_m_moves_follows_the_formula() -> None:
    played = finished("atarigo(size=5)", "a2 a1 e5 d5 b1")
    assert played.lengths.tolist() == [5]
    assert Scoring("length").black(played) == pytest.approx([1 - 0.2 * (5 - 3) / (25 - 3)])


def test_a_loss_is_worth_the_negative() -> None:
    played = finished("atarigo(size=5)", "a1 a2 e5 b1")
    assert Scoring("length").black(played) == pytest.approx([-(1 - 0.2 * (4 - 3) / (25 - 3))])


def test_gomoku_is_shortest_with_nine_moves() -> None:
    played = finished("gomoku(size=7)", "a1 a2 b1 b2 c1 c2 d1 d2 e1")
    assert Scoring("length").black(played).tolist() == [1.0]
    assert Scoring("result").black(played).tolist() == [1.0]


def test_a_draw_is_worth_nothing() -> None:
    the_game = game("gomoku(size=5)")
    stones = ["XXOOX", "OOXXO", "XXOOX", "OOXXO", "XXOOX"]
    played = Played(the_game.parse("".join(stones) + " O"), np.zeros((1, 25), np.int16))
    assert played.final.over().all()
    assert Scoring("length").black(played).tolist() == [0.0]


def test_lateness_is_from_the_shortest_game_to_one_with_a_move_for_every_cell() -> None:
    assert lateness(game("atarigo(size=5)"), np.array([3, 14, 25, 40])) == pytest.approx([0, 0.5, 1, 1])


def test_othello_is_scored_by_discs() -> None:
    final = play(
        [player("greedy", "othello(size=6)")] * 2, np.array([[0, 1]]), game("othello(size=6)").start(1), keys()
    )
    difference = int(final.final.stones().sum())
    assert Scoring.usual(game("othello(size=6)")).black(final) == pytest.approx([difference / 36])


def keys() -> NDArray[np.uint64]:
    return chance.keys(1, np.arange(1))


@given(st.integers(3, 25), st.integers(3, 25))
def test_winning_sooner_is_better_and_any_win_better_than_a_draw(one: int, other: int) -> None:
    won = finished("atarigo(size=5)", "a2 a1 b1").final
    assert won.winner().tolist() == [1]
    sooner, later = (
        Scoring("length").black(Played(won, np.array([[0] * n + [-1] * (25 - n)], np.int16))).item()
        for n in (one, other)
    )
    assert (sooner > later) == (one < other)
    assert min(sooner, later) >= 0.8


@pytest.mark.parametrize(("spec", "by"), [("atarigo(size=5)", "discs"), ("othello(size=8)", "length")])
def test_a_score_that_a_game_does_not_know_is_refused(spec: str, by: str) -> None:
    with pytest.raises(ZeroplyError, match=f"cannot be scored by {by}"):
        Scoring(by).check(game(spec))  # type: ignore[arg-type]


# Openings


def test_spatial_nets_play_from_openings_as_their_moves_in_lockstep_do() -> None:
    rules = game("othello")
    net = population_net("spatial(layer=rows)", rules)
    assert isinstance(net, SpatialNet)
    weights = net.initial(np.arange(6, dtype=np.uint64))
    boards = [rules.start().text()[0], rules.replay("f5d6c3").text()[0], rules.replay("f5f6e6f4").text()[0]]
    pairs = np.array([(black, white) for black in range(6) for white in range(6)])
    starts = rules.parse([boards[k % 3] for k in range(len(pairs))])
    before = starts.text()
    scores, moves = net.play(weights, pairs[:, 0], pairs[:, 1], starts)
    seats = Seats(np.zeros_like(pairs), pairs.astype(np.int32))
    slow = play_members([Population(net, weights, Choice(ties="lowest"))], seats, np.zeros(36, np.uint64), starts)
    assert (scores == slow.final.stones().sum(axis=1)).all()
    assert (moves[:, : slow.moves.shape[1]] == slow.moves).all()
    assert starts.text() == before
    usual, _ = net.play(weights, pairs[:, 0], pairs[:, 1])
    assert (usual[::3] == scores[::3]).all()
    assert (usual != scores).any()


def test_start_positions_that_are_over_are_scored_at_once() -> None:
    rules = game("othello")
    net = population_net("spatial(layer=rows)", rules)
    assert isinstance(net, SpatialNet)
    over = rules.parse(["X" * 40 + "O" * 24 + " X"] * 2)
    scores, moves = net.play(net.initial(np.arange(2, dtype=np.uint64)), [0, 1], [1, 0], over)
    assert scores.tolist() == [16, 16]
    assert (moves == -1).all()
    with pytest.raises(ValueError, match="one start position per game"):
        net.play(net.initial(np.arange(2, dtype=np.uint64)), [0, 1, 1], [1, 0, 0], over)


@pytest.mark.parametrize(
    ("spec", "net"), [("atarigo(size=5)", "mdrnn(k=3)"), ("atarigo(size=5)", "mlp(hidden=4)"), ("othello", "spatial")]
)
def test_meetings_of_any_population_start_from_openings(spec: str, net: str) -> None:
    rules = game(spec)
    weights = population_net(net, rules).initial(np.arange(4, dtype=np.uint64))
    position = rules.start()
    position.play(np.flatnonzero(position.legal()[0])[-1:].astype(np.int32))
    openings = [rules.start().text()[0], position.text()[0]]
    with workers() as threads:

        def met(openings: list[str], games: int) -> NDArray[np.float64]:
            options = {"games": games, "openings": openings}
            return meetings(spec, net, weights, weights, Scoring.usual(rules), 1, threads, **options).scores  # type: ignore[arg-type]

        usual, other, both = met([], 2), met(openings[1:], 2), met(openings, 4)
    np.testing.assert_allclose(both, (usual + other) / 2, atol=1e-12)
    assert (usual != other).any()


# Games in the core


@pytest.mark.parametrize("choice", [Choice(), Choice(ties="lowest"), Choice(temperature=0.7)], ids=str)
@pytest.mark.parametrize(
    ("spec", "net"),
    [
        ("othello", "spatial(layer=rows)"),
        ("atarigo(size=5)", "mdrnn(k=3)"),
        ("atarigo(size=5)", "mdrnn(k=3, output=value)"),
        ("gomoku(size=7)", "mdlstm(k=2)"),
        ("gomoku(size=5)", "mlp(hidden=5)"),
    ],
)
def test_games_in_the_core_are_those_of_lockstep(spec: str, net: str, choice: Choice) -> None:
    rules = game(spec)
    architecture = population_net(net, rules)
    weights = architecture.initial(chance.keys(1, np.arange(6)))
    weights[0] = 0  # likes all moves alike
    sides = np.array([(black, white) for black in range(6) for white in range(6)] * 4, np.int32)
    keys, starts = chance.keys(4, np.arange(len(sides))), rules.start(len(sides))
    for _ in range(3):
        starts.play(player("random", rules).choose(starts, chance.keys(9, np.arange(len(sides)) // 2)))
    starts[:10] = rules.start(10)
    before = starts.text()
    found = play_games(architecture, weights, sides, starts, keys, choice)
    seats = Seats(np.zeros(sides.shape, np.int64), sides)
    slow = play_members([Population(architecture, weights, choice)], seats, keys, starts)
    assert (found.scores == slow.final.score()).all()
    assert (found.lengths == slow.lengths).all()
    assert starts.text() == before
    on = _core.threads()
    try:
        for threads in (1, 2):
            _core.set_threads(threads)
            again = play_games(architecture, weights, sides, starts, keys, choice)
            assert (again.scores == found.scores).all()
            assert (again.lengths == found.lengths).all()
    finally:
        _core.set_threads(on)


def test_a_net_without_a_core_plays_the_same_from_python() -> None:
    rules = game("atarigo(size=5)")
    net = TinyNet(rules)
    weights = net.initial(chance.keys(1, np.arange(2)))
    sides = np.array([[0, 1], [1, 0]], np.int32)
    found = play_games(net, weights, sides, rules.start(2), chance.keys(4, np.arange(2)))
    assert (np.abs(found.scores) == 1).all()
    assert (found.lengths >= 3).all()


def test_games_that_do_not_fit_together_are_refused() -> None:
    rules = game("atarigo(size=5)")
    net = population_net("mdrnn(k=3)", rules)
    weights = net.initial(chance.keys(1, np.arange(2)))
    with pytest.raises(ZeroplyError, match="3 games need as many start positions"):
        play_games(net, weights, [[0, 1]] * 3, rules.start(2), chance.keys(4, np.arange(3)))
    with pytest.raises(IndexError, match="out of range"):
        play_games(net, weights, [[0, 2]], rules.start(1), chance.keys(4, np.arange(1)))
    with pytest.raises(ZeroplyError, match="has 21 weights, not 20"):
        play_games(net, weights[:, 1:], [[0, 1]], rules.start(1), chance.keys(4, np.arange(1)))
