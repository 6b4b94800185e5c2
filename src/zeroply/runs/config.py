"""Configurations (dataclasses) as JSON in run folders. The seed is stored apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any, TypeVar, get_origin, get_type_hints

Config = TypeVar("Config")


def stored(config: Any) -> dict[str, Any]:
    """All settings but the seed."""
    return {name: value for name, value in asdict(config).items() if name != "seed"}


def restored(kind: type[Config], settings: Mapping[str, Any], seed: int) -> Config:
    """The configuration from what `stored` returned; KeyError or TypeError for missing or unknown settings.

    A setting that is missing gets its default.
    """
    known = getattr(kind, "__dataclass_fields__", {})
    return _built(kind, {**settings, **({"seed": seed} if "seed" in known else {})})


def _built(kind: type[Config], settings: Mapping[str, Any]) -> Config:
    """JSON has lists in place of tuples, and objects in place of dataclasses."""
    values = {**settings}
    for name, hint in get_type_hints(kind).items():
        if name not in values:
            continue
        if get_origin(hint) is tuple:
            values[name] = tuple(values[name])
        elif is_dataclass(hint):
            values[name] = _built(hint, values[name])  # type: ignore[arg-type]
    return kind(**values)
