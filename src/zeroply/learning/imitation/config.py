"""What decides how a net is trained, and the two recipes: the paper's and a faster one.

`liskowski` is section V-A2 of Liskowski et al. 2018. `fast` reaches more in an hour of two processor cores. Anything a
recipe says can be said otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal

from zeroply.errors import ZeroplyError

Preset = Literal["liskowski", "fast"]
"""The name of a recipe."""
Schedule = Literal["halvings", "literal", "cosine", "constant"]
"""How the rate falls."""
Optimizer = Literal["sgd", "adamw"]
"""What makes the steps."""


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """Everything that decides what a net learns."""

    net: str
    """The architecture, such as `conv8(bn=true)`."""
    data: str
    """Folder of the examples, made by `zeroply data build`."""
    dataset: str = "unique-s"
    """Which of its sets: original, unique, original-s or unique-s."""
    judged: tuple[str, ...] = ()
    """Folders of `zeroply data judge`: every second step then learns what moves cost; by default expert moves only."""
    discs: float = 2.0
    """How many discs of cost weigh as much as 1 of cross-entropy."""
    init: str = ""
    """Name or file of a net of the same architecture whose weights are the first; by default they are random."""
    split: Literal["position", "game"] = "game"
    """What is kept apart for the test: positions, as in the paper, or whole games, which is honest."""
    test: float = 0.05
    """Share that is kept for the test."""
    split_seed: int = 1
    """What the split comes from; the same for all nets that are to be compared."""
    symmetries: bool = False
    """Whether each example is turned by a random symmetry whenever it is seen."""
    optimizer: Optimizer = "sgd"
    """What makes the steps."""
    rate: float = 0.1
    """Learning rate at its highest."""
    momentum: float = 0.95
    """Momentum of sgd."""
    decay: float = 5e-4
    """Weight decay; biases and normalisation have none."""
    batch: int = 512
    """Examples of a step."""
    epochs: float = 6.0
    """Passes over the training examples, or as many steps; with judged positions every second step is theirs."""
    schedule: Schedule = "halvings"
    """How the rate falls."""
    warmup: float = 0.0
    """Share of the steps in which the rate rises to its highest."""
    clip: float = 0.0
    """Longest gradient of a step; 0 for any."""
    precision: Literal["fp32", "bf16"] = "fp32"
    """Numbers of the forward pass; bf16 is for processors and GPUs that have it."""
    bag: int = 0
    """Number of nets to train on bootstrap samples and combine; 0 trains one net on all examples."""
    evaluations: int = 10
    """How often the net is tried on test examples while it is trained."""
    evaluated: int = 5_000
    """Test examples, and as many training examples, of each of these."""
    measured: int = 50_000
    """Examples of each side on which the finished net is measured."""
    threads: int = 0
    """Threads of torch; kept in the run, since another number may round otherwise. 0 for as many as there are."""
    seed: int = 0
    """What all chance comes from."""

    def __post_init__(self) -> None:
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
        if not 0 < self.test < 1:
            raise ZeroplyError(f"the share for the test must be above 0 and below 1, not {self.test}")


def preset(name: Preset, *, net: str, data: str, dataset: str = "unique-s", **changes: Any) -> TrainConfig:
    """The recipe of that name for a net and a set; `changes` that are not None replace what it says."""
    if name not in ("liskowski", "fast"):
        raise ZeroplyError(f"unknown preset '{name}': there are liskowski and fast")
    known = {field.name for field in fields(TrainConfig)}
    if unknown := changes.keys() - known:
        raise TypeError(f"a training has no {', '.join(sorted(unknown))}")
    recipe = _liskowski(dataset) if name == "liskowski" else _fast(dataset)
    recipe |= {key: value for key, value in changes.items() if value is not None}
    return TrainConfig(net=net, data=data, dataset=dataset, **recipe)


def _liskowski(dataset: str) -> dict[str, Any]:
    """Section V-A2. Batches of 512 follow from its numbers of batches; sets without symmetries have 24 epochs."""
    symmetric = dataset.endswith("-s")
    return {
        "split": "position",
        "test": 0.05 if symmetric else 0.25,
        "epochs": 6.0 if symmetric else 24.0,
    }


def _fast(dataset: str) -> dict[str, Any]:
    """For a small conv4 and 200,000 examples, rate 5e-3 and batch 512 beat 5e-3 and 1024, and that 2e-3 and 1024."""
    return {
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
