"""`zeroply resume`: go on with any run, at the instruction-set level it was made at."""

from __future__ import annotations

import pkgutil
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional

from zeroply import levels
from zeroply.cli.workers import WorkerOptions
from zeroply.errors import ZeroplyError
from zeroply.options import Flat
from zeroply.runs import recorded_level

KINDS = {
    "match": "zeroply.cli.match:resume_match",
    "league": "zeroply.cli.league:resume_league",
    "train": "zeroply.cli.train:resume_train",
    "judge": "zeroply.cli.judge:resume_judge",
    "train-td": "zeroply.cli.train_td:resume_train_td",
    "patterns": "zeroply.cli.patterns:resume_fit",
    "study": "zeroply.cli.study:resume_study",
    "ntuple-tdl": "zeroply.cli.ntuples:resume_tdl",
    "ntuple-coevolution": "zeroply.cli.ntuples:resume_coevolution",
    "evolve": "zeroply.cli.evolve:resume_evolve",
    "coevolve": "zeroply.cli.coevolve:resume_schaul",
    "lin-white": "zeroply.cli.coevolve_lin_white:resume_lin_white",
}
"""What goes on with a run of each kind: called with the open run and whether to print JSON."""

SPREAD = ("evolve", "coevolve", "lin-white")
"""The kinds whose games may be played elsewhere; they are also told by whom."""
SAVED = ("match", "league")
"""The kinds whose games may be saved; they are also told where, and whether to replace that file."""


def resume(
    run: Positional[Path],
    workers: Annotated[WorkerOptions, Flat],
    save: Path | None = None,
    overwrite: bool = False,
    json: bool = False,
) -> None:
    """Go on with a run that was interrupted; it ends exactly as it would have.

    Example: zeroply resume runs/gomoku

    Args:
        run: Folder of the run.
        workers: Who goes on with it.
        save: Write the games of a match or league to this file (.txt, .sgf, .ggf or .wtb).
        overwrite: Replace the file if it exists.
        json: Print JSON for programs.
    """
    levels.select(recorded_level(run))  # before anything loads the core

    from zeroply.cli.output import errors, say_resume
    from zeroply.learning.imitation.launch import leads
    from zeroply.runs import Run

    where = workers.where()
    if not leads() and Run.read(run).info.kind == "train":
        from zeroply.cli.train import follow_train

        return follow_train(run)
    with Run.open(run, level=levels.chosen()) as opened:
        for warning in opened.warnings:
            errors.print(f"zeroply: {warning}", soft_wrap=True, markup=False)
        if opened.info.kind not in KINDS:
            raise ZeroplyError(f"{run} is a run of the unknown kind '{opened.info.kind}'")
        if where != "threads" and opened.info.kind not in SPREAD:
            raise ZeroplyError(f"{run} is a run of kind '{opened.info.kind}', which knows no --processes or --cluster")
        if save is not None and opened.info.kind not in SAVED:
            raise ZeroplyError(f"{run} is a run of kind '{opened.info.kind}', which has no games for --save")
        further = (where,) if opened.info.kind in SPREAD else (save, overwrite) if opened.info.kind in SAVED else ()
        try:
            pkgutil.resolve_name(KINDS[opened.info.kind])(opened, json, *further)
        except KeyboardInterrupt:
            say_resume(opened.resume_command, save, overwrite)
            raise
