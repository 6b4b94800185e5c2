"""Modules of other people that register games, players, nets, evaluations and studies.

There are three ways in: entry points of installed packages (groups `zeroply.games`, `zeroply.players`, `zeroply.nets`,
`zeroply.population_nets`, `zeroply.evaluations`, `zeroply.strategies`, `zeroply.studies`, `zeroply.protocols`),
`--import MODULE` before or after any command, and `import = ["MODULE"]` in a file `zeroply.toml` in the current folder.
Net files and run folders say which modules they need, but never cause an import: only the person at the keyboard does.
"""

from __future__ import annotations

import importlib
import os
import sys
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from zeroply.errors import ZeroplyError

PROJECT_FILE = "zeroply.toml"
OWN = "zeroply"
GROUPS = ("games", "players", "nets", "population_nets", "evaluations", "strategies", "studies", "protocols")
"""What can be added."""
IMPORTED: list[str] = []
"""The modules imported by `use`."""


def use(modules: Iterable[str]) -> None:
    """Import modules by their dotted names; the current folder is searched as well."""
    for name in modules:
        if name in IMPORTED:
            continue
        if "" not in sys.path and os.getcwd() not in sys.path:
            sys.path.append(os.getcwd())
        try:
            importlib.import_module(name)
        except ImportError as error:
            missing = error.name == name or not error.name
            reason = "there is no such module here or in the current folder" if missing else str(error)
            raise ZeroplyError(f"cannot import {name}: {reason}") from None
        except Exception as error:
            raise ZeroplyError(f"cannot import {name}: {type(error).__name__}: {error}") from error
        IMPORTED.append(name)


def imported() -> list[str]:
    """The modules imported by `use`, which other processes of the same work need as well."""
    return list(IMPORTED)


def of_project(folder: Path) -> list[str]:
    """The modules that the project file of a folder names; none without such a file."""
    path = folder / PROJECT_FILE
    if not path.is_file():
        return []
    try:
        settings = tomllib.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise ZeroplyError(f"cannot read {path}: {error}") from None
    modules = settings.get("import", [])
    if settings.keys() - {"import"} or not isinstance(modules, list) or not all(isinstance(m, str) for m in modules):
        raise ZeroplyError(f'{path} may only have a line such as import = ["my_module"]')
    return modules


@cache
def entry_points(group: str) -> dict[str, str]:
    """What installed packages add to a group, such as `nets`: names and targets, written `module:object`."""
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=f"{OWN}.{group}") if ":" in point.value}


def _installed() -> set[str]:
    """The modules that entry points of installed packages name."""
    return {target.partition(":")[0] for group in GROUPS for target in entry_points(group).values()}


def module_name(name: str) -> str:
    """The name under which others can import a module; that of the running program is the name of its file."""
    file = getattr(sys.modules["__main__"], "__file__", None)
    return Path(file).stem if name == "__main__" and file else name


def require(modules: Iterable[str], what: str, command: str = "COMMAND") -> None:
    """Raise ZeroplyError if `what` needs a module that has not been imported; `command` is what to run with it.

    Modules of entry points are imported when they are used.
    """
    there = {*sys.modules, module_name("__main__"), *_installed()}
    if missing := [name for name in modules if name not in there]:
        options = " ".join(f"--import {name}" for name in missing)
        raise ZeroplyError(
            f"{what} needs the module {' and '.join(missing)}: import it in Python, or use zeroply {options} {command}"
        )


def named(name: str, what: str) -> object:
    """What `module:name` names in a module that was imported before, such as a strategy or fitness (`what`).

    The module then belongs to the work, so other processes import it too and a run records that it needs it.
    """
    module, _, attribute = name.partition(":")
    require([module], f"{what} {name}")  # a name in a file imports nothing
    use([module])
    try:
        return getattr(importlib.import_module(module), attribute)
    except AttributeError:
        raise ZeroplyError(
            f"{what} {name} does not exist: module {module} has no {attribute or 'empty name'}"
        ) from None
