"""`zeroply data get wthor` against a server on this machine: whole files, resumed files, and servers that misbehave."""

from __future__ import annotations

import hashlib
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import examples_reference as plain
from zeroply.cli.main import main
from zeroply.errors import ZeroplyError
from zeroply.examples import download
from zeroply.examples.download import PARTIAL, DownloadedFile, get_wthor
from zeroply.files import write_atomically
from zeroply.records import save, write_names

Files = dict[str, bytes]


class Server(ThreadingHTTPServer):
    """Serves files from memory and notes what it was asked for."""

    daemon_threads = True

    def __init__(self, files: Files) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = files
        self.ranges = True  # whether it knows HTTP ranges
        self.tagged = True  # whether it says which version of a file it sends
        self.cut: list[int] = []  # bytes after which the next answers break off
        self.refuse: dict[str, int] = {}  # error codes by file
        self.shift = 0  # how far the parts it sends begin from where it was asked
        self.part_tag = ""  # what it calls the version of a part, if not by its name
        self.chunked = False  # whether it keeps quiet about lengths
        self.asked: list[tuple[str, str | None]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/wthor/base"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        name = self.path.rpartition("/")[2]
        asked = self.headers.get("Range")
        self.server.asked.append((name, asked))
        content = self.server.files.get(name)
        code = self.server.refuse.get(name, 200 if content is not None else 404)
        if content is None or code != 200:
            self.send_error(code)
            return
        tag = f'"{hashlib.md5(content).hexdigest()}"'
        start = 0
        if asked and self.server.ranges and self.headers.get("If-Range") == tag:
            start = int(asked.removeprefix("bytes=").removesuffix("-")) + self.server.shift
            if start >= len(content):
                self.send_error(416)
                return
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            tag = self.server.part_tag or tag
        else:
            self.send_response(200)
        if self.server.tagged:
            self.send_header("ETag", tag)
        if not self.server.chunked:
            self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        sent = content[start:]
        self.wfile.write(sent[: self.server.cut.pop(0)] if self.server.cut else sent)

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """Games of three years and the names of their players."""
    folder = tmp_path_factory.mktemp("federation")
    records = plain.some_records()
    for year, low, high in ((1977, 0, 5), (1978, 5, 12), (1979, 12, 14)):
        save([replace(record, date=str(year)) for record in records[low:high]], folder / f"WTH_{year}.wtb")
    (folder / "WTHOR.JOU").write_bytes(write_names(["???", "Anna"], "WTHOR.JOU"))
    (folder / "WTHOR.TRN").write_bytes(write_names(["???", "Cambridge"], "WTHOR.TRN"))
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def server(files: Files, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(download, "this_year", lambda: 1981)
    with Server(dict(files)) as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield running
        finally:
            running.shutdown()
            thread.join()


def content(folder: Path) -> Files:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def games(got: list[DownloadedFile]) -> list[int]:
    return [file.games for file in got]


def test_all_years_are_downloaded_and_their_games_counted(server: Server, files: Files, tmp_path: Path) -> None:
    told: list[tuple[str, int, int | None]] = []
    got = get_wthor(tmp_path / "new" / "wthor", url=server.url, report=lambda *what: told.append(what))
    assert games(got) == [0, 0, 5, 7, 2]
    assert content(tmp_path / "new" / "wthor") == files
    assert all(file.fresh for file in got)
    assert not (tmp_path / "new" / "wthor" / PARTIAL).exists()
    size = len(files["WTH_1978.wtb"])
    assert ("WTH_1978.wtb", 0, size) in told
    assert ("WTH_1978.wtb", size, size) in told


def test_the_years_can_be_chosen(server: Server, tmp_path: Path) -> None:
    get_wthor(tmp_path, url=server.url + "/", from_year=1978, to_year=1978)
    assert set(content(tmp_path)) == {"WTHOR.JOU", "WTHOR.TRN", "WTH_1978.wtb"}


def test_only_damaged_files_are_asked_for_again(server: Server, files: Files, tmp_path: Path) -> None:
    get_wthor(tmp_path, url=server.url, to_year=1979)
    (tmp_path / "WTH_1978.wtb").write_bytes(files["WTH_1978.wtb"][:-1])
    server.asked.clear()
    got = get_wthor(tmp_path, url=server.url, to_year=1979)
    assert server.asked == [("WTH_1978.wtb", None)]
    assert [file.path.name for file in got if file.fresh] == ["WTH_1978.wtb"]
    assert content(tmp_path) == files


def test_a_broken_connection_is_resumed_with_a_range(server: Server, files: Files, tmp_path: Path) -> None:
    server.cut = [100000, 100000, 200]
    get_wthor(tmp_path, url=server.url, to_year=1979)
    assert content(tmp_path) == files
    assert ("WTH_1977.wtb", "bytes=200-") in server.asked


def test_a_server_without_ranges_sends_the_file_anew(server: Server, files: Files, tmp_path: Path) -> None:
    server.ranges = False
    server.cut = [100000, 100000, 200]
    get_wthor(tmp_path, url=server.url, to_year=1979)
    assert content(tmp_path) == files


def test_without_a_version_a_part_is_not_trusted(server: Server, files: Files, tmp_path: Path) -> None:
    server.tagged = False
    server.cut = [100000, 100000, 200]
    get_wthor(tmp_path, url=server.url, to_year=1979)
    assert content(tmp_path) == files
    assert all(asked is None for _, asked in server.asked)


def test_what_was_there_before_an_interruption_is_kept(server: Server, files: Files, tmp_path: Path) -> None:
    server.cut = [100000, 100000, 200, 30, 30]
    with pytest.raises(
        ZeroplyError, match=r"WTH_1977\.wtb: the connection was closed too early; 260 bytes are saved; run"
    ):
        get_wthor(tmp_path, url=server.url, to_year=1979)
    assert set(content(tmp_path)) == {"WTHOR.JOU", "WTHOR.TRN"}
    server.asked.clear()
    get_wthor(tmp_path, url=server.url, to_year=1979)
    assert server.asked[0] == ("WTH_1977.wtb", "bytes=260-")
    assert content(tmp_path) == files


def interrupted(server: Server, folder: Path) -> Path:
    """Get only 260 bytes of the games of 1977; returns the file that holds them."""
    server.cut = [100000, 100000, 200, 30, 30]
    with pytest.raises(ZeroplyError):
        get_wthor(folder, url=server.url, to_year=1977)
    return folder / PARTIAL / "WTH_1977.wtb"


def another(files: Files) -> bytes:
    """Another version of the games of 1977, of the same length: the last game is another one."""
    return files["WTH_1977.wtb"][:-60] + files["WTH_1977.wtb"][-128:-68]


def test_a_file_that_has_changed_meanwhile_is_taken_anew(server: Server, files: Files, tmp_path: Path) -> None:
    interrupted(server, tmp_path)
    server.files["WTH_1977.wtb"] = another(files)
    get_wthor(tmp_path, url=server.url, to_year=1977)
    assert content(tmp_path)["WTH_1977.wtb"] == another(files)


def test_the_version_of_a_file_is_never_noted_beside_bytes_of_another(
    server: Server, files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = files["WTH_1977.wtb"]
    interrupted(server, tmp_path)
    server.files["WTH_1977.wtb"] = changed = first[:100] + first[168:236] + first[168:]  # other bytes at the front

    def killed(path: Path, data: bytes) -> None:
        write_atomically(path, data)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(download, "write_atomically", killed)
        with pytest.raises(KeyboardInterrupt):
            get_wthor(tmp_path, url=server.url, to_year=1977)
    get_wthor(tmp_path, url=server.url, to_year=1977)
    assert content(tmp_path)["WTH_1977.wtb"] == changed


@pytest.mark.parametrize("wrong", ["place", "version"])
def test_a_part_that_does_not_fit_is_not_added(server: Server, files: Files, tmp_path: Path, wrong: str) -> None:
    interrupted(server, tmp_path)
    server.shift, server.part_tag = (-68, "") if wrong == "place" else (0, '"other"')
    get_wthor(tmp_path, url=server.url, to_year=1977)
    assert content(tmp_path)["WTH_1977.wtb"] == files["WTH_1977.wtb"]
    assert [asked for _, asked in server.asked[-2:]] == ["bytes=260-", None]


@pytest.mark.parametrize("note", [b"\xff\xfe", b'"a"\r\nHost: b', b"", b"x" * 100_000])
def test_a_damaged_note_of_the_version_costs_only_time(
    server: Server, files: Files, tmp_path: Path, note: bytes
) -> None:
    partial = interrupted(server, tmp_path)
    partial.with_name(partial.name + ".version").write_bytes(note)
    get_wthor(tmp_path, url=server.url, to_year=1977)
    assert content(tmp_path)["WTH_1977.wtb"] == files["WTH_1977.wtb"]


def test_a_file_of_another_year_is_refused(server: Server, files: Files, tmp_path: Path) -> None:
    server.files["WTH_1977.wtb"] = files["WTH_1978.wtb"]
    with pytest.raises(ZeroplyError, match=r"WTH_1977\.wtb is not a complete WTHOR file: contains the games of 1978"):
        get_wthor(tmp_path, url=server.url, to_year=1977)


@pytest.mark.parametrize("quiet", [False, True])
def test_a_file_that_does_not_end_is_refused(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quiet: bool
) -> None:
    monkeypatch.setattr(download, "MAX_BYTES", 1 << 20)
    server.chunked = quiet
    server.files["WTH_1977.wtb"] = bytes(3 << 20)
    with pytest.raises(ZeroplyError, match=r"WTH_1977\.wtb is longer than 1 MB, unlike any WTHOR file"):
        get_wthor(tmp_path, url=server.url, to_year=1977)
    assert not (tmp_path / PARTIAL / "WTH_1977.wtb").exists()


def test_two_downloads_to_one_folder_do_not_meet(server: Server, tmp_path: Path) -> None:
    met = []

    def meanwhile(name: str, done: int, total: int | None) -> None:
        with pytest.raises(ZeroplyError, match="another process is downloading to"):
            get_wthor(tmp_path, url=server.url, to_year=1977)
        met.append(name)

    get_wthor(tmp_path, url=server.url, to_year=1977, report=meanwhile)
    assert "WTH_1977.wtb" in met


def test_a_part_that_is_too_long_is_thrown_away(server: Server, files: Files, tmp_path: Path) -> None:
    interrupted(server, tmp_path).write_bytes(files["WTH_1977.wtb"] + b"more")
    assert games(get_wthor(tmp_path, url=server.url, to_year=1977)) == [0, 0, 5]


@pytest.mark.parametrize("damage", ["cut", "text", "name"])
def test_a_file_damaged_on_the_server_is_refused(server: Server, files: Files, tmp_path: Path, damage: str) -> None:
    name = "WTHOR.JOU" if damage == "name" else "WTH_1978.wtb"
    server.files[name] = b"<html>moved</html>" if damage == "text" else files[name][:-3]
    with pytest.raises(ZeroplyError, match=rf"/wthor/base/{name} is not a complete WTHOR file: "):
        get_wthor(tmp_path, url=server.url, to_year=1979)
    assert name not in content(tmp_path)
    server.files[name] = files[name]
    get_wthor(tmp_path, url=server.url, to_year=1979)
    assert content(tmp_path) == files


def test_a_missing_year_is_told_if_it_was_asked_for(server: Server, tmp_path: Path) -> None:
    with pytest.raises(ZeroplyError, match=r"has no WTH_1980\.wtb: choose other years with --from-year and --to-year"):
        get_wthor(tmp_path, url=server.url, to_year=1980)
    assert "WTH_1979.wtb" in content(tmp_path)
    with pytest.raises(ZeroplyError, match=r"has no WTH_1980\.wtb"):
        get_wthor(tmp_path, url=server.url, from_year=1980)


def test_a_year_that_is_missing_in_the_middle_is_told(server: Server, tmp_path: Path) -> None:
    del server.files["WTH_1978.wtb"]
    with pytest.raises(ZeroplyError, match=r"has no WTH_1978\.wtb"):
        get_wthor(tmp_path, url=server.url)


def test_only_the_last_two_years_may_not_be_out_yet(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert games(get_wthor(tmp_path, url=server.url)) == [0, 0, 5, 7, 2]
    monkeypatch.setattr(download, "this_year", lambda: 1982)
    with pytest.raises(ZeroplyError, match=r"has no WTH_1980\.wtb"):
        get_wthor(tmp_path, url=server.url)


def test_errors_of_the_server_are_told(server: Server, tmp_path: Path) -> None:
    server.refuse["WTHOR.TRN"] = 503
    with pytest.raises(ZeroplyError, match=r"WTHOR\.TRN: the server answers 503 Service Unavailable; run the same"):
        get_wthor(tmp_path, url=server.url)


def test_an_absent_server_is_told(tmp_path: Path) -> None:
    with Server({}) as closed:
        url = closed.url
    with pytest.raises(ZeroplyError, match=r"cannot get http://127.*refused"):
        get_wthor(tmp_path, url=url)


NO_ADDRESSES = ("file:///etc", "www.ffothello.org", "http://", "http://[x", "http://a:b", "http://a:99999")
NO_NAMES = ("http://a..b", "http://" + 70 * "a", "http://é", "http://a/é", "http://a/b c", "http://a/\n")


@pytest.mark.parametrize("url", [*NO_ADDRESSES, *NO_NAMES])
def test_an_address_that_cannot_be_asked_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(ZeroplyError, match=r"is not a valid address|start with http:// or https://|only ASCII"):
        get_wthor(tmp_path, url=url)


def test_bad_years_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ZeroplyError, match="no years from 1980 to 1979"):
        get_wthor(tmp_path, from_year=1980, to_year=1979)
    with pytest.raises(ZeroplyError, match="starts in 1977"):
        get_wthor(tmp_path, from_year=1900)


def test_the_command_counts_the_games(server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["data", "get", "wthor", "--out", str(tmp_path), "--url", server.url]
    main([*words, "--to-year", "1978"])
    assert capsys.readouterr().out == f"12 games in 4 files in {tmp_path}, 4 of them downloaded now\n"
    main([*words, "--json"])
    told = json.loads(capsys.readouterr().out)
    assert told["games"] == 14
    assert [file["downloaded"] for file in told["files"]] == [False] * 4 + [True]


def test_the_default_site_is_that_of_the_federation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def offline(request: urllib.request.Request, timeout: float) -> None:
        asked.append(request.full_url)
        raise urllib.error.URLError(OSError("no network"))

    monkeypatch.setattr(urllib.request, "urlopen", offline)
    with pytest.raises(SystemExit):
        main(["data", "get", "wthor", "--out", str(tmp_path)])
    assert asked == ["https://www.ffothello.org/wthor/base/WTHOR.JOU"]
