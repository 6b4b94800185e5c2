"""Commands whose options or defaults depend on `--preset`: each preset has its own function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from zeroply.errors import ZeroplyError


@dataclass(frozen=True)
class Presets:
    """The functions of a command by preset; the first one is the default."""

    targets: Mapping[str, Callable[[], Callable[..., Any]]]
    """By preset, what makes the function of the command; called when the preset is used."""

    def pick(self, words: list[str]) -> tuple[Callable[..., Any], list[str]]:
        """The function for the preset in the arguments, and the arguments without the preset."""
        name, left = next(iter(self.targets)), list(words)
        for at, word in enumerate(words):
            if word == "--preset":
                name, left = words[at + 1] if at + 1 < len(words) else "", words[:at] + words[at + 2 :]
            elif word.startswith("--preset="):
                name, left = word.partition("=")[2], words[:at] + words[at + 1 :]
        if name not in self.targets:
            raise ZeroplyError(f"unknown preset '{name}': presets are {', '.join(self.targets)}")
        return self.targets[name](), left
