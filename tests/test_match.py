"""Matches: pairs with colours swapped, the same games for any batching, statistics that add up, and saved games."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import zeroply as zp
from zeroply import chance, records
from zeroply.games import game
from zeroply.specs import Spec

GAMES = ("othello", "othello(size=10)", "gomoku(size=7)", "atarigo(size=5)", "atarigo(size=6, captures=2)")
GOMOKU = game("gomoku(size=7)")


class ByTable(zp.Player):
    """Likes cells by a fixed table for each colour."""

    def __init__(self, rules: zp.Game, name: str, black: NDArray[np.float32], white: NDArray[np.float32]) -> None:
        super().__init__(rules)
        self.spec = Spec(name)
        self.tables = np.stack([white, black]).astype(np.float32)

    def prefer(self, positions: zp.Positions) -> NDArray[np.float32]:
        tables = self.tables[(positions.to_move() > 0).astype(np.int64)]
        return np.where(positions.legal(), tables, np.float32(-np.inf))


def winner_and_loser() -> tuple[ByTable, ByTable]:
    """One fills the top row, the other cells that never make five: the first always wins."""
    cells = np.arange(GOMOKU.cells, dtype=np.float32)
    scattered = np.where(cells.astype(int) % 2 == 0, cells, -1).astype(np.float32)
    return ByTable(GOMOKU, "winner", -cells, -cells), ByTable(GOMOKU, "loser", scattered, scattered)


def drawer() -> ByTable:
    """Fills the board so that nobody gets five, if the other does so too."""
    rows = "XXOOX OOXXO XXOOX OOXXO XOXOX".replace(" ", "")
    black = np.array([cell == "X" for cell in rows], np.float32)
    return ByTable(game("gomoku(size=5)"), "drawer", black, 1 - black)


def same(one: zp.MatchResult, other: zp.MatchResult) -> bool:
    return (
        one.pairs.moves.tobytes() == other.pairs.moves.tobytes()
        and one.pairs.scores.tobytes() == other.pairs.scores.tobytes()
        and one.sprt == other.sprt
    )


# Pairs


@pytest.mark.parametrize("spec", GAMES)
def test_the_two_games_of_a_pair_start_from_one_opening_with_colours_swapped(spec: str) -> None:
    result = zp.match("naive", "random", game=spec, games=40, openings="random(plies=4)", seed=4)
    for k, (first, second) in enumerate(zip(result.records()[::2], result.records()[1::2], strict=True)):
        opening = result.openings[k].moves
        assert first.moves[:4] == second.moves[:4] == opening
        assert (first.black, first.white) == ("naive", "random") == (second.white, second.black)
    assert len({result.openings[k].moves for k in range(20)}) == 20


def test_one_deterministic_player_against_itself_plays_the_same_game_twice() -> None:
    lowest = "net(othello-swh, ties=lowest)"
    result = zp.match(lowest, lowest, games=40, openings="random(plies=4)", seed=1)
    assert (result.pairs.moves[::2] == result.pairs.moves[1::2]).all()
    assert result.pentanomial.tolist() == [0, 0, 20, 0, 0]


def test_two_deterministic_players_repeat_their_two_games_from_one_opening() -> None:
    result = zp.match("net(othello-swh, ties=lowest)", "greedy(ties=lowest)", games=20)
    assert (result.pairs.moves[::2] == result.pairs.moves[0]).all()
    assert (result.pairs.moves[1::2] == result.pairs.moves[1]).all()
    assert result.pairs.game(0) != result.pairs.game(1)


def test_swapping_the_players_swaps_the_result_when_there_is_no_chance() -> None:
    players = ("net(othello-swh, ties=lowest)", "greedy(ties=lowest)")
    ours, theirs = (zp.match(*two, games=60, openings="random(plies=5)", seed=2) for two in (players, players[::-1]))
    assert ours.tally == -theirs.tally
    assert ours.as_black == -theirs.as_white
    assert ours.score == 1 - theirs.score
    assert ours.pentanomial.tolist() == theirs.pentanomial.tolist()[::-1]


# Numbers


@pytest.mark.parametrize("spec", GAMES)
def test_all_numbers_add_up(spec: str) -> None:
    result = zp.match("naive", "random", game=spec, games=200, openings="random(plies=5)", seed=9)
    assert result.games == result.tally.games == 200
    assert result.as_black.games == result.as_white.games == len(result.pairs) == 100
    assert result.as_black + result.as_white == result.tally
    assert result.pentanomial.sum() == 100
    assert result.pentanomial @ (np.arange(5) / 2) == result.tally.points == 200 * result.score
    assert result.score_interval.low < result.score < result.score_interval.high
    assert result.elo_interval.low < result.elo < result.elo_interval.high
    assert math.isclose(result.score, 1 / (1 + 10 ** (-result.elo / 400)))
    assert f"+{result.tally.wins} ={result.tally.draws} -{result.tally.losses}" in str(result)


@pytest.mark.parametrize("spec", GAMES)
def test_replaying_a_game_gives_its_score_and_length(spec: str) -> None:
    result = zp.match("naive", "random", game=spec, games=60, openings="random(plies=5)", seed=9)
    played = result.records()
    assert len(played) == 60
    for number, record in enumerate(played):
        assert record.final().over()[0]
        colour = 1 if number % 2 == 0 else -1
        assert result.pairs.scores[number // 2, number % 2] == (1 + colour * record.winner) / 2
        assert result.lengths[number] == len(record.moves)


def test_without_an_opening_naive_and_random_score_as_they_should_at_atari_go() -> None:
    result = zp.match("naive", "random", game="atarigo(size=5)", games=8000, seed=1)
    for found, wanted in ((result.as_black.score, 0.89), (result.as_white.score, 1 - 0.155)):
        assert abs(found - wanted) < 3.5 * math.sqrt(wanted * (1 - wanted) * (1 / 4000 + 1 / 400))


def test_equals_score_a_half() -> None:
    result = zp.match("random", "random", game="gomoku(size=7)", games=4000, seed=1)
    assert abs(result.score - 0.5) < 4 * 0.5 / math.sqrt(4000)
    assert result.tally.draws
    assert result.score_interval.low < 0.5 < result.score_interval.high


# The seed decides everything


@pytest.mark.parametrize("spec", GAMES)
def test_any_batch_and_any_number_of_threads_give_the_same_games(spec: str) -> None:
    def play(batch: int) -> zp.MatchResult:
        return zp.match("naive", "random", game=spec, games=100, openings="random(plies=5)", seed=6, batch=batch)

    reference, threads = play(4096), zp.threads()
    try:
        for number, batches in ((1, (2, 7, 64, 4096)), (2, (3, 64, 4096))):
            zp.set_threads(number)
            for batch in batches:
                assert same(play(batch), reference), (number, batch)
    finally:
        zp.set_threads(threads)


def test_another_seed_gives_other_games() -> None:
    results = [zp.match("random", "naive", game="gomoku(size=7)", games=20, seed=seed) for seed in (0, 1, -1, 2**63)]
    games = {result.pairs.game(number) for result in results for number in range(20)}
    assert len(games) == 80


def test_a_seed_may_be_a_number_of_numpy() -> None:
    plain, numpy = (zp.match("random", "naive", games=4, seed=seed) for seed in (3, np.int64(3)))  # type: ignore[arg-type]
    assert same(plain, numpy)


def test_fewer_games_are_the_first_ones_of_more() -> None:
    few, more = (zp.match("naive", "random", games=n, openings="random(plies=4)", seed=3) for n in (30, 100))
    assert [few.pairs.game(k) for k in range(30)] == [more.pairs.game(k) for k in range(30)]


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("second", ["random", "random(temperature=0.7)", "naive(ties=lowest)"])
def test_a_slow_loop_over_single_games_plays_the_same_moves(spec: str, second: str) -> None:
    result = zp.match("naive", second, game=spec, games=16, openings="random(plies=5)", seed=12, batch=6)
    players = [zp.player(name, spec) for name in ("naive", second)]
    for number in range(16):
        key = chance.keys(chance.key(12, "match"), [number])
        position = result.game.replay(result.openings[number // 2].moves)
        moves = []
        while not position.over()[0]:
            black = number % 2
            player = players[black if position.to_move()[0] > 0 else 1 - black]
            move = player.choice.moves(player.prefer(position), key, position.move_number())
            moves.append(int(move[0]))
            position = position.after(move)
        assert tuple(moves) == result.pairs.game(number)


# SPRT


def sprt_match(first: zp.Player, second: zp.Player, batch: int, games: int = 2000) -> zp.MatchResult:
    return zp.match(first, second, game=first.game, games=games, sprt=zp.Sprt(0, 20), batch=batch)


@pytest.mark.parametrize("batch", [2, 7, 4096])
def test_a_test_ends_after_only_wins(batch: int) -> None:
    winner, loser = winner_and_loser()
    result = sprt_match(winner, loser, batch)
    assert result.sprt is not None
    assert result.sprt.verdict == "H1"
    assert result.tally == zp.match(winner, loser, game=GOMOKU, games=result.games).tally
    assert result.games == result.tally.wins == 2 * result.sprt.pairs < 200
    assert result.elo == math.inf


@pytest.mark.parametrize("batch", [2, 7, 4096])
def test_a_test_ends_after_only_losses(batch: int) -> None:
    winner, loser = winner_and_loser()
    result = sprt_match(loser, winner, batch)
    assert result.sprt is not None
    assert result.sprt.verdict == "H0"
    assert result.games == result.tally.losses == 2 * result.sprt.pairs < 200
    assert result.elo == -math.inf


@pytest.mark.parametrize("batch", [2, 7, 4096])
def test_a_test_ends_after_only_draws(batch: int) -> None:
    result = sprt_match(drawer(), drawer(), batch)
    assert result.sprt is not None
    assert result.sprt.verdict == "H0"
    assert result.games == result.tally.draws == 2 * result.sprt.pairs < 2000
    assert result.elo == 0


@pytest.mark.parametrize(("bounds", "verdict"), [((0, 30), "H1"), ((100, 130), "H0")])
def test_a_test_stops_at_the_same_pair_for_any_batch(bounds: tuple[float, float], verdict: str) -> None:
    def play(batch: int) -> zp.MatchResult:
        test = zp.Sprt(*bounds)
        return zp.match("greedy", "random", games=6000, openings="random(plies=8)", seed=1, sprt=test, batch=batch)

    reference = play(4096)
    assert reference.sprt is not None
    assert reference.sprt.verdict == verdict
    assert 20 < reference.sprt.pairs < 3000
    assert len(reference.pairs) == reference.sprt.pairs == len(reference.records()) // 2
    for batch in (16, 100):
        assert same(play(batch), reference)


def test_a_test_that_is_not_decided_says_so() -> None:
    result = zp.match("random", "random", games=20, sprt=zp.Sprt(0, 5))
    assert result.sprt is not None
    assert result.sprt.verdict is None
    assert result.sprt.pairs == 10
    assert result.games == 20


# Saved games


@pytest.mark.parametrize("suffix", [".txt", ".sgf"])
@pytest.mark.parametrize("spec", GAMES)
def test_saved_games_are_read_back(tmp_path: Path, suffix: str, spec: str) -> None:
    result = zp.match("naive(ties=lowest)", "random", game=spec, games=20, openings="random(plies=5)", seed=3)
    path = tmp_path / f"games{suffix}"
    records.save(result.records(), path)
    again = records.load(path)
    assert again == result.records()
    assert [one.winner for one in again] == [one.winner for one in result.records()]
    assert {one.black for one in again} == {"naive(ties=lowest)", "random"}


@pytest.mark.parametrize("suffix", [".txt", ".sgf"])
def test_games_from_board_strings_are_read_back(tmp_path: Path, suffix: str) -> None:
    opening = tmp_path / "openings.txt"
    opening.write_text("\n".join(game("othello").replay(moves).text()[0] for moves in ("f5d6c3", "f5f6e6f4")))
    result = zp.match("naive", "greedy", openings=str(opening), games=8, seed=1)
    path = tmp_path / f"games{suffix}"
    records.save(result.records(), path)
    again = records.load(path)
    assert [one.winner for one in again] == [one.winner for one in result.records()]
    assert {one.setup for one in again} == set(opening.read_text().splitlines())


# Progress and bad input


def test_progress_counts_games_up_to_the_end() -> None:
    seen: list[tuple[int, int]] = []
    zp.match("random", "random", games=100, batch=30, progress=lambda done, total, _="": seen.append((done, total)))
    assert seen == [(30, 100), (60, 100), (90, 100), (100, 100)]


@pytest.mark.parametrize("games", [0, 1, 3, 99, -2])
def test_the_number_of_games_is_even_and_above_0(games: int) -> None:
    with pytest.raises(zp.ZeroplyError, match=f"2 or more, and even.*not {games}"):
        zp.match("random", "random", games=games)


@pytest.mark.parametrize("batch", [1, 0, -4])
def test_a_batch_holds_at_least_a_pair(batch: int) -> None:
    with pytest.raises(zp.ZeroplyError, match="2 to 1,000,000 games"):
        zp.match("random", "random", games=2, batch=batch)


def test_by_default_a_hundred_games_are_played_or_two_for_each_opening_of_a_file(tmp_path: Path) -> None:
    assert zp.match("random", "random", game="gomoku(size=5)").games == 100
    assert zp.match("random", "random", openings="random(plies=4)").games == 100
    (tmp_path / "two.txt").write_text("f5d6\nf5f6\n")
    assert zp.match("random", "random", openings=str(tmp_path / "two.txt")).games == 4


def test_a_player_of_another_game_is_refused() -> None:
    with pytest.raises(zp.ZeroplyError, match="plays gomoku"):
        zp.match(zp.player("naive", "gomoku"), "random", games=2)


def test_a_player_whose_preferences_are_no_numbers_is_named_as_the_cause() -> None:
    bad = ByTable(game("othello"), "bad", np.full(64, np.nan, np.float32), np.full(64, np.nan, np.float32))
    with pytest.raises(zp.ZeroplyError, match="preferences in position 0 contain NaN or"):
        zp.match(bad, "random", games=2)
