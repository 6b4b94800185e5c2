"""`zeroply resume`: resume any run, at the instruction-set level it was started at."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from tyro.conf import Positional

from zeroply import levels
from zeroply.cli.arguments import Json, Overwrite, WorkerOptions
from zeroply.errors import ZeroplyError
from zeroply.options import Flat
from zeroply.runs import recorded_level
from zeroply.runs.record import resume_command


def resume(
    run: Positional[Path],
    workers: Annotated[WorkerOptions, Flat],
    save: Path | None = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Resume a run that was interrupted; it ends exactly as it would have without the interruption.

    Example: zeroply resume runs/gomoku

    Args:
        run: Folder of the run.
        workers: Who plays the games.
        save: Write the games of a match or league to this file (.txt, .sgf, .ggf or .wtb).
    """
    levels.select(recorded_level(run))  # before anything loads the core

    from zeroply.cli.experiments import show
    from zeroply.cli.output import errors, print_resume, progress
    from zeroply.records import check_output
    from zeroply.runs.record import read_info, read_record
    from zeroply.runs.registry import experiments
    from zeroply.runs.resume import resume as resume_run

    where, kind = workers.where(), read_info(run).kind
    experiment = experiments[kind]
    if where != "threads" and "workers" not in experiment.options:
        raise ZeroplyError(f"{run} is a run of kind '{kind}', which has no --processes or --cluster")
    if save is not None:
        if not experiment.saves_games:
            raise ZeroplyError(f"{run} is a run of kind '{kind}', which has no games for --save")
        record = read_record(run)
        check_output(save, record.info.config["game"], overwrite, experiment.set_up_boards(record))
    options: dict[str, Any] = {} if where == "threads" else {"workers": where}
    try:
        with progress(experiment.unit) as report:
            result = resume_run(
                run,
                progress=report,
                warn=lambda text: errors.print(f"zeroply: {text}", soft_wrap=True, markup=False),
                **options,
            )
    except KeyboardInterrupt:
        print_resume(resume_command(run), save, overwrite)
        raise
    if experiment.leads():
        show(experiment, result, json, save)
