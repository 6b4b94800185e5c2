"""The studies and their registry. A new study is a file here and a line below."""

import re
from pkgutil import resolve_name

from zeroply.errors import ZeroplyError
from zeroply.studies.study import Claim, Drawing, Place, Report, Scale, Study, Table, Unit

__all__ = ["Claim", "Drawing", "Place", "Report", "Scale", "Study", "Table", "Unit", "in_order", "studies", "study"]

_STUDIES = (
    "zeroply.studies.reference:ReferenceRates",
    "zeroply.studies.w_strategies:Strategies",
    "zeroply.studies.w_ladders:Fig4",
    "zeroply.studies.w_ladders:Fig5",
    "zeroply.studies.w_zoom:Fig6",
    "zeroply.studies.w_zoom:Fig7",
    "zeroply.studies.w_fig8:Fig8",
    "zeroply.studies.w_ladders:Mobility",
    "zeroply.studies.w_ladders:Iagno",
    "zeroply.studies.w_settings:Chong",
    "zeroply.studies.w_settings:Readings",
    "zeroply.studies.w_rounding:Rounding",
    "zeroply.studies.w_observers:Reversed",
    "zeroply.studies.w_settings:Selection",
    "zeroply.studies.w_settings:Beyond1",
    "zeroply.studies.w_beyond2:Beyond2",
    "zeroply.studies.l_table2:Table2",
    "zeroply.studies.l_table3:Table3",
    "zeroply.studies.l_table4:Table4",
    "zeroply.studies.l_table5:Table5",
    "zeroply.studies.l_table6:Table6",
    "zeroply.studies.l_table7:Table7",
    "zeroply.studies.l_table8:Table8",
    "zeroply.studies.l_table9:Table9",
    "zeroply.studies.l_fig3:Fig3",
    "zeroply.studies.l_fig4:Fig4",
    "zeroply.studies.l_fig5:Fig5",
    "zeroply.studies.s_fig2:Fig2",
    "zeroply.studies.s_percentiles:Fig3",
    "zeroply.studies.s_percentiles:Fig4",
    "zeroply.studies.s_fig5:Fig5",
    "zeroply.studies.s_table1:Table1",
    "zeroply.studies.s_fig6:Fig6",
    "zeroply.studies.s_table2:Table2",
    "zeroply.studies.s_fig7:Fig7",
    "zeroply.studies.s_fig8:Fig8",
    "zeroply.studies.s_fig9:Fig9",
    "zeroply.studies.s_table3:Table3",
    "zeroply.studies.s_table3:Fig10",
    "zeroply.studies.s_transfer:TrainingSettings",
    "zeroply.studies.s_sensitivity:Sensitivity",
    "zeroply.studies.s_beyond:Beyond1",
    "zeroply.studies.s_beyond:Beyond2",
    "zeroply.studies.s_beyond:Beyond3",
)


def studies() -> list[Study]:
    """All studies, by name."""
    found = [resolve_name(target)() for target in _STUDIES]
    return sorted(found, key=lambda one: in_order(one.name))


def in_order(name: str) -> tuple[tuple[str, int], ...]:
    """A key that sorts names by the numbers in them: fig2 comes before fig10."""
    return tuple((word, int(number or 0)) for word, number in re.findall(r"(\D*)(\d*)", name))


def study(name: str) -> Study:
    """The study of that name."""
    found = {one.name: one for one in studies()}
    if name not in found:
        raise ZeroplyError(f"unknown study '{name[:40]}': there are {', '.join(found)}")
    return found[name]
