"""Running a study: measure its units as a run that can be killed and resumed, then write the report.

`results/S.reference/smoke-1/` gets the files of the report, and the run itself in `run/`. Published games, players and
openings are read from the folder that is given, or from `$ZEROPLY_DATA`.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from zeroply import __version__
from zeroply.errors import ZeroplyError
from zeroply.progress import Progress
from zeroply.runs import Array, Chart, Experiment, Folder, Json, RunRecord, TextTable, run_experiment
from zeroply.runs.files import parse_json, to_json
from zeroply.runs.resume import resume
from zeroply.specs import parse
from zeroply.studies import studies
from zeroply.studies import study as find_study
from zeroply.studies.hardware import hardware
from zeroply.studies.measured import split_columns
from zeroply.studies.needs import check
from zeroply.studies.report import Circumstances, Report, claim_rows, write_report
from zeroply.studies.shared_runs import plain
from zeroply.studies.study import OPPONENT, Folders, Measures, Scale, Study, Unit

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
    opponent: str = ""
    """Another searching opponent than the engine, such as edax("PROGRAM", level={n}), with {n} for the depth."""

    def __post_init__(self) -> None:
        if self.opponent and (not find_study(self.study).searching or "{n}" not in self.opponent):
            able = ", ".join(one.name for one in studies() if one.searching)
            raise ZeroplyError(
                f'an opponent is a player with {{n}} for its depth, such as edax("PROGRAM", level={{n}}), for {able}'
            )
        if self.seeds < 1:
            raise ZeroplyError(f"a study needs 1 seed or more, not {self.seeds}")


class StudyRun(Experiment[StudyConfig, Report]):
    """Measure the units of a study and write its report."""

    kind = "study"
    config_type = StudyConfig
    unit = "units"
    charts = (Chart("seconds per unit", "unit", "number", {"seconds": "seconds"}, "unit"),)
    checkpoint_seconds = -1.0  # a unit can take hours, so each one is saved
    options = frozenset({"data"})

    def __init__(self, config: StudyConfig, *, data: Folder | None = None, results: Path | None = None) -> None:
        super().__init__(config)
        self.study = find_study(config.study)
        self._data = _data_folder(data, config.data)
        self._opponent = config.opponent or OPPONENT
        self.study.folders = Folders(results or Path("results"), self._data, self._opponent)

    def check_recordable(self) -> None:
        check(self.study, self.config.scale, measured=False)

    def start(self) -> None:
        self.study.folders = Folders(self.recording.folder.parents[2], self._data, self._opponent)
        self._units = self.study.units(self.config.scale, self.config.seeds)
        self._measured = _measured(self.recording, self._units)
        check(self.study, self.config.scale, measured=self.complete)

    def restore(self, arrays: Mapping[str, Array], state: Json) -> None:
        self.start()

    def step(self) -> None:
        unit = next(unit for unit in self._units if unit.name not in self._measured)

        def within(step: int, steps: int, text: str = "", /) -> None:
            self.progress(self.done, self.total, f"{unit.name}, {step} of {steps}")

        begun = time.perf_counter()
        measures = _as_logged(self.study.measure(unit, within))
        event = {
            "unit": unit.name,
            "number": self.done + 1,
            "seed": unit.seed,
            "settings": plain(unit.settings),
            "measures": measures,
            "seconds": round(time.perf_counter() - begun, 3),
        }
        self.log("unit", **event)
        self._measured[unit.name] = event

    @property
    def done(self) -> int:
        return len(self._measured)

    @property
    def total(self) -> int:
        return len(self._units)

    def state(self) -> Json:
        return {"units": self.done}

    def result(self) -> Report:
        seconds = sum(event["seconds"] for event in self._measured.values())
        self._circumstances = circumstances(self.config, seconds, self.study)
        return _write(self.study, self.recording, self._units, self._measured, self._circumstances)

    def summary(self, result: Report) -> Json:
        return {"claims": [claim.entry() for claim in result.claims], "measured": vars(self._circumstances)}

    @classmethod
    def read(cls, record: RunRecord) -> Report:
        config = record.config(StudyConfig)
        study = cls(config, results=record.folder.parents[2]).study
        units = study.units(config.scale, config.seeds)
        measured = _measured(record, units)
        check(study, config.scale, measured=True)
        return _write(study, record, units, measured, Circumstances(**(record.result or {})["measured"]))

    @classmethod
    def to_json(cls, result: Report) -> Json:
        tables = {table.name: [split_columns(row) for row in table.rows] for table in result.tables}
        return {"study": result.study, "tables": tables, "claims": [claim.entry() for claim in result.claims]}

    @classmethod
    def report(cls, result: Report) -> list[str | TextTable]:
        lines: list[str | TextTable] = []
        for table in result.tables:
            if table.printed:
                rows = [tuple(map(str, row.values())) for row in table.rows]
                lines += [f"{table.caption}\n", TextTable(tuple(table.rows[0]), rows), ""]
        claims = claim_rows(result.claims)
        shown = TextTable(tuple(claims[0]), [tuple(row.values()) for row in claims])
        return [*lines, shown, f"\nwritten to {result.folder}"]


def run_study(
    name: str,
    scale: Scale = "smoke",
    seeds: int = 1,
    folder: Folder = "results",
    progress: Progress | None = None,
    data: Folder | None = None,
    opponent: str = "",
) -> Report:
    """Measure a study and write its report below `folder`; resumes an interrupted one."""
    where = None if data is None else str(Path(data).absolute())
    config = StudyConfig(study=name, scale=scale, seeds=seeds, data=where, opponent=opponent)
    run = study_folder(name, scale, seeds, folder, opponent) / "run"
    if (run / "run.json").exists():
        report: Report = resume(run, progress=progress, data=data)
        return report
    return run_experiment(StudyRun(config, data=data, results=Path(folder)), run, progress=progress)


def study_folder(name: str, scale: Scale, seeds: int, folder: Folder, opponent: str = "") -> Path:
    """The folder of a study's results."""
    other = f"-{parse(opponent.replace('{n}', '1')).name}" if opponent else ""
    return Path(folder) / name / f"{scale}-{seeds}{other}"


