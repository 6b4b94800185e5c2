"""What is wrong with the arguments of a command, in one sentence instead of tyro's box.

tyro calls a hook with every error it is about to report. The hook is not part of its stable interface: if it is missing
or has changed, tyro's own message is printed.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import is_dataclass
from functools import partial
from typing import Any, get_args, get_type_hints

from zeroply.errors import ZeroplyError

Target = Callable[..., Any] | Mapping[str, Callable[..., Any]]
"""The function of a command, or the functions of its parts."""
NUMBERS = {2: "two", 3: "three", 4: "four"}


@contextmanager
def in_a_sentence(target: Target, words: Sequence[str], also: Sequence[str] = ()) -> Iterator[None]:
    """Turn what tyro refuses of the words into a ZeroplyError; `also` are options that chose the target."""
    try:
        from tyro._errors import on_parse_error
    except ImportError:
        yield
        return

    def refuse(event: Any) -> None:
        try:
            said = _sentence(event, target, words, also)
        except (AttributeError, TypeError, LookupError):  # another version of tyro
            return
        if said:
            raise ZeroplyError(said) from None

    with on_parse_error(refuse):
        yield


def _sentence(event: Any, target: Target, words: Sequence[str], also: Sequence[str]) -> str:
    """What an event means; empty for unknown ones."""
    kind, command = type(event).__name__, str(event.prog).removeprefix("zeroply ")
    if isinstance(target, Mapping):
        if not words or words[0] not in target:
            said = f"has no part '{words[0]}': its parts are" if words else "needs one of"
            return f"{command} {said} {', '.join(target)}"
        command, target = f"{command.split()[0]} {words[0]}", target[words[0]]
    options = ["--help", *options_of(target), *also]
    if kind in ("InstantiationFailure", "BadValue") and event.argument is not None:
        strange = [word for word in words if word.startswith("--") and word.partition("=")[0] not in options]
        if strange and not _name(event.argument).startswith("-"):
            return _unknown(command, strange[0], options)
        return _bad_value(_name(event.argument), event.argument.lowered.metavar, words)
    if kind == "InstantiationFailure":  # a configuration refused its fields
        return str(event.message)
    if kind == "InvalidChoice":
        lowered = event.argument.lowered  # the metavar of a positional argument is its name
        named = lowered.metavar.strip("{}").split(",") if lowered.metavar.startswith("{") else sorted(lowered.choices)
        choices = ", ".join(named)
        return f"{_name(event.argument)} must be one of {choices}, not '{event.value}'"
    if kind == "UnrecognizedArgs":
        return _unknown(command, event.tokens[0], options)
    if kind == "MissingArgs":
        if event.unrecognized_tokens:
            return _unknown(command, event.unrecognized_tokens[0], options)
        names = " and ".join(_name(one.arg) for one in event.missing_arguments)
        return f"{command} needs {names}: see zeroply {command} --help"
    return ""


def _name(argument: Any) -> str:
    """An option as it is typed, or a positional argument in capitals."""
    name = str(argument.lowered.name_or_flags[0])
    return name if name.startswith("-") else name.rpartition(".")[2].upper()


def _bad_value(name: str, metavar: str, words: Sequence[str]) -> str:
    given = " ".join(f"'{value}'" for value in _given(name, words))
    numbers = re.findall("INT|FLOAT", metavar)
    noun = "whole number" if "INT" in numbers else "number"
    if not numbers:
        wanted = "a value"
    elif "..." in metavar:
        wanted = f"{noun}s"
    else:
        wanted = f"a {noun}" if len(numbers) == 1 else f"{NUMBERS.get(len(numbers), len(numbers))} {noun}s"
    return f"{name} needs {wanted}, not {given}" if given else f"{name} needs {wanted}"


def _given(name: str, words: Sequence[str]) -> list[str]:
    """The values typed after an option."""
    for at, word in enumerate(words):
        if word.startswith(f"{name}="):
            return [word.partition("=")[2]]
        if word == name:
            rest = list(words[at + 1 :])
            return rest[: next((i for i, value in enumerate(rest) if value.startswith("--")), len(rest))]
    return []


def _unknown(command: str, token: str, options: Sequence[str]) -> str:
    see = f"see zeroply {command} --help"
    if not token.startswith("--"):
        return f"{command} cannot take '{token}' there: {see}"
    option = token.partition("=")[0]
    if negated := [one for one in options if one.replace("no-", "", 1) == option]:
        return f"{option} is the default of {command}: leave it out, or give {negated[0]}"
    return f"{command} has no option {option}{guess(option, options)}: {see}"


def guess(word: str, known: Iterable[str]) -> str:
    """A suggestion for a mistyped word, in brackets; empty if nothing is similar."""
    close = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def options_of(target: Callable[..., Any], prefix: str = "") -> Iterator[str]:
    """The options of a function, or of a configuration in the group `prefix`, as they are typed."""
    from tyro.conf import Positional

    marker = get_args(Positional[str])[1]
    hints = get_type_hints(target.func if isinstance(target, partial) else target, include_extras=True)
    for name, parameter in inspect.signature(target).parameters.items():
        extras = getattr(hints[name], "__metadata__", ())
        kind = get_args(hints[name])[0] if extras else hints[name]
        short = any(getattr(extra, "prefix_name", True) is False for extra in extras)
        named = next((extra.name for extra in extras if getattr(extra, "name", None) is not None), name)
        if isinstance(kind, type) and is_dataclass(kind):
            yield from options_of(kind, f"{prefix}{named}." if named else prefix)
        elif parameter.kind is not inspect.Parameter.POSITIONAL_ONLY and marker not in extras:
            negated = "no-" if parameter.default is True else ""
            yield f"--{'' if short else prefix}{negated}{named}".replace("_", "-")
