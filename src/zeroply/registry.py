"""Registries: the things a spec can name, how they are built, and their help.

An entry is an ordinary function (or dataclass), and its signature is the whole declaration: names, types and
defaults come from the annotations, `Annotated[int, "side of the board"]` gives a parameter its line of help,
and the first line of the docstring is the help of the entry.

    games: Registry[Game] = Registry("game")

    @games.register("gomoku")
    def gomoku(size: Annotated[int, "side of the board, 5 to 20"] = 15) -> Game:
        '''Five or more in a row wins.'''

    games.lazy("hex", "zeroply.games.hex:hex")   # the same, imported on first use
    games.build("gomoku(size=9)")

A parameter whose type is a dataclass stands for the fields of that dataclass, such as the time limits of programs.
Options that every entry of a registry accepts (how a player chooses among its moves) are declared once, by the
signature of the registry's `finish`, which is called with everything that was built.
"""

from __future__ import annotations

import difflib
import inspect
import pkgutil
import sys
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Annotated, Any, Generic, Literal, TypeVar, Union

from zeroply.errors import ZeroplyError
from zeroply.plugins import entry_points
from zeroply.specs import Spec, Value, excerpt, literal, parse, text_value

T = TypeVar("T")
B = TypeVar("B", bound=Callable[..., Any])

_REQUIRED: Any = inspect.Parameter.empty
_TYPES = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a word or a quoted string",
    Spec: "a spec such as name(key=value)",
    types.NoneType: "none",
}


@dataclass(frozen=True)
class Parameter:
    """One argument of an entry."""

    name: str
    """Its key in a spec."""
    type: Any
    """Its annotation: bool, int, float, str, Spec, None, a Literal, or a union of these."""
    default: Any
    """Its default; meaningless if it is required."""
    required: bool
    """Whether a spec must give it."""
    positional: bool
    """Whether it may be given without its key."""
    help: str
    """One line of help; may be empty."""

    @property
    def accepts(self) -> str:
        """A description of the accepted values."""
        return _describe(self.type)

    @property
    def choices(self) -> tuple[str, ...]:
        """The allowed words of a choice, as a spec writes them; empty for other types."""
        return tuple(map(_print, _choices(self.type)))

    def __str__(self) -> str:
        return self.name if self.required else f"{self.name}={_print(self.default)}"


