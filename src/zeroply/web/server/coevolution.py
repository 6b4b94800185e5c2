"""Champions of a run against each other: the CIAO plot and the dominance list.

Both as used by Schaul and Schmidhuber 2009 (section V-D); see `learning/coevolution`. To answer quickly, only some
champions play, evenly spread over the generations, each pair with both colours.
"""

from __future__ import annotations

import numpy as np

from zeroply import chance
from zeroply.arena.scores import Scoring
from zeroply.errors import ZeroplyError
from zeroply.learning.coevolution.ciao import intransitive_triples
from zeroply.learning.coevolution.dominance import dominant
from zeroply.learning.coevolution.meetings import meetings
from zeroply.learning.evolution.executors import workers
from zeroply.web.server import schemas
from zeroply.web.server.runs import RunIndex

MAX_CHAMPIONS = 24
"""Most champions that play each other."""


def ciao(index: RunIndex, run: str) -> schemas.Ciao | None:
    """Results of the champions of a run against each other; None if there is no run with that id."""
    record = index.record(run)
    if record is None:
        return None
    champions = index.champions(record)
    if champions is None or len(champions.numbers) < 2:
        raise ZeroplyError("this run has fewer than two champions so far")
    chosen = np.unique(
        np.linspace(0, len(champions.numbers) - 1, min(MAX_CHAMPIONS, len(champions.numbers))).round().astype(int)
    )
    weights = champions.weights[chosen]
    with workers() as threads:
        scores = meetings(
            str(champions.game),
            str(champions.net.spec),
            weights,
            weights,
            Scoring.usual(champions.game),
            chance.key(record.info.seed, "ciao"),
            threads,
        ).scores
    numbers = [champions.numbers[place] for place in chosen]
    circles = intransitive_triples(scores)
    return schemas.Ciao(
        generations=numbers,
        scores=scores.round(3).tolist(),
        dominant=[numbers[place] for place in dominant(len(numbers), lambda one, others: scores[one, list(others)])],
        circles=circles.part,
        triples=circles.of,
    )
