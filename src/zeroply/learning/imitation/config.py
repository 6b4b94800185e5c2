"""The configuration of a training on expert moves, with two presets: the paper's recipe and a faster one.

`liskowski` is section V-A2 of Liskowski et al. 2018. `fast` reaches a higher accuracy in an hour on two CPU cores. A
field that is not given takes the value of the preset, which may depend on the dataset.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_args

import tyro
from tyro.conf import FlagConversionOff, Positional

from zeroply.errors import ZeroplyError
from zeroply.options import DATASET, Dataset

Preset = Literal["fast", "liskowski"]
"""The name of a recipe."""
Schedule = Literal["halvings", "literal", "cosine", "constant"]
"""How the rate falls."""
Optimizer = Literal["sgd", "adamw"]
"""What makes the steps."""
Precision = Literal["fp32", "tf32", "bf16", "fp16"]
"""A number format."""

T = TypeVar("T")
if TYPE_CHECKING:
    ByPreset = Annotated[T, ""]
else:
    ByPreset = Annotated[T | None, tyro.conf.arg(help_behavior_hint="(default: by preset)")]
_BY_PRESET: Any = None  # replaced by the preset's value when a configuration is made


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """Everything that decides what a net learns."""

    net: Positional[str]
    """Architecture, such as conv8(bn=true); `zeroply nets` lists them."""
    data: str
    """Folder made by `zeroply data build`."""
    dataset: Dataset = DATASET
    """Which of its datasets: original, unique, original-s or unique-s."""
    preset: Preset = "fast"
    """Recipe that sets the defaults below: liskowski is the paper's, fast a faster one for CPUs."""
    judged: tuple[str, ...] = ()
    """Folders made by `zeroply data judge`: every second step then learns how many discs each move loses."""
    discs: float = 2.0
    """How many lost discs weigh as much as 1 of cross-entropy."""
    openings: float = 0.0
    """Share of every batch drawn from the first 12 moves of the training games, repeated as often as they were played;
    without it, a dataset without duplicates hardly teaches openings."""
    init: str = ""
    """Net of the same architecture to start from, by name or file; by default the first weights are random."""
    split: ByPreset[Literal["position", "game"]] = _BY_PRESET
    """What the test set consists of: positions, as in the paper, or whole games, which leaks nothing."""
    test: ByPreset[float] = _BY_PRESET
    """Share of the test set."""
    split_seed: int = 1
    """Random seed of the split; use the same for nets that are to be compared."""
    symmetries: FlagConversionOff[ByPreset[bool]] = _BY_PRESET
    """Whether each example is shown under a random symmetry; fast does so for datasets without -s."""
    optimizer: ByPreset[Optimizer] = _BY_PRESET
    """Optimizer."""
    rate: ByPreset[float] = _BY_PRESET
    """Highest learning rate."""
    momentum: float = 0.95
    """Momentum of sgd."""
    decay: ByPreset[float] = _BY_PRESET
    """Weight decay; biases and normalisation have none."""
    batch: ByPreset[int] = _BY_PRESET
    """Examples per step."""
    epochs: ByPreset[float] = _BY_PRESET
    """Passes over the training examples, may be fractional; with judged positions every second step uses judged
    ones."""
    schedule: ByPreset[Schedule] = _BY_PRESET
    """How the rate falls; halvings and literal are two readings of the paper."""
    warmup: ByPreset[float] = _BY_PRESET
    """Share of the steps in which the rate rises to its highest."""
    clip: ByPreset[float] = _BY_PRESET
    """Clip gradients to this norm; 0 turns clipping off."""
    precision: Precision = "fp32"
    """Number format: fp32; tf32, which is fp32 with TF32 products on GPUs that have them; bf16, or fp16 with scaled
    losses, in the forward pass. On CPUs with AVX512_BF16 bf16 is about 1.5 times as fast as fp32."""
    compile: bool = False
    """Compile the net with torch.compile, which is faster on many GPUs; the first steps then take a minute."""
    device: str = ""
    """Where to train, such as cpu or cuda:1; by default $ZEROPLY_DEVICE, or else a GPU if there is one."""
    bag: int = 0
    """Number of nets to train on bootstrap samples and average; 0 trains one net on all examples."""
    member: int = 0
    """Train only this net of the bag, from 1, so that several jobs or GPUs can share the work; 0 trains all."""
    members: tuple[str, ...] = ()
    """Folders of runs with --member, whose nets join the bag; only the others are trained here."""
    evaluations: int = 10
    """How many times the net is measured on test examples during training."""
    evaluated: int = 5_000
    """Test examples, and as many training examples, per such measurement."""
    measured: int = 50_000
    """Examples per side on which the trained net is measured."""
    threads: int = 0
    """Threads; a resumed run uses the same number, since another may round differently. 0 uses all cores."""
    seed: int = 0
    """Random seed."""

    def __post_init__(self) -> None:
        if self.preset not in PRESETS:
            raise ZeroplyError(f"unknown preset '{self.preset}': choose one of {', '.join(PRESETS)}")
        if self.precision not in get_args(Precision):
            raise ZeroplyError(f"unknown precision '{self.precision}': choose one of {', '.join(get_args(Precision))}")
        for name, value in PRESETS[self.preset](self.dataset).items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        if not 1 <= self.batch <= 1_000_000 or not 0 < self.epochs <= 10_000:
            raise ZeroplyError("training needs batches of 1 to 1000000 examples and epochs above 0, at most 10000")
        if not 0 < self.rate <= 10 or not 0 <= self.momentum < 1 or not 0 <= self.decay <= 10 or self.clip < 0:
            raise ZeroplyError("training needs a rate above 0, a momentum from 0 to below 1, decay and clip from 0")
        if not 0 < self.discs <= 1000:
            raise ZeroplyError(f"discs must be above 0 and at most 1000, not {self.discs}")
        if not 0 <= self.warmup < 1:
            raise ZeroplyError("warmup is a share of the steps, from 0 to below 1")
        if (
            not 0 <= self.bag <= 100
            or self.evaluations < 0
            or self.evaluated < 1
            or self.measured < 1
            or not 0 <= self.threads <= 1024
        ):
            raise ZeroplyError(
                "training needs a bag of 0 to 100 nets, evaluations from 0, 1 evaluated example at the least, "
                "and at most 1024 threads"
            )
        if not 0 <= self.member <= self.bag or (self.members and (self.member or not self.bag)):
            raise ZeroplyError("a member is a number from 1 to that of --bag, and only a whole bag takes --members")
        if not 0 <= self.openings < 1 or (self.openings and self.opening_examples in (0, self.batch)):
            raise ZeroplyError("openings is a share of the batch from 0 to below 1, of at least one example")
        if self.openings and self.split != "game":
            raise ZeroplyError("openings are drawn from the games of the training part: this needs --split game")
        if not 0 < self.test < 1:
            raise ZeroplyError(f"the share for the test must be above 0 and below 1, not {self.test}")

    @property
    def whole_bag(self) -> bool:
        """Whether the result is a bag, not one net."""
        return self.bag > 0 and self.member == 0

    @property
    def opening_examples(self) -> int:
        """Examples per step from the first moves of games."""
        return round(self.openings * self.batch)


