"""Stacks of convolutions on boards: a plain twin, gradients, bfloat16 products, threads, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from zeroply import _core
from zeroply.nets import untrained

torch = pytest.importorskip("torch")

EPSILON = 1e-5
needs_bfloat = pytest.mark.skipif(not _core.has_bfloat(), reason="no products of bfloat16 numbers at this level here")
BFLOAT = [False, pytest.param(True, marks=needs_bfloat)]
Layers = list[tuple[NDArray[np.float32], NDArray[np.float32] | None, NDArray[np.float32]]]


def stack_of(channels: list[int], plain: tuple[int, ...] = ()) -> Layers:
    """Random layers; those in `plain` have a bias instead of normalisation."""
    draw, layers = np.random.default_rng(len(channels)), []
    for number, (before, after) in enumerate(pairwise(channels)):
        weights = (draw.normal(size=(after, 9, before)) / np.sqrt(9 * before)).astype(np.float32)
        scale, shift = (draw.normal(1, 0.3, size=after).astype(np.float32) for _ in range(2))
        layers.append((weights, None if number in plain else scale, shift))
    return layers


def like(layers: Layers) -> Layers:
    """Arrays for gradients."""
    return [
        (np.empty_like(w), None if scale is None else np.empty_like(scale), np.empty_like(b)) for w, scale, b in layers
    ]


def forward(layers: Layers, x: NDArray[np.float32], bfloat: bool = False) -> tuple[Any, NDArray[np.float32]]:
    y = np.empty((len(x), 64, len(layers[-1][0])), np.float32)
    return _core.stack_forward(x, layers, EPSILON, bfloat, y), y


def backward(stack: Any, layers: Layers, x: NDArray[np.float32], dy: NDArray[np.float32]) -> list[Any]:
    """Gradients by x and by the parameters of each layer."""
    dx = np.empty_like(x)
    found = like(layers)
    _core.stack_backward(stack, x, layers, dy, dx, found)
    return [dx, *(one for layer in found for one in layer if one is not None)]


def plain_stack(layers: Layers, x: NDArray[np.float32]) -> NDArray[np.float64]:
    """In double precision: neighbour by neighbour, then normalised over all boards and cells."""
    y = x.astype(np.float64)
    for weights, scale, shift in layers:
        padded = np.zeros((len(y), 10, 10, y.shape[2]))
        padded[:, 1:9, 1:9] = y.reshape(len(y), 8, 8, -1)
        y = np.zeros((len(y), 8, 8, len(weights)))
        for k in range(9):
            y += padded[:, k // 3 : k // 3 + 8, k % 3 : k % 3 + 8] @ weights[:, k].T.astype(np.float64)
        y = y.reshape(len(y), 64, -1)
        if scale is not None:
            y = (y - y.mean(axis=(0, 1))) / np.sqrt(y.var(axis=(0, 1)) + EPSILON) * scale
        y = np.maximum(y + shift, 0)
    return y


def torch_gradients(layers: Layers, x: NDArray[np.float32], dy: NDArray[np.float32]) -> list[NDArray[np.float64]]:
    """Those of torch's layers in double precision."""
    given = [torch.tensor(one, dtype=torch.float64, requires_grad=True) for layer in layers for one in layer
             if one is not None]  # fmt: skip
    rest = iter(given)
    start = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    y = start.reshape(len(x), 8, 8, -1).permute(0, 3, 1, 2)
    for weights, scale, _ in layers:
        kernel = next(rest).reshape(len(weights), 3, 3, -1).permute(0, 3, 1, 2)
        y = torch.nn.functional.conv2d(y, kernel, padding=1)
        if scale is None:
            y = y + next(rest)[:, None, None]
        else:
            y = torch.nn.functional.batch_norm(y, None, None, next(rest), next(rest), training=True, eps=EPSILON)
        y = torch.relu(y)
    y.permute(0, 2, 3, 1).reshape(dy.shape).backward(torch.tensor(dy, dtype=torch.float64))
    return [start.grad.numpy(), *(one.grad.numpy() for one in given)]


