"""Batches for training, each a pure function of the seed and its step, so that a run resumes exactly at any step.

The order of an epoch is a permutation that is computed, not stored: nothing is shuffled in memory, and any batch of any
epoch is available directly. A background thread prepares batches ahead of the net.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator
from contextlib import suppress
from functools import lru_cache
from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zeroply import chance
from zeroply.errors import ZeroplyError
from zeroply.examples.dataset import CELL, WHITE_MOVES, Bits, Examples, blank
from zeroply.nets.encodings import encode, planes_of

Batch = tuple[NDArray[np.float32], NDArray[np.int64]]
"""Planes [b, planes, 8, 8] and moves [b]."""
BitBatch = tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.int64]]
"""Own discs, opposing discs and moves, each [b]."""
AHEAD = 16
"""Batches that the background thread prepares in advance."""
_TICK = 0.1  # seconds between checks of a waiting thread for the end


class Loader:
    """Draws batches from some rows of a dataset, epoch after epoch."""

    def __init__(
        self,
        data: Examples,
        rows: ArrayLike,
        *,
        batch: int = 512,
        encoding: str = "pieces",
        seed: int = 1,
        symmetries: bool | None = None,
        replacement: bool = False,
    ) -> None:
        """Draw batches of `batch` examples from `rows`; the last one of an epoch may be smaller.

        `symmetries` applies a random symmetry to every example; default: unless the dataset contains all images
        already, as the -s sets do. `replacement` replaces the rows by a bootstrap sample of the same size, fixed by the
        seed, for bagging.
        """
        self.data = data
        self.rows = data.numbers(rows)
        if not len(self.rows):
            raise ZeroplyError("no examples to draw batches from")
        if batch < 1:
            raise ZeroplyError(f"a batch needs at least one example, not {batch}")
        planes_of(encoding)  # raises for an unknown name
        self.size = batch
        self.encoding = encoding
        self.seed = seed
        self.symmetries = not data.symmetric if symmetries is None else symmetries
        self.replacement = replacement
        self._sample = chance.key(seed, "bootstrap")

    @property
    def steps_per_epoch(self) -> int:
        """Batches per epoch."""
        return -(-len(self.rows) // self.size)

    def batch(self, step: int) -> Batch:
        """The batch of a step: planes [b, planes, 8, 8] and the moves [b] that were played."""
        own, opponent, move = self._drawn(step)
        planes = encode(own, opponent, self.encoding, black=(move & WHITE_MOVES) == 0)
        return planes, (move & CELL).astype(np.int64)

    def bits(self, step: int) -> BitBatch:
        """The batch of a step as bit boards: own discs, opposing discs and moves, each [b]."""
        own, opponent, move = self._drawn(step)
        return own, opponent, (move & CELL).astype(np.int64)

    @overload
    def from_step(self, step: int, until: int | None = None, bits: Literal[False] = False) -> Generator[Batch]: ...
    @overload
    def from_step(self, step: int, until: int | None = None, *, bits: Literal[True]) -> Generator[BitBatch]: ...
    def from_step(self, step: int, until: int | None = None, bits: bool = False) -> Generator[Batch | BitBatch]:
        """The batches from a step on, prepared by a background thread; without `until` they never end.

        With `bits` they are bitboards as from `bits`, otherwise planes as from `batch`.
        """
        make: Callable[[int], Batch | BitBatch] = self.bits if bits else self.batch
        ready: queue.Queue[Batch | BitBatch | BaseException | None] = queue.Queue(AHEAD)
        stop = threading.Event()

        def put(item: Batch | BitBatch | BaseException | None) -> None:
            while not stop.is_set():
                with suppress(queue.Full):
                    ready.put(item, timeout=_TICK)
                    return

        def prepare() -> None:
            at = step
            try:
                while not stop.is_set() and (until is None or at < until):
                    put(make(at))
                    at += 1
                put(None)
            except BaseException as error:
                put(error)

        thread = threading.Thread(target=prepare, name="loader", daemon=True)
        thread.start()
        try:
            while (item := ready.get()) is not None:
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            stop.set()
            thread.join()

    def _drawn(self, step: int) -> Bits:
        if step < 0:
            raise ZeroplyError(f"steps are numbered from 0, not {step}")
        epoch, number = divmod(step, self.steps_per_epoch)
        begin = number * self.size
        out = blank(min(self.size, len(self.rows) - begin))
        order, images = epoch_keys(self.seed, epoch)
        try:
            self.data.core.draw(self.rows, order, self._sample, images, self.replacement, self.symmetries, begin, *out)
        except IndexError:
            raise ZeroplyError(f"the examples of {self.data.name} are numbered 0 to {len(self.data) - 1}") from None
        return out


@lru_cache(maxsize=64)
def epoch_keys(seed: int, epoch: int) -> tuple[int, int]:
    """The keys of the order and of the symmetries of an epoch."""
    return chance.key(seed, "order", epoch), chance.key(seed, "images", epoch)
