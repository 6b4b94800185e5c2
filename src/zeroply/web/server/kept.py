"""What is kept in memory only to save time: the latest few of a kind, so that nobody can fill the memory."""

from __future__ import annotations

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def keep(store: dict[K, V], key: K, value: V, most: int) -> list[V]:
    """Put a value at the end of a store and take out the oldest beyond `most`, which are returned."""
    store.pop(key, None)
    store[key] = value
    return [store.pop(oldest) for oldest in list(store)[: max(0, len(store) - most)]]
