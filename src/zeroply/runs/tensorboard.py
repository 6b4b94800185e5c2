"""The curves of a run for TensorBoard: the charts of an experiment, point by point, as event files beside the log.

The files follow from the log alone. A resumed run writes them again from the log as it was at the checkpoint, so they
never hold a point twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from zeroply.errors import ZeroplyError
from zeroply.files import explained
from zeroply.runs.charts import Chart
from zeroply.runs.files import Json

FOLDER = "tensorboard"
"""The folder of the event files in that of a run."""


def writer() -> Any:
    """Torch's class that writes event files; raises ZeroplyError where torch or tensorboard is missing."""
    try:
        from torch.utils.tensorboard.writer import SummaryWriter
    except ImportError:
        raise ZeroplyError(
            "--tensorboard needs torch and tensorboard: install them with pip install '.[tensorboard]'"
        ) from None
    return SummaryWriter


class TensorBoard:
    """The event files of a run; `add` takes each event that the run logs."""

    def __init__(self, run: Path, charts: Sequence[Chart], events: Iterable[Json] = ()) -> None:
        """Begin new files with the events that the log already has."""
        folder, make = run / FOLDER, writer()
        with explained(f"write {folder}"):
            for old in folder.glob("events.out.tfevents.*"):
                old.unlink()
            self._writer = make(str(folder))
        self._charts = charts
        for event in events:
            self.add(event)

    def add(self, event: Json) -> None:
        """Write the points that an event adds to the curves."""
        for chart in self._charts:
            for curve, x, y in chart.points(event):
                self._writer.add_scalar(f"{chart.title}/{curve}", y, round(x))

    def close(self) -> None:
        """Write what waits."""
        self._writer.close()
