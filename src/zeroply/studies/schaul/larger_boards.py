"""Nets that learn on a small board and are tried on larger ones: what S.beyond1, S.beyond2 and S.beyond3 share.

A case says which game and net, whom it learns against and whom it is tried against (Schaul and Schmidhuber 2009,
sections V-E and VI). Champions of a run are relatives, so everything is kept run by run.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.games import game
from zeroply.learning.evolution.scaling import Scaling, scaling
from zeroply.nets import population_net
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
from zeroply.studies.study import (
    COLOURS,
    Drawing,
    Found,
    Measures,
    Progress,
    Scale,
    Study,
    Unit,
    part_of,
)
from zeroply.studies.verdicts import Estimate, mean_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RUNS: dict[Scale, int] = {"smoke": 1, "cpu": 2, "paper": 5}


class LargerBoards(Study):
    """Nets that learn on a small board and are tried on that and on larger ones."""

    boards: ClassVar[Mapping[str, tuple[int, ...]]] = {"Atari-Go": (5, 9), "Gomoku": (5, 9)}
    """For each game the board they learn on, then those they are tried on as well."""

    @abstractmethod
    def cases(self) -> Sequence[dict[str, Any]]:
        """What is compared: game, net, who it learns against (None: it does not), who it is tried against."""

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each case."""
        return [
            Unit(" ".join(str(value) for value in case.values()), {"scale": scale, "seeds": seeds, **case}, 1)
            for case in self.cases()
        ]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """The performance of the nets of a case on every board, and how many nets are from each run."""
        case, scale, sizes = unit.settings, unit.settings["scale"], self.boards[unit.settings["game"]]
        groups = self._weights(unit, part_of(progress, 0, 0.5))
        weights = np.concatenate(groups)
        found: dict[str, Any] = {"runs": [len(group) for group in groups]}
        for number, size in enumerate(sizes):
            the_game, key = board(case["game"], size), chance.key(unit.seed, self.name, unit.name, size)
            report = part_of(progress, 0.5 + 0.5 * number / len(sizes), 0.5 + 0.5 * (number + 1) / len(sizes))
            scores = performance(the_game, case["net"], weights, case["tried"], SIZES[scale].games, key, report)
            found[f"on {size}"] = rounded(scores)
        return found

    def _weights(self, unit: Unit, progress: Progress) -> list[NDArray[np.float32]]:
        """The nets of every run; untrained nets are each a run of its own."""
        case, scale, small = unit.settings, unit.settings["scale"], self.boards[unit.settings["game"]][0]
        size = SIZES[scale]
        if case["learned"] is None:
            key = chance.key(unit.seed, self.name, unit.name, "nets")
            return list(untrained(case["net"], board(case["game"], small), size.nets, key)[:, None])
        seeds, groups = run_seeds(case["seeds"], RUNS[scale]), []
        learned = case["learned"]
        opponents = (learned,) if isinstance(learned, str) else tuple(learned)
        for number, seed in enumerate(seeds):
            config = evolution_config(case["game"], small, scale, seed, net=case["net"], opponents=opponents)
            report = part_of(progress, number / len(seeds), (number + 1) / len(seeds))
            run = evolved(self.place, scale, config, report)
            groups.append(trained([run], size.ignored, max(1, size.trained // len(seeds))))
        return groups

    def table(self, found: Found) -> list[dict[str, Any]]:
        """A row for each case and larger board."""
        rows = []
        for unit, measures in found:
            case = unit.settings
            small, *larger = self.boards[case["game"]]
            for large in larger:
                result = compared(measures, small, large)
                low, high = result.correlation_interval
                rows.append(
                    {
                        "game": case["game"],
                        "net": case["net"],
                        "weights": population_net(case["net"], game(board(case["game"], small))).parameters,
                        "learned against": opponent_names(case["learned"]),
                        "tried against": case["tried"],
                        "n": result.nets,
                        "runs": len(measures["runs"]),
                        "small": small,
                        "on small": round(float(np.mean(measures[f"on {small}"])), 2),
                        "larger": large,
                        "on larger": round(float(np.mean(measures[f"on {large}"])), 2),
                        "r": round(result.correlation, 2),
                        "r 95 %": f"{low:.2f} to {high:.2f}",
                        "p": round(result.higher, 2),
                        "p of a run": plain_share(mean_of(run_shares(measures, small, large)))
                        if case["learned"] is not None
                        else "",
                    }
                )
        return rows

    def drawing(self, found: Found) -> Drawing:
        """Distributions of performance on every board, case by case."""
        return Drawing("boards", "performance on every board", lambda figure: _draw(figure, found, self.boards))


def compared(measures: Measures, small: int, large: int) -> Scaling:
    """Two boards compared over all nets."""
    return scaling(measures[f"on {small}"], measures[f"on {large}"])


def run_shares(measures: Measures, small: int, large: int) -> list[float]:
    """p of every run."""
    both = zip(_by_run(measures, small), _by_run(measures, large), strict=True)
    return [scaling(low, high).higher for low, high in both]


def run_means(found: Found, size: int, **wanted: Any) -> Scores:
    """The mean performance on a board of every run of a case."""
    chosen = [measures for unit, measures in found if wanted.items() <= unit.settings.items()]
    return np.array([run.mean() for measures in chosen for run in _by_run(measures, size)])


def _by_run(measures: Measures, size: int) -> list[Scores]:
    scores = np.asarray(measures[f"on {size}"], np.float64)
    return np.split(scores, np.cumsum(measures["runs"])[:-1])


def opponent_names(learned: Any) -> str:
    """Whom nets learned against, in words."""
    return "untrained" if learned is None else learned if isinstance(learned, str) else " and ".join(learned)


def plain_share(share: Estimate) -> str:
    """A share with its error, without a sign."""
    return str(share).lstrip("+")


def _draw(figure: Figure, found: Found, boards: Mapping[str, tuple[int, ...]]) -> None:
    figure.set_size_inches(11, 1.6 + 0.5 * len(found))
    panel = figure.subplots()
    labelled: set[str] = set()
    for row, (unit, measures) in enumerate(found):
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
        for u, _ in found
    ]
    panel.set_yticks(range(len(found)), names, fontsize="x-small")
    panel.invert_yaxis()
    panel.axvline(0, color="#999999", linewidth=0.8, linestyle=":")
    panel.set_xlabel("performance (5, 25, 50, 75 and 95 % of nets)")
    panel.legend(frameon=False, ncols=len(labelled), loc="upper left", bbox_to_anchor=(0, 1.0 + 0.9 / (2 + len(found))))
