"""`zeroply match`: two players, every opening played twice with colours swapped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table
from tyro.conf import Positional

import zeroply as zp
from zeroply.arena.openings import setups
from zeroply.arena.statistics import Interval, Tally
from zeroply.cli.output import console, interval, print_forfeits, print_json, print_table, progress, saving, set_threads
from zeroply.records import check_output


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
    save: Path | None = None,
    overwrite: bool = False,
    json: bool = False,
) -> None:
    """Play a match between two players.

    Example: zeroply match naive random --game "atarigo(size=5)" --games 1000 --seed 1

    Example: zeroply match greedy random --openings "random(plies=8)" --sprt 0 20 --games 20000

    Args:
        first: Spec of the first player.
        second: Spec of the second player.
        game: Spec of the game.
        games: Number of games, even; by default 100, or two for each opening of a file.
        openings: none, random(plies=4), or the path of a file with transcripts, board strings or Gomocup offsets.
        seed: Number that all chance comes from.
        sprt: Stop as soon as a sequential test decides between these two Elo differences (alpha = beta = 0.05).
        batch: Games played in lockstep; changes speed and memory only.
        threads: Threads for the core; changes speed only.
        save: Write the games to this file (.txt, .sgf, .ggf or .wtb).
        overwrite: Replace the file if it exists.
        json: Print JSON for programs.
    """
    set_threads(threads)
    if save is not None:
        check_output(save, game, overwrite, setups(openings, zp.game(game), games))
    test = zp.Sprt(*sprt) if sprt else None
    with progress(escape(f"{first} - {second}")) as report:
        result = zp.match(
            first,
            second,
            game=game,
            games=games,
            openings=openings,
            seed=seed,
            sprt=test,
            batch=batch,
            progress=report,
        )
    with saving(result.records, save):
        if json:
            print_json(summary(result))
        else:
            _print(result)


def summary(result: zp.MatchResult) -> dict[str, Any]:
    """A match for programs; all numbers are the first player's."""
    lengths = result.lengths
    return {
        "game": str(result.game),
        "players": list(result.players),
        "seed": result.seed,
        "games": result.games,
        "wins": result.tally.wins,
        "draws": result.tally.draws,
        "losses": result.tally.losses,
        "as_black": vars(result.as_black),
        "as_white": vars(result.as_white),
        "score": result.score,
        "score_interval": list(result.score_interval),
        "elo": result.elo,
        "elo_interval": list(result.elo_interval),
        "pentanomial": result.pentanomial.tolist(),
        "length": {"mean": float(lengths.mean()), "min": int(lengths.min()), "max": int(lengths.max())},
        "sprt": result.sprt._asdict() if result.sprt else None,
        "forfeits": [vars(lost) for lost in result.forfeits],
    }


def _print(result: zp.MatchResult) -> None:
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
    if result.sprt:
        verdict = {"H0": "H0 accepted", "H1": "H1 accepted", None: "undecided"}[result.sprt.verdict]
        console.print(f"  SPRT    {verdict} after {result.sprt.pairs} pairs, LLR {result.sprt.llr:+.2f}")
    print_forfeits(result.forfeits)


def _counts(tally: Tally) -> tuple[str, str, str, str]:
    return str(tally.wins), str(tally.draws), str(tally.losses), f"{tally.score:.3f}"


def _elo_interval(ends: Interval) -> str:
    return interval(ends.low, ends.high, "+.0f")
