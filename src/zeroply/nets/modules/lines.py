"""The `lines` nets in torch, for training; `zeroply.nets.lines` describes them.

Activations are [8, n, channels]: one part for each image of the board, or, between the two changes of basis of a layer,
one for each function of the image.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import torch
from torch import nn

from zeroply.nets.board_images import IMAGES, fourier, sources
from zeroply.nets.encodings import Inputs
from zeroply.nets.graph import EPSILON
from zeroply.nets.lines import ENTRIES, OUTPUT_CELLS, PATTERNS, SIZE, output_places
from zeroply.nets.modules.parts import CELL_BITS, Module, PatternTable

_CELLS = SIZE * SIZE


class EquivariantLinear(nn.Module):
    """An equivariant linear layer in the Fourier basis, see `zeroply.nets.board_images`."""

    def __init__(self, before: int, after: int) -> None:
        super().__init__()
        self.signs = nn.ModuleList(nn.Linear(before, after, bias=False) for _ in range(4))
        self.pairs = nn.Linear(2 * before, 2 * after, bias=False)

    def forward(self, waves: torch.Tensor) -> torch.Tensor:
        """[8, n, after] from [8, n, before]."""
        parts = waves.unbind(0)
        results = [layer(part) for layer, part in zip(self.signs, parts[:4], strict=True)]
        for first in (4, 6):
            results += self.pairs(torch.cat(parts[first : first + 2], dim=1)).chunk(2, dim=1)
        return torch.stack(results)


class Lines(Module):
    """A table of pattern contents, symmetric layers with batch normalisation, and an output for each move."""

    inputs: Inputs = "bits"
    basis: torch.Tensor
    digits: torch.Tensor
    moves: torch.Tensor
    bits: torch.Tensor
    firsts: torch.Tensor

    def __init__(self, embedding: int, widths: list[int]) -> None:
        super().__init__()
        sizes = [embedding * len(PATTERNS), *widths]
        self.table = PatternTable(ENTRIES, embedding)
        self.layers = nn.ModuleList(EquivariantLinear(a, b) for a, b in pairwise(sizes))
        self.norms = nn.ModuleList(nn.BatchNorm1d(width, eps=EPSILON) for width in widths)
        self.last = EquivariantLinear(sizes[-1], len(OUTPUT_CELLS))
        self.bias = nn.Parameter(torch.zeros(len(OUTPUT_CELLS)))
        for name, array in (("basis", fourier()), ("digits", _digits()), ("moves", _moves())):
            self.register_buffer(name, torch.from_numpy(array.astype(np.float32)), persistent=False)
        self.register_buffer("bits", CELL_BITS, persistent=False)
        firsts = np.cumsum([0, *(3 ** len(cells) for cells in PATTERNS)])[:-1]
        self.register_buffer("firsts", torch.from_numpy(firsts), persistent=False)

    def forward(self, own: torch.Tensor, opponent: torch.Tensor) -> torch.Tensor:
        """[n, 60] logits from bitboards."""
        n = own.shape[0]  # not len, which would be a constant when the net is exported
        x = self.table(self.contents(own, opponent)).reshape(IMAGES, n, -1)
        for layer, norm in zip(self.layers, self.norms, strict=True):
            y = self._images(layer(self._waves(x)))
            x = torch.relu(norm(y.reshape(IMAGES * n, -1))).reshape(IMAGES, n, -1)
        y = self._images(self.last(self._waves(x))) + self.bias
        return torch.bmm(y, self.moves).sum(0)

    def contents(self, own: torch.Tensor, opponent: torch.Tensor) -> torch.Tensor:
        """[8, n, patterns]: the row of the table for each pattern in each image."""
        mine, theirs = ((stones[:, None] & self.bits).ne(0).to(self.digits.dtype) for stones in (own, opponent))
        with torch.autocast(own.device.type, enabled=False):  # bf16 would round the numbers of rows
            contents = torch.matmul(mine + 2 * theirs, self.digits)
        return contents.round().long() + self.firsts

    def _waves(self, images: torch.Tensor) -> torch.Tensor:
        return torch.mm(self.basis, images.reshape(IMAGES, -1)).view(images.shape)

    def _images(self, waves: torch.Tensor) -> torch.Tensor:
        return torch.mm(self.basis.T, waves.reshape(IMAGES, -1)).view(waves.shape)


def _digits() -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """[8, cells, patterns]: what a disc on each cell of the board adds to the content of each pattern of each image."""
    digits = np.zeros((IMAGES, _CELLS, len(PATTERNS)))
    for image in range(IMAGES):
        for number, cells in enumerate(PATTERNS):
            digits[image, sources(SIZE)[image, list(cells)], number] = 3.0 ** np.arange(len(cells))
    return digits


def _moves() -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """[8, outputs, 60]: weights by which a move's logit is the mean of outputs of the images."""
    moves = np.zeros((IMAGES, len(OUTPUT_CELLS), _CELLS))
    for image, places in enumerate(output_places()):
        moves[image, np.arange(len(places)), places] = 1
    moves /= np.maximum(moves.sum(axis=(0, 1)), 1)
    return np.delete(moves, [27, 28, 35, 36], axis=2)
