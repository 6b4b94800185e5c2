"""L.recipe: what the paper's training recipe does to its plain nets here (section V-A2).

The rate is 0.1 with momentum 0.95 from the first step on. "L2 norm with the weight of 5e-4" has two readings: a weight
decay of 5e-4, or a penalty of 5e-4 times the sum of squares, whose gradient is a decay of 1e-3. Both are tried as
printed, and with a rate that rises over the first steps; that also with clipped gradients.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from zeroply.errors import ZeroplyError
from zeroply.studies.claims import Claim, above
from zeroply.studies.liskowski.nets import FOLDER, NETS, SPLIT_SEED, examples, split_of
from zeroply.studies.liskowski.requirements import NetStudy
from zeroply.studies.measured import Measured
from zeroply.studies.report import COLOURS, Drawing, Report, ResultTable, guide
from zeroply.studies.shared_runs import shared_run
from zeroply.studies.study import Measures, Progress, Scale, Unit, Units, grid

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from zeroply.learning.imitation.config import TrainConfig

STEPS = {"smoke": 2, "cpu": 600, "paper": 5_000}
WARMUP = 1 / 3
"""Share of the steps in which the rate rises, where it does."""
PRINTED = "as printed"
STARTS: dict[str, dict[str, float]] = {
    PRINTED: {},
    "warm-up": {"warmup": WARMUP},
    "warm-up, clipping": {"warmup": WARMUP, "clip": 1.0},
}
DECAYS = (5e-4, 1e-3)
LEARNS = 10.0
"""Accuracy in percent, legal or not, above which a net has begun to learn; always the same move gets 2 to 3."""
EVALUATIONS = 12
DATASET = "unique"


class Recipe(NetStudy):
    """The first steps of the paper's recipe."""

    name = "L.recipe"
    title = "the first steps of the paper's recipe with plain nets: rate, weight decay and warm-up"
    source = "Liskowski, Jaśkowski and Krawiec 2018, section V-A2"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """Each net with each start and decay; clipping with the first decay only."""
        several = grid(
            "{label} {start} decay {decay:g} seed {seed}",
            range(1, seeds + 1),
            scale=scale,
            decay=list(DECAYS[:1] if scale == "smoke" else DECAYS),
            start=list(STARTS),
            label=list(NETS),
        )
        return [unit for unit in several if unit.settings["decay"] == DECAYS[0] or "clip" not in _start(unit)]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Train for some steps; the curve is the accuracy of the largest output, legal or not, on test examples."""
        from zeroply.learning.imitation.train import Training

        folder = (
            self.folders.results / FOLDER / "recipe" / re.sub("[^A-Za-z0-9.-]+", "-", f"{_scale(unit)} {unit.name}")
        )
        try:
            record = shared_run(folder, Training(self._config(unit)), progress, free=("data", "threads"))
        except ZeroplyError as error:
            if "diverged" not in str(error):
                raise
            return {"diverged": str(error)}
        tests = [(event["step"], event["test"]) for event in record.events("evaluation")]
        last = tests[-1][1]
        return {
            **{name: 100 * last[name] for name in ("raw", "top1", "valid")},
            **{name: last[name] for name in ("loss", "positions")},
            "curve": [[step, round(100 * test["raw"], 2)] for step, test in tests],
        }

    def _config(self, unit: Unit) -> TrainConfig:
        from zeroply.learning.imitation.config import TrainConfig

        scale = _scale(unit)
        data = examples(self.folders, scale, DATASET)
        rows, batch = len(data.side(split_of(DATASET, "position"), "train")), 512 if scale != "smoke" else 64
        return TrainConfig(
            preset="liskowski",
            net=unit.settings["label"].lower() + ("(width=0.05)" if scale == "smoke" else ""),
            data=str(data.folder),
            dataset=DATASET,
            split_seed=SPLIT_SEED,
            decay=unit.settings["decay"],
            batch=batch,
            epochs=STEPS[scale] / -(-rows // batch),
            schedule="constant",
            evaluations=min(EVALUATIONS, STEPS[scale]),
            evaluated=50 if scale == "smoke" else 5_000,
            measured=5_000,
            seed=unit.seed,
            warmup=_start(unit).get("warmup", 0.0),
            clip=_start(unit).get("clip", 0.0),
        )

    def findings(self, units: Units, scale: Scale) -> Report:
        """Where each net stands after these steps."""
        printed = [(unit, m) for unit, m in units if unit.settings["start"] == PRINTED]
        claims = [
            Claim(
                "section V-A2",
                f"The recipe trains plain nets (accuracy of the largest output above {LEARNS:g} % after "
                f"{STEPS[scale]:,} steps, weight decay {decay:g})",
                {f"{unit.settings['label']} seed {unit.seed}": _raw(m) for unit, m in some},
                above(LEARNS),
            )
            for decay in DECAYS
            for some in [[(unit, m) for unit, m in printed if unit.settings["decay"] == decay]]
        ]
        small = " **This is the smoke scale**: it shows that everything runs." * (scale == "smoke")
        return Report(
            f"Conv4, Conv6 and Conv8 without batch normalisation at full width, {STEPS[scale]:,} steps of 512 examples "
            "of Unique at a rate of 0.1 with momentum 0.95, which the paper halves only later. With warm-up the rate "
            "rises over the first third of these steps. Accuracy of the largest of 60 outputs, legal or not, on test "
            f"examples (split by position).{small}",
            [ResultTable("nets", "accuracy in percent after the last step", [_row(*one) for one in units])],
            claims,
            [Drawing("curves", "accuracy of the largest output by step", lambda figure: _draw(figure, units))],
        )


def _scale(unit: Unit) -> Scale:
    scale: Scale = unit.settings["scale"]
    return scale


def _start(unit: Unit) -> dict[str, float]:
    return STARTS[unit.settings["start"]]


def _raw(measures: Measures) -> Measured:
    """Accuracy in percent; a training that diverged has none."""
    if "diverged" in measures:
        return Measured(0.0, 0.0, digits=1)
    hits = measures["raw"] / 100
    error = 100 * math.sqrt(hits * (1 - hits) / measures["positions"])
    return Measured(measures["raw"], 0.0, sample=error, digits=1)


def _row(unit: Unit, measures: Measures) -> dict[str, object]:
    numbers = {name: round(measures[name], 2) if name in measures else "" for name in ("top1", "valid", "loss")}
    return {
        "net": unit.settings["label"],
        "start": unit.settings["start"],
        "weight decay": f"{unit.settings['decay']:g}",
        "seed": unit.seed,
        "largest output": "diverged" if "diverged" in measures else _raw(measures),
        "among legal moves": numbers["top1"],
        "valid": numbers["valid"],
        "loss": numbers["loss"],
    }


def _draw(figure: Figure, units: Units) -> None:
    panels = figure.subplots(1, len(NETS), sharey=True)
    cases = list(dict.fromkeys((unit.settings["start"], unit.settings["decay"]) for unit, _ in units))
    for panel, net in zip(panels, NETS, strict=True):
        panel.set_title(net)
        panel.set_xlabel("step")
        guide(panel, LEARNS)
        for unit, measures in units:
            case = unit.settings["start"], unit.settings["decay"]
            if unit.settings["label"] == net and unit.seed == 1 and measures.get("curve"):
                x, y = zip(*measures["curve"], strict=True)
                panel.plot(x, y, color=COLOURS[cases.index(case)], label=f"{case[0]}, decay {case[1]:g}")
    panels[0].set_ylabel("accuracy of the largest output (%)")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
