"""Normal draws and self-adaptive mutation in the core, against their formulas in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from zeroply import _core, chance


def twin(keys: NDArray[np.uint64], counters: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Box and Muller: the upper half of a draw makes the radius, the lower half the angle."""
    bits = chance.draw(keys, counters)
    radius = np.sqrt(-2.0 * np.log(((bits >> np.uint64(32)).astype(np.float64) + 0.5) * 2.0**-32))
    return np.asarray(radius * np.cos((bits & np.uint64(0xFFFFFFFF)).astype(np.float64) * (2.0**-32 * 2.0 * np.pi)))


def test_normal_draws_follow_their_formula() -> None:
    counters = np.arange(100_001, dtype=np.uint64)
    drawn = chance.normal(7, counters)
    np.testing.assert_allclose(drawn, twin(np.uint64(7), counters), rtol=0, atol=1e-13)  # type: ignore[arg-type]
    assert drawn.mean() == pytest.approx(0, abs=0.01)
    assert drawn.std() == pytest.approx(1, abs=0.01)
    assert (np.abs(drawn) < 1.959964).mean() == pytest.approx(0.95, abs=0.003)


def test_normal_draws_take_keys_and_counters_as_other_draws_do() -> None:
    keys = chance.keys(1, np.arange(3))
    table = chance.normal(keys[:, None], np.arange(5))
    assert table.shape == (3, 5)
    assert table[2, 4] == chance.normal(keys[2], 4)[0]
    assert chance.normal(keys, 3).shape == (3,)


@pytest.mark.parametrize("one_draw", [False, True])
def test_mutation_follows_its_formula(one_draw: bool) -> None:
    draw = np.random.default_rng(1)
    weights = draw.normal(size=(3, 1001)).astype(np.float32)
    steps = draw.uniform(0.01, 0.1, size=(3, 1001)).astype(np.float32)
    parents = np.array([2, 0, 2, 1], np.int32)
    keys = chance.keys(9, np.arange(4))
    child_weights, child_steps = np.empty((4, 1001), np.float32), np.empty((4, 1001), np.float32)
    _core.mutate(weights, steps, parents, keys, 0.08535, one_draw, child_weights, child_steps)
    first = chance.normal(keys[:, None], 2 * np.arange(1001))
    second = first if one_draw else chance.normal(keys[:, None], 2 * np.arange(1001) + 1)
    expected = steps[parents] * np.exp(0.08535 * first)
    np.testing.assert_allclose(child_steps, expected, rtol=1e-6)
    np.testing.assert_allclose(child_weights, weights[parents] + expected * second, atol=1e-6)


def test_mutation_refuses_a_parent_that_is_not_there() -> None:
    one = np.zeros((1, 5), np.float32)
    with pytest.raises(IndexError, match="parent is out of range"):
        _core.mutate(one, one, np.array([1], np.int32), np.zeros(1, np.uint64), 0.1, False, one.copy(), one.copy())
