"""`--csv`: what `--json` prints, as a table of comma-separated values for spreadsheets and pandas.

Every command with `--json` takes it. A row is an object of the first list of objects in the JSON (the players of a
league, the generations of an evolution, the moves of a game); without such a list there is one row. Names of nested
values are joined by `_`, lists by blanks.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

CSV = "--csv"
_chosen = False


@contextmanager
def choosing_csv(chosen: bool) -> Iterator[None]:
    """Within, JSON is printed as CSV if it is chosen."""
    global _chosen
    before, _chosen = _chosen, chosen
    try:
        yield
    finally:
        _chosen = before


def is_chosen() -> bool:
    """Whether JSON is to be printed as CSV."""
    return _chosen


def write_csv(value: Any, out: TextIO, rows: Sequence[Any] | None = None) -> None:
    """The table of a JSON value, or the given rows of it."""
    flat = [dict(_flat(row)) for row in (rows_of(value) if rows is None else rows)]
    columns = list(dict.fromkeys(name for row in flat for name in row))
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)


def rows_of(value: Any) -> Sequence[Any]:
    """The objects of the first list of objects in a JSON value, or the value itself."""
    if isinstance(value, Mapping):
        return next((part for part in value.values() if _objects(part)), [value])
    return value if _objects(value) else [{"value": one} for one in value] if isinstance(value, list) else [value]


def _objects(part: Any) -> bool:
    return isinstance(part, list | tuple) and bool(part) and all(isinstance(one, Mapping) for one in part)


def _flat(row: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in row.items() if isinstance(row, Mapping) else [("value", row)]:
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}_")
        elif isinstance(value, list | tuple):
            yield f"{prefix}{name}", " ".join(str(_cell(one)) for one in value)
        else:
            yield f"{prefix}{name}", _cell(value)


def _cell(value: Any) -> Any:
    return "" if value is None or (isinstance(value, float) and not math.isfinite(value)) else value
