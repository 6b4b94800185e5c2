"""S.fig9: games of coevolved champions on 5x5 and 9x9 (Schaul and Schmidhuber 2009, figure 9 and section V-D).

Black is always the same net; the two rows have different nets as White. The paper shows a few such games as an example
of the variety of behaviours that 140 weights are capable of; how many different games there are is counted here. Of
equal moves the lowest is taken, and games that a symmetry carries into each other are one, so that chance adds none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.arena.play import Played
from zeroply.arena.populations import Population, Seats, play_members
from zeroply.games import game
from zeroply.learning.champions import Champions
from zeroply.nets import population_net
from zeroply.players import Choice
from zeroply.studies.claims import Claim, above
from zeroply.studies.measured import share
from zeroply.studies.report import Axes, Drawing, Figure, Report, ResultTable
from zeroply.studies.schaul.coevolution import TRAINED_ON, coevolution
from zeroply.studies.schaul.fig2 import draw_board
from zeroply.studies.schaul.runs import NET, board
from zeroply.studies.study import Measures, Progress, Scale, Study, Unit, Units, grid

BOARDS = (TRAINED_ON, 9)
ROWS = 2
OPENING = 8
"""Moves after which games are counted as well."""
MANY = 0.5
"""Different games per White that are called a large diversity."""


class SchaulFig9(Study):
    """Games of champions."""

    name = "S.fig9"
    title = "games of coevolved champions on 5x5 and 9x9"
    source = "Schaul and Schmidhuber 2009, figure 9 and section V-D"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        return grid("{game} run {seed}", range(1, seeds + 1), scale=scale, game="Atari-Go")

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        run = coevolution(self.folders, unit.settings["scale"], unit.settings["game"], unit.seed, progress)
        whites = run.weights[1::2]
        measures: dict[str, Any] = {"whites": len(whites)}
        moves = {}
        for size in BOARDS:
            played = against_all(run, size, whites, chance.key(unit.seed, unit.name, size))
            moves[size] = [row[row >= 0].tolist() for row in played.moves]
            symmetries = game(board("Atari-Go", size)).symmetries
            measures[f"different {size}"] = different(moves[size], symmetries)
            measures[f"different openings {size}"] = different([one[:OPENING] for one in moves[size]], symmetries)
            measures[f"won {size}"] = int((played.winner > 0).sum())
        shown = different_games(moves[TRAINED_ON], ROWS)
        measures["generations"] = [2 * number + 2 for number in shown]
        measures["black"] = len(run) - 1 if len(run) % 2 == 0 else len(run)
        return measures | {f"moves {size}": [moves[size][number] for number in shown] for size in BOARDS}

    def findings(self, units: Units, scale: Scale) -> Report:
        rows = [
            {
                "run": unit.seed,
                "size": size,
                "Whites": measures["whites"],
                "different games": measures[f"different {size}"],
                f"different after {OPENING} moves": measures[f"different openings {size}"],
                "won by Black": measures[f"won {size}"],
            }
            for unit, measures in units
            for size in BOARDS
        ]
        games = [
            {
                "run": unit.seed,
                "size": size,
                "Black's generation": measures["black"],
                "White's generation": generation,
                "moves": game(board("Atari-Go", size)).notation.transcript(moves),
            }
            for unit, measures in units
            for size in BOARDS
            for generation, moves in zip(measures["generations"], measures[f"moves {size}"], strict=True)
        ]
        shares = {
            f"run {row['run']}, {row['size']}x{row['size']}": share(row["different games"], row["Whites"])
            for row in rows
        }
        text, note = "The champions of a run show a large diversity of behaviours", "different games per White"
        return Report(
            "Black is the last champion of population A of a coevolutionary run on 5x5. It plays every champion of "
            "population B once; shown are the two Whites whose games on 5x5 differ most from each other. The same nets "
            "play on 9x9, on which they were not trained. Of equal moves the lowest is taken, and games that are the "
            "same up to a symmetry of the board count as one.",
            [
                ResultTable("variety", "games of one Black against all champions of the other population", rows),
                ResultTable("games", "the games shown", games),
            ],
            [Claim("section V-D", f"{text} ({MANY} {note})", shares, above(MANY), note=note)],
            [Drawing("games", "numbered moves; Black is the same net in all games", lambda f: _draw(f, units[0][1]))],
        )


def against_all(run: Champions, size: int, whites: NDArray[np.float32], key: int) -> Played:
    """One greedy game of the last champion of population A against each White."""
    net = population_net(NET, game(board("Atari-Go", size)))
    black = run.weights[0::2][-1:]
    members = np.stack([np.zeros(len(whites)), np.arange(len(whites))], axis=1).astype(np.int32)
    seats = Seats(np.tile(np.array([[0, 1]], np.int64), (len(whites), 1)), members)
    sides = [Population(net, weights, Choice(ties="lowest")) for weights in (black, whites)]
    return play_members(sides, seats, chance.keys(key, np.arange(len(whites))))


def different(moves: Sequence[Sequence[int]], symmetries: NDArray[np.int64]) -> int:
    """How many different games there are up to the symmetries of the board."""
    return len({min(tuple(image[list(one)].tolist()) for image in symmetries) for one in moves})


def different_games(moves: Sequence[Sequence[int]], wanted: int) -> list[int]:
    """Numbers of games that part early from each other: the last one, then those that share the fewest first moves."""
    chosen = [len(moves) - 1]
    while len(chosen) < min(wanted, len(moves)):
        shared = [max(_shared(one, moves[other]) for other in chosen) for one in moves]
        left = [number for number in range(len(moves)) if number not in chosen]
        chosen.append(min(left, key=lambda number: (shared[number], -len(moves[number]), -number)))
    return chosen


def _shared(one: Sequence[int], other: Sequence[int]) -> int:
    same = [a == b for a, b in zip(one, other, strict=False)]
    return same.index(False) if False in same else len(same)


def _draw(figure: Figure, measures: Measures) -> None:
    figure.set_size_inches(8, 8)
    rows = len(measures["generations"])
    panels = figure.subplots(rows, len(BOARDS), squeeze=False)
    for row in range(rows):
        for column, size in enumerate(BOARDS):
            _board(panels[row][column], size, measures[f"moves {size}"][row])
            panels[row][column].set_title(
                f"Black: generation {measures['black']}, White: {measures['generations'][row]}", fontsize="small"
            )


def _board(panel: Axes, size: int, moves: Sequence[int]) -> None:
    """A board with the stones of a game and the numbers of their moves."""
    draw_board(panel, size)
    for number, cell in enumerate(moves, 1):
        y, x = divmod(cell, size)
        own, other = ("black", "white") if number % 2 else ("white", "black")
        panel.scatter(x, y, s=7800 / size**1.75, color=own, edgecolors="black", zorder=2)
        style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 9 if size < 7 else 7, "zorder": 3}
        panel.text(x, y, str(number), color=other, **style)
