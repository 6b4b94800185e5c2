"""Nets: architectures by name, and net files. To add an architecture, write a file here and register it below."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.games import game as make_game
from zeroply.nets import files
from zeroply.nets.contract import Net, Weights
from zeroply.nets.files import NetInfo, Storage, inspect, save, shipped
from zeroply.nets.own import architecture
from zeroply.nets.population import Member, PopulationNet
from zeroply.plugins import require
from zeroply.registry import Registry
from zeroply.specs import Spec, parse

if TYPE_CHECKING:
    from zeroply.nets.torch_net import TorchNet

__all__ = [
    "NETS",
    "POPULATION_NETS",
    "Member",
    "Net",
    "NetInfo",
    "PopulationNet",
    "Storage",
    "Weights",
    "architecture",
    "build",
    "inspect",
    "load",
    "population_net",
    "save",
    "shipped",
    "untrained",
]

NETS: Registry[Net] = Registry("net", context=("game", "weights"), group="nets")
NETS.lazy("wpc", "zeroply.nets.wpc:wpc")
NETS.lazy("lines", "zeroply.nets.lines:lines")
for _name in ("conv4", "conv6", "conv8", "conv10", "resnet", "densenet", "widenet", "dense", "staged", "bag"):
    NETS.lazy(_name, f"zeroply.nets.architectures:{_name}")

POPULATION_NETS: Registry[PopulationNet] = Registry("population net", context=("game",), group="population_nets")
POPULATION_NETS.lazy("mdrnn", "zeroply.nets.mdrnn:mdrnn")
POPULATION_NETS.lazy("mdlstm", "zeroply.nets.mdrnn:mdlstm")
POPULATION_NETS.lazy("mlp", "zeroply.nets.mlp:mlp")
POPULATION_NETS.lazy("spatial", "zeroply.nets.spatial:spatial")


def load(name: str | os.PathLike[str], game: str | Spec | Game) -> Net:
    """Load a net file or a shipped net for its own game or, if it scales, another board size of that game."""
    info, weights = files.read(os.fspath(name))
    require(info.modules, f"net {name}")
    wanted = make_game(game)
    scaled = _but_for_size(info.game) == _but_for_size(wanted) and _scales(info.spec, info.game)
    if info.game != wanted and not scaled:
        raise ZeroplyError(f"net {name} was made for {info.game} and cannot play {wanted}")
    net = build(info.spec, wanted, weights)
    net.name = os.fspath(name)
    return net


def build(spec: str | Spec, game: str | Spec | Game, weights: Weights) -> Net:
    """Build a net from an architecture and weights."""
    spec = parse(spec)
    if spec.name in POPULATION_NETS:
        return Member(population_net(spec, game), weights)
    net = NETS.build(spec, game=make_game(game), weights=weights)
    net.spec = spec
    return net


def population_net(spec: str | Spec, game: str | Spec | Game) -> PopulationNet:
    """An architecture whose weights are one flat vector, for populations."""
    spec = parse(spec)
    net = POPULATION_NETS.build(spec, game=make_game(game))
    net.spec = net.named(spec)
    return net


def _scales(spec: Spec, game: Game) -> bool:
    return spec.name in POPULATION_NETS and population_net(spec, game).scales


def _but_for_size(game: Game) -> tuple[object, ...]:
    return game.name, *(option for option in game.options if option[0] != "size")


def untrained(spec: str | Spec, game: str | Spec | Game) -> TorchNet:
    """A net that torch can train, with weights that are not trained yet."""
    from zeroply.nets.torch_net import TorchNet

    if parse(spec).name in POPULATION_NETS:
        raise ZeroplyError(f"net {spec} is evolved, not trained by gradient descent: use zeroply evolve")
    net = NETS.build(spec, game=make_game(game), weights=None)
    if not isinstance(net, TorchNet):
        raise ZeroplyError(f"net {spec} has no torch module, so zeroply train cannot train it")
    net.spec = parse(spec)
    return net
