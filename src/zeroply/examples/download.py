"""Getting the WTHOR files from the French Othello Federation: one file of games a year, and the names of the players.

A file is gathered in a hidden folder, read by the project's own reader, which counts its games, and only then put in
its place. What was gathered before an interruption is kept, and the rest is asked for with an HTTP range. A server may
answer with anything: nothing it sends is taken for more than it proves to be.
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
"""Where the federation keeps the files."""
NAME_FILES = ("WTHOR.JOU", "WTHOR.TRN")
FIRST_YEAR = 1977
PARTIAL = TEMPORARY + "partial"
"""The hidden folder of files that are not complete yet."""
TRIES = 3
MOST_BYTES = 64 << 20
"""What no file of games or names comes near."""
LATE_YEARS = 2
"""How many of the last years may not be out yet."""
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
    last = this_year() if to_year is None else to_year
    if not FIRST_YEAR <= from_year <= last:
        raise ZeroplyError(f"WTHOR begins in {FIRST_YEAR}: there are no years from {from_year} to {last}")
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
    """The last year there may be games of."""
    return date.today().year


def checked_games(path: Path) -> int:
    """The number of games of a whole file, 0 for one of names; raises ZeroplyError if it is not what its name says."""
    if path.suffix.lower() != ".wtb":
        read_names(path)
        return 0
    file = read_wtb(path)
    if file.year and path.stem != f"WTH_{file.year}":
        raise ZeroplyError(f"{path} holds the games of {file.year}")
    return len(file)


def _check_address(url: str) -> None:
    """Raise ZeroplyError for an address that no request can be made to."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port  # both are checked when they are asked for
        host.encode("idna")
    except ValueError as error:
        raise ZeroplyError(f"{url!r} is no address: {error}") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ZeroplyError(f"the site's address begins with http:// or https:// and a name, unlike {url!r}")
    if not re.fullmatch("[!-~]+", url):
        raise ZeroplyError(f"an address holds only ASCII without spaces, other characters as %41, unlike {url!r}")


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
            except ZeroplyError:
                raise
            except (http.client.HTTPException, OSError, ValueError) as error:  # a ValueError: redirected to nowhere
                problem = _told(error)
                if attempt == 0 and isinstance(getattr(error, "reason", None), OSError):
                    break  # there is no server
        kept = f"; {partial.stat().st_size} bytes are kept" if partial.is_file() else ""
        raise ZeroplyError(f"cannot get {self.url}/{name}: {problem}{kept}; run the same command again to go on")

    def _fetch(self, name: str, partial: Path) -> bool:
        """One request; whether all of the file is there after it."""
        have, known = _gathered(partial)
        request = urllib.request.Request(f"{self.url}/{name}")
        if have and known:  # a part of another version of the file would not fit
            request.add_header("Range", f"bytes={have}-")
            request.add_header("If-Range", known)
        with self._opened(request, name, partial) as response:
            if response is None:
                return False
            if response.status == http.HTTPStatus.PARTIAL_CONTENT:
                total = _fitting_total(response.headers, have, known)
                if total is None:
                    _forget(partial)
                    raise http.client.HTTPException("the server sent another part than was asked for")
            else:
                have = 0
                length = response.headers.get("Content-Length", "")
                total = int(length) if length.isdecimal() else None
                _forget(partial)  # before its version is noted, which the old part is not of
                write_atomically(_version_file(partial), _version(response.headers).encode("latin-1"))
            done = self._copy(response, partial, have, total)
        return total is None or done == total

    def _copy(self, response: http.client.HTTPResponse, partial: Path, done: int, total: int | None) -> int:
        """Add an answer to the part that is there; returns the bytes that are there then."""
        with open(partial, "ab") as file:
            self.report(partial.name, done, total)
            while max(done, total or 0) <= MOST_BYTES and (chunk := response.read(_CHUNK)):
                file.write(chunk)
                done += len(chunk)
                self.report(partial.name, done, total)
            file.flush()
            os.fsync(file.fileno())
        if max(done, total or 0) > MOST_BYTES:
            _forget(partial)
            raise ZeroplyError(
                f"{self.url}/{partial.name} is longer than {MOST_BYTES >> 20} MB, unlike any WTHOR file: "
                "choose another --url"
            )
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


def _gathered(partial: Path) -> tuple[int, str]:
    """How many bytes of a file are there, and which version of it they belong to; empty if that is not known."""
    note = _version_file(partial)
    text = note.read_bytes() if note.is_file() else b""
    known = text.decode() if re.fullmatch(rb"[ -~]{1,200}", text) else ""
    return partial.stat().st_size if partial.is_file() else 0, known


def _version(headers: Message) -> str:
    """What the server calls the version of a file that it sends; empty if it cannot tell two of them apart."""
    marks = (headers.get(header, "") for header in ("ETag", "Last-Modified"))
    return next((mark for mark in marks if mark and not mark.startswith("W/")), "")


def _fitting_total(headers: Message, have: int, known: str) -> int | None:
    """The length of the whole file if a part of it is the one that was asked for."""
    part = re.fullmatch(r"bytes (\d+)-\d+/(\d+)", headers.get("Content-Range", ""), re.ASCII)
    if not (part and have and known and int(part[1]) == have and _version(headers) in ("", known)):
        return None
    return int(part[2])


def _version_file(partial: Path) -> Path:
    """Where it is noted which version of a file the part that is there belongs to."""
    return partial.with_name(partial.name + ".version")


def _forget(partial: Path) -> None:
    partial.unlink(missing_ok=True)
    _version_file(partial).unlink(missing_ok=True)
