"""The requirements of a study, checked before anything is measured: packages and published data."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from zeroply.errors import ZeroplyError
from zeroply.studies.study import Folders, Scale, Study

EXTRA = "install it with pip install '.[train]'"


def check(study: Study, scale: Scale, measured: bool) -> None:
    """Raise ZeroplyError if something is missing; a finished study needs no data."""
    for package in study.packages:
        if not find_spec(package):
            raise ZeroplyError(f"this study needs {package}: {EXTRA}")
    if not measured:
        wanted = [one for one in study.needs(scale) if not study.made_before(one)]
        if wanted:
            _data(study.folders, wanted, study.origin)


def published(folders: Folders, name: str) -> Path:
    """A file or folder of published data."""
    return _data(folders, [name], Study.origin) / name


def _data(folders: Folders, wanted: Sequence[str], origin: str) -> Path:
    """The folder of published data; ZeroplyError if something is missing from it."""
    if folders.data is None:
        names = ", ".join(dict.fromkeys(one.partition("/")[0] for one in wanted))
        raise ZeroplyError(
            f"this scale needs published data ({names}): name the folder that holds it with --data or ZEROPLY_DATA; "
            f"{origin}"
        )
    for one in wanted:
        if not (folders.data / one).exists():
            kind = "file" if "/" in one else "folder"
            raise ZeroplyError(
                f"there is no {kind} {folders.data / one}: --data or ZEROPLY_DATA names the folder that holds {one}; "
                f"{origin}"
            )
    return folders.data
