"""The coevolutionary runs of S.table2, S.fig7, S.fig8, S.fig9, S.table3 and S.fig10, and their tournaments.

Schaul and Schmidhuber 2009, section V-D: two populations of 15 on 5x5, 400 generations. What the champions of a run do
against each other is measured here once for all studies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.arena.scores import Scoring
from zeroply.learning.champions import Champions
from zeroply.learning.coevolution.dominance import dominant
from zeroply.learning.coevolution.host_parasite import HostParasiteConfig
from zeroply.learning.coevolution.meetings import Met, meetings
from zeroply.learning.evolution.executors import Threads
from zeroply.progress import no_progress
from zeroply.studies.schaul.runs import GAMES, NET, SIZES, Version, Weights, authors_form, board, coevolved, run_seeds
from zeroply.studies.study import Folders, Measures, Progress, Scale, Study, Unit, Units, grid

TRAINED_ON = 5
"""The board size of the paper's coevolution."""
_ROWS = 20  # rows of a table of meetings between two reports of progress


def coevolution_config(
    name: str, elitist: bool, scale: Scale, seed: int, version: Version = "text"
) -> HostParasiteConfig:
    """A run with the settings of the text, or with those of the authors' scripts."""
    text = HostParasiteConfig(
        game=board(name, TRAINED_ON), net=NET, elitist=elitist, generations=SIZES[scale].cogenerations, seed=seed
    )
    if version == "text":
        return text
    return replace(
        text,
        net=authors_form(),
        sigma=0.05,
        weights_scale=0.1,
        shared_hall=True,
        shared_sampling=name == "Atari-Go",
    )


def coevolution(
    folders: Folders,
    scale: Scale,
    name: str,
    seed: int,
    progress: Progress = no_progress,
    elitist: bool = True,
    version: Version = "text",
) -> Champions:
    """The champions of a run, which is made or resumed if necessary."""
    return coevolved(folders, scale, coevolution_config(name, elitist, scale, seed, version), progress)


class ElitistRuns(Study):
    """A study of the paper's elitist runs."""

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        return grid("{game} run {seed}", run_seeds(seeds, SIZES[scale].coevolutions), scale=scale, game=[*GAMES])


def first_runs(units: Units) -> dict[str, Measures]:
    """The measures of the first run of each game."""
    return {unit.settings["game"]: measures for unit, measures in units if unit.seed == 1}


def dominant_champions(run: Champions, key: int, progress: Progress = no_progress, ties: bool = False) -> list[int]:
    """Places of the champions that beat all dominant ones before them, or with `ties` lose to none."""
    with Threads() as workers:

        def meet(place: int, others: Sequence[int]) -> NDArray[np.float64]:
            rows, columns = run.weights[place : place + 1], run.weights[list(others)]
            return np.asarray(_met(run, rows, columns, chance.key(key, place, *others), workers).scores[0], np.float64)

        return dominant(len(run), meet, progress, ties)


def table_of_meetings(
    run: Champions, rows: Weights, columns: Weights, key: int, progress: Progress = no_progress
) -> Met:
    """Nets of a run against other nets of it."""
    parts = []
    with Threads() as workers:
        for low in range(0, len(rows), _ROWS):
            parts.append(_met(run, rows[low : low + _ROWS], columns, chance.key(key, low), workers))
            progress(min(low + _ROWS, len(rows)), len(rows))
    return Met.join(parts, len(columns))


def _met(run: Champions, rows: Weights, columns: Weights, key: int, workers: Threads) -> Met:
    return meetings(str(run.game), str(run.net.spec), rows, columns, Scoring.usual(run.game), key, workers)
