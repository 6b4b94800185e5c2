"""The spec grammar: what is written is what is printed, and every mistake is named and located."""

import copy
import pickle
import re
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from zeroply.errors import ZeroplyError
from zeroply.specs import MAX_DEPTH, MAX_LENGTH, Spec, Value, is_word, literal, parse, text_value

words = st.text("abz059_-+./:~@%éβ", min_size=1, max_size=12).filter(is_word)
keys = st.text("abZ_", min_size=1, max_size=4)
numbers = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
unquoted = st.one_of(numbers, st.booleans(), words.map(Spec))


def nested(values: st.SearchStrategy[Value]) -> st.SearchStrategy[Spec]:
    return st.builds(
        lambda name, args, kwargs: Spec(name, *args, **kwargs),
        words,
        st.lists(values, max_size=3),
        st.dictionaries(keys, values, max_size=3),
    )


def specs(leaves: st.SearchStrategy[Value]) -> st.SearchStrategy[Spec]:
    return nested(st.recursive(leaves, nested, max_leaves=8))


@given(specs(st.one_of(unquoted, st.text(max_size=12))))
def test_a_built_spec_is_read_back_equal(spec: Spec) -> None:
    again = parse(str(spec))
    assert again == spec
    assert hash(again) == hash(spec)
    assert str(again) == str(spec)


@given(specs(unquoted), st.randoms(), st.sampled_from(["", " ", "\n\t ", "\u2003"]))
def test_a_spec_prints_back_as_written_whatever_its_spacing(spec: Spec, chance: Random, space: str) -> None:
    def pad(token: re.Match[str]) -> str:
        return chance.choice(["", space]) + token[0].strip() + chance.choice(["", space])

    text = space + re.sub(r", |[()=]", pad, str(spec)) + space
    assert str(parse(text)) == text.strip()
    assert parse(text) == spec


@given(st.text("ab01.-+e()=,'\"\\n \ttrue", max_size=30))
@example("f(a,)")
@example("f(1e999)")
@example("f('\\")
def test_any_text_prints_back_or_is_refused_in_one_line(text: str) -> None:
    try:
        printed = str(parse(text))
    except ZeroplyError as error:
        complaint = str(error)
    else:
        assert printed == text.strip()
        return
    assert re.search(r"\(column \d+\)$", complaint)
    assert "\n" not in complaint


@pytest.mark.parametrize(
    "text",
    [
        "othello",
        "othello()",
        "othello( )",
        "gomoku(size=9)",
        "atarigo( size = 5,captures=1 )",
        'alphabeta(depth=4, eval=ntuple("a b+2x2.player"))',
        "net(runs/x/champion.safetensors)",
        "f(0.10, 1e-3, +5, -0, .5, 5., 007)",
        "f('x', \"x\", x, x(), x ( ))",
        r"f('it\'s', 'a\\b', \"\", 'two\tlines\n')".replace(r"\"", '"'),
        "f(4+2x2, othello-swh, a:b~c@d%e, ../up, true, false)",
        "f('),(=')",
    ],
)
def test_examples_print_back_unchanged(text: str) -> None:
    assert str(parse(f"  {text}\n")) == text


def test_values_have_their_types() -> None:
    spec = parse("f(3, 3.0, 1e3, true, word, 'word', g(1), k=-2)")
    assert spec.name == "f"
    assert spec.args == (3, 3.0, 1000.0, True, Spec("word"), "word", Spec("g", 1))
    assert [type(value) for value in spec.args] == [int, float, float, bool, Spec, str, Spec]
    assert spec.kwargs == {"k": -2}


def test_escapes_stand_for_their_characters() -> None:
    assert parse(r"""f("a\"b", 'a\'b', "a\\b", "a\nb", "a\tb", "it's")""").args == (
        'a"b',
        "a'b",
        "a\\b",
        "a\nb",
        "a\tb",
        "it's",
    )


def test_a_bare_word_is_a_spec_and_can_be_read_as_text() -> None:
    bare, called, quoted = parse("f(x, x(), 'x')").args
    assert isinstance(bare, Spec)
    assert isinstance(called, Spec)
    assert bare.word == called.word == "x"
    assert (str(bare), str(called)) == ("x", "x()")
    assert bare == called
    assert bare != quoted == "x"
    assert parse("x(1)").word is None
    assert parse("x(k=1)").word is None


def test_equality_is_by_value() -> None:
    assert parse("f( a=1,b=2)") == parse("f(b=2, a=1)")
    assert parse("f(0.10)") == parse("f(1e-1)")
    assert parse("f('x')") == parse('f("x")')
    assert len({parse("f( 1 )"), parse("f(1)"), Spec("f", 1)}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [("f(1)", "f(true)"), ("f(k=0)", "f(k=false)"), ("f(1, 2)", "f(2, 1)"), ("f(1)", "f(k=1)"), ("f", "g")],
)
def test_specs_that_mean_different_things_differ(one: str, other: str) -> None:
    assert parse(one) != parse(other)


def test_a_built_spec_prints_canonically() -> None:
    spec = Spec("alphabeta", 4, eval=Spec("ntuple", "a b"), fast=True, rate=0.5, name="n")
    assert str(spec) == 'alphabeta(4, eval=ntuple("a b"), fast=true, rate=0.5, name="n")'
    assert repr(spec) == f"parse({str(spec)!r})"
    assert str(Spec("f", 'a"b\\c\nd\te')) == r'f("a\"b\\c\nd\te")'


