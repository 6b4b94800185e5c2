"""`zeroply analyse`: a game move by move, or how often a player agrees with a file of games."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tyro.conf import Positional

from zeroply.cli.arguments import Json, Threads
from zeroply.cli.output import console, counted, errors, print_json, print_table, progress, set_threads, warn
from zeroply.errors import ZeroplyError
from zeroply.files import check_new, write_atomically

if TYPE_CHECKING:
    from zeroply.analysis.agreement import Agreement
    from zeroply.analysis.game import Analysis
    from zeroply.records import GameRecord, Scan

SKIPS_SHOWN = 3
"""Most unreadable games that are listed."""


def analyse(
    file: Positional[Path],
    player: str | None = None,
    judge: str | None = None,
    game: str | None = None,
    number: int = 1,
    exact: int = 14,
    html: Path | None = None,
    overwrite: bool = False,
    human_like: bool = False,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Analyse every move of a game: its rank and probability for a player, the value before it, and its loss.

    Values are for Black, before the move; losses are for the side that moved. A move that the judge cannot better
    loses nothing, and losses add up: the next value is this one less the loss. Unreadable games are skipped.

    Example: zeroply analyse game.sgf --player "net(othello-swh)" --html game.html

    Example: zeroply analyse club/games --player "net(othello)" --human-like

    Args:
        file: File with one or more games: .ggf, .sgf, .txt or .wtb; with --human-like also a folder of such files.
        player: Spec of the player to compare with; by default a net that comes with zeroply.
        judge: Spec of the player that evaluates positions before the ending; by default a strong search.
        game: Spec of the game, if the file does not name it.
        number: Number of the game in the file, from 1; unreadable games count.
        exact: Othello: solve endings with at most this many empty squares.
        html: Write an HTML page with boards and a graph to this file.
        overwrite: Replace that file if it exists.
        human_like: Report instead how often the player agrees with the moves of all games, by stage.
    """
    set_threads(threads)
    if html is not None:
        if human_like:
            raise ZeroplyError("--human-like reports on all games and writes no page: leave out --html")
        check_new(html, overwrite)
    if file.is_dir() and not human_like:
        raise ZeroplyError(f"{file} is a folder: name a file, or give --human-like")
    scans = [_scan(path, game) for path in _files(file)]
    if not any(games.records for games in scans):
        scans[0].checked()
        raise ZeroplyError(f"{file} contains no games")
    if human_like:
        for games in scans:
            _say_skipped(games)
        _show_agreement(_agreement([record for games in scans for record in games.records], player), json=json)
        return
    (games,) = scans
    record = _numbered(games, number)
    _say_skipped(games)
    from zeroply.analysis.game import analyse as look_at
    from zeroply.analysis.judging import default_judge, default_player
    from zeroply.players import player as make

    with (
        make(player or default_player(record.game), record.game) as asked,
        make(judge or default_judge(record.game), record.game) as judging,
        errors.status("analysing"),
    ):
        analysis = look_at(record, asked, judging, exact)
    if json:
        print_json(analysis.summary())
    else:
        _show(analysis)
    if html is not None:
        from zeroply.analysis.page import page

        write_atomically(html, page(analysis).encode())
        if not json:
            console.print(f"\nwrote {html}", markup=False)


def _files(path: Path) -> list[Path]:
    """The file, or the files of games in a folder and its subfolders."""
    from zeroply.records import FORMATS

    if not path.is_dir():
        return [path]
    suffixes = sorted(suffix for suffix, form in FORMATS.items() if form.games)
    found = sorted(one for one in path.rglob("*") if one.suffix.lower() in suffixes and one.is_file())
    if not found:
        raise ZeroplyError(f"{path} contains no files of games ({', '.join(suffixes)})")
    return found


def _scan(path: Path, game: str | None) -> Scan:
    """The games of a file; transcripts that name no game are of Othello."""
    from zeroply.records import scan

    return scan(path, _named_in(path) if path.suffix.lower() == ".txt" and game is None else game)


def _numbered(games: Scan, number: int) -> GameRecord:
    """The game with that number in the file."""
    numbers = games.numbers
    if number in numbers:
        return games.records[numbers.index(number)]
    for fault in games.faults:
        if fault.game == number:
            raise ZeroplyError(f"game {number} cannot be read: {fault}")
    raise ZeroplyError(f"{games.source} has {counted(games.games, 'game')}: there is no game {number}")


def _say_skipped(games: Scan) -> None:
    warn(games.faults)
    for fault in games.bad[:SKIPS_SHOWN]:
        errors.print(f"skipped: {fault}", markup=False, soft_wrap=True)
    if len(games.bad) > SKIPS_SHOWN:
        errors.print(f"skipped: {len(games.bad) - SKIPS_SHOWN} more, see zeroply records check")


def _named_in(file: Path) -> str | None:
    """Othello for transcripts that do not name a game."""
    from zeroply.records.transcripts import names_game

    try:
        text = file.read_bytes().decode(errors="replace")
    except OSError:
        return None
    return None if names_game(text) else "othello"


def _agreement(records: list[GameRecord], player: str | None) -> Agreement:
    from zeroply.analysis.agreement import agreement
    from zeroply.analysis.judging import default_player
    from zeroply.players import player as make

    game = records[0].game
    with make(player or default_player(game), game) as asked, progress("moves") as report:
        return agreement(records, asked, report)


def _show_agreement(agreement: Agreement, *, json: bool) -> None:
    if json:
        print_json(agreement.summary())
        return
    rows = [
        (f"{one['first']}-{one['last']}", f"{one['moves']:,}", f"{one['top1']:.1%}", f"{one['top3']:.1%}")
        for one in agreement.stages()
    ]
    rows.append(("all", f"{agreement.moves:,}", f"{agreement.top(1):.1%}", f"{agreement.top(3):.1%}"))
    print_table(("moves", "positions", "top 1", "top 3"), rows)
    console.print(f"\n{counted(agreement.games, 'game')}")


def _show(analysis: Analysis) -> None:
    from zeroply.analysis.page import COLUMNS, cells_of, legend

    record = analysis.record
    names = f"{record.black or 'Black'} - {record.white or 'White'}, {record.game}, {record.result}"
    console.print(f"{names}\nplayer {analysis.player}\njudge {analysis.judge}\n", markup=False, soft_wrap=True)
    print_table(COLUMNS, map(cells_of, analysis.moves), ())
    console.print("".join(f"\n  {line}" for line in legend(analysis)), style="dim")
    console.print(f"\n  the player's first choice  {analysis.agreement:.0%}")
    for colour in ("black", "white"):
        _show_losses(analysis, colour)


def _show_losses(analysis: Analysis, colour: str) -> None:
    from zeroply.analysis.page import has_ending

    name = colour.capitalize()
    before = f"{analysis.unit} a move before the ending" if has_ending(analysis) else f"{analysis.unit} a move"
    for exact, of_what in ((False, before), (True, "discs a move in the ending, exact")):
        loss = analysis.mean_loss(colour, exact=exact)
        if loss is not None:
            console.print(f"  {name} loses {loss:.2f} {of_what}")
    if faults := analysis.faults(colour):
        console.print(f"  {name} misses a win or loses an open game {counted(faults, 'time')}")
