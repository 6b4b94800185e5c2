"""`zeroply coevolve --preset lin-white`: spatial nets of Othello from nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from rich.table import Table

from zeroply.cli.evolution_output import generations_bar, generations_table
from zeroply.cli.output import console, interruptible, print_json, print_table
from zeroply.cli.workers import WorkerOptions
from zeroply.learning.champions import player_of
from zeroply.learning.coevolution import lin_white as method
from zeroply.learning.coevolution.lin_white import Coevolved, Generation, LinWhiteConfig
from zeroply.options import Flat
from zeroply.runs import Run


def lin_white(
    config: Annotated[LinWhiteConfig, Flat],
    run: Path,
    workers: Annotated[WorkerOptions, Flat],
    json: bool = False,
) -> None:
    """Coevolve spatial nets of Othello (Lin and White 2009); ends with champion.safetensors in the folder.

    Half of a generation are parents, half their mutated children; those that win most discs are the next parents.
    Observers measure the parents by the ladder of `zeroply ladder`, without influence on evolution.

    Example: zeroply coevolve --preset lin-white --generations 2000 --seed 1 --run runs/queen

    Args:
        config: What decides what coevolves, and when it is looked at.
        run: New folder of the run.
        workers: Who plays the games.
        json: Print JSON for programs.
    """
    where = workers.where()
    with interruptible(run), generations_bar(_line) as progress:
        result = method.coevolve(config, run, where, progress)
    _print(result, json)


def resume_lin_white(run: Run, json: bool, where: str) -> None:
    """Go on with coevolution."""
    with generations_bar(_line) as progress:
        result = method.resume(run, where, progress)
    _print(result, json)


def _line(done: Generation) -> str:
    return f"best {done.best:+}, {done.fresh} new, survival {done.survival:.0f}"


def _print(result: Coevolved, json: bool) -> None:
    if json:
        print_json(summary(result))
        return
    console.print("points of a generation, new parents, and how long the parents have survived on average\n")
    titles = ("generation", "best", "mean", "new", "survival")
    print_table(generations_table(result.generations, titles, _row))
    if result.observed:
        console.print("\nhow many parents beat each strategy with Black, by its ply-depth\n")
        print_table(_ladders(result))
    console.print(f"\nplay the champion as {player_of(result.champion)}", soft_wrap=True, markup=False)


def _row(one: Generation) -> tuple[str, ...]:
    return str(one.number), f"{one.best:+}", f"{one.mean:+.1f}", str(one.fresh), f"{one.survival:.1f}"


def _ladders(result: Coevolved) -> Table:
    columns = [(strategy, depth) for strategy in result.observed[0][1] for depth in _depths(result, strategy)]

    def row(observed: tuple[int, dict[str, list[int]]]) -> tuple[str, ...]:
        generation, heights = observed
        counts = (sum(height >= depth for height in heights[strategy]) for strategy, depth in columns)
        return str(generation), *map(str, counts)

    titles = ["generation", *(f"{strategy} {depth}" for strategy, depth in columns)]
    return generations_table(result.observed, titles, row)


def _depths(result: Coevolved, strategy: str) -> range:
    highest = max(max(heights[strategy]) for _, heights in result.observed)
    return range(0, max(highest, 0) + 1, 2)


def summary(result: Coevolved) -> dict[str, Any]:
    """A run for programs."""
    return {
        "champion": str(result.champion),
        "generations": [vars(one) for one in result.generations],
        "observed": [{"generation": generation, "heights": heights} for generation, heights in result.observed],
    }
