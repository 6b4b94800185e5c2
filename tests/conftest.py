"""Shared set-up: programs from Debian to compare with, the folder of published data, studies at smoke scale.

Programs and data may be absent: the tests that need them are then skipped, with a reason that says how to get them.
Nothing is installed here. Property tests are deterministic, and terminals are 80 columns wide in all processes.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from study_smoke import Smoke, smoke_in
from zeroply import plugins

settings.register_profile(
    "zeroply",
    derandomize=True,
    deadline=None,
    max_examples=int(os.environ.get("ZEROPLY_EXAMPLES", "40")),  # fewer under sanitizers
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("zeroply")

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # like the command line: several workers use torch at once
os.environ.update(COLUMNS="80", LINES="25")
for name in ("FORCE_COLOR", "CLICOLOR_FORCE", "TTY_COMPATIBLE"):
    os.environ.pop(name, None)

# A shell without job control starts background commands with SIGINT ignored, and their children inherit that;
# tests interrupt programs.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The modules and tests collected here stay to the end: the garbage collector need not look at them again and again.
gc.disable()

ROOT = Path(__file__).resolve().parents[1]
GAMES_FOLDER = "/usr/games"  # where Debian puts games; not on root's PATH


def pytest_collection_finish() -> None:
    """Leaves everything imported and collected so far to the garbage collector's permanent generation."""
    gc.freeze()
    gc.enable()


pytest_plugins = ["browser"]  # the fixtures of the page's tests

FAILED = pytest.StashKey[bool]()
"""In the stash of a test: whether it has failed."""


Outcome = Generator[None, pytest.TestReport, pytest.TestReport]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Outcome:
    """Lets fixtures see whether the test has failed."""
    report = yield
    if report.when == "call":
        item.stash[FAILED] = report.failed
    return report


@pytest.fixture(autouse=True)
def no_module_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules that a test imports as plug-ins belong to no later test's runs."""
    monkeypatch.setattr("zeroply.plugins.IMPORTED", plugins.imported())


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder shared by all workers of this test run."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="module")
def results(shared: Path, request: pytest.FixtureRequest) -> Path:
    """A results folder shared by all studies of a test file."""
    folder = shared / f"results-{request.path.stem}"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def smoke(results: Path) -> Smoke:
    """A study at smoke scale: the folder of its results and its report. Measured once."""
    return smoke_in(results)


@pytest.fixture(scope="session")
def debian_program() -> Callable[..., Path]:
    """Finds a program of a Debian package, as in `debian_program("gtp-rhino", "grhino")`, or skips the test."""

    def find(program: str, package: str | None = None) -> Path:
        location = shutil.which(program, path=os.environ.get("PATH", os.defpath) + os.pathsep + GAMES_FOLDER)
        if location is None:
            pytest.skip(
                f"{program} is not installed: apt-get install {package or program}, or run 'make test DEBIAN=1' as root"
            )
        return Path(location)

    return find


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of published games, players and openings."""
    folder = Path(os.environ.get("ZEROPLY_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"no data folder {folder}: set ZEROPLY_DATA to one with wthor, league, ...")
    return folder
