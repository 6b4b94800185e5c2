"""Tests use what a module offers: names with a leading underscore are private to the file that defines them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent
PRIVATE = re.compile(r"_(?!_)\w*[^_]$")  # neither __dunder__ nor a protocol such as _repr_svg_
PUBLIC_ANYWAY = {"_core", "_cpu"}  # the compiled modules: tests compare them with plain versions
OTHERS = {"os", "sys", "torch"}  # packages of others, whose private names are their own matter
IN_TEXT = re.compile(r"zeroply[\w.]*\.(_[a-z]\w*)")


def private_names(path: Path) -> Iterator[str]:
    """The private names of other modules and objects that a test file uses, each with its line."""
    for node in ast.walk(ast.parse(path.read_text())):
        names: list[str] = []
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.ImportFrom):
            names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
            names = [] if names[0] == "__future__" else names
        elif isinstance(node, ast.Attribute):
            owner = ast.unparse(node.value).split(".")[0]
            names = [node.attr] if owner not in {"self", "cls", *OTHERS} else []
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names = IN_TEXT.findall(node.value)
        for name in names:
            if PRIVATE.match(name) and name not in PUBLIC_ANYWAY:
                yield f"{path.name}:{line} {name}"


def test_tests_use_no_private_names() -> None:
    assert [found for path in sorted(TESTS.rglob("*.py")) for found in private_names(path)] == []
