"""Studies: report, CSV and figure are written, an interrupt loses nothing, and S.reference finds what it should."""

from __future__ import annotations

import csv
import json
import math
import re
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
from zeroply.studies import Report, Scale, Study, Unit, names, studies, study
from zeroply.studies.measured import split_columns
from zeroply.studies.report import claim_rows
from zeroply.studies.running import run_study, study_folder
from zeroply.studies.verify import compare, read_claims, verify, with_tables

PAIRINGS = ["random-random", "naive-random", "random-naive", "naive-naive"]
# Black's wins in percent, measured with public code, in the order of PAIRINGS.
PUBLISHED = {
    "atarigo(size=5)": (400, (55.0, 89.0, 15.5, 52.5)),
    "atarigo(size=7)": (400, (50.5, 93.5, 11.3, 53.5)),
    "gomoku(size=7)": (200, (51.5, 87.5, 18.5, 51.0)),
}


def numbers(report: Report) -> list[dict[str, Any]]:
    return [split_columns(row) for table in report.tables for row in table.rows]


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
    monkeypatch.setattr("zeroply.studies.report.can_draw", lambda: False)


# What is written


def test_a_study_writes_a_report_a_table_and_a_figure(results: tuple[Path, Report]) -> None:
    folder, _ = results
    assert sorted(path.name for path in folder.iterdir()) == [
        "claims.json",
        "rates.csv",
        "rates.png",
        "report.md",
        "run",
        "units.jsonl",
    ]


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
    assert {row["n"] for row in rows} == {"20"}


def test_the_report_shows_picture_table_claims_and_circumstances(results: tuple[Path, Report]) -> None:
    folder, report = results
    text = (folder / "report.md").read_text()
    assert text.startswith("# S.reference: ")
    assert "](rates.png)" in text
    for row in report.tables[0].rows:
        assert f"| {' | '.join(map(str, row.values()))} |" in text
    for claim in claim_rows(report.claims):
        assert f"| {' | '.join(claim.values())} |" in text
    for word in ("zeroply study run S.reference --scale smoke --seeds 1", "level", "commit", "date"):
        assert word in text


def test_no_claim_is_decided_at_smoke_scale(results: tuple[Path, Report]) -> None:
    folder, report = results
    assert {claim.verdict for claim in report.claims} == {"cannot tell"}
    assert {entry["verdict"] for entry in json.loads((folder / "claims.json").read_text())} == {"cannot tell"}


def test_the_claims_of_the_reference_study_can_turn_out_either_way() -> None:
    def holds(shift: int) -> list[bool | None]:
        units = []
        for unit in study("S.reference").units("paper", 1):
            index = PAIRINGS.index(f"{unit.settings['black']}-{unit.settings['white']}")
            wins = 1000 * PUBLISHED[unit.settings["game"]][1][(index + shift) % 4]
            units.append((unit, {"games": 100_000, "wins": round(wins), "draws": 0}))
        return [claim.holds for claim in study("S.reference").report(units, "paper").claims]

    assert holds(0) == [True, True]
    assert holds(1) == [False, False]


def test_claims_are_written_for_programs(results: tuple[Path, Report]) -> None:
    entries = json.loads((results[0] / "claims.json").read_text())
    first = entries[0]
    assert len(entries) == 2
    assert first["paper"] == "Schaul and Schmidhuber 2009"
    assert first["place"] == "section IV-B"
    assert first["command"] == "zeroply study run S.reference --scale smoke --seeds 1"
    assert (first["scale"], first["seeds"]) == ("smoke", 1)
    assert {"date", "commit", "hardware", "seconds", "printed", "ours", "interval"} <= first.keys()
    assert len(first["comparisons"]) == 12


