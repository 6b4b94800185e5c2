"""Runs that several studies use: made once, in a folder of the results.

A study that needs such a run makes it, resumes it if it was interrupted, or reads it if it is finished. A run made with
other settings is refused, so that no report mixes two settings.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NoReturn

from zeroply.errors import ZeroplyError
from zeroply.progress import Progress
from zeroply.runs import Experiment, Run, RunRecord, run_experiment, stored
from zeroply.runs.resume import resume


def shared_run(
    folder: Path,
    experiment: Experiment[Any, Any],
    progress: Progress | None = None,
    free: Collection[str] = (),
    inputs: Mapping[str, str] | None = None,
) -> RunRecord:
    """The finished run of an experiment in a folder: made, resumed or only read.

    Settings named in `free` may differ; `inputs`, if given, must be the fingerprints that the run recorded.
    """
    if not (folder / "run.json").exists():
        run_experiment(experiment, folder, progress=progress)
        return Run.read(folder)
    record = Run.read(folder)
    _check_same(record, experiment, free)
    if inputs is not None and sorted(inputs.values()) != sorted(record.info.inputs.values()):
        _refuse(record, "inputs")
    if not record.finished:
        resume(folder, progress=progress)
    return Run.read(folder)


def _check_same(record: RunRecord, experiment: Experiment[Any, Any], free: Collection[str]) -> None:
    """Raise ZeroplyError if a run was made with other settings."""
    wanted = {**plain(stored(experiment.config)), "seed": experiment.config.seed}
    present = {**plain(stored(record.config(experiment.config_type))), "seed": record.info.seed}
    for key in sorted((wanted.keys() | present.keys()) - set(free)):
        if key not in wanted or key not in present or wanted[key] != present[key]:
            _refuse(record, key)


def _refuse(record: RunRecord, key: str) -> NoReturn:
    raise ZeroplyError(
        f"{record.folder} holds a run made with another {key}: remove that folder to make it again, or choose "
        "another --results"
    )


def plain(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as JSON holds them: lists in place of tuples."""
    loaded: dict[str, Any] = json.loads(json.dumps(dict(settings)))
    return loaded
