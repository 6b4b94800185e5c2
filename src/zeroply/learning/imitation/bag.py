"""The nets of a bag (Liskowski et al. 2018, section V-B3): trained one after the other in one run, or each in a run of
its own with `--member`, so that several jobs share the work. Either way a member has the same weights."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.learning.imitation.config import TrainConfig
from zeroply.learning.imitation.trained_net import NET
from zeroply.nets import Net, build, inspect, load
from zeroply.runs.run import Run
from zeroply.specs import Spec, parse

WITHOUT_EFFECT = ("data", "threads", "device", "evaluations", "evaluated", "measured", "members")
"""Settings in which the run of a member may differ from that of its bag; the examples are compared by their digest."""


def finished_members(config: TrainConfig, digest: str) -> dict[int, Path]:
    """The net files of the runs named in `config.members`, by the number of the member, from 0.

    Raises ZeroplyError if a run is not finished, or is not of this bag.
    """
    found: dict[int, Path] = {}
    for folder in map(Path, config.members):
        record = Run.read(folder)
        if record.info.kind != "train" or not record.finished:
            raise ZeroplyError(f"{folder} is not a finished training: finish it with zeroply resume {folder}")
        its: TrainConfig = record.config(TrainConfig)
        if its.member == 0 or its.member - 1 in found:
            raise ZeroplyError(f"{folder} has no new member of a bag: train each with another --member")
        if inspect(str(folder / NET)).training.get("digest") != digest:
            raise ZeroplyError(f"{folder} was trained on other examples than {config.data}")
        same = {name: getattr(config, name) for name in WITHOUT_EFFECT}
        if replace(its, **same, member=0) != config:
            raise ZeroplyError(f"{folder} was trained with other settings than this bag")
        found[its.member - 1] = folder / NET
    return found


def member_file(folder: Path, member: int) -> Path:
    """The file of a member, in the run folder of its bag."""
    return folder / f"member-{member + 1:02d}.safetensors"


def joined(folder: Path, config: TrainConfig, game: Game) -> Net:
    """The members of a bag as one net."""
    weights: dict[str, Any] = {}
    for member in range(config.bag):
        one = load(str(member_file(folder, member)), game)
        weights |= {f"nets.{member}.{name}": array for name, array in one.weights.items()}
    return build(Spec("bag", net=parse(config.net), members=config.bag), game, weights)
