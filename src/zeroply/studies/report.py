"""What a study reports: tables, figures and claims, and the files they are written to.

`report.md` is for people; every table is a CSV file with one number per cell, every figure a PNG file, and
`claims.json` holds the claims for programs.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zeroply.files import write_atomically
from zeroply.studies.claims import Claim
from zeroply.studies.measured import split_columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
    from matplotlib.figure import Figure as Figure
else:  # matplotlib is imported only where figures are drawn
    Axes = Figure = Any

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c564b")
"""The colours of all figures, also distinct for colour-blind readers (Okabe and Ito's, with brown for yellow)."""
CLAIMS = "claims.json"


@dataclass(frozen=True)
class ResultTable:
    """Numbers side by side; written as CSV and Markdown."""

    name: str
    """A word for the file's name."""
    caption: str
    """What it shows, and the units."""
    rows: Sequence[Mapping[str, Any]]
    """One mapping from column to value per row, all with the same columns; a value may be `Measured`."""
    printed: bool = True
    """Whether the report shows it; long tables are only written as CSV."""


@dataclass(frozen=True)
class Drawing:
    """A figure."""

    name: str
    """A word for the file's name."""
    caption: str
    """What it shows."""
    draw: Callable[[Figure], None]
    """Draws it on an empty matplotlib figure."""


@dataclass(frozen=True)
class Report:
    """The findings of a study."""

    text: str
    """A paragraph on what was done and how to read the tables."""
    tables: Sequence[ResultTable]
    """The numbers, ours beside the paper's."""
    claims: Sequence[Claim]
    """The claims of the paper."""
    drawings: Sequence[Drawing] = ()
    """The figures."""
    study: str = ""
    """Name of the study."""
    folder: Path = Path()
    """Folder of the results."""


@dataclass(frozen=True)
class Circumstances:
    """How, when and where a study was measured."""

    study: str
    """Its name."""
    paper: str
    """The paper that it repeats."""
    command: str
    """The command that measures it."""
    scale: str
    """Its scale."""
    seeds: int
    """Number of independent repetitions."""
    date: str
    """The day it was finished."""
    version: str
    """The version of zeroply."""
    commit: str
    """The commit of its source."""
    hardware: str
    """Cores, processor and instruction-set level."""
    seconds: float
    """Wall time."""


def write_report(title: str, source: str, report: Report, folder: Path, about: Circumstances) -> None:
    """Write `report.md`, `claims.json`, a CSV file per table and a PNG file per figure."""
    for table in report.tables:
        write_atomically(folder / f"{table.name}.csv", _csv(table).encode())
    drawn = [drawing for drawing in report.drawings if _draw(drawing, folder / f"{drawing.name}.png")]
    lines = [f"# {about.study}: {title}", "", f"After {source}.", "", report.text, ""]
    for drawing in drawn:
        lines += [f"![{drawing.caption}]({drawing.name}.png)", ""]
    for table in report.tables:
        file = f"{table.name}.csv"
        rows = markdown(table.rows) if table.printed else [f"{len(table.rows):,} rows, in [{file}]({file})."]
        lines += [f"**{table.name}**: {table.caption}.", "", *rows, ""]
    lines += ["## Claims", "", *markdown(claim_rows(report.claims)), "", "## Measured", ""]
    lines += [
        f"- command: `{about.command}`",
        f"- date: {about.date}",
        f"- zeroply: {about.version}, commit {about.commit}",
        f"- hardware: {about.hardware}",
        f"- wall time: {about.seconds:.1f} s",
        "",
    ]
    write_atomically(folder / "report.md", "\n".join(lines).encode())
    entries = [claim.entry() | asdict(about) for claim in report.claims]
    write_atomically(folder / CLAIMS, (json.dumps(entries, indent=1, ensure_ascii=False) + "\n").encode())


def claim_rows(claims: Sequence[Claim]) -> list[dict[str, str]]:
    """The closing table of a report."""
    return [
        {
            "claim": claim.text,
            "place": claim.place,
            "paper": _printed(claim),
            "ours": claim.words,
            "verdict": claim.verdict,
        }
        for claim in claims
    ]


def _printed(claim: Claim) -> str:
    """The values that the paper prints, in words."""
    if isinstance(claim.printed, Mapping):
        return "; ".join(f"{name} {value:g}" for name, value in claim.printed.items())
    return "" if claim.printed is None else f"{claim.printed:g}"


def guide(panel: Axes, value: float = 0.0, vertical: bool = False) -> None:
    """Draw a thin dotted line at a value."""
    (panel.axvline if vertical else panel.axhline)(value, color="#999999", linewidth=0.8, linestyle=":")


def can_draw() -> bool:
    """Whether figures can be drawn here."""
    return find_spec("matplotlib") is not None


def _draw(drawing: Drawing, path: Path) -> bool:
    """Write a figure; False where matplotlib is not installed."""
    if not can_draw():
        return False
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4.5), layout="constrained", dpi=110)
    FigureCanvasAgg(figure)
    drawing.draw(figure)
    image = io.BytesIO()
    figure.savefig(image, format="png")
    write_atomically(path, image.getvalue())
    return True


def _csv(table: ResultTable) -> str:
    rows = [split_columns(row) for row in table.rows]
    out = io.StringIO()
    writer = csv.DictWriter(out, list(dict.fromkeys(name for row in rows for name in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def markdown(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """A table in Markdown."""
    if not rows:
        return ["(nothing)"]
    head = list(rows[0])
    return [
        f"| {' | '.join(head)} |",
        f"|{'---|' * len(head)}",
        *(f"| {' | '.join(str(row[column]).replace('|', chr(92) + '|') for column in head)} |" for row in rows),
    ]
