"""Download of WTHOR files from the French Othello Federation: one file of games per year, and the players' names.

A file is downloaded to a hidden folder, checked by reading it, and then moved into place. After an interruption the
download resumes with an HTTP range request. Nothing the server sends is trusted without a check.
"""

from __future__ import annotations

import http.client
import os
import re
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from email.message import Message
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from zeroply.errors import ZeroplyError
from zeroply.files import TEMPORARY, explained, locked, sync_folder, write_atomically
from zeroply.records import read_names, read_wtb

BASE = "https://www.ffothello.org/wthor/base"
"""The address of the files."""
NAME_FILES = ("WTHOR.JOU", "WTHOR.TRN")
FIRST_YEAR = 1977
PARTIAL = TEMPORARY + "partial"
"""The hidden folder of files that are not complete yet."""
TRIES = 3
MAX_BYTES = 64 << 20
"""Far more than any WTHOR file has."""
LATE_YEARS = 2
"""How many of the latest years may not be published yet."""
_CHUNK = 1 << 16
_TIMEOUT = 30  # seconds without a byte

Report = Callable[[str, int, int | None], None]
"""Called with a file name, the bytes downloaded and the total bytes, if known."""


class Missing(ZeroplyError):
    """The server does not have the file."""


@dataclass(frozen=True)
class DownloadedFile:
    """A complete file."""

    path: Path
    """Where it is."""
    games: int
    """Its games; 0 for a file of names."""
    fresh: bool
    """Whether it was downloaded now; otherwise it existed already."""


def get_wthor(
    out: str | Path,
    *,
    url: str = BASE,
    from_year: int = FIRST_YEAR,
    to_year: int | None = None,
    report: Report | None = None,
) -> list[DownloadedFile]:
    """Download the files of some years, by default up to the latest; existing files are not downloaded again."""
    last = this_year() if to_year is None else to_year
    if not FIRST_YEAR <= from_year <= last:
        raise ZeroplyError(f"WTHOR starts in {FIRST_YEAR}: no years from {from_year} to {last}")
    _check_address(url)
    folder = Path(out)
    with explained(f"write {folder}"):
        folder.mkdir(parents=True, exist_ok=True)
    site = _Site(url.rstrip("/"), folder, report or (lambda name, done, total: None))
    with locked(folder, f"another process is downloading to {folder}: wait until it ends or stop it"):
        with explained(f"write {folder}"):
            (folder / PARTIAL).mkdir(exist_ok=True)
        got = [site.get(name) for name in NAME_FILES]
        for year in range(from_year, last + 1):
            try:
                got.append(site.get(f"WTH_{year}.wtb"))
            except Missing:
                if to_year is not None or year == from_year or year <= last - LATE_YEARS:
                    raise
                break
        with explained(f"write {folder}"):
            if not any((folder / PARTIAL).iterdir()):
                (folder / PARTIAL).rmdir()
    return got


def this_year() -> int:
    """The latest year that may have games."""
    return date.today().year


def checked_games(path: Path) -> int:
    """The number of games in a file, 0 for a file of names; raises ZeroplyError if it does not match its name."""
    if path.suffix.lower() != ".wtb":
        read_names(path)
        return 0
    file = read_wtb(path)
    if file.year and path.stem != f"WTH_{file.year}":
        raise ZeroplyError(f"{path} contains the games of {file.year}")
    return len(file)


