"""The hall of fame: champions of earlier generations that the hosts still have to face.

After Rosin and Belew 1995. It keeps evolution from forgetting how to beat earlier champions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zeroply import chance


def draw_from(size: int, wanted: int, key: int) -> NDArray[np.int64]:
    """Numbers of `wanted` members of a hall of fame, without replacement; all of them if there are not more."""
    if size <= wanted:
        return np.arange(size)
    order = np.argsort(chance.draw(key, np.arange(size)), kind="stable")
    return np.sort(order[:wanted]).astype(np.int64)
