"""What the S studies (Schaul and Schmidhuber 2009) share: their scales, their runs, and how nets are measured.

Evolved and coevolved nets are looked at by several studies, so each run is kept in `results/S.runs/SCALE/`, and a study
that needs it makes it, goes on with it or takes it as it is. Performance is always the paper's: the mean score of a net
over some games against a fixed opponent, alternating who starts (section IV-B).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.games import game
from zeroply.learning.champions import Champions, champions
from zeroply.learning.coevolution.host_parasite import HostParasite, HostParasiteConfig
from zeroply.learning.evolution.config import EvolveConfig, preset
from zeroply.learning.evolution.evolve import Evolution
from zeroply.learning.evolution.executors import Threads
from zeroply.learning.evolution.fitness import Fitness, evaluate, mean_score
from zeroply.nets import population_net
from zeroply.specs import parse
from zeroply.studies.shared_runs import shared_run
from zeroply.studies.study import Place, Progress, Scale

FOLDER = "S.runs"
"""Where the runs are kept, in the folder of all results."""
NET = "mdrnn(k=10)"
"""The paper's net."""
GAMES = {"Atari-Go": "atarigo", "Gomoku": "gomoku"}
"""The paper's names of the games."""
_BLOCK = 10  # nets measured between two reports of progress

Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Size:
    """What a scale means."""

    nets: int
    """Nets of a scenario."""
    games: int
    """Games of a measurement."""
    runs: int
    """Runs of evolution."""
    generations: int
    """Generations of evolution."""
    coevolutions: int
    """Runs of coevolution."""
    cogenerations: int
    """Generations of coevolution."""
    ignored: int
    """First generations whose champions are not counted as trained."""
    trained: int
    """Trained nets of a scenario."""
    tests: int
    """Games in which the last champion of a run is tested."""


SIZES: dict[Scale, Size] = {
    "smoke": Size(6, 4, 2, 3, 1, 6, 2, 3, 20),
    "cpu": Size(100, 50, 3, 100, 2, 200, 50, 100, 200),
    # reading: 100 generations of evolution are shown in figure 6; 200 are run.
    "paper": Size(200, 100, 10, 200, 5, 400, 50, 400, 1000),
}


def board(name: str, size: int) -> str:
    """The spec of a game by the paper's name and a board size."""
    return str(game(f"{GAMES[name]}(size={size})").spec) if name in GAMES else f"{name}(size={size})"


@dataclass(frozen=True)
class Performance:
    """How some nets do against an opponent."""

    scores: Scores
    """[nets]: the mean score of each."""
    drawn: float
    """The share of all games that were drawn."""


def performance(
    the_game: str,
    net: str,
    weights: NDArray[np.float32],
    opponent: str,
    games: int,
    key: int,
    progress: Progress | None = None,
) -> Scores:
    """[nets]: the mean score of each net over `games` against an opponent."""
    return performance_and_draws(the_game, net, weights, opponent, games, key, progress).scores


def performance_and_draws(
    the_game: str,
    net: str,
    weights: NDArray[np.float32],
    opponent: str,
    games: int,
    key: int,
    progress: Progress | None = None,
) -> Performance:
    """The mean score of each net over `games` against an opponent, and how many games of all were drawn."""
    fitness = Fitness(game=the_game, opponents=(opponent,), games=games)
    scores, drawn = [], []
    with Threads() as workers:
        for low in range(0, len(weights), _BLOCK):
            block = weights[low : low + _BLOCK]
            outcomes = evaluate(fitness, net, block, chance.key(key, low), workers)
            scores.append(mean_score(outcomes))
            drawn += [outcome.results == 0 for outcome in outcomes.values()]
            if progress:
                progress(min(low + _BLOCK, len(weights)), len(weights))
    return Performance(np.concatenate(scores), float(np.concatenate(drawn).mean()))


