"""Plain minimax over batches, and what else the tests of search hold the native core against.

A tree is grown ply by ply with `Positions.play`, equal positions of a ply kept once, and values are handed back from
the leaves: no windows, no table, no ordering. Nothing here is shared with the search of the core but the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from zeroply import _core
from zeroply.chance import keys as chance_keys
from zeroply.games import Game, Positions
from zeroply.games import game as make_game
from zeroply.search import EVALUATIONS, Evaluation
from zeroply.search.ntuples import write_player

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

    def preferences(self, judge: Judge) -> Floats:
        """[n, cells]: the exact score of every root move, -inf elsewhere."""
        below = judge(self.layers[-1])
        for layer, ply in zip(self.layers[-2:0:-1], self.plies[:0:-1], strict=True):
            here = np.empty(len(layer), np.float32)
            over = layer.over()
            here[over] = judge(layer[over])
            begins = np.flatnonzero(np.r_[True, ply.parent[1:] != ply.parent[:-1]])
            here[~over] = np.maximum.reduceat(ply.sign * below[ply.child], begins)
            below = here
        roots, first = self.layers[0], self.plies[0]
        out = np.full((len(roots), roots.game.cells), -np.inf, np.float32)
        out[first.parent, first.cell] = first.sign * below[first.child]
        return out

    def passes(self) -> int:
        """The number of moves after which the same side moves again."""
        return int(sum((ply.sign == 1).sum() for ply in self.plies))


def grow(roots: Positions, depth: int = 64) -> Tree:
    """The tree below `roots`, `depth` plies high or up to the end of all games."""
    layers, plies = [roots], list[Ply]()
    while len(plies) < depth and not layers[-1].over().all():
        layer, ply = _step(layers[-1])
        layers.append(layer)
        plies.append(ply)
    return Tree(layers, plies)


def _step(layer: Positions) -> tuple[Positions, Ply]:
    parent, cell = np.nonzero(layer.legal())
    children = layer[parent]
    children.play(cell.astype(np.int32))
    again = (children.to_move() == layer.to_move()[parent]) & ~children.over()
    # An n-tuple evaluation sees who moved last, so positions after a pass are kept apart.
    same = children.hash() ^ (again.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    _, first, child = np.unique(same, return_index=True, return_inverse=True)
    return children[first], Ply(parent, child, cell, np.where(again, np.float32(1), np.float32(-1)))


def random_positions(spec: str, plies: Iterable[int], seed: int = 1) -> Positions:
    """A position after so many random moves for each of `plies`, or where its game ended before."""
    wanted = np.fromiter(plies, np.int64)
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


def following_each_other(positions: Positions, plies: int = 3, seed: int = 1) -> list[str]:
    """Board strings: each position and those of a random line of play from it, which share much of their trees."""
    lines = [[text] for text in positions.text()]
    at, keys, moves = positions.copy(), chance_keys(seed, np.arange(len(lines))), np.empty(len(lines), np.int32)
    for _ in range(plies):
        at.batch.random_moves(keys, moves)
        at.play(moves)
        for line, text, over in zip(lines, at.text(), at.over(), strict=True):
            line.extend([] if over else [text])
    return [text for line in lines for text in line]


def random_boards(n: int, empties: int, black: float, seed: int = 1) -> Positions:
    """Othello boards filled at random, as no game leaves them: full of passes, wipe-outs and finished games."""
    rng = np.random.default_rng(seed)
    boards = np.where(rng.random((n, 64)) < black, "X", "O")
    for board in boards:
        board[rng.choice(64, empties, replace=False)] = "-"
    return make_game("othello").parse([f"{''.join(board)} {'XO'[int(rng.integers(2))]}" for board in boards])


def empties(positions: Positions) -> NDArray[np.int64]:
    """[n]: the number of empty cells."""
    return np.asarray((positions.stones() == 0).sum(axis=1), np.int64)


def disc_difference(positions: Positions) -> NDArray[np.int64]:
    """[n]: what a finished game of Othello 8x8 is worth to the side to move, empty squares to the winner."""
    difference = positions.score().astype(np.int64) * positions.to_move()
    return np.asarray(difference + np.sign(difference) * empties(positions), np.int64)


def sooner_is_better(positions: Positions) -> Floats:
    """[n]: what a finished game of Gomoku or Atari-Go is worth to the side to move; others are worth nothing."""
    won = positions.score() * positions.to_move() * positions.over()
    return np.asarray(won * (1000 - positions.move_number()), np.float32)


SYMMETRIC_PAIR = [[0, 1], [7, 6], [56, 57], [63, 62], [0, 8], [7, 15], [56, 48], [63, 55]]


def evaluation(spec: str, game: Game | str = "othello") -> Evaluation:
    """The evaluation a spec names."""
    return EVALUATIONS.build(spec, game=make_game(game))


def evaluations_of_othello(folder: Path) -> dict[str, Evaluation]:
    """Every evaluation of Othello 8x8, those that are read from files with random weights."""
    rng = np.random.default_rng(7)
    weights, player = folder / "weights.txt", folder / "small.player"
    weights.write_text(" ".join(f"{weight:.4f}" for weight in rng.normal(size=64)))
    tuples = [SYMMETRIC_PAIR, [[27, 28, 35, 36]], [[9, 18, 27], [14, 21, 28], [49, 42, 35], [54, 45, 36]], [[63]]]
    write_player(player, tuples, [list(rng.normal(size=3 ** len(copies[0]))) for copies in tuples])
    specs = {name: name for name in ("pieces", "positional", "mobility", "pattern", "iagno")}
    specs |= {"wpc": f'wpc("{weights}")'}
    specs |= {f"ntuple {white}": f'ntuple("{player}", white={white})' for white in ("negate", "exchange")}
    return {name: evaluation(spec) for name, spec in specs.items()}


@contextmanager
def threads(number: int) -> Iterator[None]:
    """The core uses so many threads meanwhile."""
    before = _core.threads()
    _core.set_threads(number)
    try:
        yield
    finally:
        _core.set_threads(before)
