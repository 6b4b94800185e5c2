"""Batch normalisation with ReLU in the core: results, gradients and statistics are those of torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from zeroply import _core
from zeroply.nets import untrained

torch = pytest.importorskip("torch")

from zeroply.nets.modules.board_norm import norm_relu  # noqa: E402


def results(layer: Any, norm: Any, x: Any) -> list[Any]:
    """Output, gradients and running statistics of one step in training."""
    given = x.clone().requires_grad_()
    y = layer(given)
    y.backward(torch.cos(torch.arange(y.numel(), dtype=torch.float32)).reshape(y.shape))
    return [y, given.grad, norm.weight.grad, norm.bias.grad, norm.running_mean, norm.running_var]


@pytest.mark.parametrize(("n", "channels", "side"), [(1, 3, 8), (7, 16, 8), (33, 20, 5), (2, 1, 1)])
def test_results_gradients_and_statistics_are_those_of_torch(n: int, channels: int, side: int) -> None:
    torch.manual_seed(n)
    norm, plain = torch.nn.BatchNorm2d(channels), torch.nn.BatchNorm2d(channels)
    with torch.no_grad():
        norm.weight.normal_()
        norm.bias.normal_()
    plain.load_state_dict(norm.state_dict())
    x = 3 * torch.randn(n, channels, side, side) + 5
    mine = results(lambda given: norm_relu(norm, given), norm, x)
    theirs = results(lambda given: torch.relu(plain(given)), plain, x)
    for one, other in zip(mine, theirs, strict=True):
        assert (one - other).detach().abs().max() <= 1e-5 * max(1.0, float(other.detach().abs().max()))
    assert norm.state_dict().keys() == plain.state_dict().keys()
    assert norm.num_batches_tracked == 1
    norm.eval()
    assert torch.equal(norm_relu(norm, x), torch.relu(norm(x)))


def test_a_large_mean_does_not_cost_the_variance_its_digits() -> None:
    x = np.random.default_rng(1).normal(1000, 0.5, size=(1000, 4)).astype(np.float32)
    y, mean, variance, one = np.empty_like(x), np.empty(4, np.float32), np.empty(4, np.float32), np.ones(4, np.float32)
    _core.norm_relu_forward(x, one, one, 1e-5, y, mean, variance)
    assert np.allclose(mean, x.astype(np.float64).mean(axis=0), rtol=1e-6)
    assert np.allclose(variance, x.astype(np.float64).var(axis=0), rtol=1e-4)


def test_gradients_do_not_depend_on_the_number_of_threads() -> None:
    draw = np.random.default_rng(1)
    x, dy = (draw.normal(size=(5000, 24)).astype(np.float32) for _ in range(2))
    one, zero = np.ones(24, np.float32), np.zeros(24, np.float32)
    before, found = _core.threads(), []
    for threads in (1, 3):
        _core.set_threads(threads)
        y, dx = np.empty_like(x), np.empty_like(x)
        mean, variance, dweight, dbias = (np.empty(24, np.float32) for _ in range(4))
        _core.norm_relu_forward(x, one, zero, 1e-5, y, mean, variance)
        _core.norm_relu_backward(x, one, zero, 1e-5, mean, variance, dy, dx, dweight, dbias)
        found.append([y, dx, mean, variance, dweight, dbias])
    _core.set_threads(before)
    for mine, other in zip(*found, strict=True):
        assert np.array_equal(mine, other)


@pytest.mark.parametrize("net", ["conv4(bn=true, width=0.125)", "resnet(depth=8)", "densenet(depth=7)"])
def test_a_net_learns_as_in_double_precision_where_torch_does_it_all(net: str) -> None:
    found = []
    for kind in (torch.float32, torch.float64):
        torch.manual_seed(1)
        module = untrained(net, "othello").module.train().to(kind)
        torch.manual_seed(2)
        module(torch.randn(6, 2, 8, 8).to(kind)).pow(2).mean().backward()
        found.append([*(one.grad for one in module.parameters()), *module.buffers()])
    for one, other in zip(*found, strict=True):
        assert (one - other).abs().max() <= 1e-4 * max(1.0, float(other.abs().max()))


def test_arrays_that_do_not_fit_are_refused() -> None:
    x, y, four, three = (
        np.zeros((5, 4), np.float32),
        np.zeros((5, 4), np.float32),
        *(np.zeros(k, np.float32) for k in (4, 3)),
    )
    with pytest.raises(ValueError, match="axis"):
        _core.norm_relu_forward(x, four, three, 1e-5, y, four, four)
    with pytest.raises(ValueError, match="rows"):
        _core.norm_relu_forward(x[:0], four, four, 1e-5, y[:0], four, four)
