"""The files of datasets: whole or absent, and damage, other versions and mixed builds are told in one sentence."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import examples_reference as plain
from zeroply.errors import ZeroplyError
from zeroply.examples import NAMES, Examples, Split
from zeroply.examples.build import build
from zeroply.examples.manifest import FILE, VERSION, read_manifest
from zeroply.examples.sources import find_files
from zeroply.records import save


@pytest.fixture
def games(tmp_path: Path) -> Path:
    save(plain.some_records()[:20], tmp_path / "games.txt")
    return tmp_path / "games.txt"


@pytest.fixture
def sets(games: Path, tmp_path: Path) -> Path:
    build(games, tmp_path / "sets")
    return tmp_path / "sets"


def edit(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


# Damage


@pytest.mark.parametrize("name", NAMES)
def test_a_dataset_of_another_version_is_refused(sets: Path, name: str) -> None:
    edit(sets / name / FILE, version=VERSION + 1)
    with pytest.raises(ZeroplyError, match=f"has format version {VERSION + 1}, this zeroply reads {VERSION}: build it"):
        Examples.open(sets, name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("file", ["own.u64", "opponent.u64", "move.u8"])
def test_a_truncated_array_is_noticed(sets: Path, name: str, file: str) -> None:
    path = sets / name / file if name != "original-s" else sets / "original" / file
    os.truncate(path, path.stat().st_size - 1)
    with pytest.raises(ZeroplyError, match=rf"is damaged: {file} has \d+ bytes instead of \d+; build it again"):
        Examples.open(sets, name)


def test_a_missing_array_is_noticed(sets: Path) -> None:
    (sets / "unique" / "move.u8").unlink()
    with pytest.raises(ZeroplyError, match=r"move\.u8 is missing"):
        Examples.open(sets, "unique")


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '"x"', "\xff"])
def test_a_damaged_description_is_noticed(sets: Path, text: str) -> None:
    (sets / "unique" / FILE).write_bytes(text.encode("latin-1"))
    with pytest.raises(ZeroplyError, match=r"damaged|does not describe"):
        Examples.open(sets, "unique")


@pytest.mark.parametrize("change", [{"examples": 7}, {"stored": 10**9}, {"name": "original"}, {"seal": "0"}])
def test_a_changed_description_does_not_match_its_seal(sets: Path, change: dict[str, Any]) -> None:
    edit(sets / "unique" / FILE, **change)
    with pytest.raises(ZeroplyError, match="does not match its digest"):
        Examples.open(sets, "unique")


@pytest.mark.parametrize("name", NAMES)
def test_a_changed_byte_is_found_by_verify(sets: Path, name: str) -> None:
    data = Examples.open(sets, name)
    data.verify()
    path = sets / data.manifest.arrays_of / "own.u64"
    content = bytearray(path.read_bytes())
    content[100] ^= 1
    path.write_bytes(content)
    with pytest.raises(ZeroplyError, match=r"own\.u64 has changed"):
        Examples.open(sets, name).verify()


def test_datasets_of_different_builds_are_not_mixed(sets: Path, tmp_path: Path) -> None:
    save(plain.some_records()[20:40], tmp_path / "other.txt")
    build(tmp_path / "other.txt", tmp_path / "other")
    shutil.rmtree(sets / "original")
    with pytest.raises(ZeroplyError, match="there is no dataset"):
        Examples.open(sets, "original-s")
    assert len(Examples.open(sets, "unique").side(Split(by="position"), "test"))
    with pytest.raises(ZeroplyError, match="there is no dataset"):
        Examples.open(sets, "unique").side(Split(by="game"), "test")
    shutil.copytree(tmp_path / "other" / "original", sets / "original")
    for name in ("unique", "unique-s"):
        with pytest.raises(ZeroplyError, match="were not built together"):
            Examples.open(sets, name).side(Split(by="game"), "test")
    with pytest.raises(ZeroplyError, match="were not built together"):
        Examples.open(sets, "original-s")


def test_what_is_not_there_is_told(sets: Path, tmp_path: Path) -> None:
    with pytest.raises(ZeroplyError, match=r"there is no folder .*nowhere"):
        Examples.open(tmp_path / "nowhere", "unique")
    with pytest.raises(ZeroplyError, match="unknown dataset 'uniq': choose from original, unique"):
        Examples.open(sets, "uniq")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ZeroplyError, match="'zeroply data build' makes datasets"):
        Examples.open(tmp_path / "empty", "unique")


def test_equal_games_make_equal_files(sets: Path, games: Path, tmp_path: Path) -> None:
    build(games, tmp_path / "again")
    for path in sorted(sets.rglob("*.*")):
        assert path.read_bytes() == (tmp_path / "again" / path.relative_to(sets)).read_bytes()


def reseal(path: Path, **changes: Any) -> None:
    """Change what a dataset says about itself, and its seal with it."""
    content = {**json.loads(path.read_text()), **changes}
    del content["seal"]
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    path.write_text(json.dumps({**content, "seal": hashlib.blake2b(text.encode(), digest_size=16).hexdigest()}))


@pytest.mark.parametrize(
    "change",
    [
        {"examples": "7"},
        {"examples": 0, "stored": 0, "predictable": 0},
        {"stored": 10**13},
        {"stored": 1.5},
        {"stored": True},
        {"whole": "x"},
        {"whole": None},
        {"whole": 0},
        {"whole": -2},
        {"predictable": 0},
        {"predictable": 10**9},
        {"games": -1},
        {"games": None},
        {"game": "gomoku(size=9)"},
        {"name": ["unique"]},
        {"arrays_of": "../unique"},
        {"arrays_of": "unique-s"},
        {"arrays_of": "original"},
        {"arrays": {}},
        {"arrays": {"own.u64": {"bytes": 8, "digest": ""}}},
        {"arrays": {"../own.u64": {"bytes": "8", "digest": 5}}},
        {"original": 7},
        {"files": "ab"},
        {"files": [{"name": 5}]},
        {"more": 1},
    ],
)
def test_a_description_that_cannot_be_true_is_refused(sets: Path, change: dict[str, Any]) -> None:
    reseal(sets / "unique" / FILE, **change)
    with pytest.raises(ZeroplyError, match="unique is damaged: "):
        Examples.open(sets, "unique")


def test_numbers_must_agree_with_the_arrays_they_are_about(sets: Path) -> None:
    content = json.loads((sets / "original-s" / FILE).read_text())
    many = content["stored"] * 1000
    reseal(sets / "original-s" / FILE, stored=many, whole=many, examples=8 * many)
    with pytest.raises(ZeroplyError, match="original-s is damaged: its arrays have the wrong length"):
        Examples.open(sets, "original-s")
    reseal(sets / "original" / FILE, games=content["games"] - 1)
    with pytest.raises(ZeroplyError, match="original is damaged: "):
        Examples.open(sets, "original")


def test_a_seal_is_that_of_the_content(sets: Path) -> None:
    before = (sets / "unique" / FILE).read_text()
    reseal(sets / "unique" / FILE)
    assert json.loads((sets / "unique" / FILE).read_text()) == json.loads(before)
    assert Examples.open(sets, "unique").digest == json.loads(before)["seal"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("place", [-1, 1])
def test_damage_to_where_games_begin_is_found_before_they_are_split(sets: Path, name: str, place: int) -> None:
    path = sets / "original" / "first.i64"
    first = np.fromfile(path, "<i8")
    first[place] += 1  # the games no longer cover the moves, or one gets a move of the next
    first.tofile(path)
    with pytest.raises(ZeroplyError, match=r"original is damaged: first\.i64 has changed; build it again"):
        Examples.open(sets, name).side(Split(by="game", test=0.3), "train")


# Sources


def test_hidden_files_are_no_games(games: Path) -> None:
    for name in (".tmp-games.txt", "._games.txt"):
        (games.parent / name).write_text("a1")
    assert find_files(games.parent) == [games]


def test_an_empty_source_is_told(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    with pytest.raises(ZeroplyError, match=r"none contains no game records .*'zeroply data get wthor"):
        build(tmp_path / "none", tmp_path / "sets")
    with pytest.raises(ZeroplyError, match=r"there is no folder .*nowhere"):
        build(tmp_path / "nowhere", tmp_path / "sets")
    (tmp_path / "games.txt").write_text("# game: othello\n")
    with pytest.raises(ZeroplyError, match="contain no moves"):
        build(tmp_path / "games.txt", tmp_path / "sets")
    assert not (tmp_path / "sets").exists()


def test_a_truncated_source_is_told(tmp_path: Path) -> None:
    save(plain.some_records()[:3], tmp_path / "games.wtb")
    os.truncate(tmp_path / "games.wtb", 100)
    with pytest.raises(ZeroplyError, match=r"games\.wtb, game 2: the file is cut off"):
        build(tmp_path, tmp_path / "sets")
    assert len(build(tmp_path, tmp_path / "sets", skip_bad=True)[0]) == len(plain.some_records()[0].moves)


def test_the_shipped_games_are_a_source() -> None:
    assert find_files("shipped")


# Writing


def test_datasets_are_replaced_only_if_asked_and_other_things_never(games: Path, sets: Path, tmp_path: Path) -> None:
    with pytest.raises(ZeroplyError, match="--overwrite to replace its datasets"):
        build(games, sets)
    build(games, sets, overwrite=True)
    (sets / "letters").mkdir()
    with pytest.raises(ZeroplyError, match="other files than datasets"):
        build(games, sets, overwrite=True)
    (tmp_path / "file").write_text("")
    with pytest.raises(ZeroplyError, match="other files than datasets"):
        build(games, tmp_path / "file", overwrite=True)
    (tmp_path / "empty").mkdir()
    build(games, tmp_path / "empty")
    with pytest.raises(ZeroplyError, match="there is no folder"):
        build(games, tmp_path / "a" / "b")


KILLED = """
import os, signal, sys
from zeroply.examples.build import build

