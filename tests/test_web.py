"""The server of the web page, asked as a browser would ask it."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

import own_loop
import zeroply as zp
from zeroply import levels
from zeroply.cli.main import main
from zeroply.cli.web import listen
from zeroply.nets import load, save
from zeroply.runs import Run
from zeroply.web.server.allowed_specs import allowed_player
from zeroply.web.server.app import create_app

ENDING = "--XXXXX---XOO----OOOXOOX-OOXXOX-XOOXXXX-X-OOXXXXX-OOOX----OOOO-- X"
LATE = "OOOOOOOXOOOOOXOXOOOXXXOXOOXOOOXXOXXOXOXXOXXXOOOX-XXOOOO---OXXO-- X"


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder with a finished run, which has a net, and one that goes on."""
    level = levels.chosen()
    folder = tmp_path / "runs"
    with Run.create(folder / "done", kind="train", config={"game": "othello"}, seed=1, level=level) as run:
        for step in range(5):
            run.log("progress", step=step, loss=1 / (step + 1), rate=step, other=7)
        save(load("othello-swh", zp.game("othello")), folder / "done" / "net.safetensors")
        run.finish({"loss": 0.2})
    return folder


@pytest.fixture
def client(runs: Path, tmp_path: Path) -> Iterator[TestClient]:
    results = tmp_path / "results" / "S.reference" / "cpu-1"
    results.mkdir(parents=True)
    (results / "report.md").write_text(
        "# S.reference: rates\n\nAfter Schaul 2009.\n\n| ours | theirs |\n|---|---|\n| 1 | 2 |\n"
    )
    (results / "rates.png").write_bytes(b"\x89PNG\r\n")
    with TestClient(create_app(runs, [tmp_path / "results"]), base_url="http://127.0.0.1") as client:
        yield client


def asked(client: TestClient, path: str, status: int = 200, **question: Any) -> Any:
    """What the server answers to a question."""
    answer = client.post(f"/api/{path}", json=question)
    assert answer.status_code == status, answer.text
    return answer.json()


# Playing


def test_a_position_tells_all_that_a_board_shows(client: TestClient) -> None:
    shown = asked(client, "position", game="othello", moves=[37, 43])
    position = zp.game("othello").replay("f5d6")
    assert shown["stones"] == position.stones()[0].tolist()
    assert shown["legal"] == np.flatnonzero(position.legal()[0]).tolist()
    assert [turn["name"] for turn in shown["turns"]] == ["f5", "d6"]
    assert (shown["to_move"], shown["over"], shown["tallies"]) == (1, False, ["3 discs", "3 discs"])
    assert shown["board"] == position.text()[0]


def test_the_last_cell_of_the_largest_board_can_be_played(client: TestClient) -> None:
    shown = asked(client, "position", game="gomoku(size=20)", moves=[399, 380])
    assert [turn["name"] for turn in shown["turns"]] == ["U1", "A1"]


def test_every_game_can_be_played_to_its_end_against_a_player(client: TestClient) -> None:
    for game in ("othello(size=6)", "gomoku(size=7)", "atarigo(size=5)", "hex(size=4, swap=true)"):
        moves: list[int] = []
        shown = asked(client, "position", game=game)
        while not shown["over"]:
            answer = asked(client, "move", game=game, moves=moves, player="naive", seed=5)
            shown = answer["position"]
            moves.append(answer["cell"])
        assert zp.game(game).replay(moves).over()[0]
        assert asked(client, "move", 400, game=game, moves=moves, player="naive")["detail"]


def test_an_illegal_move_is_refused_in_a_sentence(client: TestClient) -> None:
    detail = asked(client, "position", 400, game="othello", moves=[37, 0])["detail"]
    assert detail.startswith("move 2: a1 is not a legal move for White")


def test_the_same_seed_gives_the_same_move(client: TestClient) -> None:
    cells = [asked(client, "move", game="gomoku", player="random", seed=seed)["cell"] for seed in (1, 1, 2, 3)]
    assert cells[0] == cells[1]
    assert len(set(cells)) > 1


