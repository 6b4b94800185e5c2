"""L.table5: dropout, batch normalisation and bagging on Conv8, with prediction times (Liskowski et al. 2018, section
V-B3, Table V).
"""

from __future__ import annotations

import numpy as np

from zeroply.studies.liskowski.nets import SIZES, Plan
from zeroply.studies.liskowski.reporting import Means, claim, label
from zeroply.studies.liskowski.timed import TimedStudy
from zeroply.studies.study import Claim, Found, Scale
from zeroply.studies.verdicts import opposite

BASELINE, DROPOUT, BN, BAG = "Conv8", "Conv8+dropout", "Conv8+BN", "Conv8+BN+bagging"
PLANS = (
    Plan(BASELINE, "conv8"),
    Plan(DROPOUT, "conv8(dropout=0.5)"),
    Plan(BN, "conv8(bn=true)"),
    Plan(BAG, "conv8(bn=true)", bag=True),
)
PAPER = {BASELINE: (60.5, 1.6), DROPOUT: (58.8, 1.6), BN: (62.7, 1.9), BAG: (64.0, 19.4)}
"""Table V: accuracy in percent, and time of a prediction in 1e-4 s."""


class Table5(TimedStudy):
    """Ways to generalise."""

    name = "L.table5"
    title = "dropout, batch normalisation and bagging: accuracy and prediction time"
    source = "Liskowski, Jaśkowski and Krawiec 2018, Table V and section V-B3"

    plans = PLANS
    paper = PAPER

    def about(self, scale: Scale) -> str:
        """How large a bag is."""
        return f"A bag holds {SIZES[scale].bag} nets (the paper's ten), each trained on its own bootstrap sample."

    def claims(self, scale: Scale, means: Means, found: Found) -> list[Claim]:
        """What each way gains."""
        return _claims(scale, means, found)


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
