"""`zeroply ntuples`: learn n-tuple players of Othello by temporal differences or by coevolution."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.table import Table

from zeroply.cli.output import Report, console, interruptible, print_json, print_table, progress, set_threads
from zeroply.learning import ntuple_coevolution, ntuple_tdl
from zeroply.learning.ntuple_champion import Learned, Yardstick, player_of, summary
from zeroply.runs import Run


def tdl(
    run: Path,
    shape: str = "all-3",
    games: int = 200_000,
    rate: float = 0.0005,
    epsilon: float = 0.1,
    trace: float = 0.7,
    plies: int = 6,
    batch: int = 32,
    seed: int = 0,
    opponent: str = "net(othello-swh)",
    openings: str = "random(plies=6)",
    measure_games: int = 1000,
    measures: int = 20,
    threads: int | None = None,
    json: bool = False,
) -> None:
    """Learn by temporal differences from self-play; ends with champion.player in the folder.

    Example: zeroply ntuples tdl --shape all-3 --games 200000 --run runs/all3 --seed 1

    Args:
        run: New folder of the run.
        shape: wpc, all-2, all-3, all-4, 2x2, or some joined by +, such as all-4+2x2.
        games: Games of self-play.
        rate: First step size of a weight; falls linearly to a twentieth.
        epsilon: Share of random moves.
        trace: The lambda of TD(lambda); 0 is TD(0).
        plies: Random moves at the start of each game.
        batch: Games played by the same weights before they are learned from.
        seed: Number that all chance comes from.
        opponent: Spec of the player the champion is measured against.
        openings: Where the games of a measure start.
        measure_games: Games of a measure, even.
        measures: Number of measures, spread evenly.
        threads: Threads for the core; changes speed only.
        json: Print JSON for programs.
    """
    set_threads(threads)
    config = ntuple_tdl.TdlConfig(
        shape=shape,
        games=games,
        rate=rate,
        epsilon=epsilon,
        trace=trace,
        plies=plies,
        batch=batch,
        seed=seed,
        yardstick=Yardstick(opponent=opponent, openings=openings, games=measure_games, measures=measures),
    )
    with _bar("games", run) as report:
        result = ntuple_tdl.learn(config, run, report)
    _print(result, json)


def coevolve(
    run: Path,
    shape: str = "all-2",
    generations: int = 500,
    population: int | None = None,
    sigma: float = 1.0,
    pair_openings: int = 5,
    plies: int = 6,
    seed: int = 0,
    opponent: str = "net(othello-swh)",
    openings: str = "random(plies=6)",
    measure_games: int = 1000,
    measures: int = 20,
    threads: int | None = None,
    json: bool = False,
) -> None:
    """Coevolve by CMA-ES, every generation a round robin; ends with champion.player in the folder.

    Example: zeroply ntuples coevolve --shape all-2 --generations 500 --run runs/all2 --seed 1

    Args:
        run: New folder of the run.
        shape: wpc, all-2, all-3, all-4, 2x2, or some joined by +, such as all-4+2x2.
        generations: Generations of CMA-ES.
        population: Members of a generation; by default 4 + 3 ln(number of weights).
        sigma: First step size.
        pair_openings: Openings every two members of a generation play, with both colours.
        plies: Random moves of these openings.
        seed: Number that all chance comes from.
        opponent: Spec of the player the champion is measured against.
        openings: Where the games of a measure start.
        measure_games: Games of a measure, even.
        measures: Number of measures, spread evenly.
        threads: Threads for the core; changes speed only.
        json: Print JSON for programs.
    """
    set_threads(threads)
    config = ntuple_coevolution.CoevolutionConfig(
        shape=shape,
        generations=generations,
        population=population,
        sigma=sigma,
        openings=pair_openings,
        plies=plies,
        seed=seed,
        yardstick=Yardstick(opponent=opponent, openings=openings, games=measure_games, measures=measures),
    )
    with _bar("generations", run) as report:
        result = ntuple_coevolution.coevolve(config, run, report)
    _print(result, json)


ntuples = {"tdl": tdl, "coevolve": coevolve}


def resume_tdl(run: Run, json: bool) -> None:
    """Go on with learning by temporal differences."""
    with progress("games") as report:
        result = ntuple_tdl.resume(run, report)
    _print(result, json)


def resume_coevolution(run: Run, json: bool) -> None:
    """Go on with coevolution."""
    with progress("generations") as report:
        result = ntuple_coevolution.resume(run, report)
    _print(result, json)


@contextmanager
def _bar(title: str, run: Path) -> Iterator[Report]:
    """A progress bar; when interrupted, says how to go on."""
    with interruptible(run), progress(title) as report:
        yield report


def _print(result: Learned, json: bool) -> None:
    if json:
        print_json(summary(result))
        return
    table = Table(box=None, header_style="bold", padding=(0, 1))
    table.add_column(result.steps, justify="right")
    table.add_column("score", justify="right")
    for done, score in result.scores.items():
        table.add_row(str(done), f"{score:.3f}")
    console.print(f"champion against {result.opponent}\n", markup=False)
    print_table(table)
    console.print(f"\nplay it as {player_of(result.champion)}", soft_wrap=True, markup=False)
