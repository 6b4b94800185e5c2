"""What a study needs before anything is measured: packages, and published data."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from zeroply.errors import ZeroplyError
from zeroply.studies.study import Place, Scale, Study

EXTRA = "install it with pip install '.[train]'"


def check(the_study: Study, scale: Scale, measured: bool) -> None:
    """Raise ZeroplyError if something is missing; a study that is measured needs no data."""
    for package in the_study.packages:
        if not find_spec(package):
            raise ZeroplyError(f"this study needs {package}: {EXTRA}")
    if not measured:
        wanted = [one for one in the_study.needs(scale) if not the_study.made_before(one)]
        if wanted:
            _data(the_study.place, wanted)


def published(place: Place, name: str) -> Path:
    """A file or folder of published data."""
    return _data(place, [name]) / name


def _data(place: Place, wanted: Sequence[str]) -> Path:
    """The folder of published data; ZeroplyError if it does not hold all that is wanted."""
    if place.data is None:
        folders = ", ".join(dict.fromkeys(one.partition("/")[0] for one in wanted))
        raise ZeroplyError(
            f"this scale needs published data ({folders}): name the folder that holds wthor, league and openings with "
            "--data or ZEROPLY_DATA; docs/studies.md says where it comes from"
        )
    for one in wanted:
        if not (place.data / one).exists():
            kind = "file" if "/" in one else "folder"
            raise ZeroplyError(
                f"there is no {kind} {place.data / one}: --data or ZEROPLY_DATA names the folder that holds {one}; "
                "docs/studies.md says where it comes from"
            )
    return place.data
