"""The file `units.jsonl` beside a report: a line per measured unit, with its measures and how they were made.

A report is made from these lines alone. So a study can reuse units that were measured before, on another machine or
with fewer seeds, and measure only the others (`zeroply study run --reuse FOLDER`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from zeroply.errors import ZeroplyError
from zeroply.files import explained, write_atomically
from zeroply.studies.shared_runs import plain
from zeroply.studies.study import Unit

UNITS = "units.jsonl"
FIELDS: dict[str, type | tuple[type, ...]] = {
    "unit": str,
    "seed": int,
    "settings": dict,
    "measures": dict,
    "seconds": (int, float),
    "date": str,
    "commit": str,
    "hardware": str,
}
"""The fields of a line and their types."""

Measurement = Mapping[str, Any]
"""A line of the file."""


def is_of(measurement: Measurement | None, unit: Unit) -> bool:
    """Whether a measurement is of a unit with its present settings."""
    if measurement is None:
        return False
    return (measurement["seed"], measurement["settings"]) == (unit.seed, plain(unit.settings))


def write_units(folder: Path, measurements: Iterable[Measurement]) -> None:
    """Write `units.jsonl` into the folder of a report."""
    lines = [json.dumps({field: one[field] for field in FIELDS}, ensure_ascii=False) for one in measurements]
    write_atomically(folder / UNITS, "".join(f"{line}\n" for line in lines).encode())


def read_units(name: str, folder: Path) -> dict[str, list[Measurement]]:
    """All measurements of a study below a folder of results, by unit: `NAME/units.jsonl` and `NAME/*/units.jsonl`."""
    files = sorted([*folder.glob(f"{name}/{UNITS}"), *folder.glob(f"{name}/*/{UNITS}")])
    if not files:
        raise ZeroplyError(f"{folder} has no measured units of {name}: expected {folder / name / UNITS}")
    found: dict[str, list[Measurement]] = {}
    for file in files:
        with explained(f"read {file}"):
            lines = file.read_text().splitlines()
        for number, line in enumerate(lines, 1):
            measurement = _parsed(line, f"{file}, line {number}")
            found.setdefault(measurement["unit"], []).append(measurement)
    return found


def _parsed(line: str, where: str) -> Measurement:
    try:
        measurement = json.loads(line)
    except (ValueError, RecursionError):
        measurement = None
    if not isinstance(measurement, dict) or any(not isinstance(measurement.get(k), v) for k, v in FIELDS.items()):
        raise ZeroplyError(f"{where} is not a measured unit")
    return {field: measurement[field] for field in FIELDS}