def test_a_forced_pass_is_told(client: TestClient) -> None:
    game, rng = zp.game("othello"), np.random.default_rng(1)
    for _ in range(100):
        moves: list[int] = []
        position = game.start()
        while not position.over()[0]:
            side = position.to_move()[0]
            moves.append(int(rng.choice(np.flatnonzero(position.legal()[0]))))
            position = position.after([moves[-1]])
            if not position.over()[0] and position.to_move()[0] == side:
                assert asked(client, "position", game="othello", moves=moves)["passed"]
                return
    pytest.fail("no game had a pass")


def test_the_players_of_a_game_all_play_it(client: TestClient) -> None:
    for game in ("othello", "othello(size=6)", "gomoku(size=9)", "atarigo(size=7, captures=3)"):
        listed = client.get("/api/players", params={"game": game}).json()
        assert len(listed) >= 4
        for one in listed:
            assert one["about"]
            assert asked(client, "move", game=game, player=one["player"])["position"]["turns"]


# Looking inside


def test_preferences_are_those_of_the_player(client: TestClient) -> None:
    found = asked(client, "preferences", game="othello", moves=[37], player="net(othello)")
    game = zp.game("othello")
    values = zp.player("net(othello)", game).prefer(game.replay([37]))[0]
    assert [value is not None for value in found["values"]] == np.isfinite(values).tolist()
    assert int(np.argmax(values)) == max(
        (cell for cell in range(64) if found["values"][cell] is not None), key=lambda cell: float(found["values"][cell])
    )
    assert found["logits"]
    assert sum(share for share in found["shares"] if share is not None) == pytest.approx(1, abs=1e-4)


def test_exact_values_are_those_of_the_solver(client: TestClient) -> None:
    from zeroply.search.endings import solve_moves

    position = zp.game("othello").parse(LATE)
    exact = asked(client, "exact", game="othello", setup=LATE)
    wanted = solve_moves(position)[0]
    assert exact["available"]
    assert [value for value in exact["values"] if value is not None] == wanted[np.isfinite(wanted)].tolist()
    far = asked(client, "exact", game="othello", setup=ENDING)
    assert (far["available"], far["values"]) == (False, [])


def test_the_graph_is_for_black_and_exact_at_the_end(client: TestClient) -> None:
    found = asked(client, "graph", game="othello", setup=LATE)
    from zeroply.search.endings import solve

    assert found["values"] == [float(solve(zp.game("othello").parse(LATE)).scores[0])]
    assert found["exact"] == [True]
    won = asked(client, "graph", game="gomoku(size=7)", moves=[0, 7, 1, 8, 2, 9, 3, 10, 4])
    assert won["values"][-1] == 1


def test_no_move_improves_the_value_of_the_graph_for_its_side(client: TestClient) -> None:
    game = zp.game("othello")
    for seed in (1, 2):
        record = zp.match("engine(depth=2)", "random", games=2, seed=seed).records()[0]
        found = asked(client, "graph", game="othello", moves=list(record.moves))
        values = found["values"]
        assert len(values) == len(found["exact"]) == len(record.moves) + 1
        assert values[-1] == record.score + np.sign(record.score) * (
            60 - len(record.moves)
        )  # empty squares: the winner's
        position, kept = game.start(), 0
        for before, after, cell in zip(values, values[1:], record.moves, strict=False):
            assert (after - before) * position.to_move()[0] <= 1e-3
            kept += before == after
            position.play([cell])
        assert kept > len(record.moves) / 4


@pytest.mark.parametrize(
    ("player", "words"),
    [
        ("engine(depth=9)", "depth of engine"),
        ("engine(depth=2, solve=17)", "last squares"),
        ("engine(depth=2, threads=2)", "threads of engine"),
        ("alphabeta(depth=13)", "depth of alphabeta"),
        ("alphabeta(threads=2)", "threads of alphabeta"),
    ],
)
def test_a_browser_may_not_ask_for_long_searches(player: str, words: str) -> None:
    with pytest.raises(zp.ZeroplyError, match=f"{words}.* may be at most"):
        allowed_player(player)
    assert str(allowed_player("engine(depth=2, solve=16)")) == "engine(depth=2, solve=16, seconds=2.0)"


def test_a_net_shows_its_first_layer_and_a_search_has_none(client: TestClient) -> None:
    weights = asked(client, "inside", game="othello", player="net(othello-swh)")
    assert weights["groups"][0]["pictures"][0]["values"][0] == pytest.approx(1.0)
    lines = asked(client, "inside", game="othello", player="net(othello)")
    assert len(lines["groups"][0]["pictures"]) == 32
    assert asked(client, "inside", game="othello", player="random")["groups"] == []


