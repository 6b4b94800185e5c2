"""MDRNNs and MLPs in the core: published values, a NumPy twin, the symmetries and sizes they promise."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import mdrnn_reference as reference
from zeroply import _core, chance, game
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.nets import Member, PopulationNet, build, inspect, load, population_net, save
from zeroply.nets.mdrnn import Mdrnn, feature_planes
from zeroply.nets.population import VECTOR
from zeroply.players import player

GAMES = ["atarigo(size=5)", "gomoku(size=9)", "othello(size=6)", "othello", "atarigo(size=8)", "gomoku(size=7)"]
FORMS = [
    "mdrnn(k=10)",
    "mdrnn(k=1)",
    "mdrnn(k=3)",
    "mdrnn(k=13)",
    "mdrnn(k=4, layers=3)",
    "mdrnn(k=5, border=distance)",
    "mdrnn(k=3, border=distance, layers=2)",
    "mdrnn(k=6, features=true)",
    "mdrnn(k=4, border=distance, features=true)",
    "mdlstm(k=5)",
    "mdlstm(k=3, layers=2, features=true)",
]
CALM = np.float32(0.25)
"""Times weights from N(0, 1): with larger ones the sweeps are chaotic and drive rounding errors up from cell to cell,
so that single and double precision can only be compared step by step."""
GOLDEN = np.array(
    [
        [0.053138, 0.745208, 0.315742, 0.217031, 0.050769],
        [0.226098, 0.870380, 0.912948, 0.501929, 0.213807],
        [0.309292, 0.510137, 0.868841, 0.500412, 0.300807],
        [0.737979, 0.503002, 0.505464, 0.864500, 0.216376],
        [0.052329, 0.213203, 0.300912, 0.216363, 0.051547],
    ]
)
"""Outputs of the public descendant of the authors' code for the board below, own stones 1, opposing -1."""
GOLDEN_BOARD = np.array(
    [[0, 1, 0, 0, 0], [0, -1, 1, 0, 0], [0, 0, -1, 0, 0], [1, 0, 0, -1, 0], [0, 0, 0, 0, 0]], np.int8
)


