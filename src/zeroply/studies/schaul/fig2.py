"""S.fig2: a board and what a net says of it (Schaul and Schmidhuber 2009, figure 2 and section III).

A net with two hidden units and random weights looks at a position as White. Where no stones are near, its output is
symmetric with respect to the border; around the stones it is not. Both are measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.games import game
from zeroply.nets import population_net
from zeroply.studies.schaul.runs import rounded, untrained
from zeroply.studies.study import Claim, Drawing, Found, Measures, Progress, Report, Scale, Study, Table, Unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NET = "mdrnn(k=2)"
SIZE = 19
MOVES = "c16 d16 d17 c17 e16 d15 e17 c15 d14 e15 f15"
"""Stones in one corner only, Black's move first; then it is White's turn."""
NEAR = 7
"""Cells up to this row and column from the stones' corner are near them."""


class Fig2(Study):
    """A board and the output map."""

    name = "S.fig2"
    title = "a board and the output of a net with random weights"
    source = "Schaul and Schmidhuber 2009, figure 2 and section III"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each seed, a net."""
        return [Unit(f"net {seed}", {}, seed) for seed in range(1, seeds + 1)]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """The output on the board and on the empty board."""
        the_game = game(f"gomoku(size={SIZE})")
        net = population_net(NET, the_game)
        weights = untrained(NET, str(the_game), 1, chance.key(unit.seed, self.name))
        outputs = {}
        for name, position in (("board", the_game.replay(MOVES)), ("empty", the_game.start())):
            said = net.prefer(weights, np.zeros(1, np.int32), position)[0]
            outputs[name] = rounded(np.where(np.isfinite(said), said, np.nan).astype(np.float64).reshape(SIZE, SIZE))
        return {name: [[None if v != v else v for v in row] for row in rows] for name, rows in outputs.items()}

    def report(self, found: Found) -> Report:
        """The map, and how symmetric it is near and far from the stones."""
        rows = [{"net": unit.seed, **_numbers(measures)} for unit, measures in found]
        near, far = (np.array([row[f"asymmetry {where}"] for row in rows], np.float64) for where in ("near", "far"))
        empty = [float(str(row["empty board"])) for row in rows]
        return Report(
            "Asymmetry is the mean distance of an output from its mirror image in the diagonal through the corner of "
            f"the stones, in units of the map's spread: near (within {NEAR} rows and columns of that corner) and far "
            "from the stones. The empty board must be symmetric in all eight ways.",
            [Table("symmetry", "how far the output is from being symmetric", rows)],
            [
                Claim(
                    "Without stones nearby the output is symmetrical to the border, but not around the stones",
                    f"asymmetry {near.mean():.3f} near the stones, {far.mean():.3f} far from them",
                    bool(near.mean() > 3 * far.mean()),
                ),
                Claim("The net is symmetric on an empty board", f"asymmetry {max(empty):.1e}", max(empty) < 1e-4),
            ],
            [
                Drawing(
                    "map", "the board, and the output for White; brighter is higher", lambda f: _draw(f, found[0][1])
                )
            ],
        )


def _map(measures: Measures, name: str) -> NDArray[np.float64]:
    return np.array([[np.nan if v is None else v for v in row] for row in measures[name]], np.float64)


def _numbers(measures: Measures) -> dict[str, object]:
    output, empty = _map(measures, "board"), _map(measures, "empty")
    spread = float(np.nanstd(output)) or 1.0
    # The transposed map keeps the corner of the stones where it is: both blocks are compared with themselves.
    apart = np.abs(output - output.T)
    near, far = apart[:NEAR, :NEAR], apart[NEAR:, NEAR:]
    images = [np.rot90(one, turns) for one in (empty, empty.T) for turns in range(4)]
    return {
        "asymmetry near": round(float(np.nanmean(near)) / spread, 4),
        "asymmetry far": round(float(np.nanmean(far)) / spread, 4),
        "empty board": f"{max(float(np.abs(empty - image).max()) for image in images):.1e}",
    }


def _draw(figure: Figure, measures: Measures) -> None:
    left, right = figure.subplots(1, 2)
    stones = game(f"gomoku(size={SIZE})").replay(MOVES).stones()[0].reshape(SIZE, SIZE)
    left.set_facecolor("#e8c98a")
    for line in range(SIZE):
        left.plot([0, SIZE - 1], [line, line], color="#5b4a2a", linewidth=0.6, zorder=1)
        left.plot([line, line], [0, SIZE - 1], color="#5b4a2a", linewidth=0.6, zorder=1)
    for colour, shade in ((1, "black"), (-1, "white")):
        rows, columns = np.nonzero(stones == colour)
        left.scatter(columns, rows, s=90, color=shade, edgecolors="black", zorder=2)
    left.set_title("the board, White to move", fontsize="medium")
    image = right.imshow(_map(measures, "board"), cmap="gray")
    right.set_facecolor("#e8c98a")  # where stones lie the net is not asked
    right.set_title("the output of a net with two hidden units", fontsize="medium")
    figure.colorbar(image, ax=right, shrink=0.8)
    for panel in (left, right):
        panel.set_xlim(-0.6, SIZE - 0.4)
        panel.set_ylim(SIZE - 0.4, -0.6)
        panel.set_aspect("equal")
        panel.set_xticks([])
        panel.set_yticks([])
