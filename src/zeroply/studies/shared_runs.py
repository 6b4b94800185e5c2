"""Runs that several studies look at: made once, in a folder of the results, and taken from there.

A study that needs such a run makes it, goes on with it if it was interrupted, or takes it as it is. A run that was made
otherwise than it would be made now is refused, so that no report mixes two settings.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from zeroply import levels
from zeroply.errors import ZeroplyError
from zeroply.runs import Run, RunRecord


def shared_run(
    folder: Path,
    config: Mapping[str, Any],
    seed: int,
    make: Callable[[], object],
    go_on: Callable[[Run], object],
    free: Collection[str] = (),
    full: Callable[[dict[str, Any]], Mapping[str, Any]] = dict,
) -> RunRecord:
    """The finished run in a folder, made by `make` or `go_on` if need be.

    Settings named in `free` may differ; `full` adds those that a run of an earlier version does not name yet.
    """
    if not (folder / "run.json").exists():
        make()
        return Run.read(folder)
    record = Run.read(folder)
    with record.understood():
        found = plain(full(record.info.config))
    _check_same(record, found, config, seed, free)
    if not record.finished:
        with Run.open(folder, level=levels.chosen()) as run:
            go_on(run)
    return Run.read(folder)


def _check_same(
    record: RunRecord, its: Mapping[str, Any], config: Mapping[str, Any], seed: int, free: Collection[str]
) -> None:
    """Raise ZeroplyError if a run was made with other settings."""
    wanted = {**plain(config), "seed": seed}
    found = {**its, "seed": record.info.seed}
    for key in sorted((wanted.keys() | found.keys()) - set(free)):
        if key not in wanted or key not in found or wanted[key] != found[key]:
            raise ZeroplyError(
                f"{record.folder} holds a run made with another {key}: remove that folder to make it again, or choose "
                "another --results"
            )


def plain(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as they come back from a file: tuples as lists."""
    found: dict[str, Any] = json.loads(json.dumps(dict(settings)))
    return found
