"""The demo's page, and that the demo empties no folder but its own."""

from __future__ import annotations

import functools
import inspect
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tyro
from rich.console import Console

from zeroply import demo
from zeroply.cli.main import main
from zeroply.demo_report import DemoReport, fitness_curve
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
    assert fitness_curve(tmp_path / "run").startswith("<svg")


def test_the_commands_that_are_shown_are_those_that_are_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given: list[list[str]] = []
    seeds: list[object] = []

    def parse_only(words: list[str]) -> None:
        """Reads the arguments of a command by its signature, but leaves its work undone."""
        given.append(words)
        main(words)

    def stub(command: Callable[..., None]) -> Callable[..., None]:
        parameters = inspect.signature(command).parameters

        @functools.wraps(command)
        def noted(*_: object, **options: object) -> None:
            seeds.append(options["seed"] if "seed" in parameters else 1)

        return noted

    def cli(target: Callable[..., None], **options: Any) -> None:
        usual(stub(target), **options)

    def from_dict(targets: dict[str, Callable[..., None]], **options: Any) -> None:
        usual_dict({name: stub(target) for name, target in targets.items()}, **options)

    usual, usual_dict = tyro.cli, tyro.extras.subcommand_cli_from_dict
    monkeypatch.setattr(tyro, "cli", cli)
    monkeypatch.setattr(tyro.extras, "subcommand_cli_from_dict", from_dict)
    monkeypatch.setattr(demo, "zeroply", parse_only)
    monkeypatch.setattr(demo, "player_of", lambda path: f"net({path})")
    for name in ("fitness_curve", "survival_curve"):
        monkeypatch.setattr(demo, name, lambda _: "<svg/>")
    monkeypatch.setattr(demo.Demo, "_look", lambda *_: None)
    demo.main(tmp_path / "my demo")
    printed = capsys.readouterr().out
    assert len(given) == 13
    assert seeds == [1] * len(given), "a command shows no seed"
    assert all(f"$ zeroply {shlex.join(words)}\n" in printed for words in given)
    assert f"web --open --runs '{tmp_path / 'my demo'}'" in printed


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("dear")
    with pytest.raises(SystemExit, match="was not made by this demo"):
        demo.main(tmp_path)
    assert (tmp_path / "mine.txt").exists()
