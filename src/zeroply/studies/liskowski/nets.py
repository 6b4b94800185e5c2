"""The nets of the L studies (Liskowski, Jaśkowski and Krawiec 2018), trained once and stored beside the results.

Most tables and figures of the paper use the same nets, so a net is a run of its own in `results/L.nets/SCALE/`; a study
that needs it trains or reuses it. A plan names the net, the scale says how large it is and how long it learns.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from zeroply import chance
from zeroply.files import locked, write_atomically
from zeroply.specs import Spec, parse
from zeroply.studies.needs import published
from zeroply.studies.shared_runs import shared_run
from zeroply.studies.study import Folders, Progress, Scale, Unit

if TYPE_CHECKING:
    from zeroply.examples import Examples, Split
    from zeroply.learning.imitation.config import TrainConfig
    from zeroply.learning.imitation.evaluation import Accuracy, Judge

FOLDER = "L.nets"
"""Where the nets and datasets are kept, in the folder of all results."""
MEASURED = "measured.json"
"""What was measured of a net, in its run folder."""
SOME_GAMES = "WTH_2005.wtb"
"""The part of WTHOR that nets of a plan with `part` learn from: the games of one year."""
SMOKE_GAMES = 120
TEST_SHARE = {"original": 0.25, "unique": 0.25, "original-s": 0.05, "unique-s": 0.05}
"""What the paper keeps for the test when it splits by position (section V-A1)."""
GAME_SHARE = 0.05
"""The share of games kept for the test when games are split, the same for all sets: then they keep the same games."""
SPLIT_SEED = 1

_LARGEST = frozenset({"DenseNet-100", "WideNet-40-4"})
LEFT_OUT: dict[Scale, frozenset[str]] = {"smoke": _LARGEST, "cpu": _LARGEST}
"""Nets that are not trained at a scale: those that take longest."""

SplitBy = Literal["position", "game"]
DataSet = Literal["original", "original-s", "unique", "unique-s"]


@dataclass(frozen=True)
class Size:
    """What a scale means for a net."""

    width: float
    """Factor on its numbers of feature maps and hidden units."""
    samples: int | None
    """Examples it learns from, repeated ones counted again; None for the epochs of the paper."""
    preset: Literal["liskowski", "fast"]
    """The recipe."""
    batch: int
    """Examples of a step."""
    measured: int
    """Examples of each side on which it is measured."""
    bag: int
    """Nets of a bag."""
    figure: int
    """Examples behind the accuracy of L.fig3."""
    engine: int
    """Examples on which the engine's accuracy is measured."""
    depths: tuple[int, ...]
    """Depths of the engine as an opponent."""
    helper: int
    """Depth of the engine that plays one stage of the game for a net."""
    trials: int
    """Repetitions of a timing, of which the best counts."""
    calls: int
    """Single positions per timing."""
    timed_games: int
    """Games over which the engine's moves are timed."""


_DEPTHS = (1, 2, 3, 4, 5)
SIZES: dict[Scale, Size] = {
    "smoke": Size(0.05, 64, "fast", 64, 50, 2, 200, 50, (1, 2), 2, 1, 4, 1),
    "cpu": Size(0.125, 2_000_000, "fast", 512, 100_000, 3, 250_000, 50_000, _DEPTHS, 5, 20, 64, 20),
    "paper": Size(1.0, None, "liskowski", 512, 250_000, 10, 1_950_000, 100_000, _DEPTHS, 5, 20, 64, 20),
}


@dataclass(frozen=True)
class Plan:
    """Which net to train."""

    label: str
    """Its name in the paper, such as Conv8+BN."""
    net: str
    """Its architecture without the width, such as conv8(bn=true)."""
    dataset: DataSet = "unique-s"
    """The set it learns from."""
    split: SplitBy = "position"
    """What is kept apart for the test."""
    part: bool = False
    """Whether it learns from the games of one year only."""
    bag: bool = False
    """Whether it is a bag of nets on bootstrap samples."""

    @property
    def words(self) -> str:
        """The net in words."""
        return f"{self.label} {encoding_of(self.net)} {self.dataset} by {self.split}"

    def unit(self, scale: Scale, seed: int, **more: Any) -> Unit:
        """The unit of a study that measures this net."""
        words = [self.words, *map(str, more.values()), f"seed {seed}"]
        return Unit(" ".join(words), {"scale": scale, **asdict(self), **more}, seed)


def plan_of(unit: Unit) -> Plan:
    """The plan a unit was made from."""
    return Plan(**{field.name: unit.settings[field.name] for field in fields(Plan)})


def plan_units(plans: Sequence[Plan], scale: Scale, seeds: int) -> list[Unit]:
    """A unit for each plan and seed, without the nets that a scale leaves out."""
    run = [plan for plan in plans if plan.label not in LEFT_OUT.get(scale, ())]
    return [plan.unit(scale, seed) for plan in run for seed in range(1, seeds + 1)]


def encoding_of(net: str) -> str:
    """The encoding an architecture asks for."""
    return str(parse(net).kwargs.get("encoding", "pieces"))


