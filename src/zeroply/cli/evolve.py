"""`zeroply evolve`: evolve population nets against fixed opponents."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

from zeroply.cli.evolution_output import champion_line, generations_bar, generations_table
from zeroply.cli.output import console, interruptible, print_json, print_table
from zeroply.cli.presets import Presets
from zeroply.cli.workers import WorkerOptions
from zeroply.learning.evolution import evolve as evolution
from zeroply.learning.evolution.config import PRESETS, EvolveConfig, preset
from zeroply.learning.evolution.evolve import Evolved, Generation
from zeroply.options import Flat
from zeroply.runs import Run


def start(
    config: Annotated[EvolveConfig, Flat],
    run: Path,
    workers: Annotated[WorkerOptions, Flat],
    json: bool = False,
) -> None:
    """Evolve nets against fixed opponents; ends with champion.safetensors in the folder.

    The default preset, schaul, is the (10+10) strategy of the paper; hill-climbing has one parent and one offspring;
    cma-es is CMA-ES. They differ in what an option is if it is not given: zeroply evolve --preset cma-es --help

    Example: zeroply evolve --game "atarigo(size=5)" --net "mdrnn(k=10)" --generations 100 --seed 1 --run runs/atari

    Example: zeroply evolve --game "gomoku(size=7)" --objectives black white speed --run runs/gomoku

    Args:
        config: What decides what evolves.
        run: New folder of the run.
        workers: Who plays the games.
        json: Print JSON for programs.
    """
    where = workers.where()
    with interruptible(run), generations_bar(_line) as progress:
        result = evolution.evolve(config, run, where, progress)
    _print(result, json)


def resume_evolve(run: Run, json: bool, where: str) -> None:
    """Go on with evolution."""
    with generations_bar(_line) as progress:
        result = evolution.resume(run, where, progress)
    _print(result, json)


def _line(done: Generation) -> str:
    return f"best {done.best:+.2f}, mean {done.mean:+.2f}"


def _print(result: Evolved, json: bool) -> None:
    if json:
        print_json({"champion": str(result.champion), "generations": [vars(one) for one in result.generations]})
        return
    console.print("fitness of the best net of a generation, and of all\n")
    print_table(generations_table(result.generations, ("generation", "best", "mean", "won"), _row))
    champion_line(result.champion)


def _row(one: Generation) -> tuple[str, ...]:
    return str(one.number), f"{one.best:+.3f}", f"{one.mean:+.3f}", f"{100 * one.wins:.0f} %"


evolve = Presets({name: partial(start, config=preset(name)) for name in PRESETS})
"""The recipes by preset: the same function with other defaults."""
