"""Study results in given folders: a list, reports and figures.

A browser names a report by an id from the list and a figure by its file name in the report, never by a path.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from zeroply.files import explained
from zeroply.studies import in_order, studies
from zeroply.web.server import schemas

MAX_DEPTH = 3
"""Levels of folders that are searched."""
MAX_REPORTS = 200
"""Reports that are listed."""
MAX_BYTES = 1_000_000
"""Bytes of a report that are read."""

_TITLE = re.compile(r"#\s+(?P<title>.+)")
_SOURCE = re.compile(r"^After (?P<source>.+?)\.?$", re.MULTILINE)


class StudyReports:
    """The reports in some folders; if two folders have a report at the same place, the first folder wins."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = folders

    def rows(self) -> list[schemas.StudyRow]:
        """All reports, then the studies that have no results yet."""
        reports = self._reports()
        rows = sorted((self._row(name, path) for name, path in reports.items()), key=lambda row: in_order(row.name))
        there = {row.name for row in rows}
        for one in studies():
            if one.name not in there:
                command = f"zeroply study run {one.name}"
                rows.append(
                    schemas.StudyRow(id=None, name=one.name, title=one.title, source=one.source, command=command)
                )
        return rows

    def report(self, name: str) -> schemas.StudyReport | None:
        """A report by its id; None if there is none."""
        path = self._reports().get(name)
        if path is None:
            return None
        return schemas.StudyReport(name=self._row(name, path).name, markdown=_text(path), figures=list(_figures(path)))

    def figure(self, name: str, figure: str) -> Path | None:
        """The file of a figure; None if there is none."""
        path = self._reports().get(name)
        return _figures(path).get(figure) if path is not None else None

    def _reports(self) -> dict[str, Path]:
        """Reports by id, which is the path in the folder with dashes for slashes."""
        reports: dict[str, Path] = {}
        for root in self._folders:
            for path in _reports(root):
                reports.setdefault(_id(path.relative_to(root)), path)
        return dict(islice(reports.items(), MAX_REPORTS))

    def _row(self, name: str, path: Path) -> schemas.StudyRow:
        text = _text(path)
        title = _TITLE.match(text)
        words = title["title"] if title else path.stem
        study, colon, rest = words.partition(": ")
        source = _SOURCE.search(text)
        return schemas.StudyRow(
            id=name,
            name=study if colon else path.stem,
            title=rest if colon else words,
            source=source["source"] if source else "",
            command="",
        )


def _reports(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        here = Path(folder)
        depth = len(here.relative_to(root).parts)
        folders[:] = sorted(one for one in folders if depth < MAX_DEPTH and one != "run" and not one.startswith("."))
        yield from (here / file for file in sorted(files) if file.endswith(".md") and (here / file).is_file())


def _id(relative: Path) -> str:
    parts = relative.parent.parts
    if relative.name != "report.md" or not parts:
        parts = (*parts, relative.stem)
    return re.sub(r"[^A-Za-z0-9._-]", "-", "-".join(parts)) or "report"


def _text(path: Path) -> str:
    with explained(f"read {path.name}"), open(path, "rb") as file:
        return file.read(MAX_BYTES).decode(errors="replace")


def _figures(path: Path) -> dict[str, Path]:
    return {file.name: file for file in sorted(path.parent.glob("*.png")) if file.is_file()}
