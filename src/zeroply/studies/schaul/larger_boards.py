"""Nets that learn on a small board and are tried on larger ones: shared by S.beyond1, S.beyond2 and S.beyond3.

A case names a game, a net, the opponent it learns against and the one it is tried against (Schaul and Schmidhuber 2009,
sections V-E and VI). Champions of a run are relatives, so all numbers are stored run by run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from zeroply import chance
from zeroply.games import game
from zeroply.nets import population_net
from zeroply.studies.measured import mean
from zeroply.studies.report import COLOURS, Drawing, Figure, guide
from zeroply.studies.schaul import runs
from zeroply.studies.schaul.scenarios import Scaling, scaling
from zeroply.studies.study import Measures, Progress, Scale, Study, Unit, Units, chosen, part_of, steps

Boards = Mapping[str, tuple[int, ...]]


class LargerBoards(Study):
    """Nets that learn on a small board and are tried on that and on larger ones."""

    boards: ClassVar[Boards] = {"Atari-Go": (5, 9), "Gomoku": (5, 9)}
    """For each game the board they learn on, then the other boards."""

    cases: Sequence[dict[str, Any]]
    """Game, net, the opponent it learns against (None: it does not) and the one it is tried against."""

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        usual = {"scale": scale, "seeds": seeds}
        return [Unit(" ".join(map(str, case.values())), {**usual, **case}, 1) for case in self.cases]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        scale, seeds, name, net, learned, tried = unit.settings.values()
        specs = {size: runs.board(name, size) for size in self.boards[name]}
        key, size = chance.key(unit.seed, self.name, unit.name), runs.SIZES[scale]
        groups: list[runs.Weights]
        if learned is None:  # every untrained net counts as a run
            fresh = runs.untrained(net, specs[self.boards[name][0]], size.nets, chance.key(key, "nets"))
            groups = list(fresh[:, None])
        else:
            usual = {"net": net, "opponents": (learned,) if isinstance(learned, str) else tuple(learned)}
            numbers, groups = runs.run_seeds(seeds, size.variants), []
            for seed, report in steps(part_of(progress, 0, 1 / 2), numbers):
                config = runs.evolution_config(name, self.boards[name][0], scale, seed, **usual)
                run = runs.evolved(self.folders, scale, config, report)
                groups.append(runs.trained([run], size.ignored, max(1, size.trained // len(numbers))))
        weights, report = np.concatenate(groups), part_of(progress, 1 / 2, 1)
        scores = runs.on_boards(specs, net, weights, tried, size.games, key, report)
        return {"runs": [len(group) for group in groups], **{f"on {board}": its for board, its in scores.items()}}

    def table(self, units: Units) -> list[dict[str, Any]]:
        """A row per case and larger board."""
        rows = []
        for unit, measures in units:
            _, _, name, net, learned, tried = unit.settings.values()
            small, *larger = self.boards[name]
            for large in larger:
                its = compared(measures, small, large)
                rows.append(
                    {
                        "game": name,
                        "net": net,
                        "weights": population_net(net, game(runs.board(name, small))).parameters,
                        "learned against": opponent_names(learned),
                        "tried against": tried,
                        "runs": len(its.runs),
                        "small": small,
                        "large": large,
                        **its.means,
                        **its.row,
                        "p of a run": "" if learned is None else mean(its.shares),
                    }
                )
        return rows

    def drawing(self, units: Units) -> Drawing:
        """Distributions of performance on every board, case by case."""
        return Drawing("boards", "performance on every board", lambda figure: _draw(figure, units, self.boards))


def compared(measures: Measures, small: int, large: int) -> Scaling:
    """Two boards compared."""
    return scaling(measures[f"on {small}"], measures[f"on {large}"], measures["runs"])


def run_means(units: Units, size: int, **wanted: Any) -> list[float]:
    """The mean performance on a board of every run of a case."""
    return [one for measures in chosen(units, **wanted) for one in compared(measures, size, size).on_large]


def opponent_names(learned: Any) -> str:
    """The opponents that nets learned against, in words."""
    return "untrained" if learned is None else learned if isinstance(learned, str) else " and ".join(learned)


def _draw(figure: Figure, units: Units, boards: Boards) -> None:
    figure.set_size_inches(11, 1.6 + 0.5 * len(units))
    panel = figure.subplots()
    labels, names = dict[str, None](), []
    for row, (unit, measures) in enumerate(units):
        _, _, name, net, learned, tried = unit.settings.values()
        names.append(
            f"{name} {net}, {'' if learned is None else 'evolved against '}{opponent_names(learned)}\nagainst {tried}"
        )
        for number, size in enumerate(boards[name]):
            low, first, middle, third, high = np.percentile(measures[f"on {size}"], (5, 25, 50, 75, 95))
            y, colour = row + 0.22 * (number - (len(boards[name]) - 1) / 2), COLOURS[number]
            label = f"{size}x{size}"
            panel.plot([low, high], [y, y], color=colour, linewidth=1)
            panel.plot([first, third], [y, y], color=colour, linewidth=4, alpha=0.6)
            panel.plot(middle, y, "o", color=colour, markersize=4, label=None if label in labels else label)
            labels[label] = None
    panel.set_yticks(range(len(units)), names, fontsize="x-small")
    panel.invert_yaxis()
    guide(panel, vertical=True)
    panel.set_xlabel("performance (5, 25, 50, 75 and 95 % of nets)")
    panel.legend(frameon=False, ncols=len(labels), loc="upper left", bbox_to_anchor=(0, 1.0 + 0.9 / (2 + len(units))))
