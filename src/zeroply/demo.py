"""`make demo`: everything in a few minutes. Nets learn from games, evolve and coevolve, and then play each other.

python -m zeroply.demo [FOLDER]

Every part consists of ordinary `zeroply` commands. Their output goes to the terminal; `report.html` explains what came
out with boards, games and charts.
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
from typing import Any

from rich.rule import Rule

import zeroply as zp
from zeroply.arena.league import League, LeagueResult
from zeroply.cli.main import main as zeroply
from zeroply.cli.output import console
from zeroply.demo_report import Curve, DemoReport, Rated, board, line_chart, rating_chart, stepper, words
from zeroply.games import Game
from zeroply.learning.champions import FILE, player_of, written_champion
from zeroply.runs import Run
from zeroply.studies import Scale

ENDING = "--XXXXX---XOO----OOOXOOX-OOXXOX-XOOXXXX-X-OOXXXXX-OOOX----OOOO-- X"
"""From a game of the engine against itself: 20 empty squares, and Black can win by four discs."""
OPENING = "f5d6c3d3c4f4c5b3c2e6"
MIDDLE = "f5d6c3d3c4f4c5b3c2e6c6b4b5d2e3a6c1b6"
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
        self.report = DemoReport(words.PARTS)

    def run(self) -> None:
        """Run all parts."""
        start = time.perf_counter()
        self._command(words.GAMES, ["games"])
        self.report.add(words.GAMES, words.GAMES_TEXT)
        learned = self._learn()
        self._evolve()
        coevolved = self._coevolve()
        names, about = words.titles(learned, coevolved), words.about(learned, coevolved)
        league = self._meet(learned, coevolved, names, about)
        searching = self._look_ahead(league, names, about)
        self._measure()
        self.report.add("", words.INTRODUCTION, words.summary(league, searching, names), words.SYSTEMS)
        spent = time.perf_counter() - start
        page = self.report.write(self.folder / "report.html", spent)
        console.print(f"\nDone in {spent:.0f} s. The report is {page}. Now play yourself:", soft_wrap=True)
        console.print(f"  {farewell(self.folder)}", style="bold", markup=False, soft_wrap=True)

    def _learn(self) -> str:
        """A net learns from games (paper L)."""
        sets, run = self.folder / "sets", self.folder / "learned"
        options = f"--set unique --epochs {self.size.epochs} --batch 256 --rate 0.01 --evaluations 0 --seed 1"
        train = ["train", "lines(embedding=8, layers=32-16)", "--data", f"{sets}", *options.split(), "--run", f"{run}"]
        self._command(words.LEARN, ["data", "build", "--source", self.size.source, "--out", f"{sets}"], train)
        learned = str(player_of(run / "net.safetensors"))
        rows = list(Run.read(run).events("progress"))
        curve = Curve("", [row["step"] for row in rows], [100 * row["accuracy"] for row in rows])
        self.report.add(
            words.LEARN,
            words.LEARN_TEXT,
            line_chart([curve], "training step", "moves guessed right, %", words.LEARN_CURVE, low=0),
            *self._looks(learned, words.LEARN_BOARD),
        )
        return learned

    def _evolve(self) -> None:
        """A net evolves on a small board and plays on a larger one (paper S)."""
        run = self.folder / "evolved"
        options = f"--generations {self.size.evolved} --games {self.size.evolved_games} --seed 1"
        evolve = ["evolve", "--game", "atarigo(size=5)", *options.split(), "--run", f"{run}"]
        self._command(words.EVOLVE, evolve)
        champion = str(player_of(run / FILE))
        rows = list(Run.read(run).events("generation"))
        curves = [
            Curve(name, [row["number"] for row in rows], [row[field] for row in rows])
            for name, field in (("best net", "best"), ("mean of the generation", "mean"))
        ]
        names = {**words.titles("", ""), champion: "Evolved net"}
        charts, looks = [], []
        for size, moves, caption in words.EVOLVED_BOARDS:
            game = zp.game(f"atarigo(size={size})")
            players = [champion, "naive", "random", "--game", str(game), "--games", f"{self.size.games}", "--seed", "1"]
            league = self._league(words.EVOLVE, f"league-{size}x{size}", players)
            charts.append(rating_chart(rated(league, names, words.about("", "")), f"On {size}x{size}."))
            looks.append(board(game.replay(moves), champion, caption))
        seen = stepper(*self._game("atarigo(size=9)", champion, "naive"), ("Evolved net", "Naive"), words.EVOLVE_GAME)
        self.report.add(
            words.EVOLVE,
            words.EVOLVE_TEXT,
            line_chart(curves, "generation", "fitness", words.EVOLVE_CURVE),
            *looks,
            words.EVOLVE_LEAGUES,
            *charts,
            seen,
        )

    def _coevolve(self) -> str:
        """Spatial nets coevolve from random weights (paper W)."""
        run, generations = self.folder / "coevolved", self.size.coevolved
        every = max(1, generations // 6)
        options = f"--generations {generations} --population {self.size.population} --save-every {every} --seed 1"
        self._command(words.COEVOLVE, ["coevolve", "--preset", "lin-white", *options.split(), "--run", f"{run}"])
        coevolved = str(player_of(run / FILE))
        saved = sorted({*range(every, generations + 1, every), generations})
        match: dict[str, Any] = {"openings": OPENINGS, "games": min(200, self.size.games), "seed": 1}
        scores = [100 * zp.match(str(player_of(written_champion(run, one))), "greedy", **match).score for one in saved]
        self.report.add(
            words.COEVOLVE,
            words.COEVOLVE_TEXT,
            line_chart([Curve("", saved, scores)], "generation", "points, %", words.COEVOLVE_CURVE, low=0, high=100),
            *self._looks(coevolved, words.LEARN_BOARD),
        )
        return coevolved

    def _meet(self, learned: str, coevolved: str, names: dict[str, str], about: dict[str, str]) -> LeagueResult:
        """All players of Othello in one league."""
        players = [words.SHIPPED, learned, coevolved, "engine(depth=1)", "greedy", "random"]
        options = ["--openings", OPENINGS, "--games", f"{self.size.games}", "--seed", "1"]
        league = self._league(words.MEET, "league", [*players, *options])
        position = zp.game("othello").replay(OPENING)
        pair = names[learned], names[coevolved]
        self.report.add(
            words.MEET,
            words.meet(league, names),
            rating_chart(rated(league, names, about), words.MEET_CHART),
            words.MEET_BOARDS,
            *(board(position, one, names[one] + ".") for one in (words.SHIPPED, learned, coevolved)),
            stepper(*self._game("othello", learned, coevolved), pair, words.MEET_GAME),
        )
        return league

    def _look_ahead(self, before: LeagueResult, names: dict[str, str], about: dict[str, str]) -> LeagueResult:
        """Players that search, on the scale of the league before, and an ending that is solved."""
        players = [words.SHIPPED, *(f"engine(depth={depth})" for depth in (1, 2, 3)), "iagno(level=2)"]
        options = ["--openings", "random(plies=8)", "--games", f"{self.size.deep_games}", "--seed", "1"]
        league = self._league(words.SEARCH, "league-search", [*players, *options])
        self._command(words.SEARCH, ["solve", "--position", ENDING])
        level = above_random(before)[words.SHIPPED]
        self.report.add(
            words.SEARCH,
            words.SEARCH_TEXT,
            rating_chart(rated(league, names, about, words.SHIPPED, level), words.SEARCH_CHART),
            board(zp.game("othello").parse(ENDING), None, words.ENDING),
        )
        return league

    def _measure(self) -> None:
        study = ["study", "run", "S.reference", "--scale", self.size.scale, "--results", f"{self.folder}"]
        self._command(words.STUDY, study)
        games, nets = (["--seconds", f"{seconds:g}"] for seconds in (self.size.seconds, self.size.seconds / 2))
        self._command(words.SPEED, ["bench", "games", *games], ["bench", "nets", *nets])
        self.report.add(words.STUDY, words.STUDY_TEXT)
        self.report.add(words.SPEED, words.SPEED_TEXT)

    def _looks(self, net: str, caption: str) -> list[str]:
        """What a net prefers in two positions."""
        game = zp.game("othello")
        stages = ((OPENING, "An opening, Black to move."), (MIDDLE, "Later in the game, Black to move."))
        return [board(game.replay(moves), net, caption.format(words=said)) for moves, said in stages]

    def _game(self, game: str, black: str, white: str) -> tuple[Game, list[int], dict[int, str]]:
        """A game between two players, and which of them are nets, by colour."""
        record = zp.match(black, white, game=game, games=2, seed=1).records()[0]
        nets = {colour: spec for colour, spec in ((1, black), (-1, white)) if spec.startswith("net(")}
        return record.game, list(record.moves), nets

    def _league(self, part: str, name: str, given: Sequence[str]) -> LeagueResult:
        """Play a league by a command, and read its result."""
        self._command(part, ["league", *given, "--run", f"{self.folder / name}"])
        return League.read(Run.read(self.folder / name))

    def _command(self, part: str, *commands: Sequence[str]) -> None:
        """Show and run zeroply commands of a part."""
        shown = "\n".join(f"$ zeroply {shlex.join(given)}" for given in commands)
        console.print()
        console.print(Rule(f"[bold]{part}[/bold]", align="left"))
        console.print(f"{shown}\n", style="dim", markup=False, soft_wrap=True)
        with self.report.record(part, shown):
            for given in commands:
                zeroply(list(given))


def above_random(league: LeagueResult, reference: str = "random", level: float = 0.0) -> dict[str, float]:
    """Ratings on the scale on which a player has a given rating."""
    shift = level - league.ratings.elo[league.players.index(reference)]
    return {name: float(elo + shift) for name, elo in zip(league.players, league.ratings.elo, strict=True)}


def rated(
    league: LeagueResult, names: dict[str, str], about: dict[str, str], reference: str = "random", level: float = 0.0
) -> list[Rated]:
    """The rows of a chart of ratings, the strongest player first."""
    ratings, elo = league.ratings, above_random(league, reference, level)
    rows = []
    for i in league.ranking():
        spec, reach = league.players[i], float(ratings.high[i] - ratings.elo[i])
        described, net = about.get(spec, ""), spec.startswith("net(")
        rows.append(Rated(names[spec], described, elo[spec], elo[spec] - reach, elo[spec] + reach, net))
    return rows


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
