"""Charts of a run: which fields of which events in its log form curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeGuard

from zeroply.runs.files import Json

MAX_ITEMS = 8
"""Most items of a list or an object that become separate curves."""


@dataclass(frozen=True)
class Chart:
    """A chart with curves over the events of one kind."""

    title: str
    """Title of the chart."""
    event: str
    """Kind of event."""
    x: str
    """Field with the horizontal value."""
    series: Mapping[str, str]
    """Field of each curve by its title; a dot leads into an object, as in `test.top1`."""
    x_title: str = ""
    """Title of the horizontal axis; by default the name of the field."""
    split: str = ""
    """Field that splits each curve into one per value."""

    def points(self, event: Json) -> Iterator[tuple[str, float, float]]:
        """The points that an event adds: title of the curve, x and y.

        A list gives one curve per item; an object gives one per key, through the mean of its value if that is a list.
        """
        x = event.get(self.x)
        if event.get("event") != self.event or not _is_number(x):
            return
        suffix = f", {self.split} {event[self.split]}" if self.split in event else ""
        for title, field in self.series.items():
            for name, y in _numbers(title, _field(event, field)):
                yield name + suffix, float(x), y


def _field(event: Json, path: str) -> object:
    value: object = event
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _numbers(title: str, value: object) -> Iterator[tuple[str, float]]:
    if _is_number(value):
        yield title, float(value)
    elif isinstance(value, list) and len(value) <= MAX_ITEMS and all(map(_is_number, value)):
        yield from ((f"{title} {place}", float(item)) for place, item in enumerate(value, 1))
    elif isinstance(value, dict):
        for key, item in list(value.items())[:MAX_ITEMS]:
            if _is_number(item):
                yield f"{title}, {key}", float(item)
            elif isinstance(item, list) and item and all(map(_is_number, item)):
                yield f"{title}, {key} (mean)", sum(map(float, item)) / len(item)


def _is_number(value: object) -> TypeGuard[int | float]:
    """Whether a JSON value is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
