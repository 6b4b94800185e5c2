"""Running a study: measure its units as a run that can be killed and resumed, then write the report.

`results/S.reference/smoke-1/` gets the files of the report, the measures of every unit in `units.jsonl`, and the run
itself in `run/`. Published games, players and openings are read from the folder that is given, or from `$ZEROPLY_DATA`.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
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
from zeroply.studies.claims import Claim
from zeroply.studies.hardware import hardware
from zeroply.studies.measured import split_columns
from zeroply.studies.measurements import Measurement, is_of, read_units, write_units
from zeroply.studies.needs import check
from zeroply.studies.report import Circumstances, Report, write_report
from zeroply.studies.shared_runs import plain
from zeroply.studies.study import OPPONENT, Folders, Measures, Scale, Study, Unit

DATA = "ZEROPLY_DATA"
"""The environment variable that names the folder of published games, players and openings."""
ORIGIN = ("date", "commit", "hardware")
"""What a measured unit says about its origin."""


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
    also: tuple[str, ...] = ()
    """Architectures that get a row of their own in a table of nets."""

    def __post_init__(self) -> None:
        if self.opponent and (not find_study(self.study).searching or "{n}" not in self.opponent):
            able = ", ".join(one.name for one in studies() if one.searching)
            raise ZeroplyError(
                f'an opponent is a player with {{n}} for its depth, such as edax("PROGRAM", level={{n}}), for {able}'
            )
        if self.also and not find_study(self.study).extendable:
            able = ", ".join(one.name for one in studies() if one.extendable)
            raise ZeroplyError(f"{self.study} measures no further nets; {able} do")
        if self.seeds < 1:
            raise ZeroplyError(f"a study needs 1 seed or more, not {self.seeds}")


class UnitsLeftError(Exception):
    """The chosen units are measured, but not all units of the study: `args` holds how many are, and of how many."""


class StudyRun(Experiment[StudyConfig, Report]):
    """Measure the units of a study and write its report."""

    kind = "study"
    config_type = StudyConfig
    unit = "units"
    charts = (Chart("seconds per unit", "unit", "number", {"seconds": "seconds"}, "unit"),)
    checkpoint_seconds = -1.0  # a unit can take hours, so each one is saved
    options = frozenset({"data", "reuse", "only"})

    def __init__(
        self,
        config: StudyConfig,
        *,
        data: Folder | None = None,
        results: Path | None = None,
        reuse: Folder | None = None,
        only: Sequence[str] = (),
    ) -> None:
        super().__init__(config)
        self.study = find_study(config.study)
        self._reusable = {} if reuse is None else read_units(config.study, Path(reuse))
        self._only = only
        self._data = _data_folder(data, config.data)
        self.study.also = config.also
        self._opponent = config.opponent or OPPONENT
        self.study.folders = Folders(results or Path("results"), self._data, self._opponent)

    def check_recordable(self) -> None:
        check(self.study, self.config.scale, measured=False)

    def start(self) -> None:
        self.study.folders = Folders(self.recording.folder.parents[2], self._data, self._opponent)
        self._units = self.study.units(self.config.scale, self.config.seeds)
        self._measured = _measured(self.recording, self._units)
        for unit in self._units:
            known = next((one for one in self._reusable.get(unit.name, ()) if is_of(one, unit)), None)
            if known is not None and unit.name not in self._measured:
                self._record(known)
        check(self.study, self.config.scale, measured=self.complete)

    def restore(self, arrays: Mapping[str, Array], state: Json) -> None:
        self.start()

    def step(self) -> None:
        left = [unit for unit in self._units if unit.name not in self._measured]
        unit = next((unit for unit in left if all(words in unit.name for words in self._only)), None)
        if unit is None:
            raise UnitsLeftError(self.done, self.total)

        def within(step: int, steps: int, text: str = "", /) -> None:
            self.progress(self.done, self.total, f"{unit.name}, {step} of {steps}")

        begun = time.perf_counter()
        measures = _as_logged(self.study.measure(unit, within))
        self._record(
            {
                "unit": unit.name,
                "seed": unit.seed,
                "settings": plain(unit.settings),
                "measures": measures,
                "seconds": round(time.perf_counter() - begun, 3),
                "date": datetime.now(UTC).strftime("%Y-%m-%d"),
                "commit": _commit(),
                "hardware": hardware(torch="torch" in self.study.packages),
            }
        )

    def _record(self, measurement: Measurement) -> None:
        self.log("unit", number=self.done + 1, **measurement)
        self._measured[measurement["unit"]] = measurement
        write_units(self.recording.folder.parent, self._measured.values())

    @property
    def done(self) -> int:
        return len(self._measured)

    @property
    def total(self) -> int:
        return len(self._units)

    def state(self) -> Json:
        return {"units": self.done}

    def result(self) -> Report:
        self._circumstances = circumstances(self.config, [*self._measured.values()], self.study)
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
        claims = [_claim_line(claim) for claim in result.claims]
        heading = "claims, each with the number that speaks most against it\n"
        return [*lines, heading, *claims, f"\nwritten to {result.folder}"]


def _claim_line(claim: Claim) -> str:
    """A claim for the terminal; the written report shows all of its numbers."""
    line = f" {claim.verdict:<11}  {claim.text} ({claim.place})"
    return f"{line}: {f'{claim.deciding} {claim.numbers[claim.deciding]}'.strip()}" if claim.numbers else line


def run_study(
    name: str,
    scale: Scale = "smoke",
    seeds: int = 1,
    folder: Folder = "results",
    progress: Progress | None = None,
    data: Folder | None = None,
    opponent: str = "",
    reuse: Folder | None = None,
    only: Sequence[str] = (),
    also: Sequence[str] = (),
) -> Report:
    """Measure a study and write its report below `folder`; resumes an interrupted one.

    Units that were measured before, in the folder of results `reuse`, are not measured again. With `only`, units whose
    names contain all these words are measured, and `UnitsLeftError` is raised if others are left. Architectures in
    `also` get rows of their own.
    """
    where = None if data is None else str(Path(data).absolute())
    config = StudyConfig(study=name, scale=scale, seeds=seeds, data=where, opponent=opponent, also=tuple(also))
    run = study_folder(name, scale, seeds, folder, opponent, also) / "run"
    if (run / "run.json").exists():
        report: Report = resume(run, progress=progress, data=data, reuse=reuse, only=only)
        return report
    study_run = StudyRun(config, data=data, results=Path(folder), reuse=reuse, only=only)
    return run_experiment(study_run, run, progress=progress)


def study_folder(
    name: str, scale: Scale, seeds: int, folder: Folder, opponent: str = "", also: Sequence[str] = ()
) -> Path:
    """The folder of a study's results."""
    others = [parse(spec).name for spec in [*[opponent.replace("{n}", "1")] * bool(opponent), *also]]
    return Path(folder) / name / "-".join([scale, str(seeds), *others])


