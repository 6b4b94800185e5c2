"""Every game passes the conformance check, plays as recorded, and is known by name in its own file only."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from playthroughs import FOLDER, playthrough
from zeroply.errors import ZeroplyError
from zeroply.games import GAMES, Game, conformance, game
from zeroply.games.positions import Positions
from zeroply.games.text import Notation

SOURCE = Path(__file__).parents[1] / "src" / "zeroply"
EVERY_BOARD = [f"{name}(size={size})" for name in GAMES for size in game(name).facts.sizes]
OPTIONS = [
    "gomoku(size=9, exact=true)",
    "atarigo(size=5, captures=4)",
    "atarigo(size=7, captures=3, suicide=illegal)",
    "atarigo(size=9, captures=1000, suicide=illegal)",
    "atarigo(size=19, captures=2)",
    "hex(size=5, swap=true)",
]


@pytest.mark.parametrize("spec", EVERY_BOARD)
def test_a_game_conforms_on_every_board(spec: str) -> None:
    conformance.check(spec, sample=8)


@pytest.mark.parametrize("spec", [*GAMES, *OPTIONS])
def test_a_game_conforms_in_many_positions(spec: str) -> None:
    conformance.check(spec, sample=24, seed=1)


def test_a_wrong_symmetry_group_is_named() -> None:
    othello = game("othello(size=6)")
    with pytest.raises(conformance.ConformanceError, match=r"symmetries keep the rules.*not a group"):
        conformance.check(replace(othello, facts=replace(othello.facts, symmetries=(0, 1, 2))))


def test_a_pass_that_the_facts_deny_is_named() -> None:
    othello = game("othello(size=4)")
    with pytest.raises(conformance.ConformanceError, match="sides alternate unless passes exist"):
        conformance.check(replace(othello, facts=replace(othello.facts, passes=False)), sample=200)


def test_a_copy_that_shares_its_board_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Positions, "copy", lambda self: self)
    with pytest.raises(conformance.ConformanceError, match=r"gomoku.* breaks the property"):
        conformance.check("gomoku(size=5)")


def accepted(positions: Positions, moves: Any, play: Callable[..., None]) -> None:
    """An illegal move is ignored instead of refused."""
    with contextlib.suppress(ZeroplyError):
        play(positions, moves)


def harmful(positions: Positions, moves: Any, play: Callable[..., None]) -> None:
    """An illegal move is refused, but a legal one is made."""
    try:
        play(positions, moves)
    except ZeroplyError:
        play(positions, [int(positions.legal()[0].argmax())])
        raise


def also_occupied(positions: Positions, legal: Any) -> Any:
    """Once the games are played, occupied cells are legal too."""
    return legal | ((positions.stones() != 0) & ~positions.over()[:, None] & (len(positions) > 24))


RETURNED: list[tuple[str, str, str, Callable[[Positions, Any], Any], str]] = [
    ("a move is legal or refused", "gomoku(size=5)", "over", lambda p, over: ~over, "over exactly if there is no"),
    ("a move is legal or refused", "gomoku(size=5)", "legal", also_occupied, "an occupied cell is legal"),
    ("results agree", "gomoku(size=5)", "winner", lambda p, winner: -winner, "the winner is not the sign of the score"),
    ("results agree", "gomoku(size=5)", "score", lambda p, score: 2 * score, "without a margin has a score beyond"),
    (
        "symmetries keep the rules",
        "gomoku(size=5)",
        "score",
        lambda p, a: a + p.stones()[:, 0],
        "score does not follow",
    ),
    (
        "symmetries keep the rules",
        "atarigo(size=5)",
        "liberties",
        lambda p, a: a + np.arange(25),
        "liberties do not fol",
    ),
    (
        "symmetries keep the rules",
        "gomoku(size=5)",
        "after",
        lambda p, a: a.symmetry(1),
        "comes before or after a move",
    ),
    ("text is read back", "gomoku(size=5)", "boards", lambda p, boards: np.roll(boards, 1, axis=-1), "through text"),
    ("copies are independent", "gomoku(size=5)", "__getitem__", lambda p, some: some.symmetry(1), "differs in a copy"),
    ("planes show the positions", "hex(size=3)", "planes", lambda p, planes: 1 - planes, "plane own does not show"),
    (
        "hashes identify positions",
        "hex(size=3)",
        "hash",
        lambda p, hashes: 0 * hashes,
        "different positions hash equally",
    ),
    (
        "hashes identify positions",
        "hex(size=3)",
        "text",
        lambda p, text: ["X"] * len(text),
        "equal positions hash diff",
    ),
]
"""A property, a game, a method of Positions, a change of what it returns, and the problem that is found."""


@pytest.mark.parametrize(("name", "spec", "method", "change", "problem"), RETURNED)
def test_each_broken_property_is_found(
    name: str,
    spec: str,
    method: str,
    change: Callable[[Positions, Any], Any],
    problem: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = getattr(Positions, method)
    monkeypatch.setattr(conformance, "PROPERTIES", {name: conformance.PROPERTIES[name]})
    monkeypatch.setattr(Positions, method, lambda self, *given: change(self, right(self, *given)))
    with pytest.raises(conformance.ConformanceError, match=f"{name}.*{problem}"):
        conformance.check(spec)


@pytest.mark.parametrize(
    ("play", "problem"),
    [(accepted, "illegal move -1 was accepted"), (harmful, "after an illegal move was refused")],
)
def test_illegal_moves_are_refused_without_effect(
    play: Callable[..., None], problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = Positions.play
    monkeypatch.setattr(Positions, "play", lambda self, moves: play(self, moves, right))
    with pytest.raises(conformance.ConformanceError, match=problem):
        conformance.check("gomoku(size=5)")


@pytest.mark.parametrize(
    ("facts", "problem"),
    [
        ({"symmetries": (1, 0)}, "symmetry 0 moves cells"),
        ({"symmetries": (0, 0)}, "not different symmetries of the square"),
        ({"offered": {"size": range(9, 21)}}, "size 5 is not among facts.sizes"),
        ({"shortest": 100}, "fewer than facts.shortest"),
        ({"longest": 3}, "more than facts.longest"),
    ],
)
def test_wrong_facts_are_named(facts: dict[str, Any], problem: str) -> None:
    five = game("gomoku(size=5)")
    with pytest.raises(conformance.ConformanceError, match=problem):
        conformance.check(replace(five, facts=replace(five.facts, **facts)))


@pytest.mark.parametrize(
    ("method", "change", "problem"),
    [
        ("name", str.swapcase, None),
        ("name", lambda name: name[0] + "1", "names of cells are not read back"),
        ("transcript", lambda text: text[:-2], "a transcript is not read back"),
    ],
)
def test_notation_is_read_back(
    method: str, change: Callable[[str], str], problem: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Capital and small letters mean the same."""
    right = getattr(Notation, method)
    monkeypatch.setattr(Notation, method, lambda self, given: change(right(self, given)))
    if problem is None:
        conformance.check("gomoku(size=5)")
    else:
        with pytest.raises(conformance.ConformanceError, match=problem):
            conformance.check("gomoku(size=5)")


