"""Imports only go down: no floor of the code knows what stands above it, or beside it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "zeroply"

FLOORS = (
    ("__main__", "demo"),
    ("cli",),
    ("web", "engine", "demo_report"),
    ("studies",),
    ("bench",),
    ("learning",),
    ("examples",),
    ("arena", "analysis", "envs", "foreign"),
    ("players",),
    ("search",),
    ("nets", "records"),
    ("games",),
    ("chance",),
    ("runs",),
    ("_core",),
    ("levels", "registry"),
    ("_cpu", "files", "plugins", "specs"),
    ("errors", "options", "progress"),
)
"""Packages and modules of zeroply, from the top; those of a floor do not import each other."""
FLOOR = {name: number for number, floor in enumerate(FLOORS) for name in floor}


def imported(file: Path) -> Iterator[tuple[int, str]]:
    """The packages and modules of zeroply that a file imports, with the line."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import | ast.ImportFrom):
            source = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            for alias in node.names:
                package, name, *_ = [*f"{source}{alias.name}".split("."), ""]
                if package == "zeroply" and name in FLOOR:
                    yield node.lineno, name


@pytest.mark.parametrize("name", FLOOR)
def test_imports_only_go_down(name: str) -> None:
    files = (PACKAGE / name).rglob("*.py") if (PACKAGE / name).is_dir() else [PACKAGE / f"{name}.py"]
    up = [
        f"{file.relative_to(PACKAGE)}, line {line}, imports {other}"
        for file in files
        if file.exists()  # _cpu is compiled
        for line, other in imported(file)
        if other != name and FLOOR[other] <= FLOOR[name]
    ]
    assert not up


def test_every_package_and_module_is_on_a_floor() -> None:
    found = {path.stem for path in PACKAGE.iterdir() if path.is_dir() or path.suffix in (".py", ".pyi")}
    assert found - {"__init__", "__pycache__"} == FLOOR.keys()


def test_contributors_are_told_the_floors() -> None:
    told = " ".join((ROOT / "CONTRIBUTING.md").read_text().split())
    packages = [[f"`{name}`" for name in floor if (PACKAGE / name).is_dir()] for floor in FLOORS]
    floors = "; ".join(", ".join(floor) for floor in packages if floor)
    assert f"Imports only go down: {floors}." in told


def test_the_table_of_questions_names_files_that_exist() -> None:
    rows = re.findall(r"^\| [^|]+\? \| (.+) \|$", (ROOT / "docs" / "architecture.md").read_text(), re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`([^`]+)`", row)]
    assert len(named) >= 10
    assert not [name for name in named if not (ROOT / name).exists()]
