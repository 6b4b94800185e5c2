"""Studies: report, CSV and figure are written, an interrupt loses nothing, and S.reference finds what it should."""

from __future__ import annotations

import csv
import json
import math
import shutil
import struct
import sys
import zlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import zeroply as zp
from zeroply.cli.main import main
from zeroply.runs import Run
from zeroply.studies import Report, Scale, Study, Unit, studies, study
from zeroply.studies.running import claim_rows, run_study, study_folder

# Black's wins in percent, measured with public code: random-random, naive-random, random-naive, naive-naive.
PUBLISHED = {
    "atarigo(size=5)": (400, (55.0, 89.0, 15.5, 52.5)),
    "atarigo(size=7)": (400, (50.5, 93.5, 11.3, 53.5)),
    "gomoku(size=7)": (200, (51.5, 87.5, 18.5, 51.0)),
}


def numbers(report: Report) -> list[dict[str, Any]]:
    return [dict(row) for table in report.tables for row in table.rows]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Report]:
    """The smoke scale of S.reference, and where its results are."""
    folder = tmp_path_factory.mktemp("results")
    report = run_study("S.reference", folder=folder)
    return study_folder("S.reference", "smoke", 1, folder), report


@pytest.fixture
def copied(results: tuple[Path, Report], tmp_path: Path) -> Path:
    """A copy of these results, to be written to."""
    return Path(shutil.copytree(results[0].parents[1], tmp_path / "results"))


