"""`zeroply study`: repeat a published table or figure."""

from __future__ import annotations

from pathlib import Path

from rich.progress import Progress
from rich.table import Table
from tyro.conf import Positional

from zeroply.cli.output import bars, console, errors, print_json, print_table, set_threads
from zeroply.runs import Run
from zeroply.studies import Report, Scale, studies
from zeroply.studies.needs import EXTRA
from zeroply.studies.running import UnitProgress, can_draw, claim_rows, resume, run_study, study_folder


def study_list(json: bool = False) -> None:
    """List the studies.

    Example: zeroply study list

    Args:
        json: Print JSON for programs.
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
    """Run a study and write its tables, figures and report; given again it goes on where it was interrupted.

    Example: zeroply study run S.reference --scale cpu

    Args:
        name: Name of the study; `zeroply study list` lists them.
        scale: smoke takes seconds, cpu is for two cores, paper is the published size.
        seeds: Number of independent repetitions.
        results: Folder for the results.
        data: Folder with wthor, league and openings, which some studies need above smoke; by default $ZEROPLY_DATA.
        threads: Threads for the core; changes speed only.
        json: Print JSON for programs.
    """
    set_threads(threads)
    _say_if_no_figures()
    try:
        with bars() as bar:
            report = run_study(name, scale, seeds, results, _progress(bar), data)
    except KeyboardInterrupt:
        errors.print("the same command goes on from here")
        raise
    _print(name, report, study_folder(name, scale, seeds, results), json)


def resume_study(run: Run, json: bool) -> None:
    """Go on with the run of a study."""
    _say_if_no_figures()
    with bars() as bar:
        report = resume(run, _progress(bar))
    _print(run.info.config["study"], report, run.folder.parent, json)


def _say_if_no_figures() -> None:
    if not can_draw():
        errors.print(f"no figures: matplotlib is missing, {EXTRA}", markup=False, soft_wrap=True)


def _progress(bar: Progress) -> UnitProgress:
    whole, unit = bar.add_task("units", total=None), bar.add_task("", total=None)

    def report(name: str, done: int, units: int, step: int, steps: int) -> None:
        bar.update(whole, completed=done + step / max(1, steps), total=units)
        bar.update(unit, description=name, completed=step, total=steps)

    return report


def _print(name: str, report: Report, folder: Path, json: bool) -> None:
    if json:
        tables = {table.name: list(table.rows) for table in report.tables}
        print_json({"study": name, "tables": tables, "claims": [vars(claim) for claim in report.claims]})
        return
    for table in report.tables:
        if not table.printed:
            continue
        shown = Table(*table.rows[0], box=None, header_style="bold", padding=(0, 1, 0, 0))
        for row in table.rows:
            shown.add_row(*map(str, row.values()))
        console.print(f"{table.caption}\n")
        print_table(shown)
        console.print()
    claims = Table("claim", "ours", "holds?", box=None, header_style="bold", padding=(0, 2))
    for row in claim_rows(report):
        claims.add_row(*row.values())
    console.print(claims)
    console.print(f"\nwritten to {folder}", style="dim", soft_wrap=True, markup=False)


study = {"list": study_list, "run": study_run}
