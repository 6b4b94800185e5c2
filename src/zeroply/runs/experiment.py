"""An experiment: work that takes long, split into steps, so that one driver can record, interrupt and resume it.

A subclass declares what is particular: its configuration (a frozen dataclass, which is also the options of its
command), what one step does, and what state a checkpoint must hold. `zeroply.runs.driver` does everything else. The
class is registered once, in `zeroply.runs.registry`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from zeroply.errors import ZeroplyError
from zeroply.progress import Progress, no_progress
from zeroply.runs.charts import Chart
from zeroply.runs.checkpoint import Array
from zeroply.runs.files import Json
from zeroply.runs.record import RunRecord
from zeroply.runs.run import Run
from zeroply.runs.tensorboard import TensorBoard
from zeroply.specs import Spec

C = TypeVar("C")
R = TypeVar("R")

CHECKPOINT_SECONDS = 5.0
"""Time between two checkpoints, unless an experiment has a reason for another one."""


@dataclass(frozen=True)
class TextTable:
    """A table to print."""

    columns: Sequence[str]
    """Titles; empty for a table without them."""
    rows: Sequence[Sequence[str]]
    """Cells as text, all rows of the same length."""
    left: int = 0
    """Number of the column that is aligned to the left; all others are aligned to the right."""


class Experiment(ABC, Generic[C, R]):
    """Work that takes long, with its configuration.

    The driver enters `resources`, calls `start` or `restore`, then `step` until `complete`, then `finish`. The state
    after any step depends only on the configuration, its seed and the steps before it.
    """

    kind: ClassVar[str]
    """Name in the registry and in `run.json`."""
    config_type: ClassVar[type[Any]]
    """Type of the configuration."""
    unit: ClassVar[str] = "steps"
    """What progress counts, as the title of a progress bar."""
    needs_folder: ClassVar[bool] = True
    """Whether it can only work in a run folder."""
    checkpoint_seconds: ClassVar[float] = CHECKPOINT_SECONDS
    """Least time between two checkpoints."""
    options: ClassVar[frozenset[str]] = frozenset()
    """Keyword arguments of the constructor that change the speed only, such as `workers` or `batch`."""
    saves_games: ClassVar[bool] = False
    """Whether its result has `records()`, the games it played."""
    charts: ClassVar[tuple[Chart, ...]] = ()
    """Charts of what it logs."""
    game: ClassVar[str | None] = None
    """The game, for experiments whose configuration has no field `game`."""
    net_files: ClassVar[tuple[str, ...]] = ()
    """Names or glob patterns of the files in its folder that can be played."""
    has_champions: ClassVar[bool] = False
    """Whether it saves the champions of generations, as `zeroply.learning.champions` reads them."""

    def __init__(self, config: C) -> None:
        self.config = config
        self.run: Run | None = None
        """The run that records it; None if nothing is recorded, or another process records it."""
        self.folder: Path | None = None
        """Folder of the run."""
        self.curves: TensorBoard | None = None
        """The curves for TensorBoard; None if nobody asked for them."""
        self.progress: Progress = no_progress
        """For reports within a long step."""

    @classmethod
    def presets(cls) -> Mapping[str, C]:
        """Configurations by the name of a preset; the first one is the default. Empty without presets."""
        return {}

    @classmethod
    def leads(cls) -> bool:
        """Whether this process records the run; False if it only helps another one that does."""
        return True

    def inputs(self) -> dict[str, str]:
        """Fingerprints of what it reads (nets, programs, files), by name; called within `resources`.

        A run is resumed only if none of them has changed.
        """
        return {}

    @contextmanager
    def resources(self) -> Iterator[None]:
        """Open what the work needs (data, players, worker processes), and close it afterwards.

        Raises ZeroplyError for anything that would fail later; nothing has been written yet.
        """
        yield

    @classmethod
    def game_of(cls, record: RunRecord) -> str | None:
        """The game of a run; None if it has none."""
        configured = record.info.config.get("game", cls.game)
        return configured if isinstance(configured, str) else None

    @classmethod
    def file_player(cls, path: Path) -> Spec:
        """The player of one of the `net_files`."""
        return Spec("net", str(path))

    def check_recordable(self) -> None:
        """Raise ZeroplyError if the work cannot be recorded in a folder; called within `resources`."""

    @abstractmethod
    def start(self) -> None:
        """Set the first state."""

    @abstractmethod
    def restore(self, arrays: Mapping[str, Array], state: Json) -> None:
        """Set the state from a checkpoint."""

    @abstractmethod
    def step(self) -> None:
        """Do one unit of work."""

    @property
    @abstractmethod
    def done(self) -> int:
        """Units done."""

    @property
    @abstractmethod
    def total(self) -> int:
        """Units in total."""

    @property
    def complete(self) -> bool:
        """Whether no step is left."""
        return self.done >= self.total

    @property
    def figures(self) -> str:
        """Recent figures for the progress bar."""
        return ""

    def arrays(self) -> dict[str, Array]:
        """Arrays of the state, for a checkpoint."""
        return {}

    def state(self) -> Json:
        """The rest of the state as JSON."""
        return {}

    def finish(self) -> None:
        """Write the files that belong to the result into `folder`."""

    def result(self) -> R:
        """The result, when all steps are done."""
        return self.read(self.recording)

    @classmethod
    @abstractmethod
    def read(cls, record: RunRecord) -> R:
        """The result of a finished run, from its folder alone: what the run has read may be gone."""

    def summary(self, result: R) -> Json:
        """The result as `result.json` holds it."""
        return self.to_json(result)

    @classmethod
    @abstractmethod
    def to_json(cls, result: R) -> Json:
        """The result as `--json` prints it."""

    @classmethod
    def rows(cls, result: R) -> list[Json] | None:
        """The rows that `--csv` prints; None for the first list of objects in the JSON."""
        return None

    @classmethod
    @abstractmethod
    def report(cls, result: R) -> list[str | TextTable]:
        """The result as a command prints it: lines of text and tables."""

    @classmethod
    def set_up_boards(cls, record: RunRecord) -> Iterable[str]:
        """Board strings that games of a run start from; not every file format can hold them."""
        return ()

    @property
    def recording(self) -> Run:
        """The run that records it; raises ZeroplyError if there is none."""
        if self.run is None:
            raise ZeroplyError(f"{self.kind} needs a folder: give run=FOLDER")
        return self.run

    def log(self, event: str, /, **fields: Any) -> None:
        """Add an event to the log of the run, if there is one."""
        if self.run is not None:
            self.run.log(event, **fields)
        if self.curves is not None:
            self.curves.add({"event": event, **fields})
