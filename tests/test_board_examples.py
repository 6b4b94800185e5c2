"""Any game trains: datasets of boards, their splits and batches, and nets that learn from them and play."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import zeroply as zp
from zeroply.cli.main import main
from zeroply.errors import ZeroplyError
from zeroply.examples import Examples, Split
from zeroply.examples.boards import loader
from zeroply.examples.build import build
from zeroply.examples.known import unknown
from zeroply.examples.selfplay import SelfPlay, self_play
from zeroply.nets import load
from zeroply.records import save

GAMES = {  # with the number of their symmetries
    "gomoku(size=7)": 8,
    "atarigo(size=5, captures=3)": 8,
    "hex(size=5, swap=true)": 2,
    "othello(size=6)": 8,
}


def made(folder: Path, game: str, games: int = 40, seed: int = 1) -> Examples:
    """The dataset `unique` of games of random players, with all its company."""
    records = self_play(SelfPlay(games=games, game=game, player="random", plies=0, seed=seed))
    save([*records, records[0]], folder / "games.txt")
    build(folder / "games.txt", folder / "sets")
    return Examples.open(folder / "sets", "unique")


@pytest.mark.parametrize("game", GAMES)
def test_every_move_of_every_game_is_an_example(tmp_path: Path, game: str) -> None:
    unique = made(tmp_path, game)
    original, first = unique.original()
    records = zp.records.load(tmp_path / "games.txt")
    assert (original.game, original.games, len(first)) == (zp.game(game), 41, 42)
    wanted = []
    for record in records:
        position = record.game.start()
        for move in record.moves:
            wanted.append((position.text()[0], move))
            position.play([move])
    positions, moves = original.positions(np.arange(len(original)))
    assert list(zip(positions.text(), moves.tolist(), strict=True)) == wanted
    at = unique.positions(np.arange(len(unique)))
    distinct = list(zip(at[0].text(), at[1].tolist(), strict=True))
    assert len(set(distinct)) == len(distinct)
    assert set(distinct) == set(wanted)
    # The best classifier predicts the most frequent move of each position.
    counts: dict[str, Counter[int]] = {}
    for board, move in wanted:
        counts.setdefault(board, Counter())[move] += 1
    right = sum(one.most_common(1)[0][1] for one in counts.values())
    assert original.bound == pytest.approx(right / len(original))
    assert unique.bound == pytest.approx(len(counts) / len(unique))


def orbits(data: Examples, rows: NDArray[np.uint32]) -> list[str]:
    """The positions of examples, the same text for all images."""
    positions, _ = data.positions(rows)
    return [min(positions[i].symmetry(k).text()[0] for k in range(len(data.game.symmetries))) for i in range(len(rows))]


@pytest.mark.parametrize("name", ["original", "unique"])
def test_a_split_by_game_leaks_nothing(tmp_path: Path, name: str) -> None:
    made(tmp_path, "gomoku(size=5)", 60)
    data = Examples.open(tmp_path / "sets", name)
    split = Split(by="game", test=0.3, seed=2)
    train, test = data.side(split, "train"), data.side(split, "test")
    assert not set(orbits(data, train)) & set(orbits(data, test))
    assert 0.1 < len(test) / len(data) < 0.35
    other = data.side(Split(by="position", test=0.25, seed=2), "test")
    assert len(other) == round(0.25 * len(data))
    assert not len(unknown(data, train, data))


def test_batches_are_examples_under_the_symmetries_of_the_game(tmp_path: Path) -> None:
    data = made(tmp_path, "hex(size=5, swap=true)")
    rows = np.arange(100)
    batches = loader(data, rows, batch=30, encoding="vmoves", seed=3)
    assert (batches.steps_per_epoch, batches.symmetries) == (4, True)
    positions, moves = data.positions(rows)
    possible = {
        positions[i].symmetry(k).planes(["own", "opponent", "legal"]).tobytes()
        + bytes([int(data.game.symmetries[k][moves[i]])])
        for i in range(100)
        for k in (0, 1)
    }
    drawn = [batches.batch(step) for step in range(4)]
    seen = [
        planes.tobytes() + bytes([int(move)]) for some, cells in drawn for planes, move in zip(some, cells, strict=True)
    ]
    assert len(seen) == 100
    assert set(seen) <= possible
    again = [planes for planes, _ in loader(data, rows, batch=30, encoding="vmoves", seed=3).from_step(1, 4)]
    assert all(np.array_equal(one, other[0]) for one, other in zip(again, drawn[1:], strict=True))
    plain = loader(data, rows, batch=100, symmetries=False, seed=3).batch(0)
    own = {planes.tobytes() for planes in positions.planes()}
    assert {planes.tobytes() for planes in plain[0]} == own


def test_what_needs_othello_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = made(tmp_path, "hex(size=5)")
    with pytest.raises(ZeroplyError, match=r"needs examples of Othello on 8x8, and .* has examples of hex"):
        data.take([0])
    with pytest.raises(ZeroplyError, match="has no dataset unique-s, which only Othello on 8x8 has"):
        Examples.open(tmp_path / "sets", "unique-s")
    records = self_play(SelfPlay(games=1, game="gomoku(size=5)", player="random", seed=1))
    (tmp_path / "mixed").mkdir()
    (tmp_path / "games.txt").rename(tmp_path / "mixed" / "a.txt")
    save(records, tmp_path / "mixed" / "b.txt")
    with pytest.raises(ZeroplyError, match="examples of one game, not of hex"):
        build(tmp_path / "mixed", tmp_path / "other")
    with pytest.raises(SystemExit):
        main(["train", "lines", "--data", str(tmp_path / "sets"), "--run", str(tmp_path / "run")])
    assert "lines is for othello(size=8)" in capsys.readouterr().err


def test_a_changed_byte_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(tmp_path, "gomoku(size=5)")
    main(["data", "info", str(tmp_path / "sets"), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert list(told["datasets"]) == ["original", "unique"]
    stones = tmp_path / "sets" / "original" / "stones.i8"
    content = bytearray(stones.read_bytes())
    content[30] ^= 1
    stones.write_bytes(content)
    with pytest.raises(ZeroplyError, match=r"stones\.i8 has changed"):
        Examples.open(tmp_path / "sets", "original").verify()
    stones.write_bytes(content[:-1])
    with pytest.raises(ZeroplyError, match=r"stones\.i8 has .* bytes instead of"):
        Examples.open(tmp_path / "sets", "unique")


def test_a_net_learns_gomoku_from_games_and_beats_random(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch", reason="torch is not installed: it comes with the train extra")
    monkeypatch.chdir(tmp_path)
    searcher = "alphabeta(depth=1, eval=lines)"
    words = ["--player", searcher, "--games", "150", "--plies", "4", "--temperature", "100", "--out", "games.txt"]
    main(["data", "selfplay", "--game", "gomoku(size=9)", *words])
    main(["data", "build", "--source", "games.txt", "--out", "sets"])
    settings: dict[str, Any] = {"net": "conv4(width=0.0625)", "data": "sets", "epochs": 4, "batch": 64, "measured": 500}
    settings |= {"evaluations": 0, "seed": 1, "threads": 1}

    def interrupt(done: int, total: int, text: str = "", /) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        zp.train(**settings, run=tmp_path / "killed", progress=interrupt)
    whole, killed = zp.train(**settings, run=tmp_path / "whole"), zp.resume(tmp_path / "killed")
    one, other = (load(str(file), "gomoku(size=9)").weights for file in (whole, killed))
    assert all(np.array_equal(one[name], other[name]) for name in one)
    assert zp.match("net('whole/net.safetensors')", "random", game="gomoku(size=9)", games=40, seed=1).score > 0.8
    capsys.readouterr()
    main(["evaluate", "whole/net.safetensors", "--data", "sets", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["test"]["top1"] > 2 * found["test"]["chance"]
