"""The configuration of a run, a dataclass, as its folder keeps it: all but the seed, which the run keeps itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any, TypeVar, get_origin, get_type_hints

Config = TypeVar("Config")


def stored(config: Any) -> dict[str, Any]:
    """All settings but the seed."""
    return {name: value for name, value in asdict(config).items() if name != "seed"}


def restored(kind: type[Config], settings: Mapping[str, Any], seed: int) -> Config:
    """The configuration that `stored` gave; KeyError or TypeError if it has other settings than this version knows.

    A number or word that is missing has its default: the run was begun before it could be chosen.
    """
    return _built(kind, {**settings, "seed": seed})


def _built(kind: type[Config], settings: Mapping[str, Any]) -> Config:
    """In JSON tuples have become lists, and dataclasses objects."""
    values = {**settings}
    for name, hint in get_type_hints(kind).items():
        if get_origin(hint) is tuple:
            values[name] = tuple(values[name])
        elif is_dataclass(hint):
            values[name] = _built(hint, values[name])  # type: ignore[arg-type]
    return kind(**values)