@pytest.fixture
def without_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing takes longer than measuring."""
    monkeypatch.setattr("zeroply.studies.running._draw", lambda *_: False)


# What is written


def test_a_study_writes_a_report_a_table_and_a_figure(results: tuple[Path, Report]) -> None:
    folder, _ = results
    assert sorted(path.name for path in folder.iterdir()) == ["rates.csv", "rates.png", "report.md", "run"]


def test_the_figure_is_a_real_picture(results: tuple[Path, Report]) -> None:
    pytest.importorskip("matplotlib")
    image = (results[0] / "rates.png").read_bytes()
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    at, pixels, size = 8, b"", (0, 0)
    while at < len(image):
        length, kind = struct.unpack(">I4s", image[at : at + 8])
        body = image[at + 8 : at + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack(">I", image[at + 8 + length : at + 12 + length])[0]
        size = struct.unpack(">II", body[:8]) if kind == b"IHDR" else size
        pixels += body if kind == b"IDAT" else b""
        at += 12 + length
    assert size[0] > 600
    assert size[1] > 300
    assert len(set(zlib.decompress(pixels))) > 10


def test_the_csv_holds_the_numbers_of_the_report(results: tuple[Path, Report]) -> None:
    folder, report = results
    with open(folder / "rates.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows == [{key: str(value) for key, value in row.items()} for row in numbers(report)]
    assert len(rows) == 12
    assert {row["n"] for row in rows} == {"1000"}


def test_the_report_shows_picture_table_claims_and_circumstances(results: tuple[Path, Report]) -> None:
    folder, report = results
    text = (folder / "report.md").read_text()
    assert text.startswith("# S.reference: ")
    assert "](rates.png)" in text
    for row in numbers(report):
        assert f"| {' | '.join(map(str, row.values()))} |" in text
    for claim in claim_rows(report):
        assert f"| {claim['claim']} | {claim['ours']} | yes |" in text
    for word in ("zeroply study run S.reference --scale smoke --seeds 1", "level", "commit", "date"):
        assert word in text


def test_the_claims_of_the_reference_study_hold(results: tuple[Path, Report]) -> None:
    _, report = results
    assert [claim.holds for claim in report.claims] == [True, True]


def test_ours_lies_in_its_interval_and_the_distance_is_in_combined_standard_errors(
    results: tuple[Path, Report],
) -> None:
    published = [(their_games, rate) for their_games, rates in PUBLISHED.values() for rate in rates]
    for row, (their_games, rate) in zip(numbers(results[1]), published, strict=True):
        assert row["low"] < row["ours"] < row["high"]
        assert (row["their n"], row["theirs"]) == (their_games, rate)
        p, q = row["ours"] / 100, rate / 100
        error = math.sqrt(p * (1 - p) / row["n"] + q * (1 - q) / their_games)
        assert row["apart"] == pytest.approx((p - q) / error, rel=0.15, abs=0.1)


# The same numbers however it was run


@pytest.mark.usefixtures("without_figures")
def test_an_interrupted_study_goes_on_and_finds_the_same(results: tuple[Path, Report], tmp_path: Path) -> None:
    calls = 0

    def interrupt(*_: object) -> None:
        nonlocal calls
        calls += 1
        if calls == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_study("S.reference", folder=tmp_path, progress=interrupt)
    folder = study_folder("S.reference", "smoke", 1, tmp_path)
    assert not (folder / "report.md").exists()
    calls = 100
    report = run_study("S.reference", folder=tmp_path, progress=interrupt)
    assert calls == 108, "units that were measured before the interrupt are measured again"
    assert numbers(report) == numbers(results[1])
    assert claim_rows(report) == claim_rows(results[1])
    assert (folder / "rates.csv").read_bytes() == (results[0] / "rates.csv").read_bytes()


@pytest.mark.usefixtures("without_figures")
def test_a_finished_study_is_not_measured_again(results: tuple[Path, Report], copied: Path) -> None:

    def never(*_: object) -> None:
        raise AssertionError("measured again")

    again = run_study("S.reference", folder=copied, progress=never)
    assert numbers(again) == numbers(results[1])


def changed_units(monkeypatch: pytest.MonkeyPatch, settings: Mapping[str, Any], seed: int = 0) -> None:
    """S.reference with other settings or another seed in one of its units."""
    kind = type(study("S.reference"))
    before = kind.units

    def units(self: Study, scale: Scale, seeds: int) -> list[Unit]:
        first, *rest = before(self, scale, seeds)
        return [replace(first, settings={**first.settings, **settings}, seed=first.seed + seed), *rest]

    monkeypatch.setattr(kind, "units", units)


@pytest.mark.usefixtures("without_figures")
def test_only_units_whose_settings_changed_are_measured_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []

    def interrupt(done: int, total: int, text: str = "") -> None:
        if done == 2:
            raise KeyboardInterrupt
        if text:
            names.append(text.partition(",")[0])

    with pytest.raises(KeyboardInterrupt):
        run_study("S.reference", folder=tmp_path, progress=interrupt)
    first, _ = dict.fromkeys(names)
    changed_units(monkeypatch, {"note": (1, 2)})
    names.clear()
    with pytest.raises(KeyboardInterrupt):
        run_study("S.reference", folder=tmp_path, progress=interrupt)
    assert set(names) == {first}
    names.clear()
    with pytest.raises(KeyboardInterrupt):
        run_study("S.reference", folder=tmp_path, progress=interrupt)
    assert not names


@pytest.mark.usefixtures("without_figures")
@pytest.mark.parametrize(("settings", "seed"), [({"note": 1}, 0), ({}, 5)])
def test_a_finished_study_with_other_settings_is_refused(
    copied: Path, monkeypatch: pytest.MonkeyPatch, settings: Mapping[str, Any], seed: int
) -> None:
    changed_units(monkeypatch, settings, seed)
    with pytest.raises(zp.ZeroplyError, match=r"is finished, but '.*' is measured otherwise now: remove .*smoke-1 to"):
        run_study("S.reference", folder=copied)


def test_a_report_written_again_keeps_when_and_with_what_it_was_measured(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = study_folder("S.reference", "smoke", 1, copied) / "report.md"
    before = report.read_text()
    monkeypatch.setattr("zeroply.studies.running.__version__", "9.9.9")
    run_study("S.reference", folder=copied)
    assert report.read_text() == before


@pytest.mark.usefixtures("without_figures")
def test_a_study_can_be_resumed_as_a_run(
    results: tuple[Path, Report], copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["resume", str(study_folder("S.reference", "smoke", 1, copied) / "run"), "--json"])
    assert json.loads(capsys.readouterr().out)["tables"]["rates"] == numbers(results[1])


@pytest.mark.usefixtures("without_figures")
def test_scales_and_seeds_have_folders_of_their_own(tmp_path: Path) -> None:
    one, two = (run_study("S.reference", seeds=seeds, folder=tmp_path) for seeds in (1, 2))
    assert {row["n"] for row in numbers(one)} == {1000}
    assert {row["n"] for row in numbers(two)} == {2000}
    assert sorted(path.name for path in (tmp_path / "S.reference").iterdir()) == ["smoke-1", "smoke-2"]


@pytest.mark.usefixtures("without_figures")
def test_threads_do_not_change_a_study(results: tuple[Path, Report], tmp_path: Path) -> None:
    threads = zp.threads()
    try:
        zp.set_threads(2 if threads == 1 else 1)
        report = run_study("S.reference", folder=tmp_path)
    finally:
        zp.set_threads(threads)
    assert numbers(report) == numbers(results[1])


def test_the_run_of_a_study_records_every_unit(results: tuple[Path, Report]) -> None:
    record = Run.read(results[0] / "run")
    events = list(record.events())
    assert record.info.kind == "study"
    assert len({event["unit"] for event in events}) == len(events) == 12
    assert record.finished


# The rates themselves


@pytest.mark.parametrize("spec", PUBLISHED)
def test_rates_at_ten_thousand_games_are_those_of_the_public_code(spec: str) -> None:
    their_games, rates = PUBLISHED[spec]
    pairs = [
        zp.match(*two, game=spec, games=20_000, seed=1) for two in (["random"] * 2, ["naive", "random"], ["naive"] * 2)
    ]
    equal, mixed, strong = pairs
    ours = (
        equal.as_black.wins / 10_000,
        mixed.as_black.wins / 10_000,
        mixed.as_white.losses / 10_000,
        strong.as_black.wins / 10_000,
    )
    for found, percent in zip(ours, rates, strict=True):
        wanted = percent / 100
        error = math.sqrt(found * (1 - found) / 10_000 + wanted * (1 - wanted) / their_games)
        assert abs(found - wanted) < 3.5 * error
    if spec.startswith("gomoku"):
        drawn = equal.as_black.draws / 10_000
        assert abs(drawn - 0.065) < 3.5 * math.sqrt(0.065 * 0.935 * (1 / 10_000 + 1 / 200))
    else:
        assert equal.tally.draws == 0


# The list of studies, and bad input


def test_every_study_has_a_name_a_title_and_a_source() -> None:
    found = studies()
    assert "S.reference" in [one.name for one in found]
    for one in found:
        assert isinstance(one, Study)
        assert one.title
        assert one.source
        assert study(one.name).name == one.name


@pytest.mark.parametrize("one", studies(), ids=lambda one: one.name)
def test_the_units_of_a_study_have_names_of_their_own(one: Study) -> None:
    for scale in ("smoke", "cpu", "paper"):
        names = [unit.name for unit in one.units(scale, 2)]
        assert len(set(names)) == len(names) > 0


def test_an_unknown_study_says_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(zp.ZeroplyError, match=r"unknown study 'S\.table9': there are .*S\.reference"):
        run_study("S.table9", folder=tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("seeds", [0, -1])
def test_a_study_needs_a_seed(tmp_path: Path, seeds: int) -> None:
    with pytest.raises(zp.ZeroplyError, match="1 seed or more"):
        run_study("S.reference", seeds=seeds, folder=tmp_path)
    assert not list(tmp_path.iterdir())


def test_results_that_cannot_be_written_are_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(zp.ZeroplyError, match="file"):
        run_study("S.reference", folder=tmp_path / "file")


def test_a_missing_package_is_noticed_before_anything_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(zp.ZeroplyError, match=r"needs scipy: install it with pip install '\.\[train\]'"):
        run_study("S.table1", folder=tmp_path)
    assert not list(tmp_path.iterdir())


def test_without_matplotlib_it_is_said_that_there_are_no_figures(
    copied: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    main(["study", "run", "S.reference", "--results", str(copied)])
    assert "no figures: matplotlib is missing" in capsys.readouterr().err
