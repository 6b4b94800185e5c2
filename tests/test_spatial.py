"""Spatial nets: what the paper says of their size, the core against a NumPy twin, and the nets as evaluations."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from spatial_reference import move_sums, move_values, output_sums
from zeroply import _core, chance, game
from zeroply.errors import ZeroplyError
from zeroply.games import Positions
from zeroply.nets import Member, build, load, population_net, save
from zeroply.nets.population import VECTOR
from zeroply.nets.spatial import LAYERS, SpatialNet, patterns
from zeroply.players import player
from zeroply.search import EVALUATIONS, Limit

OTHELLO = game("othello")
FORMS = ["spatial", "spatial(layer=subsquares)", "spatial(layer=rows)", "spatial(layer=king, discs=true)"]


def spatial(spec: str = "spatial") -> SpatialNet:
    net = population_net(spec, OTHELLO)
    assert isinstance(net, SpatialNet)
    return net


def some_weights(net: SpatialNet, members: int, spread: float = 1.0) -> NDArray[np.float32]:
    """Weights as evolution makes them: with some large ones."""
    keys = chance.keys(chance.key(1, "weights"), np.arange(members))
    drawn = chance.normal(keys[:, None], np.arange(net.parameters, dtype=np.uint64))
    return (spread * 0.1 * drawn * np.exp(chance.normal(keys[:, None], 2**32 + np.arange(net.parameters)))).astype(
        np.float32
    )


def some_positions(n: int = 300) -> Positions:
    """Positions of random games, from the first move to the last."""
    positions, random = OTHELLO.start(n), player("random", OTHELLO)
    kept = positions.copy()
    for ply in range(60):
        stopped = np.arange(n) % 60 == ply
        kept[stopped] = positions[stopped]
        positions.play(random.choose(positions, chance.keys(ply, np.arange(n))))
    return kept


def test_the_papers_nets_have_the_papers_numbers_of_weights() -> None:
    assert spatial("spatial(layer=queen)").parameters == 4710
    assert spatial("spatial(layer=subsquares)").parameters == 5900


def test_a_queen_sees_22_squares_from_a_corner_and_28_from_the_centre() -> None:
    sizes = [len(squares) for squares in patterns("queen")]
    assert sizes[0] == sizes[7] == sizes[56] == sizes[63] == 22
    assert sizes[27] == sizes[36] == 28
    assert min(sizes) == 22
    assert max(sizes[:64]) == 28
    assert sum(sizes) == 1584


@pytest.mark.parametrize(("layer", "nodes"), [("queen", 65), ("subsquares", 91), ("king", 65), ("rows", 17)])
def test_layers_have_their_nodes_and_all_see_the_whole_board(layer: str, nodes: int) -> None:
    assert len(patterns(layer)) == nodes
    assert tuple(range(64)) in patterns(layer)


def test_the_lines_are_the_rows_columns_and_diagonals() -> None:
    assert len(patterns("lines")) == 8 + 8 + 2 * 11 + 1
    assert (0, 9, 18, 27, 36, 45, 54, 63) in patterns("lines")


def assert_equal_sums(core: NDArray[np.float32], twin: NDArray[np.float64]) -> None:
    """Sums of the output node, not their tanh: with the disc difference that is 1 or -1 nearly everywhere."""
    assert (np.abs(core - twin) <= 1e-5 * np.maximum(1, np.abs(twin))).all()


@pytest.mark.parametrize("spec", FORMS)
def test_the_core_agrees_with_the_twin(spec: str) -> None:
    net = spatial(spec)
    weights = some_weights(net, 3)
    positions = some_positions()
    members = np.arange(len(positions), dtype=np.int32) % 3
    liked = net.prefer(weights, members, positions)
    assert (positions.legal() == (liked > -np.inf)).all()
    sums = np.empty(len(positions), np.float32)
    net.population(weights).values(positions.batch, members, sums)
    assert (net.values(weights, members, positions) == np.tanh(sums)).all()
    for member in range(3):
        rows = np.flatnonzero(members == member)
        legal = positions[rows].legal()
        assert_equal_sums(liked[rows][legal], move_sums(net, weights[member], positions[rows])[legal])
        assert_equal_sums(sums[rows], output_sums(net, weights[member], positions[rows].stones()))


@pytest.mark.parametrize("spec", FORMS)
def test_weights_of_a_late_generation_choose_moves_as_good_as_the_twins(spec: str) -> None:
    """Steps have spread as exp(6 N(0, 1)) by then, and the largest weights are about 1e7.

    The best sum is reached to a relative 1e-5. The sums themselves have no such bound in single precision: where large
    weights cancel out they were off by up to a relative 5e-4.
    """
    net = spatial(spec)
    keys, at = chance.keys(chance.key(2, "late"), np.arange(12))[:, None], np.arange(net.parameters, dtype=np.uint64)
    drawn = chance.normal(keys, at) * np.exp(6 * chance.normal(keys, 2**32 + at))
    weights = np.clip(drawn, -1e7, 1e7).astype(np.float32)
    assert (np.abs(weights).max(axis=1) > 1e6).all()
    positions = some_positions(600)
    members = np.arange(len(positions), dtype=np.int32) % 12
    liked = net.prefer(weights, members, positions)
    legal = positions.legal()
    assert np.isfinite(liked[legal]).all()
    for member in range(12):
        rows = np.flatnonzero((members == member) & legal.any(axis=1))
        sums = move_sums(net, weights[member], positions[rows])
        best, chosen = sums.max(axis=1), sums[np.arange(len(rows)), liked[rows].argmax(axis=1)]
        assert (chosen >= best - 1e-5 * np.maximum(1, np.abs(best))).all()


def test_boards_that_no_game_comes_to_are_valued_too() -> None:
    """Opposing discs within an empty edge, so that there are many legal moves."""
    draw = np.random.default_rng(5)
    inner = draw.choice(np.array([1, -1, 0], np.int8), p=[0.2, 0.6, 0.2], size=(300, 6, 6))
    stones = np.pad(inner, ((0, 0), (1, 1), (1, 1))).reshape(300, 64)
    zeros = np.zeros((300, 2), np.int32)
    core = OTHELLO.core.make(stones, np.zeros(300, np.uint8), zeros, np.full(300, -1, np.int32))
    positions = Positions(OTHELLO, core)
    net = spatial()
    weights = some_weights(net, 1)
    assert positions.legal().sum(axis=1).max() > 25
    liked = net.prefer(weights, np.zeros(300, np.int32), positions)
    legal = positions.legal()
    assert_equal_sums(liked[legal], move_sums(net, weights[0], positions)[legal])


def test_a_board_is_valued_the_same_whatever_is_looked_at_beside_it() -> None:
    net = spatial()
    weights = some_weights(net, 2)
    positions = some_positions(64)
    members = np.zeros(len(positions), np.int32)
    together = net.prefer(weights, members, positions)
    members[::2] = 1
    mixed = net.prefer(weights, members, positions)
    assert (together[1::2] == mixed[1::2]).all()
    for row in range(0, 64, 7):
        alone = net.prefer(weights, members[row : row + 1], positions[[row]])
        assert (alone[0] == mixed[row]).all()


def test_with_tanh_boards_are_equal_where_it_is_rounded_to_1() -> None:
    exact, cut = spatial(), spatial("spatial(output=tanh)")
    weights = some_weights(exact, 1)
    weights[:, -11:-1] *= 100  # into the output node
    positions, members = some_positions(100), np.zeros(100, np.int32)
    sums, values = (net.prefer(weights, members, positions) for net in (exact, cut))
    legal = positions.legal()
    assert (np.tanh(sums[legal].astype(np.float64)) == np.tanh(values[legal].astype(np.float64))).all()
    saturated = np.abs(np.tanh(sums[legal].astype(np.float64))) == 1
    assert 0.2 < saturated.mean() < 1
    assert len(np.unique(np.abs(values[legal][saturated]))) == 1
    assert (sums[legal] == values[legal])[~saturated].all()


def test_a_member_plays_whole_games_as_it_plays_move_by_move() -> None:
    net = spatial("spatial(layer=subsquares)")
    weights = some_weights(net, 4, 0.3)
    black, white = np.array([0, 1, 2, 3, 3]), np.array([1, 0, 3, 2, 3])
    scores, moves = net.play(weights, black, white)
    positions = OTHELLO.start(len(black))
    for ply in range(60):
        members = np.where(positions.to_move() > 0, black, white).astype(np.int32)
        liked = net.prefer(weights, members, positions)
        lowest_best = np.where(positions.over(), -1, np.argmax(liked, axis=1)).astype(np.int32)
        assert (lowest_best == moves[:, ply]).all()
        positions.play(lowest_best)
    assert positions.over().all()
    assert (positions.stones().sum(axis=1) == scores).all()


def test_a_game_is_the_same_whatever_is_played_beside_it() -> None:
    net = spatial()
    weights = some_weights(net, 6, 0.3)
    weights[3:] = weights[:3]  # so that members meet the boards that their likes meet, with either colour
    black, white = (side.ravel() for side in np.indices((6, 6)))
    _, together = net.play(weights, np.tile(black, 9), np.tile(white, 9))
    for number in range(len(black)):
        _, alone = net.play(weights, black[[number]], white[[number]])
        assert (together[number :: len(black)] == alone).all()


def test_games_do_not_depend_on_the_number_of_threads() -> None:
    net = spatial()
    weights = net.initial(chance.keys(5, np.arange(20)))
    black, white = np.arange(450) % 20, np.arange(450) * 7 % 20
    before = _core.threads()
    try:
        _core.set_threads(1)
        scores, moves = net.play(weights, black, white)
        _core.set_threads(2)
        again, moves_again = net.play(weights, black, white)
    finally:
        _core.set_threads(before)
    assert (scores == again).all()
    assert (moves == moves_again).all()


def test_first_weights_are_spread_evenly_over_the_papers_range() -> None:
    first = spatial().initial(chance.keys(1, np.arange(20)))
    assert first.shape == (20, 4710)
    assert np.abs(first).max() <= 0.2
    assert np.abs(first.mean()) < 0.002
    assert first.std() == pytest.approx(0.4 / 12**0.5, rel=0.02)


def test_a_net_file_plays_and_says_what_it_is(tmp_path: Path) -> None:
    net = spatial("spatial(layer=king)")
    weights = some_weights(net, 1)
    save(Member(net, {VECTOR: weights[0]}), tmp_path / "king.safetensors")
    loaded = load(str(tmp_path / "king.safetensors"), OTHELLO)
    assert str(loaded.spec) == "spatial(layer=king)"
    positions = some_positions(50)
    expected = net.prefer(weights, np.zeros(50, np.int32), positions)
    assert (player(f"net({tmp_path / 'king.safetensors'})", OTHELLO).prefer(positions) == expected).all()


def test_a_layer_from_a_file_goes_into_the_net_file_itself(tmp_path: Path) -> None:
    file = tmp_path / "layer.json"
    file.write_text(json.dumps([[0, 1, 8], list(range(64)), [63, 62]]))
    net = spatial(f'spatial(layer="{file}")')
    assert net.patterns == [(0, 1, 8), tuple(range(64)), (62, 63)]
    file.unlink()
    again = build(net.spec, OTHELLO, {VECTOR: some_weights(net, 1)[0]})
    assert isinstance(again, Member)
    assert isinstance(again.architecture, SpatialNet)
    assert again.architecture.patterns == net.patterns


def test_a_file_named_like_a_written_layer_is_still_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path("0123456789abcdef.json")
    file.write_text("[[0, 1], [2]]")
    assert str(spatial(f'spatial("{file}")').spec.kwargs["layer"]) == "0000000000000003-0000000000000004"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("[[0, 64]]", "pattern 1 of layer .* has the square 64: squares are numbered 0 to 63"),
        ("[[0], []]", "pattern 2 of layer .* is empty"),
        ("[[0, 1, 0]]", "pattern 1 of layer .* names a square twice"),
        ("[[0, true]]", "has the square True"),
        ("[]", "must be a list of lists of squares"),
        ("[0, 1]", "must be a list of lists of squares"),
        ("[[0, 1]", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        (f"[[0, {'9' * 5_000}]]", "has a number that is too long: squares are numbered 0 to 63"),
        (f"[[0, {'9' * 4_000}]]", "has the square 9{40}: squares are numbered 0 to 63"),
        (json.dumps([[0]] * 300), "has 300 patterns"),
    ],
)
def test_a_layer_that_cannot_be_is_refused_in_a_sentence(tmp_path: Path, content: str, sentence: str) -> None:
    file = tmp_path / "layer.json"
    file.write_text(content)
    with pytest.raises(ZeroplyError, match=sentence):
        population_net(f'spatial(layer="{file}")', OTHELLO)


def test_an_unknown_layer_names_those_there_are() -> None:
    with pytest.raises(ZeroplyError, match="unknown layer 'knight': choose from queen, subsquares"):
        population_net("spatial(layer=knight)", OTHELLO)
    for mistyped in ("-".join(["00000000000000ff"] * 40) + "-0", "0" * 5_000, "a\0b.json"):
        with pytest.raises(ZeroplyError, match=r"unknown layer '.{1,40}': choose from queen, subsquares"):
            patterns(mistyped)
    with pytest.raises(ZeroplyError, match=r"net spatial is for othello\(size=8\), not for othello"):
        population_net("spatial", game("othello(size=6)"))
    assert list(LAYERS) == ["queen", "subsquares", "king", "rows", "lines"]


def test_the_core_refuses_what_does_not_fit() -> None:
    net = spatial()
    nets = net.population(net.initial([1, 2]))
    batch, out = OTHELLO.start(2).batch, np.empty((2, 64), np.float32)
    with pytest.raises(IndexError, match="member of the population is out of range"):
        nets.prefer(batch, np.array([0, 2], np.int32), out)
    with pytest.raises(ValueError, match="axis 0"):
        nets.prefer(batch, np.zeros(1, np.int32), out)
    small = game("othello(size=6)").start(2).batch
    with pytest.raises(ValueError, match="othello 8x8"):
        nets.prefer(small, np.zeros(2, np.int32), np.empty((2, 36), np.float32))
    with pytest.raises(ValueError, match="axis 1"):
        net.population(np.zeros((2, 4709), np.float32))


@pytest.fixture
def net_file(tmp_path: Path) -> tuple[SpatialNet, NDArray[np.float32], Path]:
    net = spatial()
    vector = some_weights(net, 1)[0]
    save(Member(net, {VECTOR: vector}), tmp_path / "one.safetensors")
    return net, vector, tmp_path / "one.safetensors"


def test_search_of_one_ply_plays_as_the_net_itself(net_file: tuple[SpatialNet, NDArray[np.float32], Path]) -> None:
    net, vector, file = net_file
    positions = some_positions(200)
    searched = player(f"alphabeta(depth=1, eval=net({file}), exact=true)", OTHELLO).prefer(positions)
    liked = net.prefer(vector[None], np.zeros(200, np.int32), positions)
    legal = positions.legal()
    np.testing.assert_allclose(searched[legal], liked[legal], atol=1e-4)


def test_search_with_a_net_is_minimax(net_file: tuple[SpatialNet, NDArray[np.float32], Path]) -> None:
    net, vector, file = net_file
    evaluation = EVALUATIONS.build(f"net({file})", game=OTHELLO)
    positions = some_positions(60)
    positions = positions[np.flatnonzero((positions.stones() == 0).sum(axis=1) > 10)]
    found = evaluation.search(positions, Limit(depth=2), all_moves=True)
    rows, cells = np.nonzero(positions.legal())
    children = positions[rows]
    children.play(cells.astype(np.int32))
    replies = move_values(net, vector, children).max(axis=1) * children.to_move() * positions[rows].to_move()
    same = ~children.over()
    np.testing.assert_allclose(np.tanh(found.preferences[rows, cells])[same], replies[same], atol=1e-5)


def test_a_net_that_does_not_value_boards_is_no_evaluation() -> None:
    with pytest.raises(ZeroplyError, match="does not evaluate boards"):
        EVALUATIONS.build("net(othello-swh)", game=OTHELLO)
