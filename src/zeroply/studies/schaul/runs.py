"""What the studies of Schaul and Schmidhuber 2009 share: their scales, their runs, and how nets are measured.

Several studies use the same evolved and coevolved nets, so each run is stored in `results/S.runs/SCALE/`; a study that
needs it makes, resumes or reuses it. Performance is always the paper's: the mean score of a net over some games
against a fixed opponent, alternating who starts (section IV-B).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.arena.scores import By
from zeroply.games import game
from zeroply.learning.champions import Champions, champions
from zeroply.learning.coevolution.host_parasite import HostParasite, HostParasiteConfig
from zeroply.learning.evolution.config import EvolveConfig, preset
from zeroply.learning.evolution.evolve import Evolution
from zeroply.learning.evolution.executors import Threads
from zeroply.learning.evolution.fitness import Fitness, evaluate, mean_score
from zeroply.nets import population_net
from zeroply.progress import no_progress
from zeroply.specs import parse
from zeroply.studies.report import Axes, guide
from zeroply.studies.shared_runs import shared_run
from zeroply.studies.study import Folders, Progress, Scale, steps

FOLDER = "S.runs"
"""Where the runs are stored, in the folder of all results."""
NET = "mdrnn(k=10)"
"""The paper's net."""
AUTHORS_BORDER = "border=distance, distances=1"
"""The border of the nets in the authors' scripts."""
GAMES = {"Atari-Go": "atarigo", "Gomoku": "gomoku"}
"""The paper's names of the games."""
Version = Literal["scripts", "text"]
"""The description by which something is measured: the authors' scripts of 2008 (see S.archive), or the paper's text."""
AS: dict[Version, str] = {"scripts": "as the scripts", "text": "as the text"}
_BLOCK = 10  # nets measured between two reports of progress

Scores = NDArray[np.float64]
Weights = NDArray[np.float32]
"""[nets, parameters]"""


@dataclass(frozen=True)
class SchaulSize:
    """The size of everything at one scale."""

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
    """First generations whose champions do not count as trained."""
    trained: int
    """Trained nets of a scenario."""
    tests: int
    """Games in which the last champion of a run is tested."""
    variants: int
    """Runs of each variant where variants are compared."""
    nets_of_a_run: int
    """Nets taken from each run of a variant."""
    opponents: int
    """Games between two fixed opponents."""


SIZES: dict[Scale, SchaulSize] = {
    "smoke": SchaulSize(4, 2, 2, 2, 1, 4, 1, 2, 4, 1, 2, 20),
    "cpu": SchaulSize(100, 50, 3, 100, 2, 200, 50, 100, 200, 2, 20, 10_000),
    # reading: 100 generations of evolution are shown in figure 6; 200 are run.
    "paper": SchaulSize(200, 100, 10, 200, 5, 400, 50, 400, 1000, 5, 40, 100_000),
}


def board(name: str, size: int) -> str:
    """The spec of a game by the paper's name and a board size."""
    return str(game(f"{GAMES[name]}(size={size})").spec) if name in GAMES else f"{name}(size={size})"


def authors_form(k: int = 10) -> str:
    """The net of the authors' scripts with k hidden units."""
    return f"mdrnn(k={k}, {AUTHORS_BORDER})"


@dataclass(frozen=True)
class Performance:
    """How some nets do against an opponent."""

    scores: Scores
    """[nets]: the mean score of each."""
    drawn: float
    """The share of all games that were drawn."""


def performance(
    spec: str,
    net: str,
    weights: Weights,
    opponent: str,
    games: int,
    key: int,
    progress: Progress = no_progress,
    by: By | None = None,
) -> Performance:
    """The mean score of each net over `games` against an opponent, and the share of drawn games."""
    fitness = Fitness(game=spec, opponents=(opponent,), games=games, by=by)
    scores, drawn = [], []
    with Threads() as workers:
        for low in range(0, len(weights), _BLOCK):
            outcomes = evaluate(fitness, net, weights[low : low + _BLOCK], chance.key(key, low), workers)
            scores.append(mean_score(outcomes))
            drawn += [outcome.results == 0 for outcome in outcomes.values()]
            progress(min(low + _BLOCK, len(weights)), len(weights))
    return Performance(np.concatenate(scores), float(np.concatenate(drawn).mean()))


def on_boards(
    specs: Mapping[Any, str],
    net: str,
    weights: Weights,
    opponent: str,
    games: int,
    key: int,
    progress: Progress,
    by: By | None = None,
) -> dict[Any, list[float]]:
    """The performance of nets on several boards by their names, which also key the random streams."""
    return {
        name: rounded(performance(spec, net, weights, opponent, games, chance.key(key, name), report, by).scores)
        for (name, spec), report in steps(progress, specs.items())
    }


