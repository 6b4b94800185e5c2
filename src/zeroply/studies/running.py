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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from zeroply import __version__
from zeroply.errors import ZeroplyError
from zeroply.files import write_atomically
from zeroply.progress import Progress
from zeroply.runs.checkpoint import Array
from zeroply.runs.driver import Folder, resume, run_experiment
from zeroply.runs.experiment import Experiment, TextTable
from zeroply.runs.files import Json, parse_json, to_json
from zeroply.runs.record import RunRecord
from zeroply.studies import study as find_study
from zeroply.studies.hardware import hardware
from zeroply.studies.needs import check
from zeroply.studies.shared_runs import plain
from zeroply.studies.study import Drawing, Measures, Place, Report, Scale, Study, Table, Unit

DATA = "ZEROPLY_DATA"
"""The environment variable that names the folder of published games, players and openings."""


@dataclass(frozen=True, kw_only=True)
class StudyConfig:
    """Settings of a study."""

    study: str
    """Name of the study."""
    scale: Scale = "smoke"
    """smoke takes seconds, cpu is for two cores, paper is the published size."""
    seeds: int = 1
    """Independent repetitions."""
    data: str | None = None
    """Folder of published games, players and openings."""

    def __post_init__(self) -> None:
        if self.seeds < 1:
            raise ZeroplyError(f"a study needs 1 seed or more, not {self.seeds}")


class StudyRun(Experiment[StudyConfig, Report]):
    """Measure the units of a study and write its report."""

    kind = "study"
    config_type = StudyConfig
    unit = "units"
    checkpoint_seconds = -1.0  # a unit can take hours, so each one is saved
    options = frozenset({"data"})

    def __init__(self, config: StudyConfig, *, data: Folder | None = None, results: Path | None = None) -> None:
        super().__init__(config)
        self.study = find_study(config.study)
        self._data = _data_folder(data, config.data)
        self.study.place = Place(results or Path("results"), self._data)

    def check_recordable(self) -> None:
        """Everything that the study needs must be there before its run begins."""
        check(self.study, self.config.scale, measured=False)

    def start(self) -> None:
        """Find the units that are not measured yet."""
        self.study.place = Place(self.recording.folder.parents[2], self._data)
        self._units = self.study.units(self.config.scale, self.config.seeds)
        self._measured = _measured(self.recording, self._units)
        check(self.study, self.config.scale, measured=self.complete)

    def restore(self, arrays: Mapping[str, Array], state: Json) -> None:
        """The log holds all measures."""
        self.start()

    def step(self) -> None:
        """Measure a unit."""
        unit = next(unit for unit in self._units if unit.name not in self._measured)

        def within(step: int, steps: int, text: str = "", /) -> None:
            self.progress(self.done, self.total, f"{unit.name}, {step} of {steps}")

        begun = time.perf_counter()
        measures = _as_logged(self.study.measure(unit, within))
        event = {
            "unit": unit.name,
            "seed": unit.seed,
            "settings": plain(unit.settings),
            "measures": measures,
            "seconds": round(time.perf_counter() - begun, 3),
        }
        self.log("unit", **event)
        self._measured[unit.name] = event

    @property
    def done(self) -> int:
        """Units measured."""
        return len(self._measured)

    @property
    def total(self) -> int:
        """Units in total."""
        return len(self._units)

    def state(self) -> Json:
        """The log holds everything else."""
        return {"units": self.done}

    def result(self) -> Report:
        """The report, written beside the run."""
        seconds = sum(event["seconds"] for event in self._measured.values())
        self._circumstances = circumstances(self.config, seconds, self.study)
        return _write(self.study, self.recording, self._units, self._measured, self._circumstances)

    def summary(self, result: Report) -> Json:
        """The claims, and how they were measured."""
        return {"claims": [vars(claim) for claim in result.claims], "measured": self._circumstances}

    @classmethod
    def read(cls, record: RunRecord) -> Report:
        """The report from the measures in the log, written again."""
        config = record.config(StudyConfig)
        study = cls(config, results=record.folder.parents[2]).study
        units = study.units(config.scale, config.seeds)
        measured = _measured(record, units)
        check(study, config.scale, measured=True)
        return _write(study, record, units, measured, (record.result or {})["measured"])

    @classmethod
    def to_json(cls, result: Report) -> Json:
        """All tables and claims."""
        tables = {table.name: list(table.rows) for table in result.tables}
        return {"study": result.study, "tables": tables, "claims": [vars(claim) for claim in result.claims]}

    @classmethod
    def report(cls, result: Report) -> list[str | TextTable]:
        """All tables that are printed, and the claims."""
        lines: list[str | TextTable] = []
        for table in result.tables:
            if table.printed:
                rows = [tuple(map(str, row.values())) for row in table.rows]
                lines += [f"{table.caption}\n", TextTable(tuple(table.rows[0]), rows), ""]
        rows = [tuple(row.values()) for row in claim_rows(result)]
        return [*lines, TextTable(("claim", "ours", "holds?"), rows), f"\nwritten to {result.folder}"]


def run_study(
    name: str,
    scale: Scale = "smoke",
    seeds: int = 1,
    folder: Folder = "results",
    progress: Progress | None = None,
    data: Folder | None = None,
) -> Report:
    """Measure a study and write its report below `folder`; resumes an interrupted one."""
    config = StudyConfig(
        study=name, scale=scale, seeds=seeds, data=None if data is None else str(Path(data).absolute())
    )
    run = study_folder(name, scale, seeds, folder) / "run"
    if (run / "run.json").exists():
        report: Report = resume(run, progress=progress, data=data)
        return report
    return run_experiment(StudyRun(config, data=data, results=Path(folder)), run, progress=progress)


def study_folder(name: str, scale: Scale, seeds: int, folder: Folder) -> Path:
    """The folder of a study's results."""
    return Path(folder) / name / f"{scale}-{seeds}"


def _write(
    study: Study, record: RunRecord, units: Sequence[Unit], measured: Mapping[str, Any], measuring: dict[str, str]
) -> Report:
    """Make the report of a study and write it beside its run."""
    folder = record.folder.parent
    found = [(unit, measured[unit.name]["measures"]) for unit in units]
    report = replace(study.report(found), study=study.name, folder=folder)
    write_report(study, report, folder, measuring)
    return report


def _as_logged(measures: Measures) -> Measures:
    """What the log says of measures, so that a report is the same whether it is written now or from the log."""
    logged: Measures = parse_json(to_json(measures, what="measures", non_finite_as_null=True))
    return logged


def _data_folder(given: Folder | None, known: str | None) -> Path | None:
    """The folder of data: the given one, that of the run if it still exists, or that of the environment."""
    environment = os.environ.get(DATA)
    if environment and known and not Path(known).is_dir():
        known = environment
    found = given or known or environment
    return Path(found) if found else None


def _measured(run: RunRecord, units: Sequence[Unit]) -> dict[str, Any]:
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


def circumstances(config: StudyConfig, seconds: float, the_study: Study) -> dict[str, str]:
    """With what command, when and where a study was measured, for its report."""
    command = f"zeroply study run {config.study} --scale {config.scale} --seeds {config.seeds}"
    if the_study.needs(config.scale):
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
