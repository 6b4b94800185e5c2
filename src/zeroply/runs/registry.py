"""The experiments by name. Everything that handles runs of any kind finds their classes here."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from typing import Any

from zeroply.errors import ZeroplyError
from zeroply.runs.experiment import Experiment


class Experiments:
    """Classes of experiments by name; a module is imported when its class is first used."""

    def __init__(self) -> None:
        self._targets: dict[str, str | type[Experiment[Any, Any]]] = {}

    def lazy(self, kind: str, target: str) -> None:
        """Register the class at `target`, written `module:class`."""
        self._targets[kind] = target

    def register(self, experiment: type[Experiment[Any, Any]]) -> type[Experiment[Any, Any]]:
        """Decorator: register a class under its `kind`."""
        self._targets[experiment.kind] = experiment
        return experiment

    def remove(self, kind: str) -> None:
        """Undo a registration."""
        del self._targets[kind]

    def __getitem__(self, kind: str) -> type[Experiment[Any, Any]]:
        if kind not in self._targets:
            raise ZeroplyError(f"unknown kind of run '{kind}': known kinds are {', '.join(self)}")
        target = self._targets[kind]
        experiment: type[Experiment[Any, Any]] = pkgutil.resolve_name(target) if isinstance(target, str) else target
        return experiment

    def __contains__(self, kind: object) -> bool:
        return kind in self._targets

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._targets))


experiments = Experiments()
experiments.lazy("match", "zeroply.arena.match:Match")
experiments.lazy("league", "zeroply.arena.league:League")
experiments.lazy("evolve", "zeroply.learning.evolution.evolve:Evolution")
experiments.lazy("coevolve", "zeroply.learning.coevolution.host_parasite:HostParasite")
experiments.lazy("lin-white", "zeroply.learning.coevolution.lin_white:LinWhite")
experiments.lazy("ntuple-tdl", "zeroply.learning.ntuple_tdl:NtupleTdl")
experiments.lazy("ntuple-coevolution", "zeroply.learning.ntuple_coevolution:NtupleCoevolution")
experiments.lazy("train", "zeroply.learning.imitation.train:Training")
experiments.lazy("train-td", "zeroply.learning.td_training:TdTraining")
experiments.lazy("judge", "zeroply.learning.imitation.judging:Judging")
experiments.lazy("patterns", "zeroply.learning.fit_patterns:PatternFit")
experiments.lazy("study", "zeroply.studies.running:StudyRun")
