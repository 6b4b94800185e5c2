"""Where the batches of a training come from.

A source is a pure function from the number of a step to a batch, so a resumed training sees what it would have seen.
The usual one draws expert moves from a folder of examples; another teacher needs only another source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from zeroply.errors import ZeroplyError
from zeroply.nets.encodings import playable
from zeroply.nets.torch_net import TorchNet

if TYPE_CHECKING:
    from zeroply.examples import Examples, Split
    from zeroply.learning.imitation.config import TrainConfig


@dataclass(frozen=True)
class Batch:
    """The examples of one step."""

    inputs: tuple[NDArray[Any], ...]
    """What the module is called with: planes, or own and opposing bitboards."""
    targets: NDArray[Any]
    """Numbers of the moves among the outputs [n] int64, or a share for every output [n, outputs] float32."""


class Source(Protocol):
    """Batches by number of the step."""

    @property
    def steps_per_epoch(self) -> int:
        """Steps in which every example is seen about once."""

    def from_step(self, step: int) -> Iterator[Batch]:
        """The batches from a step on, without end."""


class ExpertMoves:
    """Expert moves from a folder of examples; members of a bag see a bootstrap sample that their key names."""

    def __init__(self, config: TrainConfig, data: Examples, rows: NDArray[np.uint32], net: TorchNet, key: int) -> None:
        from zeroply.examples import Loader

        self._bits = net.module.inputs == "bits"
        self._loader = Loader(
            data,
            rows,
            batch=config.batch,
            encoding=net.planes,
            seed=key,
            symmetries=config.symmetries,
            replacement=config.bag > 0,
        )
        self._outputs = np.full(net.game.cells, -1, np.int64)
        self._outputs[playable(net.game)] = np.arange(len(playable(net.game)))

    @property
    def steps_per_epoch(self) -> int:
        """Steps in which every example is seen about once."""
        return self._loader.steps_per_epoch

    def from_step(self, step: int) -> Iterator[Batch]:
        """The batches from a step on, without end."""
        if self._bits:
            while True:
                own, opponent, moves = self._loader.bits(step)
                yield Batch((own.view(np.int64), opponent.view(np.int64)), self._outputs[moves])
                step += 1
        for planes, moves in self._loader.from_step(step):
            yield Batch((planes,), self._outputs[moves])


Teacher = Callable[["TrainConfig", "Examples", NDArray[np.uint32], TorchNet, int], Source]
"""Makes a source from a configuration, examples, their training rows, a net and a key for chance."""

TEACHERS: dict[str, Teacher] = {"expert": ExpertMoves}
"""The sources by name; another target is another entry."""


def source(config: TrainConfig, data: Examples, rows: NDArray[np.uint32], net: TorchNet, key: int) -> Source:
    """The source that a configuration names."""
    return teacher(config)(config, data, rows, net, key)


def teacher(config: TrainConfig) -> Teacher:
    """What makes the source that a configuration names."""
    if config.teacher not in TEACHERS:
        raise ZeroplyError(f"unknown teacher '{config.teacher}': there are {', '.join(sorted(TEACHERS))}")
    return TEACHERS[config.teacher]


def open_examples(config: TrainConfig) -> tuple[Examples, Split]:
    """The examples of a training and how they are split."""
    from zeroply.examples import Examples, Split

    return Examples.open(config.data, config.dataset), Split(by=config.split, test=config.test, seed=config.split_seed)
