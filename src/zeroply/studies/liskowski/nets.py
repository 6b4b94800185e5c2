"""The nets of the L studies (Liskowski, Jaśkowski and Krawiec 2018), trained once for all studies.

A net is a run of its own in `results/L.nets/SCALE/`. A plan names the net; the scale sets its width and training.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from zeroply import chance
from zeroply.files import locked, write_atomically
from zeroply.runs import RunRecord
from zeroply.specs import Spec, parse
from zeroply.studies.needs import published
from zeroply.studies.shared_runs import shared_run
from zeroply.studies.study import Folders, Measures, Progress, Scale, Unit, part_of

if TYPE_CHECKING:
    from zeroply.examples import Examples, Split
    from zeroply.learning.imitation.config import Precision, TrainConfig
    from zeroply.learning.imitation.evaluation import Accuracy, Judge

FOLDER = "L.nets"
"""Folder of nets and datasets, in the folder of all results."""
MEASURED = "measured.json"
"""Measurements of a net, in its run folder."""
SOME_GAMES = "WTH_2004.wtb"
"""The games of one year: the part of WTHOR for plans with `part`."""
SMOKE_GAMES = 120
TEST_SHARE = {"original": 0.25, "unique": 0.25, "original-s": 0.05, "unique-s": 0.05}
"""The paper's test share when it splits by position (section V-A1)."""
LARGEST_SET = "unique-s"
PAPER_BATCHES = {"original": 241_682, "original-s": 612_260, "unique": 171_600, LARGEST_SET: 434_400}
"""24 epochs of the plain sets and 6 of the symmetric ones, in batches; the paper prints the last two (V-A2)."""
GAME_SHARE = 0.05
"""The test share when games are split, the same for all sets so that they have the same test games."""
SPLIT_SEED = 1
WHOLE = (0,)
"""The runs of a net that is not a bag."""

_LARGEST = frozenset({"DenseNet-100", "WideNet-40-4"})
LEFT_OUT: dict[Scale, frozenset[str]] = {"smoke": _LARGEST, "cpu": _LARGEST}
"""Nets that a scale does not train because they take longest."""

SplitBy = Literal["position", "game"]
DataSet = Literal["original", "original-s", "unique", "unique-s"]
NETS = ("Conv4", "Conv6", "Conv8")
SETS: tuple[DataSet, ...] = ("original", "original-s", "unique", "unique-s")
SPLITS: tuple[SplitBy, ...] = ("position", "game")


@dataclass(frozen=True)
class Size:
    """The sizes of a scale."""

    width: float
    """Factor on numbers of feature maps and hidden units."""
    samples: int | None
    """Training examples, counted with repetition; None for the epochs of the paper."""
    preset: Literal["liskowski", "fast"]
    """The recipe."""
    batch: int
    """Examples per step."""
    measured: int
    """Examples for each accuracy, training and test."""
    bag: int
    """Nets in a bag."""
    figure: int
    """Examples of L.fig3."""
    engine: int
    """Examples for the engine's accuracy."""
    depths: tuple[int, ...]
    """Depths of the engine as an opponent."""
    helper: int
    """Depth of the engine that plays one stage of the game for a net."""
    trials: int
    """Repetitions of a timing; the best counts."""
    calls: int
    """Single positions per timing."""
    timed_games: int
    """Games in which the engine's moves are timed."""
    evaluations: int
    """Measurements of test accuracy during a training."""
    precision: Precision = "fp32"
    """Number format of the trainings."""
    recipe: Mapping[str, Any] = field(default_factory=dict)
    """What differs from the preset."""


_DEPTHS = (1, 2, 3, 4, 5)
_STEADY = {"schedule": "cosine", "warmup": 0.1, "clip": 1.0}
SIZES: dict[Scale, Size] = {
    "smoke": Size(0.05, 64, "fast", 64, 50, 2, 200, 50, (1, 2), 2, 1, 4, 1, 0),
    "cpu": Size(
        0.25, 8_000_000, "liskowski", 512, 100_000, 3, 250_000, 50_000, _DEPTHS, 5, 20, 64, 20, 10, "bf16", _STEADY
    ),
    "paper": Size(1.0, None, "liskowski", 512, 250_000, 10, 1_950_000, 100_000, _DEPTHS, 5, 20, 64, 20, 10, "tf32"),
}


