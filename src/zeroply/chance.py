"""Counter-based random numbers: every draw is a pure function of a key and a counter.

A key names the decision (`key(seed, "match", game)`), never the thread that makes it, so the same seed gives the same
result with any number of threads, workers or interruptions. `core/chance.hpp` has the same functions in C++.
"""

import hashlib

import numpy as np
from numpy.typing import ArrayLike, NDArray

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_CHILD = np.uint64(0xD1B54A32D192ED03)


def key(seed: int, *path: int | str) -> int:
    """The 64-bit key for a seed and a path of numbers and words."""
    at = np.atleast_1d(np.uint64(int(seed) % 2**64))
    for part in path:
        if isinstance(part, str):
            part = int.from_bytes(hashlib.blake2b(part.encode(), digest_size=8).digest(), "little")
        at = keys(at, np.uint64(int(part) % 2**64))
    return int(at[0])


def keys(parent: ArrayLike, parts: ArrayLike) -> NDArray[np.uint64]:
    """Keys of the numbered children of `parent`, independent of the draws of `parent`."""
    return _mix(draw(parent, parts) ^ _CHILD)


def draw(keys: ArrayLike, counters: ArrayLike) -> NDArray[np.uint64]:
    """64 random bits for each key and counter."""
    at = np.atleast_1d(np.asarray(keys, np.uint64))
    step = np.atleast_1d(np.asarray(counters, np.uint64)) + np.uint64(1)
    return _mix(at + _GOLDEN * step)


def uniform(keys: ArrayLike, counters: ArrayLike) -> NDArray[np.float64]:
    """A number in [0, 1) for each key and counter."""
    return (draw(keys, counters) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def below(n: ArrayLike, keys: ArrayLike, counters: ArrayLike) -> NDArray[np.int64]:
    """A whole number from 0 to n - 1 (n below 2**32) for each key and counter."""
    high = draw(keys, counters) >> np.uint64(32)
    return (high * np.asarray(n, np.uint64) >> np.uint64(32)).astype(np.int64)


def normal(keys: ArrayLike, counters: ArrayLike) -> NDArray[np.float64]:
    """A draw from the standard normal distribution for each key and counter."""
    from zeroply import _core  # imported here: the instruction-set level may be chosen after this module is imported

    at, step = np.broadcast_arrays(np.atleast_1d(np.asarray(keys, np.uint64)), np.asarray(counters, np.uint64))
    out = np.empty(at.size)
    _core.normals(np.ascontiguousarray(at.reshape(-1)), np.ascontiguousarray(step.reshape(-1)), out)
    return out.reshape(at.shape)


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    x = x ^ (x >> np.uint64(30))
    x = x * np.uint64(0xBF58476D1CE4E5B9)
    x = x ^ (x >> np.uint64(27))
    x = x * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
