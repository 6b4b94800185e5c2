"""Write the best late champion of runs of `zeroply evolve` or `zeroply coevolve` to src/zeroply/nets/shipped.

python tools/ship_champion.py atarigo-5-mine runs/atari-1 runs/atari-2 ...

The last champions of all runs play new games against naive (Othello: greedy); the best of them play again, the best of
these is selected, and a third, independent set of games gives the figures stored in the file.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.errors import ZeroplyError
from zeroply.learning.champions import Champions, champions, save_champion
from zeroply.learning.evolution.executors import Threads
from zeroply.learning.evolution.fitness import Fitness, evaluate, mean_score
from zeroply.nets.files import SHIPPED, SUFFIX
from zeroply.runs import Run

LATE = 20
"""Number of latest champions of each run that are considered."""
FINALISTS = 5
ROUNDS = {"first": 200, "second": 2_000, "last": 10_000}
"""Games of each candidate in each round."""
SEED = 1


def main(name: str, folders: list[Path], overwrite: bool) -> None:
    """Select the best champion and write it."""
    target = SHIPPED / f"{name}{SUFFIX}"
    if target.exists() and not overwrite:
        raise ZeroplyError(f"net {name} exists: use a new name, or --overwrite to replace it")
    runs = [champions(folder) for folder in folders]
    settings = [Run.read(run.folder).info.config for run in runs]
    for run, its in zip(runs, settings, strict=True):
        if its != settings[0]:
            raise ZeroplyError(
                f"{run.folder} and {runs[0].folder} have different settings: give runs that differ only by seed"
            )
    candidates = [(run, number) for run in runs for number in run.numbers[-LATE:]]
    considered = f"{len(candidates)} champions, at most the last {LATE} of each of {len(runs)} runs"
    opponent = "greedy" if runs[0].game.name == "othello" else "naive"
    for games in (ROUNDS["first"], ROUNDS["second"]):
        scores = _played(candidates, opponent, games)[0]
        best = np.argsort(-scores, kind="stable")[:FINALISTS]
        candidates = [candidates[i] for i in best]
    run, number = candidates[0]
    score, won = (float(values[0]) for values in _played([(run, number)], opponent, ROUNDS["last"]))
    info = Run.read(run.folder).info
    kind = "evolved" if info.kind == "evolve" else "coevolved"
    training = {
        "about": f"{kind} on {run.game}; wins {100 * won:.1f} % of {ROUNDS['last']:,} games against {opponent}",
        "recipe": {**info.config, "seed": info.seed},
        "generation": number,
        "candidates": considered,
        "score": round(score, 4),
    }
    path = save_champion(target, run.net, run.of(number), training)
    print(f"{path.name}: seed {info.seed}, generation {number}, {training['about']}, score {score:+.3f}")


def _played(
    candidates: list[tuple[Champions, int]], opponent: str, games: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """[candidates] each: mean score, and share of games won."""
    run = candidates[0][0]
    weights = np.stack([run.of(number) for run, number in candidates])
    fitness = Fitness(game=str(run.game), opponents=(opponent,), games=games)
    with Threads() as workers:
        outcomes = evaluate(fitness, str(run.net.spec), weights, chance.key(SEED, "ship", games), workers)
    results = np.concatenate([outcome.results for outcome in outcomes.values()], axis=1)
    return np.asarray(mean_score(outcomes)), np.asarray((results > 0).mean(axis=1))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", help="name of the shipped net")
    parser.add_argument("runs", nargs="+", type=Path, help="folders of runs")
    parser.add_argument("--overwrite", action="store_true", help="replace a net of that name")
    given = parser.parse_args()
    try:
        main(given.name, given.runs, given.overwrite)
    except ZeroplyError as error:
        parser.error(str(error))
