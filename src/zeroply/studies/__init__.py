"""The studies by paper. A new study is a class with a `name` in a file of its paper's package; it is found by that.

So are those in modules of other people, imported by `--import` or `zeroply.toml`, or named by entry points.
"""

import re
import sys
from functools import cache
from importlib import import_module
from pkgutil import iter_modules, resolve_name

from zeroply import plugins
from zeroply.errors import ZeroplyError
from zeroply.studies.claims import Claim
from zeroply.studies.measured import Measured
from zeroply.studies.report import Report
from zeroply.studies.study import Folders, Scale, Study, Unit

__all__ = ["Claim", "Folders", "Measured", "Report", "Scale", "Study", "Unit", "in_order", "names", "studies", "study"]

_PACKAGES = {"L": "liskowski", "S": "schaul", "W": "lin_white", "e": "evolution"}
"""The packages of the papers by their letters; that of studies of our own by the first letter of their names."""


@cache
def _classes(letter: str) -> dict[str, type[Study]]:
    """The studies of a paper by name: the classes with a name of their own in the modules of its package."""
    package = import_module(f"zeroply.studies.{_PACKAGES[letter]}")
    modules = [import_module(f"{package.__name__}.{found.name}") for found in iter_modules(package.__path__)]
    classes = [one for module in modules for one in vars(module).values() if isinstance(one, type)]
    return {one.name: one for one in classes if issubclass(one, Study) and "name" in vars(one)}


def _own() -> dict[str, type[Study]]:
    """The studies of other people by name: those in modules that were imported by `plugins.use`, and entry points."""
    modules = [sys.modules[name] for name in plugins.imported()]
    found = [one for module in modules for one in vars(module).values() if isinstance(one, type)]
    for name, target in plugins.entry_points("studies").items():
        try:
            found.append(resolve_name(target))
        except (ImportError, AttributeError) as error:
            raise ZeroplyError(f"study {name} of an installed package cannot be used: {error}") from None
    return {one.name: one for one in found if issubclass(one, Study) and "name" in vars(one)}


def names() -> list[str]:
    """The names of all studies, in order."""
    return sorted({*_own(), *(name for letter in _PACKAGES for name in _classes(letter))}, key=in_order)


def studies() -> list[Study]:
    """All studies, in the order of their names."""
    return [study(name) for name in names()]


def in_order(name: str) -> tuple[tuple[str, int], ...]:
    """A key that sorts names by the numbers in them: fig2 comes before fig10."""
    return tuple((word, int(number or 0)) for word, number in re.findall(r"(\D*)(\d*)", name))


def study(name: str) -> Study:
    """The study of that name."""
    found = _classes(name[0]).get(name) if name[:1] in _PACKAGES else None
    found = found or _own().get(name)
    if found is None:
        raise ZeroplyError(f"unknown study '{name[:40]}': studies are {', '.join(names())}")
    return found()