def in_fresh_games(config: EvolveConfig, weights: Any, games: int, key: int) -> dict[str, float]:
    """How a net does in fresh games: mean score, shares of games won and drawn."""
    fitness = Fitness(game=config.game, opponents=config.opponents, games=games, by=config.by)
    with Threads() as workers:
        outcomes = list(evaluate(fitness, config.net, np.atleast_2d(weights), key, workers).values())
    results = np.concatenate([outcome.results[0] for outcome in outcomes])
    scores = np.concatenate([outcome.scores[0] for outcome in outcomes])
    return {"score": float(scores.mean()), "won": float((results > 0).mean()), "drawn": float((results == 0).mean())}


def untrained(net: str, the_game: str, count: int, key: int) -> NDArray[np.float32]:
    """[count, parameters]: nets with random weights, as the paper draws them."""
    return population_net(net, game(the_game)).initial(chance.keys(key, np.arange(count)))


def rounded(values: Scores, digits: int = 5) -> list[Any]:
    """Numbers as an event keeps them."""
    plain: list[Any] = np.round(values, digits).tolist()
    return plain


def error_of(values: Scores) -> float:
    """The standard error of a mean; NaN of a single value."""
    return float(values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else math.nan


def with_error(values: Scores, digits: int = 3) -> str:
    """A mean with its standard error, as far as that is known."""
    error = error_of(values)
    return f"{values.mean():+.{digits}f}" + ("" if math.isnan(error) else f" ± {error:.{digits}f}")


# Runs


def evolution_config(name: str, size: int, scale: Scale, seed: int, **changes: Any) -> EvolveConfig:
    """A run of the paper's evolution strategy."""
    wanted = {
        "game": board(name, size),
        "net": NET,
        "generations": SIZES[scale].generations,
        "games": SIZES[scale].games,
    }
    return preset("schaul", **{**wanted, "seed": seed, **changes})


def evolved(place: Place, scale: Scale, config: EvolveConfig, progress: Progress | None = None) -> Champions:
    """The champions of a run of evolution, which is made or gone on with if need be."""
    changes = f"{config.parents}-{config.offspring}.{config.temperature:g}.{'-'.join(config.opponents)}"
    unusual = [
        *([f"sigma-{config.sigma:g}"] if config.sigma != EvolveConfig.sigma else []),
        *([f"games-{config.games}"] if config.games != SIZES[scale].games else []),
        *([f"sizes-{'-'.join(map(str, config.sizes))}"] if config.sizes else []),
    ]
    folder = place.results / FOLDER / scale / _name("evolve", config.game, config.net, changes, *unusual, config.seed)
    experiment = Evolution(config)
    shared_run(folder, experiment, progress, inputs=experiment.inputs())
    return champions(folder)


def coevolved(place: Place, scale: Scale, config: HostParasiteConfig, progress: Progress | None = None) -> Champions:
    """The champions of a run of coevolution, which is made or gone on with if need be."""
    changes = f"{'' if config.elitist else 'non-'}elitist.{config.population}.{config.temperature:g}"
    folder = place.results / FOLDER / scale / _name("coevolve", config.game, config.net, changes, config.seed)
    shared_run(folder, HostParasite(config), progress)
    return champions(folder)


def _name(*parts: object) -> str:
    return ".".join(re.sub(r"[^A-Za-z0-9.]+", "-", str(part)).strip("-") for part in parts)


def trained(found: Sequence[Champions], ignored: int, wanted: int) -> NDArray[np.float32]:
    """[at most wanted, parameters]: champions after the first generations, spread evenly over all runs."""
    rows = np.concatenate([run.weights[ignored:] for run in found])
    if len(rows) <= wanted:
        return rows
    return np.asarray(rows[np.linspace(0, len(rows) - 1, wanted).round().astype(np.int64)], np.float32)


def run_seeds(seeds: int, runs: int) -> list[int]:
    """The seeds of all runs: `runs` for each repetition of the study."""
    return list(range(1, seeds * runs + 1))


def plain_name(net: str) -> str:
    """A net for a caption: MDRNN, MLP, ..."""
    return parse(net).name.upper()
