"""`zeroply records`: convert game records, summarise them, and list unreadable games."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from zeroply.cli.arguments import Files, FilesAndOutput, GameOfFiles, Json, Overwrite
from zeroply.cli.output import console, counted, print_json, print_table, progress, warn
from zeroply.errors import ZeroplyError
from zeroply.files import check_new
from zeroply.records import GameRecord, ReadProblem, Scan, check_readable, check_suffix, save, scan
from zeroply.records.summary import Points, Summary, summarise


def convert(
    files: FilesAndOutput,
    game: GameOfFiles = None,
    skip_bad: bool = False,
    overwrite: Overwrite = False,
) -> None:
    """Convert one or more files of game records into one file.

    Suffixes name the formats: .txt transcripts, .sgf, .ggf, .wtb (WTHOR, with its names in WTHOR.JOU and WTHOR.TRN
    beside it) and .obf (positions; a game becomes its last one). All but .obf store players, event and
    date; .wtb cuts long names and stores the year only, which must be the same for all games. .txt, .sgf and .ggf store
    forfeits; .wtb stores them as 0 or 64 discs, which are not read back.

    Example: zeroply records convert data/WTH_1998.wtb data/WTH_1999.wtb games.ggf

    Args:
        files: Files to read, and last the file to write.
        skip_bad: Skip unreadable games instead of stopping; damaged WTHOR names only cause a warning.
    """
    if len(files) < 2:
        raise ZeroplyError("give one or more files to read and, last, the file to write")
    *files, out = files
    check_suffix(out)
    check_new(out, overwrite)
    records: list[GameRecord] = []
    faults: list[ReadProblem] = []
    for file_scan in _scans(files, game):
        records += file_scan.records if skip_bad else file_scan.checked(names=False)
        faults += file_scan.faults
    warn(faults)
    save(records, out, overwrite=True)  # it was checked above
    left = f", {bad} left out" if (bad := _bad(faults)) else ""
    console.print(f"{counted(len(records), 'game')} written to {out}{left}", markup=False, soft_wrap=True)


def stats(files: Files, game: GameOfFiles = None, plies: int = 6, top: int = 10, json: Json = False) -> None:
    """Summarise game records: results, lengths, years, players and openings.

    Openings that a symmetry of the board maps onto each other count as one.

    Example: zeroply records stats data/*.wtb --plies 4

    Args:
        files: Files to read.
        plies: Moves per opening.
        top: Number of players and openings to show.
    """
    records: list[GameRecord] = []
    faults: list[ReadProblem] = []
    for file_scan in _scans(files, game):
        records += file_scan.records
        faults += file_scan.faults
    warn(faults)
    bad = _bad(faults)
    summaries = summarise(records, plies)
    if json:
        listed = [_for_programs(summary, top) for summary in summaries]
        print_json({"files": list(map(str, files)), "games": len(records), "bad": bad, "by_game": listed})
        return
    for summary in summaries:
        _print(summary, plies, top)
    if bad:
        console.print(f"{counted(bad, 'bad game')} left out: 'zeroply records check' lists them", style="bold")
    if not records:
        console.print("no games")


def check(files: Files, game: GameOfFiles = None, json: Json = False) -> None:
    """List every unreadable game with its file, its number (from 1) and the reason.

    Problems of a whole file, or of the names beside it, are warnings. The exit code is 0 without problems, 1 with
    unreadable games or warnings, and 2 if a file cannot be opened.

    Example: zeroply records check data/*.wtb games.sgf

    Args:
        files: Files to read.
    """
    games = 0
    faults: dict[ReadProblem, None] = {}  # files may share a fault: that of the names beside them
    for file_scan in _scans(files, game):
        games += file_scan.games
        faults |= dict.fromkeys(file_scan.faults)
    if json:
        bad = [{"file": f.source, "game": f.game, "place": f.place, "reason": f.reason} for f in faults if f.game]
        warnings = [{"file": f.source, "place": f.place, "reason": f.reason} for f in faults if not f.game]
        print_json({"files": len(files), "games": games, "bad": bad, "warnings": warnings})
    else:
        for fault in faults:
            console.print(_listed(fault), markup=False, soft_wrap=True)
        verdict = f"{_bad(faults)} bad" if faults else "all good"
        if others := len(faults) - _bad(faults):
            verdict += f", {counted(others, 'warning')}"
        console.print(f"{counted(len(files), 'file')}, {counted(games, 'game')}: {verdict}", style="bold")
    if faults:
        sys.exit(1)


def _scans(files: Sequence[Path], game: str | None) -> Iterator[Scan]:
    """The games of each file, with a progress bar in bytes."""
    if not files:
        raise ZeroplyError("give one or more files of games")
    for file in files:
        check_readable(file)
    sizes = [file.stat().st_size for file in files]
    with progress("reading") as report:
        for i, file in enumerate(files):
            report(sum(sizes[:i]), sum(sizes))
            yield scan(file, game)


def _bad(faults: Iterable[ReadProblem]) -> int:
    """Number of unreadable games."""
    return sum(fault.game > 0 for fault in faults)


def _listed(fault: ReadProblem) -> str:
    """A problem as text, with the number of its game, or as a warning."""
    if not fault.game:
        return f"warning: {fault}"
    if fault.place != f"game {fault.game}":
        return f"{fault.source}, game {fault.game} ({fault.place}): {fault.reason}"
    return str(fault)


def _for_programs(summary: Summary, top: int) -> dict[str, Any]:
    name = summary.game.notation.transcript
    openings = [{"moves": name(list(moves)), **_points(points)} for moves, points in _first(summary.openings, top)]
    return vars(summary) | {
        "game": str(summary.game),
        "lengths": {str(length): games for length, games in sorted(summary.lengths.items())},
        "years": {str(year): games for year, games in sorted(summary.years.items())},
        "players": [{"name": player, **_points(points)} for player, points in _first(summary.players, top)],
        "named_players": len(summary.players),
        "openings": openings,
        "different_openings": len(summary.openings),
    }


def _points(points: Points) -> dict[str, Any]:
    return {"games": points.games, "score": points.score}


def _first(points: dict[Any, Points], top: int) -> list[tuple[Any, Points]]:
    return list(points.items())[:top]


def _print(summary: Summary, plies: int, top: int) -> None:
    lengths = summary.lengths
    finished = summary.games - summary.unfinished
    rows = [("games", str(summary.games)), ("moves", str(summary.moves)), ("passes", str(summary.passes))]
    for name, games in (
        ("Black wins", summary.black_wins),
        ("draws", summary.draws),
        ("White wins", summary.white_wins),
    ):
        rows.append((name, f"{games}  {games / finished:.1%}" if finished else "0"))
    rows.append(("unfinished", str(summary.unfinished)))
    rows.append(("length", f"{summary.mean_length:.1f} moves, {min(lengths)} to {max(lengths)}"))
    if summary.setups:
        rows.append(("set-up positions", str(summary.setups)))
    if summary.years:
        rows.append(("years", f"{min(summary.years)} to {max(summary.years)}"))
    if summary.players:
        rows.append(("players", str(len(summary.players))))
    console.print(f"[bold]{summary.game}[/bold]\n")
    print_table(("", ""), rows, (0, 1), padding=2)
    named = {summary.game.notation.transcript(list(moves)): points for moves, points in summary.openings.items()}
    _print_points(f"opening, {counted(plies, 'move')}", "Black's score", named, top)
    _print_points("player", "score", summary.players, top)
    console.print()


def _print_points(title: str, score: str, by_name: dict[str, Points], top: int) -> None:
    if not by_name or top < 1:
        return
    rows = [
        (name, str(points.games), f"{points.score:.3f}" if points.finished else "")
        for name, points in _first(by_name, top)
    ]
    console.print()
    print_table((title, "games", score), rows, padding=2)


records = {"convert": convert, "stats": stats, "check": check}
