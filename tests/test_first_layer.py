"""What the first layer of nets shows of a position."""

from __future__ import annotations

import numpy as np
import pytest

import zeroply as zp
from zeroply.nets import build, load, population_net, untrained
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


def test_several_positions_are_refused() -> None:
    with pytest.raises(zp.ZeroplyError, match="single position"):
        first_layer(load("othello-swh", OTHELLO), OTHELLO.start(2))
