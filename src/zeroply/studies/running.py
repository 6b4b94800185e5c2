"""Running a study: measure its units as a run that can be killed and resumed, then write the report.

`results/S.reference/` gets `report.md`, a CSV for every table, a PNG for every figure, and the run itself in `run/`.
Published games, players and openings are looked for in the folder that is given, or in `$ZEROPLY_DATA`.
"""

from __future__ import annotations

import csv
import io
import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from zeroply import __version__, levels
from zeroply.errors import ZeroplyError
from zeroply.files import write_atomically
from zeroply.runs import Run
from zeroply.runs.files import parse_json, to_json
from zeroply.studies import study as find_study
from zeroply.studies.hardware import hardware
from zeroply.studies.needs import check
from zeroply.studies.shared_runs import plain
from zeroply.studies.study import Drawing, Measures, Place, Report, Scale, Study, Table, Unit

KIND = "study"
DATA = "ZEROPLY_DATA"
"""The environment variable that names the folder of published games, players and openings."""
UnitProgress = Callable[[str, int, int, int, int], None]
"""Called with a unit's name, units done and in all, and steps done and in all within the unit."""


def run_study(
    name: str,
    scale: Scale = "smoke",
    seeds: int = 1,
    folder: str | os.PathLike[str] = "results",
    progress: UnitProgress | None = None,
    data: str | os.PathLike[str] | None = None,
) -> Report:
    """Measure a study and write its report below `folder`; goes on where an interrupted one stopped."""
    the_study = find_study(name)
    if seeds < 1:
        raise ZeroplyError(f"a study needs 1 seed or more, not {seeds}")
    place = study_folder(name, scale, seeds, folder)
    config: dict[str, Any] = {"study": name, "scale": scale, "seeds": seeds}
    if data is not None:
        config["data"] = str(Path(data).absolute())
    if (place / "run" / "run.json").exists():
        run = Run.open(place / "run", level=levels.chosen())
    else:
        the_study.place = Place(Path(folder), _data_folder(data, config))
        check(the_study, scale, measured=False)
        run = Run.create(place / "run", kind=KIND, config=config, seed=0, level=levels.chosen())
    with run:
        return resume(run, progress, data)


def study_folder(name: str, scale: Scale, seeds: int, folder: str | os.PathLike[str]) -> Path:
    """Where the results of a study go."""
    return Path(folder) / name / f"{scale}-{seeds}"


def resume(run: Run, progress: UnitProgress | None = None, data: str | os.PathLike[str] | None = None) -> Report:
    """Measure what a study's run still lacks, and write the report beside it."""
    config = run.info.config
    the_study = find_study(config["study"])
    the_study.place = Place(run.folder.parents[2], _data_folder(data, config))
    units = the_study.units(config["scale"], config["seeds"])
    done = _measured(run, units)
    check(the_study, config["scale"], measured=len(done) == len(units))
    found: list[tuple[Unit, Measures]] = []
    seconds = sum(event["seconds"] for event in done.values())
    for number, unit in enumerate(units):
        if unit.name not in done:
            start = time.perf_counter()

            def within(step: int, steps: int, number: int = number, unit: Unit = unit) -> None:
                if progress:
                    progress(unit.name, number, len(units), step, steps)

            measures = _as_logged(the_study.measure(unit, within))
            spent = time.perf_counter() - start
            seconds += spent
            done[unit.name] = {"measures": measures}
            run.log(
                "unit",
                unit=unit.name,
                seed=unit.seed,
                settings=plain(unit.settings),
                measures=measures,
                seconds=round(spent, 3),
            )
            run.save({"units": number + 1})
        found.append((unit, done[unit.name]["measures"]))
    report = the_study.report(found)
    measured = run.result["measured"] if run.result else circumstances(config, seconds, the_study)
    write_report(the_study, report, run.folder.parent, measured)
    if not run.finished:
        run.finish({"claims": [vars(claim) for claim in report.claims], "measured": measured})
    return report


def _as_logged(measures: Measures) -> Measures:
    """What the log says of measures, so that a report is the same whether it is written now or from the log."""
    logged: Measures = parse_json(to_json(measures, what="measures", non_finite_as_null=True))
    return logged


def _data_folder(given: str | os.PathLike[str] | None, config: Mapping[str, Any]) -> Path | None:
    """The folder of data: the given one, that of the run if it is still there, or that of the environment."""
    known, environment = config.get("data"), os.environ.get(DATA)
    if environment and known and not Path(known).is_dir():
        known = environment
    found = given or known or environment
    return Path(found) if found else None


