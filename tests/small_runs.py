"""A small experiment of every kind, also as a program that can be killed: small_runs.py KIND FOLDER WORKERS."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from zeroply.learning.coevolution.host_parasite import HostParasiteConfig
from zeroply.learning.coevolution.lin_white import LinWhiteConfig
from zeroply.learning.coevolution.observers import ObserverConfig
from zeroply.learning.evolution.config import preset
from zeroply.learning.evolution.measure import MeasureConfig as ChampionMeasures
from zeroply.learning.fit_patterns import FitConfig
from zeroply.learning.imitation.config import TrainConfig
from zeroply.learning.imitation.judging import JudgeConfig
from zeroply.learning.ntuple_champion import MeasureConfig
from zeroply.learning.ntuple_coevolution import NtupleCoevolutionConfig
from zeroply.learning.ntuple_tdl import TdlConfig
from zeroply.learning.td_training import TdConfig
from zeroply.runs import Run
from zeroply.runs.driver import run_experiment
from zeroply.runs.experiment import Experiment
from zeroply.runs.registry import experiments
from zeroply.runs.resume import resume

QUICK = MeasureConfig(opponent="random", games=4, measures=3)
QUICK_MEASURES = ChampionMeasures(every=4, opponents=("greedy",), games=4)
PRESETS = {"self-play": "evolve"}
"""Kinds that are presets of another experiment."""
CONFIGS: dict[str, Any] = {
    "match": experiments["match"].config_type(
        first="greedy", second="random", games=200, openings="random(plies=6)", seed=4
    ),
    "league": experiments["league"].config_type(players=("greedy", "random", "naive"), games=60, seed=4),
    "evolve": preset("schaul", net="mdrnn(k=3)", generations=12, games=20, parents=4, offspring=4, seed=5),
    "self-play": preset(
        "self-play", generations=10, offspring=12, games=4, measure=QUICK_MEASURES, save_every=1, seed=5
    ),
    "coevolve": HostParasiteConfig(
        net="mdrnn(k=3)", population=6, parents=2, opponents=6, hall_of_fame=4, generations=30, seed=5
    ),
    "lin-white": LinWhiteConfig(
        net="spatial(layer=queen)",
        population=12,
        opponents=4,
        generations=40,
        save_every=1,
        observe=ObserverConfig(every=4, strategies=("pieces",), highest=0),
        seed=5,
    ),
    "ntuple-tdl": TdlConfig(shape="wpc", games=320, seed=3, measure=QUICK),
    "ntuple-coevolution": NtupleCoevolutionConfig(
        shape="wpc", generations=12, openings=1, population=6, seed=3, measure=QUICK
    ),
    "patterns": FitConfig(positions=100, games=100, depth=4, exact=4, iterations=1, careful=10, deviations=10, seed=3),
    "train-td": TdConfig(
        net="dense(layers=8, output=value)", games=60, together=20, measure_games=4, measures=2, threads=1, seed=1
    ),
}
"""By kind; kinds that read data are made by `config`."""


def config(kind: str, folder: Path) -> Any:
    """The small configuration of a kind; its data, if it reads any, is built in `folder`."""
    sets = folder / "sets"
    if kind in ("train", "judge") and not sets.exists():
        import zeroply as zp
        from zeroply.examples.build import build

        zp.records.save(zp.match("random", "random", games=60, seed=1).records(), folder / "games.txt")
        build(folder / "games.txt", sets)
    match kind:
        case "train":
            return TrainConfig(net="dense(layers=8)", data=str(sets), batch=64, epochs=0.5, threads=1, seed=1)
        case "judge":
            return JudgeConfig(data=str(sets), judge="greedy", positions=10_000, strays=0.2, seed=1)
        case "study":
            return experiments["study"].config_type(study="S.reference")
    return CONFIGS[kind]


def small(kind: str, folder: Path, **options: Any) -> Experiment[Any, Any]:
    """A small experiment of a kind."""
    return experiments[PRESETS.get(kind, kind)](config(kind, folder), **options)


def run_folder(kind: str, folder: Path) -> Path:
    """Where its run goes; a study has a folder of results above that of its run."""
    return folder / "S.reference" / "smoke-1" / "run" if kind == "study" else folder


def main(kind: str, folder: Path, where: str) -> None:
    """Start the run, or resume it."""
    options: dict[str, Any] = {"workers": where} if "workers" in experiments[PRESETS.get(kind, kind)].options else {}
    run = run_folder(kind, folder)
    if (run / "run.json").exists():
        resume(run, **options)
    else:
        run_experiment(small(kind, folder.parent, **options), run)


if __name__ == "__main__":
    Run.save_due = lambda self, seconds: True  # type: ignore[method-assign]  # a checkpoint after every step
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
