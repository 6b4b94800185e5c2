"""The nets of a run as players: its net files, and the champions of its generations.

Evolution and coevolution of hosts and parasites keep all champions in their checkpoints, that of Lin and White writes
some of them as files; both look the same here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from zeroply import nets
from zeroply.errors import ZeroplyError
from zeroply.games import Game, game
from zeroply.learning import ntuple_champion
from zeroply.learning.champions import champions
from zeroply.learning.coevolution.lin_white import POPULATIONS
from zeroply.nets import Member, PopulationNet, population_net
from zeroply.nets.files import SUFFIX, read
from zeroply.nets.population import VECTOR
from zeroply.players import Player, player
from zeroply.players.net import NetPlayer
from zeroply.runs import RunRecord
from zeroply.web.server.schemas import RunPlayer

MOST = 200
"""Nets of a run that are listed."""
NTUPLES = ".player"
"""How the names of files with n-tuple networks end."""
_CHAMPION = re.compile(rf"champion-([0-9]+){re.escape(SUFFIX)}")


@dataclass(frozen=True)
class Generations:
    """Champions of a run."""

    game: Game
    """The game they play."""
    net: PopulationNet
    """Their architecture."""
    numbers: list[int]
    """Their generations, rising."""
    weights: NDArray[np.float32]
    """[n, parameters]: the champions."""

    def player(self, generation: int, the_game: Game) -> Player:
        """One champion as a player, on another board than its own if its net can do that."""
        if generation not in self.numbers:
            raise ZeroplyError(f"this run has kept no champion of generation {generation}")
        if the_game != self.game and not (self.net.scales and the_game.name == self.game.name):
            raise ZeroplyError(f"this champion plays {self.game}, not {the_game}")
        vector = self.weights[self.numbers.index(generation)]
        return NetPlayer(the_game, Member(population_net(self.net.spec, the_game), {VECTOR: vector}))


def generations(record: RunRecord) -> Generations | None:
    """The champions of a run; None if it has none."""
    with suppress(ZeroplyError, KeyError):
        found = champions(record.folder)
        return Generations(found.game, found.net, list(range(1, len(found) + 1)), found.weights)
    written = _champion_files(record.folder)
    with suppress(ZeroplyError, KeyError):
        net = population_net(record.info.config["net"], game("othello"))
        rows = [read(str(path))[1][VECTOR] for path in written.values()]
        if rows:
            return Generations(net.game, net, list(written), net.checked(np.stack(rows)))
    return None


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


def player_of(path: Path, the_game: Game) -> Player:
    """The player of a run's file; an n-tuple network looks at the board after each of its moves."""
    if path.suffix == NTUPLES:
        return player(ntuple_champion.player_of(path), the_game)
    return NetPlayer(the_game, nets.load(str(path), the_game))


def players(name: str, record: RunRecord, found: Generations | None) -> Iterator[RunPlayer]:
    """All nets of a run under the names by which a browser can ask for them, the newest first."""
    for number, file in enumerate(files(record.folder)[:MOST]):
        path = record.folder / file
        with suppress(ZeroplyError, OSError):
            the_game = _game_of(path, path.stat().st_mtime_ns)
            yield RunPlayer(player=f"champion({name}, file={number})", title=path.stem, game=the_game)
    if found is not None:
        for generation in reversed(found.numbers[-MOST:]):
            yield RunPlayer(
                player=f"champion({name}, generation={generation})",
                title=f"generation {generation}",
                game=str(found.game),
            )


def _champion_files(folder: Path) -> dict[int, Path]:
    """Champions that were written as files, by generation, the last ones."""
    try:
        paths = [path for path in (folder / POPULATIONS).iterdir() if path.is_file()]
    except OSError:
        return {}
    numbered = {int(match[1]): path for path in paths if (match := _CHAMPION.fullmatch(path.name))}
    return dict(sorted(numbered.items())[-MOST:])


@lru_cache(maxsize=1000)
def _game_of(path: Path, _written: int) -> str:
    """The game of a file, read again only when it has changed."""
    if path.suffix == NTUPLES:
        return "othello"
    return str(nets.inspect(str(path)).game)
