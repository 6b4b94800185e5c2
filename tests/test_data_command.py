"""`zeroply data` and `zeroply bench loader`: what they print, what they write, and one sentence for bad input."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import examples_reference as plain
from random_play import random_record
from zeroply.cli.main import main
from zeroply.examples import NAMES, Examples, Split
from zeroply.examples.selfplay import SelfPlay, different, self_play
from zeroply.examples.sources import SHIPPED
from zeroply.nets.encodings import PLANES
from zeroply.records import load, save

RECORDS = plain.some_records()


@pytest.fixture
def games(tmp_path: Path) -> Path:
    save(RECORDS, tmp_path / "games.txt")
    return tmp_path / "games.txt"


def output(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """What a command that succeeds prints; it says nothing on stderr."""
    capsys.readouterr()
    main(list(map(str, words)))
    said = capsys.readouterr()
    assert said.err == ""
    return said.out


def refusal(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """The one sentence of a command that cannot use its input."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as caught:
        main(list(map(str, words)))
    assert caught.value.code == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    return said.err


# build and info


def test_build_prints_counts_and_bounds(capsys: pytest.CaptureFixture[str], games: Path, tmp_path: Path) -> None:
    text = output(capsys, "data", "build", "--source", games, "--out", tmp_path / "sets")
    assert text.startswith(f"{len(RECORDS)} games of othello in 1 file\n")
    for name in NAMES:
        data = Examples.open(tmp_path / "sets", name)
        line = next(line for line in text.splitlines() if line.split()[:1] == [name])
        assert f"{len(data):,}" in line.split()
        assert f"{data.bound:.2%}" in line.split()


def test_one_game_is_not_games_and_bad_ones_are_counted(
    capsys: pytest.CaptureFixture[str], games: Path, tmp_path: Path
) -> None:
    words = ("data", "build", "--out", tmp_path / "sets", "--skip-bad", "--overwrite", "--source")
    save(RECORDS[:1], tmp_path / "one.txt")
    assert output(capsys, *words, tmp_path / "one.txt").startswith("1 game of othello in 1 file\n\n")
    with open(tmp_path / "one.txt", "a") as file:
        file.write("a1\n")
    text = output(capsys, *words, tmp_path / "one.txt")
    assert text.startswith("1 game of othello in 1 file\n1 bad game skipped\n\n")
    assert output(capsys, "data", "info", tmp_path / "sets") == text
    assert json.loads(output(capsys, "data", "info", tmp_path / "sets", "--json"))["skipped"] == 1


def test_info_says_the_same_as_build_of_the_folder_and_of_one_dataset(
    capsys: pytest.CaptureFixture[str], games: Path, tmp_path: Path
) -> None:
    built = output(capsys, "data", "build", "--source", games, "--out", tmp_path / "sets", "--json")
    assert output(capsys, "data", "info", tmp_path / "sets", "--json") == built
    assert output(capsys, "data", "info", tmp_path / "sets" / "unique", "--json") == built
    told = json.loads(built)
    assert told["games"] == len(RECORDS)
    assert told["files"][0]["name"] == "games.txt"
    assert list(told["datasets"]) == list(NAMES)
    moves = sum(len(record.moves) for record in RECORDS)
    assert told["datasets"]["original"]["examples"] == moves
    assert told["datasets"]["original-s"]["examples"] == 8 * moves
    assert 0 < told["datasets"]["unique"]["bound"] <= 1


def test_info_finds_damage(capsys: pytest.CaptureFixture[str], games: Path, tmp_path: Path) -> None:
    output(capsys, "data", "build", "--source", games, "--out", tmp_path / "sets")
    path = tmp_path / "sets" / "unique" / "move.u8"
    path.write_bytes(b"\0" + path.read_bytes()[1:])
    assert "move.u8 has changed; build it again" in refusal(capsys, "data", "info", tmp_path / "sets")


