"""Which compilers build the core: the check of CMake says yes, or in one sentence why not."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ELSEWHERE = {"threads", "set_threads", "has_bfloat", "Cancelled", "open_lines"}
"""What tests of something else use of the core: settings, questions about the processor, an error, an example."""
CHECK = ROOT / "core" / "compiler.cmake"


def configure(identity: str, version: str) -> subprocess.CompletedProcess[str]:
    """Run the check as if this were the compiler."""
    pytest.importorskip("cmake")
    facts = {"_ID": identity, "_VERSION": version, "": "/usr/bin/c++"}
    options = [f"-DCMAKE_CXX_COMPILER{name}={value}" for name, value in facts.items()]
    return subprocess.run(
        [sys.executable, "-m", "cmake", *options, "-P", str(CHECK)], capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize(("identity", "version"), [("GNU", "11.3.0"), ("GNU", "15.1"), ("Clang", "14.0.6")])
def test_gcc_11_and_clang_14_and_newer_ones_build_the_core(identity: str, version: str) -> None:
    assert configure(identity, version).returncode == 0


@pytest.mark.parametrize(("identity", "version"), [("GNU", "10.2.1"), ("Clang", "13.0.1"), ("MSVC", "19.40")])
def test_other_compilers_are_refused_in_one_sentence(identity: str, version: str) -> None:
    done = configure(identity, version)
    assert done.returncode != 0
    message = " ".join(done.stderr.split())
    assert f"needs GCC 11, Clang 14 or a newer version of either; /usr/bin/c++ is {identity} {version}." in message


def test_the_core_tests_of_the_makefile_are_all_that_call_the_core() -> None:
    """`make sanitize` and `make compilers` run these; whoever only sets the number of threads tests something else."""
    answer = subprocess.run(
        ["make", "-s", "--eval", "core-tests: ; @echo $(CORE_TESTS)", "core-tests"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    listed = {ROOT / name for name in answer.stdout.split()}
    assert all(path.is_file() for path in listed)
    for path in (ROOT / "tests").glob("test_*.py"):
        called = set(re.findall(r"\b_core\.(\w+)", path.read_text())) - ELSEWHERE
        assert not called or path in listed, f"{path.name} calls {', '.join(sorted(called))}"
