"""`zeroply patterns`: fit the tables of the pattern evaluation."""

from __future__ import annotations

from pathlib import Path

from rich.progress import Progress as Bars

from zeroply.cli.output import bars, console, interruptible, print_json, set_threads
from zeroply.learning.fit_patterns import FitConfig, Progress, resume, start
from zeroply.runs import Run


def fit(
    run: Path,
    source: str | None = None,
    positions: int = FitConfig.positions,
    games: int = FitConfig.games,
    depth: int = FitConfig.depth,
    exact: int = FitConfig.exact,
    rounds: int = FitConfig.rounds,
    epochs: int = FitConfig.epochs,
    rate: float = FitConfig.rate,
    seed: int = 0,
    threads: int | None = None,
    json: bool = False,
) -> None:
    """Fit the tables of the pattern evaluation to game results, search and exact endings.

    Example: zeroply patterns fit --run runs/patterns --source data/wthor

    Args:
        run: New folder of the run.
        source: Folder of WTHOR files for the first fit; without it the results of self-play are used.
        positions: Labelled positions of each stage and round.
        games: Games of self-play a round.
        depth: Depth of the search that labels positions.
        exact: Positions with at most this many empty squares are solved.
        rounds: How often positions are gathered, labelled and fitted.
        epochs: Passes over the data of each fit.
        rate: First step size.
        seed: Number that all chance comes from.
        threads: Threads for the core; changes speed only.
        json: Print JSON for programs.
    """
    set_threads(threads)
    config = FitConfig(
        source=source,
        positions=positions,
        games=games,
        depth=depth,
        exact=exact,
        rounds=rounds,
        epochs=epochs,
        rate=rate,
        seed=seed,
    )
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
