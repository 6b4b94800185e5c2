"""The page's own description of its questions, tried out by schemathesis: never an error of the server.

`make fuzz-web` asks many more questions; ZEROPLY_WEB_EXAMPLES says how many for each address.
"""

from __future__ import annotations

import os
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from zeroply.web.server.app import create_app

schemathesis = pytest.importorskip("schemathesis", reason="this needs schemathesis")

EXAMPLES = int(os.environ.get("ZEROPLY_WEB_EXAMPLES", "8"))
GAMES = ("othello", "othello(size=6)", "gomoku(size=7)", "atarigo(size=5, captures=2)", "gomoku(size=19)")
PLAYERS = ("random", "naive", "greedy", "net(othello)", "engine(depth=2)", "alphabeta(depth=1, eval=lines)", "given(0)")
RESULTS = Path(__file__).resolve().parents[1] / "docs" / "results"

schema = schemathesis.openapi.from_asgi("/api/openapi.json", create_app(None, [RESULTS], hosts=("*",)))
seen: Counter[int] = Counter()


@schema.parametrize()  # type: ignore[untyped-decorator]
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_no_question_breaks_the_server(case: Any) -> None:
    if isinstance(case.body, dict):
        make_likely(case.body)
    response = case.call()
    seen[response.status_code] += 1
    checks = schemathesis.checks
    case.validate_response(
        response,
        checks=[
            checks.not_a_server_error,
            checks.status_code_conformance,
            checks.content_type_conformance,
            checks.response_schema_conformance,
        ],
    )


def make_likely(body: dict[str, Any]) -> None:
    """Half of the questions shall be about games and players that exist, to get past the first checks."""
    chosen = zlib.crc32(repr(body).encode())
    if chosen % 2:
        return
    for key, known in (("game", GAMES), ("player", PLAYERS)):
        if key in body:
            body[key] = known[chosen // 2 % len(known)]
    for key, plain in (("setup", None), ("moves", [])):
        if key in body and chosen // 64 % 3:
            body[key] = plain


def test_many_questions_were_asked_when_many_were_wanted() -> None:
    if "ZEROPLY_WEB_EXAMPLES" not in os.environ:
        pytest.skip("make fuzz-web asks many questions")
    print(f"\n{sum(seen.values()):,} questions, answers by status: {dict(sorted(seen.items()))}")
    assert sum(seen.values()) >= 2000
    assert seen[200] >= 0.1 * sum(seen.values())
    assert not [status for status in seen if status >= 500]
