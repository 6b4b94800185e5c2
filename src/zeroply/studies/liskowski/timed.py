"""The L studies of accuracy and prediction time (Tables V and VI).

The paper's times are of a GPU at batches of 256; ours are CPU time of one thread, at 256 and one by one, unless the
nets run on a GPU here too.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from zeroply.studies.claims import Claim
from zeroply.studies.liskowski.nets import Plan, trained
from zeroply.studies.liskowski.reporting import (
    NOT_RUN,
    Means,
    about_scale,
    curves,
    errors_of,
    gap_claim,
    gather,
    label,
    left_out,
    nets_table,
    trained_measures,
)
from zeroply.studies.liskowski.requirements import NetStudy
from zeroply.studies.liskowski.strength import kind_of_time, times_of
from zeroply.studies.report import COLOURS, Drawing, Report, ResultTable
from zeroply.studies.study import Measures, Progress, Scale, Unit, Units

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TIMES = ("batch 256", "batch 1")


class TimedStudy(NetStudy):
    """A table of nets, their accuracy on Unique-S and their prediction times."""

    extendable = True
    printed: ClassVar[Mapping[str, tuple[float, float]]]
    """By net the paper's accuracy in percent, and prediction time in 1e-4 s."""

    @abstractmethod
    def about(self, scale: Scale) -> str:
        """More about these nets, for the text of the report."""

    @abstractmethod
    def claims(self, scale: Scale, means: Means, units: Units) -> list[Claim]:
        """The paper's claims except the one on overfitting; `means` are accuracies."""

    def plans(self, scale: Scale) -> Sequence[Plan]:
        """The nets of the table, and further ones."""
        return [*self.nets, *(Plan(net, net) for net in self.also)]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Train a net or a bag, and time it."""
        net = trained(self.folders, unit, progress)
        return {**trained_measures(net.result), **times_of(net, unit.settings["scale"])}

    def findings(self, units: Units, scale: Scale) -> Report:
        """The table in the paper's form, with our times."""
        means, printed = gather(units, label, "accuracy"), self.printed
        names = [*printed, *self.also]
        rows = [_row(name, printed.get(name, ("", "")), units, means) for name in names]
        table = "top-1 accuracy on the Unique-S test set in percent, and time of a prediction in 1e-4 s"
        caption = "top-1 accuracy on Unique-S, ours with standard errors and the paper's"
        return Report(
            "All nets learn from Unique-S and are tested on its test examples, split by position as in the paper. "
            f"{self.about(scale)} Times are {kind_of_time(measures for _, measures in units)} per position, encoding "
            "included, the best of several trials; the paper's are of a GPU (GTX Titan) at batches of 256. "
            f"{about_scale(scale)} {left_out(scale, self.plans(scale))}".rstrip(),
            [ResultTable("accuracy", table, rows), nets_table(units)],
            [*self.claims(scale, means, units), gap_claim(units)],
            [Drawing("accuracy", caption, lambda figure: _draw(figure, names, means, printed)), curves(units)],
        )


def _row(name: str, theirs: tuple[float | str, float | str], units: Units, means: Means) -> dict[str, Any]:
    """Accuracy and times of a net, ours and the paper's."""
    some = [measures for unit, measures in units if label(unit) == name]
    seconds = [float(np.mean([one[time] for one in some])) for time in TIMES] if some else []
    return {
        "net": name,
        "parameters": some[0]["parameters"] if some else "",
        "seeds": len(some),
        "ours": means.get(name, NOT_RUN),
        "paper": theirs[0],
        **{time: round(1e4 * seconds[i], 2) if some else "" for i, time in enumerate(TIMES)},
        "1 : 256": round(seconds[1] / seconds[0], 1) if some else "",
        "paper, batch 256": theirs[1],
    }


def _draw(figure: Figure, names: Sequence[str], means: Means, paper: Mapping[str, tuple[float, float]]) -> None:
    """Ours and the paper's accuracy, a row per net."""
    panel = figure.subplots()
    places = dict(zip(names, reversed(range(len(names))), strict=True))
    printed = [theirs[0] for theirs in paper.values()]
    panel.plot(printed, [places[name] for name in paper], "s", color="#999999", label="paper")
    ours = {places[name]: means[name] for name in names if name in means}
    values, errors = [one.value for one in ours.values()], errors_of([*ours.values()])
    panel.errorbar(values, [*ours], xerr=errors, fmt="o", color=COLOURS[0], capsize=4, label="ours")
    panel.set_yticks([*places.values()], [*places])
    panel.set_xlabel("accuracy on Unique-S (%)")
    panel.grid(axis="x", color="#dddddd", linewidth=0.6)
    panel.margins(y=0.1)
    figure.legend(*panel.get_legend_handles_labels(), loc="outside upper right", ncols=2, frameon=False)
