"""The driver of all experiments: creates and locks their runs, writes checkpoints, reports progress.

A run killed at any moment and resumed ends with the same state, events and result as one that was never interrupted.
An experiment that needs no folder goes through the same steps with nothing written.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from zeroply import levels, set_threads
from zeroply.errors import ZeroplyError
from zeroply.progress import Progress, no_progress
from zeroply.runs.config import stored
from zeroply.runs.experiment import Experiment
from zeroply.runs.run import Run
from zeroply.runs.tensorboard import FOLDER, TensorBoard, writer

C = TypeVar("C")
R = TypeVar("R")
C_in = TypeVar("C_in", contravariant=True)
R_out = TypeVar("R_out", covariant=True)
Folder = str | os.PathLike[str]


def run_experiment(
    experiment: Experiment[Any, R],
    run: Folder | None = None,
    *,
    progress: Progress | None = None,
    threads: int | None = None,
    tensorboard: bool = False,
) -> R:
    """Do the work of an experiment, recorded in the new folder `run` if one is given.

    With `tensorboard` its curves are also written as event files of TensorBoard, in the folder tensorboard of the run.
    """
    if run is not None and not isinstance(run, str | os.PathLike):
        raise ZeroplyError(f"run must be a path to a new folder, not {run!r}")
    if run is None and experiment.needs_folder:
        raise ZeroplyError(f"{experiment.kind} needs a folder for its run: give run=FOLDER")
    if tensorboard:
        writer()
    use_threads(threads)
    with experiment.resources():
        if run is None or not experiment.leads():
            experiment.folder = None if run is None else Path(run)
            return work(experiment, progress)
        experiment.check_recordable()
        with Run.create(
            run,
            kind=experiment.kind,
            config=stored(experiment.config),
            inputs=experiment.inputs(),
            seed=getattr(experiment.config, "seed", 0),
            level=levels.chosen(),
        ) as opened:
            if tensorboard:
                (opened.folder / FOLDER).mkdir()
            return work(experiment, progress, opened)


def work(experiment: Experiment[Any, R], progress: Progress | None, run: Run | None = None) -> R:
    """Do the steps that are left, from the checkpoint of `run` if it has one, and return the result."""
    if run is not None and (run.folder / FOLDER).is_dir():
        experiment.curves = TensorBoard(run.folder, experiment.charts, run.events())
    try:
        return _work(experiment, progress, run)
    finally:
        if experiment.curves is not None:
            experiment.curves.close()


def _work(experiment: Experiment[Any, R], progress: Progress | None, run: Run | None) -> R:
    experiment.run, experiment.progress = run, progress or no_progress
    if run is not None:
        experiment.folder = run.folder
    if run is not None and run.state is not None:
        experiment.restore(run.arrays or {}, run.state)
    else:
        experiment.start()
    saved = False
    while not experiment.complete:
        experiment.step()
        saved = run is not None and run.save_due(experiment.checkpoint_seconds)
        if run is not None and saved:
            run.save(experiment.state(), experiment.arrays())
        if progress is not None:
            progress(experiment.done, experiment.total, experiment.figures)
    if run is not None:
        if not saved:
            run.save(experiment.state(), experiment.arrays())
        experiment.finish()
    result = experiment.result()
    if run is not None:
        run.finish(experiment.summary(result))
    return result


def configured(config_type: type[C], config: C | None, settings: Mapping[str, Any]) -> C:
    """A configuration from Python arguments: `config`, or the defaults, changed by `settings`."""
    names = config_type.__dataclass_fields__  # type: ignore[attr-defined]
    if unknown := sorted(settings.keys() - names.keys()):
        raise ZeroplyError(f"unknown setting {unknown[0]}: settings are {', '.join(names)}")
    return config_type(**settings) if config is None else replace(config, **settings)  # type: ignore[type-var]


class PythonCall(Protocol[C_in, R_out]):
    """An experiment as a Python function."""

    __name__: str

    def __call__(
        self,
        config: C_in | None = None,
        *,
        run: Folder,
        progress: Progress | None = None,
        threads: int | None = None,
        tensorboard: bool = False,
        **settings: Any,
    ) -> R_out:
        """Run it and return its result."""


def python_call(experiment: type[Experiment[C, R]]) -> PythonCall[C, R]:
    """An experiment as a Python function, such as `zp.evolve(game="hex(size=5)", run=FOLDER)`."""
    kind: type[C] = experiment.config_type

    def call(
        config: C | None = None,
        *,
        run: Folder,
        progress: Progress | None = None,
        threads: int | None = None,
        tensorboard: bool = False,
        **settings: Any,
    ) -> R:
        options = {name: settings.pop(name) for name in experiment.options & settings.keys()}
        if threads is not None and "threads" in kind.__dataclass_fields__:  # type: ignore[attr-defined]
            settings["threads"], threads = threads, None
        made = experiment(configured(kind, config, settings), **options)
        return run_experiment(made, run, progress=progress, threads=threads, tensorboard=tensorboard)

    workers = "\n\n`workers` is threads, processes:N, local:N (a dask cluster here) or the address of a dask scheduler."
    about = f"`run` is a new folder; settings are fields of `{kind.__name__}`."
    call.__name__, call.__module__ = experiment.kind.replace("-", "_"), experiment.__module__
    call.__doc__ = f"{inspect.getdoc(experiment)}\n\n{about}{workers if 'workers' in experiment.options else ''}"
    return call


def use_threads(threads: int | None) -> None:
    """Use this many threads from now on, 1 to 1024, if a number is given; changes speed only."""
    if threads is not None:
        set_threads(threads)
