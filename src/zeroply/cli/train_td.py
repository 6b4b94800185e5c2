"""`zeroply train-td`: nets that learn values by temporal differences from self-play."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from zeroply.cli.output import console, interruptible, print_json, progress, set_threads
from zeroply.learning.td_config import TdConfig
from zeroply.options import Flat
from zeroply.runs import Run


def train_td(config: Annotated[TdConfig, Flat], run: Path, json: bool = False) -> None:
    """Learn the values of positions or of moves from self-play; ends with net.safetensors in the folder of the run.

    Example: zeroply train-td "conv4(width=0.25, output=value)" --games 20000 --run runs/td --seed 1

    Args:
        config: What decides what is learned.
        run: New folder of the run.
        json: Print JSON for programs.
    """
    set_threads(config.threads or None)
    td_nets = _td_nets()
    with interruptible(run), progress("games") as report:
        file = td_nets.start(config, run, report)
    _print(file, json)


def resume_train_td(run: Run, json: bool) -> None:
    """Go on with learning by temporal differences."""
    with progress("games") as report:
        file = _td_nets().resume(run, report)
    _print(file, json)


def _td_nets() -> Any:
    from zeroply.nets.torch_net import needs_torch

    with needs_torch():
        from zeroply.learning import td_nets
    return td_nets


def _print(file: Path, json: bool) -> None:
    result = Run.read(file.parent).result or {}
    if json:
        print_json({**result, "file": str(file)})
        return
    console.print(f"score against {result['opponent']}: {result['score']:.3f}", markup=False)
    console.print(f'play it as net("{file}")', soft_wrap=True, markup=False)