def test_bad_input_is_one_sentence(capsys: pytest.CaptureFixture[str], games: Path, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    assert "contains no game records" in refusal(
        capsys, "data", "build", "--source", tmp_path / "none", "--out", tmp_path / "sets"
    )
    assert "holds no datasets" in refusal(capsys, "data", "info", tmp_path / "none")
    assert "there is no folder" in refusal(capsys, "data", "info", tmp_path / "nowhere")
    output(capsys, "data", "build", "--source", games, "--out", tmp_path / "sets")
    again = ("data", "build", "--source", games, "--out", tmp_path / "sets")
    assert "--overwrite" in refusal(capsys, *again)
    assert "threads must be" in refusal(capsys, *again, "--overwrite", "--threads", 0)
    output(capsys, *again, "--overwrite")


# The games that come with zeroply


def test_the_shipped_games_make_datasets_with_both_splits(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    told = json.loads(output(capsys, "data", "build", "--source", "shipped", "--out", tmp_path / "sets", "--json"))
    assert told["games"] >= 2000
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) < 1_000_000
    assert told["datasets"]["unique"]["examples"] > 100_000
    for name in NAMES:
        data = Examples.open(tmp_path / "sets", name)
        for split in (Split(by="position"), Split(by="game")):
            assert 0.005 < len(data.side(split, "test")) / len(data) < 0.06
            assert len(data.side(split, "train")) > 0.9 * len(data)


def test_the_shipped_games_are_whole_and_differ() -> None:
    shipped = load(SHIPPED / "othello-engine5.txt")
    assert all(record.result != "?" for record in shipped[::50])
    assert len({record.moves for record in shipped}) == len(shipped)


# selfplay


def test_selfplay_writes_whole_games_that_the_seed_decides(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ("data", "selfplay", "--games", 70, "--player", "greedy", "--plies", 8, "--temperature", 2)
    out = tmp_path / "games.txt"
    text = output(capsys, *words, "--out", out)
    records = load(out)
    every = self_play(SelfPlay(games=70, player="greedy", plies=8, temperature=2))
    seen = list(dict.fromkeys(record.moves for record in every))
    assert [record.moves for record in records] == seen
    assert text == f"{len(seen)} different games of 70 written to {out}\n"
    assert all(record.result != "?" for record in records)
    assert len({record.moves[:8] for record in records}) > 20
    output(capsys, *words, "--out", tmp_path / "again.wtb")
    assert [record.moves for record in load(tmp_path / "again.wtb")] == [record.moves for record in records]
    output(capsys, *words, "--seed", 2, "--out", tmp_path / "other.txt")
    assert load(tmp_path / "other.txt") != records


def test_of_equal_games_the_first_is_kept_in_its_place() -> None:
    a, b, c = (random_record(seed) for seed in range(3))
    again = replace(a, black="another")
    assert different([a, b, again, c]) == [a, b, c]
    assert different([a, b, again, c])[0] is a


def test_more_games_begin_with_the_same_ones() -> None:
    few, many = (self_play(SelfPlay(games=n, player="greedy", plies=6)) for n in (3, 66))
    assert many[:3] == few


def test_bad_selfplay_is_one_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "games.txt"
    assert "at least one game" in refusal(capsys, "data", "selfplay", "--games", 0, "--out", out)
    assert "temperature must be" in refusal(capsys, "data", "selfplay", "--games", 1, "--temperature", -1, "--out", out)
    assert "ends in" in refusal(capsys, "data", "selfplay", "--games", 1, "--out", tmp_path / "games.zip")
    assert "unknown player" in refusal(capsys, "data", "selfplay", "--games", 1, "--player", "nobody", "--out", out)
    out.write_text("")
    assert "--overwrite" in refusal(capsys, "data", "selfplay", "--games", 1, "--out", out)


# bench loader


def test_bench_loader_measures_every_encoding(capsys: pytest.CaptureFixture[str], games: Path, tmp_path: Path) -> None:
    output(capsys, "data", "build", "--source", games, "--out", tmp_path / "sets")
    words = ("bench", "loader", "--data", tmp_path / "sets", "--seconds", 0.05, "--batch", 64)
    told = json.loads(output(capsys, *words, "--json"))
    assert {"bit boards", *PLANES} <= {row["what"] for row in told["speeds"]}
    assert all(row["positions_per_second"] > 0 for row in told["speeds"])
    assert "positions/s" in output(capsys, *words)
    assert "batch of 1 to 1,000,000 positions" in refusal(capsys, *words[:-1], 0)
