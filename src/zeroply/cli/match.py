"""`zeroply match`: two players, every opening played twice with colours swapped."""

from __future__ import annotations

from pathlib import Path

from rich.markup import escape
from rich.table import Table
from tyro.conf import Positional

import zeroply as zp
from zeroply.arena.match import resume, summary
from zeroply.arena.statistics import Interval, Tally
from zeroply.arena.variety import repetitive
from zeroply.cli.games_output import check_save, for_others, go_on
from zeroply.cli.output import (
    console,
    interruptible,
    interval,
    print_forfeits,
    print_json,
    print_table,
    progress,
    saving,
    set_threads,
)
from zeroply.runs import Run


def match(
    first: Positional[str],
    second: Positional[str],
    game: str = "othello",
    games: int | None = None,
    openings: str = "none",
    seed: int = 0,
    sprt: tuple[float, float] | None = None,
    batch: int = 4096,
    threads: int | None = None,
    run: Path | None = None,
    save: Path | None = None,
    overwrite: bool = False,
    json: bool = False,
) -> None:
    """Play a match between two players.

    Example: zeroply match naive random --game "atarigo(size=5)" --games 1000 --seed 1

    Example: zeroply match greedy random --openings "random(plies=8)" --sprt 0 20 --games 20000 --run runs/greedy

    Args:
        first: Spec of the first player.
        second: Spec of the second player.
        game: Spec of the game.
        games: Number of games, even; by default 100, or two for each opening of a file.
        openings: none, random(plies=4), a file of transcripts, board strings or Gomocup offsets, or file("games.wtb",
            plies=8) with games (.sgf, .ggf or .wtb). Players that always play alike need them.
        seed: Number that all chance comes from.
        sprt: Stop as soon as a sequential test decides between these two Elo differences (alpha = beta = 0.05).
        batch: Games played in lockstep; changes speed and memory only.
        threads: Threads for the core; changes speed only.
        run: Keep the match in this new folder, so that it can be interrupted and resumed.
        save: Write the games to this file (.txt, .sgf, .ggf or .wtb).
        overwrite: Replace the file if it exists.
        json: Print JSON for programs.
    """
    set_threads(threads)
    check_save(save, overwrite, game, openings, games)
    with interruptible(run, save, overwrite), progress(escape(f"{first} - {second}")) as report:
        result = zp.match(
            first,
            second,
            game=game,
            games=games,
            openings=openings,
            seed=seed,
            sprt=sprt,
            batch=batch,
            folder=run,
            progress=report,
        )
    with saving(result.records, save):
        _print(result, json)


def resume_match(run: Run, json: bool, save: Path | None, overwrite: bool) -> None:
    """Go on with the run of a match, or tell of a finished one again; its games may be saved then."""
    go_on(run, resume, lambda result: _print(result, json), save, overwrite)


def _print(result: zp.MatchResult, json: bool) -> None:
    if json:
        print_json(summary(result))
        return
    table = Table(box=None, show_header=False, padding=(0, 2))
    first, second = result.players
    table.add_row("", "wins", "draws", "losses", "score", style="dim")
    for name, tally in (("all", result.tally), ("as Black", result.as_black), ("as White", result.as_white)):
        table.add_row(name, *_counts(tally), style="bold" if name == "all" else "")
    names = f"[bold]{escape(first)}[/bold] against [bold]{escape(second)}[/bold]"
    console.print(f"{names}, {result.game}, {result.games} games\n")
    print_table(table)
    lengths = result.lengths
    console.print(f"\n  score   {result.score:.3f} {interval(*result.score_interval)}")
    console.print(f"  Elo     {result.elo:+.0f} {_elo_interval(result.elo_interval)}")
    console.print(f"  pairs   {' '.join(map(str, result.pentanomial.tolist()))}  (0, ½, 1, 1½, 2 points)")
    console.print(f"  length  {lengths.mean():.1f} moves, {lengths.min()} to {lengths.max()}")
    different = result.different
    if repetitive(different, result.games):
        few = f"{different} of {result.games} are different: the intervals mean little"
        console.print(f"  games   {few}; {for_others(result)}", soft_wrap=True)
    if result.test and result.sprt:
        console.print(f"  SPRT    {result.test.words(result.sprt)}", markup=False, soft_wrap=True)
    print_forfeits(result.forfeits)


def _counts(tally: Tally) -> tuple[str, str, str, str]:
    return str(tally.wins), str(tally.draws), str(tally.losses), f"{tally.score:.3f}"


def _elo_interval(ends: Interval) -> str:
    return interval(ends.low, ends.high, "+.0f")
