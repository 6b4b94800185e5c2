"""The studies of Lin and White 2009: all run at smoke, runs are made once, each claim can turn out either way."""

from __future__ import annotations

import csv
import fcntl
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from study_smoke import Smoke
from tiny_net import member_player
from zeroply import chance
from zeroply.arena.openings import openings
from zeroply.arena.play import play
from zeroply.errors import ZeroplyError
from zeroply.learning.coevolution import lin_white
from zeroply.players import player
from zeroply.runs import Run, RunRecord
from zeroply.studies import Folders, Scale, Unit, study
from zeroply.studies.claims import above
from zeroply.studies.lin_white import runs
from zeroply.studies.lin_white.curves import Ladder, share_of_seeds
from zeroply.studies.lin_white.fig6_fig7 import Window, delays
from zeroply.studies.lin_white.fig8 import Survival
from zeroply.studies.lin_white.observers import who_wins
from zeroply.studies.lin_white.strategies import DESCRIBED
from zeroply.studies.measured import split_columns
from zeroply.studies.report import can_draw
from zeroply.studies.study import Units

NAMES = ["W.fig4", "W.fig5", "W.fig6", "W.fig7", "W.fig8", "W.mobility", "W.iagno"]
NAMES += ["W.chong", "W.readings", "W.rounding", "W.observers", "W.selection", "W.beyond1", "W.beyond2"]


@pytest.mark.parametrize("name", NAMES)
def test_a_study_runs_at_smoke_and_writes_and_draws_what_it_found(smoke: Smoke, name: str) -> None:
    folder, report = smoke(name)
    text = (folder / "report.md").read_text()
    assert "This is the smoke scale" in text
    assert "Lin and White" in text
    assert report.claims
    for claim in report.claims:
        assert claim.text in text
        assert claim.holds is None
    for table in report.tables:
        with open(folder / f"{table.name}.csv", newline="") as file:
            expected = [{k: str(v) for k, v in split_columns(row).items()} for row in table.rows]
            assert list(csv.DictReader(file)) == expected
    for drawing in report.drawings if can_draw() else ():
        assert (folder / f"{drawing.name}.png").read_bytes().startswith(b"\x89PNG")


