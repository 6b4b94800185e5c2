"""`zeroply league`: every player against every other one, with Bradley-Terry ratings."""

from __future__ import annotations

from pathlib import Path

from rich.markup import escape
from rich.table import Table
from tyro.conf import Positional

import zeroply as zp
from zeroply.arena.league import resume, summary
from zeroply.arena.openings import setups
from zeroply.cli.output import (
    console,
    interruptible,
    print_forfeits,
    print_json,
    print_table,
    progress,
    saving,
    set_threads,
)
from zeroply.records import check_output
from zeroply.runs import Run


def league(
    players: Positional[list[str]],
    game: str = "othello",
    games: int | None = None,
    openings: str = "none",
    seed: int = 0,
    batch: int = 4096,
    threads: int | None = None,
    run: Path | None = None,
    save: Path | None = None,
    overwrite: bool = False,
    json: bool = False,
) -> None:
    """Play a league: a round robin of matches, a crosstable and ratings.

    Example: zeroply league random greedy naive "net(othello-swh)" --openings "random(plies=6)" --games 200

    Example: zeroply league random naive --game "gomoku(size=9)" --games 10000 --run runs/gomoku

    Args:
        players: Specs of the players.
        game: Spec of the game.
        games: Games of every two players, even; by default 100, or two for each opening of a file.
        openings: none, random(plies=4), or the path of a file with transcripts, board strings or Gomocup offsets.
        seed: Number that all chance comes from.
        batch: Games played in lockstep; changes speed and memory only.
        threads: Threads for the core; changes speed only.
        run: Keep the league in this new folder, so that it can be interrupted and resumed.
        save: Write the games to this file (.txt, .sgf, .ggf or .wtb).
        overwrite: Replace the file if it exists.
        json: Print JSON for programs.
    """
    set_threads(threads)
    if save is not None:
        check_output(save, game, overwrite, setups(openings, zp.game(game), games))
    with interruptible(run, save, overwrite), progress("league") as report:
        result = zp.league(
            players,
            game=game,
            games=games,
            openings=openings,
            seed=seed,
            batch=batch,
            folder=run,
            progress=report,
        )
    with saving(result.records, save):
        _print(result, json)


def resume_league(run: Run, json: bool, save: Path | None, overwrite: bool) -> None:
    """Go on with the run of a league, or tell of a finished one again; its games may be saved then."""
    if save is not None:
        config = run.info.config
        given = () if run.finished else setups(config["openings"], zp.game(config["game"]), config["games"])
        check_output(save, config["game"], overwrite, given)
    with progress("league") as report:
        result = resume(run, progress=report)
    games = [] if save is None else result.records()
    with saving(lambda: games, save):
        _print(result, json)


def _print(result: zp.LeagueResult, json: bool) -> None:
    """The crosstable, strongest player first."""
    if json:
        print_json(summary(result))
        return
    ratings, scores, order = result.ratings, result.scores, result.ranking()
    table = Table(box=None, header_style="bold", padding=(0, 1))
    for title in ("", "player", "Elo", "95 %", "score", "games"):
        table.add_column(title, justify="left" if title == "player" else "right", no_wrap=True)
    for place in range(1, len(order) + 1):
        table.add_column(str(place), justify="right", no_wrap=True)
    for place, i in enumerate(order, 1):
        cells = ["·" if i == j else f"{scores[i, j]:.3f}" for j in order]
        table.add_row(
            str(place),
            escape(result.players[i]),
            f"{ratings.elo[i]:+.0f}",
            f"± {(ratings.high[i] - ratings.low[i]) / 2:.0f}",
            f"{result.mean_scores[i]:.3f}",
            str(result.games[i].sum()),
            *cells,
        )
    console.print(f"{result.game}, {result.games.sum() // 2} games\n")
    print_table(table)
    print_forfeits(result.forfeits)
