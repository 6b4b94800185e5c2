"""Competitive shared sampling: a few opponents that together are hard for as many as possible.

After Rosin and Belew 1995: the sample grows by the net that beats most opponents that no net in the sample beats yet.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def shared_sampling(beaten: NDArray[np.bool_], scores: NDArray[np.float64], wanted: int) -> list[int]:
    """Numbers of the chosen, in the order they were chosen.

    `beaten` [n, others] says whom each has beaten, `scores` [n] decides between equals, then the lower number. reading:
    once all opponents that can be beaten are, the count starts again for the remaining nets.
    """
    chosen: list[int] = []
    open_yet = np.ones(beaten.shape[1], bool)
    free = np.ones(len(beaten), bool)
    while len(chosen) < min(wanted, len(beaten)):
        gain = np.where(free, (beaten & open_yet).sum(axis=1), -1)
        if gain.max() == 0 and not open_yet.all():
            open_yet[:] = True
            continue
        best = int(np.lexsort((-scores, -gain))[0])
        chosen.append(best)
        free[best] = False
        open_yet &= ~beaten[best]
    return chosen
