"""Fixtures that tests share: programs from Debian that serve as judges, the folder of published data, studies at smoke.

The first two may be absent; the tests that need them are then skipped with a reason. Property tests are deterministic.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from study_smoke import Smoke, smoke_in

settings.register_profile(
    "zeroply",
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("zeroply")

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # as the command line has it: several workers use torch at once

# A shell without job control starts background commands with interrupts ignored, and what they start inherits that;
# tests interrupt programs.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parents[1]
GAMES_FOLDER = "/usr/games"  # where Debian puts games; not on the PATH of root
INSTALL_SECONDS = 300


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of this test run share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="module")
def results(shared: Path, request: pytest.FixtureRequest) -> Path:
    """A folder of results that all studies of a file share."""
    folder = shared / f"results-{request.path.stem}"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def smoke(results: Path) -> Smoke:
    """A study at smoke: where its results are, and its report. Measured once."""
    return smoke_in(results)


@pytest.fixture(scope="session")
def debian_program(shared: Path) -> Callable[..., Path]:
    """Finds a program, as in `debian_program("gtp-rhino", "grhino")`, and installs its package if it may."""

    def find(program: str, package: str | None = None) -> Path:
        found = _on_path(program)
        if found is not None:
            return found
        problem = _install(program, package or program, shared)
        found = _on_path(program)
        if found is None:
            pytest.skip(f"the program {program} is not here: {problem}")
        return found

    return find


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of published games, players and openings."""
    folder = Path(os.environ.get("ZEROPLY_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"there is no data folder {folder}: set ZEROPLY_DATA to one that holds wthor, league, ...")
    return folder


def _on_path(program: str) -> Path | None:
    found = shutil.which(program, path=os.environ.get("PATH", os.defpath) + os.pathsep + GAMES_FOLDER)
    return Path(found) if found else None


def _install(program: str, package: str, shared: Path) -> str:
    """Install a Debian package; returns what stood in the way, if it is still not there afterwards.

    Test workers take turns; one that fails leaves a note, so that the others do not try again.
    """
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return f"install it with 'apt-get install {package}'"
    note = shared / f"{package}.failed"
    with open(shared / "apt.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if _on_path(program) is not None:
            return ""
        if note.exists():
            return note.read_text()
        try:
            for arguments in (["update"], ["install", "-y", "--no-install-recommends", package]):
                subprocess.run(
                    ["apt-get", "-o", f"DPkg::Lock::Timeout={INSTALL_SECONDS // 2}", *arguments],
                    check=True,
                    capture_output=True,
                    stdin=subprocess.DEVNULL,
                    timeout=INSTALL_SECONDS,
                    env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
                )
        except subprocess.TimeoutExpired:
            problem = f"'apt-get install {package}' took longer than {INSTALL_SECONDS} s"
        except subprocess.CalledProcessError as error:
            last = error.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
            problem = f"'apt-get install {package}' failed: {last[0]}"
        else:
            return f"package {package} does not hold it"
        note.write_text(problem)
        return problem
