"""The batches of a training.

A source is a pure function from the number of a step to a batch, so a resumed training gets the same batches. Expert
moves are drawn from a folder of examples; a share of each batch can come from the first moves of games, and every
second batch from judged positions instead.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.errors import ZeroplyError
from zeroply.games import from_bits
from zeroply.learning.imitation.judging import JudgedPositions
from zeroply.learning.imitation.openings import opening_rows
from zeroply.nets.encodings import playable
from zeroply.nets.torch_net import TorchNet

if TYPE_CHECKING:
    from zeroply.examples import Examples, Split
    from zeroply.learning.imitation.config import TrainConfig


@dataclass(frozen=True)
class TrainBatch:
    """The examples of one step."""

    inputs: tuple[NDArray[Any], ...]
    """Arguments of the module: planes, or own and opposing bitboards."""
    targets: NDArray[Any]
    """Numbers of the moves among the outputs [n] int64, or the cost of every move [n, outputs] float32, in discs."""


class BatchSource(Protocol):
    """Batches by number of the step."""

    def from_step(self, step: int) -> Iterator[TrainBatch]:
        """The batches from a step on, endless."""


class ExpertMoves:
    """Expert moves from a folder of examples; members of a bag get a bootstrap sample each, by their key."""

    def __init__(
        self, data: Examples, rows: NDArray[np.uint32], net: TorchNet, key: int, batch: int, symmetries: bool, bag: bool
    ) -> None:
        from zeroply.examples.boards import loader

        self._bits = net.module.inputs == "bits"
        self._loader = loader(
            data,
            rows,
            batch=batch,
            encoding=net.planes,
            seed=key,
            symmetries=symmetries,
            replacement=bag,
        )
        self._outputs = np.full(net.game.cells, -1, np.int64)
        self._outputs[playable(net.game)] = np.arange(len(playable(net.game)))

    def from_step(self, step: int) -> Generator[TrainBatch]:
        """The batches from a step on, endless."""
        if self._bits:
            for own, opponent, moves in self._loader.from_step(step, bits=True):
                yield TrainBatch((own.view(np.int64), opponent.view(np.int64)), self._outputs[moves])
        else:
            for planes, moves in self._loader.from_step(step):
                yield TrainBatch((planes,), self._outputs[moves])


class ExpertsAndOpenings:
    """Expert moves, and in each batch a share from the openings of the same games."""

    def __init__(self, experts: ExpertMoves, openings: ExpertMoves) -> None:
        self._experts, self._openings = experts, openings

    def from_step(self, step: int) -> Generator[TrainBatch]:
        """The batches from a step on, endless."""
        with closing(self._experts.from_step(step)) as experts, closing(self._openings.from_step(step)) as openings:
            for one, other in zip(experts, openings, strict=True):
                inputs = zip(one.inputs, other.inputs, strict=True)
                targets = np.concatenate((one.targets, other.targets))
                yield TrainBatch(tuple(np.concatenate(pair) for pair in inputs), targets)


class JudgedMoves:
    """Costs of all moves in judged positions."""

    def __init__(self, config: TrainConfig, data: Examples, net: TorchNet, key: int) -> None:
        self._sets = open_judged(config, data)
        self._net, self._batch, self._key = net, config.batch, chance.key(key, "judged")

    def batch(self, step: int) -> TrainBatch:
        """Positions drawn with replacement, under one random symmetry for the whole batch."""
        key = chance.key(self._key, step)
        drawn = np.sort(chance.below(sum(map(len, self._sets)), key, np.arange(self._batch)))
        ends = np.cumsum([len(one) for one in self._sets])
        parts = np.split(drawn, np.searchsorted(drawn, ends[:-1]))
        located = [(one, rows - end + len(one)) for one, rows, end in zip(self._sets, parts, ends, strict=True)]
        own, opponent = (
            np.concatenate([getattr(one, side)[rows] for one, rows in located]) for side in ("own", "opponent")
        )
        positions = from_bits(self._net.game, own, opponent)
        image = int(chance.below(len(self._net.game.symmetries), key, [self._batch])[0])
        moves = playable(self._net.game)
        costs = np.full((self._batch, self._net.game.cells), np.inf, np.float32)
        costs[:, self._net.game.symmetries[image][moves]] = np.concatenate([one.costs(rows) for one, rows in located])
        return TrainBatch(self._net.inputs(positions.symmetry(image)), costs[:, moves])


class ExpertsAndJudge:
    """Expert moves in one step, judged positions in the next."""

    def __init__(self, experts: ExpertMoves | ExpertsAndOpenings, judged: JudgedMoves) -> None:
        self._experts, self._judged = experts, judged

    def from_step(self, step: int) -> Iterator[TrainBatch]:
        """The batches from a step on, endless."""
        with closing(self._experts.from_step((step + 1) // 2)) as experts:
            for number in count(step):
                yield self._judged.batch(number // 2) if number % 2 else next(experts)


def source(config: TrainConfig, data: Examples, rows: NDArray[np.uint32], net: TorchNet, key: int) -> BatchSource:
    """The source for a configuration."""
    share, bag = config.opening_examples, config.bag > 0
    experts: ExpertMoves | ExpertsAndOpenings
    experts = ExpertMoves(data, rows, net, key, config.batch - share, config.symmetries, bag)
    if share:
        original, _ = data.original()
        first = opening_rows(original, original.side(split_of(config), "train"))
        images = config.symmetries or data.symmetric
        openings = ExpertMoves(original, first, net, chance.key(key, "openings"), share, images, bag)
        experts = ExpertsAndOpenings(experts, openings)
    return ExpertsAndJudge(experts, JudgedMoves(config, data, net, key)) if config.judged else experts


def open_judged(config: TrainConfig, data: Examples) -> list[JudgedPositions]:
    """The judged positions of a training; they must come from its own training part."""
    judged_sets = [JudgedPositions.open(folder) for folder in config.judged]
    for folder, judged in zip(config.judged, judged_sets, strict=True):
        its = judged.config
        if judged.digest != data.digest:
            raise ZeroplyError(f"{folder} has positions of other examples than {config.data}: judge again")
        if its.split == "position" and its.dataset != config.dataset:  # the split of each set is drawn by itself
            raise ZeroplyError(
                f"{folder} has positions of {its.dataset}, but this training uses {config.dataset}, which is split by "
                "position differently: judge again or split by game"
            )
        if (its.split, its.test, its.split_seed) != (config.split, config.test, config.split_seed):
            raise ZeroplyError(
                f"{folder} has positions of another split (by {its.split}, test {its.test}, seed {its.split_seed}), "
                "so it may hold test positions of this training: judge again or train with that split"
            )
    return judged_sets


def open_examples(config: TrainConfig) -> tuple[Examples, Split]:
    """The examples of a training and their split."""
    from zeroply.examples import Examples

    return Examples.open(config.data, config.dataset), split_of(config)


def split_of(config: TrainConfig) -> Split:
    """The split of a training."""
    from zeroply.examples import Split

    return Split(by=config.split, test=config.test, seed=config.split_seed)
