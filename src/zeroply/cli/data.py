"""`zeroply data`: download games or play them, build datasets of expert moves, and inspect datasets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from tyro.conf import Positional

from zeroply.cli.arguments import Json, Overwrite, Threads
from zeroply.cli.experiments import command
from zeroply.cli.output import bars, console, counted, print_json, print_table, progress, set_threads
from zeroply.errors import ZeroplyError
from zeroply.examples import NAMES, Examples
from zeroply.examples.download import BASE, FIRST_YEAR, get_wthor
from zeroply.examples.manifest import FILE
from zeroply.examples.selfplay import SelfPlay, different, self_play
from zeroply.files import check_new
from zeroply.options import Flat
from zeroply.records import check_suffix, save


def build(
    source: str,
    out: Path,
    skip_bad: bool = False,
    overwrite: bool = False,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Build the datasets original, unique, original-s and unique-s from game records.

    Original has an example for every move of every game, unique has each once, and the -s datasets hold all eight
    images of them; only Othello on 8x8 has these, other games make original and unique. The bound is the accuracy of a
    perfect classifier, which knows the most frequent move of every position.

    Example: zeroply data build --source data/wthor --out data/sets

    Args:
        source: Folder or file of games (.wtb, .txt, .sgf, .ggf), or `shipped` for the games that come with zeroply.
        out: New folder for the datasets.
        skip_bad: Skip unreadable games instead of stopping, and count them.
        overwrite: Replace the datasets of the folder.
    """
    from zeroply.examples.build import build as build_datasets

    set_threads(threads)
    with progress("datasets") as report:
        made = build_datasets(source, out, skip_bad=skip_bad, overwrite=overwrite, progress=report)
    _show(made, json)


def get(
    archive: Positional[Literal["wthor"]],
    out: Path,
    from_year: int = FIRST_YEAR,
    to_year: int | None = None,
    url: str = BASE,
    json: Json = False,
) -> None:
    """Download expert games: WTHOR, the database of the French Othello Federation.

    Every file is checked by reading it. Run the same command again to resume; complete files are not downloaded again.

    Example: zeroply data get wthor --out data/wthor --to-year 2015

    Args:
        archive: The archive.
        out: Folder for the files.
        from_year: First year.
        to_year: Last year; by default the latest.
        url: Address of the folder on the server.
    """
    with bars() as bar:
        task = bar.add_task(archive, total=None)
        got = get_wthor(
            out,
            url=url,
            from_year=from_year,
            to_year=to_year,
            report=lambda name, done, total: bar.update(task, description=name, completed=done, total=total),
        )
    games = sum(file.games for file in got)
    if json:
        files = [{"file": str(file.path), "games": file.games, "downloaded": file.fresh} for file in got]
        print_json({"games": games, "files": files})
        return
    fresh = sum(file.fresh for file in got)
    console.print(
        f"{counted(games, 'game')} in {counted(len(got), 'file')} in {out}, {fresh} of them downloaded now",
        markup=False,
        soft_wrap=True,
    )


def selfplay(
    config: Annotated[SelfPlay, Flat], out: Path, overwrite: Overwrite = False, threads: Threads = None
) -> None:
    """Play games between a player and itself, to build datasets from.

    The first moves of each game are drawn at random by the player's preferences, so that openings vary; then it plays
    its best move. Repeated games are dropped. The games that come with zeroply were made in this way.

    Example: zeroply data selfplay --games 1000 --out games.txt

    Args:
        config: Settings.
        out: File to write; its suffix names the format, as in `zeroply records convert`.
    """
    check_suffix(out)
    check_new(out, overwrite)
    set_threads(threads)
    with progress("playing") as report:
        records = different(self_play(config, report))
    save(records, out, overwrite=True)  # it was checked above
    count = counted(len(records), "different game")
    console.print(f"{count} of {config.games:,} written to {out}", markup=False, soft_wrap=True)


def info(folder: Positional[Path], json: Json = False) -> None:
    """Describe the datasets in a folder, after checking that they are complete.

    Example: zeroply data info data/sets

    Args:
        folder: Folder made by `zeroply data build`.
    """
    if folder.name in NAMES and (folder / FILE).is_file():
        folder = folder.parent
    names = [name for name in NAMES if (folder / name / FILE).is_file()]
    if not names:
        if not folder.is_dir():
            raise ZeroplyError(f"there is no folder {folder}")
        raise ZeroplyError(f"{folder} holds no datasets: make them with zeroply data build --out {folder}")
    opened = [Examples.open(folder, name) for name in names]
    with bars() as bar:
        for data in bar.track(opened, description="checking"):
            data.verify()
    _show(opened, json)


def _show(datasets: list[Examples], json: bool) -> None:
    first = datasets[0]
    if json:
        print_json(
            {
                "folder": str(first.folder),
                "game": str(first.game),
                "games": first.games,
                "skipped": first.manifest.skipped,
                "sources": first.manifest.sources,
                "files": list(first.manifest.files),
                "datasets": {data.name: _for_programs(data) for data in datasets},
            }
        )
        return
    files, skipped = len(first.manifest.files), first.manifest.skipped
    where = f" in {counted(files, 'file')}" if files else ""
    console.print(f"{counted(first.games, 'game')} of {first.game}{where}", markup=False)
    if skipped:
        console.print(f"{counted(skipped, 'bad game')} skipped", markup=False)
    console.print()
    rows = [
        (one.name, f"{len(one):,}", f"{one.bound:.2%}", f"{one.manifest.stored:,}", f"{_bytes(one) / 1e6:,.0f}")
        for one in datasets
    ]
    print_table(("dataset", "examples", "bound", "stored", "MB"), rows, padding=2)


def _bytes(data: Examples) -> int:
    return sum(stored.bytes for stored in data.manifest.arrays.values())


def _for_programs(data: Examples) -> dict[str, Any]:
    return {
        "examples": len(data),
        "stored": data.manifest.stored,
        "predictable": data.manifest.predictable,
        "bound": data.bound,
        "bytes": _bytes(data),
        "digest": data.digest,
    }


data = {"get": get, "selfplay": selfplay, "build": build, "info": info, "judge": command("judge")}