def test_a_replay_that_loses_a_move_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Game.replay
    monkeypatch.setattr(Game, "replay", lambda self, moves: right(self, moves[:-2]))
    with pytest.raises(conformance.ConformanceError, match="differs after a replay of"):
        conformance.check("gomoku(size=5)")


def test_a_wrong_count_of_moves_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Game, "perft", lambda self, depth: 1)
    with pytest.raises(conformance.ConformanceError, match="perft does not count the legal moves"):
        conformance.check("gomoku(size=5)")


def test_random_moves_are_legal() -> None:
    positions = game("atarigo(size=5)").start(100)
    while not positions.over().all():
        moves = conformance.random_moves(positions, int(positions.move_number().max()))
        there = np.flatnonzero(moves >= 0)
        assert positions.legal()[there, moves[there]].all()
        assert positions.over().tolist() == (moves < 0).tolist()
        positions.play(moves)


@pytest.mark.parametrize("name", sorted(GAMES))
def test_a_game_plays_as_recorded(name: str) -> None:
    """`python tests/playthroughs.py` records all games again."""
    assert playthrough(name) == (FOLDER / f"{name}.txt").read_text()


def test_only_games_know_games_by_name() -> None:
    """Other modules ask `game.facts`, or `game.require` if they work with one game only."""
    quoted = rf"""["'`](?:{"|".join(GAMES)})["'`]"""
    compared = re.compile(rf"(?:[=!]==?|\bin|\bcase)\s*[(\[{{]?\s*{quoted}|startsWith\({quoted}|{quoted}\s*[=!]=")
    key = re.compile(rf"[{{,]\s*{quoted}\s*:|^\s*{quoted}\s*:")
    comparisons = []
    for path in sorted([*SOURCE.rglob("*.py"), *SOURCE.rglob("*.js")]):
        where = path.relative_to(SOURCE)
        planned = where.parts[0] == "studies"  # the plan of a study says which games it measures
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if compared.search(line) or (not planned and key.search(line)):
                comparisons += [f"{where}:{number}: {line.strip()}"] if where.parts[0] != "games" else []
    assert comparisons == []


def test_the_winning_row_is_shown() -> None:
    position = game("gomoku(size=9)").replay("A1A2B1B2C1C2D1D2E1")
    names = [position.game.notation.name(int(cell)) for cell in np.flatnonzero(position.winning()[0])]
    assert names == ["A1", "B1", "C1", "D1", "E1"]
    assert not game("gomoku(size=9)").replay("A1A2B1B2").winning().any()
    assert not game("othello").replay("f5d6c5f4e7f6g5e6e3").winning().any()
