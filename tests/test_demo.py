"""The demo's page, and that the demo empties no folder but its own."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from rich.console import Console

import zeroply as zp
from zeroply import demo, records
from zeroply.demo_report import Curve, DemoReport, Rated, board, line_chart, rating_chart, stepper, words
from zeroply.demo_report.charts import ticks
from zeroply.learning.champions import FILE


def test_what_is_printed_reaches_terminal_and_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = DemoReport(["A <part>", "another"])
    with report.record("A <part>", '$ zeroply show "x"'):
        print("1 < 2")
        Console(force_terminal=True, color_system="standard").print("[bold red]warm[/]")
    report.add("A <part>", "<p>one</p>", '<figure class="small">1</figure>', '<figure class="small">2</figure>')
    report.add("", "<p>first</p>")
    page = report.write(tmp_path / "report.html", 3.4).read_text()
    assert "1 < 2" in capsys.readouterr().out
    assert page.index("<p>first</p>") < page.index("<h2>A &lt;part&gt;</h2>") < page.index("<p>one</p>")
    assert page.count('<div class="pictures">') == 1
    assert page.index("<p>one</p>") < page.index("$ zeroply show &quot;x&quot;") < page.index("<h2>another</h2>")
    assert "1 &lt; 2" in page
    assert "\nwarm</pre>" in page
    assert not re.search(r"(src|href)=|https?://(?!www\.w3\.org)|@import|url\(", page)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.0, 100.0, [0, 20, 40, 60, 80, 100]),
        (-0.3, 0.41, [-0.4, -0.2, 0, 0.2, 0.4, 0.6]),
        (1.0, 1.0, [1, 1.2, 1.4, 1.6, 1.8, 2]),
    ],
)
def test_ticks_are_round_and_reach_both_ends(low: float, high: float, expected: list[float]) -> None:
    assert ticks(low, high) == expected


def test_charts_place_values_on_their_axes() -> None:
    chart = line_chart([Curve("a", [0, 10], [0, 100])], "x", "y", "seen", low=0, high=100)
    assert "M46.0 200.0L406.0 28.0" in chart
    rows = [Rated("Best & first", "about", 100, 50, 150, ours=True), Rated("Zero", "", 0, 0, 0)]
    drawn = rating_chart(rows, "caption")
    assert drawn.index("Best &amp; first") < drawn.index("Zero")
    assert 'style="left:33.33%;width:66.67%"' in drawn  # 50 to 150 on an axis from 0 to 150


def test_a_game_is_stepped_through_with_the_preferences_of_its_net() -> None:
    game = zp.game("othello")
    moves = [game.notation.cell(name) for name in ("f5", "d6", "c3")]
    html = stepper(game, moves, {1: "net(othello-swh)"}, ("One", "Two <"), "caption")
    data = json.loads(re.search(r'<script type="application/json">(.*)</script>', html, re.DOTALL)[1])  # type: ignore[index]
    frames = data["frames"]
    positions = [game.replay(moves[:number]) for number in range(4)]
    assert [frame["stones"] for frame in frames] == [one.text()[0].split()[0].replace("-", ".") for one in positions]
    assert [frame["last"] for frame in frames] == [-1, *moves]
    assert ["heat" in frame for frame in frames] == [True, False, True, False]
    heat = frames[2]["heat"]
    assert [cell for cell in range(64) if heat[cell] >= 0] == positions[2].legal()[0].nonzero()[0].tolist()
    assert max(heat) == 100
    assert frames[0]["words"] == "Move 1: One (Black) will play f5. Discs 2–2."
    assert frames[3]["words"] == "Move 4: Two < (White) to move. Discs 5–2."
    assert "Two <" not in html
    assert "<svg" in board(positions[1], None, "")


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
    assert titles == list(words.PARTS)
    assert page.count("<details>") == len(words.PARTS)
    assert page.count('class="chart"') == 3
    assert page.count('class="ratings"') == 4
    assert page.count('class="stepper"') == 2
    assert page.count('class="small"') == 2 + 2 + 2 + 3 + 1
    assert "<b>Strongest player without search: " in page
    for file in ("learned/net.safetensors", f"evolved/{FILE}", f"coevolved/{FILE}"):
        assert (tmp_path / file).is_file()


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("dear")
    with pytest.raises(SystemExit, match="was not made by this demo"):
        demo.main(tmp_path)
    assert (tmp_path / "mine.txt").exists()