def _fast(dataset: str) -> Mapping[str, Any]:
    """For a small conv4 and 200,000 examples, rate 5e-3 and batch 512 beat 5e-3 and 1024, and that 2e-3 and 1024."""
    return {
        "split": "game",
        "test": 0.05,
        "symmetries": not dataset.endswith("-s"),
        "optimizer": "adamw",
        "rate": 5e-3,
        "decay": 1e-2,
        "batch": 512,
        "epochs": 1.0,
        "schedule": "cosine",
        "warmup": 0.02,
        "clip": 1.0,
    }


def _liskowski(dataset: str) -> Mapping[str, Any]:
    """Section V-A2. Batches of 512 follow from its numbers of batches; sets without symmetries have 24 epochs."""
    symmetric = dataset.endswith("-s")
    return {
        "split": "position",
        "test": 0.05 if symmetric else 0.25,
        "symmetries": False,
        "optimizer": "sgd",
        "rate": 0.1,
        "decay": 5e-4,
        "batch": 512,
        "epochs": 6.0 if symmetric else 24.0,
        "schedule": "halvings",
        "warmup": 0.0,
        "clip": 0.0,
    }


PRESETS: Mapping[Preset, Callable[[str], Mapping[str, Any]]] = {"fast": _fast, "liskowski": _liskowski}
"""The defaults of each preset for a dataset."""
