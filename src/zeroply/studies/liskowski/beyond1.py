"""L.beyond1: what the paper's discussion and conclusion propose (sections VII and VIII), and larger kernels.

Fully connected nets, a net for each stage of the game, nets that see the side to move, and convolutions of 5x5 cells
learn from experts like Conv8+BN. Nets of values and of action values learn by temporal differences from games against
themselves; they know no expert, so only their strength can be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from zeroply.specs import parse
from zeroply.studies.claims import Claim, above
from zeroply.studies.liskowski.nets import FOLDER, SIZES, Plan, Trained, with_width
from zeroply.studies.liskowski.reporting import NOT_RUN, about_scale, curves, gather, label, nets_table
from zeroply.studies.liskowski.requirements import SuiteStudy
from zeroply.studies.liskowski.strength import BEST, SEARCH, match_text, scores_of
from zeroply.studies.liskowski.table5 import BN
from zeroply.studies.report import Report, ResultTable
from zeroply.studies.shared_runs import shared_run
from zeroply.studies.study import Measures, Progress, Scale, Unit, Units, part_of

DENSE, STAGES, TURN, KERNEL = "Dense", "Conv8+BN, 4 stages", "Conv8+BN, side to move", "Conv8+BN, 5x5"
PLANS = (
    Plan(BN, "conv8(bn=true)", split="game"),
    Plan(DENSE, "dense(layers=4096-4096-2048)", split="game"),
    Plan(STAGES, "staged(net=conv8(bn=true))", split="game"),
    Plan(TURN, "conv8(bn=true, encoding=turn)", split="game"),
    Plan(KERNEL, "conv8(bn=true, kernel=5)", split="game"),
)
VALUES = {"Values": "conv4(bn=true, output=value)", "Action values": "conv4(bn=true, output=actions)"}
"""Nets that learn by temporal differences."""
GAMES: dict[Scale, int] = {"smoke": 4, "cpu": 20_000, "paper": 1_000_000}
"""Games of self-play."""
PROPOSED = (
    ("section VII", DENSE, "A net of fully connected layers is more accurate than Conv8+BN"),
    ("section VIII", STAGES, "A net for each stage is more accurate than one net for all stages"),
    ("section VIII", TURN, "Seeing the side to move makes Conv8+BN more accurate"),
    ("beyond the paper", KERNEL, "Convolutions of 5x5 cells make Conv8+BN more accurate"),
)
COLUMNS = ("accuracy", "suite", BEST, SEARCH)


class Beyond1(SuiteStudy):
    """What the paper proposes."""

    name = "L.beyond1"
    title = "what the paper proposes: dense nets, stages, the side to move, values; and larger kernels"
    source = "Liskowski, Jaśkowski and Krawiec 2018, sections VII and VIII"
    nets = PLANS

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """Also a unit per net that learns by temporal differences, and seed."""
        learners = [
            Unit(f"{name} seed {seed}", {"scale": scale, "label": name, "values": net}, seed)
            for name, net in VALUES.items()
            for seed in range(1, seeds + 1)
        ]
        return [*super().units(scale, seeds), *learners]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Train a net and let it play."""
        if "values" not in unit.settings:
            return super().measure(unit, progress)
        net = self._learner(unit, part_of(progress, 0, 0.8))
        return {"games": GAMES[unit.settings["scale"]], **scores_of(self.folders, unit, net, part_of(progress, 0.8, 1))}

    def _learner(self, unit: Unit, progress: Progress) -> Trained:
        from zeroply.learning.imitation.trained_net import NET
        from zeroply.learning.td_training import TdConfig, TdTraining

        scale: Scale = unit.settings["scale"]
        net = str(with_width(parse(unit.settings["values"]), SIZES[scale].width))
        games, compared = GAMES[scale], 2 if scale == "smoke" else 200
        config = TdConfig(net=net, games=games, together=min(200, games), measure_games=compared, seed=unit.seed)
        words = unit.settings["label"].lower().replace(" ", "-")
        folder = self.folders.results / FOLDER / scale / f"td.{words}.{unit.seed}"
        record = shared_run(folder, TdTraining(config), progress, free=("threads",))
        return Trained(folder, folder / NET, record.result or {})

    def findings(self, units: Units, scale: Scale) -> Report:
        """Accuracy and strength of every net."""
        means = {column: gather(units, label, column) for column in COLUMNS}
        names = dict.fromkeys(label(unit) for unit, _ in units)
        rows: list[dict[str, Any]] = [
            {"net": name, **{column: means[column].get(name, NOT_RUN) for column in COLUMNS}} for name in names
        ]
        learned = [one for one in units if "values" not in one[0].settings]
        claims = [
            Claim(place, text, means["accuracy"][name] - means["accuracy"][BN], above(0), note="points")
            for place, name, text in PROPOSED
        ]
        wins = {name: means["suite"][name] - means["suite"][BN] for name in VALUES}
        stronger = "Nets of values or action values win more against the 13 players than Conv8+BN"
        return Report(
            f"{match_text(self.folders, scale)} All nets but those of values learn from Unique-S, split by game. Nets "
            f"of values learn from {GAMES[scale]:,} games against themselves; their training takes a different time. "
            f"{about_scale(scale)}",
            [ResultTable("rates", "accuracy and winning rates in percent", rows), nets_table(learned)],
            [*claims, Claim("section VIII", stronger, wins, above(0), note="points")],
            [curves(learned)],
        )
