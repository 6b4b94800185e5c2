"""Files that are whole or absent."""

import os
import threading
from pathlib import Path

import pytest

from zeroply.errors import ZeroplyError
from zeroply.files import check_new, write_atomically


def test_several_may_write_the_same_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "file"
    contents = [bytes([letter]) * 100_000 for letter in b"ab"]
    write_atomically(path, contents[0])
    failed: list[BaseException] = []

    def write(data: bytes) -> None:
        try:
            for _ in range(50):
                write_atomically(path, data)
        except BaseException as error:
            failed.append(error)

    writers = [threading.Thread(target=write, args=(data,)) for data in contents]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        assert path.read_bytes() in contents
    assert not failed
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_what_cannot_be_written_is_known_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(ZeroplyError, match="folder: it exists and is not a file"):
        check_new(tmp_path / "folder", True)
    check_new(tmp_path / "file", False)
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anywhere
    with pytest.raises(ZeroplyError, match="no permission to write to the folder"):
        check_new(tmp_path / "file", False)