@dataclass(frozen=True)
class RegistryEntry(Generic[T]):
    """One thing a registry can build."""

    kind: str
    """What the registry holds: game, player, net."""
    name: str
    """The name in a spec."""
    help: str
    """One line of help."""
    own: tuple[Parameter, ...]
    """The parameters of this entry, in order."""
    shared: tuple[Parameter, ...]
    """The parameters that every entry of the registry accepts."""
    context: frozenset[str]
    """The builder's arguments that come from the caller of `build`, never from a spec."""
    builder: Callable[..., T]
    """The function that builds it; takes `own` and `context` as keyword arguments."""
    module: str
    """The Python module that registered it."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """All parameters that a spec may give."""
        return self.own + self.shared

    def __str__(self) -> str:
        items = ", ".join(map(str, self.own))
        return f"{self.name}({items})" if items else self.name

    def bind(self, spec: Spec) -> dict[str, Any]:
        """The value of every parameter for `spec`, with defaults filled in and types checked."""
        given = self._assign(spec)
        arguments = {}
        for parameter in self.parameters:
            if parameter.name in given:
                arguments[parameter.name] = self._convert(parameter, given[parameter.name])
            elif parameter.required:
                hint = f": {parameter.help}" if parameter.help else ""
                raise ZeroplyError(f"{self.kind} {self.name} needs {parameter.name}{hint}")
            else:
                arguments[parameter.name] = parameter.default
        return arguments

    def _assign(self, spec: Spec) -> dict[str, Value]:
        """The given values by parameter name."""
        keys = [parameter.name for parameter in self.parameters]
        known_keys = f"its keys are {', '.join(keys)}" if keys else "it takes no arguments"
        positional = [parameter.name for parameter in self.parameters if parameter.positional]
        if len(spec.args) > len(positional):
            at_most = f"only {' and '.join(positional)}" if positional else "nothing"
            raise ZeroplyError(f"{self.kind} {self.name} takes {at_most} without a key: {known_keys}")
        given = dict(zip(positional, spec.args, strict=False))
        for key, value in spec.kwargs.items():
            if key not in keys:
                raise ZeroplyError(
                    f"{self.kind} {self.name} has no key '{excerpt(key)}'{_guess(key, keys)}: {known_keys}"
                )
            if key in given:
                raise ZeroplyError(f"{self.kind} {self.name} is given {key} twice: without and with its key")
            given[key] = value
        return given

    def _convert(self, parameter: Parameter, value: Value) -> Any:
        try:
            return _convert(value, parameter.type)
        except _MismatchError:
            shown = excerpt(literal(value))
            raise ZeroplyError(
                f"{parameter.name} of {self.kind} {self.name} must be {parameter.accepts}, not {shown}"
            ) from None


class Registry(Generic[T]):
    """Builders by name, for one kind of thing."""

    def __init__(
        self, kind: str, *, context: Iterable[str] = (), finish: Callable[..., T] | None = None, group: str = ""
    ) -> None:
        """`kind` is the word used in messages; `context` names arguments that `build` passes to builders.

        `finish(thing, *, ...)` completes what was built; every spec may give its keyword arguments. Installed packages
        add entries by entry points of the group `zeroply.GROUP`; names that are registered here come first.
        """
        self.kind = kind
        self._group = group
        self._context = frozenset(context)
        self._finish = finish
        self.shared = _keywords(f"any {kind}", finish) if finish else ()
        self._entries: dict[str, RegistryEntry[T]] = {}
        self._targets: dict[str, str] = {}
        self._installed: dict[str, str] = {}  # targets from entry points

    def register(self, name: str) -> Callable[[B], B]:
        """Decorator: register a function or dataclass under `name`."""

        def enter(builder: B) -> B:
            self._claim(name)
            self._entries[name] = _entry(self.kind, name, builder, self._context, self.shared)
            return builder

        return enter

    def lazy(self, name: str, target: str) -> None:
        """Register the builder at `target`, written `module:function`; the module is imported on first use.

        Listing imports every entry, so the module must be light: heavy imports belong inside its function.
        """
        if not all(target.partition(":")):
            raise ValueError(f"the target of a lazy {self.kind} is written module:function, not {target!r}")
        self._claim(name)
        self._targets[name] = target

    def _claim(self, name: str) -> None:
        if name in self._entries or name in self._targets:
            raise ValueError(f"{self.kind} {name} is registered twice")
        Spec(name)  # refuses what the grammar cannot name

    def _registered(self, name: object) -> bool:
        return name in self._entries or name in self._targets or name in self._installed

    def _add_entry_points(self) -> None:
        group, self._group = self._group, ""
        for name, target in entry_points(group).items() if group else ():
            if not self._registered(name):
                Spec(name)
                self._installed[name] = target

    def __contains__(self, name: object) -> bool:
        if not self._registered(name):
            self._add_entry_points()
        return self._registered(name)

    def __iter__(self) -> Iterator[str]:
        self._add_entry_points()
        return iter(sorted({*self._entries, *self._targets, *self._installed}))

    def in_order(self) -> list[str]:
        """All names, in the order of their registration."""
        self._add_entry_points()
        return list({**self._targets, **self._entries, **self._installed})

    def __len__(self) -> int:
        self._add_entry_points()
        return len({*self._entries, *self._targets, *self._installed})

    def entry(self, name: str) -> RegistryEntry[T]:
        """The entry called `name`."""
        if name not in self:
            known = f"choose from {', '.join(self)}" if len(self) else "none are registered"
            raise ZeroplyError(f"unknown {self.kind} '{excerpt(name)}'{_guess(name, self)}: {known}")
        if name not in self._entries:
            builder = self._resolved(name)
        if name not in self._entries:  # the module of an entry point may have registered it
            self._entries[name] = _entry(self.kind, name, builder, self._context, self.shared)
        return self._entries[name]

    def _resolved(self, name: str) -> Callable[..., T]:
        target = self._targets.get(name) or self._installed[name]
        try:
            builder: Callable[..., T] = pkgutil.resolve_name(target)
        except (ImportError, AttributeError) as error:
            if target.startswith("zeroply."):
                raise
            raise ZeroplyError(f"{self.kind} {name} of an installed package cannot be used: {error}") from None
        return builder

    def entries(self) -> list[RegistryEntry[T]]:
        """All entries, by name."""
        return [self.entry(name) for name in self]

    def build(self, spec: Spec | str, /, **context: object) -> T:
        """Build what `spec` names; values of `context` are passed to builders that have parameters for them."""
        if unknown := context.keys() - self._context:
            raise TypeError(f"{self.kind} builders take no context named {', '.join(sorted(unknown))}")
        spec = parse(spec)
        entry = self.entry(spec.name)
        handed = {key: value for key, value in context.items() if key in entry.context}
        arguments = entry.bind(spec)
        shared = {parameter.name: arguments.pop(parameter.name) for parameter in self.shared}
        thing = entry.builder(**arguments, **handed)
        return self._finish(thing, **shared) if self._finish else thing


def _entry(
    kind: str, name: str, builder: Callable[..., T], context: frozenset[str], shared: tuple[Parameter, ...]
) -> RegistryEntry[T]:
    """An entry from the signature and docstring of its builder."""
    signature = inspect.signature(builder).parameters
    own = {key: parameter for key, parameter in signature.items() if key not in context}
    hints = _annotations(builder, own)
    owner, parameters, groups = f"{kind} {name}", list[Parameter](), dict[str, type[Any]]()
    for key, parameter in own.items():
        if is_dataclass(group := hints.get(key)) and isinstance(group, type):
            groups[key] = group
            parameters += _keywords(owner, group)
        else:
            parameters.append(_parameter(owner, parameter, hints))
    doc = inspect.getdoc(builder)
    if not doc:
        raise TypeError(f"{kind} {name} has no docstring; its first line is the help of the entry")

    def build(**given: Any) -> T:
        for key, group in groups.items():
            given[key] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        return builder(**given)

    help_line, own_context = doc.splitlines()[0], context & signature.keys()
    made = build if groups else builder
    return RegistryEntry(kind, name, help_line, tuple(parameters), shared, own_context, made, builder.__module__)


def _keywords(owner: str, builder: Callable[..., Any]) -> tuple[Parameter, ...]:
    """The keyword-only parameters of a function or dataclass."""
    signature = inspect.signature(builder).parameters
    own = {key: parameter for key, parameter in signature.items() if parameter.kind is parameter.KEYWORD_ONLY}
    hints = _annotations(builder, own)
    return tuple(_parameter(owner, parameter, hints) for parameter in own.values())


def _annotations(builder: Callable[..., Any], own: Mapping[str, inspect.Parameter]) -> dict[str, Any]:
    """The annotations of `own` as objects; other annotations may name types that exist only for type checkers."""

    def declared() -> None: ...

    declared.__annotations__ = {key: parameter.annotation for key, parameter in own.items()}
    module = sys.modules.get(builder.__module__)
    names = vars(module) if module else builder.__globals__
    return typing.get_type_hints(declared, names, include_extras=True)


def _parameter(owner: str, parameter: inspect.Parameter, hints: Mapping[str, Any]) -> Parameter:
    if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
        raise TypeError(f"{parameter.name} of {owner} must be a parameter that can be passed by keyword")
    if parameter.annotation is parameter.empty:
        raise TypeError(f"{parameter.name} of {owner} has no type")
    hint, help_line = hints[parameter.name], ""
    if typing.get_origin(hint) is Annotated:
        hint, help_line = typing.get_args(hint)[:2]
    _describe(hint)
    required = parameter.default is _REQUIRED
    if not required:
        _print(parameter.default)
    positional = parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    return Parameter(
        name=parameter.name,
        type=hint,
        default=None if required else parameter.default,
        required=required,
        positional=positional,
        help=help_line,
    )


class _MismatchError(Exception):
    """A value does not have the expected type."""


def _convert(value: Value, hint: Any) -> Any:
    """`value` as the type `hint`: an int is accepted as a float, a bare word as text, `none` as None."""
    if _is_union(hint):
        # None first, so that the word none is not taken as text.
        for option in sorted(typing.get_args(hint), key=lambda option: option is not types.NoneType):
            try:
                return _convert(value, option)
            except _MismatchError:
                continue
        raise _MismatchError
    text = value.word if isinstance(value, Spec) else value if isinstance(value, str) else None
    if typing.get_origin(hint) is Literal:
        for choice in typing.get_args(hint):
            if (text if isinstance(choice, str) else value) == choice and type(value) is not bool:
                return choice
    elif hint is types.NoneType and isinstance(value, Spec) and text == "none":
        return None
    elif hint is str and text is not None:
        return text
    elif hint is float and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    elif hint in (bool, int, Spec) and type(value) is hint:
        return value
    raise _MismatchError


def _describe(hint: Any) -> str:
    """A description of the values a type accepts; TypeError if a spec cannot express the type."""
    if _is_union(hint):
        return " or ".join(map(_describe, typing.get_args(hint)))
    if typing.get_origin(hint) is Literal:
        choices = typing.get_args(hint)
        if all(type(choice) in (int, str) for choice in choices):
            return f"one of {', '.join(map(_print, choices))}"
    elif hint in _TYPES:
        return _TYPES[hint]
    raise TypeError(f"a parameter in a spec cannot have the type {hint}")


def _choices(hint: Any) -> tuple[Any, ...]:
    """The values of a Literal, alone or in a union."""
    if _is_union(hint):
        return tuple(choice for option in typing.get_args(hint) for choice in _choices(option))
    return typing.get_args(hint) if typing.get_origin(hint) is Literal else ()


def _is_union(hint: Any) -> bool:
    return typing.get_origin(hint) in (Union, types.UnionType)


def _print(value: Any) -> str:
    """A default or a choice as it would be written in a spec."""
    if value is None:
        return "none"
    if isinstance(value, str):
        return literal(text_value(value))
    if isinstance(value, bool | int | float | Spec):
        return literal(value)
    raise TypeError(f"a default in a spec cannot be {value!r}")


def _guess(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""