def evolved(results: Path, variant: runs.Variant = runs.OWN) -> RunRecord:
    """The smoke run of a variant, which tests share; test workers take turns."""
    with open(results / "in-use", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return runs.evolved(Folders(results), variant.unit("smoke", 1), lambda *_: None)


def test_all_figures_look_at_the_same_run(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evolved(results)
    monkeypatch.setattr("zeroply.studies.shared_runs.run_experiment", None)  # no run can be made
    monkeypatch.setattr("zeroply.studies.shared_runs.resume", None)
    for name in ("W.fig5", "W.fig8", "W.mobility"):
        one = study(name)
        one.folders = Folders(results)
        assert one.measure(runs.OWN.unit("smoke", 1), lambda *_: None)


def test_a_run_of_the_command_is_taken_and_another_is_refused(tmp_path: Path) -> None:
    unit = runs.OWN.unit("smoke", 3)
    folder = tmp_path / runs.FOLDER / "smoke" / "queen-fair-3"
    config = runs.config_of(runs.OWN, "smoke", 3)
    made = lin_white.coevolve(config, run=folder)
    record = runs.evolved(Folders(tmp_path), unit, lambda *_: None)
    assert lin_white.LinWhite.read(record) == made
    lin_white.coevolve(runs.config_of(runs.Variant("king"), "smoke", 3), run=tmp_path / "other")
    (tmp_path / "other").rename(tmp_path / runs.FOLDER / "smoke" / "queen-fair-4")
    with pytest.raises(ZeroplyError, match="holds a run made with another net: remove that folder"):
        runs.evolved(Folders(tmp_path), runs.OWN.unit("smoke", 4), lambda *_: None)


def test_counts_are_of_all_who_climbed_at_least_so_high() -> None:
    assert runs.counts([[-1, 0, 2], [4, 4, -1]], 4) == {"0": [2, 2], "2": [1, 2], "4": [0, 2]}


def test_the_zoom_sees_what_the_observers_of_the_run_saw(results: Path) -> None:
    record = evolved(results)
    zoom = runs.zoomed(record, runs.SIZES["smoke"].zoom, lambda *_: None)
    seen = dict(lin_white.LinWhite.read(record).observed)
    compared = 0
    for at, generation in enumerate(range(zoom["first"], zoom["last"] + 1)):
        if generation in seen:
            compared += 1
            for strategy in runs.ZOOMED:
                expected = runs.counts([seen[generation][strategy]], 2)
                assert {depth: [those[at]] for depth, those in zoom["beaten"][strategy].items()} == expected
    assert compared


def test_every_scale_has_its_units() -> None:
    scales: tuple[Scale, ...] = ("smoke", "cpu", "paper")
    for name in NAMES:
        for scale in scales:
            units = study(name).units(scale, 3)
            assert len({unit.name for unit in units}) == len(units)
    assert len(study("W.chong").units("paper", 2)) == 8
    assert runs.SIZES["paper"].generations == 10_000


# Claims, with made-up runs


def ladder_found(strategy_counts: Mapping[str, Callable[[float], float]], seeds: int = 5) -> Units:
    """Runs at the paper's scale in which so many of 50 nets beat a ply-depth at each generation."""
    generations = list(range(50, 10_001, 50))
    beaten = {depth: [float(curve(g)) for g in generations] for depth, curve in strategy_counts.items()}
    measures = {"generations": generations, "beaten": beaten, "parents": 50}
    return [(runs.OWN.unit("paper", seed), measures) for seed in range(1, seeds + 1)]


def verdicts(name: str, found: Units) -> list[bool | None]:
    return [claim.holds for claim in study(name).report(found, "paper").claims]


def test_fig4_tells_the_papers_run_from_one_that_learned_nothing() -> None:
    as_told = {
        "0": lambda g: 50,
        "2": lambda g: 30 if g < 6_000 else 50,
        "4": lambda g: 0 if g < 4_500 else 50 if g >= 7_000 else 30,
        "6": lambda g: 10 if 4_500 <= g < 4_700 else 0,
    }
    assert verdicts("W.fig4", ladder_found(as_told)) == [True] * 5
    assert verdicts("W.fig4", ladder_found(dict.fromkeys("0246", lambda g: 0))) == [False] * 5
    one_net = {**as_told, "6": lambda g: 1 if g == 4_500 else 0}
    stays = {**as_told, "6": lambda g: 20 if g >= 4_500 else 0}
    assert [verdicts("W.fig4", ladder_found(these))[4] for these in (one_net, stays)] == [False, False]


def test_fig5_tells_a_sudden_shift_from_a_slow_one() -> None:
    def shift(at: float) -> Callable[[float], float]:
        return lambda g: 40 if g >= at else 0

    as_told: dict[str, Callable[[float], float]] = {"0": lambda g: 50, **{d: shift(4_500) for d in "46"}}
    as_told["2"] = lambda g: 40 if g >= 4_500 else 30 if g == 100 else 0
    assert verdicts("W.fig5", ladder_found(as_told)) == [True] * 4
    slow = {"0": lambda g: 50, "2": shift(4_500), "4": shift(5_000), "6": shift(9_950)}
    assert verdicts("W.fig5", ladder_found(slow)) == [False, None, False, False]
    nothing_new = {depth: shift(0) for depth in "0246"}
    assert verdicts("W.fig5", ladder_found(nothing_new)) == [True, False, None, True]
    unable = {"0": lambda g: 50, **{d: shift(20_000) for d in "246"}}
    assert verdicts("W.fig5", ladder_found(unable)) == [False, None, False, False]
    flickers = {**as_told, "2": lambda g: 40 if g % 400 == 0 or g >= 4_500 else 0}
    assert verdicts("W.fig5", ladder_found(flickers))[2] is None  # never lost for long


def test_most_seeds_have_to_be_clearly_most() -> None:
    def holds(outcomes: list[bool | None]) -> bool | None:
        return above(0.5).holds(share_of_seeds(outcomes).interval())

    assert holds([True] * 5) is True
    assert holds([False] * 5) is False
    assert holds([True, True, True, True, False]) is None
    assert holds([True] * 5 + [None] * 6) is True
    assert holds([None, None]) is None
    assert holds([]) is None


def test_mobility_tells_an_ability_that_is_lost_from_one_that_stays() -> None:
    lost = {"0": lambda g: 40, "2": lambda g: g / 200 if g < 5_000 else 0, "4": lambda g: 0}
    assert verdicts("W.mobility", ladder_found(lost)) == [True] * 3
    stays = {"0": lambda g: 10, "2": lambda g: 20, "4": lambda g: 0}
    assert verdicts("W.mobility", ladder_found(stays)) == [False] * 3
    hardly = {"0": lambda g: 10, "2": lambda g: 0.2 if 4_000 <= g <= 5_000 else 0, "4": lambda g: 0}
    assert verdicts("W.mobility", ladder_found(hardly)) == [False, None, False]
    assert verdicts("W.iagno", ladder_found(lost)) == [True]
    assert verdicts("W.iagno", ladder_found(stays)) == [False]


def survival_found(
    curve: Callable[[float], float], variant: runs.Variant = runs.OWN
) -> list[tuple[Unit, dict[str, Any]]]:
    generations = list(range(50, 10_001, 50))
    times = [float(curve(g)) for g in generations]
    measures: dict[str, Any] = {"generations": generations, "survival": times, "fresh": [20.0] * len(times)}
    measures |= {"oldest": times, "kept": [5_000, 10_000], "repeatability": [0.1, 0.2], "inheritance": [0.0, 0.3]}
    measures |= {
        "weights": [1.0, 2e5],
        "steps": [0.1, 2e4],
        "a tenth": [0.3, 0.7],
        "games": [50.0, 5.0],
        "above 0": [0.5, 0.9],
    }
    return [(variant.unit("paper", seed), measures) for seed in range(1, 7)]


def test_fig8_tells_rising_survival_from_none() -> None:
    assert verdicts("W.fig8", survival_found(lambda g: 5 if g < 5_000 else 5 + (g - 5_000) / 8)) == [True] * 4
    assert verdicts("W.fig8", survival_found(lambda g: 12)) == [False] * 4
    assert verdicts("W.fig8", survival_found(lambda g: 5 if g < 5_000 else g - 4_995)) == [True, True, True, False]
    late = survival_found(lambda g: 5 if g < 8_000 else g / 16)
    assert verdicts("W.fig8", late) == [True, False, True, True]
    collapsed = survival_found(lambda g: 5 if not 5_000 <= g < 8_000 else 200)
    assert verdicts("W.fig8", collapsed) == [True, False, False, False]
    early = survival_found(lambda g: 5 if g < 3_900 else 200)
    assert verdicts("W.fig8", early) == [False, False, True, False]


def test_survival_times_in_numbers() -> None:
    def times(found: Units) -> Survival:
        return Survival.of([measures for _, measures in found], "survival")

    steady = times(survival_found(lambda g: g))
    assert steady.rise.value == pytest.approx(9_500 / 525, rel=0.02)
    assert steady.highest().runs == (10_000,) * 6
    assert steady.highest(4_000).value == 4_000
    assert steady.end.value == pytest.approx(9_500, rel=0.01)
    assert times(survival_found(lambda g: 9)).long == [None] * 6
    assert times(survival_found(lambda g: 9 if g < 500 else 10)).long == [500] * 6
    hundreds, ten = survival_found(lambda g: 10 + 90 * (g == 5_000)), survival_found(lambda g: 10)
    assert times(hundreds).converged.value == 1
    assert times([*hundreds[:1], *ten[:2]]).converged.value == pytest.approx(1 / 3)


def settings_found(
    name: str, rises: set[str], wins: Mapping[str, tuple[float, ...]]
) -> list[tuple[Unit, dict[str, Any]]]:
    """Six runs per setting: survival rises in some; the number of nets of each run that beat everything in the end."""
    settings: list[tuple[Unit, dict[str, Any]]] = []
    for variant in study(name).variants:  # type: ignore[attr-defined]
        rising = variant.name in rises
        survival = survival_found(lambda g, rising=rising: g / 16 if rising else 5, variant)  # type: ignore[misc]
        for (unit, measures), number in zip(survival, wins.get(variant.name, (3,) * 6), strict=True):
            ((_, ladder),) = ladder_found(dict.fromkeys("0246", lambda g, number=number: number), 1)  # type: ignore[misc]
            ladders = dict.fromkeys(("positional", "pieces", "mobility", "iagno"), ladder)
            strength = {"generations": [5_000, 10_000], **{name: [0.5, 0.6] for name in runs.YARDSTICKS}}
            settings.append(
                (unit, {"survival": measures, "ladders": ladders, "repeated": measures, "strength": strength})
            )
    return settings


def test_chong_tells_apart_what_layer_and_tournament_do() -> None:
    new, unfair, fair, old = (f"{layer}-{how}" for layer in ("queen", "subsquares") for how in ("fair", "unfair"))

    def found(rises: set[str], wins: Mapping[str, tuple[float, ...]]) -> list[bool | None]:
        return verdicts("W.chong", settings_found("W.chong", rises, wins))

    assert found({new}, {new: (40, 40, 41, 40, 40, 40)}) == [True] * 3
    assert found({new}, {new: (5, 6, 7, 6, 5, 6), old: (40,) * 6})[2] is False
    assert found({new}, {new: (5, 6, 45, 20, 45, 30), old: (40,) * 6})[2] is None
    assert found({new, unfair, old}, {old: (40,) * 6}) == [False] * 3
    assert found(set(), dict.fromkeys((new, unfair, fair, old), (0,) * 6)) == [True, None, None]


def test_both_readings_of_the_papers_mutation_are_told_side_by_side() -> None:
    able = ladder_found(dict.fromkeys("0246", lambda g: 50))
    unable = ladder_found(dict.fromkeys("0246", lambda g: 0))
    found = [*unable, *((runs.SAME.unit("paper", unit.seed), measures) for unit, measures in able)]
    report = study("W.iagno").report(found, "paper")
    assert [(claim.text.partition(":")[0], claim.holds) for claim in report.claims] == [
        ("queen-fair", False),
        ("queen-same-fair", True),
    ]
    assert {(row["setting"], row["ply-depth 0"].value) for row in report.tables[0].rows} == {
        ("queen-fair", 0),
        ("queen-same-fair", 50),
    }
    assert "5 seeds" in report.text


@pytest.mark.parametrize("number", [50, 3])
def test_rounding_asks_all_that_the_paper_says_of_its_figures(number: float) -> None:
    found = settings_found("W.rounding", {"queen-tanh-same-fair"}, {"queen-tanh-same-fair": (number,) * 6})
    told = study("W.rounding").report(found, "paper").claims
    asked = {"W.fig4": "positional", "W.fig5": "pieces", "W.mobility": "mobility", "W.iagno": "iagno"}
    expected = []
    for name, strategy in asked.items():
        ladders = [(unit, measures["ladders"][strategy]) for unit, measures in found]
        expected += [(f"{strategy}: ", one.holds) for one in study(name).report(ladders, "paper").claims]
    expected += [
        ("", one.holds) for one in study("W.fig8").report([(u, m["survival"]) for u, m in found], "paper").claims
    ]
    assert [one.holds for one in told] == [holds for _, holds in expected]
    assert all(one.text.startswith(begin) for one, (begin, _) in zip(told, expected, strict=True))
    assert {one.holds for one in told} >= {True, False}


def test_readings_are_told_apart_by_their_survival_times() -> None:
    found = settings_found("W.readings", {"queen-lasting"}, {})
    assert verdicts("W.readings", found) == [False] * 5  # a steady rise is too early
    late = survival_found(lambda g: 5 if g < 5_000 else g / 16, study("W.readings").variants[1])  # type: ignore[attr-defined]
    found[6:12] = [(unit, {**found[0][1], "survival": measures}) for unit, measures in late]
    assert verdicts("W.readings", found) == [False, True, False, False, False]


def test_a_plan_is_stored_in_its_unit() -> None:
    for variant in (runs.OWN, runs.Variant(times=10), runs.Variant("subsquares", bare=True)):
        assert runs.variant_of(variant.unit("paper", 1)) == variant


def test_bare_nets_are_not_given_the_disc_difference() -> None:
    given, bare = (lin_white.spatial_net(runs.Variant("subsquares", bare=bare).net) for bare in (False, True))
    assert (given.discs, bare.discs) == (True, False)
    assert given.parameters == bare.parameters
    assert {lin_white.spatial_net(variant.net).discs for variant in study("W.beyond1").variants} == {False}  # type: ignore[attr-defined]


def test_the_strength_of_nets_that_know_nothing_is_told(smoke: Smoke) -> None:
    _, report = smoke("W.selection")
    (strength,) = [table for table in report.tables if table.name == "strength"]
    assert [row["generation"] for row in strength.rows if row["setting"] == "queen-fair"] == [0, 2, 4]


GAMES = 40


def test_strength_is_what_a_match_with_these_nets_says(tmp_path: Path) -> None:
    config = runs.config_of(runs.OWN, "smoke", 1)
    lin_white.coevolve(config, run=tmp_path / "run")
    told = runs.strength_measures(Run.read(tmp_path / "run"), GAMES)
    net = lin_white.spatial_net(config.net)
    first = lin_white.first_parents(config, net).weights
    points = []
    for number in range(GAMES // 2):
        opening = openings("random(plies=8)", net.game, 1, GAMES // 2).positions(number, number + 1)
        for game_number, (black, sign) in enumerate(((0, 1), (1, -1)), 2 * number):
            players = [member_player(net, first[number % len(first)]), player("greedy", net.game)]
            keys = chance.keys(chance.key(1, "strength"), np.array([game_number]))
            played = play(players, np.array([[black, 1 - black]]), opening, keys)
            points.append((1 + sign * int(played.winner[0])) / 2)
    assert told["greedy"][0] == pytest.approx(np.mean(points), abs=1e-4)


def test_the_strategies_as_read_win_what_they_win_in_their_own_study() -> None:
    one = study("W.strategies")
    units = {unit.name: unit for unit in one.units("cpu", 1)}
    won = []
    for depth, white, black, _ in DESCRIBED:
        counts = one.measure(units[f"ply-depth {depth} {black}-{white} game seed 1"], lambda *_: None)
        won.append("White" if counts["wins"] else "drawn" if counts["draws"] else "Black")
    assert who_wins() == won
    assert who_wins(["positional"]) != won


def test_observers_tell_whether_reversed_strategies_fit_better() -> None:
    def found(as_read: float, reversed_: float, winners: Mapping[str, list[str]]) -> Units:
        ((_, unable),) = ladder_found(dict.fromkeys("0246", lambda g: as_read), 1)
        ((_, able),) = ladder_found(dict.fromkeys("0246", lambda g: reversed_), 1)
        measures = {"positional": unable, "positional(reversed=true)": able}
        measures |= {"pieces": unable, "pieces(reversed=true)": able}
        nets = [(runs.OWN.unit("paper", seed), measures) for seed in (1, 2)]
        return [*nets, (Unit("games", {"scale": "paper"}), winners)]

    as_told = ["White", "Black", "White", "White", "White", "White", "Black"]
    otherwise = ["Black", *as_told[1:]]
    games = {"none": otherwise, "positional": as_told}
    assert verdicts("W.observers", found(3, 40, games)) == [False, False, True, True] * 2 + [False, True]
    assert verdicts("W.observers", found(40, 3, games)) == [True, True, False, False] * 2 + [False, True]
    claims = study("W.observers").report(found(3, 40, games), "paper").claims
    assert [claim.words for claim in claims[-2:]] == ["6 (games)", "7 (games)"]


def test_the_observers_as_read_are_those_of_the_run(smoke: Smoke, results: Path) -> None:
    folder, _ = smoke("W.observers")
    seen = dict(lin_white.LinWhite.read(Run.read(results / runs.FOLDER / "smoke" / "queen-fair-1")).observed)
    with open(folder / "ladders.csv", newline="") as file:
        first, row = [row for row in csv.DictReader(file) if row["setting"] == "queen-fair"]
    assert first["generation"] == "0"
    for strategy in ("positional", "pieces"):
        for depth, (count,) in runs.counts([seen[int(row["generation"])][strategy]], 2).items():
            assert float(row[f"{strategy} {depth}"]) == count


def learned_found(name: str, ends: Mapping[str, tuple[float, ...]]) -> Units:
    """Runs of each setting, whose repeatability, and score against greedy for each seed, end so."""
    found: list[tuple[Unit, dict[str, Any]]] = []
    for variant, (_, measures) in zip(study(name).variants, settings_found(name, set(), {})[::6], strict=True):  # type: ignore[attr-defined]
        repeatability, *scores = ends[variant.name]
        repeated = {**measures["repeated"], "repeatability": [0.1, repeatability]}
        for seed, score in enumerate(scores, 1):
            strength = {"generations": [5_000, 10_000], **{name: [0.5, score] for name in runs.YARDSTICKS}}
            found.append((variant.unit("paper", seed), {**measures, "repeated": repeated, "strength": strength}))
    return found


def test_selection_tells_whether_both_are_needed() -> None:
    ends = {
        "queen-fair": (0.1, 0.5, 0.51, 0.5, 0.5),
        "queen-common-fair": (0.1, 0.55, 0.5, 0.5, 0.5),
        "queen-x10-fair": (0.4, 0.55, 0.56, 0.5, 0.52),
    }
    both = learned_found("W.selection", {**ends, "queen-common-x10-fair": (0.5, 0.7, 0.75, 0.7, 0.7)})
    assert verdicts("W.selection", both) == [True, True]
    one = {**ends, "queen-x10-fair": (0.4, 0.9, 0.9, 0.91, 0.9), "queen-common-x10-fair": (0.05, 0.7, 0.75, 0.7, 0.7)}
    assert verdicts("W.selection", learned_found("W.selection", one)) == [False, False]
    some = [(unit, measures) for unit, measures in both if "x10" not in unit.name]
    assert verdicts("W.selection", some) == [None, None]
    alone = [(unit, measures) for unit, measures in both if unit.seed == 1]
    assert verdicts("W.selection", alone) == [None, None]


@pytest.mark.parametrize(
    ("queen", "king", "holds"),
    [
        ((0.8, 0.79, 0.8, 0.81), (0.5, 0.51, 0.52, 0.5), True),
        ((0.5, 0.51, 0.5, 0.5), (0.8, 0.8, 0.81, 0.8), False),
        ((0.8, 0.5, 0.8, 0.6), (0.6, 0.7, 0.6, 0.6), None),
    ],
)
def test_beyond1_tells_which_layer_serves_best(
    queen: tuple[float, ...], king: tuple[float, ...], holds: bool | None
) -> None:
    ends = {variant.name: (0.5, *(0.4 for _ in queen)) for variant in study("W.beyond1").variants}  # type: ignore[attr-defined]
    ends |= {"queen-common-x10-fair": (0.5, *queen), "king-common-x10-fair": (0.5, *king)}
    found = learned_found("W.beyond1", ends)
    assert verdicts("W.beyond1", found) == [holds]
    assert verdicts("W.beyond1", [one for one in found if one[0].seed == 1]) == [None]


def league_found(queens: Sequence[float], before: Sequence[float], fixed: float, expert: float, width: float) -> Units:
    """A league at the paper's scale with these ratings, all with intervals of one width."""
    elos = {f"W queen{same}-fair seed {n}": elo for same in ("", "-same") for n, elo in enumerate(queens, 1)}
    elos |= {f"W subsquares-unfair seed {n}": elo for n, elo in enumerate(before, 1)}
    elos |= {"positional": fixed, "pieces": fixed - 30, "mobility": fixed - 50, "expert games": expert}
    players = [
        {"name": name, "elo": elo, "elo_interval": [elo - width, elo + width], "score": 0.5}
        for name, elo in elos.items()
    ]
    league = study("W.beyond2").units("paper", len(queens))[-1]
    return [(league, {"players": players, "games": 2_000})]


def test_beyond2_compares_means_and_leaves_open_what_intervals_do_not_decide() -> None:
    stronger = league_found([100, 120, 110], [-100, -80, -90], -200, 500, 30)
    assert verdicts("W.beyond2", stronger) == [True] * 6
    weaker = league_found([-420, -400, -410], [100, 110, 120], -200, -600, 30)
    assert verdicts("W.beyond2", weaker) == [False] * 6
    assert verdicts("W.beyond2", league_found([100, 120, 140], [90, 70, 150], 80, 150, 30)) == [None] * 6
    assert verdicts("W.beyond2", league_found([100], [-100], -200, 500, 30)) == [None] * 6


def test_beyond2_judges_each_reading_by_its_own_champions() -> None:
    ((unit, measures),) = league_found([100, 120, 140], [-100, -80, -60], -200, 500, 30)
    for row in measures["players"]:
        if "queen-same" in row["name"]:
            row["elo"] = row["elo"] - 600
            row["elo_interval"] = [row["elo"] - 30, row["elo"] + 30]
    assert verdicts("W.beyond2", [(unit, measures)]) == [True, False, True, True, True, False]


def test_beyond2_has_as_many_champions_of_the_predecessor() -> None:
    names = [unit.name for unit in study("W.beyond2").units("paper", 3)]
    assert sum(name.startswith("queen-fair") for name in names) == 3
    assert sum(name.startswith("subsquares-unfair") for name in names) == 3
    assert sum(name.startswith("queen-same-fair") for name in names) == 3


def window(rises: dict[tuple[str, int], int], over: int = 1) -> Window:
    """A window of generations 4,500 to 5,599 in which 40 of 50 nets learn to beat a rung, around some generation."""
    generations = np.arange(4_500, 5_600)
    beaten = {
        strategy: {
            str(depth): (40 * np.clip((generations - rises.get((strategy, depth), 9_999)) / over + 0.5, 0, 1)).tolist()
            for depth in (0, 2, 4, 6)
        }
        for strategy in runs.ZOOMED
    }
    return Window(1, {"first": 4_500, "last": 5_599, "parents": 50, "turn": None, "beaten": beaten})


def test_delays_between_rises_are_found() -> None:
    rises = {("positional", 2): 5_000, ("positional", 4): 5_010, ("pieces", 2): 5_018, ("pieces", 6): 5_018}
    one = window(rises, over=40)
    rise = one.rise("positional", 2)
    assert rise is not None
    assert (rise.begin, rise.middle, rise.end) == pytest.approx((4_988, 5_000, 5_012), abs=3)
    assert one.rise("positional", 6) is None
    assert delays([one], ("positional", 2), ("positional", 4)) == [10]
    assert delays([one], ("positional", 2), ("pieces", 2)) == [18]
    fig6, fig7 = study("W.fig6"), study("W.fig7")
    assert [claim.holds for claim in fig6.claims("paper", [one] * 2)] == [True, True]  # type: ignore[attr-defined]
    assert [claim.holds for claim in fig7.claims("paper", [one] * 2)] == [True, True]  # type: ignore[attr-defined]
    other = window({("positional", 2): 5_000, ("positional", 4): 5_200, ("pieces", 2): 4_800, ("pieces", 6): 5_100})
    assert fig6.claims("paper", [other] * 2)[1].holds is False  # type: ignore[attr-defined]
    assert [claim.holds for claim in fig7.claims("paper", [other] * 2)] == [False, False]  # type: ignore[attr-defined]


def noise(count: int, number: int) -> NDArray[np.float64]:
    """Numbers of nets that wander about as those of runs do: 4 up or down, alike for some ten generations."""
    steps = np.random.default_rng(number).normal(size=count + 99)
    return np.asarray(2 * np.convolve(steps, 0.9 ** np.arange(100), mode="valid"))


@pytest.mark.parametrize("number", range(10))
def test_a_rise_is_found_where_it_is_also_among_noise(number: int) -> None:
    noisy = window({("pieces", 2): 5_200})
    noisy.beaten["pieces"][2] = np.clip(10 + noisy.beaten["pieces"][2] / 2 + noise(1_100, number), 0, 50)
    rise = noisy.rise("pieces", 2)
    assert rise is not None
    assert rise.middle == pytest.approx(5_200, abs=20)
    assert rise.length is not None
    assert rise.length < 100


def test_the_steepest_place_of_a_curve_is_found_and_its_ends_are_not_preferred() -> None:
    curve = np.where(np.arange(200) >= 130, 20.0, 0.0)
    assert [runs.steepest(curve + noise(200, number)) for number in range(5)] == pytest.approx([130] * 5, abs=3)
    places = [runs.steepest(np.random.default_rng(number).normal(size=200)) for number in range(200)]
    assert all(10 <= place <= 190 for place in places)
    assert sum(place < 20 or place > 180 for place in places) < 40  # a tenth of all places
    assert runs.steepest(np.array([1.0])) == 0
    assert runs.steepest(np.array([1.0, 3.0, 2.0])) == 1


def test_the_zoom_is_told_and_drawn_for_both_readings_and_all_seeds() -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    def measures(turn: int | None, rise: int) -> dict[str, Any]:
        curve = [40.0 * (generation >= rise) for generation in range(4_500, 5_600)]
        beaten = {strategy: dict.fromkeys("0246", curve) for strategy in runs.ZOOMED}
        return {"first": 4_500, "last": 5_599, "parents": 50, "turn": turn, "beaten": beaten}

    found = [(runs.OWN.unit("paper", seed), measures(None, 9_999)) for seed in (1, 2)]
    found += [(runs.SAME.unit("paper", seed), measures(6_550, 5_000)) for seed in (1, 2)]
    report = study("W.fig7").report(found, "paper")
    rows = [(row["setting"], row["seed"], row["survival 10"], row["pieces 2"]) for row in report.tables[0].rows]
    assert rows == [
        ("queen-fair", 1, "", ""),
        ("queen-fair", 2, "", ""),
        ("queen-same-fair", 1, 6_550, pytest.approx(5_000, abs=10)),
        ("queen-same-fair", 2, 6_550, pytest.approx(5_000, abs=10)),
    ]
    assert [claim.holds for claim in report.claims] == [None, False, None, True]
    figure = Figure()
    report.drawings[0].draw(figure)
    assert [len(panel.lines) for panel in figure.axes] == [3] * 4


def test_a_run_turns_where_nets_first_survive_for_long(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = evolved(results)
    measures = runs.survival_measures(record)
    assert max(measures["survival"]) < runs.LONG
    assert runs.turn(record) is None
    monkeypatch.setattr(runs, "LONG", max(measures["survival"]))
    assert runs.turn(record) == measures["generations"][int(np.argmax(measures["survival"]))]


def test_the_games_and_weights_of_stored_populations_are_counted(results: Path) -> None:
    measures = runs.repeat_measures(evolved(results, runs.SAME))
    assert all(1 <= games <= 4 for games in measures["games"])  # of four parents
    assert all(0.4 < share < 0.7 for share in measures["above 0"])


def test_one_seed_of_many_decides_nothing_and_a_rise_that_is_never_reached_is_none() -> None:
    rise = window({("positional", 2): 5_000, ("positional", 4): 5_010, ("pieces", 2): 5_018, ("pieces", 6): 5_018})
    still = window({})
    for name in ("W.fig6", "W.fig7"):
        assert {claim.holds for claim in study(name).claims("paper", [rise, still, still])} == {None}  # type: ignore[attr-defined]
        assert {claim.holds for claim in study(name).claims("paper", [rise, rise, still])} != {None}  # type: ignore[attr-defined]
    flips = window({("positional", 2): 5_000})
    curve = flips.beaten["positional"][2]
    curve[500::3] = 0  # all nets lose together every third generation, so that no mean comes up to the median
    rarely = flips.rise("positional", 2)
    assert rarely is not None
    assert rarely.middle == pytest.approx(5_000, abs=2)
    assert rarely.end is None
    at_once = study("W.fig6").claims("paper", [window({("positional", 2): 5_000})] * 2)  # type: ignore[attr-defined]
    assert at_once[0].holds is False  # in fewer than 10 generations


def test_an_ability_that_is_lost_or_regained_for_a_while_is_noticed() -> None:
    kept = {"0": lambda g: 50, "2": lambda g: 50, "4": lambda g: 50 if g < 9_700 else 0, "6": lambda g: 0}
    assert verdicts("W.fig4", ladder_found(kept))[3] is False
    regained = {"0": lambda g: 40, "2": lambda g: g / 200 if g < 5_000 else 50 * (9_000 <= g < 9_400), "4": lambda g: 0}
    assert verdicts("W.mobility", ladder_found(regained))[1] is False


def test_the_end_of_a_run_is_its_last_tenth() -> None:
    ladder = Ladder.of([measures for _, measures in ladder_found({"0": lambda g: 10 if g >= 9_000 else 0})])
    assert ladder[0].end.value == 10
    assert ladder[0].first(ladder.majority(0)) == [None] * 5
    assert ladder[0].at(8_975).value == 10
    assert ladder[0].at(8_950).value == 0
