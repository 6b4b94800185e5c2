"""Programs of others that drive engines: whole games of all three games over GTP with the package @sabaki/gtp.

The package comes from npm on first use; without node or a registry the tests are skipped with a reason.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ZEROPLY = Path(sys.executable).with_name("zeroply")
SCRIPT = Path(__file__).parent / "clients" / "sabaki_game.js"


@pytest.fixture(scope="module")
def sabaki(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the package."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node and npm are not here: install them to play against @sabaki/gtp")
    folder = tmp_path_factory.mktemp("npm")
    words = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), "@sabaki/gtp@3.0.0"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    except subprocess.TimeoutExpired:
        pytest.skip("npm install @sabaki/gtp took longer than two minutes")
    package = folder / "node_modules" / "@sabaki" / "gtp"
    if not package.is_dir():
        pytest.skip(f"npm install @sabaki/gtp failed: {done.stderr.strip().splitlines()[-1:]}")
    return package


@pytest.mark.parametrize("game", ["othello", "gomoku(size=9)", "atarigo(size=7)"])
def test_sabaki_plays_whole_games(sabaki: Path, game: str) -> None:
    size = "9" if "gomoku" in game else "7" if "atarigo" in game else "8"
    engine = [str(ZEROPLY), "engine", "--player", "random", "--game", game]
    words = ["node", str(SCRIPT), str(sabaki), size, *engine]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["analysed"]
    assert found["scores"][0] == found["scores"][1]
    assert len(found["moves"]) > 8
    assert found["moves"][-1].endswith("pass" if game == "othello" else "resign")
