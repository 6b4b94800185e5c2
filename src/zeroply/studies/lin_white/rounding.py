"""W.rounding: the paper's figures by a third reading of its method (Lin and White 2009, sections II-A and II-B).

It combines two of the readings that W.readings tries one by one; their combination comes nearest to the course that the
paper describes. All claims of the paper about ladders and survival times are judged for it.
"""

from __future__ import annotations

from collections.abc import Mapping

from zeroply.studies.claims import Claim
from zeroply.studies.lin_white.curves import ladder_drawing
from zeroply.studies.lin_white.fig8 import survival_claims
from zeroply.studies.lin_white.ladders import Iagno, LinWhiteFig4, LinWhiteFig5, Mobility
from zeroply.studies.lin_white.runs import Variant
from zeroply.studies.lin_white.settings import LearningStudy, Setting
from zeroply.studies.report import Drawing
from zeroply.studies.study import Scale

ROUNDED = Variant(output="tanh", factors="same")
"""With one random number for both equations of mutation, and boards that are equal where the output is rounded."""


class Rounding(LearningStudy):
    """All claims of the paper about its figures, by this reading."""

    name = "W.rounding"
    title = "the paper's figures by a third reading: one random number for both equations, outputs compared as rounded"
    source = "Lin and White 2009, Figs. 4, 5 and 8 and section II, extended"
    variants = (ROUNDED,)
    text = (
        "One random number serves both equations of mutation, so that a weight that moves up gets a larger step and "
        "weights drift upwards; and boards are compared by the output of the output node's tanh in double precision, "
        "so that they become equal where it is rounded to 1, the more the larger weights get. Of boards with equal "
        "values the lowest square is played."
    )

    def claims(self, scale: Scale, setting: Setting) -> list[Claim]:
        ladders = [
            claim.named(study.strategy)
            for study in (LinWhiteFig4(), LinWhiteFig5(), Mobility(), Iagno())
            for claim in study.claims(scale, setting.ladders[study.strategy])
        ]
        return [*ladders, *survival_claims(scale, setting.survival)]

    def all_claims(self, scale: Scale, settings: Mapping[str, Setting]) -> list[Claim]:
        return self.claims(scale, settings[ROUNDED.name])

    def drawings(self, settings: Mapping[str, Setting]) -> list[Drawing]:
        ladders = settings[ROUNDED.name].ladders
        shown = [
            ladder_drawing(strategy, strategy, {ROUNDED.name: ladders[strategy]}, ladders[strategy].rungs)
            for strategy in ("positional", "pieces", "mobility")
        ]
        return [*shown, *super().drawings(settings)]
