"""What the server of the page keeps in memory stays true when files change, is bounded, and is let go of."""

from __future__ import annotations

import shutil
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

import zeroply as zp
from zeroply import levels
from zeroply.cli.web import in_address, listen
from zeroply.errors import ZeroplyError
from zeroply.learning.coevolution.host_parasite import HostParasiteConfig, coevolve
from zeroply.players import Player
from zeroply.runs import Run
from zeroply.search.endings import SolveResult, solve
from zeroply.web.server import bounded_cache, catalogue, evaluations, player_pool, runs
from zeroply.web.server.app import create_app
from zeroply.web.server.bounded_cache import insert
from zeroply.web.server.middleware import RequestFilter
from zeroply.web.server.player_pool import PlayerPool
from zeroply.web.server.runs import RunIndex
from zeroply.web.server.studies import StudyReports

GAME = "atarigo(size=5)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "runs"


@pytest.fixture
def client(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setattr(runs, "_FRESH", 0.0)
    with TestClient(create_app(folder), base_url="http://127.0.0.1") as client:
        yield client


def curves(client: TestClient, known: dict[str, Any] | None = None) -> dict[str, Any]:
    """What a browser is told of the only run, which knows what it was told before."""
    (row,) = client.get("/api/runs").json()
    params = {"after": known["next"], "reading": known["reading"]} if known else {}
    found: dict[str, Any] = client.get(f"/api/runs/{row['id']}/curves", params=params).json()
    return found


def values(told: dict[str, Any]) -> list[float]:
    return [y for one in told["series"] for y in one["y"]]


def write(folder: Path, numbers: list[float]) -> None:
    with Run.create(folder, kind="evolve", config={}, seed=1, level=levels.chosen()) as run:
        for generation, best in enumerate(numbers, 1):
            run.log("generation", number=generation, best=best)


# Runs


def test_the_curves_of_a_run_made_anew_are_its_own(client: TestClient, folder: Path) -> None:
    write(folder / "one", [1, 2])
    before = curves(client)
    assert values(before) == [1, 2]
    shutil.rmtree(folder / "one")
    write(folder / "one", [3, 4, 5])
    after = curves(client, before)
    assert (after["begin"], values(after)) == (0, [3, 4, 5])
    assert values(curves(client, after)) == []


def test_a_log_that_was_cut_back_and_has_grown_again_is_read_again(client: TestClient, folder: Path) -> None:
    write(folder / "one", [1, 2, 3])
    before = curves(client)
    log = folder / "one" / "events.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    more = [line.replace(b'"best":2', b'"best":7').replace(b'"best":3', b'"best":8') for line in lines[-2:]]
    assert more != lines[-2:]
    log.write_bytes(b"".join([*lines[:-2], *more, more[-1].replace(b'"best":8', b'"best":9')]))
    after = curves(client, before)
    assert (after["begin"], values(after)) == (0, [1, 7, 8, 9])


def test_the_champion_of_a_generation_is_that_of_the_run_which_is_there(client: TestClient, folder: Path) -> None:
    def made(seed: int) -> list[float]:
        small: dict[str, Any] = {"population": 4, "parents": 2, "opponents": 4, "hall_of_fame": 2, "generations": 2}
        coevolve(HostParasiteConfig(game=GAME, net="mdrnn(k=2)", seed=seed, **small), run=folder / "one")
        (row,) = client.get("/api/runs").json()
        player = f"champion({row['id']}, generation=2)"
        answer = client.post("/api/preferences", json={"game": GAME, "player": player}).json()
        found: list[float] = answer["values"]
        return found

    first = made(1)
    shutil.rmtree(folder / "one")
    second = made(2)
    shutil.rmtree(folder / "one")
    assert first != second
    assert made(1) == first


def test_the_number_of_logs_in_memory_is_bounded(
    client: TestClient, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "MAX_LOGS", 2)
    sizes = []

    def noting(store: dict[Any, Any], *words: Any) -> list[Any]:
        dropped = insert(store, *words)
        sizes.append(len(store))
        return dropped

    monkeypatch.setattr(bounded_cache, "insert", noting)
    index = RunIndex(folder)
    for number in range(4):
        write(folder / f"run-{number}", [number])
    for row in index.rows():
        told = index.curves(row.id, 0, "")
        assert told is not None
        assert told.next > 0
    assert sizes == [1, 2, 2, 2]


def test_what_was_used_last_is_kept() -> None:
    store = {"a": 1, "b": 2}
    assert insert(store, "a", 1, 2) == []
    assert insert(store, "c", 3, 2) == [2]
    assert store == {"a": 1, "c": 3}


# Studies


def test_ones_own_results_stand_before_those_of_a_clone(tmp_path: Path) -> None:
    for place, name, words in (("results", "a", "mine"), ("docs", "a", "theirs"), ("docs", "b", "theirs")):
        (tmp_path / place / name).mkdir(parents=True)
        (tmp_path / place / name / "report.md").write_text(f"# {name}: {words}\n")
    found = StudyReports([tmp_path / "results", tmp_path / "docs"])
    assert [(row.id, row.title) for row in found.rows() if row.id] == [("a", "mine"), ("b", "theirs")]


# Players


class Asked(Player):
    """A player that takes note of being closed, and can be kept waiting."""

    def __init__(self, game: zp.Game) -> None:
        super().__init__(game)
        self.open = True

    def prefer(self, positions: zp.Positions) -> Any:
        return np.zeros((len(positions), self.game.cells), np.float32)

    def close(self) -> None:
        assert self.open, "it was closed twice"
        self.open = False


@pytest.fixture
def crowded(monkeypatch: pytest.MonkeyPatch) -> tuple[PlayerPool, list[Asked]]:
    """A pool for one player, and all players it has built."""
    built: list[Asked] = []

    def build(_: object, game: zp.Game) -> Player:
        built.append(Asked(game))
        return built[-1]

    monkeypatch.setattr(player_pool, "MAX_PLAYERS", 1)
    monkeypatch.setattr(player_pool, "player", build)
    return PlayerPool(RunIndex(None)), built


def test_a_player_that_loses_its_seat_while_it_is_asked_is_closed_afterwards(
    crowded: tuple[PlayerPool, list[Asked]],
) -> None:
    pool, built = crowded
    game = zp.game(GAME)
    asked, go_on, was_open = threading.Event(), threading.Event(), []

    def question(one: Player) -> None:
        asked.set()
        go_on.wait(10)
        was_open.append(built[0].open)

    thread = threading.Thread(target=lambda: pool.ask("random", game, question))
    thread.start()
    assert asked.wait(10)
    pool.ask("naive", game, lambda _: None)
    assert built[0].open
    go_on.set()
    thread.join()
    assert was_open == [True]
    assert [one.open for one in built] == [False, True]


def test_a_thread_waiting_for_a_removed_player_gets_a_new_one(crowded: tuple[PlayerPool, list[Asked]]) -> None:
    pool, built = crowded
    game = zp.game(GAME)
    asked, go_on = threading.Event(), threading.Event()

    def hold(_: Player) -> None:
        asked.set()
        go_on.wait(10)

    answers: list[bool] = []
    first = threading.Thread(target=lambda: pool.ask("random", game, hold))
    first.start()
    assert asked.wait(10)
    second = threading.Thread(target=lambda: pool.ask("random", game, lambda one: answers.append(_is_open(one))))
    second.start()
    time.sleep(0.05)  # it waits for the player now
    pool.ask("naive", game, lambda _: None)
    go_on.set()
    first.join()
    second.join()
    assert answers == [True]
    pool.close()
    assert not any(one.open for one in built)


def _is_open(one: Player) -> bool:
    return isinstance(one, Asked) and one.open


def test_many_threads_close_every_player_once(crowded: tuple[PlayerPool, list[Asked]]) -> None:
    pool, built = crowded
    game = zp.game(GAME)
    were_open: list[bool] = []

    def ask() -> None:
        names = ["random", "naive", "greedy"] * 20
        were_open.extend(pool.ask(name, game, _is_open) for name in names)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    pool.close()
    assert were_open == [True] * 240
    assert not any(one.open for one in built)


def test_a_given_player_is_listed_at_the_games_it_plays() -> None:
    pool = PlayerPool(RunIndex(None), ["iagno(level=2)", "naive(ties=lowest)"])
    listed = {
        game: [one.player for one in pool.opponents(zp.game(game)) if one.group == "Added"]
        for game in ("othello", "gomoku(size=7)")
    }
    assert listed == {"othello": ["given(1)", "given(2)"], "gomoku(size=7)": ["given(2)"]}


def test_nets_of_runs_are_found_by_threads_beside_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    def looked(_: RunIndex) -> dict[str, Path]:
        raise AssertionError("the disk was looked at")

    monkeypatch.setattr(RunIndex, "_paths", looked)
    assert PlayerPool(RunIndex(Path("."))).is_quick("champion(r00, generation=1)", zp.game(GAME))


@pytest.mark.parametrize("game", sorted(catalogue.ratings()))
def test_every_opponent_is_rated_at_the_board_of_its_league(game: str) -> None:
    the_game = zp.game(game)
    unrated = [one.player for one in catalogue.opponents(the_game) if one.rated_at != game]
    assert not unrated, f"{', '.join(unrated)}: run python tools/rate_opponents.py {the_game.name}"


# Values


def test_positions_that_could_not_be_solved_are_not_said_to_be_exact(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = "OOOOOOOXOOOOOXOXOOOXXXOXOOXOOOXXOXXOXOXXOXXXOOOX-XXOOOO---OXXO--"

    def hasty(positions: zp.Positions, **_: object) -> SolveResult:
        return solve(positions, nodes=1)

    def graph(board: str) -> list[bool]:
        found: list[bool] = client.post("/api/graph", json={"game": "othello", "setup": f"{board} X"}).json()["exact"]
        return found

    assert graph(late) == [True]
    monkeypatch.setattr(evaluations, "solve", hasty)
    assert graph(late) == [True]  # searched before
    assert graph(late[::-1]) == [False]


def test_shares_are_those_of_the_players_temperature(client: TestClient) -> None:
    def best(player: str) -> float:
        answer = client.post("/api/preferences", json={"game": "othello", "moves": [37], "player": player}).json()
        shares: list[float | None] = answer["shares"]
        return max(share for share in shares if share is not None)

    assert best("net(othello, temperature=4)") < best("net(othello)") < best("net(othello, temperature=0.2)")


# Who is answered


@pytest.mark.parametrize(
    ("host", "written"),
    [("2001:DB8:0::1", "[2001:db8::1]"), ("192.0.2.7", "192.0.2.7"), ("box.example", "box.example")],
)
def test_a_host_is_answered_as_browsers_write_it(host: str, written: str) -> None:
    assert in_address(host) == written
    assert RequestFilter(None, [in_address(host)]).accepts(f"{written}:8000")  # type: ignore[arg-type]


def test_no_host_at_all_is_everywhere() -> None:
    with listen("", 0) as listening:
        assert listening.getsockname()[0] in ("0.0.0.0", "::")
    with listen("127.0.0.1", 0) as listening:
        assert (listening.family, listening.getsockname()[0]) == (socket.AF_INET, "127.0.0.1")


@pytest.mark.parametrize(
    ("site", "status"), [("cross-site", 403), ("same-site", 403), ("same-origin", 200), ("none", 200)]
)
def test_pages_of_other_sites_get_no_answers(client: TestClient, site: str, status: int) -> None:
    assert client.get("/api/games", headers={"sec-fetch-site": site}).status_code == status
    assert client.get("/", headers={"sec-fetch-site": site}).status_code == 200  # a link may lead to the page


def test_a_refusal_stays_a_sentence() -> None:
    with pytest.raises(ZeroplyError, match="unknown player 'nobody'"):
        PlayerPool(RunIndex(None)).ask("nobody", zp.game(GAME), lambda one: one)
