"""L.table9: Conv8+BN against the engine at depths 1 to 5, the engine's own accuracy and the time of its moves
(Liskowski et al. 2018, section VI-D, Table IX).

The engine stands where the paper has Edax: the same rule (plain depth n, exact once 2n squares are empty), another
evaluation, so the numbers of the two differ, and what can be compared is how they change with the depth.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from zeroply.studies.liskowski.nets import Plan, accuracy, examples, trained
from zeroply.studies.liskowski.reporting import (
    Mean,
    about_scale,
    accuracy_measures,
    cell,
    claim,
    gather,
    known,
    level_claim,
    not_above,
    scale_of,
    trained_measures,
    verdict,
)
from zeroply.studies.liskowski.requirements import MatchStudy
from zeroply.studies.liskowski.strength import against, engine, kind_of_time, match_text, move_time, times_of
from zeroply.studies.liskowski.table2 import on_original, seen
from zeroply.studies.liskowski.table5 import BN
from zeroply.studies.study import (
    COLOURS,
    Claim,
    Drawing,
    Found,
    Measures,
    Progress,
    Report,
    Scale,
    Table,
    Unit,
    part_of,
)
from zeroply.studies.verdicts import all_of, opposite

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLAN = Plan(BN, "conv8(bn=true)")
DEPTHS: dict[Scale, tuple[int, ...]] = {"smoke": (1, 2), "cpu": (1, 2, 3, 4, 5), "paper": (1, 2, 3, 4, 5)}
NOISE = 0.1
"""Share by which times differ that are the same."""
POSITIONS = {"smoke": 100, "cpu": 50_000, "paper": 100_000}
PAPER = {1: (87.5, 1.0, 47.9), 2: (59.4, 1.1, 53.3), 3: (34.7, 1.6, 55.2), 4: (19.8, 5.0, 59.8), 5: (10.3, 10.0, 59.7)}
"""Table IX by depth: winning rate of Conv8+BN, Edax's time of a move in 1e-4 s, Edax's accuracy."""


class Table9(MatchStudy):
    """A net against search."""

    name = "L.table9"
    title = "Conv8+BN against the engine at depths 1 to 5; the engine's accuracy and move time"
    source = "Liskowski, Jaśkowski and Krawiec 2018, Table IX and section VI-D"

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each depth of the engine, each net and each of its matches, and one for what nets have seen."""
        return [
            Unit("seen", {"scale": scale, "seen": PLAN.dataset, "split": PLAN.split, "part": PLAN.part}),
            *(Unit(f"engine depth {n}", {"scale": scale, "engine": n}, 1) for n in DEPTHS[scale]),
            *(PLAN.unit(scale, seed) for seed in range(1, seeds + 1)),
            *(PLAN.unit(scale, seed, depth=n) for seed in range(1, seeds + 1) for n in DEPTHS[scale]),
        ]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Measure the engine itself, or the net, or their match, or what the net has seen of the test."""
        if "seen" in unit.settings:
            return {"seen": seen(self.place, unit, progress)}
        if "engine" in unit.settings:
            return self._engine(unit, progress)
        net = trained(self.place, unit, part_of(progress, 0, 0.9))
        scale, rest = unit.settings["scale"], part_of(progress, 0.9, 1)
        if "depth" not in unit.settings:
            return {**trained_measures(net.result), **on_original(self.place, unit, net, rest), **times_of(net, scale)}
        name = f"engine(depth={unit.settings['depth']})"
        found = against(net, {name: engine(unit.settings["depth"])}, self.place, scale, unit.seed, rest)[name]
        return {"rate": found["score"], "rate error": found["error"], **found}

    def _engine(self, unit: Unit, progress: Progress) -> Measures:
        from zeroply.players import player

        scale, spec = unit.settings["scale"], engine(unit.settings["engine"])
        with player(spec, "othello") as one:
            found = accuracy(one, examples(self.place, scale, "original"), "position", POSITIONS[scale], progress)
        return {**accuracy_measures(found.summary()), "seconds": move_time(spec, scale, 1)}

    def report(self, found: Found) -> Report:
        """The table in the paper's form."""
        scale = scale_of(found)
        rates = gather(found, lambda unit: unit.settings.get("depth"), "rate")
        engines = {unit.settings["engine"]: m for unit, m in found if "engine" in unit.settings}
        likes = {n: known(m["accuracy"], m["accuracy error"]) for n, m in engines.items()}
        nets = [m for _, m in found if "on original" in m]
        share = next(m["seen"] for _, m in found if "seen" in m)
        own = gather(found, lambda unit: BN, "on original")[BN]
        rows: list[dict[str, Any]] = []
        for n in DEPTHS[scale]:
            ours = {"rate": cell(rates[n]), "accuracy": cell(likes[n]), "1e-4 s": round(1e4 * engines[n]["seconds"], 2)}
            theirs = dict(zip(("rate, paper", "1e-4 s, Edax", "accuracy, Edax"), PAPER[n], strict=True))
            rows.append({"depth": n, **ours, **theirs})
        times = {time: 1e4 * min(m[time] for m in nets) for time in ("batch 256", "batch 1")}
        return Report(
            f"{match_text(scale)} The engine's accuracy is how often it likes the expert's move best, on test examples "
            "of Original (split by position); moves it likes equally count as their chance to be drawn. Its time is "
            "processor time of one thread over whole games, one position at a time. Conv8+BN finds the expert's move "
            f"in {own} % of the same kind of examples (paper: 62.7 to 64) and takes {times['batch 256']:.2f}e-4 s for "
            f"a position in batches of 256, {times['batch 1']:.1f}e-4 s alone ({kind_of_time(nets)}). It learned "
            f"from Unique-S, whose split by position is drawn by itself, as in the paper: {share:.1f} % of the test "
            f"positions of Original stand in its training part. {about_scale(scale)}",
            [
                Table(
                    "depths",
                    "winning rate of Conv8+BN, the engine's accuracy and move time; percent ± standard error",
                    rows,
                )
            ],
            _claims(scale, rates, likes, own, engines, share),
            [
                Drawing(
                    "depths",
                    "winning rate of Conv8+BN (left) and accuracy of the engine (right) by depth",
                    lambda figure: _draw(figure, rates, likes, own),
                )
            ],
        )


