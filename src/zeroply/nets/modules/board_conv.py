"""A 3x3 convolution that is fast on boards of 8x8: Winograd's algorithm in the core, with gradients.

On a CPU it is faster than torch's own convolution, which it equals to about 1e-5. Torch does everything else: GPUs,
other board sizes, strides, exports. Under autocast to bfloat16 the core multiplies rounded numbers, on processors that
can; elsewhere torch does it.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from zeroply import _core

SIDE = 8
"""Side of the boards that the core convolves."""
FEWEST_CHANNELS = 8
"""With fewer input channels than this torch is faster."""


class BoardConv(nn.Conv2d):
    """A 3x3 convolution with zero padding; weights and results are those of `nn.Conv2d`."""

    def __init__(self, before: int, after: int, stride: int = 1, bias: bool = False) -> None:
        super().__init__(before, after, 3, stride, padding=1, bias=bias)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """[n, after, side / stride, side / stride] from [n, before, side, side]."""
        if not self._suits(input):
            return super().forward(input)
        result: torch.Tensor = _Convolution.apply(input, self.weight, self.bias)  # type: ignore[no-untyped-call]
        return result

    def _suits(self, x: torch.Tensor) -> bool:
        """Whether the core can do it, and faster."""
        return (
            core_trains(x)
            and self.weight.dtype == torch.float32
            and self.stride == (1, 1)
            and self.in_channels >= FEWEST_CHANNELS
        )


def core_trains(x: torch.Tensor) -> bool:
    """Whether the core can convolve these boards, in the precision that is chosen."""
    return (
        x.device.type == "cpu"
        and x.dtype == torch.float32
        and tuple(x.shape[2:]) == (SIDE, SIDE)
        and len(x) > 0
        and (not torch.is_autocast_enabled("cpu") or bfloat())
        and not torch.compiler.is_compiling()
        and not torch.onnx.is_in_onnx_export()
    )


def bfloat() -> bool:
    """Whether the core multiplies numbers rounded to bfloat16: under autocast to it, if the processor can."""
    return torch.is_autocast_enabled("cpu") and torch.get_autocast_dtype("cpu") == torch.bfloat16 and _core.has_bfloat()


class _Convolution(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
        x, weight = channels_last(x), channels_last(weight)
        y = torch.empty((len(x), len(weight), SIDE, SIDE), memory_format=torch.channels_last)
        _core.conv3_forward(rows(x), rows(weight), None if bias is None else bias.detach().numpy(), bfloat(), rows(y))
        ctx.bfloat = bfloat()
        ctx.save_for_backward(x, weight)
        return y

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        (dy,) = map(channels_last, gradients)
        x, weight = ctx.saved_tensors
        for_x, for_weight, for_bias = ctx.needs_input_grad
        dx = torch.empty_like(x) if for_x else None
        dw = torch.empty_like(weight) if for_weight else None
        _core.conv3_backward(
            rows(x),
            rows(weight),
            rows(dy),
            ctx.bfloat,
            None if dx is None else rows(dx),
            None if dw is None else rows(dw),
        )
        return dx, dw, dy.sum(dim=(0, 2, 3)) if for_bias else None


def channels_last(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor with channels last in memory."""
    return tensor.contiguous(memory_format=torch.channels_last)


def rows(tensor: torch.Tensor) -> Any:
    """[n, cells, channels]: the memory of a tensor whose channels are last, as an array."""
    n, channels = tensor.shape[:2]
    return tensor.detach().permute(0, 2, 3, 1).reshape(n, -1, channels).numpy()
