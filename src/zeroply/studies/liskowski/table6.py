"""L.table6: nets with skip connections against Conv8+BN, with prediction times (section V-B4, Table VI).

Reading: ResNet-n in its CIFAR form, `-np` without downsampling, `-p` with projections; heads by global average pooling.
"""

from __future__ import annotations

from collections.abc import Sequence

from zeroply.studies.claims import Claim, above, below
from zeroply.studies.liskowski.nets import Plan
from zeroply.studies.liskowski.reporting import PAR, Means
from zeroply.studies.liskowski.table5 import BN
from zeroply.studies.liskowski.timed import TimedStudy
from zeroply.studies.measured import Measured, average
from zeroply.studies.study import Scale, Units

WIDE = "WideNet-40-4"
TABLE = {
    BN: ("conv8(bn=true)", 62.7, 1.9),
    "ResNet-32": ("resnet(depth=32)", 57.4, 1.0),
    "ResNet-32-np": ("resnet(depth=32, pooling=false)", 59.2, 1.0),
    "ResNet-32-np-p": ("resnet(depth=32, pooling=false, projection=true)", 59.5, 1.0),
    "ResNet-56": ("resnet(depth=56)", 58.3, 1.8),
    "ResNet-56-np": ("resnet(depth=56, pooling=false)", 60.1, 1.8),
    "ResNet-56-np-p": ("resnet(depth=56, pooling=false, projection=true)", 60.5, 1.8),
    "DenseNet-40": ("densenet(depth=40)", 59.9, 4.8),
    "DenseNet-100": ("densenet(depth=100)", 61.9, 37.2),
    WIDE: ("widenet", 62.2, 9.4),
}
"""Table VI: architecture, accuracy in percent, and prediction time in 1e-4 s."""
PLANS = tuple(Plan(name, net) for name, (net, _, _) in TABLE.items())
PAPER = {name: (accuracy, seconds) for name, (_, accuracy, seconds) in TABLE.items()}


class Table6(TimedStudy):
    """Skip connections."""

    name = "L.table6"
    title = "residual, dense and wide nets against Conv8+BN: accuracy and prediction time"
    source = "Liskowski, Jaśkowski and Krawiec 2018, Table VI and section V-B4"
    nets = PLANS
    printed = PAPER

    def about(self, scale: Scale) -> str:
        """How the paper is read."""
        return (
            "ResNets are in their CIFAR form (16, 32 and 64 maps) and end, like the others but Conv8, in global "
            "average pooling: our reading."
        )

    def claims(self, scale: Scale, means: Means, units: Units) -> list[Claim]:
        """The gain of each kind of net; nets that were not run leave their claims open."""

        def gain(better: str, worse: str, places: Sequence[str]) -> Measured:
            return average([means[better.format(one)] - means[worse.format(one)] for one in places])

        depths, place = ("32", "56"), "table VI"
        pooling = gain("ResNet-{}-np", "ResNet-{}", depths)
        projections = gain("ResNet-{}-np-p", "ResNet-{}-np", depths)
        deeper = gain("ResNet-56{}", "ResNet-32{}", ("", "-np", "-np-p"))
        skipping = [name for name in PAPER if name != BN and name in means]
        dense = {"": means["DenseNet-100"] - means["DenseNet-40"]} if "DenseNet-100" in means else {}
        wide = {name: means[WIDE] - means[name] for name in skipping if name != WIDE} if WIDE in means else {}
        lead = {name: means[name] - means[BN] for name in skipping}
        none, note = f"No net with skip connections improves on Conv8+BN by {PAR} points", "points above Conv8+BN"
        return [
            Claim(place, "ResNets are better without downsampling", pooling, above(0)),
            Claim(place, "Projections improve them slightly", projections, above(0)),
            Claim(place, "56 layers are better than 32", deeper, above(0)),
            Claim(place, "DenseNet-100 is better than DenseNet-40", dense, above(0)),
            Claim(place, "WideNet is the best net with skip connections", wide, above(0), note="points above"),
            Claim(place, none, lead, below(PAR), note=note),
        ]
