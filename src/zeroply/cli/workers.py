"""Options of evolution and coevolution: threads, processes or a cluster play the games."""

from __future__ import annotations

from dataclasses import dataclass

from zeroply.cli.output import set_threads
from zeroply.errors import ZeroplyError


@dataclass(frozen=True, kw_only=True)
class WorkerOptions:
    """Who plays the games; affects speed only."""

    threads: int | None = None
    """Threads for the core; affects speed only."""
    processes: int | None = None
    """For evolution and coevolution: play in this many processes instead of threads; affects speed only."""
    cluster: str | None = None
    """For evolution and coevolution: play on a dask cluster, tcp://host:port or local:2; affects speed only."""

    def where(self) -> str:
        """The name for `executors.workers`; also sets the number of threads."""
        set_threads(self.threads)
        if self.processes is not None and self.cluster is not None:
            raise ZeroplyError("give --processes or --cluster, not both")
        if self.processes is not None:
            return f"processes:{self.processes}"
        if self.cluster is None:
            return "threads"
        if not self.cluster.startswith("local:") and "://" not in self.cluster:
            raise ZeroplyError(f"--cluster must be tcp://host:port or local:2, not '{self.cluster}'")
        return self.cluster
