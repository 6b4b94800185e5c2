"""`zeroply coevolve`: nets that learn from playing each other only; each preset is a published method."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from zeroply.cli.evolution_output import champion_line, generations_bar, generations_table
from zeroply.cli.output import console, interruptible, print_json, print_table
from zeroply.cli.presets import Presets
from zeroply.cli.workers import WorkerOptions
from zeroply.learning.coevolution import host_parasite
from zeroply.learning.coevolution.host_parasite import Coevolved, Generation, HostParasiteConfig
from zeroply.options import Flat
from zeroply.runs import Run


def schaul(
    config: Annotated[HostParasiteConfig, Flat],
    run: Path,
    workers: Annotated[WorkerOptions, Flat],
    json: bool = False,
) -> None:
    """Coevolve nets from nothing; ends with champion.safetensors in the folder.

    The default preset, schaul, has two populations, hosts and parasites, with shared fitness, shared sampling and a
    hall of fame. The other preset, lin-white, coevolves spatial nets of Othello and has options of its own:
    zeroply coevolve --preset lin-white --help

    Example: zeroply coevolve --preset schaul --game "atarigo(size=5)" --generations 400 --seed 1 --run runs/coevolved

    Args:
        config: What decides what coevolves.
        run: New folder of the run.
        workers: Who plays the games.
        json: Print JSON for programs.
    """
    where = workers.where()
    with interruptible(run), generations_bar(_line) as progress:
        result = host_parasite.coevolve(config, run, where, progress)
    _print(result, json)


def resume_schaul(run: Run, json: bool, where: str) -> None:
    """Go on with host-parasite coevolution."""
    with generations_bar(_line) as progress:
        result = host_parasite.resume(run, where, progress)
    _print(result, json)


def _line(done: Generation) -> str:
    return f"beat {done.beaten}, score {done.score:+.2f}"


def _print(result: Coevolved, json: bool) -> None:
    if json:
        print_json({"champion": str(result.champion), "generations": [vars(one) for one in result.generations]})
        return
    console.print("the best host of a generation: shared fitness, opponents beaten, mean score; mean of all hosts\n")
    titles = ("generation", "population", "fitness", "beaten", "score", "mean")
    print_table(generations_table(result.generations, titles, _row))
    champion_line(result.champion)


def _row(one: Generation) -> tuple[str, ...]:
    numbers = (f"{one.best:.2f}", str(one.beaten), f"{one.score:+.3f}", f"{one.mean:+.3f}")
    return str(one.number), "AB"[one.hosts], *numbers


coevolve = Presets({"schaul": schaul, "lin-white": "zeroply.cli.coevolve_lin_white:lin_white"})
"""The methods by preset. A further one is a function like `schaul` and an entry here."""
