"""The studies and their registry. A new study is a file here and a line below."""

import importlib

from zeroply.errors import ZeroplyError
from zeroply.studies.study import Claim, Drawing, Report, Scale, Study, Table, Unit

__all__ = ["Claim", "Drawing", "Report", "Scale", "Study", "Table", "Unit", "studies", "study"]

_STUDIES = ("zeroply.studies.reference:ReferenceRates", "zeroply.studies.w_strategies:Strategies")


def studies() -> list[Study]:
    """All studies, by name."""
    found = []
    for target in _STUDIES:
        module, _, name = target.partition(":")
        found.append(getattr(importlib.import_module(module), name)())
    return sorted(found, key=lambda one: one.name)


def study(name: str) -> Study:
    """The study of that name."""
    found = {one.name: one for one in studies()}
    if name not in found:
        raise ZeroplyError(f"unknown study '{name[:40]}': there are {', '.join(found)}")
    return found[name]
