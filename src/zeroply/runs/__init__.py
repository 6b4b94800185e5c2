"""Run folders: configuration, event log, checkpoints and a lock, and the driver of experiments that uses them.

A checkpoint also records the length of the event log, so resuming cuts the log back to there and the repeated work
writes the same lines again. `experiment` says what an experiment is, `driver` runs and resumes any of them, `registry`
lists them; `run` and `record` write and read the folder.
"""

from zeroply.runs.config import restored, stored
from zeroply.runs.record import RunInfo, RunRecord, recorded_level
from zeroply.runs.run import Run

__all__ = ["Run", "RunInfo", "RunRecord", "recorded_level", "restored", "stored"]
