"""`zeroply evolve`: evolve population nets against fixed opponents."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from zeroply.cli.evolution_output import champion_line, generations_bar, generations_table, where_of
from zeroply.cli.output import console, interruptible, print_json, print_table, set_threads
from zeroply.learning.evolution import evolve as evolution
from zeroply.learning.evolution.config import Preset
from zeroply.learning.evolution.config import preset as configured
from zeroply.learning.evolution.evolve import Evolved, Generation
from zeroply.runs import Run


def evolve(
    run: Path,
    game: str = "atarigo(size=5)",
    net: str = "mdrnn(k=10)",
    preset: Preset = "schaul",
    generations: int = 100,
    games: int = 100,
    opponent: tuple[str, ...] = ("naive",),
    sizes: tuple[int, ...] = (),
    parents: int | None = None,
    offspring: int | None = None,
    sigma: float | None = None,
    score: Literal["length", "result", "discs"] | None = None,
    temperature: float = 0.0,
    objectives: tuple[str, ...] = (),
    seed: int = 0,
    threads: int | None = None,
    processes: int | None = None,
    cluster: str | None = None,
    json: bool = False,
) -> None:
    """Evolve nets against fixed opponents; ends with champion.safetensors in the folder.

    Example: zeroply evolve --game "atarigo(size=5)" --net "mdrnn(k=10)" --generations 100 --seed 1 --run runs/atari

    Example: zeroply evolve --game "gomoku(size=7)" --objectives black white speed --run runs/gomoku

    Args:
        run: New folder of the run.
        game: Spec of the game.
        net: Spec of a population net.
        preset: schaul is the (10+10) strategy of the paper; hill-climbing has one parent and one offspring.
        generations: Generations to evaluate.
        games: Games of each net in a generation, against each opponent on each board, even.
        opponent: Specs of the opponents.
        sizes: Board sizes to play on; by default that of the game.
        parents: Nets that stay; by default those of the preset.
        offspring: New nets of a generation; by default those of the preset.
        sigma: Standard deviation of a change of a weight; by default that of the preset.
        score: How a game is scored: result and length, the result alone, or discs; by default length, Othello discs.
        temperature: 0 for greedy play; above, the nets draw their moves from the Gibbs distribution.
        objectives: Objectives for Pareto selection, of score, black, white and speed, such as black(opponent=naive).
        seed: Number that all chance comes from.
        threads: Threads for the core; changes speed only.
        processes: Play in so many processes instead of threads; changes speed only.
        cluster: Play on a dask cluster, tcp://host:port or local:2; changes speed only.
        json: Print JSON for programs.
    """
    set_threads(threads)
    where = where_of(processes, cluster)
    config = configured(
        preset,
        game=game,
        net=net,
        generations=generations,
        games=games,
        opponents=opponent,
        sizes=sizes,
        parents=parents,
        offspring=offspring,
        sigma=sigma,
        by=score,
        temperature=temperature,
        objectives=objectives,
        seed=seed,
    )
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
