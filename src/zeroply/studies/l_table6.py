"""L.table6: nets with skip connections against Conv8+BN, with prediction times (Liskowski et al. 2018, section V-B4,
Table VI).

Reading: ResNet-n in its CIFAR form, `-np` without downsampling, `-p` with projections; heads by global average pooling.
"""

from __future__ import annotations

from collections.abc import Sequence

from zeroply.studies.l_figures import (
    NET_CAPTION,
    NOT_RUN,
    about_scale,
    claim,
    gap_claim,
    gather,
    left_out,
    net_row,
    not_above,
    over,
    scale_of,
    verdict,
)
from zeroply.studies.l_nets import Plan, plan_units
from zeroply.studies.l_study import NetStudy
from zeroply.studies.l_table5 import (
    BN,
    TIME_CAPTION,
    Means,
    draw_bars,
    label,
    time_text,
    timed,
    timed_rows,
)
from zeroply.studies.study import Claim, Drawing, Found, Measures, Progress, Report, Scale, Table, Unit
from zeroply.studies.verdicts import all_of

WIDE = "WideNet-40-4"
PLANS = (
    Plan(BN, "conv8(bn=true)"),
    Plan("ResNet-32", "resnet(depth=32)"),
    Plan("ResNet-32-np", "resnet(depth=32, pooling=false)"),
    Plan("ResNet-32-np-p", "resnet(depth=32, pooling=false, projection=true)"),
    Plan("ResNet-56", "resnet(depth=56)"),
    Plan("ResNet-56-np", "resnet(depth=56, pooling=false)"),
    Plan("ResNet-56-np-p", "resnet(depth=56, pooling=false, projection=true)"),
    Plan("DenseNet-40", "densenet(depth=40)"),
    Plan("DenseNet-100", "densenet(depth=100)"),
    Plan(WIDE, "widenet"),
)
PAPER = {
    BN: (62.7, 1.9),
    "ResNet-32": (57.4, 1.0),
    "ResNet-32-np": (59.2, 1.0),
    "ResNet-32-np-p": (59.5, 1.0),
    "ResNet-56": (58.3, 1.8),
    "ResNet-56-np": (60.1, 1.8),
    "ResNet-56-np-p": (60.5, 1.8),
    "DenseNet-40": (59.9, 4.8),
    "DenseNet-100": (61.9, 37.2),
    WIDE: (62.2, 9.4),
}
"""Table VI: accuracy in percent, and time of a prediction in 1e-4 s."""


class Table6(NetStudy):
    """Skip connections."""

    name = "L.table6"
    title = "residual, dense and wide nets against Conv8+BN: accuracy and prediction time"
    source = "Liskowski, Jaśkowski and Krawiec 2018, Table VI and section V-B4"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each net."""
        return plan_units(PLANS, scale, seeds)

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Train a net and time it."""
        return timed(self.place, unit, progress)

    def report(self, found: Found) -> Report:
        """The table in the paper's form, with our times."""
        scale, means = scale_of(found), gather(found, label, "accuracy")
        return Report(
            "All nets learn from Unique-S and are tested on its test examples, split by position as in the paper. "
            "ResNets are in their CIFAR form (16, 32 and 64 maps) and end, like the others but Conv8, in global "
            f"average pooling: our reading. {time_text(found)} {about_scale(scale)} {left_out(scale)}",
            [
                Table("accuracy", TIME_CAPTION, timed_rows(found, means, PAPER)),
                Table("nets", NET_CAPTION, [net_row(*one) for one in found]),
            ],
            [*_claims(scale, means), gap_claim(found)],
            [
                Drawing(
                    "accuracy",
                    "top-1 accuracy on Unique-S, ours with standard errors and the paper's",
                    lambda figure: draw_bars(figure, means, {name: theirs[0] for name, theirs in PAPER.items()}),
                )
            ],
        )


def _claims(scale: Scale, means: Means) -> list[Claim]:
    def of(kind: str) -> list[str]:
        return [f"ResNet-{depth}{kind}" for depth in (32, 56)]

    pooling = over([means[np] - means[plain] for np, plain in zip(of("-np"), of(""), strict=True)])
    projection = over([means[p] - means[np] for p, np in zip(of("-np-p"), of("-np"), strict=True)])
    deeper = over([means[f"ResNet-56{kind}"] - means[f"ResNet-32{kind}"] for kind in ("", "-np", "-np-p")])
    dense = means["DenseNet-100"] - means["DenseNet-40"] if "DenseNet-100" in means else None
    skipping = [name for name in PAPER if name != BN and name in means]
    best = max(skipping, key=lambda name: means[name].value)
    wide = [means[WIDE] - means[name] for name in skipping if name != WIDE] if WIDE in means else []
    nearest = min(wide, key=lambda one: one.value) if wide else None
    above = [means[name] - means[BN] for name in skipping]
    return [
        claim(scale, "ResNets are better without downsampling", f"{pooling.signed} points", pooling.positive),
        claim(scale, "Projections improve them slightly", f"{projection.signed} points", projection.positive),
        claim(scale, "56 layers are better than 32", f"{deeper.signed} points", deeper.positive),
        claim(
            scale,
            "DenseNet-100 is better than DenseNet-40",
            dense.signed if dense else NOT_RUN,
            dense.positive if dense else None,
        ),
        claim(
            scale,
            "WideNet is the best net with skip connections",
            f"the best is {best}; WideNet is {nearest.signed} points from the best other one" if nearest else NOT_RUN,
            verdict(wide) if wide else None,
        ),
        claim(
            scale,
            "No net with skip connections improves on Conv8+BN",
            f"{best} - Conv8+BN {(means[best] - means[BN]).signed} points",
            all_of(not_above(one, len(above)) for one in above),
        ),
    ]