def in_fresh_games(config: EvolveConfig, weights: Any, games: int, key: int) -> dict[str, float]:
    """How a net does in fresh games: mean score, shares of games won and drawn."""
    fitness = Fitness(game=config.game, opponents=config.opponents, games=games, by=config.by)
    with Threads() as workers:
        outcomes = list(evaluate(fitness, config.net, np.atleast_2d(weights), key, workers).values())
    results = np.concatenate([outcome.results[0] for outcome in outcomes])
    scores = np.concatenate([outcome.scores[0] for outcome in outcomes])
    return {"score": float(scores.mean()), "won": float((results > 0).mean()), "drawn": float((results == 0).mean())}


def untrained(net: str, spec: str, count: int, key: int) -> Weights:
    """[count, parameters]: nets with random weights, as the paper draws them."""
    return population_net(net, game(spec)).initial(chance.keys(key, np.arange(count)))


def rounded(values: Scores, digits: int = 5) -> list[Any]:
    """Numbers for the log."""
    plain: list[Any] = np.round(values, digits).tolist()
    return plain


# Runs


def evolution_config(name: str, size: int, scale: Scale, seed: int, **changes: Any) -> EvolveConfig:
    """A run of the paper's evolution strategy."""
    sizes = SIZES[scale]
    usual = {"game": board(name, size), "net": NET, "generations": sizes.generations, "games": sizes.games}
    return preset("schaul", **{**usual, "seed": seed, **changes})


def evolved(folders: Folders, scale: Scale, config: EvolveConfig, progress: Progress = no_progress) -> Champions:
    """The champions of a run of evolution, which is made or resumed if necessary."""
    changes = f"{config.parents}-{config.offspring}.{config.temperature:g}.{'-'.join(config.opponents)}"
    unusual = [
        *([f"sigma-{config.sigma:g}"] if config.sigma != EvolveConfig.sigma else []),
        *([f"games-{config.games}"] if config.games != SIZES[scale].games else []),
        *([f"sizes-{'-'.join(map(str, config.sizes))}"] if config.sizes else []),
        *([f"weights-{config.weights_scale:g}"] if config.weights_scale != EvolveConfig.weights_scale else []),
        *([config.colours] if config.colours != EvolveConfig.colours else []),
    ]
    name = _name("evolve", config.game, config.net, changes, *unusual, config.seed)
    folder, experiment = folders.results / FOLDER / scale / name, Evolution(config)
    shared_run(folder, experiment, progress, inputs=experiment.inputs())
    return champions(folder)


def coevolved(
    folders: Folders, scale: Scale, config: HostParasiteConfig, progress: Progress = no_progress
) -> Champions:
    """The champions of a run of coevolution, which is made or resumed if necessary."""
    changes = f"{'' if config.elitist else 'non-'}elitist.{config.population}.{config.temperature:g}"
    usual = HostParasiteConfig
    unusual = [
        *([f"sigma-{config.sigma:g}"] if config.sigma != usual.sigma else []),
        *([f"weights-{config.weights_scale:g}"] if config.weights_scale != usual.weights_scale else []),
        *(["shared-hall"] if config.shared_hall else []),
        *([] if config.shared_sampling else ["random-parasites"]),
    ]
    name = _name("coevolve", config.game, config.net, changes, *unusual, config.seed)
    folder = folders.results / FOLDER / scale / name
    shared_run(folder, HostParasite(config), progress)
    return champions(folder)


def _name(*parts: object) -> str:
    return ".".join(re.sub(r"[^A-Za-z0-9.]+", "-", str(part)).strip("-") for part in parts)


def trained(runs: Sequence[Champions], ignored: int, count: int) -> Weights:
    """[at most count, parameters]: champions after the first generations, spread evenly over all runs."""
    rows = np.concatenate([run.weights[ignored:] for run in runs])
    return np.asarray(rows[spread(len(rows), count)], np.float32)


def spread(available: int, count: int) -> NDArray[np.int64]:
    """At most `count` places, spread evenly over those that are available."""
    return np.linspace(0, available - 1, min(count, available)).round().astype(np.int64)


def run_seeds(seeds: int, runs: int) -> list[int]:
    """The seeds of all runs: `runs` for each repetition of the study."""
    return list(range(1, seeds * runs + 1))


def score_axis(panel: Axes, title: str, xlabel: str = "") -> None:
    """A vertical axis from -1 to 1 with a line at 0."""
    panel.set_title(title, fontsize="medium")
    panel.set(ylim=(-1.03, 1.03), xlabel=xlabel)
    guide(panel)


def plain_name(net: str) -> str:
    """A net for a caption: MDRNN, MLP, ..."""
    return parse(net).name.upper()
