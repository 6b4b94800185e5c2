"""`zeroply patterns`: fit the tables of the pattern evaluation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from rich.progress import Progress as Bars

from zeroply.cli.output import bars, console, interruptible, print_json, set_threads
from zeroply.learning.fit_patterns import FitConfig, Progress, resume, start
from zeroply.options import Flat
from zeroply.runs import Run


def fit(config: Annotated[FitConfig, Flat], run: Path, threads: int | None = None, json: bool = False) -> None:
    """Fit the tables of the pattern evaluation to game results, search and exact endings.

    Example: zeroply patterns fit --run runs/patterns --source data/wthor

    Args:
        config: What decides how the tables come out.
        run: New folder of the run.
        threads: Threads for the core; changes speed only.
        json: Print JSON for programs.
    """
    set_threads(threads)
    with interruptible(run), bars() as bar:
        target = start(config, run, _progress(bar))
    _print(target, json)


def resume_fit(run: Run, json: bool) -> None:
    """Go on with a fit."""
    with bars() as bar:
        target = resume(run, _progress(bar))
    _print(target, json)


def _progress(bar: Bars) -> Progress:
    task = bar.add_task("", total=None)
    return lambda what, done, total: bar.update(task, description=what, completed=done, total=total)


def _print(target: Path, json: bool) -> None:
    if json:
        names = ("round", "stage", "positions", "error")
        stages = [event for event in Run.read(target.parent).events() if event["event"] == "stage"]
        print_json({"file": str(target), "stages": [{name: stage[name] for name in names} for stage in stages]})
        return
    console.print(f"the tables are in {target}", soft_wrap=True, markup=False)


patterns = {"fit": fit}
