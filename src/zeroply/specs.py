r"""One grammar for naming games, players, nets, evaluations and openings: `name(positional, key=value)`.

    spec  = name [ "(" [ item { "," item } ] ")" ]        item = value | key "=" value
    value = number | true | false | "quoted" | 'quoted' | spec

A bare word such as `othello-swh` or `runs/x/champion.safetensors` is a spec without arguments, so the
reader can use it as text or as a name to look up. A parsed spec prints back as it was written; two specs are equal
if they mean the same, however they are written.
"""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NoReturn, TypeAlias

from zeroply.errors import ZeroplyError

MAX_DEPTH = 50
"""Levels of nested specs, the outermost included."""

MAX_LENGTH = 10_000
"""The longest spec, in characters."""

Value: TypeAlias = "bool | int | float | str | Spec"

_SPACE = re.compile(r"\s*")
_WORD = re.compile(r"[\w\-+./:~@%]+")
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KEY_AHEAD = re.compile(rf"({_WORD.pattern})\s*=")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_BOOLEANS = {"true": True, "false": False}
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", '"': '"', "'": "'"}


class Spec:
    """A name with positional and keyword arguments, immutable and hashable.

    `Spec("alphabeta", depth=4, eval=Spec("wpc"))` prints as `alphabeta(depth=4, eval=wpc)`.
    """

    __slots__ = ("_depth", "_text", "args", "kwargs", "name")

    name: str
    """The name, such as `gomoku`."""
    args: tuple[Value, ...]
    """The positional values, in order."""
    kwargs: Mapping[str, Value]
    """The values given by key, in the order written."""
    _text: str
    _depth: int

    def __init__(self, name: str, /, *args: Value, **kwargs: Value) -> None:
        if not is_word(name):
            raise ZeroplyError(f"{name!r} is not a valid spec name: use letters, digits and any of _ - + . / : ~ @ %")
        for key in kwargs:
            if not _KEY.fullmatch(key):
                raise ZeroplyError(f"{key!r} cannot be a key of spec {name}: use letters, digits and _")
        plain_args = tuple(map(_plain, args))
        plain_kwargs = {key: _plain(value) for key, value in kwargs.items()}
        items = [*map(literal, plain_args), *(f"{k}={literal(v)}" for k, v in plain_kwargs.items())]
        self._set(name, plain_args, plain_kwargs, f"{name}({', '.join(items)})" if items else name)
        if self._depth > MAX_DEPTH:
            raise ZeroplyError(f"spec {name} is nested too deeply: at most {MAX_DEPTH} levels")
        if len(self._text) > MAX_LENGTH:
            raise ZeroplyError(f"spec {name} is too long: at most {MAX_LENGTH} characters")

    def _set(self, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], text: str) -> None:
        nested = [value._depth for value in (*args, *kwargs.values()) if isinstance(value, Spec)]
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "args", args)
        object.__setattr__(self, "kwargs", MappingProxyType(kwargs))
        object.__setattr__(self, "_text", text)
        object.__setattr__(self, "_depth", 1 + max(nested, default=0))

    @property
    def word(self) -> str | None:
        """The name if there are no arguments, so that the spec can be read as plain text; otherwise None."""
        return None if self.args or self.kwargs else self.name

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"parse({self._text!r})"

    def __eq__(self, other: object) -> bool:
        return self._meaning() == other._meaning() if isinstance(other, Spec) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._meaning())

    def _meaning(self) -> tuple[object, ...]:
        # Python holds True == 1; a spec does not, so every value carries whether it is a boolean.
        args = tuple((isinstance(value, bool), value) for value in self.args)
        kwargs = frozenset((key, isinstance(value, bool), value) for key, value in self.kwargs.items())
        return self.name, args, kwargs

    def __setattr__(self, attribute: str, value: object) -> NoReturn:
        raise AttributeError(f"a Spec is immutable: cannot set {attribute}")

    def __delattr__(self, attribute: str) -> NoReturn:
        raise AttributeError(f"a Spec is immutable: cannot delete {attribute}")

    def __reduce__(self) -> tuple[Callable[[str], Spec], tuple[str]]:
        return parse, (self._text,)


def parse(text: str | Spec) -> Spec:
    """Parse a spec; a Spec is returned unchanged. Raises ZeroplyError with the reason and the column."""
    if isinstance(text, Spec):
        return text
    if not isinstance(text, str):
        raise ZeroplyError(f"a spec is text such as 'othello' or 'gomoku(size=9)', not {text!r:.40}")
    return _Reader(text).whole()


def is_word(text: str) -> bool:
    """Whether `text` needs no quotes in a spec: word characters only, and neither a number nor a boolean."""
    return bool(_WORD.fullmatch(text)) and not _NUMBER.fullmatch(text) and text not in _BOOLEANS


def text_value(text: str) -> Spec | str:
    """Text as a value that prints as a bare word if the grammar allows it, otherwise in quotes."""
    return Spec(text) if is_word(text) else text


