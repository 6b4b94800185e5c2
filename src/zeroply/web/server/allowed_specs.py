"""Which player specs a browser may send: no files, no commands, and limits on search depth and time.

This is an allow list. A player that is added to zeroply cannot be named by a browser until it is listed here. Runs and
study reports are named by ids instead of paths (`runs.py`, `studies.py`).
"""

from __future__ import annotations

from collections.abc import Mapping

from zeroply.errors import ZeroplyError
from zeroply.nets import shipped
from zeroply.players import PLAYERS
from zeroply.search import EVALUATIONS
from zeroply.specs import Spec, excerpt, parse

MAX_DEPTH = 12
"""Plies of alpha-beta."""
MAX_ENGINE_DEPTH = 8
"""Plies of `engine`, which solves endings of Othello of twice its depth."""
MAX_SECONDS = 2.0
"""Seconds of a search."""

SIMPLE = ("random", "naive", "greedy", "iagno")
ALLOWED_EVALS = ("pieces", "positional", "mobility", "pattern", "iagno", "lines", "liberties", "distance")
"""Evaluations that can do without a file named in the spec."""


def allowed_player(text: str) -> Spec:
    """The spec of a player with the limits of the server applied; raises ZeroplyError if it is not allowed."""
    return _player(parse(text))


def _player(spec: Spec) -> Spec:
    name = spec.name
    if name not in (*SIMPLE, "net", "engine", "alphabeta", "hybrid"):
        known = name in PLAYERS
        raise ZeroplyError(
            f"player {name} runs a program: start the server with zeroply web --player '{name}(...)' to play against it"
            if known
            else f"unknown player '{excerpt(name, width=40)}': choose one from the list"
        )
    given = PLAYERS.entry(name).bind(spec)
    if given["name"] is not None:
        raise ZeroplyError("players on the page are called by their specs: leave out name")
    if name == "net":
        return _net(spec, str(given["file"]))
    if name == "engine":
        return _engine(spec, given)
    if name == "alphabeta":
        return _search(spec, given)
    if name == "hybrid":
        keys = {key: value for key, value in given.items() if key in ("first", "last")}
        return Spec("hybrid", a=_player(given["a"]), b=_player(given["b"]), **keys)
    return spec


def _net(spec: Spec, name: str) -> Spec:
    if name not in shipped():
        raise ZeroplyError(f"unknown net: choose one of {', '.join(shipped())}")
    return spec


def _engine(spec: Spec, given: Mapping[str, object]) -> Spec:
    _at_most("the depth of engine", given["depth"], MAX_ENGINE_DEPTH)
    _at_most("the last squares that engine solves", given["solve"] or 0, 2 * MAX_ENGINE_DEPTH)
    _at_most("the threads of engine", given["threads"], 1)
    return _in_time(spec, given)


def _search(spec: Spec, given: Mapping[str, object]) -> Spec:
    evaluation = given["eval"]
    if not isinstance(evaluation, Spec) or evaluation.name not in ALLOWED_EVALS or evaluation.name not in EVALUATIONS:
        raise ZeroplyError(f"the evaluation must be one of {', '.join(ALLOWED_EVALS)}")
    if EVALUATIONS.entry(evaluation.name).bind(evaluation).get("file") is not None:
        raise ZeroplyError("files cannot be named here: use the evaluation without one")
    _at_most("the depth of alphabeta", given["depth"], MAX_DEPTH)
    _at_most("the threads of alphabeta", given["threads"], 1)
    return _in_time(spec, given)


def _in_time(spec: Spec, given: Mapping[str, object]) -> Spec:
    """The spec with a time limit of at most MAX_SECONDS."""
    seconds = given["seconds"]
    allowed = MAX_SECONDS if not isinstance(seconds, float) else min(seconds, MAX_SECONDS)
    return Spec(spec.name, *spec.args, **{**spec.kwargs, "seconds": allowed})


def _at_most(what: str, value: object, most: int) -> None:
    if not isinstance(value, int) or value > most:
        raise ZeroplyError(f"{what} may be at most {most} here, not {value}")
