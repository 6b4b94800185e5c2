"""Champions of a run against each other: the CIAO picture and the dominance list.

Both as used by Schaul and Schmidhuber 2009 (section V-D); see `learning/coevolution`. A person waits for the answer, so
only some champions meet, evenly over the generations, each pair with either colour.
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

MOST = 24
"""Champions that meet."""


def ciao(index: RunIndex, run: str) -> schemas.Ciao | None:
    """How the champions of a run fare against each other; None if there is no run of that id."""
    record = index.record(run)
    if record is None:
        return None
    found = index.generations(record)
    if found is None or len(found.numbers) < 2:
        raise ZeroplyError("this run has no champions yet that could meet each other")
    chosen = np.unique(np.linspace(0, len(found.numbers) - 1, min(MOST, len(found.numbers))).round().astype(int))
    weights = found.weights[chosen]
    with workers() as threads:
        scores = meetings(
            str(found.game),
            str(found.net.spec),
            weights,
            weights,
            Scoring.usual(found.game),
            chance.key(record.info.seed, "ciao"),
            threads,
        ).scores
    numbers = [found.numbers[place] for place in chosen]
    circles = intransitive_triples(scores)
    return schemas.Ciao(
        generations=numbers,
        scores=scores.round(3).tolist(),
        dominant=[numbers[place] for place in dominant(len(numbers), lambda one, others: scores[one, list(others)])],
        circles=circles.part,
        triples=circles.of,
    )