@dataclass(frozen=True)
class Trained:
    """A trained net."""

    folder: Path
    """Its run."""
    file: Path
    """The net file."""
    result: Mapping[str, Any]
    """What its run ended with: accuracy on both sides, parameters, seconds."""

    @property
    def player(self) -> Spec:
        """The net as a player."""
        return Spec("net", str(self.file))

    def remembered(self, what: str, measure: Callable[[], Any]) -> Any:
        """A measurement of this net, made once and kept beside it; other studies may measure it meanwhile."""
        known = self._measured()
        if what not in known:
            result = measure()
            with locked(self.folder):
                known = self._measured()
                known.setdefault(what, result)
                write_atomically(self.folder / MEASURED, (json.dumps(known, indent=1) + "\n").encode())
        return known[what]

    def _measured(self) -> dict[str, Any]:
        path = self.folder / MEASURED
        known: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
        return known


def trained(folders: Folders, unit: Unit, progress: Progress) -> Trained:
    """The net of a unit's plan, which is trained, resumed or reused."""
    from zeroply.learning.imitation.train import Training
    from zeroply.learning.imitation.trained_net import NET

    plan, scale = plan_of(unit), unit.settings["scale"]
    folder = folders.results / FOLDER / scale / _name(plan, unit.seed)
    config = _config(folders, plan, scale, unit.seed)
    record = shared_run(
        folder,
        Training(config),
        progress,
        free=("data", "threads"),
        inputs={config.data: examples(folders, scale, plan.dataset, plan.part).digest},
    )
    return Trained(folder, folder / NET, record.result or {})


def _name(plan: Plan, seed: int) -> str:
    words = re.sub("[^a-z0-9.]+", "-", plan.net).strip("-")
    return ".".join([words, *["bag"] * plan.bag, plan.dataset, plan.split, *["part"] * plan.part, str(seed)])


def _config(folders: Folders, plan: Plan, scale: Scale, seed: int) -> TrainConfig:
    from zeroply.learning.imitation.config import TrainConfig

    size = SIZES[scale]
    spec = parse(plan.net)
    data = examples(folders, scale, plan.dataset, plan.part)
    config = TrainConfig(
        preset=size.preset,
        net=str(Spec(spec.name, *spec.args, **spec.kwargs, **({"width": size.width} if size.width != 1 else {}))),
        data=str(data.folder),
        dataset=plan.dataset,
        split=plan.split,
        test=split_of(plan.dataset, plan.split).test,
        split_seed=SPLIT_SEED,
        symmetries=False,  # the sets differ in augmentation
        batch=size.batch,
        bag=size.bag if plan.bag else 0,
        evaluations=0,
        measured=size.measured,
        seed=seed,
    )
    if size.samples is None:
        return config
    return replace(config, epochs=size.samples / _training_examples(data, plan.dataset, plan.split))


@lru_cache(maxsize=32)
def _training_examples(data: Examples, dataset: str, split: SplitBy) -> int:
    return len(data.side(split_of(dataset, split), "train"))


# Examples


def examples(folders: Folders, scale: Scale, dataset: str, part: bool = False) -> Examples:
    """A dataset of a scale; all four are built when the first is asked for."""
    return _opened(folders, scale, dataset, part and scale == "cpu")


@lru_cache(maxsize=16)
def _opened(folders: Folders, scale: Scale, dataset: str, part: bool) -> Examples:
    from zeroply.examples import Examples

    shared = folders.results / FOLDER
    folder = shared / ("sets-smoke" if scale == "smoke" else "sets-part" if part else "sets")
    if not (folder / "unique-s").exists():
        shared.mkdir(parents=True, exist_ok=True)
        _build(folders, scale, part, folder)
    return Examples.open(folder, dataset)


def _build(folders: Folders, scale: Scale, part: bool, folder: Path) -> None:
    from zeroply.examples.build import build
    from zeroply.examples.sources import SHIPPED_NAME, find_files

    if scale == "smoke":
        source = folder.with_name("games-smoke.txt")
        lines = find_files(SHIPPED_NAME)[0].read_text().splitlines(keepends=True)
        write_atomically(source, "".join(lines[: SMOKE_GAMES + 1]).encode())  # the first line names the game
    else:
        source = published(folders, "wthor")
        source = source / SOME_GAMES if part else source
    build(source, folder)


def split_of(dataset: str, split: SplitBy) -> Split:
    """How a set is split: as in the paper, or by game."""
    from zeroply.examples import Split

    share = TEST_SHARE[dataset] if split == "position" else GAME_SHARE
    return Split(by=split, test=share, seed=SPLIT_SEED)


def accuracy(
    judge: Judge,
    data: Examples,
    split: SplitBy,
    positions: int,
    progress: Progress | None = None,
) -> Accuracy:
    """How often a player finds the expert's move, on test examples of a set."""
    from zeroply.learning.imitation.evaluation import evaluate, sample

    rows = data.side(split_of(data.name, split), "test")
    some = sample(rows, positions, chance.key(SPLIT_SEED, "evaluation", "test"))
    return evaluate(judge, data, some, progress=progress)


def load_net(net: Trained) -> Any:
    """The net itself."""
    from zeroply.games import game
    from zeroply.nets import load

    return load(str(net.file), game("othello"))