@dataclass(frozen=True)
class Plan:
    """Which net to train."""

    label: str
    """Its name in the paper, such as Conv8+BN."""
    net: str
    """Its architecture without the width, such as conv8(bn=true)."""
    dataset: DataSet = "unique-s"
    """Its training set."""
    split: SplitBy = "position"
    """How test examples are separated."""
    part: bool = False
    """Train on the games of one year only."""
    bag: bool = False
    """A bag of nets on bootstrap samples."""
    other_counts: bool = False
    """The other number of batches: the paper's for the set at scale `cpu`, that of Unique-S at scale `paper`."""

    @property
    def words(self) -> str:
        """The net in words."""
        counts = " other counts" if self.other_counts else ""
        return f"{self.label} {encoding_of(self.net)} {self.dataset} by {self.split}{counts}"

    def unit(self, scale: Scale, seed: int, **more: Any) -> Unit:
        """The unit of a study that measures this net."""
        words = [self.words, *map(str, more.values()), f"seed {seed}"]
        size = SIZES[scale]
        training = {"width": size.width, "samples": size.samples, "recipe": {"preset": size.preset, **size.recipe}}
        return Unit(" ".join(words), {"scale": scale, **training, **asdict(self), **more}, seed)


def plan_of(unit: Unit) -> Plan:
    """The plan of a unit."""
    return Plan(**{field.name: unit.settings[field.name] for field in fields(Plan)})


def plan_units(plans: Sequence[Plan], scale: Scale, seeds: int) -> list[Unit]:
    """A unit per plan and seed, without the nets that a scale leaves out."""
    run = [plan for plan in plans if plan.label not in LEFT_OUT.get(scale, ())]
    return [plan.unit(scale, seed) for plan in run for seed in range(1, seeds + 1)]


def encoding_of(net: str) -> str:
    """The encoding of an architecture."""
    return str(parse(net).kwargs.get("encoding", "pieces"))


@dataclass(frozen=True)
class Trained:
    """A trained net."""

    folder: Path
    """Its run."""
    file: Path
    """The net file."""
    result: Mapping[str, Any]
    """The result of its run: training and test accuracy, parameters, seconds; and `curve`, the test accuracy in percent
    by number of examples seen."""

    @property
    def player(self) -> Spec:
        """The net as a player."""
        return Spec("net", str(self.file))

    def remembered(self, what: str, measure: Callable[[], Any]) -> Any:
        """A measurement of this net, made once and stored beside it; several studies may do so at the same time."""
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


def net_folder(folders: Folders, unit: Unit, member: int = 0) -> Path:
    """The run folder of the net of a unit's plan, or of a member of a bag."""
    plan, scale = plan_of(unit), str(unit.settings["scale"])
    words = re.sub("[^a-z0-9.]+", "-", plan.net).strip("-")
    kinds = [*["part"] * plan.part, *["counts"] * plan.other_counts]
    parts = [words, *["bag"] * plan.bag, plan.dataset, plan.split, *kinds, str(unit.seed)]
    parts += [f"member-{member}"] * (member > 0)
    return folders.results / FOLDER / scale / ".".join(parts)


def training_of(folders: Folders, unit: Unit) -> tuple[TrainConfig, Examples]:
    """How the net of a unit's plan is trained."""
    plan, scale = plan_of(unit), unit.settings["scale"]
    data = examples(folders, scale, plan.dataset, plan.part)
    return _config(data, plan, SIZES[scale], unit.seed), data


def trained(folders: Folders, unit: Unit, progress: Progress) -> Trained:
    """The net of a unit's plan: trained, resumed or reused."""
    from zeroply.learning.imitation.trained_net import NET

    jobs = members_of(unit)
    runs = [
        train_member(folders, unit, member, part_of(progress, done / len(jobs), (done + 1) / len(jobs)))
        for done, member in enumerate(jobs)
    ]
    record = runs[0] if jobs == WHOLE else _join(folders, unit, runs, progress)
    curve = [
        [event["step"] * runs[0].info.config["batch"], round(100 * event["test"]["raw"], 2)]
        for event in runs[0].events("evaluation")
    ]
    return Trained(record.folder, record.folder / NET, {**(record.result or {}), "curve": curve})


def members_of(unit: Unit) -> Sequence[int]:
    """The runs of a unit's net: one for each member of a bag, from 1."""
    return range(1, SIZES[unit.settings["scale"]].bag + 1) if plan_of(unit).bag else WHOLE


def train_member(folders: Folders, unit: Unit, member: int, progress: Progress) -> RunRecord:
    """The run of a member of a unit's net, or of the whole net."""
    config, data = training_of(folders, unit)
    return _run(net_folder(folders, unit, member), replace(config, member=member), data, progress)


def _join(folders: Folders, unit: Unit, members: Sequence[RunRecord], progress: Progress) -> RunRecord:
    config, data = training_of(folders, unit)
    whole = replace(config, members=tuple(str(record.folder) for record in members))
    return _run(net_folder(folders, unit), whole, data, progress)


