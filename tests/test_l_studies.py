"""The studies of Liskowski et al. 2018: all run at smoke, nets are trained once, each claim can turn out either way."""

from __future__ import annotations

import csv
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from study_smoke import Smoke
from zeroply import _core
from zeroply.cli.main import main
from zeroply.errors import ZeroplyError
from zeroply.files import locked
from zeroply.games import Positions
from zeroply.nets import inspect
from zeroply.players import player
from zeroply.runs import Run
from zeroply.specs import Spec
from zeroply.studies import Folders, Report, Scale, Study, Unit, study
from zeroply.studies.claims import Rule, above
from zeroply.studies.liskowski import fig4, nets
from zeroply.studies.liskowski.reporting import curves, gather, same_order, untrained_number
from zeroply.studies.liskowski.strength import (
    SUITE,
    average,
    fingerprint,
    kind_of_time,
    prediction_times,
    suite,
    times_of,
)
from zeroply.studies.measured import average as average_of
from zeroply.studies.measured import mean, pooled_means, split_columns
from zeroply.studies.running import StudyConfig, command_of, run_study, study_folder

torch = pytest.importorskip("torch")

NAMES = [f"L.table{number}" for number in range(2, 10)] + ["L.fig3", "L.fig4", "L.fig5", "L.recipe", "L.beyond1"]
SCALES: tuple[Scale, ...] = ("smoke", "cpu", "paper")


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = _core.threads()
    _core.set_threads(1)
    yield
    _core.set_threads(before)


def rows(report: Report, table: str) -> list[dict[str, Any]]:
    return [split_columns(row) for one in report.tables if one.name == table for row in one.rows]


# All studies at smoke


@pytest.mark.parametrize("name", NAMES)
def test_a_study_runs_at_smoke_and_writes_what_it_found(smoke: Smoke, name: str) -> None:
    folder, report = smoke(name)
    text = (folder / "report.md").read_text()
    assert "This is the smoke scale" in text
    assert "Liskowski" in text
    assert ("Edax" in text) == ("The engine takes the place of the paper's Edax" in text)
    for table in report.tables:
        assert table.rows
        with open(folder / f"{table.name}.csv", newline="") as file:
            written = list(csv.DictReader(file))
        for row, ours in zip(written, table.rows, strict=True):
            assert {name: cell for name, cell in row.items() if cell} == {
                name: str(cell) for name, cell in split_columns(ours).items() if cell != ""
            }
    for drawing in report.drawings:
        assert (folder / f"{drawing.name}.png").read_bytes().startswith(b"\x89PNG")
    assert all(claim.text in text for claim in report.claims)


@pytest.mark.parametrize("name", NAMES)
def test_nets_that_are_hardly_trained_decide_nothing(smoke: Smoke, name: str) -> None:
    _, report = smoke(name)
    assert report.claims
    assert {claim.holds for claim in report.claims} == {None}
    assert all("not decided at the smoke scale" in claim.words for claim in report.claims)


def test_another_program_can_take_the_place_of_the_engine(smoke: Smoke, results: Path) -> None:
    smoke("L.table9")  # trains the net
    program = Path(__file__).parent / "engines" / "edax_engine.py"
    opponent = f'edax("{sys.executable} {program}", level={{n}})'
    report = run_study("L.table9", folder=results, opponent=opponent)
    assert report.folder.name == "smoke-1-edax"
    text = (report.folder / "report.md").read_text()
    assert f"Search at depth n is {opponent}, where the paper has Edax." in text
    assert "--opponent" in text
    assert all(row["1e-4 s"] > 1 for row in rows(report, "depths"))  # wall time of another process


@pytest.mark.parametrize(("name", "opponent"), [("S.fig2", "engine(depth={n})"), ("L.table9", "engine(depth=1)")])
def test_an_opponent_needs_a_depth_and_a_study_that_has_one(name: str, opponent: str) -> None:
    with pytest.raises(
        ZeroplyError, match=r"an opponent is a player with \{n\} for its depth, such as edax.*L\.table9"
    ):
        StudyConfig(study=name, opponent=opponent)


def test_the_cost_of_nets_is_estimated_and_parts_of_them_are_trained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = ["--scale", "smoke", "--results", str(tmp_path)]
    main(["study", "train", "L.table4", "--part", "2/9", *here])
    folder = capsys.readouterr().out.strip()
    assert Run.read(folder).finished
    main(["study", "nets", "L.table4", "--json", *here])
    told = json.loads(capsys.readouterr().out)
    assert [one["state"] for one in told["nets"]] == ["not begun", "trained"] + ["not begun"] * 7
    assert all(one["examples"] == 64 and one["speed"] > 0 for one in told["nets"])
    assert told["hours"] == pytest.approx(sum(one["hours"] for one in told["nets"]))
    assert told["nets"][1]["hours"] == 0
    main(["study", "nets", "L.table4", *here])
    assert "9 nets" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["train", "L.table4", "--part", "5/4", "--scale", "smoke"], "a part is written k/n, such as 2/4, not '5/4'"),
        (["nets", "S.fig2", "--scale", "smoke"], "S.fig2 trains no nets on expert moves"),
        (["run", "L.table4", "--device", "cuda:63"], "device 'cuda:63' cannot be used here"),
    ],
)
def test_bad_parts_studies_and_devices_are_one_sentence(
    words: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["study", *words, "--results", str(tmp_path)])
    assert stop.value.code == 2
    assert says in " ".join(capsys.readouterr().err.split())


