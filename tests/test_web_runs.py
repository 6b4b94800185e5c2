"""The nets of runs on the page: champions of evolution and coevolution, files, n-tuple players."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

import zeroply as zp
from zeroply import levels
from zeroply.learning.champions import champions
from zeroply.learning.coevolution.host_parasite import HostParasiteConfig, coevolve
from zeroply.learning.coevolution.lin_white import LinWhiteConfig
from zeroply.learning.coevolution.lin_white import coevolve as coevolve_spatial
from zeroply.runs import Run
from zeroply.runs.registry import experiments
from zeroply.search.ntuples import write_player
from zeroply.web.server.app import create_app


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Coevolution of hosts and parasites, of spatial nets, and a run with an n-tuple player."""
    folder = tmp_path_factory.mktemp("runs")
    small: dict[str, Any] = {"population": 4, "parents": 2, "opponents": 4, "hall_of_fame": 2, "generations": 6}
    coevolve(HostParasiteConfig(game="atarigo(size=5)", net="mdrnn(k=2)", seed=1, **small), run=folder / "hosts")
    coevolve_spatial(
        LinWhiteConfig(net="spatial(layer=rows)", generations=4, population=4, opponents=2, save_every=2, seed=1),
        run=folder / "spatial",
    )
    with Run.create(folder / "tuples", kind="ntuple-tdl", config={}, seed=1, level=levels.chosen()):
        write_player(folder / "tuples" / "champion.player", [[[0, 1]]], [[0.5] * 9])
    return folder


@pytest.fixture(scope="module")
def client(runs: Path) -> Iterator[TestClient]:
    with TestClient(create_app(runs), base_url="http://127.0.0.1") as client:
        yield client


def run_of(client: TestClient, name: str) -> dict[str, Any]:
    """All the page knows of a run."""
    row = next(row for row in client.get("/api/runs").json() if row["name"] == name)
    detail: dict[str, Any] = client.get(f"/api/runs/{row['id']}").json()
    return detail


def prefer(client: TestClient, player: str, game: str, moves: list[int]) -> list[float | None]:
    answer = client.post("/api/preferences", json={"player": player, "game": game, "moves": moves})
    assert answer.status_code == 200, answer.text
    values: list[float | None] = answer.json()["values"]
    return values


def test_the_champion_of_any_generation_can_be_asked(client: TestClient, runs: Path) -> None:
    run = run_of(client, "hosts")
    assert run["generations"] == 6
    assert [one["title"] for one in run["players"]] == ["champion", *(f"generation {n}" for n in range(6, 0, -1))]
    found, game = champions(runs / "hosts"), zp.game("atarigo(size=5)")
    for generation in (1, 6):
        player = next(one["player"] for one in run["players"] if one["title"] == f"generation {generation}")
        wanted = found.net.prefer(found.weights, np.array([generation - 1], np.int32), game.replay([12]))[0]
        values = [np.nan if value is None else value for value in prefer(client, player, str(game), [12])]
        np.testing.assert_allclose(values, np.where(np.isfinite(wanted), wanted, np.nan), rtol=1e-4, atol=1e-5)


def test_a_net_for_any_board_plays_on_another_board(client: TestClient) -> None:
    player = run_of(client, "hosts")["players"][1]["player"]
    assert len(prefer(client, player, "atarigo(size=9)", [])) == 81
    refused = client.post("/api/move", json={"player": player, "game": "gomoku(size=5)"})
    assert refused.status_code == 400
    assert "plays atarigo" in refused.json()["detail"]


def test_champions_meet_each_other(client: TestClient) -> None:
    run = run_of(client, "hosts")
    found = client.get(f"/api/runs/{run['id']}/ciao").json()
    scores = np.array(found["scores"])
    assert found["generations"] == [1, 2, 3, 4, 5, 6]
    np.testing.assert_allclose(scores, -scores.T, atol=1e-3)
    dominant = [0]
    for place in range(1, 6):
        if all(scores[place, before] > 0 for before in dominant):
            dominant.append(place)
    assert found["dominant"] == [place + 1 for place in dominant]


def test_champions_that_were_written_as_files_meet_too(client: TestClient) -> None:
    run = run_of(client, "spatial")
    assert [one["title"] for one in run["players"]] == ["champion", "generation 4", "generation 2"]
    first, last = (prefer(client, run["players"][place]["player"], "othello", [37]) for place in (0, 1))
    assert first == last
    assert client.get(f"/api/runs/{run['id']}/ciao").json()["generations"] == [2, 4]


def test_the_inside_of_a_champion_are_its_sweeps(client: TestClient) -> None:
    player = run_of(client, "hosts")["players"][1]["player"]
    answer = client.post("/api/inside", json={"player": player, "game": "atarigo(size=5)"}).json()
    assert len(answer["groups"]) == 4
    assert all(len(group["pictures"]) == 2 for group in answer["groups"])


def test_an_n_tuple_player_can_be_met(client: TestClient) -> None:
    run = run_of(client, "tuples")
    assert run["state"] == "stopped"
    (one,) = run["players"]
    assert one["game"] == "othello"
    assert client.post("/api/move", json={"player": one["player"], "game": "othello"}).status_code == 200


@pytest.mark.parametrize("rest", ["file=9", "file=-1", 'file="../x"', "generation=0", "generation=99", "", "file=true"])
def test_only_what_is_listed_can_be_met(client: TestClient, rest: str) -> None:
    run = run_of(client, "hosts")
    name = f"champion({run['id']}, {rest})" if rest else f"champion({run['id']})"
    assert client.post("/api/move", json={"player": name, "game": "atarigo(size=5)"}).status_code == 400


@pytest.mark.parametrize("name", ["hosts", "spatial"])
def test_every_declared_curve_of_generations_is_drawn(client: TestClient, name: str) -> None:
    run = run_of(client, name)
    series = client.get(f"/api/runs/{run['id']}/curves").json()["series"]
    charts = [chart for chart in experiments[run["kind"]].charts if chart.event == "generation"]
    assert {(one["chart"], one["name"]) for one in series} == {(c.title, title) for c in charts for title in c.series}
    assert all(one["x"] == list(range(1, run["generations"] + 1)) for one in series if name == "hosts")


def test_a_run_of_an_unknown_kind_is_listed_without_curves_and_nets(tmp_path: Path) -> None:
    with Run.create(tmp_path / "one", kind="plug-in", config={}, seed=1, level=levels.chosen()) as run:
        run.log("generation", number=1, best=2)
    with TestClient(create_app(tmp_path), base_url="http://127.0.0.1") as client:
        detail = run_of(client, "one")
        assert (detail["kind"], detail["players"]) == ("plug-in", [])
        assert client.get(f"/api/runs/{detail['id']}/curves").json()["series"] == []
