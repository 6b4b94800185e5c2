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


def sigmoid(x: Array) -> Array:
    """From 0 to 1."""
    return np.asarray(0.5 + 0.5 * np.tanh(0.5 * x))


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


def lstm_step(
    inputs: Array, parts: Mapping[str, Array], row: int, column: int, units: Array, states: Array
) -> tuple[Array, Array]:
    """[k] each: output and state of LSTM cells at a cell, given those before in the same sweep from the top left."""
    missing_unit, missing_state = parts["border"]
    above, above_state = (units[row - 1, column], states[row - 1, column]) if row else (missing_unit, missing_state)
    left, left_state = (units[row, column - 1], states[row, column - 1]) if column else (missing_unit, missing_state)
    to_input, to_output, to_candidate, to_forget = (
        weights @ inputs[row, column] + bias for weights, bias in zip(parts["input"], parts["bias"], strict=True)
    )
    of_input, of_output, of_candidate, of_own, of_other = parts["hidden"]
    see_input, see_forget, see_output = parts["peephole"]
    let_in = sigmoid(to_input + of_input @ (above + left) + see_input * (above_state + left_state))
    keep_above = sigmoid(to_forget + of_own @ above + of_other @ left + see_forget * above_state)
    keep_left = sigmoid(to_forget + of_own @ left + of_other @ above + see_forget * left_state)
    candidate = np.tanh(to_candidate + of_candidate @ (above + left))
    state = let_in * candidate + keep_above * above_state + keep_left * left_state
    let_out = sigmoid(to_output + of_output @ (above + left) + see_output * state)
    return np.asarray(let_out * np.tanh(state)), state


def sweep(inputs: Array, parts: Mapping[str, Array]) -> Array:
    """[size, size, k]: one sweep from the top left."""
    size, k = len(inputs), parts["hidden"].shape[-1]
    units, states = np.zeros((size, size, k)), np.zeros((size, size, k))
    for row in range(size):
        for column in range(size):
            if "peephole" in parts:
                at = lstm_step(inputs, parts, row, column, units, states)
                units[row, column], states[row, column] = at
            else:
                units[row, column] = step(inputs, parts, row, column, units)
    return units


def layer(inputs: list[Array], parts: Mapping[str, Array]) -> list[Array]:
    """[4] maps of units by board cell, from four maps of inputs by board cell."""
    return [views(sweep(views(seen)[s], parts))[s] for s, seen in enumerate(inputs)]


def stacked(units: list[Array]) -> list[Array]:
    """The inputs of the next layer's sweeps: same direction, the two mirrored in one axis, opposite."""
    return [np.concatenate([units[s], units[s ^ 1] + units[s ^ 2], units[s ^ 3]], axis=-1) for s in range(4)]


def by_distance(parts: Mapping[str, Array]) -> bool:
    """Whether the net has border vectors by distance."""
    lstm = any(name.startswith("peephole") for name in parts)
    return not lstm and parts.get("border", parts.get("border.0", np.zeros(0))).ndim == 2


def first_inputs(stones: NDArray[np.int8], parts: Mapping[str, Array], features: Array | None = None) -> Array:
    """[size, size, inputs]: what the first layer sees; with borders by distance opposing stones come first."""
    seen = planes(stones)[..., ::-1] if by_distance(parts) else planes(stones)
    return seen if features is None else np.concatenate([seen, np.moveaxis(features, 0, -1)], axis=-1)


def squashed(out: Array, parts: Mapping[str, Array]) -> Array:
    """The output of the net: with borders by distance it passes a sigmoid."""
    return sigmoid(out) if by_distance(parts) else out


def evaluate(
    stones: NDArray[np.int8], parts: Mapping[str, Array], layers: int = 1, features: Array | None = None
) -> tuple[Array, list[Array]]:
    """The sums over the sweeps [size, size] for a board, own stones 1, opposing -1, and the last layer's units [4]."""
    inputs = [first_inputs(stones, parts, features)] * 4
    units: list[Array] = []
    for number in range(layers):
        suffix = f".{number}" if layers > 1 else ""
        own = {name.removesuffix(suffix): part for name, part in parts.items() if name.endswith(suffix)}
        units = layer(inputs, own)
        inputs = stacked(units)
    return np.asarray(sum(u @ parts["output"] for u in units)), units


def perceptron(stones: NDArray[np.int8], parts: Mapping[str, Array]) -> Array:
    """[cells]: the outputs of an MLP."""
    own, opposing = stones.reshape(-1) == 1, stones.reshape(-1) == -1
    sums = parts["input_bias"] + own @ parts["input"][0] + opposing @ parts["input"][1]
    return np.asarray(sigmoid(sums) @ parts["output"] + parts["output_bias"])
