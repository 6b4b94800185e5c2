"""Arguments and options that several commands have, each with its help."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import Positional, arg

from zeroply.cli.output import set_threads
from zeroply.errors import ZeroplyError

REQUIRED = "(required)"

Players = Annotated[Positional[list[str]], arg(metavar="PLAYER ...", help_behavior_hint=REQUIRED)]
"""One player or more."""
Files = Annotated[Positional[list[Path]], arg(metavar="FILE ...", help_behavior_hint=REQUIRED)]
"""One file or more."""
FilesAndOutput = Annotated[Positional[list[Path]], arg(metavar="IN ... OUT", help_behavior_hint=REQUIRED)]
"""Files to read, and last one to write."""

Json = Annotated[bool, arg(help="Print JSON; --csv prints the rows of its table instead.")]
Overwrite = Annotated[bool, arg(help="Replace the file if it exists.")]
Threads = Annotated[int | None, arg(help="Threads for the core; affects speed only.")]
Batch = Annotated[int, arg(help="Games played in lockstep; affects speed and memory only.")]
RunFolder = Annotated[Path, arg(help="New folder of the run.")]
MaybeRunFolder = Annotated[
    Path | None, arg(help="Record the run in this new folder, so that it can be interrupted and resumed.")
]
TensorBoard = Annotated[bool, arg(help="Also write the curves for TensorBoard, to the folder tensorboard of the run.")]
SavedGames = Annotated[Path | None, arg(help="Write the games to this file (.txt, .sgf, .ggf or .wtb).")]
GameSpec = Annotated[str, arg(help="Spec of the game.")]
GameOfFiles = Annotated[str | None, arg(help="Spec of the game, if a file does not name it.")]


@dataclass(frozen=True, kw_only=True)
class WorkerOptions:
    """Who plays the games; affects speed only."""

    threads: int | None = None
    """Threads for the core; affects speed only."""
    processes: int | None = None
    """For evolution and coevolution: play in this many processes instead of threads; affects speed only."""
    cluster: str | None = None
    """For evolution and coevolution: play on a dask cluster, tcp://host:port or local:2; affects speed only."""

    def where(self) -> str:
        """The name for `executors.workers`; also sets the number of threads."""
        set_threads(self.threads)
        if self.processes is not None and self.cluster is not None:
            raise ZeroplyError("give --processes or --cluster, not both")
        if self.processes is not None:
            return f"processes:{self.processes}"
        if self.cluster is None:
            return "threads"
        if not self.cluster.startswith("local:") and "://" not in self.cluster:
            raise ZeroplyError(f"--cluster must be tcp://host:port or local:2, not '{self.cluster}'")
        return self.cluster


@dataclass(frozen=True)
class Presets:
    """The functions of a command by preset; the first one is the default."""

    targets: Mapping[str, Callable[[], Callable[..., Any]]]
    """By preset, what makes the function of the command; called when the preset is used."""

    def pick(self, words: list[str]) -> tuple[Callable[..., Any], list[str]]:
        """The function for the preset in the arguments, and the arguments without the preset."""
        name, left = next(iter(self.targets)), list(words)
        for at, word in enumerate(words):
            if word == "--preset":
                name, left = words[at + 1] if at + 1 < len(words) else "", words[:at] + words[at + 2 :]
            elif word.startswith("--preset="):
                name, left = word.partition("=")[2], words[:at] + words[at + 1 :]
        if name not in self.targets:
            raise ZeroplyError(f"unknown preset '{name}': presets are {', '.join(self.targets)}")
        return self.targets[name](), left