def test_ours_lies_in_its_interval_beside_the_reference(results: tuple[Path, Report]) -> None:
    published = [(their_games, rate) for their_games, rates in PUBLISHED.values() for rate in rates]
    for row, (their_games, rate) in zip(numbers(results[1]), published, strict=True):
        assert row["ours_low"] <= row["ours"] <= row["ours_high"]
        assert (row["reference games"], row["reference"]) == (their_games, pytest.approx(rate / 100))


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
    assert calls == 120, "units that were measured before the interrupt are measured again"
    assert numbers(report) == numbers(results[1])
    assert claim_rows(report.claims) == claim_rows(results[1].claims)
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
    with pytest.raises(zp.ZeroplyError, match=r"but the settings of '.*' have changed: remove .*smoke-1 to"):
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
def test_a_claim_is_printed_on_one_line_with_one_of_its_numbers(
    results: tuple[Path, Report], copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["resume", str(study_folder("S.reference", "smoke", 1, copied) / "run")])
    lines = capsys.readouterr().out.splitlines()
    for claim in results[1].claims:
        (line,) = [line for line in lines if claim.text in line]
        number = f"{claim.deciding} {claim.numbers[claim.deciding]}"
        assert line.strip() == f"{claim.verdict}  {claim.text} ({claim.place}): {number}"


@pytest.mark.usefixtures("without_figures")
def test_scales_and_seeds_have_folders_of_their_own(tmp_path: Path) -> None:
    one, two = (run_study("S.reference", seeds=seeds, folder=tmp_path) for seeds in (1, 2))
    assert {row["n"] for row in numbers(one)} == {20}
    assert {row["n"] for row in numbers(two)} == {40}
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


# Reusing units


@pytest.mark.usefixtures("without_figures")
def test_units_measured_elsewhere_are_reused_and_only_the_others_measured(
    results: tuple[Path, Report], tmp_path: Path
) -> None:
    lines = (results[0] / "units.jsonl").read_text().splitlines()
    elsewhere = tmp_path / "elsewhere" / "S.reference"
    elsewhere.mkdir(parents=True)
    other = [line.replace(json.loads(line)["commit"], "0ther") for line in lines[:5]]
    (elsewhere / "units.jsonl").write_text("\n".join(other))
    named: set[str] = set()

    def note(done: int, total: int, text: str = "") -> None:
        named.update([text.partition(",")[0]] if text else [])

    report = run_study("S.reference", folder=tmp_path, progress=note, reuse=tmp_path / "elsewhere")
    assert named == {json.loads(line)["unit"] for line in lines[5:]}
    assert numbers(report) == numbers(results[1])
    text = (report.folder / "report.md").read_text()
    assert f"commit 0ther, {json.loads(lines[0])['commit']}" in text
    assert len((report.folder / "units.jsonl").read_text().splitlines()) == len(lines)


