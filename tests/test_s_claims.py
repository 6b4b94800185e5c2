"""The claims of the studies of Schaul and Schmidhuber 2009: each turns out either way, as made-up measures tell it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from zeroply.learning.coevolution.host_parasite import HostParasiteConfig
from zeroply.studies import Unit, study
from zeroply.studies.schaul import fig7, table1, transfer
from zeroply.studies.schaul.beyond import HEURISTIC
from zeroply.studies.schaul.runs import NET
from zeroply.studies.schaul.scenarios import Printed, agreement, scaling
from zeroply.studies.schaul.sensitivity import COEVOLUTION
from zeroply.studies.schaul.table1 import PRINTED as UNTRAINED
from zeroply.studies.schaul.table2 import PRINTED as DOMINANCE
from zeroply.studies.schaul.table3 import PRINTED as TRAINED

Made = dict[str, Any]
"""Made-up measures of a unit."""


def found(name: str, make: Callable[[Unit], Made]) -> list[tuple[Unit, Made]]:
    return [(unit, make(unit)) for unit in study(name).units("paper", 1)]


def verdicts(name: str, make: Callable[[Unit], Made]) -> list[bool | None]:
    return [claim.holds for claim in study(name).report(found(name, make), "paper").claims]


def about(mean: float, n: int, seed: int = 1, spread: float = 0.02) -> list[float]:
    """Values with exactly this mean."""
    values = np.random.default_rng(seed).normal(0, spread, n)
    return list(values - values.mean() + mean)


def pair(r: float, p: float, nets: int = 200, seed: int = 1) -> Made:
    """Two boards with exactly this correlation, and this share of nets that do better on the larger one."""
    x, noise = np.random.default_rng(seed).normal(size=(2, nets))
    x, noise = x - x.mean(), noise - noise.mean()
    noise -= x * (noise @ x) / (x @ x)
    y = r * x / np.linalg.norm(x) + math.sqrt(1 - r * r) * noise / np.linalg.norm(noise)
    x = x / np.linalg.norm(x)
    lead = np.sort(y - x)[::-1]
    at = round(p * nets)
    shift = -(lead[at - 1] + lead[at]) / 2 if 0 < at < nets else -lead[0] - 1 if at == 0 else 1 - lead[-1]
    return {"small": x.tolist(), "large": (y + shift).tolist()}


def test_made_up_boards_are_what_they_say() -> None:
    made = scaling(*pair(0.3, 0.7).values())
    assert made.r.value == pytest.approx(0.3)
    assert made.p.value == pytest.approx(0.7)


# Agreement with the paper


def agreements(r: float, p: float, printed: Printed, nets: int = 20_000) -> list[bool | None]:
    return [claim.holds for claim in agreement("table I", {"x": (scaling(*pair(r, p, nets).values()), printed)})]


def test_agreement_needs_the_whole_interval_of_the_difference_within_the_margin() -> None:
    assert agreements(0.7, 0.5, Printed(0.7, 0.5))[::2] == [True, True]
    assert agreements(0.7, 0.5, Printed(0.2, 0.5))[::2] == [False, True]
    assert agreements(0.7, 0.5, Printed(0.7, 0.9))[::2] == [True, False]
    assert agreements(0.7, 0.5, Printed(0.7, 0.5), nets=8)[::2] == [None, None], "few nets prove no agreement"


def test_many_small_differences_in_the_same_direction_are_not_agreement() -> None:
    one = scaling(*pair(0.7, 0.5).values())
    apart = agreement("table I", {str(n): (one, Printed(0.6, 0.5)) for n in range(40)})
    assert [claim.holds for claim in apart[:2]] == [None, False]


# The studies


def test_fig2_tells_a_symmetric_map_from_another() -> None:
    rough = np.random.default_rng(1).normal(size=(19, 19))
    told = rough.copy()
    told[7:, 7:] += told[7:, 7:].T
    flat = np.zeros((19, 19))
    assert verdicts("S.fig2", lambda _: {"board": told.tolist(), "empty": flat.tolist()}) == [True, True]
    assert verdicts("S.fig2", lambda _: {"board": rough.tolist(), "empty": rough.tolist()}) == [False, False]


@pytest.mark.parametrize("name", ["S.fig3", "S.fig4"])
def test_percentiles_tell_apart_the_nets_and_the_boards(name: str) -> None:
    def make(means: dict[tuple[bool, int], float], drawn: float) -> Callable[[Unit], Made]:
        return lambda unit: {
            "scores": about(means[unit.settings["net"] == NET, unit.settings["size"]], 200),
            "drawn": drawn,
        }

    told = {(True, 5): 0.05, (True, 9): 0.5, (False, 5): -0.05, (False, 9): -0.5}
    contrary = {(True, 5): 0.4, (True, 9): 0.2, (False, 5): 0.5, (False, 9): 0.8}
    claims = 8 if name == "S.fig4" else 6
    assert verdicts(name, make(told, 0.9)) == [True] * claims
    assert verdicts(name, make(contrary, 0.1)) == [False] * claims
    if name == "S.fig4":  # wins and losses that even out are not draws
        assert verdicts(name, make(told, 0.1))[-2:] == [True, False]


def scenario_of(unit: Unit) -> tuple[str, str, int, int]:
    name, opponent, small, large = (unit.settings[key] for key in ("game", "opponent", "small", "large"))
    return name, opponent, small, large


def test_fig5_and_table1_tell_scaling_nets_from_others() -> None:
    def told(unit: Unit) -> Made:
        printed = UNTRAINED[scenario_of(unit)]
        return pair(printed.r, printed.p, 5_000)

    assert verdicts("S.table1", told) == [True] * 15
    assert verdicts("S.table1", lambda _: pair(-0.7, 0.1)) == [False] * 15
    assert verdicts("S.fig5", told)[:4] == [True, True, None, True], "two scenarios are few for a mean"
    assert verdicts("S.fig5", lambda _: pair(-0.7, 0.1)) == [False] * 5


def test_nets_are_divided_as_in_a_mixture() -> None:
    assert table1.in_proportion({(1, 1): 30, (5, 1): 60, (5, 10): 10}, 200) == {(1, 1): 60, (5, 1): 120, (5, 10): 20}
    for mixture in table1.MIXTURES.values():
        for nets in (4, 100, 200):
            assert sum(table1.in_proportion(mixture, nets).values()) == nets
    assert table1.MIXTURES.keys() == UNTRAINED.keys()


def test_correlations_are_compared_in_standard_errors() -> None:
    scenario = ("Atari-Go", "random", 5, 9)  # printed 0.81; 1,078 nets of the authors
    assert table1.errors_apart(scaling(*pair(0.81, 0.7).values()), scenario) == pytest.approx(0, abs=1e-6)
    error = math.sqrt(1 / 197 + 1 / 1075)
    expected = (math.atanh(0.81) - math.atanh(0.7)) / error
    assert table1.errors_apart(scaling(*pair(0.7, 0.7).values()), scenario) == pytest.approx(expected)


def test_table2_tells_elitist_runs_from_others() -> None:
    def told(unit: Unit) -> Made:
        mean, _ = DOMINANCE[unit.settings["game"], unit.settings["elitist"]]
        places = list(range(round(mean) + unit.seed % 2))
        return {"dominant": places, "with ties": places, "generations": 400}

    def contrary(unit: Unit) -> Made:
        places = list(range(5 if unit.settings["elitist"] else 60))
        return {"dominant": places, "with ties": places, "generations": 400}

    assert verdicts("S.table2", told) == [True, None, True] * 2, "the paper's five runs vary too much"
    assert verdicts("S.table2", contrary) == [False] * 6


def test_each_version_of_table2_counts_by_its_own_rule() -> None:
    def made(unit: Unit) -> Made:
        return {"dominant": [1, 2, 3], "with ties": list(range(1, 31 + unit.seed % 2)), "generations": 400}

    rows = study("S.table2").report(found("S.table2", made), "paper").tables[0].rows
    assert {row["ours, as the text"].value for row in rows} == {3}
    assert {row["ours, as the scripts"].value for row in rows} == {30.6}


def test_fig6_tells_runs_that_learn_from_others() -> None:
    def told(unit: Unit) -> Made:
        score = (0.6 if unit.settings["game"] == "Gomoku" else 0.5) + 0.01 * (unit.seed % 3)
        return {"best": about(score, 200), "mean": about(0, 200), "won": 0.8, "drawn": 0.0, "score": score}

    def contrary(unit: Unit) -> Made:
        score = (0.92 if unit.settings["game"] == "Gomoku" else 0.95) + 0.001 * (unit.seed % 3)
        return {"best": list(range(200)), "mean": about(0, 200), "won": 0.2, "drawn": 0.7, "score": score}

    assert verdicts("S.fig6", told) == [True] * 4
    assert verdicts("S.fig6", contrary) == [False] * 4


def curve(strength: Callable[[float], float], dominant: list[int]) -> Callable[[Unit], Made]:
    """A run whose champions have this strength at each share of the run, measured with chance, then in fresh games."""

    def make(unit: Unit) -> Made:
        rng = np.random.default_rng(unit.seed)
        truth = np.array([strength(share) for share in np.linspace(0, 1, 400)])
        scores = truth + rng.normal(0, 0.08, 400)
        places = [number - 1 for number in dominant]
        picked = sorted({*places, *(fig7.best_so_far(scores, p) for p in places), *fig7.steepest_fall(scores)})
        return {
            "performance": scores.tolist(),
            "dominant": dominant,
            "picked": [place + 1 for place in picked],
            "again": (truth + rng.normal(0, 0.02, 400))[picked].tolist(),
        }

    return make


def test_fig7_tells_falls_and_weak_dominant_champions_from_chance() -> None:
    dominant = [1, 300, 350, 400]
    assert verdicts("S.fig7", curve(lambda share: math.sin(2 * math.pi * share) / 2, dominant)) == [True, True]
    assert verdicts("S.fig7", curve(lambda share: 40 * share, dominant)) == [False, False]
    constant = verdicts("S.fig7", curve(lambda _: 0.2, dominant))  # only chance moves the curve
    assert constant[0] is not True
    assert constant[1] is False


def test_fig8_tells_circles_and_longer_games_from_an_order() -> None:
    ranks = np.arange(200)

    def told(unit: Unit) -> Made:
        trend = (ranks[:, None] - ranks[None, :]) / 1000
        scores = np.random.default_rng(unit.seed).choice([-0.5, 0.5], (200, 200)) + trend
        moves = {"moves early": 12.0, "moves late": 14.0 + 0.1 * unit.seed}
        return {"scores": scores.tolist(), **moves, "circles": 20, "triples": 100, "flips": 2, "pairs": 100}

    def contrary(unit: Unit) -> Made:
        scores = np.where(ranks[:, None] > ranks[None, :], -0.5, 0.5)
        moves = {"moves early": 14.0 + 0.1 * unit.seed, "moves late": 12.0}
        return {"scores": scores.tolist(), **moves, "circles": 5, "triples": 100, "flips": 10, "pairs": 100}

    assert verdicts("S.fig8", told) == [True] * 4
    assert verdicts("S.fig8", contrary) == [False] * 4


def test_fig9_tells_many_games_from_few() -> None:
    def make(different: int) -> Callable[[Unit], Made]:
        sizes = {f"{what} {size}": n for what, n in (("different", different), ("won", 9)) for size in (5, 9)}
        games = {f"moves {size}": [[1, 2], [3, 4]] for size in (5, 9)}
        openings = {f"different openings {size}": 3 for size in (5, 9)}
        return lambda _: {"whites": 200, "black": 399, "generations": [2, 4], **sizes, **games, **openings}

    assert verdicts("S.fig9", make(150)) == [True]
    assert verdicts("S.fig9", make(20)) == [False]


def test_table3_and_fig10_tell_what_training_changes() -> None:
    def told(unit: Unit) -> Made:
        name, method, small, large = (unit.settings[key] for key in ("game", "method", "small", "large"))
        if method == "Untrained":
            printed = UNTRAINED[name, "naive", small, large]
            return pair(printed.r, printed.p, 5_000)
        trained = TRAINED[name, method, small, large]
        return pair(trained.r, max(trained.p, 0.68), 5_000)  # ten runs cannot tell 0.61 from a half

    def contrary(unit: Unit) -> Made:
        return pair(0.2, 0.5) if unit.settings["method"] == "Untrained" else pair(0.9, 0.05, 400)

    agree = [True, True, None, True]  # six scenarios are few for a mean
    made = verdicts("S.table3", told)
    assert made[:2] + made[2:6] + made[7:11] == [True, True, *agree, *agree]
    assert verdicts("S.table3", contrary) == [False] * 12
    assert verdicts("S.fig10", told) == [True]
    assert verdicts("S.fig10", contrary) == [False]


def test_sensitivity_tells_settings_that_matter_from_others() -> None:
    def make(shifts: dict[str, float]) -> Callable[[Unit], Made]:
        def scores(unit: Unit) -> Made:
            shift = shifts.get(unit.settings["variant"], shifts.get("others", 0.0))
            runs = about(0.3 + shift, 200 if unit.settings["what"] == "untrained" else 5)
            return {"scores": runs if unit.settings["what"] == "untrained" else [runs[unit.seed - 1]]}

        return scores

    usual = {"(10+10)": 0.0, "2 x 15, greedy": 0.0}
    told = {"hill-climbing (1+1)": -0.5, "2 x 5, greedy": -0.3}
    contrary = {"hill-climbing (1+1)": 0.0, "2 x 5, greedy": 0.3, "mlp(hidden=20)": -0.5, "others": 0.5}
    assert verdicts("S.sensitivity", make({**usual, **told})) == [True] * 5
    assert verdicts("S.sensitivity", make({**usual, **contrary})) == [False] * 5


def board_runs(p: float, level: float = 0.0, nets: int = 40) -> Made:
    """A run of which this share does better on the larger board, where the nets have about this performance."""
    better = np.arange(nets) < round(p * nets)
    return {"small": [level] * nets, "large": np.where(better, level + 0.01, level - 0.01).tolist()}


def test_transfer_tells_readings_and_runs_apart() -> None:
    def told(unit: Unit) -> Made:
        if unit.settings["variant"] == transfer.PAPER:
            return board_runs((unit.seed - 1) / 10, 0.1)
        if unit.settings["variant"] == "4 games an evaluation":
            return board_runs((unit.seed - 1) / 4, 0.2)
        level = 0.3 if unit.settings["variant"] == transfer.BOTH else -0.9
        return board_runs(0.9 + 0.01 * unit.seed, level)

    def contrary(unit: Unit) -> Made:
        p = 0.1 if unit.settings["variant"] in (transfer.SMALL, transfer.BOTH) else 0.3
        return board_runs(p, p)

    assert verdicts("S.transfer", told) == [True] * 6
    assert verdicts("S.transfer", contrary) == [False] * 6


def test_an_experiment_is_no_reading_of_the_paper() -> None:
    made = verdicts("S.transfer", lambda unit: board_runs(1.0 if unit.settings["variant"] == transfer.SMALL else 0.1))
    assert made[:2] == [False, False]


def larger_boards(r: float, p: float, gain: Callable[[Unit], float], points: tuple[int, int]) -> Callable[[Unit], Made]:
    """Untrained nets with a correlation, runs of trained ones with a share p and a gain on the larger boards."""

    def make(unit: Unit) -> Made:
        if "LSTM" in unit.name:
            return {"nets": 76, "r": r, "better": 40}
        if unit.settings["net"] is None:
            small, large = (5, 9) if unit.settings["game"] == "Atari-Go" else (7, 11)
            return {"games": 1000, f"points {small}": points[0], f"points {large}": points[1]}
        fresh = unit.settings["learned"] is None
        low, high = (pair(r, 0.5) if fresh else pair(0.0, p, 400)).values()
        shift = np.repeat([-0.01, 0.02, 0.0, -0.02, 0.01], 80) + gain(unit) if not fresh else 0.0
        boards = {f"on {size}": low for size in (5, 6, 7)}
        boards |= {f"on {size}": (np.array(high) + shift).tolist() for size in (8, 9, 10, 11)}
        return {"runs": [1] * 200 if fresh else [80] * 5, **boards}

    return make


def test_beyond1_tells_better_nets_from_worse_ones() -> None:
    assert (
        verdicts("S.beyond1", larger_boards(0.7, 0.5, lambda u: float(u.settings["net"] != NET), (0, 0))) == [True] * 3
    )
    worse = larger_boards(-0.7, 0.5, lambda u: -float(u.settings["net"] != NET), (0, 0))
    assert verdicts("S.beyond1", worse) == [False] * 3


def test_beyond2_tells_whether_nets_and_the_opponent_scale() -> None:
    assert HEURISTIC.keys() == {"Atari-Go", "Gomoku"}
    assert verdicts("S.beyond2", larger_boards(0.7, 0.9, lambda _: 0.0, (250, 255))) == [True] * 3
    assert verdicts("S.beyond2", larger_boards(-0.7, 0.1, lambda _: 0.0, (540, 240))) == [False] * 3


def test_beyond3_tells_whether_what_is_learned_is_of_use() -> None:
    assert verdicts("S.beyond3", larger_boards(0.0, 0.5, lambda _: 0.5, (0, 0))) == [True]
    assert verdicts("S.beyond3", larger_boards(0.0, 0.5, lambda _: -0.5, (0, 0))) == [False]


@pytest.mark.parametrize("variant", COEVOLUTION)
def test_every_variant_of_coevolution_is_a_valid_configuration(variant: str) -> None:
    config = replace(HostParasiteConfig(), **COEVOLUTION[variant])
    assert {name: getattr(config, name) for name in COEVOLUTION[variant]} == COEVOLUTION[variant]
