"""What a fuzzer needs to know about something that reads what others wrote: valid inputs, and when one got past the
first stage.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import zeroply as zp
from fuzz_mutations import Mutate

Try = Callable[[bytes], bool]
"""Reads an input; whether it got past the first stage. Clean errors do not leave it."""


@dataclass
class Target:
    """Something that reads inputs."""

    seeds: list[bytes]
    """Valid inputs."""
    attempt: Try
    """What reads them."""
    words: list[bytes] = field(default_factory=list)
    """What its inputs are made of."""
    mutate: Mutate | None = None
    """A mutation of its own, used half of the time."""


def words_of(seeds: list[str]) -> list[bytes]:
    """The words in valid inputs."""
    return sorted({word.encode() for seed in seeds for word in seed.split() if len(word) < 30})


def sample_games(game: str, count: int = 2) -> list[zp.GameRecord]:
    """Starts of games, the first of them short."""
    found = zp.match("random", "random", game=game, games=2 * count, seed=1).records()
    return [
        zp.GameRecord(record.game, record.moves[: 5 + 12 * i], None, f"b{i}", "w", "e", "1999")
        for i, record in enumerate(found[:count])
    ]
