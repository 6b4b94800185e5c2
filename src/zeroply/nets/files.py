"""Net files: safetensors with JSON metadata, so that reading one can never run code.

The metadata say which game and architecture the weights belong to, what the net sees and how it was trained. A net is
named by the path of its file or, if it is shipped with the package, by its bare name.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as to_bytes

from zeroply.errors import ZeroplyError
from zeroply.files import write_atomically
from zeroply.games import Game, game
from zeroply.nets.contract import Net, Weights
from zeroply.registry import Registry
from zeroply.specs import Spec, parse

FORMAT = 1
SUFFIX = ".safetensors"
SHIPPED = Path(__file__).parent / "shipped"


@dataclass(frozen=True)
class NetInfo:
    """What a net file says about itself."""

    path: Path
    """The file."""
    game: Game
    """The game the net was made for."""
    spec: Spec
    """Its architecture."""
    encoding: str
    """What it sees."""
    training: Mapping[str, object]
    """How it was made, for people."""


def shipped() -> list[str]:
    """Names of the nets that come with the package."""
    return sorted(path.stem for path in SHIPPED.glob(f"*{SUFFIX}"))


def find(name: str) -> Path:
    """The file of a shipped net or of a path."""
    if name in shipped():
        return SHIPPED / f"{name}{SUFFIX}"
    path = Path(name)
    if os.path.isfile(path):
        return path
    if path.suffix == SUFFIX or "/" in name:
        raise ZeroplyError(f"there is no net file {name}")
    raise ZeroplyError(
        f"unknown net '{name}': shipped with zeroply are {', '.join(shipped())}; else give the path of a {SUFFIX} file"
    )


def save(net: Net, path: str | os.PathLike[str], training: Mapping[str, object] | None = None) -> None:
    """Write a net file, whole or not at all."""
    target = Path(path)
    metadata = {
        "format": f"zeroply-net {FORMAT}",
        "game": str(net.game),
        "net": str(net.spec),
        "encoding": net.encoding,
        "training": json.dumps(dict(training or {}), sort_keys=True),
    }
    content = to_bytes({name: np.ascontiguousarray(array) for name, array in net.weights.items()}, metadata)
    write_atomically(target, content)


def inspect(name: str) -> NetInfo:
    """What a net file says about itself, without building the net."""
    return _read(find(name))[0]


def load(name: str, wanted: Game, registry: Registry[Net]) -> Net:
    """The net of a file, for a game it fits."""
    info, weights = _read(find(name))
    if info.game != wanted:
        raise ZeroplyError(f"net {name} was made for {info.game} and cannot play {wanted}")
    return registry.build(info.spec, game=wanted, weights=weights)


def _read(path: Path) -> tuple[NetInfo, Weights]:
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            weights = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118 (not a dict)
    except (SafetensorError, OSError, ValueError, TypeError, AttributeError) as error:
        raise ZeroplyError(f"{path} is not a net file or is damaged: {error}") from None
    kind, _, version = metadata.get("format", "").partition(" ")
    if kind != "zeroply-net":
        raise ZeroplyError(f"{path} holds no zeroply net: its metadata lack the format")
    if version != str(FORMAT):
        raise ZeroplyError(f"{path} has net format {version}; this zeroply reads format {FORMAT}")
    try:
        info = NetInfo(
            path=path,
            game=game(metadata["game"]),
            spec=parse(metadata["net"]),
            encoding=metadata["encoding"],
            training=dict(json.loads(metadata["training"])),
        )
    except (KeyError, ValueError, TypeError, RecursionError) as error:
        raise ZeroplyError(f"the metadata of net file {path} are damaged: {error}") from None
    return info, weights
