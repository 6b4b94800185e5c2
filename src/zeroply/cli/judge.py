"""`zeroply data judge`: what every move of many positions costs, said by a player that looks ahead."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from zeroply.cli.output import console, interruptible, print_json, progress, set_threads
from zeroply.runs import Run


def judge(
    data: str,
    run: Path,
    judge: str = "engine(depth=4)",
    positions: int = 1_000_000,
    until: int = 60,
    own: int = 64,
    strays: float = 0.5,
    stray: int = 2,
    walkers: tuple[str, ...] = ("random",),
    dataset: str = "unique",
    split: Literal["position", "game"] = "game",
    test: float = 0.05,
    split_seed: int = 1,
    seed: int = 0,
    threads: int | None = None,
    json: bool = False,
) -> None:
    """Let a player that looks ahead say what every move of many positions costs, for `zeroply train --judged`.

    Example: zeroply data judge --data data/sets --judge "engine(depth=4)" --positions 1000000 --run runs/judged

    Args:
        data: Folder made by `zeroply data build`; positions come from the training side of one of its sets.
        run: New folder of the run.
        judge: The player that judges; its preferences must be in discs.
        positions: Number of positions.
        until: The last move of the games whose positions are drawn; 60 for all.
        own: The most discs that the side to move has; with few, it may soon lose them all.
        strays: Share of the positions that leave the examples, by a random move first.
        stray: Most moves by which they leave the examples.
        walkers: The players that make those moves after the first, such as the net that is to be improved and some that
            it should beat; each side is one of them, by lot.
        dataset: Set of examples: original, unique, original-s or unique-s.
        split: What is kept for the test: positions or games; as in the training that will use it.
        test: Share that is kept for the test.
        split_seed: Number that the split comes from.
        seed: Number that all chance comes from.
        threads: Threads for the core; changes speed only.
        json: Print JSON for programs.
    """
    from zeroply.learning.imitation import judging

    set_threads(threads)
    config = judging.JudgeConfig(
        data=data,
        dataset=dataset,
        judge=judge,
        positions=positions,
        until=until,
        own=own,
        strays=strays,
        stray=stray,
        walkers=walkers,
        split=split,
        test=test,
        split_seed=split_seed,
        seed=seed,
    )
    with interruptible(run), progress("judging") as report:
        judged = judging.judge(config, run, report)
    _print(run, len(judged), json)


def resume_judge(run: Run, json: bool) -> None:
    """Go on with judging."""
    from zeroply.learning.imitation import judging

    with progress("judging") as report:
        judged = judging.resume(run, report)
    _print(run.folder, len(judged), json)


def _print(folder: Path, positions: int, json: bool) -> None:
    if json:
        print_json({"folder": str(folder), "positions": positions})
    else:
        console.print(f"{positions:,} positions judged in {folder}", markup=False, soft_wrap=True)
