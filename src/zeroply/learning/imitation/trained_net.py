"""What trainings by gradient descent share: they write one net file, and their result is its path."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import ClassVar, TypeVar

from zeroply.runs.experiment import Experiment
from zeroply.runs.files import Json
from zeroply.runs.record import RunRecord
from zeroply.runs.run import Run

NET = "net.safetensors"
"""The file of the trained net in its run folder."""
C = TypeVar("C")


class TrainedNet(Experiment[C, Path]):
    """An experiment that trains one net."""

    checkpoint_seconds: ClassVar[float] = 60.0  # weights and optimizer can be 100 MB

    @abstractmethod
    def figures_of_result(self) -> Json:
        """The figures in `result.json` beside the file."""

    def result(self) -> Path:
        assert self.folder is not None
        return self.folder / NET

    @classmethod
    def read(cls, record: RunRecord) -> Path:
        return record.folder / NET

    def summary(self, result: Path) -> Json:
        return {"file": NET, **self.figures_of_result()}

    @classmethod
    def to_json(cls, result: Path) -> Json:
        return {**(Run.read(result.parent).result or {}), "file": str(result)}