def _check_address(url: str) -> None:
    """Raise ZeroplyError for an invalid address."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port  # both properties raise ValueError if invalid
        host.encode("idna")
    except ValueError as error:
        raise ZeroplyError(f"{url!r} is not a valid address: {error}") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ZeroplyError(f"the address must start with http:// or https:// and a host name, unlike {url!r}")
    if not re.fullmatch("[!-~]+", url):
        raise ZeroplyError(f"use only ASCII without spaces in an address (other characters as %41), unlike {url!r}")


class _Site:
    """Downloads from one server to one folder."""

    def __init__(self, url: str, folder: Path, report: Report) -> None:
        self.url = url
        self.folder = folder
        self.report = report

    def get(self, name: str) -> DownloadedFile:
        """The file, downloaded unless it exists and is complete."""
        target = self.folder / name
        if target.is_file():
            try:
                return DownloadedFile(target, checked_games(target), fresh=False)
            except ZeroplyError:
                pass  # incomplete: replace it
        partial = self.folder / PARTIAL / name
        self._gather(name, partial)
        try:
            games = checked_games(partial)
        except ZeroplyError as error:
            _forget(partial)
            reason = str(error).removeprefix(str(partial)).lstrip(", ")
            raise ZeroplyError(f"{self.url}/{name} is not a complete WTHOR file: {reason}") from None
        with explained(f"write {target}"):
            os.replace(partial, target)
            sync_folder(self.folder)
        _forget(partial)
        return DownloadedFile(target, games, fresh=True)

    def _gather(self, name: str, partial: Path) -> None:
        """Request a file, and the rest of it again if the connection breaks."""
        for attempt in range(TRIES):
            try:
                if self._fetch(name, partial):
                    return
                problem = "the connection was closed too early"
            except ZeroplyError:
                raise
            except (
                http.client.HTTPException,
                OSError,
                ValueError,
            ) as error:  # ValueError: bad redirect
                problem = _reason(error)
                if attempt == 0 and isinstance(getattr(error, "reason", None), OSError):
                    break  # no such server
        saved = f"; {partial.stat().st_size} bytes are saved" if partial.is_file() else ""
        raise ZeroplyError(f"cannot get {self.url}/{name}: {problem}{saved}; run the same command again to resume")

    def _fetch(self, name: str, partial: Path) -> bool:
        """Make one request; whether the file is complete after it."""
        have, known = _gathered(partial)
        request = urllib.request.Request(f"{self.url}/{name}")
        if have and known:  # never join parts of different versions
            request.add_header("Range", f"bytes={have}-")
            request.add_header("If-Range", known)
        with self._opened(request, name, partial) as response:
            if response is None:
                return False
            if response.status == http.HTTPStatus.PARTIAL_CONTENT:
                total = _fitting_total(response.headers, have, known)
                if total is None:
                    _forget(partial)
                    raise http.client.HTTPException("the server sent a different part from the one requested")
            else:
                have = 0
                length = response.headers.get("Content-Length", "")
                total = int(length) if length.isdecimal() else None
                _forget(partial)  # before recording the new version, to which the old part does not belong
                write_atomically(_version_file(partial), _version(response.headers).encode("latin-1"))
            done = self._copy(response, partial, have, total)
        return total is None or done == total

    def _copy(self, response: http.client.HTTPResponse, partial: Path, done: int, total: int | None) -> int:
        """Append a response to the partial file; returns its length."""
        with open(partial, "ab") as file:
            self.report(partial.name, done, total)
            while max(done, total or 0) <= MAX_BYTES and (chunk := response.read(_CHUNK)):
                file.write(chunk)
                done += len(chunk)
                self.report(partial.name, done, total)
            file.flush()
            os.fsync(file.fileno())
        if max(done, total or 0) > MAX_BYTES:
            _forget(partial)
            raise ZeroplyError(
                f"{self.url}/{partial.name} is longer than {MAX_BYTES >> 20} MB, unlike any WTHOR file: "
                "choose another --url"
            )
        return done

    @contextmanager
    def _opened(self, request: urllib.request.Request, name: str, partial: Path) -> Iterator[Any]:
        """The response to a request; None if the server refused the range and the partial file must be deleted."""
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


def _reason(error: Exception) -> str:
    """The error as text."""
    if isinstance(error, urllib.error.HTTPError):
        return f"the server answers {error.code} {error.reason}"
    cause = getattr(error, "reason", None) or error
    return str(getattr(cause, "strerror", None) or cause or type(error).__name__)


def _gathered(partial: Path) -> tuple[int, str]:
    """The length of the partial file and the version it belongs to; empty if unknown."""
    note = _version_file(partial)
    text = note.read_bytes() if note.is_file() else b""
    known = text.decode() if re.fullmatch(rb"[ -~]{1,200}", text) else ""
    return partial.stat().st_size if partial.is_file() else 0, known


def _version(headers: Message) -> str:
    """The server's version tag of a file; empty if it sends none."""
    marks = (headers.get(header, "") for header in ("ETag", "Last-Modified"))
    return next((mark for mark in marks if mark and not mark.startswith("W/")), "")


def _fitting_total(headers: Message, have: int, known: str) -> int | None:
    """The length of the complete file if the response is the requested part."""
    part = re.fullmatch(r"bytes (\d+)-\d+/(\d+)", headers.get("Content-Range", ""), re.ASCII)
    if not (part and have and known and int(part[1]) == have and _version(headers) in ("", known)):
        return None
    return int(part[2])


def _version_file(partial: Path) -> Path:
    """The file with the version that the partial file belongs to."""
    return partial.with_name(partial.name + ".version")


def _forget(partial: Path) -> None:
    partial.unlink(missing_ok=True)
    _version_file(partial).unlink(missing_ok=True)
