"""What a match sets for every program in it: the clock, how many games are played at once, and a log of the protocol.

These become keys of the programs' specs, unless a spec has its own. Players that are no programs have none of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated

from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.nets import Net
from zeroply.options import Short
from zeroply.players import PLAYERS, Player, player
from zeroply.specs import Spec, Value, excerpt, parse

_CLOCK = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:\+([0-9]+(?:\.[0-9]*)?|\.[0-9]+))?")


@dataclass(frozen=True)
class Programs:
    """Settings of all programs of a match or league; what a spec sets itself stays."""

    tc: Annotated[str | None, Short] = None
    """Clock of each side: seconds per game and increment per move, such as 5+0.05."""
    concurrency: Annotated[int | None, Short] = None
    """Games played at once; by default 2."""
    log: Annotated[str | None, Short] = None
    """Add every line of the protocol and all error output to this file."""

    def __post_init__(self) -> None:
        if self.tc is not None:
            clock(self.tc)
        if self.concurrency is not None and not 1 <= self.concurrency <= 256:
            raise ZeroplyError(f"concurrency must be from 1 to 256, not {self.concurrency}")

    def player(self, given: str | Spec | Player | Net, game: Game) -> Player:
        """The player of a spec, with these settings if it is a program."""
        if not isinstance(given, str | Spec):
            return player(given, game)
        spec = parse(given)
        keys = self._keys(spec)
        built = player(Spec(spec.name, *spec.args, **{**spec.kwargs, **keys}), game)
        built.spec = spec
        return built

    def check(self, players: list[Player]) -> None:
        """Raise ZeroplyError if a setting is given although no player runs a program."""
        for name in ("tc", "concurrency", "log"):
            if getattr(self, name) is not None and not any(map(_is_program, (one.spec for one in players))):
                raise ZeroplyError(f"{name} is for programs such as gtp(...), and none of the players is one")

    def _keys(self, spec: Spec) -> dict[str, Value]:
        if not _is_program(spec):
            return {}
        keys: dict[str, Value] = {}
        if self.tc is not None and not {"time", "increment", "timeout"} & spec.kwargs.keys():
            keys["time"], keys["increment"] = clock(self.tc)
        if self.concurrency is not None:
            keys["processes"] = self.concurrency
        if self.log is not None:
            keys["log"] = self.log
        return {key: value for key, value in keys.items() if key not in spec.kwargs}


def clock(text: str) -> tuple[float, float]:
    """Seconds per game and increment of a clock such as `5+0.05` or `60`."""
    match = _CLOCK.fullmatch(text.strip())
    if match is None or not 0 < float(match[1]) < 1e6 or float(match[2] or 0) >= 1e6:
        raise ZeroplyError(
            f"tc must be seconds and increment such as 5+0.05, or seconds such as 60, not '{excerpt(text)}'"
        )
    return float(match[1]), float(match[2] or 0)


def _is_program(spec: Spec) -> bool:
    """Whether a player takes the keys of a program."""
    return spec.name in PLAYERS and any(one.name == "processes" for one in PLAYERS.entry(spec.name).parameters)