def _write(
    study: Study, record: RunRecord, units: Sequence[Unit], measured: Mapping[str, Any], about: Circumstances
) -> Report:
    """Make the report of a study and write it beside its run."""
    folder = record.folder.parent
    results = [(unit, measured[unit.name]["measures"]) for unit in units]
    scale: Scale = record.info.config["scale"]
    report = replace(study.report(results, scale), study=study.name, folder=folder)
    write_report(study.title, study.source, report, folder, about)
    write_units(folder, (measured[unit.name] for unit in units))
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
    done = {unit.name: events[unit.name] for unit in units if is_of(events.get(unit.name), unit)}
    changed = next((unit.name for unit in units if unit.name not in done), None)
    if run.finished and changed is not None:
        raise ZeroplyError(
            f"{run.folder} is finished, but the settings of '{changed}' have changed: remove {run.folder.parent} to "
            "measure it again, or choose another --results"
        )
    return done


def circumstances(config: StudyConfig, measured: Sequence[Measurement], study: Study) -> Circumstances:
    """How, when and where the units of a study were measured."""
    dates, commits, machines = (list(dict.fromkeys(one[key] for one in measured)) for key in ORIGIN)
    return Circumstances(
        study=study.name,
        paper=study.paper,
        command=command_of(config, study),
        scale=config.scale,
        seeds=config.seeds,
        date=" to ".join(dict.fromkeys([min(dates), max(dates)])),
        version=__version__,
        commit=", ".join(commits),
        hardware="; ".join(machines),
        seconds=round(sum(one["seconds"] for one in measured), 1),
    )


def command_of(config: StudyConfig, study: Study) -> str:
    """The command that measures a study."""
    opponent = f" --opponent {shlex.quote(config.opponent)}" if config.opponent else ""
    data = " --data DATA" if study.needs(config.scale) else ""
    return f"zeroply study run {config.study} --scale {config.scale} --seeds {config.seeds}{opponent}{data}"


@cache
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
