"""The batch script of docs/clusters.md runs, stops and resumes, with a stand-in for Slurm's `srun`."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import zeroply as zp

PAGE = (Path(__file__).parents[1] / "docs/clusters.md").read_text()
SCRIPTS = dict(re.findall(r"^```sbatch (\S+)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE))
SRUN = '#!/bin/sh\n"$@" &\n"$@" &\nwait\n'
"""Starts two tasks on this machine."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def test_the_scripts_are_bash() -> None:
    assert set(SCRIPTS) == {"evolve.sbatch", "study.sbatch"}
    for script in SCRIPTS.values():
        assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0


@pytest.mark.kills
def test_a_job_starts_its_cluster_and_a_second_one_resumes(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in (("srun", SRUN), ("hostname", "#!/bin/sh\necho 127.0.0.1\n")):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    path = os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "GENERATIONS": "30", "PORT": str(free_port())}
    (tmp_path / "evolve.sbatch").write_text(SCRIPTS["evolve.sbatch"])

    def job() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            ["bash", "evolve.sbatch"],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    run = tmp_path / "runs" / "capture"
    with job() as first:
        while first.poll() is None and not list(run.glob("checkpoints/*")):
            time.sleep(0.05)
        assert first.poll() is None, first.stdout.read() if first.stdout else b""
        os.killpg(first.pid, signal.SIGKILL)
        first.communicate()
    assert not zp.Run.read(run).finished
    environment["PORT"] = str(free_port())
    with job() as second:
        said, _ = second.communicate(timeout=300)
        assert second.returncode == 0, said.decode()
    record = zp.Run.read(run)
    assert record.finished
    assert [event["number"] for event in record.events("generation")] == list(range(1, 31))
    alone = zp.evolve(game="atarigo(size=7)", generations=30, run=tmp_path / "alone")
    assert [event["best"] for event in record.events("generation")] == [one.best for one in alone.generations]
