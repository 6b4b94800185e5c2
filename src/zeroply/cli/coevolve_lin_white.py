"""`zeroply coevolve --preset lin-white`: spatial nets of Othello from nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from rich.table import Table

from zeroply.cli.evolution_output import generations_bar, generations_table, where_of
from zeroply.cli.output import console, interruptible, print_json, print_table, set_threads
from zeroply.learning.champions import player_of
from zeroply.learning.coevolution import lin_white as method
from zeroply.learning.coevolution.lin_white import Coevolved, Generation, LinWhiteConfig
from zeroply.learning.coevolution.observers import STRATEGIES, Watch
from zeroply.runs import Run


def lin_white(
    run: Path,
    net: str = "spatial(layer=queen)",
    generations: int = 10_000,
    population: int = 100,
    opponents: int = 10,
    tournament: Literal["fair", "lasting", "unfair"] = "fair",
    equal: Literal["parents", "offspring", "chance"] = "parents",
    step: float = 0.05,
    factors: Literal["own", "common", "same"] = "own",
    keep: int = 500,
    observe_every: int = 50,
    every_from: int | None = None,
    every_to: int | None = None,
    strategies: tuple[str, ...] = STRATEGIES,
    highest: int = 6,
    seed: int = 0,
    threads: int | None = None,
    processes: int | None = None,
    cluster: str | None = None,
    json: bool = False,
) -> None:
    """Coevolve spatial nets of Othello (Lin and White 2009); ends with champion.safetensors in the folder.

    Half of a generation are parents, half their mutated children; those that win most discs are the next parents.
    Observers measure the parents by the ladder of `zeroply ladder`, without influence on evolution.

    Example: zeroply coevolve --preset lin-white --generations 2000 --seed 1 --run runs/queen

    Args:
        run: New folder of the run.
        net: Spec of a spatial net: spatial(layer=queen), subsquares, king, rows, lines, or a .json file of squares.
        generations: How many generations there are.
        population: Nets of a generation, parents and offspring together, even.
        opponents: Extra offspring that every net meets, even.
        tournament: fair: all meet the same extra offspring; lasting: those of the first generation for good; unfair:
            opponents and number of games are chance.
        equal: Who goes first where points are equal.
        step: First mutation step of every weight.
        factors: own: every step of a child is multiplied by a random number of its own; common: all by one; same: by
            the number that its weight moves by.
        keep: Every so many generations the population and its champion are kept as files.
        observe_every: Generations from one observation to the next; 0 for none.
        every_from: From this generation on every generation is observed.
        every_to: The last of these.
        strategies: Who observes: evaluations, or players that take a depth.
        highest: The highest ply-depth of the ladders; iagno has no more than 4.
        seed: Number that all chance comes from.
        threads: Threads for the core; changes speed only.
        processes: Play in so many processes instead of threads; changes speed only.
        cluster: Play on a dask cluster, tcp://host:port or local:2; changes speed only.
        json: Print JSON for programs.
    """
    set_threads(threads)
    where = where_of(processes, cluster)
    config = LinWhiteConfig(
        net=net,
        generations=generations,
        population=population,
        opponents=opponents,
        tournament=tournament,
        equal=equal,
        step=step,
        factors=factors,
        keep=keep,
        watch=Watch(
            every=observe_every, first=every_from, last=every_to, strategies=tuple(strategies), highest=highest
        ),
        seed=seed,
    )
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