def test_records_of_all_kinds_can_be_pasted(client: TestClient) -> None:
    plain = asked(client, "record", text="F5 d6, c3", game="othello")
    assert plain["moves"] == [37, 43, 18]
    ggf = asked(client, "record", text=_ggf())
    assert (ggf["moves"], ggf["black"]) == ([37, 43], "A")
    other = asked(client, "record", text="#game: gomoku(size=7)\nD4D5", game="othello")
    assert other["game"] == "gomoku(size=7, exact=false)"
    sgf = asked(client, "record", text="(;FF[4]GM[4]SZ[9];B[ee];W[ef])")
    assert (sgf["game"].partition("(")[0], sgf["moves"]) == ("gomoku", [40, 49])
    placed = asked(client, "record", text=ENDING, game="othello")
    assert (placed["setup"], placed["moves"]) == (ENDING, [])
    assert asked(client, "record", 400, text="z9", game="othello")["detail"]


def _ggf() -> str:
    board = "-" * 27 + "O*" + "-" * 6 + "*O" + "-" * 27
    return f"(;GM[Othello]PC[x]PB[A]PW[B]TY[8]BO[8 {board} *]B[F5]W[D6];)"


def test_players_the_server_was_started_with_can_be_met() -> None:
    with TestClient(create_app(given=["naive(ties=lowest)"]), base_url="http://127.0.0.1") as client:
        first = client.get("/api/players", params={"game": "gomoku(size=7)"}).json()[0]
        assert (first["player"], first["title"]) == ("given(1)", "naive(ties=lowest)")
        assert asked(client, "move", game="gomoku(size=7)", player="given(1)")["cell"] == 0
        asked(client, "move", 400, game="gomoku(size=7)", player="given(2)")


# What is refused


@pytest.mark.parametrize(
    "player",
    [
        'gtp("sh -c true")',
        'nboard("cat")',
        'edax("cat")',
        'gomocup("cat")',
        'net("/etc/passwd")',
        "net(../../etc/passwd)",
        "alphabeta(eval=wpc('/etc/passwd'))",
        "alphabeta(eval=ntuple('/etc/passwd'))",
        "alphabeta(eval=pattern('/etc/passwd'))",
        "alphabeta(depth=40)",
        "engine(depth=12)",
        'hybrid(net(othello), gtp("sh"))',
        "hybrid(alphabeta(depth=60), random)",
        "given(1)",
        "champion(r00, file=0)",
        "nobody",
    ],
)
def test_files_commands_and_endless_searches_cannot_be_named(client: TestClient, player: str) -> None:
    asked(client, "move", 400, game="othello", player=player)


def test_a_search_of_a_browser_has_a_limit_of_time(client: TestClient) -> None:
    begun = time.monotonic()
    asked(client, "move", game="gomoku(size=19)", player="alphabeta(depth=12, eval=lines, seconds=1000)")
    assert time.monotonic() - begun < 20


@pytest.mark.parametrize(
    "question",
    [
        {"game": "othello(size=100)"},
        {"game": "gomoku(size=1000000)"},
        {"game": "othello", "moves": [1000]},
        {"game": "othello", "moves": [1] * 2000},
        {"game": "othello", "setup": "X" * 5000},
        {"game": "x" * 5000},
        {"game": "othello", "more": 1},
        {"moves": []},
        {"game": "othello", "moves": [-1]},
    ],
)
def test_questions_out_of_bounds_are_refused(client: TestClient, question: dict[str, Any]) -> None:
    answer = client.post("/api/position", json=question)
    assert answer.status_code in (400, 422)
    assert isinstance(answer.json()["detail"], str)


def test_a_large_question_is_refused_before_it_is_read(client: TestClient) -> None:
    assert client.post("/api/record", content=b"x" * 400_000).status_code == 413
    parts = (b"x" * 50_000 for _ in range(10))
    assert client.post("/api/record", content=parts).status_code == 413


