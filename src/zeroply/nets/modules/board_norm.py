"""Batch normalisation followed by ReLU, as one operation in the core while a net is trained on a CPU.

Torch reads and writes every feature map about ten times for the two and their gradients; the core needs half of that.
Results are those of torch to about 1e-6. Torch does everything else: GPUs, reduced precision, evaluation, exports.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from zeroply import _core
from zeroply.nets.modules.board_conv import channels_last, rows


def norm_relu(norm: nn.BatchNorm2d, x: torch.Tensor) -> torch.Tensor:
    """relu(norm(x)) of [n, channels, side, side]; updates the running statistics as `norm` itself does."""
    if not _suits(norm, x):
        return torch.relu(norm(x))
    y, mean, variance = _NormRelu.apply(x, norm.weight, norm.bias, norm.eps)  # type: ignore[no-untyped-call]
    update_running(norm, mean, variance, x.numel() // x.shape[1])
    result: torch.Tensor = y
    return result


def update_running(norm: nn.BatchNorm2d, mean: torch.Tensor, variance: torch.Tensor, count: int) -> None:
    """Update the running statistics by those of `count` values per channel."""
    assert norm.running_mean is not None
    assert norm.running_var is not None
    assert norm.num_batches_tracked is not None
    assert norm.momentum is not None
    with torch.no_grad():
        norm.num_batches_tracked.add_(1)
        norm.running_mean.lerp_(mean, norm.momentum)
        norm.running_var.lerp_(variance * (count / (count - 1)), norm.momentum)


def _suits(norm: nn.BatchNorm2d, x: torch.Tensor) -> bool:
    """Whether the core can do it."""
    return (
        norm.training
        and x.device.type == "cpu"
        and x.dtype == torch.float32 == norm.weight.dtype
        and x.numel() > x.shape[1]
        and not torch.is_autocast_enabled("cpu")
        and not torch.compiler.is_compiling()
        and not torch.onnx.is_in_onnx_export()
    )


class _NormRelu(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, epsilon: float
    ) -> tuple[torch.Tensor, ...]:
        x = channels_last(x)
        y, mean, variance = torch.empty_like(x), torch.empty_like(weight), torch.empty_like(bias)
        parameters = (weight.detach().numpy(), bias.detach().numpy(), epsilon)
        _core.norm_relu_forward(_flat(x), *parameters, _flat(y), mean.numpy(), variance.numpy())
        ctx.save_for_backward(x, weight, bias, mean, variance)
        ctx.epsilon = epsilon
        ctx.mark_non_differentiable(mean, variance)
        return y, mean, variance

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        dy = channels_last(gradients[0])
        x, *parameters = ctx.saved_tensors
        weight, bias, mean, variance = (one.detach().numpy() for one in parameters)
        dx, dweight, dbias = torch.empty_like(x), torch.empty_like(parameters[0]), torch.empty_like(parameters[1])
        _core.norm_relu_backward(
            _flat(x), weight, bias, ctx.epsilon, mean, variance, _flat(dy), _flat(dx), dweight.numpy(), dbias.numpy()
        )
        return dx, dweight, dbias, None


def _flat(tensor: torch.Tensor) -> Any:
    """[n * cells, channels]: the memory of a tensor whose channels are last, as an array."""
    return rows(tensor).reshape(-1, tensor.shape[1])
