"""The convolution on boards: a plain twin, torch's own, gradients, threads, and where torch does it instead."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from zeroply import _core
from zeroply.nets import untrained

torch = pytest.importorskip("torch")

from zeroply.nets.modules.board_conv import BoardConv  # noqa: E402

SHAPES = [(1, 8, 16), (5, 9, 7), (33, 16, 20), (40, 64, 33)]


def plain_convolution(x: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """x[n, 64, in], weights[out, 9, in]: the sum over the nine neighbours, cell by cell."""
    n, _, channels = x.shape
    padded = np.zeros((n, 10, 10, channels))
    padded[:, 1:9, 1:9] = x.reshape(n, 8, 8, channels)
    result = np.zeros((n, 8, 8, len(weights)))
    for k in range(9):
        row, column = divmod(k, 3)
        result += padded[:, row : row + 8, column : column + 8] @ weights[:, k].T
    return result.reshape(n, 64, -1)


@pytest.mark.parametrize(("n", "before", "after"), SHAPES)
def test_the_core_convolves_as_the_plain_sum_does(n: int, before: int, after: int) -> None:
    draw = np.random.default_rng(n)
    x = draw.normal(size=(n, 64, before)).astype(np.float32)
    weights = (draw.normal(size=(after, 9, before)) / np.sqrt(9 * before)).astype(np.float32)
    bias = draw.normal(size=after).astype(np.float32)
    y = np.empty((n, 64, after), np.float32)
    _core.conv3_forward(x, weights, bias, False, y)
    assert np.abs(y - plain_convolution(x.astype(np.float64), weights.astype(np.float64)) - bias).max() < 1e-4


@pytest.mark.parametrize(("n", "before", "after"), SHAPES)
def test_results_and_gradients_are_those_of_torch(n: int, before: int, after: int) -> None:
    torch.manual_seed(n)
    ours = BoardConv(before, after, bias=True)
    theirs = torch.nn.Conv2d(before, after, 3, padding=1)
    theirs.load_state_dict(ours.state_dict())
    x = torch.randn(n, before, 8, 8)
    found = []
    for layer in (ours, theirs):
        given = x.clone().requires_grad_()
        y = layer(given)
        y.backward(torch.cos(torch.arange(y.numel(), dtype=torch.float32)).reshape(y.shape))
        assert layer.bias is not None
        found.append([y, given.grad, layer.weight.grad, layer.bias.grad])
    for mine, other in zip(*found, strict=True):
        assert (mine - other).detach().abs().max() <= 1e-4 * max(1.0, float(other.detach().abs().max()))


def test_gradients_do_not_depend_on_the_number_of_threads() -> None:
    draw = np.random.default_rng(1)
    x, dy = (draw.normal(size=(70, 64, 24)).astype(np.float32) for _ in range(2))
    weights = draw.normal(size=(24, 9, 24)).astype(np.float32)
    before, found = _core.threads(), []
    for threads in (1, 3):
        _core.set_threads(threads)
        y, dx, dw = np.empty_like(dy), np.empty_like(x), np.empty_like(weights)
        _core.conv3_forward(x, weights, None, False, y)
        _core.conv3_backward(x, weights, dy, False, dx, dw)
        found.append((y, dx, dw))
    _core.set_threads(before)
    for one, other in zip(*found, strict=True):
        assert np.array_equal(one, other)


def test_the_nets_of_the_paper_use_it_and_torch_does_what_it_cannot() -> None:
    module = untrained("conv4(width=0.25)", "othello").module
    assert sum(isinstance(layer, BoardConv) for layer in module.modules()) == 4
    layer = BoardConv(16, 16)
    plain = torch.nn.Conv2d(16, 16, 3, padding=1, bias=False)
    plain.load_state_dict(layer.state_dict())
    for x in (torch.randn(2, 16, 6, 6), torch.randn(2, 16, 8, 8, dtype=torch.float64)):
        assert torch.equal(layer.to(x.dtype)(x), plain.to(x.dtype)(x))


@pytest.mark.parametrize(
    "arrays",
    [
        {"x": (2, 64, 8), "weights": (4, 9, 7), "y": (2, 64, 4)},
        {"x": (2, 63, 8), "weights": (4, 9, 8), "y": (2, 64, 4)},
        {"x": (2, 64, 8), "weights": (4, 8, 8), "y": (2, 64, 4)},
        {"x": (2, 64, 8), "weights": (4, 9, 8), "y": (3, 64, 4)},
    ],
)
def test_arrays_that_do_not_fit_are_refused(arrays: dict[str, tuple[int, ...]]) -> None:
    x, weights, y = (np.zeros(arrays[name], np.float32) for name in ("x", "weights", "y"))
    with pytest.raises(ValueError, match=r"axis|weights"):
        _core.conv3_forward(x, weights, None, False, y)
