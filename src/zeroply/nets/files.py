"""Net files: safetensors with JSON metadata, so that reading one can never run code.

The metadata hold the game, the architecture, the input encoding and how the net was trained. A net is named by the
path of its file or, if it is shipped with the package, by its bare name. Weights can be stored in half precision, or as
8-bit integers with a scale per output channel.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as to_bytes

from zeroply.errors import ZeroplyError
from zeroply.files import explained, write_atomically
from zeroply.games import GAMES, Game, game
from zeroply.nets.contract import Net, Weights, count_parameters
from zeroply.nets.own import modules_of
from zeroply.plugins import require
from zeroply.specs import Spec, parse

FORMAT = 1
SUFFIX = ".safetensors"
SHIPPED = Path(__file__).parent / "shipped"
SCALE = ".scale"
"""Suffix of the array that holds the scales of an 8-bit array."""

_DTYPES = ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool")

Storage = Literal["fp32", "fp16", "int8"]
"""How the weights are stored in a file."""


@dataclass(frozen=True)
class NetInfo:
    """The metadata of a net file."""

    path: Path
    """The file."""
    game: Game
    """The game the net was made for."""
    spec: Spec
    """Its architecture."""
    encoding: str
    """A description of its input."""
    training: Mapping[str, object]
    """How it was trained."""
    parameters: int = 0
    """Number of trained weights."""
    storage: Storage = "fp32"
    """How the weights are stored."""
    modules: tuple[str, ...] = ()
    """Python modules outside zeroply that define its architecture or its game."""


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
    raise ZeroplyError(f"unknown net '{name}': choose from {', '.join(shipped())}, or give the path of a {SUFFIX} file")


def save(
    net: Net,
    path: str | os.PathLike[str],
    training: Mapping[str, object] | None = None,
    storage: Storage = "fp32",
) -> None:
    """Write a net file atomically."""
    target = Path(path)
    metadata = {
        "format": f"zeroply-net {FORMAT}",
        "game": str(net.game),
        "net": str(net.spec),
        "encoding": net.encoding,
        "training": json.dumps(dict(training or {}), sort_keys=True),
    }
    if storage != "fp32":
        metadata["storage"] = storage
    if needed := modules_of(net.spec, net.game):
        metadata["modules"] = " ".join(needed)
    write_atomically(target, to_bytes(_stored(net.weights, storage), metadata))


def inspect(name: str) -> NetInfo:
    """The metadata of a net file, without building the net."""
    return read(name)[0]


def read(name: str) -> tuple[NetInfo, Weights]:
    """The metadata and weights of a net file."""
    return _read(find(name))


def _stored(weights: Weights, storage: Storage) -> dict[str, NDArray[Any]]:
    """The arrays as stored in a file; arrays with fewer than two dimensions are small and stay at 32 bits."""
    stored: dict[str, NDArray[Any]] = {}
    for name, array in weights.items():
        if storage == "fp32" or array.ndim < 2:
            stored[name] = np.ascontiguousarray(array)
        elif storage == "fp16":
            if np.abs(array).max(initial=0) > np.finfo(np.float16).max:
                raise ZeroplyError(f"array '{name}' has weights too large for 16 bits: store the net as fp32")
            stored[name] = array.astype(np.float16)
        else:
            scale = np.abs(array).reshape(len(array), -1).max(axis=1, initial=0).astype(np.float32) / np.float32(127)
            by_channel = np.where(scale > 0, scale, np.float32(1)).reshape(-1, *[1] * (array.ndim - 1))
            stored[name] = np.clip(np.round(array / by_channel), -127, 127).astype(np.int8)
            stored[name + SCALE] = scale
    return stored


def _restored(stored: Mapping[str, NDArray[Any]], storage: Storage) -> dict[str, NDArray[Any]]:
    """The arrays as nets use them."""
    if storage != "int8":
        return {name: a.astype(np.float32) if a.dtype == np.float16 else a for name, a in stored.items()}
    weights: dict[str, NDArray[Any]] = {}
    for name, array in stored.items():
        if array.dtype != np.int8:
            if not (name.endswith(SCALE) and name.removesuffix(SCALE) in stored):
                weights[name] = array
            continue
        scale = stored.get(name + SCALE)
        if scale is None or array.ndim < 2 or scale.dtype != np.float32 or scale.shape != (len(array),):
            raise ValueError(f"array '{name}' has no matching scales")
        weights[name] = array.astype(np.float32) * scale.reshape(-1, *[1] * (array.ndim - 1))
    return weights


def _read(path: Path) -> tuple[NetInfo, Weights]:
    with explained(f"read {path}"):
        path.open("rb").close()
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            stored = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118 (not a dict)
    except (SafetensorError, OSError, ValueError, TypeError, AttributeError) as error:
        raise ZeroplyError(f"{path} is not a net file or is damaged: {error}") from None
    for name, array in stored.items():  # other packages may register further dtypes
        if array.dtype.name not in _DTYPES:
            raise ZeroplyError(f"array '{name}' of net file {path} has the unsupported dtype {array.dtype}")
    kind, _, version = metadata.get("format", "").partition(" ")
    if kind != "zeroply-net":
        raise ZeroplyError(f"{path} is not a zeroply net: its metadata have no format")
    if version != str(FORMAT):
        raise ZeroplyError(f"{path} has net format {version}; this zeroply reads format {FORMAT}")
    modules = tuple(metadata.get("modules", "").split())
    if metadata.get("game", "").partition("(")[0] not in GAMES:
        require(modules, f"net {path}")
    try:
        info = NetInfo(
            path=path,
            game=game(metadata["game"]),
            spec=parse(metadata["net"]),
            encoding=metadata["encoding"],
            training=dict(json.loads(metadata["training"])),
            storage=_storage(metadata.get("storage", "fp32")),
            modules=modules,
        )
        weights = _restored(stored, info.storage)
    except (KeyError, ValueError, TypeError, RecursionError) as error:
        raise ZeroplyError(f"the metadata of net file {path} are damaged: {error}") from None
    return replace(info, parameters=count_parameters(weights)), weights


def _storage(name: str) -> Storage:
    for known in get_args(Storage):
        if name == known:
            return known  # type: ignore[no-any-return]
    raise ValueError(f"unknown storage '{name}'")