@pytest.mark.parametrize(
    ("n", "channels", "plain"),
    [(1, [2, 16], ()), (5, [9, 7, 40, 33], (1,)), (37, [2, 16, 16, 48], ()), (18, [24, 80], (0,))],
)
def test_results_and_gradients_are_those_of_plain_layers(n: int, channels: list[int], plain: tuple[int, ...]) -> None:
    draw = np.random.default_rng(n)
    layers = stack_of(channels, plain)
    x = draw.normal(size=(n, 64, channels[0])).astype(np.float32)
    dy = draw.normal(size=(n, 64, channels[-1])).astype(np.float32)
    stack, y = forward(layers, x)
    assert np.abs(y - plain_stack(layers, x)).max() < 1e-4
    for mine, other in zip(backward(stack, layers, x, dy), torch_gradients(layers, x, dy), strict=True):
        assert np.abs(mine - other).max() <= 1e-4 * max(1.0, np.abs(other).max())


@needs_bfloat
def test_bfloat16_products_err_by_about_one_percent_per_convolution() -> None:
    draw = np.random.default_rng(1)
    layers = stack_of([2, 24, 48, 32])
    x, dy = (draw.normal(size=(64, 64, channels)).astype(np.float32) for channels in (2, 32))
    for number, layer in enumerate(layers):  # one convolution
        some = (x if number == 0 else draw.normal(size=(64, 64, layer[0].shape[2]))).astype(np.float32)
        exact, rounded = forward([layer], some)[1], forward([layer], some, bfloat=True)[1]
        assert 1e-4 < np.linalg.norm(rounded - exact) / np.linalg.norm(exact) < 0.015
    found = (backward(forward(layers, x, bfloat)[0], layers, x, dy) for bfloat in (False, True))
    for one, other in zip(*found, strict=True):
        assert np.linalg.norm(one - other) < 0.2 * np.linalg.norm(one)


@pytest.mark.parametrize("bfloat", BFLOAT)
def test_results_do_not_depend_on_the_number_of_threads(bfloat: bool) -> None:
    draw = np.random.default_rng(1)
    layers = stack_of([2, 24, 48])
    x, dy = (draw.normal(size=(70, 64, channels)).astype(np.float32) for channels in (2, 48))
    before, found = _core.threads(), []
    for threads in (1, 3):
        _core.set_threads(threads)
        stack, y = forward(layers, x, bfloat)
        found.append([y, *backward(stack, layers, x, dy)])
    _core.set_threads(before)
    for one, other in zip(*found, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("bfloat", BFLOAT)
def test_a_net_under_autocast_to_bfloat16_learns_in_the_core_where_it_can(
    bfloat: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Elsewhere torch does it all."""
    monkeypatch.setattr(_core, "has_bfloat", lambda: bfloat)
    module = untrained("conv4(bn=true, width=0.125)", "othello").module.train()
    called = []
    compute = _core.stack_forward

    def counted(*given: Any) -> Any:
        called.append(given[3])
        return compute(*given)

    monkeypatch.setattr(_core, "stack_forward", counted)
    with torch.autocast("cpu", torch.bfloat16):
        module(torch.randn(6, 2, 8, 8)).float().pow(2).mean().backward()
    assert called == ([True] if bfloat else [])
    assert all(torch.isfinite(one.grad).all() for one in module.parameters())


def test_what_does_not_fit_is_refused() -> None:
    layers = stack_of([2, 8, 16])
    x, y = np.zeros((3, 64, 2), np.float32), np.zeros((3, 64, 16), np.float32)
    stack = _core.stack_forward(x, layers, EPSILON, False, y)
    other = like(layers)
    mean = np.empty(8, np.float32)
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: _core.stack_forward(x, layers[1:], EPSILON, False, y), "do not fit"),
        (lambda: _core.stack_forward(x, layers, EPSILON, False, y[:, :, :8].copy()), "axis 2"),
        (lambda: _core.stack_forward(x[:0], layers, EPSILON, False, y[:0]), "no boards"),
        (lambda: _core.stack_forward(x, [], EPSILON, False, y), "one layer"),
        (lambda: _core.stack_backward(stack, x, layers[:1], y, None, other[:1]), "not the layers"),
        (lambda: _core.stack_backward(stack, x, layers, y, None, other[:1]), "not the layers"),
        (lambda: _core.stack_backward(stack, x[:2], layers, y, None, other), "axis 0"),
        (lambda: _core.stack_backward(stack, x, layers, y, None, [(w, None, b) for w, _, b in other]), "its scale"),
    ]
    for call, message in calls:
        with pytest.raises(ValueError, match=message):
            call()
    for layer in (-1, 2):
        with pytest.raises(IndexError, match="no such layer"):
            stack.moments(layer, mean, mean)