def _write(
    study: Study, record: RunRecord, units: Sequence[Unit], measured: Mapping[str, Any], about: Circumstances
) -> Report:
    """Make the report of a study and write it beside its run."""
    folder = record.folder.parent
    results = [(unit, measured[unit.name]["measures"]) for unit in units]
    scale: Scale = record.info.config["scale"]
    report = replace(study.report(results, scale), study=study.name, folder=folder)
    write_report(study.title, study.source, report, folder, about)
    return report


def _as_logged(measures: Measures) -> Measures:
    """Measures as they come back from the log, so that a report does not depend on when it is written."""
    logged: Measures = parse_json(to_json(measures, what="measures", non_finite_as_null=True))
    return logged


def _data_folder(given: Folder | None, known: str | None) -> Path | None:
    """The folder of data: the given one, that of the run if it still exists, or that of the environment."""
    environment = os.environ.get(DATA)
    if environment and known and not Path(known).is_dir():
        known = environment
    folder = given or known or environment
    return Path(folder) if folder else None


def _measured(run: RunRecord, units: Sequence[Unit]) -> dict[str, Any]:
    """The events of units that were measured with their present settings, by name; others are measured again."""
    events = {event["unit"]: event for event in run.events("unit")}
    done = {unit.name: events[unit.name] for unit in units if _is_of(events.get(unit.name), unit)}
    changed = next((unit.name for unit in units if unit.name not in done), None)
    if run.finished and changed is not None:
        raise ZeroplyError(
            f"{run.folder} is finished, but the settings of '{changed}' have changed: remove {run.folder.parent} to "
            "measure it again, or choose another --results"
        )
    return done


def _is_of(event: Any, unit: Unit) -> bool:
    """Whether an event holds the measures of a unit."""
    return event is not None and (event["seed"], event["settings"]) == (unit.seed, plain(unit.settings))


def circumstances(config: StudyConfig, seconds: float, study: Study) -> Circumstances:
    """How, when and where a study is measured now."""
    command = f"zeroply study run {config.study} --scale {config.scale} --seeds {config.seeds}"
    return Circumstances(
        study=study.name,
        paper=study.paper,
        command=command
        + (f" --opponent {shlex.quote(config.opponent)}" if config.opponent else "")
        + (" --data DATA" if study.needs(config.scale) else ""),
        scale=config.scale,
        seeds=config.seeds,
        date=datetime.now(UTC).strftime("%Y-%m-%d"),
        version=__version__,
        commit=_commit(),
        hardware=hardware(torch="torch" in study.packages),
        seconds=round(seconds, 1),
    )


def _commit() -> str:
    """The commit of the source tree this package runs from, if it is one."""
    here = ["git", "-C", str(Path(__file__).parent)]
    commands = (["rev-parse", "--short=12", "HEAD"], ["status", "--porcelain", "--untracked-files=no", "."])
    try:
        head, changes = (
            subprocess.run([*here, *words], capture_output=True, text=True, check=True, timeout=10).stdout.strip()
            for words in commands
        )
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return head + (" with changes" if changes else "")
