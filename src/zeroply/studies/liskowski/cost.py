"""What the trainings of a study cost here, and training a part of its nets, so that several jobs can share them."""

from __future__ import annotations

import time
from dataclasses import dataclass

from zeroply.errors import ZeroplyError
from zeroply.runs import Run
from zeroply.studies.liskowski.nets import members_of, net_folder, plan_of, train_member, training_of
from zeroply.studies.study import Progress, Scale, Study, Unit, steps

TIMED_STEPS = 3
"""Steps of a training that are timed, after one that is not."""


@dataclass(frozen=True)
class NetCost:
    """A net of a study."""

    net: str
    """In words."""
    seed: int
    """Its seed."""
    examples: int
    """Examples that its training sees, counted with repetition."""
    speed: float
    """Examples per second here."""
    state: str
    """Whether it is trained, begun, or not begun."""

    @property
    def hours(self) -> float:
        """Time of its training; of one that is trained, none."""
        return 0.0 if self.state == "trained" else self.examples / self.speed / 3600


def net_jobs(study: Study, scale: Scale, seeds: int) -> list[tuple[Unit, int]]:
    """A unit for each net of a study, and the member to train if the net is a bag."""
    units = [unit for unit in study.units(scale, seeds) if "net" in unit.settings]
    if not units:
        raise ZeroplyError(f"{study.name} trains no nets on expert moves")
    nets = {net_folder(study.folders, unit): unit for unit in units}.values()
    return [(unit, member) for unit in nets for member in members_of(unit)]


def costs(study: Study, scale: Scale, seeds: int, progress: Progress) -> list[NetCost]:
    """The cost of every net, by timing a few steps of each."""
    from zeroply.nets.torch_net import needs_torch

    with needs_torch():
        import torch  # noqa: F401
    speeds: dict[str, float] = {}
    found = []
    for (unit, member), report in steps(progress, net_jobs(study, scale, seeds)):
        config, _ = training_of(study.folders, unit)
        folder = net_folder(study.folders, unit, member)
        exists = (folder / "run.json").exists()
        state = "not begun" if not exists else "trained" if Run.read(folder).finished else "begun"
        if config.net not in speeds:
            speeds[config.net] = _speed(study, unit)
        words = f"{plan_of(unit).words}, member {member}" if member else plan_of(unit).words
        found.append(NetCost(words, unit.seed, _seen(study, unit), speeds[config.net], state))
        report(1, 1)
    return found


def _seen(study: Study, unit: Unit) -> int:
    from zeroply.learning.imitation.source import open_examples

    config, _ = training_of(study.folders, unit)
    data, split = open_examples(config)
    return round(config.epochs * len(data.side(split, "train")))


def _speed(study: Study, unit: Unit) -> float:
    """Examples per second of a training."""
    import torch

    from zeroply.learning.imitation import distributed, training
    from zeroply.learning.imitation.source import open_examples

    config, _ = training_of(study.folders, unit)
    with distributed.team(config.device) as team:
        trainer = training.Trainer(config, open_examples(config), team)
        trainer.open_member(0, 0, {}, [])
        try:
            for number in range(1 + TIMED_STEPS):
                if number == 1:
                    trainer.window.settle(trainer.step)
                    begun = time.perf_counter()
                trainer.take_step()
            trainer.window.settle(trainer.step)
            if team.device.type == "cuda":
                torch.cuda.synchronize()
        finally:
            trainer.close()
    return TIMED_STEPS * config.batch / (time.perf_counter() - begun)


def train_part(study: Study, scale: Scale, seeds: int, part: str, progress: Progress) -> list[str]:
    """Train every n-th net of a study, beginning with the k-th, for a part `k/n`; returns their folders.

    Members of a bag count as nets; `zeroply study run` joins them.
    """
    number, of = _part(part)
    mine = net_jobs(study, scale, seeds)[number - 1 :: of]
    return [str(train_member(study.folders, *job, report).folder) for job, report in steps(progress, mine)]


def _part(part: str) -> tuple[int, int]:
    number, _, of = part.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of) <= 1000):
        raise ZeroplyError(f"a part is written k/n, such as 2/4, not '{part}'")
    return int(number), int(of)