def test_the_members_of_a_bag_are_trained_by_separate_jobs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here = ["--scale", "smoke", "--results", str(tmp_path)]
    main(["study", "nets", "L.table5", "--json", *here])
    names = [one["net"] for one in json.loads(capsys.readouterr().out)["nets"]]
    assert [name.rpartition(", ")[2] for name in names[-2:]] == ["member 1", "member 2"]
    main(["study", "train", "L.table5", "--part", f"{len(names)}/{len(names)}", *here])
    folder = Path(capsys.readouterr().out.strip())
    assert folder.name.endswith(".member-2")
    written = (folder / "net.safetensors").stat().st_mtime_ns
    main(["study", "run", "L.table5", *here])
    assert (folder / "net.safetensors").stat().st_mtime_ns == written
    bag = folder.with_name(folder.name.removesuffix(".member-2"))
    assert not list(Run.read(bag).events("progress"))


def test_studies_share_their_nets(smoke: Smoke, results: Path) -> None:
    smoke("L.table2")
    made = sorted((results / nets.FOLDER / "smoke").glob("*/net.safetensors"))
    times = [file.stat().st_mtime_ns for file in made]
    assert len(made) >= 24
    for name in ("L.table8",):
        smoke(name)
    assert [file.stat().st_mtime_ns for file in made] == times
    assert {file.parent.name for file in made} >= {"conv4.original.position.1", "conv8.unique-s.game.1"}


