"""The example of an engine of one's own: it speaks GTP, and the match ends with a verdict."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import zeroply as zp

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "gtp_engine_sprt.py"


def test_the_engine_is_accepted_over_gtp_and_plays_whole_games() -> None:
    spec = f"gtp('{sys.executable} {EXAMPLE} --engine', name=Neighbour, processes=1)"
    result = zp.match(spec, "random", game="atarigo(size=5)", games=6, openings="random(plies=2)", seed=2)
    assert result.forfeits == []
    assert result.players == ("Neighbour", "random")


def test_the_match_ends_with_a_verdict() -> None:
    done = subprocess.run([sys.executable, str(EXAMPLE)], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Neighbour against Random at atarigo(size=5): ")
    assert "SPRT Elo 50 rather than 0 (H1 accepted)" in done.stdout
    assert len(EXAMPLE.read_text().splitlines()) < 80