def test_numpy_numbers_become_plain_numbers() -> None:
    numpy_values: list[Any] = [np.int64(3), np.float64(0.5), np.float32(0.25)]
    assert str(Spec("f", *numpy_values)) == "f(3, 0.5, 0.25)"


def test_a_nested_spec_keeps_its_source_inside_a_built_one() -> None:
    assert str(Spec("f", parse("g( 0.10 )"))) == "f(g( 0.10 ))"


def test_text_is_written_bare_where_it_can_be() -> None:
    assert literal(text_value("runs/x.y")) == "runs/x.y"
    assert [literal(text_value(text)) for text in ("a b", "12", "true", "")] == [
        '"a b"',
        '"12"',
        '"true"',
        '""',
    ]


def test_a_spec_passes_through_parse() -> None:
    spec = Spec("othello")
    assert parse(spec) is spec


def test_a_spec_cannot_be_changed() -> None:
    spec = parse("f(1, k=2)")
    with pytest.raises(AttributeError, match="immutable"):
        spec.name = "g"
    with pytest.raises(AttributeError, match="immutable"):
        del spec.args
    with pytest.raises(TypeError):
        spec.kwargs["k"] = 3  # type: ignore[index]


def test_a_spec_survives_pickling_and_copying_with_its_text() -> None:
    spec = parse("f( 0.10, k = 'v' )")
    for twin in (pickle.loads(pickle.dumps(spec)), copy.copy(spec), copy.deepcopy(spec)):
        assert twin == spec
        assert str(twin) == str(spec)


@pytest.mark.parametrize(
    ("text", "column", "reason"),
    [
        ("", 1, "it is empty"),
        ("  \n", 1, "it is empty"),
        ("12", 1, "begins with a name"),
        (" true", 2, "begins with a name"),
        ("'x'", 1, "begins with a name"),
        ("(x)", 1, "a name or a value is missing"),
        ("f(", 2, "bracket is never closed"),
        ("f(a", 2, "bracket is never closed"),
        ("f(g(1)", 2, "bracket is never closed"),
        ("f(a,", 2, "bracket is never closed"),
        ("f(a))", 5, "closes nothing"),
        ("f(a) b", 6, "nothing may follow"),
        ("f g", 3, "nothing may follow"),
        ("f(a b)", 5, "a comma or a closing bracket"),
        ("f(a,)", 5, "a name or a value is missing"),
        ("f(,a)", 3, "a name or a value is missing"),
        ("f(k=)", 5, "a name or a value is missing"),
        ("f(k==1)", 5, "a name or a value is missing"),
        ("f(=1)", 3, "a name or a value is missing"),
        ("f(a;b)", 4, "a comma or a closing bracket"),
        ("f(k=1, 2)", 8, "must come before"),
        ("f(k=1, j=2, k=3)", 13, "key k is given twice"),
        ("f(a-b=1)", 3, "a-b cannot be a key"),
        ("f(3=1)", 3, "3 cannot be a key"),
        ("f(3(1))", 3, "3 is a value"),
        ("true(1)", 1, "true is a value"),
        ("f('a)", 3, "quote is never closed"),
        ("f(\"a')", 3, "quote is never closed"),
        ("f('a\\", 3, "quote is never closed"),
        ("f('a\\q')", 5, "a backslash may only precede"),
        ("f(1e999)", 3, "too large"),
        (f"f({'9' * 5000})", 3, "too large"),
    ],
)
def test_a_mistake_is_named_and_located(text: str, column: int, reason: str) -> None:
    with pytest.raises(ZeroplyError, match=re.escape(reason)) as caught:
        parse(text)
    assert str(caught.value).endswith(f"(column {column})")
    if len(text) < 80:
        assert repr(text) in str(caught.value)


def test_nesting_has_a_limit() -> None:
    deepest = "f(" * (MAX_DEPTH - 1) + "x" + ")" * (MAX_DEPTH - 1)
    spec = parse(deepest)
    assert str(spec) == deepest
    with pytest.raises(ZeroplyError, match=f"at most {MAX_DEPTH} levels"):
        parse(f"f({deepest})")
    with pytest.raises(ZeroplyError, match=f"at most {MAX_DEPTH} levels"):
        Spec("f", spec)
    with pytest.raises(ZeroplyError, match=f"at most {MAX_DEPTH} levels"):
        parse("f(" * 5000)


def test_length_has_a_limit() -> None:
    longest = "x" * MAX_LENGTH
    assert str(parse(f"  {longest}  ")) == longest
    with pytest.raises(ZeroplyError, match=f"longer than {MAX_LENGTH} characters") as caught:
        parse(longest + "x")
    assert len(str(caught.value)) < 300
    with pytest.raises(ZeroplyError, match=f"at most {MAX_LENGTH} characters"):
        Spec("f", longest)


@pytest.mark.parametrize("name", ["", "a b", "12", "true", "f(x)", "-1.5"])
def test_a_spec_needs_a_word_for_its_name(name: str) -> None:
    with pytest.raises(ZeroplyError, match="is not a valid spec name"):
        Spec(name)


def test_a_built_spec_needs_values_the_grammar_can_write() -> None:
    with pytest.raises(ZeroplyError, match="cannot be a key"):
        Spec("f", **{"a-b": 1})
    with pytest.raises(ZeroplyError, match="cannot hold a list"):
        Spec("f", [1])  # type: ignore[arg-type]
    for number in (float("nan"), float("inf"), 10**400):
        with pytest.raises(ZeroplyError, match="must be finite"):
            Spec("f", number)