def _claims(
    scale: Scale,
    rates: dict[int, Mean],
    likes: dict[int, Mean],
    own: Mean,
    engines: dict[int, Measures],
    seen: float,
) -> list[Claim]:
    depths = sorted(rates)
    falls = [rates[a] - rates[b] for a, b in itertools.pairwise(depths)]
    above = [n for n in depths if rates[n].value > 50]
    half = {n: (rates[n] - 50).positive for n in depths}
    rises = [likes[b] - likes[a] for a, b in itertools.pairwise(depths)]
    best = max(likes, key=lambda n: likes[n].value)
    leads = [own - one for one in likes.values()]
    words = ", ".join(f"{n}: {rates[n].value:.1f}" for n in depths)
    seconds = [engines[n]["seconds"] for n in depths]
    return [
        level_claim(
            scale, "Conv8+BN wins most games against depth 1", f"{rates[1]} % (paper: 87.5 against Edax-1)", half[1]
        ),
        level_claim(
            scale, "It still wins most games against depth 2", f"{rates[2]} % (paper: 59.4 against Edax-2)", half[2]
        ),
        level_claim(
            scale,
            "From depth 3 on it loses more than it wins",
            f"above 50 % at depths {above or 'none'}",
            all_of(opposite(half[n]) for n in depths if n >= 3),
        ),
        claim(scale, "Its winning rate falls with the depth", words, verdict(falls)),
        claim(
            scale,
            "The search's own accuracy grows with its depth up to 4",
            ", ".join(f"{n}: {likes[n]}" for n in depths),
            verdict(rises[:3]),
        ),
        claim(
            scale,
            "From depth 4 to 5 it does not",
            f"{rises[3].signed} points (paper: -0.1)" if len(rises) > 3 else "not measured at this scale",
            not_above(rises[3]) if len(rises) > 3 else None,
        ),
        level_claim(
            scale,
            "The net finds experts' moves more often than search at any depth",
            f"{own} % against at most {likes[best]} % (depth {best}): {(own - likes[best]).signed}; but "
            f"{seen:.1f} % of these test positions were among those the net learned from",
            verdict(leads),
        ),
        claim(
            scale,
            "Deeper search takes longer",
            ", ".join(f"{n}: {1e4 * engines[n]['seconds']:.2f}e-4 s" for n in depths),
            all(b > (1 - NOISE) * a for a, b in itertools.pairwise(seconds)) and seconds[-1] > seconds[0],
        ),
    ]


def _draw(figure: Figure, rates: dict[int, Mean], likes: dict[int, Mean], own: Mean) -> None:
    left, right = figure.subplots(1, 2)
    depths = sorted(rates)
    for panel, means, column, words in (
        (left, rates, 0, "winning rate of Conv8+BN (%)"),
        (right, likes, 2, "accuracy (%)"),
    ):
        values, errors = [means[n].value for n in depths], [means[n].error for n in depths]
        panel.errorbar(depths, values, errors, fmt="o-", color=COLOURS[0], capsize=3, label="ours: engine")
        panel.plot(depths, [PAPER[n][column] for n in depths], "s--", color="#999999", label="paper: Edax")
        panel.set_xticks(depths)
        panel.set_xlabel("depth of search")
        panel.set_ylabel(words)
        panel.grid(axis="y", color="#dddddd", linewidth=0.6)
    left.axhline(50, color="#999999", linewidth=0.8, linestyle=":")
    right.axhline(own.value, color=COLOURS[1], linewidth=1, label="our Conv8+BN")
    figure.legend(*right.get_legend_handles_labels(), loc="outside upper right", ncols=3, frameon=False)