def progress(done, total, what):
    if what == sys.argv[3]:
        os.kill(os.getpid(), signal.SIGKILL)

build(sys.argv[1], sys.argv[2], overwrite=True, progress=progress)
"""


@pytest.mark.parametrize("at", ["original", "unique-s"])
def test_a_killed_build_leaves_no_dataset_and_the_next_one_works(games: Path, tmp_path: Path, at: str) -> None:
    target = tmp_path / "sets"
    ended = subprocess.run([sys.executable, "-c", KILLED, str(games), str(target), at], check=False)
    assert ended.returncode == -signal.SIGKILL
    for name in NAMES:
        with pytest.raises(ZeroplyError):
            Examples.open(target, name)
    build(games, target)
    assert all(len(Examples.open(target, name)) for name in NAMES)
    assert sorted(path.name for path in target.iterdir()) == sorted(NAMES)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_build_killed_while_replacing_leaves_the_old_datasets(games: Path, sets: Path) -> None:
    seals = [read_manifest(sets / name).seal for name in NAMES]
    subprocess.run([sys.executable, "-c", KILLED, str(games), str(sets), "unique-s"], check=False)
    assert [Examples.open(sets, name).digest for name in NAMES] == seals


def test_two_builds_of_one_folder_do_not_meet(games: Path, tmp_path: Path) -> None:
    def meanwhile(done: int, total: int, what: str = "") -> None:
        if what == "unique":
            with pytest.raises(ZeroplyError, match="another process is building"):
                build(games, tmp_path / "sets")

    assert len(build(games, tmp_path / "sets", progress=meanwhile)) == 4


def test_datasets_that_appear_meanwhile_are_not_replaced(games: Path, tmp_path: Path) -> None:
    def meanwhile(done: int, total: int, what: str = "") -> None:
        if what == "reading" and not (tmp_path / "sets").exists():
            build(games, tmp_path / "sets")

    with pytest.raises(ZeroplyError, match="--overwrite to replace its datasets"):
        build(games, tmp_path / "sets", progress=meanwhile)


def test_the_folder_may_be_on_another_disk(games: Path, tmp_path: Path) -> None:
    memory = Path("/dev/shm")
    if not memory.is_dir() or memory.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is no other disk here")
    with tempfile.TemporaryDirectory(dir=memory) as other:
        (tmp_path / "sets").symlink_to(other)
        assert len(build(games, tmp_path / "sets")) == 4
        assert len(build(games, tmp_path / "sets", overwrite=True)) == 4
        assert sorted(path.name for path in Path(other).iterdir()) == sorted(NAMES)


# Replacing: the new datasets take the places of the old ones by ten renames, any of which may be the last


@pytest.fixture
def other_games(tmp_path: Path) -> Path:
    save(plain.some_records()[20:40], tmp_path / "other.txt")
    return tmp_path / "other.txt"


class BrokenDisk:
    """Renames some times, then refuses: once, or for good, which leaves on the disk what a kill would leave."""

    def __init__(self, good: int, bad: int) -> None:
        self.refused = range(good, good + bad)
        self.asked = 0

    def rename(self, source: Path, target: Path) -> None:
        self.asked += 1
        if self.asked - 1 in self.refused:
            raise OSError(28, "No space left on device")
        os.replace(source, target)


RENAMES = [*((4, good) for good in range(10)), *((2, good) for good in (1, 3, 5)), *((0, good) for good in (1, 3, 5))]


@pytest.mark.parametrize(("old", "good"), RENAMES)
@pytest.mark.parametrize("for_good", [False, True])
def test_a_replacement_that_fails_loses_nothing(
    sets: Path, other_games: Path, monkeypatch: pytest.MonkeyPatch, old: int, good: int, for_good: bool
) -> None:
    for name in NAMES[old:]:
        shutil.rmtree(sets / name)
    seals = {name: read_manifest(sets / name).seal for name in NAMES[:old]}
    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", BrokenDisk(good, 1000 if for_good else 1).rename)
        with pytest.raises(ZeroplyError, match="No space left on device"):
            build(other_games, sets, overwrite=True)
    if for_good:  # the next build puts back what this one could not, before it fails itself
        with pytest.raises(InterruptedError):
            build(other_games, sets, overwrite=True, progress=_interrupt)
    assert {path.name for path in sets.iterdir()} == set(seals)
    assert {name: Examples.open(sets, name).digest for name in seals} == seals


def _interrupt(done: int, total: int, what: str = "") -> None:
    if what == "original":
        raise InterruptedError


KILLED_RENAMING = """
import os, signal, sys
from zeroply.examples.build import build

left, rename = int(sys.argv[3]), os.rename

def rename_or_die(source, target):
    global left
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    rename(source, target)

os.rename = rename_or_die
build(sys.argv[1], sys.argv[2], overwrite=True)
"""


@pytest.mark.parametrize("good", [3, 7])
def test_a_build_killed_among_the_renames_loses_nothing(games: Path, other_games: Path, sets: Path, good: int) -> None:
    seals = [read_manifest(sets / name).seal for name in NAMES]
    command = [sys.executable, "-c", KILLED_RENAMING, str(other_games), str(sets), str(good)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    with pytest.raises(ZeroplyError, match="--overwrite to replace its datasets"):
        build(games, sets)
    assert [Examples.open(sets, name).digest for name in NAMES] == seals
