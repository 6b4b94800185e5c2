"""The demo's page, and that the demo empties no folder but its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rich.console import Console

import zeroply as zp
from zeroply import demo, records
from zeroply.demo_report import DemoReport, curves
from zeroply.learning.champions import FILE
from zeroply.runs import Run


def test_what_is_printed_reaches_terminal_and_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = DemoReport()
    with report.part("A <part>", '$ zeroply show "x"'):
        print("1 < 2")
        Console(force_terminal=True, color_system="standard").print("[bold red]warm[/]")
    report.picture("one", "<svg id='a'/>")
    report.picture("two", "<svg id='b'/>")
    page = report.write(tmp_path / "report.html", 3.4).read_text()
    assert "1 < 2" in capsys.readouterr().out
    assert "A &lt;part&gt;" in page
    assert "$ zeroply show &quot;x&quot;" in page
    assert "1 &lt; 2" in page
    assert "font-weight: bold" in page
    assert page.count('class="pictures"') == 1
    assert "<script" not in page


def test_curves_are_drawn_from_the_events_of_a_run(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", kind="evolve", config={}, seed=1, level="v3") as run:
        for number in range(1, 4):
            run.log("generation", number=number, best=number, mean=0)
        run.finish({})
    assert curves(tmp_path / "run", "fitness", "best", "mean").startswith("<svg")


def test_the_whole_story_is_told_on_a_small_scale(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    monkeypatch.setattr("zeroply.bench.games.peer_speeds", lambda seconds: [])
    monkeypatch.setattr("zeroply.bench.games.TRIALS", 1)
    for name, small in (("TRIALS", 1), ("POSITIONS", 10), ("BURST", 5), ("CHILDREN_GAMES", 2)):
        monkeypatch.setattr(f"zeroply.bench.nets.{name}", small)
    records.save(zp.match("random", "random", games=40, seed=1).records(), tmp_path / "games.txt")
    size = demo.DemoSize(
        source=str(tmp_path / "games.txt"),
        epochs=0.2,
        evolved=2,
        evolved_games=2,
        coevolved=3,
        population=4,
        games=2,
        deep_games=2,
        scale="smoke",
        seconds=0.001,
    )
    demo.Demo(tmp_path, size).run()
    printed = capsys.readouterr().out
    assert "Done in" in printed
    assert printed.count("\n$ zeroply ") == 13
    assert f"web --open --runs {tmp_path}" in printed
    page = (tmp_path / "report.html").read_text()
    titles = re.findall(r"<h2>(.*?)</h2>", page)
    assert len(titles) == 11
    assert page.count("<svg") == 2 + 3
    for file in ("learned/net.safetensors", f"evolved/{FILE}", f"coevolved/{FILE}"):
        assert (tmp_path / file).is_file()


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("dear")
    with pytest.raises(SystemExit, match="was not made by this demo"):
        demo.main(tmp_path)
    assert (tmp_path / "mine.txt").exists()
