"""`make demo`: everything in a few minutes. Nets learn from games, evolve and coevolve, and then play each other.

python -m zeroply.demo [FOLDER]

Every part consists of ordinary `zeroply` commands; their output goes to the terminal and into `report.html`.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.rule import Rule

import zeroply as zp
from zeroply.cli.main import main as zeroply
from zeroply.cli.output import console
from zeroply.demo_report import DemoReport, curves
from zeroply.learning.champions import FILE, player_of
from zeroply.studies import Scale

ENDING = "--XXXXX---XOO----OOOXOOX-OOXXOX-XOOXXXX-X-OOXXXXX-OOOX----OOOO-- X"
"""From a game of the engine against itself: 20 empty squares, and Black can win by four discs."""
OPENING = "f5d6c3d3c4f4c5b3c2e6"
OPENINGS = "random(plies=6)"
MARK = ".demo"
"""A file that marks a folder as made by the demo, which may delete it."""


@dataclass(frozen=True, kw_only=True)
class DemoSize:
    """How much is trained, played and measured."""

    source: str = "shipped"
    """The source of the training games."""
    epochs: float = 0.7
    """Training epochs."""
    evolved: int = 60
    """Generations of evolution."""
    evolved_games: int = 100
    """Games per net in evolution."""
    coevolved: int = 300
    """Generations of coevolution."""
    population: int = 100
    """Nets in coevolution."""
    games: int = 400
    """Games per pair in a league."""
    deep_games: int = 100
    """Games per pair in the league of search players."""
    scale: Scale = "cpu"
    """The scale of the study."""
    seconds: float = 0.2
    """Seconds per speed measurement."""


class Demo:
    """The parts of the demo, each with its commands, in a new folder."""

    def __init__(self, folder: Path, size: DemoSize | None = None) -> None:
        self.folder = folder
        self.size = size or DemoSize()
        self.report = DemoReport()

    def run(self) -> None:
        """Run all parts."""
        start = time.perf_counter()
        self._part("The games and their board sizes", ["games"])
        learned = self._learn()
        self._evolve()
        coevolved = self._coevolve()
        self._meet(learned, coevolved)
        self._look(["net(othello)", learned, coevolved])
        self._look_ahead()
        self._measure()
        spent = time.perf_counter() - start
        page = self.report.write(self.folder / "report.html", spent)
        console.print(f"\nDone in {spent:.0f} s. The report is {page}. Now play yourself:", soft_wrap=True)
        console.print(f"  {farewell(self.folder)}", style="bold", markup=False, soft_wrap=True)

    def _learn(self) -> str:
        """A net learns from games (paper L)."""
        sets, run = self.folder / "sets", self.folder / "learned"
        options = f"--set unique --epochs {self.size.epochs} --batch 256 --rate 0.01 --evaluations 0 --seed 1"
        train = ["train", "lines(embedding=8, layers=32-16)", "--data", f"{sets}", *options.split(), "--run", f"{run}"]
        self._part(
            "A net learns from games",
            ["data", "build", "--source", self.size.source, "--out", f"{sets}"],
            train,
        )
        return str(player_of(run / "net.safetensors"))

    def _evolve(self) -> None:
        """A net evolves on a small board and plays on a larger one (paper S)."""
        run = self.folder / "evolved"
        options = f"--generations {self.size.evolved} --games {self.size.evolved_games} --seed 1"
        self._part(
            "A recurrent net evolves on 5x5",
            ["evolve", "--game", "atarigo(size=5)", *options.split(), "--run", f"{run}"],
        )
        self.report.figure("Fitness against the naive player", curves(run, "fitness", "best", "mean"))
        champion = str(player_of(run / FILE))
        for size in (5, 9):
            league = ["league", champion, "naive", "random", "--game", f"atarigo(size={size})"]
            self._part(f"… and plays on {size}x{size}", [*league, "--games", f"{self.size.games}", "--seed", "1"])

    def _coevolve(self) -> str:
        """Spatial nets coevolve from random weights (paper W)."""
        run = self.folder / "coevolved"
        generations = self.size.coevolved
        options = f"--generations {generations} --population {self.size.population} --seed 1"
        options += f" --observe.every {generations // 3} --observe.strategies positional pieces --observe.highest 4"
        self._part(
            "Spatial nets coevolve from random weights",
            ["coevolve", "--preset", "lin-white", *options.split(), "--run", f"{run}"],
        )
        self.report.figure("How long parents survive", curves(run, "generations survived", "survival"))
        return str(player_of(run / FILE))

    def _meet(self, learned: str, coevolved: str) -> None:
        players = ["net(othello)", learned, coevolved, "engine(depth=1)", "greedy", "random"]
        options = ["--openings", OPENINGS, "--games", f"{self.size.games}", "--seed", "1"]
        self._part("All players in one league", ["league", *players, *options])

    def _look(self, players: list[str]) -> None:
        """The preferences of several players in the same position."""
        game = zp.game("othello")
        position = game.replay(OPENING)
        for name in players:
            with zp.player(name, game) as player:
                heat = player.prefer_all(position)[0]
            self.report.picture(f"Preferences of {name} after {OPENING}", position.svg(heat))

    def _look_ahead(self) -> None:
        players = [*(f"engine(depth={depth})" for depth in (1, 2, 3)), "iagno(level=2)"]
        self._part(
            "Players that search",
            ["league", *players, "--openings", "random(plies=8)", "--games", f"{self.size.deep_games}", "--seed", "1"],
        )
        self._part("Solving an ending", ["solve", "--position", ENDING])

    def _measure(self) -> None:
        self._part(
            "A study: our results beside published ones",
            ["study", "run", "S.reference", "--scale", self.size.scale, "--results", f"{self.folder}"],
        )
        games, nets = (["--seconds", f"{seconds:g}"] for seconds in (self.size.seconds, self.size.seconds / 2))
        self._part("Speed", ["bench", "games", *games], ["bench", "nets", *nets])

    def _part(self, title: str, *commands: Sequence[str]) -> None:
        """Show and run zeroply commands."""
        shown = "\n".join(f"$ zeroply {shlex.join(words)}" for words in commands)
        console.print()
        console.print(Rule(f"[bold]{title}[/bold]", align="left"))
        console.print(f"{shown}\n", style="dim", markup=False, soft_wrap=True)
        with self.report.part(title, shown):
            for words in commands:
                zeroply(list(words))


def farewell(folder: Path) -> str:
    """What to do next; the page shows the runs of the demo."""
    web = shlex.join([".venv/bin/zeroply", "web", "--open", "--runs", str(folder)])
    return f".venv/bin/zeroply play 'net(othello)'      or      {web}"


def main(folder: Path) -> None:
    """Run the demo in a folder, which is deleted first if it contains an earlier demo."""
    if folder.exists():
        if not (folder / MARK).is_file():
            raise SystemExit(f"{folder} exists and was not made by this demo: name another folder")
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    (folder / MARK).write_text("made by zeroply.demo, which deletes this folder when it runs again\n")
    Demo(folder).run()


if __name__ == "__main__":
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
