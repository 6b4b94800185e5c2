"""L.table5: dropout, batch normalisation and bagging on Conv8, with prediction times (Liskowski et al. 2018, section
V-B3, Table V).

The paper's times are of a GPU at batches of 256; ours are processor time of one thread, at 256 and one by one, unless
the nets run on a GPU here too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from zeroply.studies.l_figures import (
    NET_CAPTION,
    Mean,
    about_scale,
    cell,
    claim,
    gap_claim,
    gather,
    net_row,
    scale_of,
    trained_measures,
)
from zeroply.studies.l_nets import SIZES, Plan, plan_units, trained
from zeroply.studies.l_strength import kind_of_time, times_of
from zeroply.studies.l_study import NetStudy
from zeroply.studies.study import (
    COLOURS,
    Claim,
    Drawing,
    Found,
    Measures,
    Place,
    Progress,
    Report,
    Scale,
    Table,
    Unit,
)
from zeroply.studies.verdicts import opposite

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BASELINE, DROPOUT, BN, BAG = "Conv8", "Conv8+dropout", "Conv8+BN", "Conv8+BN+bagging"
PLANS = (
    Plan(BASELINE, "conv8"),
    Plan(DROPOUT, "conv8(dropout=0.5)"),
    Plan(BN, "conv8(bn=true)"),
    Plan(BAG, "conv8(bn=true)", bag=True),
)
PAPER = {BASELINE: (60.5, 1.6), DROPOUT: (58.8, 1.6), BN: (62.7, 1.9), BAG: (64.0, 19.4)}
"""Table V: accuracy in percent, and time of a prediction in 1e-4 s."""
TIMES = ("batch 256", "batch 1")

Means = Mapping[str, Mean]


class Table5(NetStudy):
    """Ways to generalise."""

    name = "L.table5"
    title = "dropout, batch normalisation and bagging: accuracy and prediction time"
    source = "Liskowski, Jaśkowski and Krawiec 2018, Table V and section V-B3"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each net."""
        return plan_units(PLANS, scale, seeds)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Train a net or a bag, and time it."""
        return timed(self.place, unit, progress)

    def report(self, found: Found) -> Report:
        """The table in the paper's form, with our times."""
        scale, means = scale_of(found), gather(found, label, "accuracy")
        return Report(
            "All nets learn from Unique-S and are tested on its test examples, split by position as in the paper. "
            f"A bag holds {SIZES[scale].bag} nets (the paper's ten), each trained on its own bootstrap sample. "
            f"{time_text(found)} {about_scale(scale)}",
            [
                Table("accuracy", TIME_CAPTION, timed_rows(found, means, PAPER)),
                Table("nets", NET_CAPTION, [net_row(*one) for one in found]),
            ],
            [*_claims(scale, means, found), gap_claim(found)],
            [
                Drawing(
                    "accuracy",
                    "top-1 accuracy on Unique-S, ours with standard errors and the paper's",
                    lambda figure: draw_bars(figure, means, {name: theirs[0] for name, theirs in PAPER.items()}),
                )
            ],
        )


TIME_CAPTION = "top-1 accuracy on the Unique-S test set in percent ± s.e., and time of a prediction in 1e-4 s"


def time_text(found: Found) -> str:
    """What the times are."""
    return (
        f"Times are {kind_of_time(measures for _, measures in found)} for a position, encoding included, the best of "
        "several trials; the paper's are of a GPU (GTX Titan) at batches of 256."
    )


def label(unit: Unit) -> str:
    """The paper's name of a net."""
    return str(unit.settings["label"])


def timed(place: Place, unit: Unit, progress: Progress) -> dict[str, Any]:
    """What a training run says of its net, and the time of a prediction."""
    net = trained(place, unit, progress)
    return {**trained_measures(net.result), **times_of(net, unit.settings["scale"])}


def timed_rows(found: Found, means: Means, paper: Mapping[str, tuple[float, float]]) -> list[dict[str, Any]]:
    """One row for each net: accuracy and times, ours and the paper's."""
    rows = []
    for name, theirs in paper.items():
        some = [measures for unit, measures in found if label(unit) == name]
        seconds = [float(np.mean([one[time] for one in some])) for time in TIMES] if some else []
        rows.append(
            {
                "net": name,
                "parameters": some[0]["parameters"] if some else "",
                "seeds": len(some),
                "ours": cell(means.get(name)),
                "paper": theirs[0],
                **{time: round(1e4 * seconds[i], 2) if some else "" for i, time in enumerate(TIMES)},
                "1 : 256": round(seconds[1] / seconds[0], 1) if some else "",
                "paper, batch 256": theirs[1],
            }
        )
    return rows


def _claims(scale: Scale, means: Means, found: Found) -> list[Claim]:
    dropout, bn, bag = means[DROPOUT] - means[BASELINE], means[BN] - means[BASELINE], means[BAG] - means[BN]
    whole = f"{means[BN]} % against {means[BASELINE]} %"
    return [
        claim(
            scale,
            "Dropout makes Conv8 less accurate",
            f"{dropout.signed} points (paper: -1.7)",
            opposite(dropout.positive),
        ),
        claim(scale, "Batch normalisation makes it more accurate", f"{bn.signed} points, {whole}", bn.positive),
        claim(scale, "It gains more than 2 points", f"{bn.signed} points (paper: +2.2)", (bn - 2).positive),
        claim(scale, "Bagging makes it more accurate still", f"{bag.signed} points (paper: +1.3)", bag.positive),
        _time_claim(scale, found),
    ]


def _time_claim(scale: Scale, found: Found) -> Claim:
    seconds = {name: [m["batch 256"] for unit, m in found if label(unit) == name] for name in (BN, BAG)}
    ratio, members = float(np.mean(seconds[BAG]) / np.mean(seconds[BN])), SIZES[scale].bag
    return claim(
        scale,
        "A bag takes as many times longer to predict as it has nets",
        f"{ratio:.1f} times for {members} nets (paper: 10.2 times for 10)",
        0.7 * members <= ratio <= 1.4 * members,
    )


def draw_bars(figure: Figure, means: Means, paper: Mapping[str, float]) -> None:
    """Ours and the paper's accuracy, a row for each net."""
    panel = figure.subplots()
    names = list(paper)
    places = np.arange(len(names))[::-1]
    panel.plot([paper[name] for name in names], places, "s", color="#999999", label="paper")
    ours = [(means[name], place) for name, place in zip(names, places, strict=True) if name in means]
    values, errors = [one.value for one, _ in ours], [one.error for one, _ in ours]
    panel.errorbar(
        values, [place for _, place in ours], xerr=errors, fmt="o", color=COLOURS[0], capsize=4, label="ours"
    )
    panel.set_yticks(places, names)
    panel.set_xlabel("accuracy on Unique-S (%)")
    panel.grid(axis="x", color="#dddddd", linewidth=0.6)
    panel.margins(y=0.1)
    figure.legend(*panel.get_legend_handles_labels(), loc="outside upper right", ncols=2, frameon=False)
