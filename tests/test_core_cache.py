"""The cache of compiled cores (core/cache.cmake): an entry serves the same sources, compiler and flags only."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

CORE = Path(__file__).resolve().parents[1] / "core"
SETTINGS = {
    "CMAKE_CXX_COMPILER": "/bin/true",
    "CMAKE_CXX_COMPILER_VERSION": "12.2.0",
    "CMAKE_CXX_FLAGS": "-O3",
    "nanobind_VERSION": "3.1",
    "Python_VERSION": "3.11.7",
    "levels": "baseline;v3",
}
Cmake = Callable[..., str]


@pytest.fixture
def cmake(tmp_path: Path) -> Cmake:
    """Runs a CMake script in a project with a core of one file; returns what it prints."""
    program = shutil.which("cmake", path=str(Path(sys.executable).parent))
    if program is None:
        pytest.skip("cmake is not installed beside Python: run make install")
    (tmp_path / "core").mkdir()
    (tmp_path / "CMakeLists.txt").touch()
    (tmp_path / "core" / "games.cpp").write_text("int games = 3;\n")
    for script in ("cache.cmake", "store.cmake"):
        shutil.copy(CORE / script, tmp_path / "core")
    (tmp_path / "find.cmake").write_text(
        'include(core/cache.cmake)\nfind_compiled("${cache}" "${levels}")\nmessage("${found} ${entry}")\n'
    )

    def run(script: str, **variables: str) -> str:
        words = [f"-D{name}={value}" for name, value in variables.items()]
        done = subprocess.run(
            [program, *words, "-P", script], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True
        )
        return done.stderr.strip()

    return run


def look_up(cmake: Cmake, cache: Path, **changes: str) -> tuple[bool, Path]:
    found, entry = cmake("find.cmake", cache=str(cache), **{**SETTINGS, **changes}).split()
    return found == "TRUE", Path(entry)


def store(cmake: Cmake, entry: Path, content: str = "compiled") -> None:
    folder = entry.parent.parent / "built"
    folder.mkdir(exist_ok=True)
    (folder / "core_v3.so").write_text(content)
    (folder / "_cpu.so").write_text(content)
    compiled = cmake("hash.cmake")
    cmake("core/store.cmake", entry=str(entry), files=f"{folder}/core_v3.so;{folder}/_cpu.so", compiled=compiled)


@pytest.fixture(autouse=True)
def hash_script(tmp_path: Path) -> None:
    (tmp_path / "hash.cmake").write_text(
        'include(core/cache.cmake)\nhash_sources("${CMAKE_CURRENT_SOURCE_DIR}")\nmessage("${sources_hash}")\n'
    )


def test_what_was_stored_is_found_again_for_the_same_sources_and_settings_only(cmake: Cmake, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    found, entry = look_up(cmake, cache)
    assert not found
    store(cmake, entry)
    assert look_up(cmake, cache) == (True, entry)
    assert sorted(path.name for path in entry.iterdir()) == ["_cpu.so", "core_v3.so", "files.txt"]
    for name, value in SETTINGS.items():
        found, other = look_up(cmake, cache, **{name: "/bin/echo" if name == "CMAKE_CXX_COMPILER" else value + "1"})
        assert not found, name
        assert other != entry, name
    (tmp_path / "core" / "games.cpp").write_text("int games = 4;\n")
    assert look_up(cmake, cache)[1] != entry


def test_a_damaged_entry_is_removed(cmake: Cmake, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    _, entry = look_up(cmake, cache)
    store(cmake, entry)
    (entry / "core_v3.so").write_text("")
    assert look_up(cmake, cache) == (False, entry)
    assert not entry.exists()


def test_sources_edited_during_the_build_are_not_stored(cmake: Cmake, tmp_path: Path) -> None:
    entry = tmp_path / "cache" / "entry"
    (tmp_path / "core.so").touch()
    cmake("core/store.cmake", entry=str(entry), files=str(tmp_path / "core.so"), compiled="another hash")
    assert not entry.exists()


def test_the_newest_entries_stay_and_nothing_partial_is_left(cmake: Cmake, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    for age in range(10):
        (cache / f"old-{age}").mkdir(parents=True)
        (cache / f"old-{age}" / "files.txt").touch()
        os.utime(cache / f"old-{age}" / "files.txt", (1000 - age, 1000 - age))
    store(cmake, cache / "new")
    assert sorted(entry.name for entry in cache.iterdir()) == ["new", *(f"old-{age}" for age in range(7))]
    store(cmake, cache / "new", "compiled twice")
    assert (cache / "new" / "core_v3.so").read_text() == "compiled"
    assert len(list(cache.iterdir())) == 8
