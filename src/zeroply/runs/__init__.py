"""Run folders: configuration, event log, checkpoints and a lock, and the driver of experiments that uses them.

A checkpoint also records the length of the event log, so resuming cuts the log back to there and the repeated work
writes the same lines again. `experiment` defines what an experiment is, `driver` runs any of them, `registry` lists
them; `run` and `record` write and read the folder. The names below are all that a new experiment needs.
"""

from zeroply.runs.charts import Chart as Chart
from zeroply.runs.checkpoint import Array as Array
from zeroply.runs.config import restored as restored
from zeroply.runs.config import stored as stored
from zeroply.runs.driver import Folder as Folder
from zeroply.runs.driver import configured as configured
from zeroply.runs.driver import python_call as python_call
from zeroply.runs.driver import run_experiment as run_experiment
from zeroply.runs.experiment import Experiment as Experiment
from zeroply.runs.experiment import TextTable as TextTable
from zeroply.runs.files import Json as Json
from zeroply.runs.record import RunInfo as RunInfo
from zeroply.runs.record import RunRecord as RunRecord
from zeroply.runs.record import recorded_level as recorded_level
from zeroply.runs.run import Run as Run
