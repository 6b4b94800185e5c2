"""Dictionaries used as caches: they hold the most recent entries only, so no client can fill the memory."""

from __future__ import annotations

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def insert(cache: dict[K, V], key: K, value: V, limit: int) -> list[V]:
    """Make an entry the most recent one; remove and return the oldest entries beyond `limit`."""
    cache.pop(key, None)
    cache[key] = value
    return [cache.pop(oldest) for oldest in list(cache)[: max(0, len(cache) - limit)]]
