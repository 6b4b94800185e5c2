"""Run folders: configuration, event log, checkpoints and a lock, and the driver of experiments that uses them.

A checkpoint also records the length of the event log, so resuming cuts the log back to there and the repeated work
writes the same lines again. `experiment` defines what an experiment is, `driver` runs any of them, `registry` lists
them; `run` and `record` write and read the folder. The names below are all that a new experiment needs.
"""

from zeroply.runs.charts import Chart
from zeroply.runs.checkpoint import Array
from zeroply.runs.config import restored, stored
from zeroply.runs.driver import Folder, configured, python_call, run_experiment
from zeroply.runs.experiment import Experiment, TextTable
from zeroply.runs.files import Json
from zeroply.runs.record import RunInfo, RunRecord, recorded_level
from zeroply.runs.run import Run

__all__ = [
    "Array",
    "Chart",
    "Experiment",
    "Folder",
    "Json",
    "Run",
    "RunInfo",
    "RunRecord",
    "TextTable",
    "configured",
    "python_call",
    "recorded_level",
    "restored",
    "run_experiment",
    "stored",
]
