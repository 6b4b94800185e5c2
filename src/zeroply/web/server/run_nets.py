"""The nets of a run as players: its net files, and the champions of its generations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from zeroply import nets
from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.learning import ntuple_champion
from zeroply.learning.champions import Champions, champions
from zeroply.nets import Member, population_net
from zeroply.nets.files import SUFFIX
from zeroply.nets.population import VECTOR
from zeroply.players import Player, player
from zeroply.players.net import NetPlayer
from zeroply.runs import RunRecord
from zeroply.web.server.schemas import RunPlayer

MOST = 200
"""Nets of a run that are listed."""
NTUPLES = ".player"
"""How the names of files with n-tuple networks end."""


def generations(record: RunRecord) -> Champions | None:
    """The champions of a run; None if it has none."""
    with suppress(ZeroplyError, KeyError):
        return champions(record.folder)
    return None


def champion_player(found: Champions, generation: int, rules: Game) -> Player:
    """One champion as a player, on another board than its own if its net can do that."""
    if rules != found.game and not (found.net.scales and rules.name == found.game.name):
        raise ZeroplyError(f"this champion plays {found.game}, not {rules}")
    if generation not in found.numbers:
        raise ZeroplyError(f"this run has kept no champion of generation {generation}")
    net = population_net(found.net.spec, rules)
    return NetPlayer(rules, Member(net, {VECTOR: found.of(generation)}))


def files(folder: Path) -> list[str]:
    """The names of a run's net files and n-tuple players."""
    try:
        return sorted(
            path.name
            for path in folder.iterdir()
            if path.suffix in (SUFFIX, NTUPLES) and path.is_file() and path.name[0] != "."
        )
    except OSError:
        return []


def player_of(path: Path, rules: Game) -> Player:
    """The player of a run's file; an n-tuple network looks at the board after each of its moves."""
    if path.suffix == NTUPLES:
        return player(ntuple_champion.player_of(path), rules)
    return NetPlayer(rules, nets.load(str(path), rules))


def players(name: str, record: RunRecord, found: Champions | None) -> Iterator[RunPlayer]:
    """All nets of a run under the names by which a browser can ask for them, the newest first."""
    for number, file in enumerate(files(record.folder)[:MOST]):
        path = record.folder / file
        with suppress(ZeroplyError, OSError):
            rules = _game_of(path, path.stat().st_mtime_ns)
            yield RunPlayer(player=f"champion({name}, file={number})", title=path.stem, game=rules)
    if found is not None:
        for generation in reversed(found.numbers[-MOST:]):
            yield RunPlayer(
                player=f"champion({name}, generation={generation})",
                title=f"generation {generation}",
                game=str(found.game),
            )


@lru_cache(maxsize=1000)
def _game_of(path: Path, _written: int) -> str:
    """The game of a file, read again only when it has changed."""
    if path.suffix == NTUPLES:
        return "othello"
    return str(nets.inspect(str(path)).game)
