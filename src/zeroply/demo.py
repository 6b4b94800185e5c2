"""`make demo`: what zeroply can do, in a minute: games, a board, leagues, look-ahead, a study, speed.

python -m zeroply.demo [FOLDER]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from rich.rule import Rule

from zeroply.cli.bench import bench_games
from zeroply.cli.league import league
from zeroply.cli.listing import games, players
from zeroply.cli.output import console
from zeroply.cli.show import show
from zeroply.cli.solve import solve
from zeroply.cli.study import study_run

ENDING = "--XXXXX---XOO----OOOXOOX-OOXXOX-XOOXXXX-X-OOXXXXX-OOOX----OOOO-- X"
"""From a game of the engine against itself: 20 squares are empty, and Black can win by four discs."""


def main(folder: Path) -> None:
    """Show everything, writing pictures and results below `folder`."""
    start = time.perf_counter()
    folder.mkdir(parents=True, exist_ok=True)
    _title("Three games", "zeroply games")
    games()
    _title("Players", "zeroply players")
    players()
    _title(
        "A board and what a net likes", 'zeroply show othello --moves f5d6c3d3c4 --player "net(othello-swh)" --svg …'
    )
    show("othello", moves="f5d6c3d3c4", player="net(othello-swh)", svg=folder / "othello.svg")
    _title("An Othello league", 'zeroply league random greedy naive "net(othello-swh)" --openings "random(plies=6)" …')
    league(["random", "greedy", "naive", "net(othello-swh)"], openings="random(plies=6)", games=2000, seed=1)
    for game in ("atarigo(size=7)", "gomoku(size=9)"):
        _title(f"A league at {game}", f'zeroply league random naive "naive(ties=lowest)" --game "{game}" …')
        league(["random", "naive", "naive(ties=lowest)"], game=game, openings="random(plies=2)", games=2000, seed=1)
    _title("Players that look ahead", 'zeroply league "engine(depth=1)" "engine(depth=2)" "engine(depth=3)" …')
    engines = [f"engine(depth={depth})" for depth in (1, 2, 3)]
    league([*engines, "iagno(level=2)"], openings="random(plies=8)", games=100, seed=1)
    _title("An ending solved", f'zeroply solve --position "{ENDING}"')
    solve([], position=ENDING)
    _title("A study: ours beside published rates", "zeroply study run S.reference --scale cpu")
    study_run("S.reference", scale="cpu", results=folder)
    _title("Speed", "zeroply bench games")
    bench_games(seconds=0.3)
    console.print(
        f"\nDone in {time.perf_counter() - start:.0f} s. Pictures and results are in {folder}/. Now play yourself:"
    )
    console.print('  .venv/bin/zeroply play "net(othello-swh)"', style="bold")


def _title(what: str, command: str) -> None:
    console.print()
    console.print(Rule(f"[bold]{what}[/bold]", align="left"))
    console.print(f"$ {command}\n", style="dim", markup=False)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
