"""The symmetry group of a square board, and the basis in which equivariant layers are block-diagonal.

A net is equivariant (its output turns with the board) if its layers are convolutions over the group of eight
symmetries. In the basis below, the group's Fourier transform, such a layer consists of four small matrices and one that
is used twice: about a fifth of the multiplications of a full matrix.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from zeroply.games.definition import square_symmetries

IMAGES = 8


@cache
def sources(size: int) -> NDArray[np.int64]:
    """[8, cells]: image g of a board has on each cell what the board has on this one; numbered as `Game.symmetries`."""
    return np.argsort(square_symmetries(size), axis=1)


@cache
def fourier() -> NDArray[np.float64]:
    """[8, 8]: rows are orthonormal functions of the image.

    Rows 0 to 3 are the four signs that turning and mirroring can have; rows 4 to 7 are the entries [i, j] of the 2x2
    matrices by which images move directions. Layers that respect the symmetries mix rows 4, 5 and rows 6, 7, both
    pairs in the same way, and leave all others apart.
    """
    matrices = np.array([_matrix(g) for g in range(IMAGES)])
    mirrored = np.round(np.linalg.det(matrices))
    transposed = np.where(np.arange(IMAGES) & 4, -1.0, 1.0)
    signs = np.stack([np.ones(IMAGES), mirrored, transposed, mirrored * transposed])
    directions = matrices.reshape(IMAGES, 4).T
    return np.concatenate([signs / np.sqrt(8), directions / 2])


def _matrix(g: int) -> NDArray[np.float64]:
    """How image g moves (row, column), seen from the middle of the board: from a cell of the image to its source."""
    flip = np.diag([-1.0 if g & 2 else 1.0, -1.0 if g & 1 else 1.0])
    return flip @ np.array([[0.0, 1.0], [1.0, 0.0]]) if g & 4 else flip


def corner_cells(size: int) -> NDArray[np.int64]:
    """One cell for each class of cells that are images of one another: a triangle of the top left quarter."""
    half = (size + 1) // 2
    return np.array([row * size + column for row in range(half) for column in range(row, half)])
