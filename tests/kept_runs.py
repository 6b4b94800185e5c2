"""Runs of matches and leagues in tests: what they leave, and how their commands are given, killed and refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from zeroply.cli.main import main
from zeroply.runs import Run

ZEROPLY = Path(sys.executable).with_name("zeroply")


def outcome(folder: Path) -> dict[str, Any]:
    """All that must be the same however the games were played: the log without the times, and the result."""
    record = Run.read(folder)
    events = [{key: value for key, value in event.items() if key != "time"} for event in record.events()]
    stored = json.loads((folder / "result.json").read_text())
    return {"events": events, "result": record.result, "log": stored["log"]}


def zeroply(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """The installed program."""
    command = [str(ZEROPLY), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})


def started(words: Sequence[object], folder: Path, sign: str) -> subprocess.Popen[str]:
    """Start a command and wait until it holds the lock of its run and there is a file like `sign`."""
    command = [str(ZEROPLY), *map(str, words)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while process.poll() is None:
        if any(folder.glob(sign)) and (folder / "lock").read_text().strip() == str(process.pid):
            break
        time.sleep(0.002)
    return process


def refusal(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """The one sentence with which a command is refused."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as caught:
        main([str(word) for word in words])
    said = capsys.readouterr()
    assert caught.value.code == 2
    assert said.out == ""
    assert said.err.count("\n") == 1
    return said.err
