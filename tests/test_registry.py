"""Registries: a signature is the whole declaration, and every misuse of a spec is one clear sentence."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeroply.errors import ZeroplyError
from zeroply.registry import Registry
from zeroply.specs import Spec, Value, parse

if TYPE_CHECKING:
    from decimal import Decimal as OnlyForTypeCheckers

things: Registry[Any] = Registry("player", context=("game",))


@things.register("random")
def random_player() -> str:
    """Any legal move."""
    return "random"


@things.register("alphabeta")
def alphabeta(
    depth: Annotated[int, "plies to look ahead"],
    eval: Annotated[Spec, "what to search for"] = Spec("wpc"),  # noqa: B008
    *,
    ties: Annotated[Literal["random", "lowest"], "choice among equals"] = "random",
    time: float | None = None,
    book: str | None = "a b",
    quiet: bool = False,
) -> dict[str, Any]:
    """Fixed-depth search.

    Everything below the first line is for readers of the source.
    """
    return {"depth": depth, "eval": eval, "ties": ties, "time": time, "book": book, "quiet": quiet}


@things.register("greedy")
def greedy(game: OnlyForTypeCheckers, noise: float = 0) -> tuple[object, float]:
    """Most discs."""
    return game, noise


@things.register("gomoku")
@dataclass(frozen=True, kw_only=True)
class Gomoku:
    """Five or more in a row wins."""

    size: Annotated[int, "side of the board"] = 15
    exact: bool = False


def test_a_builder_gets_positional_values_keys_and_defaults() -> None:
    assert things.build("alphabeta(4, ntuple(2), quiet=true, time=3, book=none)") == {
        "depth": 4,
        "eval": parse("ntuple(2)"),
        "ties": "random",
        "time": 3.0,
        "book": None,
        "quiet": True,
    }
    assert things.build(Spec("random")) == things.build("random()") == "random"
    assert things.build("gomoku(size=9)") == Gomoku(size=9)


def test_words_and_quoted_strings_both_are_text() -> None:
    assert things.build("alphabeta(1, book=runs/x.book, ties='lowest')")["book"] == "runs/x.book"
    assert things.build("alphabeta(1, book='runs/x.book')")["book"] == "runs/x.book"
    assert things.build("alphabeta(1, book=x())")["book"] == "x"
    assert things.build("alphabeta(1, book='none')")["book"] == "none"


def test_a_whole_number_stands_for_a_float() -> None:
    noise = things.build("greedy(noise=2)", game=None)[1]
    assert noise == 2.0
    assert isinstance(noise, float)


def test_context_reaches_the_builders_that_ask_and_no_spec_can_set_it() -> None:
    board = object()
    assert things.build("greedy", game=board) == (board, 0)
    assert things.build("random", game=board) == "random"
    with pytest.raises(ZeroplyError, match="player greedy has no key 'game'"):
        things.build("greedy(game=x)", game=board)
    with pytest.raises(TypeError, match="no context named seed"):
        things.build("random", seed=1)


def test_entries_can_be_listed_with_help_and_defaults() -> None:
    entries = {entry.name: entry for entry in things.entries()}
    assert list(entries) == list(things) == ["alphabeta", "gomoku", "greedy", "random"]
    assert len(things) == 4
    assert "random" in things
    assert str(entries["random"]) == "random"
    assert str(entries["gomoku"]) == "gomoku(size=15, exact=false)"
    search = entries["alphabeta"]
    assert str(search) == 'alphabeta(depth, eval=wpc, ties=random, time=none, book="a b", quiet=false)'
    assert search.help == "Fixed-depth search."
    assert [parameter.help for parameter in search.parameters[:3]] == [
        "plies to look ahead",
        "what to search for",
        "choice among equals",
    ]
    assert [parameter.required for parameter in search.parameters] == [True] + [False] * 5
    assert [parameter.accepts for parameter in search.parameters] == [
        "a whole number",
        "a spec such as name(key=value)",
        "one of random, lowest",
        "a number or none",
        "a word or a quoted string or none",
        "true or false",
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("foo", "unknown player 'foo': choose from alphabeta, gomoku, greedy, random"),
        (
            "gredy",
            "unknown player 'gredy' (did you mean greedy?): choose from alphabeta, gomoku, greedy, random",
        ),
        ("alphabeta", "player alphabeta needs depth: plies to look ahead"),
        (
            "gomoku(sise=3)",
            "player gomoku has no key 'sise' (did you mean size?): its keys are size, exact",
        ),
        ("random(x=1)", "player random has no key 'x': it takes no arguments"),
        ("random(1)", "player random takes nothing without a key: it takes no arguments"),
        ("gomoku(9)", "player gomoku takes nothing without a key: its keys are size, exact"),
        (
            "alphabeta(1, x, 3)",
            "player alphabeta takes only depth and eval without a key: "
            "its keys are depth, eval, ties, time, book, quiet",
        ),
        ("alphabeta(1, depth=2)", "player alphabeta is given depth twice: without and with its key"),
        ("gomoku(size=big)", "size of player gomoku must be a whole number, not big"),
        ("gomoku(size=9.5)", "size of player gomoku must be a whole number, not 9.5"),
        ("gomoku(size=true)", "size of player gomoku must be a whole number, not true"),
        ("gomoku(exact=1)", "exact of player gomoku must be true or false, not 1"),
        ("greedy(noise='1')", 'noise of player greedy must be a number, not "1"'),
        ("greedy(noise=true)", "noise of player greedy must be a number, not true"),
        ("alphabeta(1, 2)", "eval of player alphabeta must be a spec such as name(key=value), not 2"),
        ("alphabeta(1, ties=first)", "ties of player alphabeta must be one of random, lowest, not first"),
        ("alphabeta(1, time=soon)", "time of player alphabeta must be a number or none, not soon"),
        (
            "alphabeta(1, book=12)",
            "book of player alphabeta must be a word or a quoted string or none, not 12",
        ),
        (
            "alphabeta(1, book=f(x))",
            "book of player alphabeta must be a word or a quoted string or none, not f(x)",
        ),
    ],
)
def test_a_wrong_spec_is_one_sentence_that_says_what_there_is(text: str, sentence: str) -> None:
    with pytest.raises(ZeroplyError) as caught:
        things.build(text, game=None)
    assert str(caught.value) == sentence


def test_the_kind_is_in_the_message_even_if_nothing_is_registered() -> None:
    empty: Registry[object] = Registry("opening")
    with pytest.raises(ZeroplyError, match=r"^unknown opening 'x': none are registered$"):
        empty.build("x")


def test_a_bad_spec_is_refused_before_any_lookup() -> None:
    with pytest.raises(ZeroplyError, match="never closed"):
        things.build("random(")


def test_long_input_makes_short_messages() -> None:
    for text in ("x" * 5000, f"gomoku(size={'x' * 5000})", f"gomoku({'x' * 5000}=1)"):
        with pytest.raises(ZeroplyError) as caught:
            things.build(text)
        assert len(str(caught.value)) < 250


@given(st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans(), st.text(max_size=9)))
def test_every_value_reaches_a_builder_whose_type_allows_it(value: Value) -> None:
    anything: Registry[Any] = Registry("thing")

    @anything.register("keep")
    def keep(value: bool | int | float | str) -> object:
        """Gives back what it got."""
        return value

    kept = anything.build(str(Spec("keep", value)))
    assert kept == value
    assert type(kept) is type(value)


def test_choices_may_be_numbers() -> None:
    sizes: Registry[int] = Registry("game")

    @sizes.register("go")
    def go(size: Literal[1, 19] = 19) -> int:
        """Go."""
        return size

    assert sizes.build("go(1)") == 1
    for wrong in ("go(13)", "go(true)", "go('1')"):
        with pytest.raises(ZeroplyError, match="must be one of 1, 19"):
            sizes.build(wrong)


def test_a_lazy_entry_is_imported_when_first_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "late_player.py").write_text("def late(depth: int = 3):\n    'Comes late.'\n    return depth\n")
    monkeypatch.syspath_prepend(tmp_path)
    players: Registry[int] = Registry("player")
    players.lazy("late", "late_player:late")
    assert list(players) == ["late"]
    with pytest.raises(ZeroplyError, match=r"did you mean late\?"):
        players.build("lat")
    assert "late_player" not in sys.modules
    assert players.build("late(depth=5)") == 5
    assert str(players.entry("late")) == "late(depth=3)"
    assert players.entry("late").help == "Comes late."
    assert len(players) == 1
    monkeypatch.delitem(sys.modules, "late_player")


def test_entry_points_add_to_what_is_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"plain": "fractions:Fraction", "extra": "fractions:nothing", "own": "no_such_package:thing"}
    monkeypatch.setattr("zeroply.registry.entry_points", lambda group: found if group == "tests" else {})
    registry = Registry[str]("toy", group="tests")

    @registry.register("plain")
    def plain() -> str:
        """Registered here."""
        return "ours"

    assert list(registry) == ["extra", "own", "plain"]
    assert registry.build("plain") == "ours"
    for name, reason in (("own", "No module named 'no_such_package'"), ("extra", "has no attribute 'nothing'")):
        with pytest.raises(ZeroplyError, match=f"toy {name} of an installed package cannot be used: .*{reason}"):
            registry.build(name)


def test_names_are_registered_once() -> None:
    players: Registry[str] = Registry("player")
    players.lazy("a", "some.module:a")
    with pytest.raises(ValueError, match="player a is registered twice"):
        players.register("a")(random_player)
    with pytest.raises(ValueError, match="player a is registered twice"):
        players.lazy("a", "some.module:a")
    with pytest.raises(ValueError, match="is not a valid spec name"):
        players.register("a b")(random_player)
    with pytest.raises(ValueError, match="module:function"):
        players.lazy("b", "some.module")


def _undocumented(size: int = 1) -> int:
    return size


def _starred(*sizes: int) -> int:
    """Any number of sizes."""
    return len(sizes)


def _odd_type(size: list[int] | None = None) -> object:
    """A list cannot be written in a spec."""
    return size


def _odd_default(size: int = object()) -> object:  # type: ignore[assignment]
    """Nor can an object."""
    return size


def _unannotated(size=1):  # type: ignore[no-untyped-def]
    """Says nothing about its type."""
    return size


@pytest.mark.parametrize(
    ("builder", "complaint"),
    [
        (_undocumented, "game x has no docstring"),
        (_starred, "sizes of game x must be a parameter that can be passed by keyword"),
        (_odd_type, "cannot have the type list[int]"),
        (_odd_default, "a default in a spec cannot be <object"),
        (_unannotated, "size of game x has no type"),
    ],
)
def test_a_builder_no_spec_can_describe_is_refused_when_registered(
    builder: Callable[..., object], complaint: str
) -> None:
    with pytest.raises(TypeError, match=re.escape(complaint)):
        Registry[object]("game").register("x")(builder)
