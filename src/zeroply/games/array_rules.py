"""Games written in NumPy: rules as functions on batches of boards, from which everything else follows.

A position is its stones and the side to move, and every move adds one stone. A class derived from `ArrayRules` says
where a side may play and who has won; `array_game` registers it, and the fields of its dataclass are the options of
the game's spec. Such a game does what any other does, except for search, which needs rules in the core.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache, partial
from typing import Any, TypeVar, get_type_hints

import numpy as np
from numpy.typing import NDArray

from zeroply import _core
from zeroply.errors import ZeroplyError
from zeroply.games import GAMES
from zeroply.games.definition import Game
from zeroply.games.facts import Facts, Gtp, Look, Sgf, SuggestedPlayer, Unit
from zeroply.games.text import Notation
from zeroply.specs import Spec

R = TypeVar("R", bound="ArrayRules")
Boards = NDArray[np.int8]
"""[n, size, size]: 1 Black, -1 White, 0 empty; rules must not change them."""
Sides = NDArray[np.int8]
"""[n]: the side to move, 1 Black, -1 White."""
LARGEST = 26
"""The largest board, which has a letter for each column."""


class ArrayRules(ABC):
    """The rules of a game; subclasses are frozen dataclasses."""

    title: str = ""
    """The game's name for people; default: from its name in specs."""
    size: int
    """Side of the board."""
    look: Look = "discs"
    """How it is drawn."""
    from_top: bool = True
    """Whether row 1 in the names of cells is at the top."""
    symmetries: tuple[int, ...] = (0,)
    """The symmetries of the rules, as numbered in `definition.square_symmetries`; (0, 1) mirrors left and right."""
    passes: bool = False
    """Whether a side without a move passes; if not, the game is over then."""
    margin: Unit | None = None
    """Unit of the score; None if games are only won, drawn or lost."""
    shortest: int | None = None
    """Moves of the shortest game, needed for scoring by length."""
    longest: int | None = None
    """Moves of the longest game; None: as many as there are empty cells at the start."""
    offered: Mapping[str, Sequence[int]] = {}
    """The values that the web page offers for numeric options; all board sizes, if `size` is an option."""
    sgf: Sgf | None = None
    """Names in SGF; None if SGF has no number for the game."""
    opponents: tuple[SuggestedPlayer, ...] = ()
    """Players that the web page offers beside those that play any game."""

    @abstractmethod
    def legal(self, boards: Boards, sides: Sides) -> NDArray[np.bool_]:
        """[n, size, size]: the empty cells where the sides may play; games that are won are left out elsewhere."""

    @abstractmethod
    def winner(self, boards: Boards) -> NDArray[Any]:
        """[n]: 1 if Black has won, -1 if White has, 0 if the game goes on as long as there are moves."""

    def play(self, boards: Boards, sides: Sides, rows: NDArray[np.int32], columns: NDArray[np.int32]) -> Boards:
        """[n, size, size]: the boards after a move each; a stone on the cell, unless a game does more than that."""
        after = boards.copy()
        after[np.arange(len(after)), rows, columns] = sides
        return after

    def score(self, boards: Boards) -> NDArray[Any]:
        """[n]: Black's result of games that end because nobody can move; drawn, unless a game counts."""
        return np.zeros(len(boards), np.int32)

    def start(self) -> Boards:
        """[size, size]: the stones at the start."""
        return np.zeros((self.size, self.size), np.int8)


def array_game(name: str) -> Callable[[type[R]], type[R]]:
    """Class decorator: register rules as the game `name`."""

    def enter(rules: type[R]) -> type[R]:
        if not (issubclass(rules, ArrayRules) and is_dataclass(rules) and callable(getattr(rules, "__hash__", None))):
            raise TypeError(f"the rules of {name} must be a frozen dataclass derived from ArrayRules")

        def build(**options: Any) -> Game:
            return game_of(name, rules(**options))

        hints = get_type_hints(rules, include_extras=True)
        own = [one.replace(annotation=hints[one.name]) for one in inspect.signature(rules).parameters.values()]
        build.__signature__ = inspect.Signature(own)
        build.__doc__, build.__module__ = rules.__doc__, rules.__module__
        GAMES.register(name)(build)
        return rules

    return enter


