"""How options are typed where the name of a field does not say it: the command line comes from configurations.

The fields of a configuration are the options of its command, with their types, their defaults and the sentence under
each of them as help.
"""

from __future__ import annotations

from typing import Annotated

import tyro

Flat = tyro.conf.arg(name="")
"""Of a configuration: its fields are options of the command itself, those of configurations in it form groups."""


def turned_off(says: str) -> object:
    """Of a field that is true by default, whose option is --no-NAME: what that option does."""
    return tyro.conf.arg(help=says, help_behavior_hint="")


DATASET = "unique"
"""The dataset that is used when none is named."""
Dataset = Annotated[str, tyro.conf.arg(name="set", help="Set of examples: original, unique, original-s or unique-s.")]
"""A dataset of a folder that `zeroply data build` made, typed as --set."""
