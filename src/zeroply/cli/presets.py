"""A command whose options or defaults depend on its `--preset`: each preset is a function of its own."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from zeroply.errors import ZeroplyError


@dataclass(frozen=True)
class Presets:
    """The functions of a command by preset; the first one is meant if none is named."""

    targets: Mapping[str, Callable[..., Any] | str]
    """Each function, or where it is, written `module:function`; it is imported when it is wanted."""

    def pick(self, words: list[str]) -> tuple[Callable[..., Any], list[str]]:
        """The function that the arguments ask for, and the arguments that are left for it."""
        name, left = next(iter(self.targets)), list(words)
        for at, word in enumerate(words):
            if word == "--preset":
                name, left = words[at + 1] if at + 1 < len(words) else "", words[:at] + words[at + 2 :]
            elif word.startswith("--preset="):
                name, left = word.partition("=")[2], words[:at] + words[at + 1 :]
        if name not in self.targets:
            raise ZeroplyError(f"unknown preset '{name}': there are {', '.join(self.targets)}")
        target = self.targets[name]
        return pkgutil.resolve_name(target) if isinstance(target, str) else target, left
