"""Plain minimax over batches, and what else the tests of search hold the native core against.

A tree is grown ply by ply with `Positions.play`, equal positions of a ply kept once, and values are handed back from
the leaves: no windows, no table, no ordering. Nothing here is shared with the search of the core but the rules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zeroply.chance import keys as chance_keys
from zeroply.games import Positions
from zeroply.games import game as make_game

Floats = NDArray[np.float32]
Judge = Callable[[Positions], Floats]
"""Values [n] for the side to move, finished games by their result."""


@dataclass(frozen=True)
class Ply:
    """The step from one layer of a tree to the next."""

    parent: NDArray[np.int64]
    """[edges]: ascending, a place in the layer above."""
    child: NDArray[np.int64]
    """[edges]: a place in the layer below."""
    cell: NDArray[np.int64]
    """[edges]: the move."""
    sign: Floats
    """[edges]: -1, or 1 where the same side moves again."""


@dataclass(frozen=True)
class Tree:
    """All lines of play of a number of plies; a forced pass is no ply."""

    layers: list[Positions]
    """The roots first, the leaves last."""
    plies: list[Ply]
    """One fewer than layers."""

    def values(self, judge: Judge) -> Floats:
        """[edges of the first ply]: what each root move is worth to the side that makes it."""
        below = judge(self.layers[-1])
        for layer, ply in zip(self.layers[-2:0:-1], self.plies[:0:-1], strict=True):
            here = np.empty(len(layer), np.float32)
            over = layer.over()
            here[over] = judge(layer[over])
            here[~over] = np.maximum.reduceat(ply.sign * below[ply.child], _starts(ply.parent))
            below = here
        first = self.plies[0]
        return np.asarray(first.sign * below[first.child], np.float32)

    def preferences(self, judge: Judge) -> Floats:
        """[n, cells]: the exact score of every root move, -inf elsewhere."""
        roots, first = self.layers[0], self.plies[0]
        out = np.full((len(roots), roots.game.cells), -np.inf, np.float32)
        out[first.parent, first.cell] = self.values(judge)
        return out


def grow(roots: Positions, depth: int) -> Tree:
    """The tree below `roots`, `depth` plies high; no root may be finished."""
    layers, plies = [roots], []
    for _ in range(depth):
        layer, ply = _step(layers[-1])
        layers.append(layer)
        plies.append(ply)
    return Tree(layers, plies)


def random_positions(spec: str, plies: NDArray[np.int64] | range | list[int], seed: int = 1) -> Positions:
    """A position after so many random moves each, or where its game ended before."""
    wanted = np.asarray(plies)
    positions = make_game(spec).start(len(wanted))
    keys, moves = chance_keys(seed, np.arange(len(wanted))), np.empty(len(wanted), np.int32)
    for ply in range(int(wanted.max(initial=0))):
        positions.batch.random_moves(keys, moves)
        going = (wanted > ply) & ~positions.over()
        positions[going] = positions[going].after(moves[going])
    return positions


def live(positions: Positions) -> Positions:
    """Those that are not finished."""
    return positions[~positions.over()]


def _step(layer: Positions) -> tuple[Positions, Ply]:
    parent, cell = np.nonzero(layer.legal())
    children = layer[parent]
    children.play(cell.astype(np.int32))
    again = (children.to_move() == layer.to_move()[parent]) & ~children.over()
    # A pass just before is part of what an n-tuple evaluation sees, so it keeps positions apart.
    same = children.hash() ^ (again.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    _, first, child = np.unique(same, return_index=True, return_inverse=True)
    return children[first], Ply(parent, child, cell, np.where(again, np.float32(1), np.float32(-1)))


def _starts(parent: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the edges of each parent begin."""
    return np.flatnonzero(np.r_[True, parent[1:] != parent[:-1]])