def _run(folder: Path, config: TrainConfig, data: Examples, progress: Progress) -> RunRecord:
    from zeroply.learning.imitation.train import Training

    inputs = None if config.members else {config.data: data.digest}
    return shared_run(folder, Training(config), progress, free=("data", "threads", "members"), inputs=inputs)


def _config(data: Examples, plan: Plan, size: Size, seed: int) -> TrainConfig:
    from zeroply.learning.imitation.config import TrainConfig

    config = TrainConfig(
        preset=size.preset,
        net=str(with_width(parse(plan.net), size.width)),
        data=str(data.folder),
        dataset=plan.dataset,
        split=plan.split,
        test=split_of(plan.dataset, plan.split).test,
        split_seed=SPLIT_SEED,
        symmetries=False,  # the sets differ in augmentation
        batch=size.batch,
        precision=size.precision,
        bag=size.bag if plan.bag else 0,
        evaluations=size.evaluations,
        measured=size.measured,
        seed=seed,
        **size.recipe,
    )
    if size.samples is None and not plan.other_counts:
        return config
    if size.samples is None:
        samples: float = PAPER_BATCHES[LARGEST_SET] * size.batch
    else:
        share = PAPER_BATCHES[plan.dataset] / PAPER_BATCHES[LARGEST_SET] if plan.other_counts else 1.0
        samples = size.samples * share
    return replace(config, epochs=samples / _training_examples(data, plan.dataset, plan.split))


def with_width(net: Spec, width: float) -> Spec:
    """An architecture at a width, if it has one; of a net with a part for each stage, each part."""
    from zeroply.nets import NETS

    inner = net.kwargs.get("net")
    if width == 1 or (inner is None and "width" not in {one.name for one in NETS.entry(net.name).own}):
        return net
    more = {"net": with_width(inner, width)} if isinstance(inner, Spec) else {"width": width}
    return Spec(net.name, *net.args, **{**net.kwargs, **more})


@lru_cache(maxsize=32)
def _training_examples(data: Examples, dataset: str, split: SplitBy) -> int:
    return len(data.side(split_of(dataset, split), "train"))


# Examples


@lru_cache(maxsize=16)
def examples(folders: Folders, scale: Scale, dataset: str, part: bool = False) -> Examples:
    """A dataset of a scale; all four are built at the first use."""
    from zeroply.examples import Examples
    from zeroply.examples.build import build

    shared, some = folders.results / FOLDER, part and scale == "cpu"
    folder = shared / ("sets-smoke" if scale == "smoke" else "sets-part" if some else "sets")
    if not (folder / "unique-s").exists():
        shared.mkdir(parents=True, exist_ok=True)
        if scale == "smoke":
            source = _shipped_games(shared)
        else:
            source = published(folders, "wthor") / (SOME_GAMES if some else "")
        build(source, folder)
    return Examples.open(folder, dataset)


def _shipped_games(folder: Path) -> Path:
    """A file with some of the games that come with zeroply."""
    from zeroply.examples.sources import SHIPPED_NAME, find_files

    lines = find_files(SHIPPED_NAME)[0].read_text().splitlines(keepends=True)
    source = folder / "games-smoke.txt"
    write_atomically(source, "".join(lines[: SMOKE_GAMES + 1]).encode())  # the first line names the game
    return source


def split_of(dataset: str, split: SplitBy) -> Split:
    """The split of a set: the paper's by position, or by game."""
    from zeroply.examples import Split

    return Split(by=split, test=TEST_SHARE[dataset] if split == "position" else GAME_SHARE, seed=SPLIT_SEED)


def accuracy(judge: Judge, data: Examples, split: SplitBy, positions: int, progress: Progress) -> Accuracy:
    """How often a player finds the expert's move, on test examples of a set."""
    from zeroply.learning.imitation.evaluation import evaluate, sample

    rows = data.side(split_of(data.name, split), "test")
    some = sample(rows, positions, chance.key(SPLIT_SEED, "evaluation", "test"))
    return evaluate(judge, data, some, progress=progress)


def accuracy_on(folders: Folders, unit: Unit, net: Trained, dataset: str, progress: Progress) -> Measures:
    """The accuracy of a net on test examples of a set, split as its own, measured once."""
    plan, scale = plan_of(unit), unit.settings["scale"]
    data = examples(folders, scale, dataset, plan.part)

    def measure() -> Measures:
        return accuracy(load_net(net), data, plan.split, SIZES[scale].measured, progress).summary()

    summary: Measures = net.remembered(f"on {dataset} by {plan.split}", measure)
    return summary


def load_net(net: Trained) -> Any:
    """The net itself."""
    from zeroply.games import game
    from zeroply.nets import load

    return load(str(net.file), game("othello"))
