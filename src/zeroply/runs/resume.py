"""Resuming a run of any kind: open its folder under the lock, check what it reads, and let the driver do the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from zeroply import levels, plugins
from zeroply.errors import ZeroplyError
from zeroply.progress import Progress
from zeroply.runs.driver import Folder, use_threads, work
from zeroply.runs.experiment import Experiment
from zeroply.runs.record import RunRecord, read_info, resume_command
from zeroply.runs.registry import experiments
from zeroply.runs.run import Run


def resume(
    run: Folder,
    *,
    progress: Progress | None = None,
    threads: int | None = None,
    warn: Callable[[str], None] | None = None,
    **options: Any,
) -> Any:
    """Resume the run in a folder from its newest checkpoint and return its result; a finished one is only read.

    `options` are the experiment's own, such as `workers="processes:2"`; `warn` gets a sentence for each damaged file.
    """
    use_threads(threads)
    info = read_info(Path(run))
    plugins.require(info.modules, str(run), resume_command(Path(run)).removeprefix("zeroply "))
    kind = experiments[info.kind]
    if unknown := sorted(options.keys() - kind.options):
        raise ZeroplyError(f"{run} is a run of kind '{kind.kind}', which has no option {', '.join(unknown)}")
    if not kind.leads():
        return _follow(kind, Path(run), progress, options)
    with Run.open(run, level=levels.chosen()) as opened:
        for warning in opened.warnings if warn else ():
            warn(warning)  # type: ignore[misc]
        if opened.finished:
            with opened.understood():
                return kind.read(opened)
        experiment = kind(opened.config(kind.config_type), **options)
        with experiment.resources():
            _check_inputs(opened, experiment.inputs())
            return work(experiment, progress, opened)


def _follow(
    kind: type[Experiment[Any, Any]], folder: Path, progress: Progress | None, options: Mapping[str, Any]
) -> Any:
    """Take part in resuming a run that another process records."""
    record = Run.read(folder)
    if record.finished:
        return kind.read(record)
    experiment = kind(record.config(kind.config_type), **options)
    experiment.folder = folder
    with experiment.resources():
        return work(experiment, progress)


def _check_inputs(run: RunRecord, now: Mapping[str, str]) -> None:
    """Raise ZeroplyError if what a run reads is not what it was when the run began."""
    before = run.info.inputs
    for name in sorted(before.keys() | now.keys()):
        if before.get(name) != now.get(name):
            raise ZeroplyError(f"{run.folder} cannot resume: {name} has changed since the run began")
