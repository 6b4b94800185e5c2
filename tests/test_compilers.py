"""Which compilers build the core: the check of CMake says yes, or in one sentence why not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).resolve().parents[1] / "core" / "compiler.cmake"


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
