"""What the first layer of nets shows of a position."""

from __future__ import annotations

import numpy as np
import pytest

import zeroply as zp
from zeroply.nets import build, load, population_net, untrained
from zeroply.nets.core_net import CoreNet
from zeroply.nets.first_layer import MAX_MAPS, first_layer
from zeroply.nets.population import VECTOR

OTHELLO = zp.game("othello")


def test_a_weight_per_cell_is_its_own_picture() -> None:
    net = load("othello-swh", OTHELLO)
    (group,) = first_layer(net, OTHELLO.start())
    ((_, picture),) = group.maps
    assert picture.ravel().tolist() == net.weights["cells"].tolist()


def test_the_numbers_of_lines_turn_with_the_board() -> None:
    net, position = load("othello", OTHELLO), OTHELLO.replay("f5d6c3d3c4f4")
    (straight,) = first_layer(net, position)
    assert len(straight.maps) == min(MAX_MAPS, net.weights["table.weight"].shape[1])
    for k in range(8):
        (turned,) = first_layer(net, position.symmetry(k))
        for (_, before), (_, after) in zip(straight.maps, turned.maps, strict=True):
            np.testing.assert_allclose(after.ravel()[OTHELLO.symmetries[k]], before.ravel(), rtol=1e-4, atol=1e-4)


def test_the_numbers_of_lines_change_with_the_discs_only_where_lines_run() -> None:
    net = load("othello", OTHELLO)
    (before,) = first_layer(net, OTHELLO.parse("-" * 27 + "OX------XO" + "-" * 27 + " X"))
    (after,) = first_layer(net, OTHELLO.parse("-" * 27 + "OXX-----XO" + "-" * 27 + " X"))
    changed = np.any([a != b for (_, a), (_, b) in zip(before.maps, after.maps, strict=True)], axis=0)
    assert changed[3, 5]
    assert changed[0, 5]
    assert not changed[0, 0]


def test_a_recurrent_net_shows_its_four_sweeps() -> None:
    game = zp.game("atarigo(size=7)")
    architecture = population_net("mdrnn(k=3)", game)
    vector = architecture.initial([5])[0]
    position = game.replay([3, 10, 24])
    groups = first_layer(build("mdrnn(k=3)", game, {VECTOR: vector}), position)
    assert [group.title for group in groups] == [
        f"Sweep from the {corner} corner" for corner in ("top left", "top right", "bottom left", "bottom right")
    ]
    sweeps = architecture.sweeps(vector, position)  # type: ignore[attr-defined]
    for group, sweep in zip(groups, sweeps, strict=True):
        np.testing.assert_array_equal(np.stack([picture for _, picture in group.maps], axis=-1), sweep)


def test_a_spatial_net_shows_its_weights_on_the_squares_its_nodes_see() -> None:
    architecture = population_net("spatial(layer=rows)", OTHELLO)
    vector = architecture.initial([1])[0]
    (group,) = first_layer(build("spatial(layer=rows)", OTHELLO, {VECTOR: vector}), OTHELLO.start())
    (_, first), (_, second) = group.maps[:2]
    np.testing.assert_array_equal(first[0], vector[:8])
    assert not first[1:].any()
    np.testing.assert_array_equal(second[1], vector[8:16])


def test_a_convolution_shows_its_feature_maps() -> None:
    pytest.importorskip("torch", reason="convolutional nets need torch")
    net, position = untrained("conv4(width=0.1)", OTHELLO), OTHELLO.replay("f5d6c3")
    (group,) = first_layer(net, position)
    kernels, bias = net.weights["stack.0.weight"], net.weights["stack.0.bias"]
    planes = np.pad(position.planes(["own", "opponent"])[0], ((0, 0), (1, 1), (1, 1)))
    for number, (_, picture) in enumerate(group.maps):
        for row, column in ((0, 0), (3, 4), (7, 7)):
            seen = planes[:, row : row + 3, column : column + 3]
            assert picture[row, column] == pytest.approx(float((seen * kernels[number]).sum() + bias[number]), abs=1e-5)


@pytest.mark.parametrize("spec", ["conv4(width=0.1)", "conv4(width=0.1, bn=true, encoding=ones)", "resnet(depth=8)"])
def test_the_core_shows_the_feature_maps_of_torch(spec: str) -> None:
    pytest.importorskip("torch", reason="convolutional nets need torch")
    net, position = untrained(spec, OTHELLO), OTHELLO.replay("f5d6c3")
    in_core = build(spec, OTHELLO, net.weights)
    assert isinstance(in_core, CoreNet)
    (expected,), (group,) = first_layer(net, position), first_layer(in_core, position)
    assert [name for name, _ in group.maps] == [name for name, _ in expected.maps]
    for (_, picture), (_, other) in zip(group.maps, expected.maps, strict=True):
        np.testing.assert_allclose(picture, other, atol=1e-5)


def test_of_several_nets_the_one_that_plays_is_shown() -> None:
    pytest.importorskip("torch", reason="convolutional nets need torch")
    inside = "conv4(width=0.05)"
    first = untrained(inside, OTHELLO).weights
    nets = [first, {name: array + 1 for name, array in first.items()}]
    weights = {f"nets.{number}.{name}": array for number, net in enumerate(nets) for name, array in net.items()}
    early, late = OTHELLO.start(), OTHELLO.parse("XO" * 31 + "-O X")
    for spec, position, plays in (
        (f"bag(net={inside}, members=2)", late, 0),
        (f"staged(net={inside}, stages=2)", early, 0),
        (f"staged(net={inside}, stages=2)", late, 1),
    ):
        (group,) = first_layer(build(spec, OTHELLO, weights), position)
        (expected,) = first_layer(build(inside, OTHELLO, nets[plays]), position)
        np.testing.assert_array_equal(group.maps[0][1], expected.maps[0][1])
    with pytest.raises(zp.ZeroplyError, match="is unexpected"):
        build(f"bag(net={inside}, members=2)", OTHELLO, {**weights, "nets.2.stack.0.bias": first["stack.0.bias"]})


def test_a_net_without_a_convolution_shows_nothing() -> None:
    pytest.importorskip("torch", reason="such nets need torch")
    net = untrained("dense(layers=4, dropout=0.5)", OTHELLO)
    assert first_layer(build("dense(layers=4, dropout=0.5)", OTHELLO, net.weights), OTHELLO.start()) == []
    vector = np.zeros((1, population_net("mlp(hidden=1)", OTHELLO).parameters), np.float32)
    assert first_layer(build("mlp(hidden=1)", OTHELLO, {VECTOR: vector}), OTHELLO.start()) == []


def test_several_positions_are_refused() -> None:
    with pytest.raises(zp.ZeroplyError, match="single position"):
        first_layer(load("othello-swh", OTHELLO), OTHELLO.start(2))
