"""Reviews and hints of the server: the values of `zeroply analyse`, sent in pieces, and only while somebody listens."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

import own_loop
import zeroply as zp
from zeroply.analysis.game import analyse
from zeroply.analysis.judging import JudgedBlock, default_judge, judge_backwards, judge_game
from zeroply.players import player
from zeroply.records import GameRecord
from zeroply.web.server import review
from zeroply.web.server.app import create_app

GAME = (
    "e6f4c3c4d3d6e3c2c6e2b3d2c1c5b4b5b6a3d1e1f1f2f3a4g3c7d7d8a5f7a2f6f5g6g5h4e7e8g7g4f8h3h6h5h2a6a7g8h7g2b2b7a8g1h1h8"
    "b8c8a1b1"
)
GOMOKU = "E5E6D5E7C5A1B5"
"""After move 5 Black has three in a row that White has to stop, and does not."""


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_app(), base_url="http://127.0.0.1:8000") as client:
        yield client


def reviewed(client: TestClient, game: str, moves: list[int]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What the review says of itself, and its moves in order."""
    reply = client.post("/api/review", json={"game": game, "moves": moves})
    assert reply.status_code == 200
    first, *rest = (json.loads(line) for line in reply.text.splitlines())
    return first["start"], sorted((one for line in rest for one in line["moves"]), key=lambda one: int(one["ply"]))


def test_a_review_says_what_analyse_says(client: TestClient) -> None:
    game = zp.game("othello")
    moves = game.notation.cells(GAME)
    start, rows = reviewed(client, "othello", moves)
    judge = player(default_judge(game), game)
    analysed = analyse(GameRecord(game, tuple(moves)), player("random", game), judge).moves
    assert start["unit"] == "discs"
    assert len(rows) == len(analysed) == 60
    for row, move in zip(rows, analysed, strict=True):
        assert row["cell"] == game.notation.cell(move.move)
        assert (row["before"], row["loss"]) == pytest.approx((move.value, move.loss), abs=1e-4)
        assert row["exact"] == move.exact
        assert [game.notation.name(cell) for cell in row["best"]] == list(move.line[: review.MAX_LINE])


def test_losses_add_up_along_a_review(client: TestClient) -> None:
    moves = zp.game("othello").notation.cells(GAME)
    _, rows = reviewed(client, "othello", moves)
    for row, following in pairwise(rows):
        assert row["after"] == following["before"]
    assert rows[-1]["after"] == zp.game("othello").replay(moves).score()[0]


def test_other_games_are_reviewed_in_winning_chances(client: TestClient) -> None:
    game = zp.game("gomoku(size=9)")
    start, rows = reviewed(client, "gomoku(size=9)", game.notation.cells(GOMOKU))
    assert start["unit"] == "advantage"
    assert all(-1 <= row["before"] <= 1 and 0 <= row["loss"] <= 1 for row in rows)
    assert rows[5]["loss"] > 0.1
    assert rows[6]["after"] > rows[4]["after"]


@pytest.mark.parametrize("block", [1, 4, 7])
def test_a_game_judged_in_pieces_is_judged_alike(block: int) -> None:
    game = zp.game("othello")
    moves = np.array(game.notation.cells(GAME)[20:])
    position = game.replay(game.notation.cells(GAME)[:20])
    before = position[np.zeros(len(moves), np.int64)]
    for i, cell in enumerate(moves):
        before[i] = position
        position.play([int(cell)])
    judge = player("alphabeta(depth=3, eval=pattern, mode=strong)", game)
    whole, lines = judge_game(before, moves, judge, exact=8)
    pieces: list[JudgedBlock] = list(judge_backwards(before, moves, judge, exact=8, block=block))[::-1]
    assert np.array_equal(np.concatenate([one.scores.scores for one in pieces]), whole.scores)
    assert [line for one in pieces for line in one.lines] == lines


def test_hints_name_the_best_moves_with_their_values(client: TestClient) -> None:
    game = zp.game("othello")
    moves = game.notation.cells(GAME)
    found = client.post("/api/hints", json={"game": "othello", "moves": moves[:50]}).json()
    assert found["exact"]
    values = [one["value"] for one in found["candidates"]]
    assert values == sorted(values, reverse=True)
    exact = client.post("/api/exact", json={"game": "othello", "moves": moves[:50]}).json()["values"]
    assert [exact[one["cell"]] for one in found["candidates"]] == values
    assert all(one["line"][0] == one["cell"] for one in found["candidates"])
    assert client.post("/api/hints", json={"game": "othello", "moves": moves}).status_code == 400


def test_nothing_to_review_is_refused(client: TestClient) -> None:
    reply = client.post("/api/review", json={"game": "othello", "moves": []})
    assert reply.status_code == 400
    assert "no moves" in reply.json()["detail"]


def test_a_review_ends_when_nobody_listens_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    judged = []
    blocks = review.blocks

    def counted(*args: Any, **named: Any) -> Iterator[JudgedBlock]:
        for block in blocks(*args, **named):
            judged.append(block.first)
            yield block

    monkeypatch.setattr(review, "blocks", counted)
    moves = zp.game("othello").notation.cells(GAME)
    body = json.dumps({"game": "othello", "moves": moves}).encode()
    scope: dict[str, Any] = {
        "type": "http",
        "method": "POST",
        "path": "/api/review",
        "raw_path": b"/api/review",
        "query_string": b"",
    }
    scope |= {"headers": [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")], "http_version": "1.1"}
    scope |= {"asgi": {"version": "3.0", "spec_version": "2.3"}, "scheme": "http", "client": ("127.0.0.1", 1)}

    async def leave_after_two_lines() -> None:
        left = asyncio.Event()
        requests = [{"type": "http.request", "body": body}]
        lines = 0

        async def receive() -> dict[str, Any]:
            if requests:
                return requests.pop()
            await left.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            nonlocal lines
            lines += bool(message.get("body"))
            if lines == 2:
                left.set()
            await asyncio.sleep(0)

        await create_app()(scope, receive, send)
        await asyncio.sleep(0.1)

    own_loop.run(leave_after_two_lines())
    assert 1 <= len(judged) < 60 // review.BLOCK


def test_varied_players_begin_differently_and_others_do_not(client: TestClient) -> None:
    def replies(varied: bool) -> set[int]:
        query = {"game": "othello", "moves": [zp.game("othello").notation.cell("f5")], "player": "net(othello)"}
        return {
            int(client.post("/api/move", json=query | {"varied": varied, "seed": i}).json()["cell"]) for i in range(12)
        }

    assert len(replies(varied=False)) == 1
    assert len(replies(varied=True)) > 1


def test_a_player_is_checked_before_it_is_used(client: TestClient) -> None:
    query = {"game": "othello", "player": "engine(depth=2)"}
    assert client.get("/api/player", params=query).json() == {"player": "engine(depth=2)"}
    for bad in ("engine(depth=99)", "nobody", "net(gomoku-9-evolved)"):
        assert client.get("/api/player", params=query | {"player": bad}).status_code == 400


def test_the_best_net_of_a_game_is_listed_first(client: TestClient) -> None:
    for game in ("othello", "gomoku(size=9)", "gomoku(size=15)", "atarigo(size=7)"):
        offered = client.get("/api/players", params={"game": game}).json()
        ratings = [one["rating"] for one in offered if one["group"] == "Nets, no search" and one["rating"] is not None]
        assert ratings == sorted(ratings, reverse=True)
        assert offered[0]["group"] == "Nets, no search"
