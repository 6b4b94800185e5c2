"""One net for each stage of the game: "factorization by game course" (Liskowski et al. 2018, section VIII).

The moves of a game are cut into stages of equal length (1-15, 16-30, 31-45 and 46-60 for four stages of Othello). The
number of stones gives the stage, so a batch is split by it and each net sees only its own positions.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from zeroply.nets.modules.parts import CELL_BITS, Module


class Staged(Module):
    """Evaluates each position with the net of its stage."""

    def __init__(self, nets: Sequence[Module], first_stones: int, moves: int) -> None:
        """`first_stones` are on the board at the start, `moves` is the number of moves in a game."""
        super().__init__()
        self.nets = nn.ModuleList(nets)
        self.inputs = nets[0].inputs
        self.first_stones, self.moves = first_stones, moves

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        """[n, outputs]."""
        if inputs[0].is_meta:  # only shapes and costs are wanted: a position goes through one net
            one: torch.Tensor = self.nets[0](*inputs)
            return one
        stage = self.stage(*inputs)
        if (
            torch.compiler.is_exporting() or torch.onnx.is_in_onnx_export()
        ):  # no branches in a graph: compute all, then pick
            every = torch.stack([net(*inputs) for net in self.nets])
            wanted = stage[None, :, None].expand(1, -1, every.shape[2])
            return every.gather(0, wanted)[0]
        parts, rows = [], []
        for number, net in enumerate(self.nets):
            mine = torch.nonzero(stage == number)[:, 0]
            if len(mine):
                twice = mine.repeat(2) if self.training and len(mine) == 1 else mine  # one row has no variance
                parts.append(net(*(one[twice] for one in inputs))[: len(mine)])
                rows.append(mine)
        return torch.cat(parts)[torch.argsort(torch.cat(rows))]

    def stage(self, *inputs: torch.Tensor) -> torch.Tensor:
        """[n]: the number of the stage of each position, from 0."""
        if self.inputs == "planes":
            stones = inputs[0][:, :2].sum(dim=(1, 2, 3)).long()
        else:
            both = inputs[0] + inputs[1]  # no cell has two stones
            stones = (both[:, None] & CELL_BITS.to(both.device)).ne(0).sum(dim=1)
        played = (stones - self.first_stones).clamp(0, self.moves - 1)
        return torch.div(played * len(self.nets), self.moves, rounding_mode="floor")