@cache
def game_of(name: str, rules: ArrayRules) -> Game:
    """The game with these rules; only a registered one can be named by a spec."""
    if not 1 <= rules.size <= LARGEST:
        raise ZeroplyError(f"boards of {name} have sizes from 1 to {LARGEST}, not {rules.size}")
    options = tuple((field.name, getattr(rules, field.name)) for field in fields(rules))  # type: ignore[arg-type]
    given = {key: Spec(value) if isinstance(value, str) else value for key, value in options}
    letters = "abcdefghijklmnopqrstuvwxyz"[: rules.size]
    notation = Notation(rules.size, letters, rules.from_top)
    start = np.ascontiguousarray(_checked(name, "start", rules.start(), (rules.size, rules.size)), np.int8)
    facts = Facts(
        title=rules.title or name.replace("_", " ").capitalize(),
        look=rules.look,
        offered={"size": (rules.size,), **rules.offered},
        evaluation=None,
        margin=rules.margin,
        passes=rules.passes,
        shortest=rules.shortest,
        longest=int((start == 0).sum()) if rules.longest is None else rules.longest,
        symmetries=rules.symmetries,
        gtp=Gtp((rules.title.replace(" ", "") or name,), notation),
        sgf=rules.sgf,
        opponents=rules.opponents,
    )
    core = _core.array_game(rules.size, start.ravel(), partial(_advance, name, rules))
    return Game(name, options, notation, facts, core, Spec(name, **given))


Advanced = tuple[NDArray[np.int8], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.int32]]


def _advance(
    name: str, rules: ArrayRules, stones: NDArray[np.int8], mover: NDArray[np.uint8], moves: NDArray[np.int32]
) -> Advanced:
    """One move in every position, or none where it is -1: stones, mover, passed, legal cells and score after it."""
    size = rules.size
    shape = (len(moves), size, size)
    boards, sides = stones.reshape(shape), (1 - 2 * mover.astype(np.int8)).astype(np.int8)
    if (made := moves >= 0).any():
        before = _read_only(boards[made])
        rows, columns = np.divmod(moves[made], size)
        played = _checked(name, "play", rules.play(before, sides[made], rows, columns), before.shape)
        if ((played != 0).sum(axis=(1, 2)) != (before != 0).sum(axis=(1, 2)) + 1).any():
            raise ZeroplyError(f"the rules of {name} are wrong: play must add exactly one stone to the board")
        boards = boards.copy()
        boards[made] = played
        sides = np.where(made, -sides, sides)
    _read_only(boards)
    won = _checked(name, "winner", rules.winner(boards), (len(moves),))
    legal = _legal(name, rules, boards, sides) & (won == 0)[:, None, None]
    passed = np.zeros(len(moves), np.uint8)
    if rules.passes and (stuck := (won == 0) & ~legal.any(axis=(1, 2))).any():
        legal[stuck] = _legal(name, rules, boards[stuck], -sides[stuck])
        passed = (stuck & legal.any(axis=(1, 2))).astype(np.uint8)
        sides = np.where(passed, -sides, sides)
    counted = (won == 0) & ~legal.any(axis=(1, 2))
    score = np.sign(won).astype(np.int32)
    if counted.any():
        score[counted] = _checked(name, "score", rules.score(boards[counted]), (-1,))
    return (
        np.ascontiguousarray(boards, np.int8).reshape(len(moves), -1),
        (sides < 0).astype(np.uint8),
        passed,
        legal.reshape(len(moves), -1).astype(np.uint8),
        score,
    )


def _read_only(boards: Boards) -> Boards:
    boards.flags.writeable = False
    return boards


def _legal(name: str, rules: ArrayRules, boards: Boards, sides: Sides) -> NDArray[np.bool_]:
    legal = _checked(name, "legal", rules.legal(boards, sides), boards.shape).astype(np.bool_)
    if (legal & (boards != 0)).any():
        raise ZeroplyError(f"the rules of {name} are wrong: legal allows a move on a stone")
    return legal


def _checked(name: str, method: str, values: object, shape: tuple[int, ...]) -> NDArray[Any]:
    """What a method of the rules returned, if its type and shape are right; -1 is any length."""
    fits = isinstance(values, np.ndarray) and values.dtype.kind in "biu" and len(values.shape) == len(shape)
    if fits and all(wanted in (-1, got) for wanted, got in zip(shape, values.shape, strict=True)):  # type: ignore[attr-defined]
        return values  # type: ignore[return-value]
    given = f"{values.dtype} of shape {values.shape}" if isinstance(values, np.ndarray) else type(values).__name__
    raise ZeroplyError(
        f"the rules of {name} are wrong: {method} must return an array of whole numbers or booleans of shape "
        f"{shape}, not {given}"
    )
