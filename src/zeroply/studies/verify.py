"""Checks of committed results: measure a study again and compare, and the tables of `docs/studies.md`.

A new value agrees with a committed one if their 95 % intervals overlap; without intervals, if they differ by at most
20 %.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zeroply.errors import ZeroplyError
from zeroply.files import explained
from zeroply.progress import Progress
from zeroply.studies import in_order, study
from zeroply.studies.report import CLAIMS, markdown
from zeroply.studies.running import run_study, study_folder
from zeroply.studies.study import PAPERS, Scale

Entry = Mapping[str, Any]
"""A claim as `claims.json` holds it."""


@dataclass(frozen=True)
class Comparison:
    """A committed claim beside the same claim measured again."""

    claim: str
    """The claim."""
    committed: str
    """The committed number and its verdict."""
    again: str
    """The new ones."""
    agrees: bool | None
    """Whether they agree; None if the scales differ."""


def read_claims(name: str, results: Path) -> list[Entry]:
    """The committed claims of a study."""
    path = results / name / CLAIMS
    with explained(f"read {path}"):
        entries: list[Entry] = json.loads(path.read_text())
    return entries


def verify(
    name: str,
    results: Path,
    work: Path,
    scale: Scale | None = None,
    data: Path | None = None,
    progress: Progress | None = None,
) -> list[Comparison]:
    """Measure a study again with its committed scale and seeds, or at another scale, and compare every claim."""
    study(name)
    committed = read_claims(name, results)
    if not committed:
        raise ZeroplyError(f"{results / name / CLAIMS} holds no claims")
    first = committed[0]
    used, seeds = scale or first["scale"], first["seeds"] if scale in (None, first["scale"]) else 1
    run_study(name, used, seeds, work, progress, data)
    again = json.loads((study_folder(name, used, seeds, work) / CLAIMS).read_text())
    return list(compare(committed, again))


def compare(committed: Sequence[Entry], again: Sequence[Entry]) -> Iterator[Comparison]:
    """Every committed claim beside the new one."""
    new = {entry["claim"]: entry for entry in again}
    for entry in committed:
        other = new.get(entry["claim"])
        if other is None:
            yield Comparison(entry["claim"], _number(entry), "missing", False)
            continue
        same_scale = entry["scale"] == other["scale"]
        yield Comparison(entry["claim"], _number(entry), _number(other), agrees(entry, other) if same_scale else None)


def agrees(one: Entry, other: Entry) -> bool:
    """Whether two measurements of a claim, or of every number of it, agree within their intervals."""
    if one.get("comparisons"):
        mine, theirs = ({c["name"]: c for c in entry.get("comparisons", ())} for entry in (one, other))
        return mine.keys() == theirs.keys() and all(agrees(mine[name], theirs[name]) for name in mine)
    (low, high), (other_low, other_high) = one["interval"], other["interval"]
    if None in (low, other_low) or None in (high, other_high):
        return None in (one["ours"], other["ours"]) or abs(one["ours"] - other["ours"]) <= 0.2 * abs(one["ours"])
    return bool(low <= other_high and other_low <= high)


def _number(entry: Entry) -> str:
    low, high = entry["interval"]
    number = "-" if entry["ours"] is None else f"{entry['ours']:.4g}"
    return (number if low is None or high is None else f"{number} [{low:.4g}, {high:.4g}]") + f", {entry['verdict']}"


# The tables of docs/studies.md


def tables(results: Path) -> dict[str, list[str]]:
    """The generated tables by name: the measured studies, and the claims of each paper."""
    names = sorted((path.parent.name for path in results.glob(f"*/{CLAIMS}")), key=in_order)
    claims = {name: read_claims(name, results) for name in names}
    measured = [
        {
            "study": f"[{name}]({results.name}/{name}/report.md)",
            "what it repeats": study(name).title,
            "scale": entries[0]["scale"],
            "seeds": entries[0]["seeds"],
            "wall time": f"{entries[0]['seconds']:.1f} s",
            "holds": _count(entries, "holds"),
            "fails": _count(entries, "fails"),
            "cannot tell": _count(entries, "cannot tell"),
        }
        for name, entries in claims.items()
    ]
    by_paper = {
        f"claims {letter}": markdown(
            [
                {
                    "study": name,
                    "place": entry["place"],
                    "claim": entry["claim"],
                    "paper": "" if entry["printed"] is None else f"{entry['printed']:g}",
                    "ours": _number({**entry, "verdict": ""}).rstrip(", "),
                    "verdict": entry["verdict"],
                }
                for name, entries in claims.items()
                if name.startswith(letter)
                for entry in entries
            ]
        )
        for letter in PAPERS
    }
    return {"measured": markdown(measured), **by_paper}


def _count(entries: Sequence[Entry], verdict: str) -> int:
    return sum(entry["verdict"] == verdict for entry in entries)


def with_tables(text: str, results: Path) -> str:
    """A document with its generated tables brought up to date: they stand between `<!-- NAME -->` markers."""
    for name, lines in tables(results).items():
        begin, end = f"<!-- table: {name} -->", "<!-- end of table -->"
        pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
        if not pattern.search(text):
            raise ZeroplyError(f"the document has no place for the table '{name}': add the lines {begin} and {end}")
        body = "\n".join([begin, "", *lines, "", end])
        text = pattern.sub(lambda _, body=body: body, text, count=1)  # type: ignore[misc]
    return text
