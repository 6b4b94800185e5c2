"""Pareto ranking for several objectives at once: fronts of members that no other dominates, then crowding distance.

After Deb, Pratap, Agarwal and Meyarivan, "A Fast and Elitist Multiobjective Genetic Algorithm: NSGA-II" (IEEE TEC
2002), sections III-A and III-B. The paper on MDRNNs suggests such an approach (section VI). All objectives are to be
made as large as possible.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def dominates(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """[n, n] from `values` [n, objectives]: whether the row's is at least as good in all, and better in one."""
    at_least = (values[:, None, :] >= values[None, :, :]).all(axis=2)
    better = (values[:, None, :] > values[None, :, :]).any(axis=2)
    return np.asarray(at_least & better, np.bool_)


def fronts(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """[n]: 0 for members that no other dominates, 1 for members that only front 0 dominates, and so on."""
    over = dominates(values)
    front = np.full(len(values), -1)
    number = 0
    while (front < 0).any():
        left = front < 0
        front[left & ~over[left].any(axis=0)] = number
        number += 1
    return front


def crowding(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """[n]: how far apart the neighbours of each are, within one front; infinite for the best and worst of any."""
    n = len(values)
    distance = np.zeros(n)
    for column in values.T:
        order = np.argsort(column, kind="stable")
        span = column[order[-1]] - column[order[0]]
        distance[order[[0, -1]]] = np.inf
        if span > 0 and n > 2:
            distance[order[1:-1]] += (column[order[2:]] - column[order[:-2]]) / span
    return distance


def ranking(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """[n]: numbers of the members, best first: by front, within a front the least crowded first."""
    front = fronts(values)
    crowded = np.zeros(len(values))
    for number in range(front.max(initial=-1) + 1):
        rows = np.flatnonzero(front == number)
        crowded[rows] = crowding(values[rows])
    return np.lexsort((-crowded, front)).astype(np.int64)
