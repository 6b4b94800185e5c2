"""Which specs a browser may send: known players without files or commands, within bounds on depth and time.

Everything that is not named here is refused, so a player that is added to zeroply is out of reach until someone says
that it is harmless.
"""

from __future__ import annotations

from collections.abc import Mapping

from zeroply.errors import ZeroplyError
from zeroply.nets import shipped
from zeroply.players import PLAYERS
from zeroply.search import EVALUATIONS
from zeroply.specs import Spec, excerpt, parse

DEEPEST = 12
"""Plies of alpha-beta."""
DEEPEST_ENGINE = 8
"""Of `engine`, which solves endings of twice its depth."""
LONGEST = 2.0
"""Seconds an alpha-beta search may take."""

SIMPLE = ("random", "naive", "greedy", "iagno")
EVALUATORS = ("pieces", "positional", "mobility", "pattern", "iagno", "lines", "liberties")
"""Evaluations that read no file of the browser's choice."""


def permitted(text: str) -> Spec:
    """The spec of a player as it may be built here, or a refusal."""
    return _player(parse(text))


def _player(spec: Spec) -> Spec:
    name = spec.name
    if name not in (*SIMPLE, "net", "engine", "alphabeta", "hybrid"):
        known = name in PLAYERS
        raise ZeroplyError(
            f"player {name} runs a program and can be met here only if the server was started with it, as in "
            f"zeroply web --player '{name}(...)'"
            if known
            else f"unknown player '{excerpt(name, width=40)}': choose one from the list"
        )
    given = PLAYERS.entry(name).bind(spec)
    if name == "net":
        return _net(spec, str(given["name"]))
    if name == "engine":
        _at_most("the depth of engine", given["depth"], DEEPEST_ENGINE)
    if name == "alphabeta":
        return _search(spec, given)
    if name == "hybrid":
        keys = {key: value for key, value in given.items() if key in ("first", "last")}
        return Spec("hybrid", a=_player(given["a"]), b=_player(given["b"]), **keys)
    return spec


def _net(spec: Spec, name: str) -> Spec:
    if name not in shipped():
        raise ZeroplyError(f"there is no net of that name here: there are {', '.join(shipped())}")
    return spec


def _search(spec: Spec, given: Mapping[str, object]) -> Spec:
    evaluation = given["eval"]
    if not isinstance(evaluation, Spec) or evaluation.name not in EVALUATORS or evaluation.name not in EVALUATIONS:
        raise ZeroplyError(f"the evaluation must be one of {', '.join(EVALUATORS)}")
    _at_most("the depth of alphabeta", given["depth"], DEEPEST)
    seconds = given["seconds"]
    allowed = LONGEST if not isinstance(seconds, float) else min(seconds, LONGEST)
    return Spec(spec.name, *spec.args, **{**spec.kwargs, "seconds": allowed})


def _at_most(what: str, value: object, most: int) -> None:
    if not isinstance(value, int) or value > most:
        raise ZeroplyError(f"{what} is at most {most} here, not {value}")
