"""What a study needs before anything is measured: packages and published data."""

from __future__ import annotations

from importlib.util import find_spec

from zeroply.errors import ZeroplyError

EXTRA = "install it with pip install '.[train]'"


def check_installed(*packages: str) -> None:
    """Raise ZeroplyError if a package is missing."""
    for package in packages:
        if not find_spec(package):
            raise ZeroplyError(f"this study needs {package}: {EXTRA}")