def test_what_is_not_said_to_be_json_is_refused(client: TestClient) -> None:
    """A page of another site can send plain text without asking; JSON it cannot."""
    content = json.dumps({"game": "othello"})
    assert client.post("/api/position", content=content, headers={"content-type": "text/plain"}).status_code == 422
    deep = "[" * 50_000
    assert client.post("/api/position", content=deep, headers={"content-type": "application/json"}).status_code == 400


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server/app.py",
        "/static/%2e%2e/server/app.py",
        "/static/..%2f..%2f..%2f..%2fetc/passwd",
        "/api/runs/..%2f..%2fetc",
        "/api/runs/../../etc/passwd",
        "/api/studies/..%2f..%2fetc%2fpasswd",
        "/api/studies/S.reference-cpu-1/figures/..%2freport.md",
        "/api/studies/S.reference-cpu-1/figures/report.md",
        "/api/runs/done",
    ],
)
def test_paths_lead_nowhere(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_only_the_own_machine_is_answered(client: TestClient) -> None:
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400
    assert client.get("/", headers={"host": "localhost:8000"}).status_code == 200
    assert client.get("/", headers={"host": "[::1]:8000"}).status_code == 200


def test_strict_headers_stand_on_every_answer(client: TestClient) -> None:
    for path in ("/", "/static/app.js", "/api/games", "/api/runs/none", "/nothing"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"


def test_the_page_holds_no_inline_script_and_nothing_from_elsewhere() -> None:
    from zeroply.web.server.app import STATIC

    page = (STATIC / "index.html").read_text()
    assert "<script>" not in page
    assert " style=" not in page
    for file in STATIC.iterdir():
        text = file.read_text().replace("http://www.w3.org/2000/svg", "")
        assert "http" not in text.replace("http-equiv", "")
        assert "innerHTML" not in text
        assert "@import" not in text


# Runs and studies


def test_a_run_is_listed_with_its_curves_and_nets(client: TestClient) -> None:
    (row,) = client.get("/api/runs").json()
    assert (row["name"], row["kind"], row["state"]) == ("done", "train", "finished")
    curves = client.get(f"/api/runs/{row['id']}/curves").json()
    by_name = {one["name"]: one for one in curves["series"]}
    assert by_name["loss"]["x"] == [0, 1, 2, 3, 4]
    assert by_name["loss"]["y"][1] == 0.5
    assert by_name["rate"]["y"] == [0, 1, 2, 3, 4]
    assert set(by_name) == {"loss", "rate"}, "the class of the experiment declares what is a curve"
    assert {(one["chart"], one["x_title"]) for one in curves["series"]} == {("loss", "step"), ("learning rate", "step")}
    detail = client.get(f"/api/runs/{row['id']}").json()
    (net,) = detail["players"]
    found = asked(client, "preferences", game=net["game"], player=net["player"])
    assert found["values"] == asked(client, "preferences", game="othello", player="net(othello-swh)")["values"]


def test_curves_grow_while_a_run_goes_on(client: TestClient, runs: Path) -> None:
    with Run.create(runs / "more" / "live", kind="evolve", config={}, seed=1, level=levels.chosen()) as run:
        run.log("generation", number=1, best=0.1)
        list(run.events())  # writes what waits
        time.sleep(1.1)  # a list of runs is good for a second
        row = next(row for row in client.get("/api/runs").json() if row["name"] == "more/live")
        assert row["state"] == "running"
        first = client.get(f"/api/runs/{row['id']}/curves").json()
        assert first["series"][0]["y"] == [0.1]
        run.log("generation", number=2, best=0.4)
        list(run.events())
        second = client.get(
            f"/api/runs/{row['id']}/curves", params={"after": first["next"], "reading": first["reading"]}
        ).json()
        assert [(one["x"], one["y"]) for one in second["series"]] == [([2], [0.4])]
    assert client.get(f"/api/runs/{row['id']}/curves").json()["state"] == "stopped"


def test_a_damaged_log_spoils_nothing(client: TestClient, runs: Path) -> None:
    (row,) = client.get("/api/runs").json()
    with open(runs / "done" / "events.jsonl", "ab") as file:
        file.write(b'\xff{"event": 3\n{"event":"x","step":1e999}\nnull\n{"half')
    assert client.get(f"/api/runs/{row['id']}/curves").status_code == 200


def test_reports_are_listed_with_their_figures(client: TestClient) -> None:
    rows = client.get("/api/studies").json()
    assert rows[0] == {
        "id": "S.reference-cpu-1",
        "name": "S.reference",
        "title": "rates",
        "source": "Schaul 2009",
        "command": "",
    }
    assert any(row["name"] == "W.strategies" and row["id"] is None for row in rows)
    report = client.get("/api/studies/S.reference-cpu-1").json()
    assert report["figures"] == ["rates.png"]
    assert client.get("/api/studies/S.reference-cpu-1/figures/rates.png").content.startswith(b"\x89PNG")


# While others work


def test_a_click_is_answered_while_searches_go_on(client: TestClient) -> None:
    slow: dict[str, Any] = {"game": "gomoku(size=15)", "player": "alphabeta(depth=12, eval=lines)"}
    searching = [threading.Thread(target=lambda: asked(client, "move", **slow)) for _ in range(4)]
    for thread in searching:
        thread.start()
    for _ in range(10):
        asked(client, "position", game="othello", moves=[37])
        asked(client, "move", game="othello", player="random")
    assert any(thread.is_alive() for thread in searching)
    for thread in searching:
        thread.join()


def test_too_much_work_is_refused() -> None:
    import asyncio

    from zeroply.web.server.thread_pool import BoundedThreadPool, BusyError

    async def crowd() -> list[object]:
        workers, gate = BoundedThreadPool(threads=1, waiting=2, each=9), threading.Event()
        jobs = [asyncio.ensure_future(workers.run(gate.wait)) for _ in range(5)]
        await asyncio.sleep(0.1)
        gate.set()
        return list(await asyncio.gather(*jobs, return_exceptions=True))

    answers = own_loop.run(crowd())
    assert answers[:3] == [True, True, True]
    assert all(isinstance(answer, BusyError) for answer in answers[3:])


def test_the_own_description_is_json(client: TestClient) -> None:
    schema = json.loads(client.get("/api/openapi.json").text)
    assert "/api/move" in schema["paths"]


# The command


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--port", "99999"], "a port is a number"),
        (["--host", "no.such.host.invalid"], "cannot listen at"),
        (["--results", "nowhere"], "there is no folder nowhere"),
        (["--port", "0", "--player", "random", "--player", "gtp("], "cannot read the spec"),
        (["--port", "0", "--player", 'gtp("no-such-program")'], "no-such-program was not found"),
        (["--port", "0", "--player", "net('no-such.safetensors')"], "there is no net file"),
        (["--port", "0", "--player", "net(no-such)"], "unknown net"),
        (["--port", "0", "--player", "greedy(tis=lowest)"], "did you mean ties"),
        (["--port", "0", "--player", "iagno(level=9)"], "levels 1, 2 and 3"),
    ],
)
def test_bad_options_are_one_sentence(words: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["web", *words])
    assert ended.value.code == 2
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "all_machines"), [([], False), (["--host", "0.0.0.0", "--allow-host", "example.org"], True)]
)
def test_the_page_is_where_the_command_says(
    words: list[str], all_machines: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    served: list[Any] = []

    class Server:
        def __init__(self, config: Any) -> None:
            served.append(config.app)

        def run(self, sockets: list[socket.socket]) -> None:
            (listening,) = sockets
            served.append(listening.getsockname())
            listening.close()
            raise KeyboardInterrupt  # the usual end

    monkeypatch.setattr("uvicorn.Server", Server)
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("zeroply.cli.web.setswitchinterval", lambda seconds: None)
    monkeypatch.setattr("zeroply.cli.web.listen", lambda host, port: listen("127.0.0.1", port))
    main(["web", *words, "--port", "0", "--open"])
    (address,) = opened
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address)
    assert served[1] == ("127.0.0.1", int(address.rstrip("/").rpartition(":")[2]))
    shown = capsys.readouterr().out
    assert f"zeroply is at {address}  (Ctrl-C ends it)" in shown
    assert ("anyone who can reach this machine can use it" in shown) == all_machines
    with TestClient(served[0], base_url="http://example.org") as visitor:
        assert visitor.get("/api/runs").status_code == (200 if all_machines else 400)


def test_a_port_that_is_taken_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        with pytest.raises(SystemExit) as ended:
            main(["web", "--port", str(taken.getsockname()[1])])
        assert ended.value.code == 2
    assert "choose another with --port" in capsys.readouterr().err
