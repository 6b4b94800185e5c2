"""A spatial net written plainly in NumPy, node by node: what the core is held against."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zeroply.games import Positions
from zeroply.nets.spatial import SpatialNet


def output_sums(net: SpatialNet, vector: NDArray[np.float32], boards: NDArray[np.int8]) -> NDArray[np.float64]:
    """[n]: the sum of the output node for boards [n, 64] with 1 for Black's discs, -1 for White's."""
    part = {name: array.astype(np.float64) for name, array in net.parts(vector).items()}
    x = -boards.astype(np.float64)
    nodes, at = [], 0
    for squares, bias in zip(net.patterns, part["spatial.bias"], strict=True):
        nodes.append(np.tanh(x[:, squares] @ part["spatial"][at : at + len(squares)] + bias))
        at += len(squares)
    layer = np.stack(nodes, axis=1)
    layer = np.tanh(layer @ part["hidden"].T + part["hidden.bias"])
    layer = np.tanh(layer @ part["last"].T + part["last.bias"])
    sums = layer @ part["output"][0] + part["output.bias"][0]
    return np.asarray(sums + x.sum(axis=1) if net.discs else sums, np.float64)


def move_sums(net: SpatialNet, vector: NDArray[np.float32], positions: Positions) -> NDArray[np.float64]:
    """[n, 64]: the output node's sum for the board after each legal move as its mover sees it, -inf elsewhere."""
    out = np.full((len(positions), 64), -np.inf)
    rows, cells = np.nonzero(positions.legal())
    children = positions[rows]
    side = -children.to_move()  # Black's to_move is 1, and wants it low
    children.play(cells.astype(np.int32))
    out[rows, cells] = side * output_sums(net, vector, children.stones())
    return out


def move_values(net: SpatialNet, vector: NDArray[np.float32], positions: Positions) -> NDArray[np.float64]:
    """[n, 64]: the output for the board after each legal move as its mover sees it, -inf elsewhere."""
    sums = move_sums(net, vector, positions)
    return np.where(np.isfinite(sums), np.tanh(sums), -np.inf)
