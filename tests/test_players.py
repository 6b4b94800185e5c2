"""Players: what every one of them must do, what each of the simple ones likes, and how moves are chosen."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import zeroply as zp
from zeroply import chance
from zeroply.nets import build, load, population_net, save
from zeroply.nets.wpc import Wpc

GAMES = (
    "othello",
    "othello(size=4)",
    "othello(size=6)",
    "othello(size=10)",
    "gomoku(size=5)",
    "gomoku(size=7, exact=true)",
    "gomoku(size=9)",
    "atarigo(size=5)",
    "atarigo(size=6, suicide=illegal)",
    "atarigo(size=7, captures=3)",
)
ANYWHERE = ("random", "naive", "random(temperature=1.5)", "naive(ties=lowest)", "naive(temperature=0.4)")
AT_OTHELLO = ("greedy", "greedy(ties=lowest)", "greedy(temperature=2)")
EVERYBODY = [
    *((spec, game) for game in GAMES for spec in ANYWHERE),
    *((spec, game) for game in GAMES if game.startswith("othello") for spec in AT_OTHELLO),
    ("net(othello-swh)", "othello"),
    ("net(othello-swh, ties=lowest)", "othello"),
    ("net(othello-swh, temperature=0.1)", "othello"),
]
every_player = pytest.mark.parametrize(("spec", "game"), EVERYBODY)


@cache
def positions(game: str, games: int = 12) -> zp.Positions:
    """Every position of some random games, from the first to the last, which is over."""
    rules = zp.game(game)
    dice = np.random.default_rng(7)
    found: list[str] = []
    now = rules.start(games)
    while True:
        found += now.text()
        if now.over().all():
            break
        legal = now.legal()
        now.play([int(dice.choice(np.flatnonzero(row))) if row.any() else -1 for row in legal])
    distinct: zp.Positions = rules.parse(sorted(set(found)))
    return distinct


def keys_for(batch: zp.Positions) -> NDArray[np.uint64]:
    return chance.keys(11, np.arange(len(batch)))


def after_each_move(position: zp.Positions) -> tuple[NDArray[np.int64], zp.Positions]:
    """The legal cells of a single position, and the position after each."""
    cells = np.flatnonzero(position.legal()[0])
    return cells, position[np.zeros(len(cells), np.int64)].after(cells)


def outcome_of_moves(position: zp.Positions) -> dict[int, int]:
    """What each legal move does at once to the side that makes it: 1 wins, -1 loses, 0 neither."""
    cells, then = after_each_move(position)
    return dict(zip(cells.tolist(), (position.to_move()[0] * then.winner()).tolist(), strict=True))


# What every player must do


@every_player
def test_a_preference_is_a_number_on_legal_cells_and_minus_infinity_elsewhere(spec: str, game: str) -> None:
    batch = positions(game)
    preferences = zp.player(spec, game).prefer(batch)
    assert preferences.shape == (len(batch), batch.game.cells)
    assert preferences.dtype == np.float32
    assert (np.isneginf(preferences) == ~batch.legal()).all()
    assert np.isfinite(preferences[batch.legal()]).all()


@every_player
def test_a_chosen_move_is_legal_and_there_is_none_once_the_game_is_over(spec: str, game: str) -> None:
    batch = positions(game)
    moves = zp.player(spec, game).choose(batch, keys_for(batch))
    over = batch.over()
    assert over.any()
    assert not over.all()
    assert (moves[over] == -1).all()
    assert batch.legal()[~over, moves[~over]].all()


@every_player
def test_the_same_question_has_the_same_answer_and_leaves_the_positions_alone(spec: str, game: str) -> None:
    batch = positions(game).copy()
    before = batch.text()
    one, other = zp.player(spec, game), zp.player(spec, game)
    assert one.prefer(batch).tobytes() == one.prefer(batch).tobytes() == other.prefer(batch).tobytes()
    assert (one.choose(batch, keys_for(batch)) == other.choose(batch, keys_for(batch))).all()
    assert batch.text() == before


@every_player
def test_an_answer_does_not_depend_on_the_rest_of_the_batch(spec: str, game: str) -> None:
    batch, player = positions(game), zp.player(spec, game)
    keys = keys_for(batch)
    together = player.prefer(batch), player.choose(batch, keys)
    for i in range(0, len(batch), 7):
        assert player.prefer(batch[i]).tobytes() == together[0][i].tobytes()
        assert player.choose(batch[i], keys[i : i + 1])[0] == together[1][i]
    order = np.random.default_rng(3).permutation(len(batch))
    assert (player.choose(batch[order], keys[order]) == together[1][order]).all()


@every_player
def test_any_number_of_threads_gives_the_same_answer(spec: str, game: str) -> None:
    batch, player = positions(game), zp.player(spec, game)
    threads = zp.threads()
    answers = []
    try:
        for number in (1, 2, 3):
            zp.set_threads(number)
            answers.append((player.prefer(batch).tobytes(), player.choose(batch, keys_for(batch)).tobytes()))
    finally:
        zp.set_threads(threads)
    assert answers[0] == answers[1] == answers[2]


@every_player
def test_an_empty_batch_gets_an_empty_answer(spec: str, game: str) -> None:
    player, nothing = zp.player(spec, game), zp.game(game).start(0)
    assert player.prefer(nothing).shape == (0, nothing.game.cells)
    assert player.choose(nothing, np.zeros(0, np.uint64)).shape == (0,)


@every_player
def test_a_player_prints_as_its_spec_and_is_made_again_from_it(spec: str, game: str) -> None:
    player = zp.player(spec, game)
    assert str(player) == spec
    again = zp.player(str(player), game)
    assert again.choice == player.choice
    assert again.fingerprint() == player.fingerprint()
    assert zp.player(player, game) is player


# What each one likes


@pytest.mark.parametrize("game", GAMES)
def test_naive_likes_a_win_at_once_and_shuns_a_loss_at_once_and_nothing_else(game: str) -> None:
    batch = positions(game)
    wins = losses = 0
    for preferences, position in zip(zp.player("naive", game).prefer(batch), batch, strict=True):
        for cell, outcome in outcome_of_moves(position).items():
            assert preferences[cell] == outcome, (position.text(), cell)
            wins, losses = wins + (outcome > 0), losses + (outcome < 0)
    assert wins
    assert losses or game.startswith("gomoku") or "illegal" in game


@pytest.mark.parametrize("game", GAMES)
def test_naive_takes_a_win_and_never_loses_at_once_unless_nothing_else_is_left(game: str) -> None:
    batch = positions(game)[~positions(game).over()]
    moves = zp.player("naive", game).choose(batch, keys_for(batch))
    for position, move in list(zip(batch, moves.tolist(), strict=True))[::2]:
        outcomes = outcome_of_moves(position)
        assert outcomes[move] == max(outcomes.values())


def test_naive_does_not_block() -> None:
    game = zp.game("gomoku(size=7)")
    threat = game.replay("A1A7B1B7C1C7D1")  # Black wins at E1; White has only three
    naive = zp.player("naive", game)
    assert np.isin(naive.prefer(threat)[0], [0, -np.inf]).all()
    many = threat[np.zeros(4000, np.int64)]
    moves = naive.choose(many, keys_for(many))
    blocked = (moves == game.notation.cell("E1")).mean()
    assert abs(blocked - 1 / 42) < 5 * (1 / 42 / 4000) ** 0.5
    assert len(set(moves.tolist())) == 42


def test_naive_plays_suicide_only_when_every_move_loses() -> None:
    game = zp.game("atarigo(size=5)")
    # The point A1 is suicide for White, who has others; in the second board it is White's only point.
    some = game.parse("----- ----- ----- X---- -X--- O")
    naive = zp.player("naive", game)
    assert naive.prefer(some)[0, game.notation.cell("A1")] == -1
    many = some[np.zeros(2000, np.int64)]
    assert game.notation.cell("A1") not in naive.choose(many, keys_for(many))


@pytest.mark.parametrize("game", [game for game in GAMES if game.startswith("othello")])
def test_greedy_counts_its_discs_after_the_move(game: str) -> None:
    batch = positions(game)[~positions(game).over()][::3]
    greedy = zp.player("greedy", game)
    moves = greedy.choose(batch, keys_for(batch))
    for preferences, position, move in zip(greedy.prefer(batch), batch, moves.tolist(), strict=True):
        cells, then = after_each_move(position)
        own = (then.stones() == position.to_move()[0]).sum(axis=1)
        discs = dict(zip(cells.tolist(), own.tolist(), strict=True))
        assert {cell: preferences[cell] for cell in discs} == discs
        assert discs[move] == max(discs.values())


@pytest.mark.parametrize("game", GAMES)
def test_random_is_choosing_from_equal_preferences(game: str) -> None:
    batch, player = positions(game), zp.player("random", game)
    for seed in range(5):
        keys = chance.keys(seed, np.arange(len(batch)))
        assert (player.choose(batch, keys) == zp.Choice().moves(player.prefer(batch), keys, batch.move_number())).all()


def test_random_moves_are_uniform() -> None:
    start = zp.game("othello").start(20_000)
    moves = zp.player("random", "othello").choose(start, keys_for(start))
    counts = np.unique(moves, return_counts=True)[1]
    assert len(counts) == 4
    assert np.abs(counts - 5000).max() < 5 * (20_000 * 0.25 * 0.75) ** 0.5


# A net of one weight a cell, done once more in NumPy


def wpc_by_hand(position: zp.Positions, weights: NDArray[np.float32]) -> NDArray[np.float64]:
    values = np.full(position.game.cells, -np.inf)
    cells, then = after_each_move(position)
    values[cells] = position.to_move()[0] * (then.stones().astype(np.float64) @ weights)
    return values


@pytest.mark.parametrize("game", ["othello(size=6)", "othello", "othello(size=10)", *GAMES[4:]])
def test_wpc_agrees_with_its_plain_twin(game: str) -> None:
    rules, batch = zp.game(game), positions(game)[::4]
    weights = np.random.default_rng(5).normal(size=rules.cells).astype(np.float32)
    for table in (weights, np.abs(weights), np.ones_like(weights)):
        values = Wpc(rules, {"cells": table}).prefer(batch)
        for row, position in zip(values, batch, strict=True):
            np.testing.assert_allclose(row, wpc_by_hand(position, table), rtol=0, atol=1e-5)


def test_the_shipped_net_agrees_with_its_plain_twin() -> None:
    batch = positions("othello")[::4]
    player = zp.player("net(othello-swh)", "othello")
    corner = np.array(
        [[1.0, -0.25, 0.1, 0.05], [-0.25, -0.25, 0.01, 0.01], [0.1, 0.01, 0.05, 0.02], [0.05, 0.01, 0.02, 0.01]]
    )
    whole = np.block([[corner, corner[:, ::-1]], [corner[::-1], corner[::-1, ::-1]]]).reshape(-1).astype(np.float32)
    for row, position in zip(player.prefer(batch), batch, strict=True):
        np.testing.assert_allclose(row, wpc_by_hand(position, whole), rtol=0, atol=1e-5)


def test_a_net_with_symmetric_weights_has_symmetric_preferences() -> None:
    batch, player = positions("othello"), zp.player("net(othello-swh)", "othello")
    preferences = player.prefer(batch)
    for k, image in enumerate(batch.game.symmetries):
        np.testing.assert_allclose(player.prefer(batch.symmetry(k))[:, image], preferences, rtol=0, atol=1e-5)


@pytest.mark.parametrize("weight", [1e300, 3e38, -3e38])
def test_a_net_whose_sums_would_overflow_is_refused(weight: float) -> None:
    with pytest.raises(zp.ZeroplyError, match="weights"):
        Wpc(zp.game("othello"), {"cells": np.full(64, weight)})


# Choosing


def choose(choice: zp.Choice, preferences: list[float], n: int = 40_000) -> NDArray[np.float64]:
    """How often each cell is chosen."""
    rows = np.tile(np.array(preferences, np.float32), (n, 1))
    moves = choice.moves(rows, chance.keys(2, np.arange(n)), np.full(n, 3))
    assert (moves >= 0).all()
    return np.bincount(moves, minlength=len(preferences)) / n


def near(found: NDArray[np.float64], wanted: list[float], n: int = 40_000) -> None:
    error = np.sqrt(np.array(wanted) * (1 - np.array(wanted)) / n)
    assert (np.abs(found - wanted) <= 5 * error).all(), (found, wanted)


def test_at_temperature_0_the_best_move_is_taken_and_ties_are_drawn() -> None:
    near(choose(zp.Choice(), [-np.inf, 2.0, 1.0, 2.0, 2.0]), [0, 1 / 3, 0, 1 / 3, 1 / 3])
    near(choose(zp.Choice(), [-5.0, -3.0, -np.inf]), [0, 1, 0])


def test_ties_can_go_to_the_lowest_cell() -> None:
    near(choose(zp.Choice(ties="lowest"), [-np.inf, 1.0, 2.0, 2.0]), [0, 0, 1, 0])


@pytest.mark.parametrize("temperature", [0.25, 1.0, 3.0])
def test_above_that_moves_follow_the_gibbs_distribution(temperature: float) -> None:
    preferences = [0.0, 1.0, -np.inf, 1.0, -0.5]
    weights = np.exp(np.array(preferences) / temperature)
    near(choose(zp.Choice(temperature), preferences), list(weights / weights.sum()))


@pytest.mark.parametrize("shift", [-1e30, -1e4, 1e4, 1e30])
def test_large_preferences_do_not_overflow(shift: float) -> None:
    near(choose(zp.Choice(1.0), [shift, 2 * abs(shift), -np.inf]), [0, 1, 0])
    near(choose(zp.Choice(1e-30), [shift, shift, -np.inf]), [0.5, 0.5, 0])


def test_a_tiny_temperature_is_like_none_and_a_huge_one_like_no_preference() -> None:
    near(choose(zp.Choice(1e-300), [1.0, 2.0, 0.0]), [0, 1, 0])
    near(choose(zp.Choice(1e300), [1.0, 2.0, 0.0]), [1 / 3, 1 / 3, 1 / 3])


@pytest.mark.parametrize("choice", [zp.Choice(), zp.Choice(1.0)])
def test_chance_is_named_by_key_and_counter(choice: zp.Choice) -> None:
    rows, keys = np.zeros((500, 60), np.float32), chance.keys(4, np.arange(500))
    first = choice.moves(rows, keys, np.full(500, 1))
    assert (first == choice.moves(rows, keys, np.full(500, 1))).all()
    assert (first != choice.moves(rows, keys, np.full(500, 2))).mean() > 0.9
    assert (first != choice.moves(rows, keys[::-1], np.full(500, 1))).mean() > 0.9


def test_without_a_legal_move_there_is_no_move() -> None:
    nothing = np.full((2, 5), -np.inf)
    for choice in (zp.Choice(), zp.Choice(ties="lowest"), zp.Choice(2.0)):
        assert choice.moves(nothing, [1, 2], [1, 1]).tolist() == [-1, -1]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("choice", [zp.Choice(), zp.Choice(ties="lowest"), zp.Choice(2.0)])
def test_a_preference_that_is_no_number_is_an_error_and_says_where(bad: float, choice: zp.Choice) -> None:
    with pytest.raises(zp.ZeroplyError, match="position 1"):
        choice.moves([[0.0, 1.0], [bad, 0.0]], [1, 2], [1, 1])


@pytest.mark.parametrize("temperature", [-1.0, float("nan"), float("inf")])
def test_a_temperature_is_a_number_from_0_up(temperature: float) -> None:
    with pytest.raises(zp.ZeroplyError, match="temperature"):
        zp.Choice(temperature)


@pytest.mark.parametrize(("keys", "counters"), [([1], [1, 1]), ([1, 2], [1]), ([1, 2, 3], [1, 1, 1])])
def test_there_is_one_key_and_one_counter_for_each_row(keys: list[int], counters: list[int]) -> None:
    with pytest.raises(zp.ZeroplyError, match=r"2 positions need as many (keys|counters), not an array of shape"):
        zp.Choice().moves(np.zeros((2, 4)), keys, counters)


# Players of one's own


class Own(zp.Player):
    """A player in a few lines, as a reader of the documentation would write it."""

    def __init__(self, prefer: Callable[[zp.Positions], NDArray[np.float32]]) -> None:
        super().__init__(zp.game("othello"))
        self._prefer = prefer

    def prefer(self, positions: zp.Positions) -> NDArray[np.float32]:
        return self._prefer(positions)


def test_a_player_written_in_python_needs_nothing_but_prefer() -> None:
    naive = zp.player("naive", "othello")
    own = Own(naive.prefer)
    assert str(own)
    ours, theirs = (zp.match(one, "greedy", games=20, seed=3) for one in (own, "naive"))
    assert (ours.pairs.moves == theirs.pairs.moves).all()


def test_a_player_written_in_python_can_play_a_league() -> None:
    own = Own(zp.player("naive", "othello").prefer)
    table = zp.league([own, "greedy"], games=20, seed=3)
    assert (table.points == zp.league(["naive", "greedy"], games=20, seed=3).points).all()


def test_preferences_on_illegal_cells_are_an_error() -> None:
    with pytest.raises(zp.ZeroplyError, match="not a legal move"):
        zp.match(Own(lambda batch: np.zeros((len(batch), 64), np.float32)), "random", games=2)


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (lambda batch: np.zeros((len(batch), 63), np.float32), r"float32 of shape \(2, 63\)"),
        (lambda batch: np.zeros(64, np.float32), r"float32 of shape \(64,\)"),
        (lambda batch: np.zeros((len(batch) + 1, 64), np.float32), r"float32 of shape \(3, 64\)"),
        (lambda batch: np.zeros((len(batch), 8, 8), np.float32), r"float32 of shape \(2, 8, 8\)"),
        (lambda batch: batch.legal(), r"bool of shape \(2, 64\)"),
        (lambda batch: np.zeros((len(batch), 64), np.int64), r"int64 of shape \(2, 64\)"),
        (lambda batch: np.full((len(batch), 64), "a"), r"<U1 of shape \(2, 64\)"),
        (lambda batch: batch.legal().tolist(), "list"),
        (lambda batch: None, "NoneType"),
    ],
)
def test_preferences_of_a_wrong_shape_or_kind_name_the_player(bad: Any, says: str) -> None:
    own, batch = Own(bad), zp.game("othello").start(2)
    says = rf"player own must be an array of floats of shape \(2, 64\).*, not {says}$"
    for ask in (own.prefer, own.prefer_all, lambda batch: own.choose(batch, keys_for(batch))):
        with pytest.raises(zp.ZeroplyError, match=says):
            ask(batch)
    with pytest.raises(zp.ZeroplyError, match="player own must"):
        zp.match(own, "random", games=2)


def test_preferences_may_be_floats_of_any_length() -> None:
    liked = zp.player("greedy", "othello").prefer
    long = Own(lambda batch: liked(batch).astype(np.float64))
    ours, theirs = (zp.match(one, "random", games=10, seed=3) for one in (long, "greedy"))
    assert (ours.pairs.moves == theirs.pairs.moves).all()


# Nets as players


def test_a_net_plays_as_the_player_of_that_net() -> None:
    own = zp.player(load("othello-swh", "othello"), "othello")
    ours, theirs = (zp.match(one, "greedy", games=20, seed=3) for one in (own, "net(othello-swh)"))
    assert (ours.pairs.moves == theirs.pairs.moves).all()
    assert ours.players == theirs.players
    assert str(zp.player(load("atarigo-5-evolved", "atarigo"), "atarigo(size=9)")) == "net(atarigo-5-evolved)"


def test_a_net_that_comes_from_no_file_is_named_by_its_architecture(tmp_path: Path) -> None:
    made = build("wpc", "othello", {"cells": np.zeros(64, np.float32)})
    assert str(zp.player(made, "othello")) == "net(wpc)"
    file = tmp_path / "my nets.safetensors"
    save(made, file)
    assert str(zp.player(load(file, "othello"), "othello")) == f'net("{file}")'


def test_nets_of_one_architecture_meet_in_a_league() -> None:
    five = zp.game("atarigo(size=5)")
    nets = [load(name, five) for name in ("atarigo-5-evolved", "atarigo-5-coevolved")]
    found = zp.league(nets, game=five, games=2)
    assert found.players == ("net(atarigo-5-evolved)", "net(atarigo-5-coevolved)")
    assert "in 1 of 1 pairings" in str(zp.league(nets, game=five, games=20))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (load("othello-swh", "othello"), r"player net\(othello-swh\) plays othello, not gomoku"),
        (population_net("mdrnn(k=2)", "gomoku"), "not a Mdrnn"),
        (Own, "not the class Own"),
        (3, "not a int"),
        (None, "not a NoneType"),
    ],
)
def test_what_is_no_player_is_refused_in_one_sentence(given: Any, says: str) -> None:
    with pytest.raises(zp.ZeroplyError, match=says):
        zp.player(given, "gomoku")


# Bad input


@pytest.mark.parametrize(
    ("spec", "game", "says"),
    [
        ("xyzzy", "othello", "unknown player 'xyzzy': choose from .*greedy.*naive.*net.*random"),
        ("naiv", "othello", "did you mean naive"),
        ("naive(tie=lowest)", "othello", "no key 'tie'.*temperature, ties"),
        ("naive(ties=highest)", "othello", "one of random, lowest"),
        ("naive(3)", "othello", "takes nothing without a key"),
        ("random(temperature=hot)", "othello", "must be a number"),
        ("random(temperature=-1)", "othello", "0 or more"),
        ("greedy", "gomoku(size=9)", "player greedy is for othello"),
        ("greedy", "atarigo", "player greedy is for othello"),
        ("net", "othello", "needs file"),
        ("net(3)", "othello", "must be a word"),
        ("net(othello-swh)", "gomoku(size=8)", "made for othello and cannot play gomoku"),
        ("net(othello-swh)", "othello(size=10)", r"cannot play othello\(size=10\)"),
        ("naive", "chess", "unknown game 'chess': choose from .*atarigo.*gomoku.*othello"),
        ("naive(", "othello", "never closed"),
        ("", "othello", "empty"),
    ],
)
def test_a_bad_player_is_explained_in_one_sentence(spec: str, game: str, says: str) -> None:
    with pytest.raises(zp.ZeroplyError, match=says) as caught:
        zp.player(spec, game)
    assert "\n" not in str(caught.value)


def test_a_player_made_for_another_game_is_refused() -> None:
    with pytest.raises(zp.ZeroplyError, match=r"plays gomoku\(size=6\), not othello"):
        zp.player(zp.player("random", "gomoku(size=6)"), "othello")
    assert zp.player(zp.player("random", "othello"), "othello(size=8)")


@pytest.mark.parametrize(
    ("spec", "game", "other"),
    [
        ("naive", "gomoku(size=5)", "othello"),
        *((spec, "othello", "gomoku(size=8)") for spec in ("random", "naive", "greedy", "iagno", "net(othello-swh)")),
        ("net(othello)", "othello", "gomoku(size=8)"),
        ("engine(depth=1)", "othello", "atarigo(size=8)"),
        ("alphabeta(depth=1)", "othello", "othello(size=6)"),
        ("hybrid(random, naive)", "othello", "gomoku(size=8)"),
        ("naive", "atarigo(size=5)", "atarigo(size=5, captures=2)"),
    ],
)
def test_positions_of_another_game_are_refused(spec: str, game: str, other: str) -> None:
    player, others = zp.player(spec, game), zp.game(other).start(2)
    says = re.escape(f"{spec} is for {game}, not for positions of {other}")
    for ask in (player.prefer, player.prefer_all, lambda batch: player.choose(batch, keys_for(batch))):
        with pytest.raises(zp.ZeroplyError, match=says):
            ask(others)


def test_a_player_written_in_python_refuses_positions_of_another_game() -> None:
    with pytest.raises(zp.ZeroplyError, match="own is for othello, not for positions of gomoku"):
        Own(lambda batch: np.zeros((len(batch), 64), np.float32)).prefer(zp.game("gomoku(size=8)").start())


def test_a_game_may_be_written_in_another_way() -> None:
    assert zp.player("naive", "othello").prefer(zp.game("othello(size=8)").start()).shape == (1, 64)
