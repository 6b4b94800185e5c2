"""L.table5: dropout, batch normalisation and bagging on Conv8, with prediction times (section V-B3, Table V)."""

from __future__ import annotations

from zeroply.studies.claims import Claim, Rule, above, below
from zeroply.studies.liskowski.nets import SIZES, Plan
from zeroply.studies.liskowski.reporting import Means, label
from zeroply.studies.liskowski.timed import TimedStudy
from zeroply.studies.measured import mean
from zeroply.studies.study import Scale, Units

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
    nets = PLANS
    printed = PAPER

    def about(self, scale: Scale) -> str:
        """How large a bag is."""
        return f"A bag holds {SIZES[scale].bag} nets (the paper's ten), each trained on its own bootstrap sample."

    def claims(self, scale: Scale, means: Means, units: Units) -> list[Claim]:
        """The gain of each."""
        dropout, bn, bag = means[DROPOUT] - means[BASELINE], means[BN] - means[BASELINE], means[BAG] - means[BN]
        seconds = {name: [m["batch 256"] for unit, m in units if label(unit) == name] for name in (BN, BAG)}
        ratio = mean([bagged / one for bagged, one in zip(seconds[BAG], seconds[BN], strict=True)], 1)
        members = SIZES[scale].bag
        longer = f"A bag takes about as many times longer to predict as it has nets, {members} (within 30 %)"
        size, note = Rule(members / 1.3, members * 1.3), "times; in the paper 10.2 times for 10 nets"
        return [
            Claim("table V", "Dropout makes Conv8 less accurate", dropout, below(0), -1.7, note="points"),
            Claim("table V", "Batch normalisation makes it more accurate", bn, above(0), 2.2, note="points"),
            Claim("table V", "It gains more than 2 points", bn, above(2), 2.2, note="points"),
            Claim("table V", "Bagging makes it more accurate still", bag, above(0), 1.3, note="points"),
            Claim("table V", longer, ratio, size, note=note),
        ]
