"""L.table6: nets with skip connections against Conv8+BN, with prediction times (Liskowski et al. 2018, section V-B4,
Table VI).

Reading: ResNet-n in its CIFAR form, `-np` without downsampling, `-p` with projections; heads by global average pooling.
"""

from __future__ import annotations

from zeroply.studies.liskowski.nets import Plan
from zeroply.studies.liskowski.reporting import NOT_RUN, Means, claim, not_above, over, verdict
from zeroply.studies.liskowski.table5 import BN
from zeroply.studies.liskowski.timed import TimedStudy
from zeroply.studies.study import Claim, Found, Scale
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


class Table6(TimedStudy):
    """Skip connections."""

    name = "L.table6"
    title = "residual, dense and wide nets against Conv8+BN: accuracy and prediction time"
    source = "Liskowski, Jaśkowski and Krawiec 2018, Table VI and section V-B4"

    plans = PLANS
    paper = PAPER

    def about(self, scale: Scale) -> str:
        """How the paper is read."""
        return (
            "ResNets are in their CIFAR form (16, 32 and 64 maps) and end, like the others but Conv8, in global "
            "average pooling: our reading."
        )

    def claims(self, scale: Scale, means: Means, found: Found) -> list[Claim]:
        """What the kinds of nets gain."""
        return _claims(scale, means)


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
