"""Commands that make runs: start them, wait for them, and read what they store or the error they report."""

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
    """What must not depend on how the games were played: the log without times, and the result."""
    record = Run.read(folder)
    events = [{key: value for key, value in event.items() if key != "time"} for event in record.events()]
    stored = json.loads((folder / "result.json").read_text())
    return {"events": events, "result": record.result, "log": stored["log"]}


def zeroply(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the installed program."""
    command = [str(ZEROPLY), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})


def started(words: Sequence[object], folder: Path, sign: str) -> subprocess.Popen[str]:
    """Start a command and wait until it holds the lock of its run and a file matches the pattern `sign`.

    It saves a checkpoint after every step, so that a short run can be killed after one.
    """
    code = "from zeroply.runs import Run; Run.save_due = lambda run, seconds: True; "
    code += "from zeroply.cli.main import main; main()"
    command = [sys.executable, "-c", code, *map(str, words)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while process.poll() is None:
        if any(folder.glob(sign)) and (folder / "lock").read_text().strip() == str(process.pid):
            break
        time.sleep(0.002)
    return process


def refusal(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """The one-sentence error of a command that is refused."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as caught:
        main([str(word) for word in words])
    printed = capsys.readouterr()
    assert caught.value.code == 2
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    return printed.err