def _measured(run: Run, units: Sequence[Unit]) -> dict[str, Any]:
    """The events of units that were measured with the settings they have now, by name; others are measured again."""
    events = {event["unit"]: event for event in run.events("unit")}
    done = {unit.name: events[unit.name] for unit in units if _is_of(events.get(unit.name), unit, run.finished)}
    changed = next((unit.name for unit in units if unit.name not in done), None)
    if run.finished and changed is not None:
        raise ZeroplyError(
            f"{run.folder} is finished, but '{changed}' is measured otherwise now: remove {run.folder.parent} to "
            "measure it again, or choose another --results"
        )
    return done


def _is_of(event: Any, unit: Unit, finished: bool) -> bool:
    """Whether an event holds the measures of a unit; a finished log without settings is as old as they are."""
    if event is None or event["seed"] != unit.seed:
        return False
    wanted = plain(unit.settings)
    return bool(event.get("settings", wanted if finished else None) == wanted)


def write_report(the_study: Study, report: Report, folder: Path, circumstances: dict[str, str]) -> None:
    """`report.md`, a CSV for every table, a PNG for every figure."""
    for table in report.tables:
        write_atomically(folder / f"{table.name}.csv", _csv(table).encode())
    drawn = [drawing for drawing in report.drawings if _draw(drawing, folder / f"{drawing.name}.png")]
    lines = [f"# {the_study.name}: {the_study.title}", "", f"After {the_study.source}.", "", report.text, ""]
    for drawing in drawn:
        lines += [f"![{drawing.caption}]({drawing.name}.png)", ""]
    for table in report.tables:
        file = f"{table.name}.csv"
        rows = _markdown(table.rows) if table.printed else [f"{len(table.rows):,} rows, in [{file}]({file})."]
        lines += [f"**{table.name}**: {table.caption}.", "", *rows, ""]
    lines += ["## Claims", "", *_markdown(claim_rows(report)), ""]
    lines += ["## Measured", "", *(f"- {key}: {value}" for key, value in circumstances.items()), ""]
    write_atomically(folder / "report.md", "\n".join(lines).encode())


def claim_rows(report: Report) -> list[dict[str, str]]:
    """The closing table: claim, ours, holds?"""
    words = {True: "yes", False: "no", None: "cannot tell"}
    return [{"claim": c.claim, "ours": c.ours, "holds?": words[c.holds]} for c in report.claims]


def can_draw() -> bool:
    """Whether figures can be drawn here."""
    return find_spec("matplotlib") is not None


def _draw(drawing: Drawing, path: Path) -> bool:
    """Write a figure; False where matplotlib is not installed."""
    if not can_draw():
        return False
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4.5), layout="constrained", dpi=110)
    FigureCanvasAgg(figure)
    drawing.draw(figure)
    image = io.BytesIO()
    figure.savefig(image, format="png")
    write_atomically(path, image.getvalue())
    return True


def _csv(table: Table) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(table.rows[0]) if table.rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(table.rows)
    return out.getvalue()


def _markdown(rows: Sequence[Any]) -> list[str]:
    if not rows:
        return ["(nothing)"]
    head = list(rows[0])
    return [
        f"| {' | '.join(head)} |",
        f"|{'---|' * len(head)}",
        *(f"| {' | '.join(str(row[column]).replace('|', chr(92) + '|') for column in head)} |" for row in rows),
    ]


def circumstances(config: dict[str, Any], seconds: float, the_study: Study) -> dict[str, str]:
    """With what command, when and where a study was measured, for its report."""
    command = f"zeroply study run {config['study']} --scale {config['scale']} --seeds {config['seeds']}"
    if the_study.needs(config["scale"]):
        command += " --data DATA"
    return {
        "command": f"`{command}`",
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "zeroply": f"{__version__}, commit {_commit()}",
        "hardware": hardware(),
        "time": f"{seconds:.1f} s",
    }


def _commit() -> str:
    """The commit of the source tree this package runs from, if it is one."""
    here = str(Path(__file__).parent)
    try:
        head = subprocess.run(
            ["git", "-C", here, "rev-parse", "--short=12", "HEAD"],
            capture_output=True,
            text=True,
            check=True,
            timeout=10,
        )
        changes = subprocess.run(
            ["git", "-C", here, "status", "--porcelain", "--untracked-files=no", "."],
            capture_output=True,
            text=True,
            check=True,
            timeout=10,
        )
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return head.stdout.strip() + (" with changes" if changes.stdout.strip() else "")
