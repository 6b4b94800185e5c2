"""Mutations of valid inputs, for fuzzing: bytes, numbers, words, tokens, and pieces of two inputs put together."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

Mutate = Callable[[random.Random, bytes], bytes]
"""Changes an input."""

_NUMBER = re.compile(rb"-?[0-9]+")
NUMBERS = [b"0", b"1", b"-1", b"2", b"7", b"8", b"9", b"19", b"20", b"25", b"26", b"64", b"255", b"256", b"65536"]
NUMBERS += [b"2147483647", b"-2147483648", b"4294967296", b"99999999999999999999", b"1e9", b"0.5", b"nan", b"1" * 400]


def mutated(dice: random.Random, seeds: list[bytes], words: list[bytes]) -> bytes:
    """A seed with one to four changes."""
    data = dice.choice(seeds)
    for _ in range(dice.choice((1, 1, 1, 2, 3, 4))):
        data = _CHANGES[dice.randrange(len(_CHANGES))](dice, data, seeds, words)
    return data


def _span(dice: random.Random, data: bytes, longest: int = 16) -> tuple[int, int]:
    low = dice.randrange(len(data) + 1)
    return low, min(len(data), low + dice.randrange(1, longest))


def _flip(dice: random.Random, data: bytes, seeds: list[bytes], words: list[bytes]) -> bytes:
    if not data:
        return b"\0"
    at = dice.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << dice.randrange(8))]) + data[at + 1 :]


def _byte(dice: random.Random, data: bytes, seeds: list[bytes], words: list[bytes]) -> bytes:
    low, _ = _span(dice, data)
    return data[:low] + bytes([dice.randrange(256)]) + data[low + dice.randrange(2) :]


def _delete(dice: random.Random, data: bytes, seeds: list[bytes], words: list[bytes]) -> bytes:
    low, high = _span(dice, data)
    return data[:low] + data[high:]


def _repeat(dice: random.Random, data: bytes, seeds: list[bytes], words: list[bytes]) -> bytes:
    low, high = _span(dice, data, 40)
    return data[:high] + data[low:high] * dice.choice((1, 1, 2, 20)) + data[high:]


def _number(dice: random.Random, data: bytes, seeds: list[bytes], words: list[bytes]) -> bytes:
    found = list(_NUMBER.finditer(data))
    if not found:
        return data + dice.choice(NUMBERS)
    where = dice.choice(found)
    return data[: where.start()] + dice.choice(NUMBERS) + data[where.end() :]


def _word(dice: random.Random, data: bytes, seeds: list[bytes], words: list[bytes]) -> bytes:
    low, high = _span(dice, data)
    return data[:low] + dice.choice(words or NUMBERS) + data[dice.choice((low, high)) :]


def _splice(dice: random.Random, data: bytes, seeds: list[bytes], words: list[bytes]) -> bytes:
    other = dice.choice(seeds)
    low, high = _span(dice, other, 60)
    at = dice.randrange(len(data) + 1)
    return data[:at] + other[low:high] + data[at:]


def _cut(dice: random.Random, data: bytes, seeds: list[bytes], words: list[bytes]) -> bytes:
    return data[: dice.randrange(len(data) + 1)]


_TOKEN = re.compile(rb"\w+|\s+|.", re.DOTALL)


def tokens(seeds: list[bytes], keep: int) -> Mutate:
    """Exchange, drop, double and insert whole words and signs, but for the first ones."""
    known = sorted({token for seed in seeds for token in _TOKEN.findall(seed)})

    def mutate(dice: random.Random, data: bytes) -> bytes:
        tokens = _TOKEN.findall(data)
        for _ in range(dice.choice((1, 1, 2, 3))):
            at = dice.randrange(min(keep, len(tokens)), len(tokens) + 1)
            new = dice.choice(known) if dice.random() < 0.6 else dice.choice(NUMBERS)
            tokens[at : at + dice.randrange(2)] = dice.choice(([new], [b" ", new], [], tokens[at : at + 2]))
        return b"".join(tokens)

    return mutate


_CHANGES = (_flip, _byte, _delete, _repeat, _number, _word, _splice, _cut)
