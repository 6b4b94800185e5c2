"""Dominance tournament: how often a run came up with a net that beats all the dominant ones before it.

After Stanley and Miikkulainen, "Competitive Coevolution through Evolutionary Complexification" (JAIR 2004), as used by
Schaul and Schmidhuber 2009 (section V-D). The champions go in the order of their generations; the first is dominant,
and a later one is added if it beats every dominant one so far. Their number measures progress without an outside judge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from zeroply.progress import Progress, no_progress

Meet = Callable[[int, Sequence[int]], NDArray[np.float64]]
"""The mean scores of one champion, by its place, against champions at other places, each with both colours equally
often."""


def dominant(champions: int, meet: Meet, progress: Progress = no_progress, ties: bool = False) -> list[int]:
    """The places of the dominant champions; their number is the dominance number.

    With `ties`, as in the authors' script of 2008, a champion only has to lose to none of those before it.
    """
    dominant_places: list[int] = [0] if champions else []
    for place in range(1, champions):
        # The latest dominant champions are the hardest to beat: they are met first, in groups, until one is not beaten.
        if all(_beats(meet, place, group, ties) for group in _groups(dominant_places[::-1])):
            dominant_places.append(place)
        progress(place + 1, champions)
    return dominant_places


def _groups(places: Sequence[int]) -> list[Sequence[int]]:
    return [places[:4], places[4:]] if len(places) > 4 else [places]


def _beats(meet: Meet, place: int, others: Sequence[int], ties: bool) -> bool:
    scores = meet(place, others)
    return bool((scores >= 0).all() if ties else (scores > 0).all())