def some_positions(the_game: Game, n: int, seed: int = 0) -> Positions:
    """Positions of random games, early and late, none of them over."""
    positions = the_game.start(n)
    random = player("random", the_game)
    wanted = np.arange(n) * the_game.cells // (2 * n)
    for ply in range(the_game.cells // 2):
        following = positions.after(random.choose(positions, chance.keys(chance.key(seed, ply), np.arange(n))))
        going = (wanted > ply) & ~following.over()
        positions[going] = following[going]
    return positions


def seen_boards(positions: Positions) -> NDArray[np.int8]:
    size = positions.game.size
    return (positions.stones() * positions.to_move()[:, None]).reshape(-1, size, size)


def with_doubles(net: PopulationNet, vector: NDArray[Any]) -> dict[str, NDArray[np.float64]]:
    return {name: part.astype(np.float64) for name, part in net.parts(vector).items()}


def twin(net: PopulationNet, vector: NDArray[np.float32], position: Positions) -> NDArray[np.float64]:
    """[cells]: what the net says before a sigmoid, if it has one."""
    parts, board = with_doubles(net, vector), seen_boards(position)[0]
    if net.spec.name == "mlp":
        return reference.perceptron(board, parts)
    layers = sum(name.startswith("hidden") for name in parts)
    features = feature_planes(position)[0].astype(np.float64) if net.spec.kwargs.get("features") else None
    return reference.evaluate(board, parts, layers, features)[0].reshape(-1)


def members(n: int, of: int = 1) -> NDArray[np.int32]:
    return (np.arange(n) * 7 % of).astype(np.int32)


def test_published_values_of_the_twin() -> None:
    net = population_net("mdrnn(k=2, border=distance)", game("atarigo(size=5)"))
    parts = with_doubles(net, np.linspace(-0.75, 0.75, 16))
    assert np.abs(reference.squashed(reference.evaluate(GOLDEN_BOARD, parts)[0], parts) - GOLDEN).max() < 6e-7
    empty = reference.squashed(reference.evaluate(np.zeros((5, 5), np.int8), parts)[0], parts)
    assert [empty[0, 0], empty[1, 1], empty[2, 2]] == pytest.approx([0.050570, 0.478574, 0.481303], abs=6e-7)


def test_published_values_of_the_core() -> None:
    the_game = game("gomoku(size=5)")
    net = population_net("mdrnn(k=2, border=distance)", the_game)
    rows = "".join("-XO"[stone] for stone in GOLDEN_BOARD.reshape(-1))
    position = the_game.parse(f"{rows} X")
    said = net.prefer(net.checked(np.linspace(-0.75, 0.75, 16)), members(1), position)[0].reshape(5, 5)
    empty = GOLDEN_BOARD == 0
    assert np.abs(said - GOLDEN)[empty].max() < 1e-6
    assert (said[~empty] == -np.inf).all()


@pytest.mark.parametrize("spec", [*FORMS, "mlp(hidden=9)", "mlp"])
@pytest.mark.parametrize("name", GAMES)
def test_the_core_agrees_with_the_twin(spec: str, name: str) -> None:
    the_game = game(name)
    net = population_net(spec, the_game)
    weights = CALM * net.initial(chance.keys(1, np.arange(3)))
    positions = some_positions(the_game, 11)
    looking = members(11, 3)
    said = net.prefer(weights, looking, positions)
    legal = positions.legal()
    assert (said[~legal] == -np.inf).all()
    for i, position in enumerate(positions):
        parts = with_doubles(net, weights[looking[i]])
        expected = reference.squashed(twin(net, weights[looking[i]], position), parts)
        assert np.abs(said[i] - expected)[legal[i]].max(initial=0) < 1e-5


@given(name=st.sampled_from(GAMES), border=st.sampled_from(["fixed", "distance"]), seed=st.integers(0, 2**32))
def test_each_step_of_a_sweep_is_that_of_the_twin(name: str, border: str, seed: int) -> None:
    the_game = game(name)
    net = population_net(f"mdrnn(k=10, border={border})", the_game)
    assert isinstance(net, Mdrnn)
    vector = net.initial([seed])[0]
    position = some_positions(the_game, 3, seed)[2]
    parts = with_doubles(net, vector)
    maps = net.sweeps(vector, position).astype(np.float64)
    seen = reference.first_inputs(seen_boards(position)[0], parts)
    for s in range(4):
        units, inputs = reference.views(maps[s])[s], reference.views(seen)[s]
        steps = [[reference.step(inputs, parts, i, j, units) for j in range(len(seen))] for i in range(len(seen))]
        assert np.abs(units - steps).max() < 5e-6
    out = reference.squashed(sum(maps) @ parts["output"], parts).reshape(-1)
    said = net.prefer(vector[None], members(1), position)[0]
    legal = position.legal()[0]
    assert np.abs(said - out)[legal].max() < 1e-5


@pytest.mark.parametrize("spec", [*FORMS, "mlp(hidden=21)"])
def test_alone_in_a_batch_or_on_threads_a_position_gets_the_same_bits(spec: str) -> None:
    the_game = game("atarigo(size=7)")
    net = population_net(spec, the_game)
    weights = net.initial(chance.keys(2, np.arange(5)))
    positions = some_positions(the_game, 203)
    looking = members(203, 5)
    before = _core.threads()
    try:
        _core.set_threads(2)
        together = net.prefer(weights, looking, positions)
        _core.set_threads(1)
        assert np.array_equal(together, net.prefer(weights, looking, positions))
    finally:
        _core.set_threads(before)
    mixed = np.random.default_rng(1).permutation(203)
    assert np.array_equal(together[mixed], net.prefer(weights, looking[mixed], positions[mixed]))
    for size in (1, 2, 3, 4, 5, 9):
        for first in range(0, 60, size):
            some = slice(first, first + size)
            alone = net.prefer(weights, looking[some], positions[some])
            assert np.array_equal(together[some], alone)


@given(
    spec=st.sampled_from(FORMS),
    name=st.sampled_from(GAMES),
    seed=st.integers(0, 2**32),
    symmetry=st.integers(0, 7),
)
def test_the_net_turns_with_the_board_to_the_last_bit(spec: str, name: str, seed: int, symmetry: int) -> None:
    the_game = game(name)
    net = population_net(spec, the_game)
    weights = net.initial([seed])
    positions = some_positions(the_game, 4, seed)
    said = net.prefer(weights, members(4), positions)
    turned = net.prefer(weights, members(4), positions.symmetry(symmetry))
    assert np.array_equal(said, turned[:, the_game.symmetries[symmetry]])


@given(
    spec=st.sampled_from(FORMS),
    family=st.sampled_from(["atarigo", "gomoku", "othello"]),
    small=st.integers(2, 3),
    large=st.integers(3, 8),
    seed=st.integers(0, 2**32),
)
def test_the_same_weights_play_on_every_size(spec: str, family: str, small: int, large: int, seed: int) -> None:
    sizes = [2 * small + (family != "othello"), 2 * large + (family != "othello")]
    first, second = (game(f"{family}(size={size})") for size in sizes)
    net = population_net(spec, first)
    weights = CALM * net.initial([seed])
    larger = population_net(net.spec, second)
    assert larger.parameters == net.parameters
    positions = some_positions(second, 2, seed)
    said = larger.prefer(weights, members(2), positions)
    assert np.array_equal(said, net.prefer(weights, members(2), positions))
    expected = reference.squashed(twin(net, weights[0], positions[1]), with_doubles(net, weights[0]))
    legal = positions.legal()[1]
    assert np.abs(said[1] - expected)[legal].max(initial=0) < 1e-5


@given(name=st.sampled_from(["atarigo(size=5)", "atarigo(size=9)"]), seed=st.integers(0, 2**32))
def test_features_of_atarigo_are_its_liberties(name: str, seed: int) -> None:
    positions = some_positions(game(name), 3, seed)
    own, liberties = seen_boards(positions) == 1, positions.liberties().reshape(seen_boards(positions).shape)
    opposing = seen_boards(positions) == -1
    expected = [
        own & (liberties == 1),
        own & (liberties == 2),
        opposing & (liberties == 1),
        opposing & (liberties == 2),
    ]
    assert np.array_equal(feature_planes(positions), np.stack(expected, axis=1))


@given(name=st.sampled_from(["othello(size=4)", "othello", "othello(size=10)"]), seed=st.integers(0, 2**32))
def test_features_of_othello_are_the_moves_of_both_sides(name: str, seed: int) -> None:
    the_game = game(name)
    positions = some_positions(the_game, 3, seed)
    for planes, position in zip(feature_planes(positions), positions, strict=True):
        assert np.array_equal(planes[0].reshape(-1), position.legal()[0])
        board = position.boards()[0]
        turned = the_game.make([replace(board, to_move=-board.to_move)])
        moves = turned.legal()[0] if turned.to_move()[0] != position.to_move()[0] else np.zeros(the_game.cells)
        assert np.array_equal(planes[1].reshape(-1), moves)


@given(name=st.sampled_from(["gomoku(size=5)", "gomoku(size=9)"]), seed=st.integers(0, 2**32))
def test_features_of_gomoku_are_the_best_open_lines(name: str, seed: int) -> None:
    the_game = game(name)
    position = some_positions(the_game, 3, seed)[2]
    board, size = seen_boards(position)[0], the_game.size
    expected = np.zeros((2, size, size), np.float32)
    for row, column, (down, right) in itertools.product(range(size), range(size), [(0, 1), (1, 0), (1, 1), (1, -1)]):
        if not (row + 4 * down < size and 0 <= column + 4 * right < size):
            continue
        cells = (row + down * np.arange(5), column + right * np.arange(5))
        for plane, side in enumerate((1, -1)):
            if -side not in board[cells]:
                share = np.float32((board[cells] == side).sum() / 5)
                expected[plane][cells] = np.maximum(expected[plane][cells], share)
    assert np.array_equal(feature_planes(position)[0], expected)


VALUING = ["mdrnn(k=4, output=value)", "mdlstm(k=3, output=value)", "mdrnn(k=3, border=distance, output=value)"]


@pytest.mark.parametrize("spec", [*VALUING, "mdrnn(k=3, layers=2, features=true, output=value)"])
@pytest.mark.parametrize("name", ["atarigo(size=5)", "gomoku(size=7)", "othello(size=6)"])
def test_a_value_is_the_squashed_mean_and_a_move_is_worth_the_board_after_it(spec: str, name: str) -> None:
    the_game = game(name)
    net = population_net(spec, the_game)
    assert isinstance(net, Mdrnn)
    weights = CALM * net.initial(chance.keys(1, np.arange(2)))
    positions = some_positions(the_game, 9)
    looking = members(9, 2)
    values = net.values(weights, looking, positions)
    expected = [np.tanh(twin(net, weights[m], p).mean()) for m, p in zip(looking, positions, strict=True)]
    assert np.abs(values - expected).max() < 1e-5
    said = net.prefer(weights, looking, positions)
    assert np.array_equal(said > -np.inf, positions.legal())
    for i, position in enumerate(positions):
        for move in np.flatnonzero(position.legal()[0]):
            child = position.after([move])
            sign = 1 if child.to_move()[0] == position.to_move()[0] else -1
            assert said[i, move] == sign * net.values(weights, looking[i : i + 1], child)[0]


@pytest.mark.parametrize("spec", VALUING)
@pytest.mark.parametrize("name", ["atarigo(size=5)", "othello(size=4)"])
def test_a_net_that_values_boards_is_an_evaluation_for_search(spec: str, name: str, tmp_path: Path) -> None:
    the_game = game(name)
    net = population_net(spec, the_game)
    assert isinstance(net, Mdrnn)
    weights = net.initial([1])
    path = tmp_path / "value.safetensors"
    save(Member(net, {VECTOR: weights[0]}), path)
    positions = some_positions(the_game, 4)
    shallow = player(f'alphabeta(depth=1, eval=net("{path}"))', the_game)
    assert np.array_equal(shallow.prefer_all(positions), net.prefer(weights, members(4), positions))

    def worth(position: Positions, depth: int, side: int) -> float:
        if position.over()[0]:
            return float(side * position.winner()[0]) * 1e6
        if depth == 0:
            return float(side * position.to_move()[0] * net.values(weights, members(1), position)[0])
        mine = position.to_move()[0] == side
        children = [worth(position.after([m]), depth - 1, side) for m in np.flatnonzero(position.legal()[0])]
        return max(children) if mine else min(children)

    found = player(f'alphabeta(depth=2, eval=net("{path}"), exact=true)', the_game).prefer_all(positions)
    for i, position in enumerate(positions):
        for move in np.flatnonzero(position.legal()[0]):
            expected = worth(position.after([move]), 1, int(position.to_move()[0]))
            assert found[i, move] == expected or min(abs(found[i, move]), abs(expected)) > 1e5


@given(
    spec=st.sampled_from(VALUING), name=st.sampled_from(GAMES), seed=st.integers(0, 2**32), symmetry=st.integers(0, 7)
)
def test_a_turned_board_has_the_same_value(spec: str, name: str, seed: int, symmetry: int) -> None:
    net = population_net(spec, game(name))
    assert isinstance(net, Mdrnn)
    positions = some_positions(game(name), 3, seed)
    values = net.values(net.initial([seed]), members(3), positions)
    assert np.array_equal(values, net.values(net.initial([seed]), members(3), positions.symmetry(symmetry)))


def test_a_net_that_likes_moves_is_no_evaluation(tmp_path: Path) -> None:
    the_game = game("atarigo(size=5)")
    path = tmp_path / "moves.safetensors"
    net = population_net("mdrnn(k=2)", the_game)
    save(Member(net, {VECTOR: net.initial([1])[0]}), path)
    with pytest.raises(ZeroplyError, match="prefers moves but does not evaluate boards"):
        player(f'alphabeta(eval=net("{path}"))', the_game)


def test_the_numbers_of_weights() -> None:
    assert population_net("mdrnn", game("atarigo(size=5)")).parameters == 140  # section III
    assert population_net("mdlstm", game("gomoku(size=5)")).parameters == 5 * 100 + 18 * 10
    assert population_net("mdrnn(layers=2)", game("gomoku(size=5)")).parameters == 140 + 10 * (30 + 10 + 1)
    assert population_net("mdrnn(features=true)", game("gomoku(size=5)")).parameters == 160
    assert population_net("mdrnn(k=3)", game("othello")).parameters == 9 + 12


def test_sweeps_are_those_of_the_twin() -> None:
    the_game = game("atarigo(size=5)")
    net = population_net("mdrnn(k=3)", the_game)
    assert isinstance(net, Mdrnn)
    vector = net.initial([5])[0]
    position = some_positions(the_game, 3)[2]
    maps = net.sweeps(vector, position)
    assert maps.shape == (4, 5, 5, 3)
    expected = reference.evaluate(seen_boards(position)[0], with_doubles(net, vector))[1]
    assert np.abs(maps - np.stack(expected)).max() < 1e-5
    with pytest.raises(ZeroplyError, match="one position, not 2"):
        net.sweeps(vector, the_game.start(2))


def test_initial_weights_are_standard_normal_and_named_by_their_key() -> None:
    net = population_net("mdrnn", game("atarigo(size=5)"))
    drawn = net.initial(chance.keys(3, np.arange(400)))
    assert abs(drawn.mean()) < 0.02
    assert abs(drawn.std() - 1) < 0.02
    assert np.array_equal(drawn[7], net.initial([chance.keys(3, [7])[0]])[0])


@pytest.mark.parametrize("spec", ["mdrnn(k=4)", "mdrnn(k=2, border=distance)", "mlp(hidden=3)"])
def test_a_member_is_saved_loaded_and_plays(spec: str, tmp_path: Path) -> None:
    the_game = game("atarigo(size=5)")
    net = population_net(spec, the_game)
    vector = net.initial([1])[0]
    path = tmp_path / "one.safetensors"
    save(Member(net, {VECTOR: vector}), path)
    assert inspect(str(path)).parameters == net.parameters
    positions = some_positions(the_game, 5)
    expected = net.prefer(vector[None], members(5), positions)
    assert np.array_equal(load(str(path), the_game).prefer(positions), expected)
    assert np.array_equal(player(f'net("{path}")', the_game).prefer(positions), expected)


@pytest.mark.parametrize("spec", ["mdrnn(k=4)", "mdrnn(k=2, border=distance)"])
def test_a_file_plays_on_other_sizes_of_its_game_only(spec: str, tmp_path: Path) -> None:
    net = population_net(spec, game("atarigo(size=5)"))
    path = str(tmp_path / "one.safetensors")
    save(Member(net, {VECTOR: net.initial([1])[0]}), path)
    nine = game("atarigo(size=9)")
    positions = some_positions(nine, 5)
    assert np.array_equal(load(path, nine).prefer(positions), net.prefer(net.initial([1]), members(5), positions))
    with pytest.raises(ZeroplyError, match=r"was made for atarigo.* and cannot play gomoku"):
        load(path, game("gomoku(size=5)"))
    with pytest.raises(ZeroplyError, match="cannot play atarigo"):
        load(path, game("atarigo(size=9, captures=2)"))


def test_a_perceptron_belongs_to_its_size(tmp_path: Path) -> None:
    net = population_net("mlp(hidden=2)", game("gomoku(size=5)"))
    path = str(tmp_path / "one.safetensors")
    save(Member(net, {VECTOR: net.initial([1])[0]}), path)
    with pytest.raises(ZeroplyError, match=r"was made for gomoku.* and cannot play gomoku"):
        load(path, game("gomoku(size=7)"))
    with pytest.raises(ZeroplyError, match="cannot play"):
        net.prefer(net.initial([1]), members(1), game("gomoku(size=7)").start())


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("mdrnn(k=0)", "k, the hidden units of an MDRNN, must be from 1 to 256, not 0"),
        ("mdrnn(k=-1)", "must be from 1 to 256"),
        ("mdrnn(layers=0)", "from 1 to 16 layers, not 0"),
        ("mdrnn(distances=3)", "goes with border=distance"),
        ("mdrnn(border=distance, distances=0)", "from 1 to 10, not 0"),
        ("mdlstm(k=0)", "must be from 1 to 256, not 0"),
        ("mdlstm(border=distance)", "has no key 'border'"),
        ("mdrnn(border=sea)", "border of population net mdrnn must be one of"),
        ("mlp(hidden=0)", "from 1 to 4096 units, not 0"),
        ("mdrn", "did you mean mdrnn"),
    ],
)
def test_bad_forms_are_refused_with_a_sentence(spec: str, said: str) -> None:
    with pytest.raises(ZeroplyError, match=said):
        population_net(spec, game("atarigo(size=5)"))


