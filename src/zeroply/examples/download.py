"""Getting the WTHOR files from the French Othello Federation: one file of games a year, and the names of the players.

A file is gathered in a hidden folder, read by the project's own reader, which counts its games, and only then put in
its place. What was gathered before an interruption is kept, and the rest is asked for with an HTTP range.
"""

from __future__ import annotations

import http.client
import os
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from zeroply.errors import ZeroplyError
from zeroply.files import TEMPORARY, explained, sync_folder, write_atomically
from zeroply.records import read_names, read_wtb

BASE = "https://www.ffothello.org/wthor/base"
"""Where the federation keeps the files."""
NAME_FILES = ("WTHOR.JOU", "WTHOR.TRN")
FIRST_YEAR = 1977
PARTIAL = TEMPORARY + "partial"
"""The hidden folder of files that are not complete yet."""
TRIES = 3
_CHUNK = 1 << 16
_TIMEOUT = 30  # seconds without a byte

Report = Callable[[str, int, int | None], None]
"""Called with the name of a file, the bytes that are there and those in all, if known."""


class Missing(ZeroplyError):
    """The server does not have the file."""


@dataclass(frozen=True)
class Got:
    """A file that is there now."""

    path: Path
    """Where it is."""
    games: int
    """Its games; 0 for a file of names."""
    fresh: bool
    """Whether it was downloaded; else it was there already."""


def get_wthor(
    out: str | Path,
    *,
    url: str = BASE,
    from_year: int = FIRST_YEAR,
    to_year: int | None = None,
    report: Report | None = None,
) -> list[Got]:
    """Download the files of some years; without a last year up to the last one there is. What is there stays."""
    last = date.today().year if to_year is None else to_year
    if not FIRST_YEAR <= from_year <= last:
        raise ZeroplyError(f"WTHOR begins in {FIRST_YEAR}: there are no years from {from_year} to {last}")
    if urlsplit(url).scheme not in ("http", "https"):
        raise ZeroplyError(f"the site's address begins with http:// or https://, unlike {url}")
    folder = Path(out)
    with explained(f"write {folder}"):
        (folder / PARTIAL).mkdir(parents=True, exist_ok=True)
    site = _Site(url.rstrip("/"), folder, report or (lambda name, done, total: None))
    got = [site.get(name) for name in NAME_FILES]
    for year in range(from_year, last + 1):
        try:
            got.append(site.get(f"WTH_{year}.wtb"))
        except Missing:
            if to_year is not None or year == from_year:
                raise
            break  # the files of the last years are not out yet
    with explained(f"write {folder}"):
        if not any((folder / PARTIAL).iterdir()):
            (folder / PARTIAL).rmdir()
    return got


def checked_games(path: Path) -> int:
    """The number of games of a whole file, 0 for one of names; raises ZeroplyError if it is not whole."""
    if path.suffix.lower() == ".wtb":
        return len(read_wtb(path))
    read_names(path)
    return 0


class _Site:
    """Files of one server, for one folder."""

    def __init__(self, url: str, folder: Path, report: Report) -> None:
        self.url = url
        self.folder = folder
        self.report = report

    def get(self, name: str) -> Got:
        """The file, downloaded unless it is there and whole."""
        target = self.folder / name
        if target.is_file():
            try:
                return Got(target, checked_games(target), fresh=False)
            except ZeroplyError:
                pass  # not whole: it is replaced
        partial = self.folder / PARTIAL / name
        self._gather(name, partial)
        try:
            games = checked_games(partial)
        except ZeroplyError as error:
            _forget(partial)
            said = str(error).removeprefix(str(partial)).lstrip(", ")
            raise ZeroplyError(f"{self.url}/{name} is not a whole WTHOR file: {said}") from None
        with explained(f"write {target}"):
            os.replace(partial, target)
            sync_folder(self.folder)
        _forget(partial)
        return Got(target, games, fresh=True)

    def _gather(self, name: str, partial: Path) -> None:
        """Ask for a file, and again for what is left of it if the connection breaks."""
        for attempt in range(TRIES):
            try:
                if self._fetch(name, partial):
                    return
                problem = "the connection was closed too early"
            except (http.client.HTTPException, OSError) as error:
                problem = _told(error)
                if attempt == 0 and isinstance(getattr(error, "reason", None), OSError):
                    break  # there is no server
        kept = f"; {partial.stat().st_size} bytes are kept" if partial.is_file() else ""
        raise ZeroplyError(f"cannot get {self.url}/{name}: {problem}{kept}; run the same command again to go on")

    def _fetch(self, name: str, partial: Path) -> bool:
        """One request; whether all of the file is there after it."""
        have = partial.stat().st_size if partial.is_file() else 0
        version = _version_file(partial)
        known = version.read_text() if version.is_file() else ""
        request = urllib.request.Request(f"{self.url}/{name}")
        if have and known:  # a part of another version of the file would not fit
            request.add_header("Range", f"bytes={have}-")
            request.add_header("If-Range", known)
        with self._opened(request, name, partial) as response:
            if response is None:
                return False
            goes_on = response.status == http.HTTPStatus.PARTIAL_CONTENT
            start = have if goes_on else 0
            length = response.headers.get("Content-Length")
            total = start + int(length) if length and length.isdigit() else None
            if not goes_on:
                marks = (response.headers.get(header) for header in ("ETag", "Last-Modified"))
                strong = [mark for mark in marks if mark and not mark.startswith("W/")]
                write_atomically(version, (strong[0] if strong else "").encode())
            with open(partial, "ab" if goes_on else "wb") as file:
                done = self._copy(response, file, name, start, total)
        return total is None or done == total

    def _copy(
        self, response: http.client.HTTPResponse, file: IO[bytes], name: str, done: int, total: int | None
    ) -> int:
        self.report(name, done, total)
        while chunk := response.read(_CHUNK):
            file.write(chunk)
            done += len(chunk)
            self.report(name, done, total)
        file.flush()
        os.fsync(file.fileno())
        return done

    @contextmanager
    def _opened(self, request: urllib.request.Request, name: str, partial: Path) -> Iterator[Any]:
        """The answer to a request; None if the part that is there was refused and has to be thrown away."""
        try:
            response = urllib.request.urlopen(request, timeout=_TIMEOUT)
        except urllib.error.HTTPError as error:
            if error.code == http.HTTPStatus.NOT_FOUND:
                raise Missing(
                    f"{self.url} has no {name}: choose other years with --from-year and --to-year, or another --url"
                ) from None
            if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                _forget(partial)
                yield None
                return
            raise
        with response:
            yield response


def _told(error: Exception) -> str:
    """What went wrong, in words."""
    if isinstance(error, urllib.error.HTTPError):
        return f"the server answers {error.code} {error.reason}"
    cause = getattr(error, "reason", None) or error
    return str(getattr(cause, "strerror", None) or cause or type(error).__name__)


def _version_file(partial: Path) -> Path:
    """Where it is noted which version of a file the part that is there belongs to."""
    return partial.with_name(partial.name + ".version")


def _forget(partial: Path) -> None:
    partial.unlink(missing_ok=True)
    _version_file(partial).unlink(missing_ok=True)
