"""MDRNNs written plainly in NumPy, in double precision: cell by cell, one sweep after the other."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def views(board: Array) -> list[Array]:
    """A map [size, size, ...] as the four sweeps see it: each begins in its own corner; mirroring back is the same."""
    return [board, board[:, ::-1], board[::-1], board[::-1, ::-1]]


def planes(stones: NDArray[np.int8]) -> Array:
    """[size, size, 2]: own stones and opposing stones of a board [size, size] with own stones 1 and opposing -1."""
    return np.stack([stones == 1, stones == -1], axis=-1).astype(np.float64)


def step(inputs: Array, parts: Mapping[str, Array], row: int, column: int, units: Array) -> Array:
    """[k]: what tanh units say at a cell, given what they said before in the same sweep from the top left."""
    sums = parts["input"] @ inputs[row, column]
    sums = sums + (parts["hidden"] @ units[row - 1, column] if row else _missing(parts, column, len(inputs)))
    sums = sums + (parts["hidden"] @ units[row, column - 1] if column else _missing(parts, row, len(inputs)))
    return np.asarray(np.tanh(sums))


def _missing(parts: Mapping[str, Array], along: int, size: int) -> Array:
    """What a missing neighbour adds: the one border vector in its place, or one by distance from the corner."""
    border = parts["border"]
    if border.ndim == 1:
        return np.asarray(parts["hidden"] @ border)
    return np.asarray(border[min(along, size - 1 - along, len(border) - 1)])


def sweep(inputs: Array, parts: Mapping[str, Array]) -> Array:
    """[size, size, k]: one sweep from the top left."""
    size = len(inputs)
    units = np.zeros((size, size, len(parts["hidden"])))
    for row in range(size):
        for column in range(size):
            units[row, column] = step(inputs, parts, row, column, units)
    return units


def layer(inputs: list[Array], parts: Mapping[str, Array]) -> list[Array]:
    """[4] maps of units by board cell, from four maps of inputs by board cell."""
    return [views(sweep(views(seen)[s], parts))[s] for s, seen in enumerate(inputs)]


def stacked(units: list[Array]) -> list[Array]:
    """The inputs of the next layer's sweeps: same direction, the two mirrored in one axis, opposite."""
    return [np.concatenate([units[s], units[s ^ 1] + units[s ^ 2], units[s ^ 3]], axis=-1) for s in range(4)]


def first_inputs(stones: NDArray[np.int8], parts: Mapping[str, Array]) -> Array:
    """[size, size, inputs]: what the first layer sees; with several border vectors opposing stones come first."""
    border = parts.get("border", parts.get("border.0"))
    return planes(stones)[..., ::-1] if border is not None and border.ndim == 2 else planes(stones)


def squashed(out: Array, parts: Mapping[str, Array]) -> Array:
    """The output of the net: with several border vectors it passes a sigmoid."""
    border = parts.get("border", parts.get("border.0"))
    return 1 / (1 + np.exp(-out)) if border is not None and border.ndim == 2 else out


def evaluate(stones: NDArray[np.int8], parts: Mapping[str, Array], layers: int = 1) -> tuple[Array, list[Array]]:
    """The output map [size, size] of a board, own stones 1, opposing -1, and the units of the last layer's sweeps."""
    inputs = [first_inputs(stones, parts)] * 4
    units: list[Array] = []
    for number in range(layers):
        suffix = f".{number}" if layers > 1 else ""
        own = {name.removesuffix(suffix): part for name, part in parts.items() if name.endswith(suffix)}
        units = layer(inputs, own)
        inputs = stacked(units)
    return squashed(np.asarray(sum(u @ parts["output"] for u in units)), parts), units


def perceptron(stones: NDArray[np.int8], parts: Mapping[str, Array]) -> Array:
    """[cells]: the outputs of an MLP."""
    own, opposing = stones.reshape(-1) == 1, stones.reshape(-1) == -1
    sums = parts["input_bias"] + own @ parts["input"][0] + opposing @ parts["input"][1]
    return np.asarray((1 / (1 + np.exp(-sums))) @ parts["output"] + parts["output_bias"])