def literal(value: Value) -> str:
    """A value as a spec writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
        return f'"{escaped}"'
    return str(value)


def excerpt(text: str, around: int = 0, width: int = 80) -> str:
    """At most about `width` characters of `text` near index `around`."""
    if len(text) <= width:
        return text
    start = min(max(0, around - width // 2), len(text) - width)
    end = start + width
    return f"{'...' if start else ''}{text[start:end]}{'...' if end < len(text) else ''}"


def _plain(value: object) -> Value:
    """A value as one of the grammar's own types (NumPy numbers become Python's)."""
    if isinstance(value, bool | Spec):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, numbers.Real):
        number = int(value) if isinstance(value, numbers.Integral) else float(value)
        if _is_finite(number):
            return number
        raise ZeroplyError("a number in a spec must be finite and below 1.8e308")
    raise ZeroplyError(f"a spec cannot hold a {type(value).__name__}: use a number, a boolean, text or a Spec")


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # an int beyond the range of a double
        return False


class _Reader:
    """Recursive descent over one text; `at` is the index of the next character."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def whole(self) -> Spec:
        if len(self.text.strip()) > MAX_LENGTH:
            self.fail(f"it is longer than {MAX_LENGTH} characters", MAX_LENGTH)
        self.skip_space()
        start = self.at
        if start == len(self.text):
            self.fail("it is empty; write a name such as othello or gomoku(size=9)", 0)
        value = self.value(depth=1)
        if not isinstance(value, Spec):
            self.fail("a spec begins with a name, not with a number, a boolean or a quoted string", start)
        self.skip_space()
        if self.at < len(self.text):
            what = "this bracket closes nothing" if self.next() == ")" else "nothing may follow the end of the spec"
            self.fail(what, self.at)
        return value

    def value(self, depth: int) -> Value:
        start = self.at
        if self.next() in ("'", '"'):
            return self.quoted()
        match = _WORD.match(self.text, start)
        if not match:
            self.fail("a name or a value is missing here", start)
        word, self.at = match[0], match.end()
        self.skip_space()
        if self.next() != "(":
            self.at = match.end()
            if word in _BOOLEANS:
                return _BOOLEANS[word]
            if _NUMBER.fullmatch(word):
                return self.number(word, start)
        elif not is_word(word):
            self.fail(f"{excerpt(word)} is a value and cannot take arguments", start)
        if depth > MAX_DEPTH:
            self.fail(f"at most {MAX_DEPTH} levels of nested specs are allowed", start)
        args, kwargs = self.arguments(depth) if self.next() == "(" else ((), {})
        spec = Spec.__new__(Spec)
        spec._set(word, args, kwargs, self.text[start : self.at])
        return spec

    def arguments(self, depth: int) -> tuple[tuple[Value, ...], dict[str, Value]]:
        opening = self.at
        args: list[Value] = []
        kwargs: dict[str, Value] = {}
        self.at += 1
        self.skip_space()
        while self.next() != ")":
            if args or kwargs:
                self.comma(opening)
            if not self.next():
                self.fail("this bracket is never closed", opening)
            start = self.at
            if key := self.key():
                if key in kwargs:
                    self.fail(f"key {excerpt(key)} is given twice", start)
                kwargs[key] = self.value(depth + 1)
            elif kwargs:
                self.fail("a value without a key must come before the values with keys", start)
            else:
                args.append(self.value(depth + 1))
            self.skip_space()
        self.at += 1
        return tuple(args), kwargs

    def comma(self, opening: int) -> None:
        """Reads the comma between two items of the bracket that was opened at `opening`."""
        if not self.next():
            self.fail("this bracket is never closed", opening)
        if self.next() != ",":
            self.fail("a comma or a closing bracket is missing here", self.at)
        self.at += 1
        self.skip_space()

    def key(self) -> str | None:
        """Reads `key =` if that comes next."""
        match = _KEY_AHEAD.match(self.text, self.at)
        if not match:
            return None
        if not _KEY.fullmatch(match[1]):
            self.fail(f"{excerpt(match[1])} cannot be a key; use letters, digits and _", self.at)
        self.at = match.end()
        self.skip_space()
        return match[1]

    def number(self, lexeme: str, start: int) -> int | float:
        if not math.isfinite(float(lexeme)):
            self.fail("this number is too large", start)
        return int(lexeme) if _INTEGER.fullmatch(lexeme) else float(lexeme)

    def quoted(self) -> str:
        opening, quote = self.at, self.next()
        characters: list[str] = []
        self.at += 1
        while (character := self.next()) != quote:
            if character == "\\":
                self.at += 1
                character = _ESCAPES.get(self.next(), "")
                if not character and self.next():
                    self.fail("a backslash may only precede a quote, a backslash, n or t", self.at - 1)
            if not character:
                self.fail("this quote is never closed", opening)
            characters.append(character)
            self.at += 1
        self.at += 1
        return "".join(characters)

    def next(self) -> str:
        """The next character, empty at the end."""
        return self.text[self.at : self.at + 1]

    def skip_space(self) -> None:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def fail(self, reason: str, at: int) -> NoReturn:
        shown = excerpt(self.text, around=at)
        raise ZeroplyError(f"cannot read the spec {shown!r}: {reason} (column {at + 1})")