def test_a_net_of_another_module_gets_a_row_in_table_6(smoke: Smoke, tmp_path: Path) -> None:
    results = smoke("L.table6")[0].parents[1]  # the nets of the paper are not trained again
    folder = Path(__file__).parents[1] / "examples"
    words = ["--import=own_net", "study", "run", "L.table6", "--also=senet(blocks=1, maps=8)", "--results", "own"]
    done = subprocess.run(
        [sys.executable, "-m", "zeroply", *words, "--reuse", str(results)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (table,) = (tmp_path / "own").rglob("accuracy.csv")
    nets = [line.partition(",")[0] for line in table.read_text().splitlines()[1:]]
    assert len(nets) == 11
    assert nets[-1].strip('"').startswith("senet")


def test_tables_show_the_paper_s_numbers_beside_ours(smoke: Smoke) -> None:
    table2 = rows(smoke("L.table2")[1], "accuracy")
    assert [row["unique-s"] for row in table2 if row["what"].startswith("paper")] == [57.2, 59.1, 60.5]
    table8 = rows(smoke("L.table8")[1], "rates")
    assert [row["original"] for row in table8 if row["what"].startswith("paper")] == [77.9, 84.6, 85.4]
    table3 = rows(smoke("L.table3")[1], "accuracy")
    assert [row["vmoves"] for row in table3 if row["what"].startswith("paper")] == [57.3, 59.0, 59.0, ""]
    table6 = rows(smoke("L.table6")[1], "accuracy")
    assert {row["net"]: (row["paper"], row["paper, batch 256"]) for row in table6}["DenseNet-100"] == (61.9, 37.2)
    table9 = rows(smoke("L.table9")[1], "depths")
    assert [(row["rate, paper"], row["1e-4 s, Edax"], row["accuracy, Edax"]) for row in table9] == [
        (87.5, 1.0, 47.9),
        (59.4, 1.1, 53.3),
    ]


def test_both_splits_are_shown_where_they_matter(smoke: Smoke) -> None:
    for name, table in (("L.table2", "accuracy"), ("L.table3", "accuracy"), ("L.table8", "rates")):
        assert {row["what"] for row in rows(smoke(name)[1], table)} == {
            "ours, by position",
            "ours, by game",
            "paper, by position",
        }


def test_the_split_by_position_has_seen_test_positions_and_that_by_game_none(smoke: Smoke) -> None:
    seen = {row["split"]: row for row in rows(smoke("L.table2")[1], "seen")}
    assert seen["game"] == {"split": "game", "original": 0.0, "original-s": 0.0, "unique": 0.0, "unique-s": 0.0}
    assert seen["position"]["original"] > 1
    assert seen["position"]["unique"] > 50
    assert seen["position"]["unique-s"] > 80


def test_prediction_times_are_measured_at_256_and_alone(smoke: Smoke) -> None:
    for row in rows(smoke("L.table5")[1], "accuracy"):
        assert 0 < row["batch 256"] <= 2 * row["batch 1"]


def test_times_on_another_device_are_by_the_clock_and_said_to_be() -> None:
    class Elsewhere:
        device = torch.device("meta")

        def outputs(self, positions: Positions) -> None:
            time.sleep(0.01)  # takes no processor time

    class Here(Elsewhere):
        device = torch.device("cpu")

    far, near = (prediction_times(net, "smoke") for net in (Elsewhere(), Here()))
    assert far["batch 1"] >= 0.01 > 0.005 > near["batch 1"]
    assert (far["device"], near["device"]) == ("meta", "cpu")
    assert kind_of_time([near, {}]) == "CPU time of one thread"
    assert kind_of_time([far]) == "wall time on meta"
    assert kind_of_time([far, near]) == "CPU time of one thread or wall time on meta"


def test_cells_of_the_figure_add_up(smoke: Smoke) -> None:
    report = smoke("L.fig3")[1]
    stages, choices = rows(report, "stages"), rows(report, "choices")
    positions = sum(row["positions"] for row in stages)
    assert positions == sum(row["positions"] for row in choices) > 100
    for row in stages + choices:
        if row["positions"]:
            assert 0 <= row["top 1"] <= row["top 2"] <= row["top 3"] <= 100
    assert next(row for row in choices if row["legal moves"] == 1)["top 1"] == 100


def test_an_interrupted_training_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zeroply.studies.report.can_draw", lambda: False)
    calls = 0

    def interrupt(*_: object) -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_study("L.fig3", folder=tmp_path / "one", progress=interrupt)
    again = run_study("L.fig3", folder=tmp_path / "one", progress=interrupt)
    whole = run_study("L.fig3", folder=tmp_path / "two")
    assert [table.rows for table in again.tables] == [table.rows for table in whole.tables]


def test_a_net_made_otherwise_is_not_taken(smoke: Smoke, results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    smoke("L.fig3")
    unit = study("L.fig3").units("smoke", 1)[0]
    folders = Folders(results)
    net = nets.trained(folders, unit, lambda *_: None)
    assert inspect(str(net.file)).spec.name == "conv8"
    monkeypatch.setitem(nets.SIZES, "smoke", replace(nets.SIZES["smoke"], width=0.07))
    with pytest.raises(ZeroplyError, match="holds a run made with another net: remove that folder"):
        nets.trained(folders, unit, lambda *_: None)


def test_a_match_is_played_again_if_the_opponent_has_changed(tmp_path: Path) -> None:
    file = tmp_path / "weights.txt"
    spec = Spec("alphabeta", eval=Spec("wpc", str(file)))

    def written(first: int) -> str:
        file.write_text(" ".join(map(str, [first, *range(63)])))
        return fingerprint(spec, Folders(), "smoke")

    assert written(1) == written(1) != written(2)
    assert fingerprint(Spec("engine", depth=1), Folders(), "smoke") != fingerprint(
        Spec("engine", depth=2), Folders(), "smoke"
    )


def test_a_measurement_of_a_net_is_made_once(tmp_path: Path) -> None:
    net = nets.Trained(tmp_path, tmp_path / "net.safetensors", {})
    assert net.remembered("score", lambda: {"a": 1}) == {"a": 1}
    assert net.remembered("score", lambda: {"a": 2}) == {"a": 1}
    assert net.remembered("other", lambda: 3) == 3
    assert json.loads((tmp_path / "measured.json").read_text()) == {"score": {"a": 1}, "other": 3}


def test_what_another_study_measured_meanwhile_is_kept(tmp_path: Path) -> None:
    net = nets.Trained(tmp_path, tmp_path / "net.safetensors", {})

    def measure() -> int:
        assert net.remembered("another", lambda: 2) == 2
        assert net.remembered("score", lambda: 1) == 1  # the first to end is what all go by
        return 5

    assert net.remembered("score", measure) == 1
    assert json.loads((tmp_path / "measured.json").read_text()) == {"another": 2, "score": 1}


def test_two_studies_write_what_they_measured_one_after_the_other(tmp_path: Path) -> None:
    net = nets.Trained(tmp_path, tmp_path / "net.safetensors", {})
    with ThreadPoolExecutor() as threads:
        with locked(tmp_path):
            waiting = threads.submit(net.remembered, "score", lambda: 1)
            with pytest.raises(TimeoutError):
                waiting.result(timeout=0.2)
        assert waiting.result(timeout=60) == 1


def test_times_are_not_those_of_another_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    net = nets.Trained(tmp_path, tmp_path / "net.safetensors", {})
    for number, machine in enumerate(("slow", "fast", "slow")):
        monkeypatch.setattr("zeroply.studies.liskowski.strength.hardware", lambda machine=machine: machine)
        monkeypatch.setattr("zeroply.studies.liskowski.strength.load_net", lambda _: None)
        monkeypatch.setattr("zeroply.studies.liskowski.strength.prediction_times", lambda *_, n=number: {"batch 1": n})
        assert times_of(net, "smoke") == {"batch 1": {"slow": 0, "fast": 1}[machine]}


# Scales


def test_depths_are_the_paper_s_at_every_scale() -> None:
    for name in NAMES:
        small, large = ({u.settings.get("net") for u in study(name).units(scale, 1)} for scale in ("smoke", "cpu"))
        assert small - large <= {"densenet(depth=100)", "widenet"}  # which say that they were not run
        assert large <= small
    assert (nets.SIZES["cpu"].samples or 0) >= 2_000_000
    paper = nets.SIZES["paper"]
    assert (paper.width, paper.samples, paper.preset, paper.batch, paper.bag) == (1.0, None, "liskowski", 512, 10)


def test_a_scale_with_data_says_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ZEROPLY_DATA", raising=False)
    with pytest.raises(
        ZeroplyError, match=r"needs published data \(wthor\): name the folder .* --data or ZEROPLY_DATA"
    ):
        run_study("L.table5", "cpu", folder=tmp_path)
    assert not list(tmp_path.iterdir())
    (tmp_path / "data").mkdir()
    with pytest.raises(ZeroplyError, match=r"there is no folder .*wthor"):
        run_study("L.table5", "cpu", folder=tmp_path, data=tmp_path / "data")
    monkeypatch.setenv("ZEROPLY_DATA", str(tmp_path / "elsewhere"))
    with pytest.raises(ZeroplyError, match=r"there is no folder .*elsewhere"):
        run_study("L.table5", "cpu", folder=tmp_path)


def test_the_data_folder_is_kept_for_resuming(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("ZEROPLY_DATA", raising=False)
    (tmp_path / "data" / "wthor").mkdir(parents=True)
    with pytest.raises(ZeroplyError):  # a folder without games
        run_study("L.table5", "cpu", folder=tmp_path, data=tmp_path / "data")
    (tmp_path / "data" / "wthor").rmdir()
    run = study_folder("L.table5", "cpu", 1, tmp_path) / "run"
    assert Run.read(run).info.config["data"] == str(tmp_path / "data")
    with pytest.raises(SystemExit, match="2"):
        main(["resume", str(run)])
    assert f"there is no folder {tmp_path / 'data'}" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["W.beyond2", "L.table7", "L.table8", "L.table9", "L.fig4", "L.fig5"])
def test_players_and_openings_are_looked_for_before_a_study_begins(tmp_path: Path, name: str) -> None:
    folder, wthor = tmp_path / "data", tmp_path / "data" / "wthor"
    wthor.mkdir(parents=True)
    (wthor / nets.SOME_GAMES).touch()
    with pytest.raises(ZeroplyError, match=r"there is no file .*(openings|league).*docs/studies\.md"):
        run_study(name, "cpu", folder=tmp_path / "results", data=folder)
    assert not (tmp_path / "results").exists()


def test_a_refused_study_forgets_the_wrong_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data" / "wthor").mkdir(parents=True)
    with pytest.raises(ZeroplyError, match=r"there is no folder .*wrong"):
        run_study("L.fig3", "cpu", folder=tmp_path / "results", data=tmp_path / "wrong")
    monkeypatch.setenv("ZEROPLY_DATA", str(tmp_path / "data"))
    with pytest.raises(ZeroplyError, match=f"{tmp_path / 'data' / 'wthor'}"):  # a folder without games
        run_study("L.fig3", "cpu", folder=tmp_path / "results")


def test_the_command_of_a_report_names_data_where_it_was_used() -> None:
    cases: list[tuple[Scale, str, bool]] = [
        ("cpu", "L.fig3", True),
        ("smoke", "L.fig3", False),
        ("cpu", "W.fig4", False),
    ]
    for scale, name, used in cases:
        told = command_of(StudyConfig(study=name, scale=scale), study(name))
        assert told.endswith(" --data DATA") == used


def test_sets_that_were_made_before_do_without_the_games(tmp_path: Path) -> None:
    one = study("L.fig3")
    one.folders = Folders(tmp_path)
    assert one.needs("cpu") == ["wthor"]
    assert not one.made_before("wthor")
    (tmp_path / nets.FOLDER / "sets" / "unique-s").mkdir(parents=True)
    assert one.made_before("wthor")


def test_the_suite_is_the_thirteen_published_players(data: Path) -> None:
    found = suite(Folders(data=data), "cpu")
    assert len(found) == len(SUITE) == 13
    for spec in found.values():
        assert player(spec, "othello").game.name == "othello"
    assert len(suite(Folders(), "smoke")) == 3


def test_studies_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    main(["study", "list"])
    listed = capsys.readouterr().out
    assert all(name in listed for name in NAMES)


# Numbers


def test_means_are_gathered_over_seeds() -> None:
    units = study("L.table5").units("cpu", 2)[:4]  # two nets of two seeds
    found = [
        (unit, {"accuracy": value, "accuracy error": 0.1}) for unit, value in zip(units, (50, 52, 60, 60), strict=True)
    ]
    means = gather(found, lambda unit: unit.settings["label"], "accuracy")
    assert [one.value for one in means.values()] == [51, 60]
    assert {(round(one.error**2, 6), one.degrees, one.sample, one.digits) for one in means.values()} == {
        (0.5, 2, 0.1, 1)  # the variance of a seed is 1 over both nets
    }


@pytest.mark.parametrize("spread", [0.5, 2.0, 5.0])
def test_an_interval_of_two_seeds_misses_at_most_one_in_twenty(spread: float) -> None:
    dice = np.random.default_rng(1)
    sample = dice.normal(0, 1, 2000)  # the same for both seeds
    seeds = dice.normal(0, spread * math.sqrt(2), (2000, 2))
    found = [mean(two + common, 1, 1.0, paired=True).interval() for two, common in zip(seeds, sample, strict=True)]
    assert np.mean([not low <= 0 <= high for low, high in found]) < 0.06


@pytest.mark.parametrize("nets", [1, 4])
def test_differences_of_nets_miss_at_most_one_in_twenty_if_the_variance_is_pooled(nets: int) -> None:
    dice = np.random.default_rng(2)
    misses = []
    for _ in range(1000):
        means = pooled_means({net: list(dice.normal(50, 1, 2)) for net in range(2 * nets)})
        low, high = average_of([means[2 * net] - means[2 * net + 1] for net in range(nets)]).interval()
        misses.append(not low <= 0 <= high)
    assert 0.02 < np.mean(misses) < 0.07


def test_untrained_nets_decide_nothing() -> None:
    def accuracy(unit: Unit) -> dict[str, float]:
        return {"accuracy": 44.0 if unit.settings["label"] == "Conv8" else 60.0}

    report = made_up("L.table5", accuracy)
    assert {claim.holds for claim in report.claims} == {None}
    assert all("untrained nets: Conv8 pieces" in claim.words for claim in report.claims)
    assert [row["state"] for row in rows(report, "nets")] == ["untrained"] * 2 + ["trained"] * 6


def test_one_seed_decides_nothing() -> None:
    one = pooled_means({"net": [10.0]}, 1, {"net": 0.1})["net"]
    assert above(0).holds(one.interval()) is None
    assert above(0).holds((one - untrained_number(0.0, 0.1)).interval()) is None


def test_orders_are_compared_by_pairs_that_differ_clearly() -> None:
    up = {name: untrained_number(float(n), 0.1) for n, name in enumerate("abcd")}
    down = {name: untrained_number(-one.value, 0.1) for name, one in up.items()}
    vague = {name: untrained_number(one.value, 10.0) for name, one in up.items()}
    assert [same_order(up, other).value for other in (up, down)] == [1, 0]
    assert same_order(up, vague).n == 0


def test_the_error_of_an_average_shrinks_with_the_opponents() -> None:
    score, error = average({str(n): {"score": 50.0 + n, "error": 1.0} for n in range(4)})
    assert score == 51.5
    assert error == pytest.approx(0.5)


def test_a_line_is_that_of_least_squares() -> None:
    line = fig4.fit([1, 2, 3, 4], [3, 5, 7, 9])
    assert (line.slope.value, line.start, line.r.value) == pytest.approx((2, 1, 1))
    x, y = [1.0, 2.0, 3.0, 5.0], [1.0, 4.0, 2.0, 6.0]
    slope, start = np.polyfit(x, y, 1)
    line = fig4.fit(x, y)
    assert (line.slope.value, line.start, line.r.value) == pytest.approx((slope, start, np.corrcoef(x, y)[0, 1]))
    assert fig4.fit([1, 1], [2, 3]).r.value == 0


def test_the_paper_s_tables_give_its_slope_but_not_its_r2() -> None:
    points = fig4.paper_points("suite")
    assert len(points) == 17
    line = fig4.fit(*zip(*points, strict=True))
    assert 1.5 < line.slope.value < 3
    assert line.r.value**2 < fig4.PAPER["suite"][1]


# Claims, on made-up numbers


def verdicts(
    name: str, measure: Callable[[Unit], Mapping[str, Any]], seeds: int = 2, scale: Scale = "cpu"
) -> dict[str, bool | None]:
    """The claims of a study, if its units had measured this."""
    return {claim.text: claim.holds for claim in made_up(name, measure, seeds, scale).claims}


def made_up(name: str, measure: Callable[[Unit], Mapping[str, Any]], seeds: int = 2, scale: Scale = "cpu") -> Report:
    """The report of a study, if its units had measured this."""
    one: Study = study(name)
    common = {
        "train": 50.0,
        "train error": 0.1,
        "gap": 0.2,
        "legal": 50.0,
        "chance": 20.0,
        "curve": [[1000, 40.0], [2000, 50.0]],
        "valid": 99.95,
        "valid error": 0.01,
        "positions": 100_000,
        "parameters": 1000,
        "seconds": 1,
        "accuracy error": 0.1,
        "suite error": 0.2,
        "on original error": 0.1,
        "on original positions": 90_000,
        "common error": 0.1,
        "batch 256": 1e-4,
        "batch 1": 1e-3,
        "rate error": 0.5,
        "CoCMAES-4+2x2 error": 1.0,
        "IPrefN error": 1.0,
        "search, depth 1 error": 1.0,
    }
    found = [(unit, {**common, **measure(unit)}) for unit in one.units(scale, seeds)]
    return one.report(found, scale)


LAYERS = {"Conv4": 0.0, "Conv6": 2.0, "Conv8": 3.0, "Conv10": 3.0}


def table2(
    symmetries: Mapping[str, float], duplicates: float = 1.0, other_counts: float = 0.0
) -> Callable[[Unit], Mapping[str, Any]]:
    def measure(unit: Unit) -> Mapping[str, Any]:
        if "seen" in unit.settings:
            return {"seen": 10.0}
        split, dataset = unit.settings["split"], unit.settings["dataset"]
        number = 50 + LAYERS[unit.settings["label"]]
        removed = duplicates * (other_counts if unit.settings["other_counts"] else 1.0)
        number += symmetries[split] * dataset.endswith("-s") + removed * dataset.startswith("unique")
        return {"accuracy": number, "on original": number, "suite": number, "opponents": {"a": 50.0}}

    return measure


@pytest.mark.parametrize(("name", "what"), [("L.table2", "accuracy"), ("L.table8", "winning rate")])
def test_what_remains_of_augmentation_is_stated(name: str, what: str) -> None:
    remains = f"The gain in {what} by symmetries remains when games are split"
    good = verdicts(name, table2({"position": 2.0, "game": 1.0}))
    assert set(good.values()) == {True}
    lost = verdicts(name, table2({"position": 2.0, "game": -1.0}))
    assert lost[f"Symmetries raise {what} (split by position)"] is True
    assert lost[f"Symmetries raise {what} (split by game)"] is False
    assert lost[remains] is False
    assert verdicts(name, table2({"position": 2.0, "game": 0.0}))[remains] is None
    bad = verdicts(name, table2({"position": -2.0, "game": -2.0}, duplicates=-1.0))
    assert bad[remains] is None
    assert bad[f"Removing duplicates raises {what} (split by game)"] is False
    assert bad[f"Unique-S gives the highest {what} (split by position)"] is False


def test_numbers_of_batches_are_compared_on_the_same_nets() -> None:
    claim = "Removing duplicates gains more with equal numbers of batches than with the paper's (Conv4)"
    for share, holds in ((0.0, True), (1.0, None), (2.0, False)):
        assert verdicts("L.table2", table2({"position": 2.0, "game": 1.0}, other_counts=share))[claim] is holds
    scales: dict[Scale, str] = {"cpu": "equal", "paper": "the paper's"}
    for scale, counts in scales.items():
        others = [unit for unit in study("L.table2").units(scale, 1) if unit.settings.get("other_counts")]
        assert [unit.settings["dataset"] for unit in others] == ["original", "original-s", "unique"]
        found = made_up("L.table2", table2({"position": 2.0, "game": 1.0}), scale=scale)
        own = next(row for row in rows(found, "counts") if row["batches"] == counts)
        assert [round(own[one], 1) for one in nets.SETS] == [50.0, 52.0, 51.0, 53.0]


def by_label(numbers: Mapping[str, float], **more: Any) -> Callable[[Unit], Mapping[str, Any]]:
    return lambda unit: {"accuracy": numbers[unit.settings["label"]], **more}


def test_claims_of_table_3_can_turn_out_either_way() -> None:
    def measure(sign: float) -> Callable[[Unit], Mapping[str, Any]]:
        def one(unit: Unit) -> Mapping[str, Any]:
            encoding = nets.encoding_of(unit.settings["net"])
            better = {"pieces": 0.0, "ones": 0.1 if sign > 0 else 2.0, "vmoves": -sign}[encoding]
            deeper = 1.0 if sign < 0 and unit.settings["label"] == "Conv10" else 0.0
            return {"accuracy": 50 + (LAYERS[unit.settings["label"]] if sign > 0 else 0) + better + deeper}

        return one

    assert set(verdicts("L.table3", measure(1)).values()) == {True}
    bad = verdicts("L.table3", measure(-1))
    assert bad["Ten layers do not improve on eight by 0.5 points (split by game)"] is False
    assert bad["Pieces and ones are on par, within 0.5 points (split by position)"] is False
    assert bad["Knowing the legal moves does not help by 0.5 points (split by position)"] is False
    assert bad["Accuracy rises with the number of layers (split by position)"] is None


def test_curves_are_drawn_by_split_for_the_first_seed_only() -> None:
    figure_module = pytest.importorskip("matplotlib.figure", reason="figures need matplotlib")
    by_position, by_game = (nets.Plan("Conv4", "conv4", split=split) for split in ("position", "game"))
    units = [
        (plan.unit("smoke", seed), {"curve": [[0, 2.0], [10, 5.0 + seed]]})
        for plan in (by_position, by_game)
        for seed in (1, 2)
    ]
    figure = figure_module.Figure()
    curves([*units, (by_game.unit("smoke", 1), {})]).draw(figure)
    assert [panel.get_title() for panel in figure.axes] == ["by position", "by game"]
    for panel in figure.axes:
        (line,) = panel.get_lines()
        assert line.get_xydata().tolist() == [[0, 2.0], [10, 6.0]]
        assert panel.get_legend().get_texts()[0].get_text().startswith("Conv4")


def test_claims_of_table_4_can_turn_out_either_way() -> None:
    def measure(told: float, blind: float) -> Callable[[Unit], Mapping[str, Any]]:
        return lambda unit: {
            "accuracy": 50.0,
            "valid": told if "vmoves" in unit.settings["net"] else blind,
            "valid error": 0.001,
        }

    assert list(verdicts("L.table4", measure(100.0, 99.95)).values()) == [True, True, True]
    assert list(verdicts("L.table4", measure(99.0, 99.95)).values()) == [False, False, False]


def test_claims_of_table_5_can_turn_out_either_way() -> None:
    names = ("Conv8", "Conv8+dropout", "Conv8+BN", "Conv8+BN+bagging")

    def measure(numbers: tuple[float, ...], times: float) -> Callable[[Unit], Mapping[str, Any]]:
        accuracy = dict(zip(names, numbers, strict=True))
        return lambda unit: {
            "accuracy": accuracy[unit.settings["label"]],
            "batch 256": 1e-4 * (times if unit.settings["bag"] else 1),
        }

    assert set(verdicts("L.table5", measure((60.5, 58.8, 63.7, 65.0), nets.SIZES["cpu"].bag)).values()) == {True}
    bad = list(verdicts("L.table5", measure((60.5, 61.5, 59.0, 58.0), 1)).values())
    assert bad == [False, False, False, False, False, True]
    assert list(verdicts("L.table5", measure((60.0, 60.0, 60.0, 60.0), 5)).values())[:2] == [None, None]


def test_noise_between_seeds_is_no_effect() -> None:
    def measure(noise: float) -> Callable[[Unit], Mapping[str, Any]]:
        better = {"Conv8": 60.5, "Conv8+dropout": 58.8, "Conv8+BN": 63.7, "Conv8+BN+bagging": 65.0}
        opposed = ("Conv8+dropout", "Conv8+BN")
        return lambda unit: {
            "accuracy": better[name := unit.settings["label"]] + noise * (-1) ** (unit.seed + (name in opposed))
        }

    assert list(verdicts("L.table5", measure(0.01)).values())[:4] == [True] * 4
    assert list(verdicts("L.table5", measure(2.0)).values())[:4] == [None] * 4
    assert list(verdicts("L.table5", measure(0.01), seeds=1).values())[:4] == [None] * 4


def test_a_gap_within_its_errors_is_left_open() -> None:
    (text,) = (claim for claim in verdicts("L.table5", lambda unit: {"accuracy": 60.0}) if "training set" in claim)
    told = [verdicts("L.table5", lambda unit, gap=gap: {"accuracy": 60.0, "gap": gap})[text] for gap in (0.2, 0.9, 3.0)]  # type: ignore[misc]
    assert told == [True, None, False]


def test_what_a_scale_leaves_out_is_said_not_to_be_run() -> None:
    from zeroply.studies.liskowski.table6 import PAPER

    report = made_up("L.table6", by_label({name: theirs[0] for name, theirs in PAPER.items()}))
    assert "Not run, because they take longest: DenseNet-100, WideNet-40-4." in report.text
    ours = {row["net"]: row["ours"] for row in rows(report, "accuracy")}
    assert ours["DenseNet-100"] == ours["WideNet-40-4"] == "not run"
    missing = [claim for claim in report.claims if claim.text.startswith(("DenseNet-100", "WideNet"))]
    assert [claim.holds for claim in missing] == [None] * 2
    assert all("not measured" in claim.words for claim in missing)


def test_claims_of_table_6_can_turn_out_either_way(monkeypatch: pytest.MonkeyPatch) -> None:
    from zeroply.studies.liskowski.table6 import PAPER

    monkeypatch.setattr(nets, "LEFT_OUT", {})
    assert len(study("L.table6").units("paper", 1)) == len(PAPER) == 10
    exact = {"accuracy error": 0.02}
    good = verdicts("L.table6", by_label({name: theirs[0] for name, theirs in PAPER.items()}, **exact))
    assert good.pop("Projections improve them slightly") is True
    assert set(good.values()) == {True}
    upside_down = verdicts("L.table6", by_label({name: 120 - theirs[0] for name, theirs in PAPER.items()}))
    assert [holds for claim, holds in upside_down.items() if "gap" not in claim][:-1] == [False] * 6


def test_claims_of_table_7_can_turn_out_either_way(monkeypatch: pytest.MonkeyPatch) -> None:
    from zeroply.studies.liskowski.table7 import PAPER

    monkeypatch.setattr(nets, "LEFT_OUT", {})

    def measure(sign: int) -> Callable[[Unit], Mapping[str, Any]]:
        def one(unit: Unit) -> Mapping[str, Any]:
            accuracy, rate, best, engine = PAPER[unit.settings["label"]]
            rate += 1.0 if unit.settings["label"] == "Conv8+BN" else 0.0
            numbers = [rate, best, 93.9, engine] if sign > 0 else [100 - n for n in (rate, best, 93.9, engine)]
            named = dict(zip(("suite", "CoCMAES-4+2x2", "IPrefN", "search, depth 1"), numbers, strict=True))
            return {"accuracy": accuracy, **named, "opponents": {"a": 1.0}}

        return one

    assert set(verdicts("L.table7", measure(1), scale="paper").values()) == {True}
    assert set(verdicts("L.table7", measure(-1), scale="paper").values()) == {False}
    assert list(verdicts("L.table7", measure(1)).values()) == [None, True, True, None]  # small nets are not so strong
    assert set(verdicts("L.table7", measure(1), seeds=1).values()) == {None}


def test_claims_of_table_9_can_turn_out_either_way() -> None:
    from zeroply.studies.liskowski.table9 import PAPER

    def measure(sign: int) -> Callable[[Unit], Mapping[str, Any]]:
        def one(unit: Unit) -> Mapping[str, Any]:
            if "seen" in unit.settings:
                return {"seen": 94.0}
            if "engine" in unit.settings:
                n = unit.settings["engine"]
                seconds = 1e-4 * PAPER[n][1] * (1 if sign > 0 else 1 / n**3)
                return {"accuracy": PAPER[n][2], "seconds": [seconds, 1.001 * seconds, 0.999 * seconds]}
            if "depth" in unit.settings:
                rate = PAPER[unit.settings["depth"]][0]
                return {"rate": rate if sign > 0 else 100 - rate}
            return {"accuracy": 62.7, "on original": 62.7 if sign > 0 else 50.0}

        return one

    assert set(verdicts("L.table9", measure(1), scale="paper").values()) == {True}
    assert list(verdicts("L.table9", measure(1)).values()).count(None) == 4  # how strong and accurate small nets are
    bad = verdicts("L.table9", measure(-1), scale="paper")
    assert [holds for claim, holds in bad.items() if "accuracy" not in claim and "depth 4" not in claim] == [False] * 6
    (learned,) = (
        claim.words for claim in made_up("L.table9", measure(1)).claims if "finds experts' moves" in claim.text
    )
    assert "94.0 % of these test positions were among those the net learned from" in learned


@pytest.mark.parametrize(("rise", "holds"), [(3.0, False), (0.25, None), (0.0, True), (-2.0, True)])
def test_the_search_s_last_step_in_accuracy_is_told_or_left_open(rise: float, holds: bool | None) -> None:
    def measure(unit: Unit) -> Mapping[str, Any]:
        if "seen" in unit.settings:
            return {"seen": 94.0}
        if "engine" in unit.settings:
            return {"accuracy": 50 + rise * (unit.settings["engine"] == 5), "seconds": [1e-4]}
        return {"rate": 50.0} if "depth" in unit.settings else {"accuracy": 60.0, "on original": 60.0}

    assert verdicts("L.table9", measure)["From depth 4 to 5 it does not, by 0.5 points"] is holds


def test_claims_of_figure_3_can_turn_out_either_way() -> None:
    def measure(first: tuple[float, float], late: float) -> Callable[[Unit], Mapping[str, Any]]:
        cells = [
            [move, legal, 2000, *((first[0], 0.5, first[1]) if move <= 10 else (late if move > 45 else 0.6, 0.7, 0.8))]
            for move in range(1, 61)
            for legal in (3, 12)
        ]
        return lambda unit: {"cells": cells, "accuracy": 60.0}

    assert set(verdicts("L.fig3", measure((0.4, 0.9), 0.65)).values()) == {True}
    assert set(verdicts("L.fig3", measure((0.9, 0.95), 0.4)).values()) == {False}
    assert set(verdicts("L.fig3", measure((0.4, 0.9), 0.65), seeds=1).values()) == {None}


def test_figure_3_takes_the_spread_between_nets_measured_on_the_same_examples() -> None:
    def measure(apart: float) -> Callable[[Unit], Mapping[str, Any]]:
        def one(unit: Unit) -> Mapping[str, Any]:
            worse = apart if unit.seed == 1 else 0.0
            cells = [[move, 12, 10_000, *([0.6 - worse * (move <= 10)] * 3)] for move in range(1, 61)]
            return {"cells": cells}

        return one

    less = "In the game's beginning predictions are less accurate"
    report = made_up("L.fig3", measure(0.1))
    assert report.text.startswith(
        "600,000 test examples of Unique-S (split by position), the same for each of 2 net(s)"
    )
    assert rows(report, "stages")[0]["top 1"] == 55.0
    assert verdicts("L.fig3", measure(0.1))[less] is None  # one net of two: the sample alone would say yes
    assert verdicts("L.fig3", lambda unit: measure(0.1)(replace(unit, seed=1)))[less] is True


def test_claims_of_figure_4_can_turn_out_either_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nets, "LEFT_OUT", {})

    def measure(slopes: tuple[float, float], noise: float, bag: float) -> Callable[[Unit], Mapping[str, Any]]:
        def one(unit: Unit) -> Mapping[str, Any]:
            x = 46 + sum(map(ord, str(unit.settings["net"] + unit.settings["dataset"]))) % 7 + 0.01 * unit.seed
            wild = noise * math.sin(10 * x)
            more = bag if unit.settings["bag"] else 0.0
            return {
                "accuracy": x,
                "common": x,
                "suite": slopes[0] * x + wild + more,
                "search, depth 1": slopes[1] * x + wild,
            }

        return one

    good = verdicts("L.fig4", measure((1.7, 3.4), 0.1, -1.0))
    assert set(good.values()) == {True}
    assert set(verdicts("L.fig4", measure((-1.7, -3.4), 0.1, 3.0)).values()) == {False}
    assert set(verdicts("L.fig4", measure((1.7, 3.4), 3.0, 0.3)).values()) == {None}


def test_a_slope_is_not_confirmed_by_a_bad_fit() -> None:
    x = [40.0 + n for n in range(8)]
    sharp, wild = (fig4.fit(x, [1.7 * a + noise * (-1) ** n for n, a in enumerate(x)]) for noise in (0.1, 10.0))
    rule = Rule(1.3, 2.1)
    assert (rule.holds(sharp.slope.interval()), rule.holds(wild.slope.interval())) == (True, None)
    assert rule.holds(fig4.fit(x, [-a for a in x]).slope.interval()) is False
    assert rule.holds(fig4.fit(x[:2], x[:2]).slope.interval()) is None


def test_claims_of_figure_5_can_turn_out_either_way() -> None:
    stages = {"none": 0, "1-15": 1, "16-30": 2, "31-45": 3, "46-60": 4}

    def measure(sign: float) -> Callable[[Unit], Mapping[str, Any]]:
        def one(unit: Unit) -> Mapping[str, Any]:
            most = 4 - abs(unit.settings["depth"] - 3)
            return {"rate": 50 + sign * 2 * most * stages[unit.settings["stage"]]}

        return one

    assert set(verdicts("L.fig5", measure(1)).values()) == {True}
    assert set(verdicts("L.fig5", measure(-1)).values()) == {False}
    assert set(verdicts("L.fig5", measure(0.05)).values()) == {None}
    assert set(verdicts("L.fig5", measure(1), seeds=1).values()) == {None}