@pytest.mark.usefixtures("without_figures")
def test_units_of_other_settings_or_seeds_are_not_reused(
    results: tuple[Path, Report], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed_units(monkeypatch, {"note": 1})
    steps = []
    run_study("S.reference", folder=tmp_path, progress=lambda *step: steps.append(step), reuse=results[0].parents[1])
    assert {text.partition(",")[0] for *_, text in steps if text} == {study("S.reference").units("smoke", 1)[0].name}


@pytest.mark.usefixtures("without_figures")
def test_some_units_can_be_measured_alone(
    results: tuple[Path, Report], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = study("S.reference").units("smoke", 1)[0].name.split()[0]
    several = [unit for unit in study("S.reference").units("smoke", 1) if words in unit.name]
    command = ["study", "run", "S.reference", "--results", str(tmp_path)]
    main([*command, "--only", words])
    assert f"{len(several)} of 12 units are measured" in " ".join(capsys.readouterr().out.split())
    folder = study_folder("S.reference", "smoke", 1, tmp_path)
    assert len((folder / "units.jsonl").read_text().splitlines()) == len(several) < 12
    assert not (folder / "report.md").exists()
    main([*command, "--json"])
    assert json.loads(capsys.readouterr().out)["tables"]["rates"] == numbers(results[1])


@pytest.mark.parametrize("line", ["{", "[]", '{"unit": "x"}', "[" * 100_000])
def test_damaged_units_are_refused_in_a_sentence(tmp_path: Path, line: str) -> None:
    (tmp_path / "S.reference").mkdir()
    (tmp_path / "S.reference" / "units.jsonl").write_text(line)
    with pytest.raises(zp.ZeroplyError, match=r"units\.jsonl, line 1 is not a measured unit"):
        run_study("S.reference", folder=tmp_path / "new", reuse=tmp_path)
    with pytest.raises(zp.ZeroplyError, match=r"has no measured units of S\.reference: expected"):
        run_study("S.reference", folder=tmp_path / "new", reuse=tmp_path / "nothing")
    assert not (tmp_path / "new").exists()


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
    assert [one.name for one in studies()] == names()
    assert "S.reference" in names()
    for one in studies():
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
    with pytest.raises(zp.ZeroplyError, match=r"unknown study 'S\.table9': studies are .*S\.reference"):
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


# Committed results

RESULTS = Path(__file__).parents[1] / "docs" / "results"
KEYS = {"paper", "place", "claim", "printed", "ours", "interval", "verdict", "command", "commit", "date", "hardware"}


def test_every_committed_report_has_claims() -> None:
    reports = sorted(path.parent.name for path in RESULTS.glob("*/report.md"))
    assert len(reports) >= 34
    for name in reports:
        for entry in read_claims(name, RESULTS):
            assert {*KEYS, "scale", "seeds"} <= entry.keys()
            assert entry["verdict"] in ("holds", "fails", "cannot tell")
            assert entry["claim"] in (RESULTS / name / "report.md").read_text()


def test_cells_of_committed_tables_hold_one_number() -> None:
    for path in RESULTS.glob("*/*.csv"):
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                assert not any(re.search(r"^-?[\d.]+ (±|to|\() ?", cell) for cell in row.values()), path


def test_the_tables_of_the_page_are_those_of_the_committed_claims() -> None:
    page = (RESULTS.parent / "studies.md").read_text()
    assert with_tables(page, RESULTS) == page, "run 'zeroply study tables'"
    with pytest.raises(zp.ZeroplyError, match="no place for the table 'measured'"):
        with_tables("# Studies", RESULTS)


@pytest.fixture
def committed(results: tuple[Path, Report], tmp_path: Path) -> Path:
    """A folder with the claims of S.reference at smoke."""
    folder = tmp_path / "committed" / "S.reference"
    folder.mkdir(parents=True)
    shutil.copy(results[0] / "claims.json", folder)
    return folder.parent


@pytest.mark.usefixtures("without_figures")
def test_a_study_measured_again_agrees_with_itself(
    committed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["study", "verify", "S.reference", "--results", str(committed), "--work", str(tmp_path), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert told["agrees"] is True
    assert [claim["agrees"] for claim in told["claims"]] == [True, True]


@pytest.mark.usefixtures("without_figures")
def test_a_value_outside_the_interval_does_not_agree(
    committed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = committed / "S.reference" / "claims.json"
    entries = json.loads(path.read_text())
    entries[1]["comparisons"][0]["interval"] = [2.0, 3.0]
    path.write_text(json.dumps(entries))
    with pytest.raises(SystemExit, match="1"):
        main(["study", "verify", "S.reference", "--results", str(committed), "--work", str(tmp_path)])
    assert "agrees?" in capsys.readouterr().out


@pytest.mark.usefixtures("without_figures")
def test_another_scale_checks_only_that_every_claim_is_there(committed: Path, tmp_path: Path) -> None:
    path = committed / "S.reference" / "claims.json"
    entries = [{**entry, "scale": "paper"} for entry in json.loads(path.read_text())]
    path.write_text(json.dumps(entries))
    assert [one.agrees for one in verify("S.reference", committed, tmp_path, "smoke")] == [None, None]
    missing = [*entries, {**entries[0], "claim": "another"}]
    assert [one.agrees for one in compare(missing, entries)] == [True, True, False]
    path.write_text("[]")
    with pytest.raises(zp.ZeroplyError, match="holds no claims"):
        verify("S.reference", committed, tmp_path)


def test_values_without_intervals_agree_if_they_are_close() -> None:
    def entry(value: float) -> dict[str, Any]:
        return {"claim": "x", "scale": "cpu", "ours": value, "interval": [None, None], "verdict": "cannot tell"}

    assert [one.agrees for one in compare([entry(10)], [entry(11)])] == [True]
    assert [one.agrees for one in compare([entry(10)], [entry(13)])] == [False]
