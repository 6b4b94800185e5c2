"""The page's own description of its questions, tried out by schemathesis: never an error of the server.

`make fuzz-web` asks many more questions; ZEROPLY_WEB_EXAMPLES says how many for each address.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, settings

from zeroply import levels
from zeroply.learning.coevolution.host_parasite import HostParasiteConfig, coevolve
from zeroply.runs import Run
from zeroply.web.server.app import create_app

schemathesis = pytest.importorskip("schemathesis", reason="this needs schemathesis")

EXAMPLES = int(os.environ.get("ZEROPLY_WEB_EXAMPLES", "6"))
GAMES = ("othello", "othello(size=6)", "gomoku(size=7)", "atarigo(size=5, captures=2)", "gomoku(size=19)")
PLAYERS = ("random", "naive", "greedy", "net(othello)", "engine(depth=2)", "alphabeta(depth=1, eval=lines)", "given(0)")
RESULTS = Path(__file__).resolve().parents[1] / "docs" / "results"

RUNS = Path(tempfile.gettempdir()) / f"zeroply-runs-{os.getpid()}"

app = create_app(RUNS, [RESULTS], hosts=("testserver", "localhost"))
schema = schemathesis.openapi.from_asgi("/api/openapi.json", app)
seen: Counter[int] = Counter()


@pytest.fixture(scope="module", autouse=True)
def runs() -> Iterator[None]:
    """A run with champions, and one that has only begun."""
    config = HostParasiteConfig(
        game="atarigo(size=5)",
        net="mdrnn(k=2)",
        population=4,
        parents=2,
        opponents=4,
        hall_of_fame=2,
        generations=3,
        seed=1,
    )
    coevolve(config, run=RUNS / "hosts")
    Run.create(RUNS / "begun", kind="evolve", config={}, seed=1, level=levels.chosen()).close()
    yield
    shutil.rmtree(RUNS)


@schema.parametrize()  # type: ignore[untyped-decorator]
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_no_question_breaks_the_server(case: Any) -> None:
    if isinstance(case.body, dict):
        make_likely(case.body)
    if case.path_parameters:
        name_what_exists(case.path_parameters)
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


def name_what_exists(names: dict[str, Any]) -> None:
    """Most questions about runs and reports shall be about some that are there."""
    chosen = zlib.crc32(repr(names).encode())
    if chosen % 4 == 0:
        return
    state = app.state.zeroply
    runs, reports = [row.id for row in state.runs.rows()], [row.id for row in state.reports.rows() if row.id]
    if "run" in names:
        names["run"] = runs[chosen // 4 % len(runs)]
    if "study" in names:
        names["study"] = reports[chosen // 4 % len(reports)]
    if "figure" in names:
        names["figure"] = next(iter(state.reports.report(names["study"]).figures), "none.png")


def test_what_exists_can_be_asked_for() -> None:
    client = TestClient(app)
    addresses = [path for path in app.openapi()["paths"] if "{" in path]
    assert len(addresses) == 5
    for address in addresses:
        answers = []
        for number in range(40):
            names = dict.fromkeys(re.findall(r"{(\w+)}", address), str(number))
            name_what_exists(names)
            answers.append(client.get(address.format(**names)).status_code)
            if answers[-1] == 200:
                break
        assert 200 in answers, address


def test_many_questions_were_asked_when_many_were_wanted() -> None:
    if "ZEROPLY_WEB_EXAMPLES" not in os.environ:
        pytest.skip("make fuzz-web asks many questions")
    print(f"\n{sum(seen.values()):,} questions, answers by status: {dict(sorted(seen.items()))}")
    assert sum(seen.values()) >= 2000
    assert seen[200] >= 0.1 * sum(seen.values())
    assert not [status for status in seen if status >= 500]