def test_weights_that_do_not_fit_are_refused() -> None:
    the_game = game("atarigo(size=5)")
    net = population_net("mdrnn", the_game)
    with pytest.raises(ZeroplyError, match="has 140 weights, not 139"):
        net.checked(np.zeros(139))
    with pytest.raises(ZeroplyError, match="NaN or infinite"):
        net.checked(np.full(140, np.nan))
    with pytest.raises(ZeroplyError, match="too large"):
        net.checked(np.full(140, 1e16))
    with pytest.raises(ZeroplyError, match="needs one array 'vector', not cells"):
        build("mdrnn", the_game, {"cells": np.zeros(140, np.float32)})
    with pytest.raises(IndexError, match="a member of the population is out of range"):
        net.prefer(net.initial([1]), np.array([1], np.int32), the_game.start())
    with pytest.raises(ZeroplyError, match="was made for atarigo and cannot play gomoku"):
        net.prefer(net.initial([1]), members(1), game("gomoku(size=5)").start())
    with pytest.raises(ValueError, match="axis 1 of an array is 139 long instead of 140"):
        net.prefer(np.zeros((1, 139), np.float32), members(1), the_game.start())


@pytest.mark.parametrize("spec", ["atarigo(size=19)", "gomoku(size=20)"])
def test_the_largest_weights_give_finite_preferences(spec: str) -> None:
    the_game = game(spec)
    for net_spec in ("mdrnn(layers=2)", "mdrnn(border=distance)", "mdlstm(layers=2, features=true)", "mlp"):
        net = population_net(net_spec, the_game)
        signs = np.where(net.initial([1]) > 0, 1, -1).astype(np.float32)
        positions = some_positions(the_game, 3)
        said = net.prefer(net.checked(1e15 * signs), members(3), positions)
        assert np.isfinite(said[positions.legal()]).all()
