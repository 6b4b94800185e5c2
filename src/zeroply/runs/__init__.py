"""Long work as a folder: configuration, event log, checkpoints, and a lock.

Training, evolution and leagues all go through `Run`, so each of them can be killed at any moment and resumed.
The one idea: a checkpoint also records how long the event log was, so resuming cuts the log back to there and
the repeated work writes the same lines again.

    with Run.create("runs/first", kind="league", config={"games": 100}, seed=1, level="v3") as run:
        play(run)

    with Run.open("runs/first", level="v3") as run:  # after a kill: run.state is what was last saved, or None
        play(run)
"""

from zeroply.runs.config import restored, stored
from zeroply.runs.record import RunInfo, RunRecord, recorded_level
from zeroply.runs.run import Run

__all__ = ["Run", "RunInfo", "RunRecord", "recorded_level", "restored", "stored"]
