"""Markers for configuration fields whose command-line option is not simply the field's name.

The fields of a configuration dataclass are the options of its command: name, type, default, and the sentence under the
field as help.
"""

from __future__ import annotations

from typing import Annotated

import tyro

Flat = tyro.conf.arg(name="")
"""For a configuration argument: its fields are top-level options; fields of nested configurations form groups."""


Short = tyro.conf.arg(prefix_name=False)
"""For a field of a nested configuration: its option has no prefix, but stands in the group."""


def turned_off(help_line: str) -> object:
    """For a field that is true by default, whose option is --no-NAME: the help of that option."""
    return tyro.conf.arg(help=help_line, help_behavior_hint="")


DATASET = "unique"
"""The default dataset."""
Dataset = Annotated[str, tyro.conf.arg(name="set", help="Dataset: original, unique, original-s or unique-s.")]
"""A dataset of a folder that `zeroply data build` made, typed as --set."""
