"""S.fig2: a board and the output of a net (Schaul and Schmidhuber 2009, figure 2 and section III).

A net with two hidden units and random weights evaluates a position as White. Where no stones are near, its output is
symmetric with respect to the border; around the stones it is not. Both are measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.games import game
from zeroply.nets import population_net
from zeroply.studies.claims import Claim, above, below
from zeroply.studies.measured import exact, mean
from zeroply.studies.report import Axes, Drawing, Figure, Report, ResultTable
from zeroply.studies.schaul.runs import Scores, rounded, untrained
from zeroply.studies.study import Measures, Progress, Scale, Study, Unit, Units, grid

NET = "mdrnn(k=2)"
SIZE = 19
MOVES = "c16 d16 d17 c17 e16 d15 e17 c15 d14 e15 f15"
"""Stones in one corner only, Black's move first; then it is White's turn."""
NEAR = 7
"""Cells up to this row and column from the stones' corner are near them."""
TIMES = 3
"""How many times larger the asymmetry near the stones has to be."""
TOLERANCE = 1e-4
"""Rounding error of an output."""


class SchaulFig2(Study):
    """A board and the output map."""

    name = "S.fig2"
    title = "a board and the output of a net with random weights"
    source = "Schaul and Schmidhuber 2009, figure 2 and section III"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        return grid("net {seed}", range(1, seeds + 1))

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        gomoku = game(f"gomoku(size={SIZE})")
        net = population_net(NET, gomoku)
        weights = untrained(NET, str(gomoku), 1, chance.key(unit.seed, self.name))
        outputs = {}
        for name, position in (("board", gomoku.replay(MOVES)), ("empty", gomoku.start())):
            output = net.prefer(weights, np.zeros(1, np.int32), position)[0]
            rows = rounded(np.where(np.isfinite(output), output, np.nan).astype(np.float64).reshape(SIZE, SIZE))
            outputs[name] = [[None if cell != cell else cell for cell in row] for row in rows]
        return outputs

    def findings(self, units: Units, scale: Scale) -> Report:
        near, far = (np.concatenate([asymmetry(m)[which] for _, m in units]) for which in (0, 1))
        empty = max(_empty(measures) for _, measures in units)
        rows = [
            {"net": unit.seed, "asymmetry near": mean(one), "asymmetry far": mean(other), "empty board": _empty(m)}
            for unit, m in units
            for one, other in [asymmetry(m)]
        ]
        text = "Without stones nearby the output is symmetrical to the border"
        gap, note = mean(near) - mean(TIMES * far), f"asymmetry near the stones minus {TIMES} times that far from them"
        return Report(
            "Asymmetry is the mean distance of an output from its mirror image in the diagonal through the corner of "
            f"the stones, in units of the map's spread: near (within {NEAR} rows and columns of that corner) and far "
            "from the stones; the intervals are over pairs of cells. The empty board must be symmetric in all eight "
            "ways.",
            [ResultTable("symmetry", "how far the output is from being symmetric", rows)],
            [
                Claim("section III", f"{text}, but not around the stones", gap, above(0), note=note),
                Claim("section III", "The net is symmetric on an empty board", exact(empty), below(TOLERANCE)),
            ],
            [Drawing("map", "the board, and the output for White; brighter is higher", partial(_draw, units[0][1]))],
        )


def _map(measures: Measures, name: str) -> NDArray[np.float64]:
    return np.array([[np.nan if cell is None else cell for cell in row] for row in measures[name]], np.float64)


def asymmetry(measures: Measures) -> tuple[Scores, Scores]:
    """The distances of mirrored cells near the stones and far from them."""
    output = _map(measures, "board")
    spread = float(np.nanstd(output)) or 1.0
    # The transposed map leaves the corner of the stones in place: both blocks are compared with themselves.
    apart = np.abs(output - output.T) / spread
    blocks = apart[:NEAR, :NEAR], apart[NEAR:, NEAR:]
    near, far = (block[np.triu_indices(len(block), 1)] for block in blocks)
    return near[np.isfinite(near)], far[np.isfinite(far)]


def _empty(measures: Measures) -> float:
    """The largest distance of the output on the empty board from one of its images."""
    empty = _map(measures, "empty")
    images = [np.rot90(one, turns) for one in (empty, empty.T) for turns in range(4)]
    return max(float(np.abs(empty - image).max()) for image in images)


def draw_board(panel: Axes, size: int) -> None:
    """An empty board of lines."""
    panel.set_facecolor("#e8c98a")
    for line in range(size):
        panel.plot([0, size - 1], [line, line], color="#5b4a2a", linewidth=0.6, zorder=1)
        panel.plot([line, line], [0, size - 1], color="#5b4a2a", linewidth=0.6, zorder=1)
    frame_board(panel, size)


def frame_board(panel: Axes, size: int) -> None:
    """Square cells, without ticks."""
    panel.set(xlim=(-0.7, size - 0.3), ylim=(size - 0.3, -0.7), aspect="equal", xticks=[], yticks=[])


def _draw(measures: Measures, figure: Figure) -> None:
    left, right = figure.subplots(1, 2)
    stones = game(f"gomoku(size={SIZE})").replay(MOVES).stones()[0].reshape(SIZE, SIZE)
    draw_board(left, SIZE)
    for colour, shade in ((1, "black"), (-1, "white")):
        rows, columns = np.nonzero(stones == colour)
        left.scatter(columns, rows, s=90, color=shade, edgecolors="black", zorder=2)
    left.set_title("the board, White to move", fontsize="medium")
    image = right.imshow(_map(measures, "board"), cmap="gray")
    right.set_facecolor("#e8c98a")  # occupied cells have no output
    right.set_title("the output of a net with two hidden units", fontsize="medium")
    figure.colorbar(image, ax=right, shrink=0.8)
    frame_board(right, SIZE)
