"""Who plays the games of evolution and coevolution, as options of their commands."""

from __future__ import annotations

from dataclasses import dataclass

from zeroply.cli.output import set_threads
from zeroply.errors import ZeroplyError


@dataclass(frozen=True, kw_only=True)
class WorkerOptions:
    """Who works on a run; decides its speed and nothing else."""

    threads: int | None = None
    """Threads for the core; changes speed only."""
    processes: int | None = None
    """Evolution and coevolution play in so many processes instead of threads; changes speed only."""
    cluster: str | None = None
    """Evolution and coevolution play on a dask cluster, tcp://host:port or local:2; changes speed only."""

    def where(self) -> str:
        """Who plays the games, as `executors.workers` names them; the core has its threads from then on."""
        set_threads(self.threads)
        if self.processes is not None and self.cluster is not None:
            raise ZeroplyError("give --processes or --cluster, not both")
        if self.processes is not None:
            return f"processes:{self.processes}"
        if self.cluster is None:
            return "threads"
        if not self.cluster.startswith("local:") and "://" not in self.cluster:
            raise ZeroplyError(f"a cluster is tcp://host:port or local:2, not '{self.cluster}'")
        return self.cluster
