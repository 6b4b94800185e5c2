"""`zeroply data judge`: what every move of many positions costs, said by a player that looks ahead."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from zeroply.cli.output import console, interruptible, print_json, progress, set_threads
from zeroply.learning.imitation import judging
from zeroply.learning.imitation.judging import JudgeConfig
from zeroply.options import Flat
from zeroply.runs import Run


def judge(config: Annotated[JudgeConfig, Flat], run: Path, threads: int | None = None, json: bool = False) -> None:
    """Let a player that looks ahead say what every move of many positions costs, for `zeroply train --judged`.

    Example: zeroply data judge --data data/sets --judge "engine(depth=4)" --positions 1000000 --run runs/judged

    Args:
        config: What decides which positions are judged, and how.
        run: New folder of the run.
        threads: Threads for the core; changes speed only.
        json: Print JSON for programs.
    """
    set_threads(threads)
    with interruptible(run), progress("judging") as report:
        judged = judging.judge(config, run, report)
    _print(run, len(judged), json)


def resume_judge(run: Run, json: bool) -> None:
    """Go on with judging."""
    with progress("judging") as report:
        judged = judging.resume(run, report)
    _print(run.folder, len(judged), json)


def _print(folder: Path, positions: int, json: bool) -> None:
    if json:
        print_json({"folder": str(folder), "positions": positions})
    else:
        console.print(f"{positions:,} positions judged in {folder}", markup=False, soft_wrap=True)
