"""The studies and their registry, by paper. A new study is one file in its paper's package and one line below."""

import re
from pkgutil import resolve_name

from zeroply.errors import ZeroplyError
from zeroply.studies.claims import Claim
from zeroply.studies.measured import Measured
from zeroply.studies.report import Report
from zeroply.studies.study import Folders, Scale, Study, Unit

__all__ = ["Claim", "Folders", "Measured", "Report", "Scale", "Study", "Unit", "in_order", "names", "studies", "study"]

_PAPERS = {
    "L": (
        "liskowski",
        {
            "recipe": "recipe:Recipe",
            "table2": "table2:Table2",
            "table3": "table3:Table3",
            "table4": "table4:Table4",
            "table5": "table5:Table5",
            "table6": "table6:Table6",
            "table7": "table7:Table7",
            "table8": "table8:Table8",
            "table9": "table9:Table9",
            "fig3": "fig3:Fig3",
            "fig4": "fig4:Fig4",
            "fig5": "fig5:Fig5",
            "beyond1": "beyond1:Beyond1",
        },
    ),
    "S": (
        "schaul",
        {
            "reference": "reference:ReferenceRates",
            "fig2": "fig2:SchaulFig2",
            "fig3": "fig3_fig4:SchaulFig3",
            "fig4": "fig3_fig4:SchaulFig4",
            "fig5": "table1:SchaulFig5",
            "table1": "table1:SchaulTable1",
            "fig6": "fig6:SchaulFig6",
            "table2": "table2:SchaulTable2",
            "fig7": "fig7:SchaulFig7",
            "fig8": "fig8:SchaulFig8",
            "fig9": "fig9:SchaulFig9",
            "table3": "table3:SchaulTable3",
            "fig10": "table3:SchaulFig10",
            "transfer": "transfer:TrainingSettings",
            "sensitivity": "sensitivity:Sensitivity",
            "beyond1": "beyond:SchaulBeyond1",
            "beyond2": "beyond:SchaulBeyond2",
            "beyond3": "beyond:SchaulBeyond3",
        },
    ),
    "W": (
        "lin_white",
        {
            "strategies": "strategies:Strategies",
            "fig4": "ladders:LinWhiteFig4",
            "fig5": "ladders:LinWhiteFig5",
            "fig6": "fig6_fig7:LinWhiteFig6",
            "fig7": "fig6_fig7:LinWhiteFig7",
            "fig8": "fig8:LinWhiteFig8",
            "mobility": "ladders:Mobility",
            "iagno": "ladders:Iagno",
            "chong": "settings:Chong",
            "readings": "settings:Readings",
            "rounding": "rounding:Rounding",
            "observers": "observers:Reversed",
            "selection": "settings:Selection",
            "beyond1": "settings:LinWhiteBeyond1",
            "beyond2": "beyond2:LinWhiteBeyond2",
        },
    ),
}
"""By the letter of a paper its package, and where each of its studies is; a study is imported when it is needed."""

_STUDIES = {
    f"{letter}.{name}": f"zeroply.studies.{package}.{target}"
    for letter, (package, targets) in _PAPERS.items()
    for name, target in targets.items()
}


def names() -> list[str]:
    """The names of all studies, in order."""
    return sorted(_STUDIES, key=in_order)


def studies() -> list[Study]:
    """All studies, in the order of their names."""
    return [study(name) for name in names()]


def in_order(name: str) -> tuple[tuple[str, int], ...]:
    """A key that sorts names by the numbers in them: fig2 comes before fig10."""
    return tuple((word, int(number or 0)) for word, number in re.findall(r"(\D*)(\d*)", name))


def study(name: str) -> Study:
    """The study of that name."""
    if name not in _STUDIES:
        raise ZeroplyError(f"unknown study '{name[:40]}': studies are {', '.join(names())}")
    one: Study = resolve_name(_STUDIES[name])()
    return one
