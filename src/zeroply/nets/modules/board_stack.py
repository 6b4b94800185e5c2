"""A stack of 3x3 convolutions on boards of 8x8, each with batch normalisation or a bias, and ReLU, as one operation.

While a net is trained on a CPU, the core computes the whole stack: feature maps are written once per layer, and are
normalised as the next layer reads them. Results are those of torch to about 1e-5. In bfloat16 precision the
convolutions multiply rounded numbers, on processors that can.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from zeroply import _core
from zeroply.nets.modules.board_conv import BoardConv, bfloat, channels_last, core_trains, rows
from zeroply.nets.modules.board_norm import update_running

StackLayer = tuple[BoardConv, nn.BatchNorm2d | None]
"""A convolution, with a bias if it is not normalised."""


def suits(layers: Sequence[StackLayer], x: torch.Tensor) -> bool:
    """Whether the core can compute the layers, in training."""
    return core_trains(x) and all(_suits(conv, norm) for conv, norm in layers)


def conv_stack(layers: Sequence[StackLayer], x: torch.Tensor) -> torch.Tensor:
    """[n, channels, 8, 8]; updates running statistics as the normalisations themselves do."""
    parameters = [one for layer in layers for one in _parameters(*layer)]
    epsilon = next((norm.eps for _, norm in layers if norm is not None), 0.0)
    y, *moments = _Stack.apply(x, epsilon, *parameters)  # type: ignore[no-untyped-call]
    count = len(x) * x.shape[2] * x.shape[3]
    for (_, norm), mean, variance in zip(layers, moments[::2], moments[1::2], strict=True):
        if norm is not None:
            update_running(norm, mean, variance, count)
    result: torch.Tensor = y
    return result


def _suits(conv: BoardConv, norm: nn.BatchNorm2d | None) -> bool:
    if not conv.training or conv.stride != (1, 1) or conv.weight.dtype != torch.float32:
        return False
    return conv.bias is not None if norm is None else conv.bias is None and norm.training


def _parameters(conv: BoardConv, norm: nn.BatchNorm2d | None) -> tuple[torch.Tensor | None, ...]:
    return (conv.weight, None, conv.bias) if norm is None else (conv.weight, norm.weight, norm.bias)


class _Stack(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, epsilon: float, *parameters: torch.Tensor | None) -> Any:
        x = channels_last(x)
        kept = [None if one is None else channels_last(one) if one.ndim == 4 else one for one in parameters]
        layers = _layers(kept)
        outputs = [len(weights) for weights, _, _ in layers]
        y = torch.empty((len(x), outputs[-1], *x.shape[2:]), memory_format=torch.channels_last)
        ctx.stack = _core.stack_forward(rows(x), layers, epsilon, bfloat(), rows(y))
        ctx.save_for_backward(x, *kept)
        moments = [torch.empty(channels) for channels in outputs for _ in range(2)]
        for number in range(len(layers)):
            ctx.stack.moments(number, moments[2 * number].numpy(), moments[2 * number + 1].numpy())
        ctx.mark_non_differentiable(*moments)
        return y, *moments

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        dy = channels_last(gradients[0])
        x, *parameters = ctx.saved_tensors
        dx = torch.empty_like(x) if ctx.needs_input_grad[0] else None
        found = [None if one is None else torch.empty_like(one) for one in parameters]
        _core.stack_backward(
            ctx.stack, rows(x), _layers(parameters), rows(dy), None if dx is None else rows(dx), _layers(found)
        )
        return dx, None, *found


def _layers(parameters: Sequence[torch.Tensor | None]) -> list[tuple[Any, ...]]:
    """Weights, scales and shifts of the layers, as arrays."""
    arrays = [None if one is None else rows(one) if one.ndim == 4 else one.detach().numpy() for one in parameters]
    return list(zip(arrays[::3], arrays[1::3], arrays[2::3], strict=True))
