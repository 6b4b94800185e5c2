"""Nets that learn on a small board and are tried on larger ones: shared by S.beyond1, S.beyond2 and S.beyond3.

A case names a game, a net, the opponent it learns against and the one it is tried against (Schaul and Schmidhuber 2009,
sections V-E and VI). Champions of a run are relatives, so all numbers are stored run by run.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.games import game
from zeroply.nets import population_net
from zeroply.studies.measured import mean
from zeroply.studies.report import COLOURS, Drawing
from zeroply.studies.schaul.runs import (
    SIZES,
    Scores,
    board,
    evolution_config,
    evolved,
    performance,
    rounded,
    run_seeds,
    trained,
    untrained,
)
from zeroply.studies.schaul.scenarios import Scaling, scaling
from zeroply.studies.study import Measures, Progress, Scale, Study, Unit, Units, chosen, part_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class LargerBoards(Study):
    """Nets that learn on a small board and are tried on that and on larger ones."""

    boards: ClassVar[Mapping[str, tuple[int, ...]]] = {"Atari-Go": (5, 9), "Gomoku": (5, 9)}
    """For each game the board they learn on, then those they are tried on as well."""

    @abstractmethod
    def cases(self) -> Sequence[dict[str, Any]]:
        """The cases: game, net, the opponent it learns against (None: it does not) and the one it is tried against."""

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit per case."""
        return [
            Unit(" ".join(str(value) for value in case.values()), {"scale": scale, "seeds": seeds, **case}, 1)
            for case in self.cases()
        ]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """The performance of the nets of a case on every board, and how many nets are from each run."""
        case, scale, sizes = unit.settings, unit.settings["scale"], self.boards[unit.settings["game"]]
        groups = self._weights(unit, part_of(progress, 0, 0.5))
        weights = np.concatenate(groups)
        measures: dict[str, Any] = {"runs": [len(group) for group in groups]}
        for number, size in enumerate(sizes):
            spec, key = board(case["game"], size), chance.key(unit.seed, self.name, unit.name, size)
            report = part_of(progress, 0.5 + 0.5 * number / len(sizes), 0.5 + 0.5 * (number + 1) / len(sizes))
            scores = performance(spec, case["net"], weights, case["tried"], SIZES[scale].games, key, report).scores
            measures[f"on {size}"] = rounded(scores)
        return measures

    def _weights(self, unit: Unit, progress: Progress) -> list[NDArray[np.float32]]:
        """The nets of every run; every untrained net is a run of its own."""
        case, scale, small = unit.settings, unit.settings["scale"], self.boards[unit.settings["game"]][0]
        size = SIZES[scale]
        if case["learned"] is None:
            key = chance.key(unit.seed, self.name, unit.name, "nets")
            return list(untrained(case["net"], board(case["game"], small), size.nets, key)[:, None])
        seeds, groups = run_seeds(case["seeds"], size.variants), []
        opponents = (case["learned"],) if isinstance(case["learned"], str) else tuple(case["learned"])
        for number, seed in enumerate(seeds):
            config = evolution_config(case["game"], small, scale, seed, net=case["net"], opponents=opponents)
            report = part_of(progress, number / len(seeds), (number + 1) / len(seeds))
            run = evolved(self.folders, scale, config, report)
            groups.append(trained([run], size.ignored, max(1, size.trained // len(seeds))))
        return groups

    def table(self, units: Units) -> list[dict[str, Any]]:
        """A row per case and larger board."""
        rows = []
        for unit, measures in units:
            case = unit.settings
            small, *larger = self.boards[case["game"]]
            parameters = population_net(case["net"], game(board(case["game"], small))).parameters
            for large in larger:
                result = compared(measures, small, large)
                shares = run_shares(measures, small, large) if case["learned"] is not None else None
                rows.append(
                    {
                        "game": case["game"],
                        "net": case["net"],
                        "weights": parameters,
                        "learned against": opponent_names(case["learned"]),
                        "tried against": case["tried"],
                        "runs": len(measures["runs"]),
                        "small": small,
                        "large": large,
                        **result.means,
                        **result.row,
                        "p of a run": mean(shares) if shares else "",
                    }
                )
        return rows

    def drawing(self, units: Units) -> Drawing:
        """Distributions of performance on every board, case by case."""
        return Drawing("boards", "performance on every board", lambda figure: _draw(figure, units, self.boards))


def compared(measures: Measures, small: int, large: int) -> Scaling:
    """Two boards compared over all nets."""
    return scaling(measures[f"on {small}"], measures[f"on {large}"])


def run_shares(measures: Measures, small: int, large: int) -> list[float]:
    """p of every run."""
    both = zip(_by_run(measures, small), _by_run(measures, large), strict=True)
    return [scaling(*boards).p.value for boards in both]


def run_means(units: Units, size: int, **wanted: Any) -> Scores:
    """The mean performance on a board of every run of a case."""
    return np.array([run.mean() for measures in chosen(units, **wanted) for run in _by_run(measures, size)])


def _by_run(measures: Measures, size: int) -> list[Scores]:
    scores = np.asarray(measures[f"on {size}"], np.float64)
    return np.split(scores, np.cumsum(measures["runs"])[:-1])


def opponent_names(learned: Any) -> str:
    """The opponents that nets learned against, in words."""
    return "untrained" if learned is None else learned if isinstance(learned, str) else " and ".join(learned)


def _draw(figure: Figure, units: Units, boards: Mapping[str, tuple[int, ...]]) -> None:
    figure.set_size_inches(11, 1.6 + 0.5 * len(units))
    panel = figure.subplots()
    labelled: set[str] = set()
    for row, (unit, measures) in enumerate(units):
        sizes = boards[unit.settings["game"]]
        for number, size in enumerate(sizes):
            low, first, middle, third, high = np.percentile(measures[f"on {size}"], (5, 25, 50, 75, 95))
            y, colour = row + 0.22 * (number - (len(sizes) - 1) / 2), COLOURS[number]
            label = f"{size}x{size}"
            panel.plot([low, high], [y, y], color=colour, linewidth=1)
            panel.plot([first, third], [y, y], color=colour, linewidth=4, alpha=0.6)
            panel.plot(middle, y, "o", color=colour, markersize=4, label=None if label in labelled else label)
            labelled.add(label)
    names = [
        f"{u.settings['game']} {u.settings['net']}, "
        + ("untrained" if u.settings["learned"] is None else f"evolved against {opponent_names(u.settings['learned'])}")
        + f"\nagainst {u.settings['tried']}"
        for u, _ in units
    ]
    panel.set_yticks(range(len(units)), names, fontsize="x-small")
    panel.invert_yaxis()
    panel.axvline(0, color="#999999", linewidth=0.8, linestyle=":")
    panel.set_xlabel("performance (5, 25, 50, 75 and 95 % of nets)")
    panel.legend(frameon=False, ncols=len(labelled), loc="upper left", bbox_to_anchor=(0, 1.0 + 0.9 / (2 + len(units))))
