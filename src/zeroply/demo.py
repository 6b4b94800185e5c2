"""`make demo`: the whole story in a few minutes: nets that learn from games, evolve and coevolve, and then all meet.

python -m zeroply.demo [FOLDER]

Every part is a command that anyone can give; what it prints goes to the terminal and into `report.html` as well.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.rule import Rule

import zeroply as zp
from zeroply.cli.bench import bench_games, bench_nets
from zeroply.cli.coevolve_lin_white import lin_white
from zeroply.cli.data import build
from zeroply.cli.evolve import evolve
from zeroply.cli.league import league
from zeroply.cli.listing import games
from zeroply.cli.output import console
from zeroply.cli.solve import solve
from zeroply.cli.study import study_run
from zeroply.cli.train import train
from zeroply.demo_report import DemoReport, fitness_curve, survival_curve
from zeroply.learning.champions import FILE, player_of
from zeroply.studies import Scale

ENDING = "--XXXXX---XOO----OOOXOOX-OOXXOX-XOOXXXX-X-OOXXXXX-OOOX----OOOO-- X"
"""From a game of the engine against itself: 20 squares are empty, and Black can win by four discs."""
OPENING = "f5d6c3d3c4f4c5b3c2e6"
OPENINGS = "random(plies=6)"
MARK = ".demo"
"""A file that tells that a folder was made here and may be made anew."""


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much is learned, played and measured."""

    source: str = "shipped"
    """The games that a net learns from."""
    epochs: float = 0.7
    """How often it sees each of them."""
    evolved: int = 60
    """Generations of evolution."""
    evolved_games: int = 100
    """Games by which each net is judged in it."""
    coevolved: int = 300
    """Generations of coevolution."""
    population: int = 100
    """Nets in it."""
    games: int = 400
    """Games of each pair in a league."""
    deep_games: int = 100
    """Games of each pair in the league of players that look ahead."""
    scale: Scale = "cpu"
    """The scale of the study."""
    seconds: float = 0.2
    """Time for each figure of speed."""


class Demo:
    """The parts of the story, each with its command, in a folder that is made anew."""

    def __init__(self, folder: Path, size: Size | None = None) -> None:
        self.folder = folder
        self.size = size or Size()
        self.report = DemoReport()

    def tell(self) -> None:
        """All of it."""
        start = time.perf_counter()
        with self._part("Three games, any board size", "zeroply games"):
            games()
        learned = self._learn()
        self._evolve()
        coevolved = self._coevolve()
        self._meet(learned, coevolved)
        self._look(["net(othello)", learned, coevolved])
        self._look_ahead()
        self._measure()
        spent = time.perf_counter() - start
        page = self.report.write(self.folder / "report.html", spent)
        console.print(f"\nDone in {spent:.0f} s. Everything is in {page}. Now play yourself:", soft_wrap=True)
        console.print('  .venv/bin/zeroply play "net(othello)"      or      make web', style="bold")

    def _learn(self) -> str:
        """A net learns from games (paper L)."""
        sets, run = self.folder / "sets", self.folder / "learned"
        net = "lines(embedding=8, layers=32-16)"
        command = f"zeroply data build --source {self.size.source} --out {sets}"
        command += f'\n$ zeroply train "{net}" --data {sets} --set unique …'
        with self._part("A net learns from games", command):
            build(self.size.source, sets)
            train(
                net,
                str(sets),
                run,
                dataset="unique",
                epochs=self.size.epochs,
                batch=256,
                rate=0.01,
                evaluations=0,
                seed=1,
            )
        return str(player_of(run / "net.safetensors"))

    def _evolve(self) -> None:
        """A net evolves on a small board and is tried on a larger one (paper S)."""
        run, small = self.folder / "evolved", "atarigo(size=5)"
        generations, games = self.size.evolved, self.size.evolved_games
        command = f'zeroply evolve --game "{small}" --generations {generations} --out {run}'
        with self._part("A recurrent net evolves on 5x5", command):
            evolve(run, game=small, generations=generations, games=games, seed=1)
        self.report.figure("Fitness against the naive player", fitness_curve(run))
        champion = str(player_of(run / FILE))
        for size in (5, 9):
            game = f"atarigo(size={size})"
            with self._part(f"… and plays on {size}x{size}", f'zeroply league … --game "{game}"'):
                league([champion, "naive", "random"], game=game, games=self.size.games, seed=1)

    def _coevolve(self) -> str:
        """Spatial nets coevolve from nothing (paper W)."""
        run = self.folder / "coevolved"
        generations, strategies = self.size.coevolved, ("positional", "pieces")
        command = f"zeroply coevolve --preset lin-white --generations {generations} --out {run}"
        with self._part("Spatial nets coevolve from nothing", command):
            lin_white(
                run,
                generations=generations,
                population=self.size.population,
                observe_every=max(1, generations // 3),
                strategies=strategies,
                highest=4,
                seed=1,
            )
        self.report.figure("How long parents survive", survival_curve(run))
        return str(player_of(run / FILE))

    def _meet(self, learned: str, coevolved: str) -> None:
        players = ["net(othello)", learned, coevolved, "engine(depth=1)", "greedy", "random"]
        with self._part("All meet", f'zeroply league … --openings "{OPENINGS}" --games {self.size.games}'):
            league(players, openings=OPENINGS, games=self.size.games, seed=1)

    def _look(self, players: list[str]) -> None:
        """What several players like in the same position."""
        game = zp.game("othello")
        position = game.replay(OPENING)
        for name in players:
            with zp.player(name, game) as player:
                heat = player.prefer_all(position)[0]
            self.report.picture(f"What {name} likes after {OPENING}", position.svg(heat))

    def _look_ahead(self) -> None:
        with self._part("Players that look ahead", 'zeroply league "engine(depth=1)" "engine(depth=2)" …'):
            engines = [f"engine(depth={depth})" for depth in (1, 2, 3)]
            league([*engines, "iagno(level=2)"], openings="random(plies=8)", games=self.size.deep_games, seed=1)
        with self._part("An ending solved", f'zeroply solve --position "{ENDING}"'):
            solve([], position=ENDING)

    def _measure(self) -> None:
        with self._part(
            "A study: ours beside published rates", f"zeroply study run S.reference --scale {self.size.scale}"
        ):
            study_run("S.reference", scale=self.size.scale, results=self.folder)
        with self._part("Speed", "zeroply bench games; zeroply bench nets"):
            bench_games(seconds=self.size.seconds)
            bench_nets(seconds=self.size.seconds / 2)

    @contextmanager
    def _part(self, title: str, command: str) -> Iterator[None]:
        console.print()
        console.print(Rule(f"[bold]{title}[/bold]", align="left"))
        console.print(f"$ {command}\n", style="dim", markup=False)
        with self.report.part(title, command):
            yield


def main(folder: Path) -> None:
    """Tell the story in a folder, which is emptied first if it holds an earlier one."""
    if folder.exists():
        if not (folder / MARK).is_file():
            raise SystemExit(f"{folder} exists and was not made by this demo: name another folder")
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    (folder / MARK).write_text("made by zeroply.demo, which empties this folder when it runs again\n")
    Demo(folder).tell()


if __name__ == "__main__":
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
