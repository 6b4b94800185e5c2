"""`zeroply study`: repeat a published table or figure."""

from __future__ import annotations

from pathlib import Path

from rich.table import Table
from tyro.conf import Positional

from zeroply.cli.experiments import show
from zeroply.cli.output import console, errors, print_json, progress, set_threads
from zeroply.studies import Scale, studies
from zeroply.studies.needs import EXTRA
from zeroply.studies.running import StudyRun, can_draw, run_study


def study_list(json: bool = False) -> None:
    """List the studies.

    Example: zeroply study list

    Args:
        json: Print JSON.
    """
    found = studies()
    if json:
        print_json([{"name": one.name, "title": one.title, "source": one.source} for one in found])
        return
    table = Table("study", "what it repeats", "source", box=None, header_style="bold", padding=(0, 2))
    for one in found:
        table.add_row(one.name, one.title, one.source)
    console.print(table)


def study_run(
    name: Positional[str],
    scale: Scale = "smoke",
    seeds: int = 1,
    results: Path = Path("results"),
    data: Path | None = None,
    threads: int | None = None,
    json: bool = False,
) -> None:
    """Run a study and write its tables, figures and report; run the same command again to resume.

    Example: zeroply study run S.reference --scale cpu

    Args:
        name: Name of the study; `zeroply study list` lists them.
        scale: smoke takes seconds, cpu is for two cores, paper is the published size.
        seeds: Number of independent repetitions.
        results: Folder for the results.
        data: Folder with wthor, league and openings, which some studies need above smoke; by default $ZEROPLY_DATA.
        threads: Threads for the core; affects speed only.
        json: Print JSON.
    """
    set_threads(threads)
    _warn_without_figures()
    try:
        with progress(StudyRun.unit) as report:
            result = run_study(name, scale, seeds, results, report, data)
    except KeyboardInterrupt:
        errors.print("run the same command again to resume")
        raise
    show(StudyRun, result, json)


def _warn_without_figures() -> None:
    if not can_draw():
        errors.print(f"no figures: matplotlib is missing, {EXTRA}", markup=False, soft_wrap=True)


study = {"list": study_list, "run": study_run}
