"""The nets of a run as players: its net files, and the champions of its generations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.learning import champions as saved_champions
from zeroply.learning.champions import Champions
from zeroply.nets import Member, population_net
from zeroply.nets.population import VECTOR
from zeroply.players import Player, player
from zeroply.players.net import NetPlayer
from zeroply.runs import Experiment, RunRecord
from zeroply.runs.registry import experiments
from zeroply.web.server.schemas import RunPlayer

MAX_NETS = 200
"""Most nets of a run that are listed."""


def experiment_of(record: RunRecord) -> type[Experiment[Any, Any]]:
    """The class that describes a run; the base class, without charts and nets, if its kind is not registered."""
    if record.info.kind not in experiments:
        return Experiment
    return experiments[record.info.kind]


def read_champions(record: RunRecord) -> Champions | None:
    """The champions of a run; None if it has none."""
    if experiment_of(record).has_champions:
        with suppress(ZeroplyError, KeyError):
            return saved_champions.champions(record.folder)
    return None


def champion_player(champions: Champions, generation: int, rules: Game) -> Player:
    """One champion as a player, on another board size if its net can do that."""
    if rules != champions.game and not (champions.net.scales and rules.name == champions.game.name):
        raise ZeroplyError(f"this champion plays {champions.game}, not {rules}")
    net = population_net(champions.net.spec, rules)
    return NetPlayer(rules, Member(net, {VECTOR: champions.of(generation)}))


def files(record: RunRecord) -> list[Path]:
    """The net files of a run."""
    patterns = experiment_of(record).net_files
    return sorted(path for pattern in patterns for path in record.folder.glob(pattern) if path.is_file())


def file_player(record: RunRecord, path: Path, rules: Game) -> Player:
    """The player of one of the net files of a run."""
    return player(experiment_of(record).file_player(path), rules)


def players(run: str, record: RunRecord, champions: Champions | None) -> Iterator[RunPlayer]:
    """All nets of a run with the specs by which a browser can request them, newest first."""
    game = experiment_of(record).game_of(record)
    for number, path in enumerate(files(record)[:MAX_NETS]):
        if game is not None:
            yield RunPlayer(player=f"champion({run}, file={number})", title=path.stem, game=game)
    if champions is not None:
        for generation in reversed(champions.numbers[-MAX_NETS:]):
            yield RunPlayer(
                player=f"champion({run}, generation={generation})",
                title=f"generation {generation}",
                game=str(champions.game),
            )
