"""`zeroply league`: every player against every other one, with Bradley-Terry ratings."""

from __future__ import annotations

from pathlib import Path

from rich.markup import escape
from rich.table import Table

import zeroply as zp
from zeroply.arena.league import resume, summary
from zeroply.cli.arguments import TwoPlayers
from zeroply.cli.games_output import check_save, for_others, go_on
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
from zeroply.runs import Run


def league(
    players: TwoPlayers,
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
        openings: none, random(plies=4), a file of transcripts, board strings or Gomocup offsets, or file("games.wtb",
            plies=8) with games (.sgf, .ggf or .wtb). Players that always play alike need them.
        seed: Number that all chance comes from.
        batch: Games played in lockstep; changes speed and memory only.
        threads: Threads for the core; changes speed only.
        run: Keep the league in this new folder, so that it can be interrupted and resumed.
        save: Write the games to this file (.txt, .sgf, .ggf or .wtb).
        overwrite: Replace the file if it exists.
        json: Print JSON for programs.
    """
    set_threads(threads)
    check_save(save, overwrite, game, openings, games)
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
    go_on(run, resume, lambda result: _print(result, json), save, overwrite)


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
    if few := result.repetitive:
        where = f"In {len(few)} of {len(result.pairings)} pairings fewer than half of the games are different"
        console.print(f"\n{where}: the intervals mean little; {for_others(result)}.", soft_wrap=True)
    print_forfeits(result.forfeits)
