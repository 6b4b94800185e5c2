"""The commands that run experiments: their options are the fields of the configuration, from the registry."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import zeroply as zp
from zeroply.cli.arguments import (
    Batch,
    Json,
    MaybeRunFolder,
    Overwrite,
    Presets,
    RunFolder,
    SavedGames,
    TensorBoard,
    Threads,
    WorkerOptions,
)
from zeroply.cli.output import console, interruptible, print_json, print_table, progress, saving
from zeroply.options import Flat
from zeroply.runs import Experiment, TextTable, run_experiment
from zeroply.runs.registry import experiments


def command(kind: str, preset: str | None = None) -> Callable[..., None]:
    """The function of a command that runs an experiment."""
    experiment = experiments[kind]
    config: Any = Annotated[experiment.config_type, Flat]
    fields = experiment.config_type.__dataclass_fields__
    options: dict[str, tuple[Any, Any]] = {
        "config": (config, inspect.Parameter.empty if preset is None else experiment.presets()[preset]),
        "run": (RunFolder, inspect.Parameter.empty) if experiment.needs_folder else (MaybeRunFolder, None),
    }
    if "workers" in experiment.options:
        options["workers"] = (Annotated[WorkerOptions, Flat], inspect.Parameter.empty)
    elif "threads" not in fields:
        options["threads"] = (Threads, None)
    if "batch" in experiment.options:
        options["batch"] = (Batch, 4096)
    if experiment.needs_folder and experiment.charts:
        options["tensorboard"] = (TensorBoard, False)
    if experiment.saves_games:
        options |= {"save": (SavedGames, None), "overwrite": (Overwrite, False)}
    options["json"] = (Json, False)

    def start(**given: Any) -> None:
        _start(experiment, **given)

    start.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)
            for name, (hint, default) in options.items()
        ]
    )
    start.__annotations__ = {name: hint for name, (hint, _) in options.items()}
    start.__doc__ = f"{inspect.getdoc(experiment)}\n\nArgs:\n    config: Settings.\n    workers: Who plays the games.\n"
    return start


def _start(
    experiment: type[Experiment[Any, Any]],
    config: Any,
    run: Path | None,
    json: bool,
    workers: WorkerOptions | None = None,
    threads: int | None = None,
    save: Path | None = None,
    overwrite: bool = False,
    tensorboard: bool = False,
    **options: Any,
) -> None:
    if workers is not None:
        options["workers"], threads = workers.where(), workers.threads
    if save is not None:
        shuffled = config.order == "random"  # then any opening of a file may be played
        check_save(save, overwrite, config.game, config.openings, None if shuffled else config.games)
    with interruptible(run, save, overwrite), progress(experiment.unit) as report:
        made = experiment(config, **options)
        result = run_experiment(made, run, progress=report, threads=threads, tensorboard=tensorboard)
    if experiment.leads():
        show(experiment, result, json, save)


def check_save(save: Path, overwrite: bool, game: str, openings: str | Sequence[str], games: int | None) -> None:
    """Raise ZeroplyError if games could not be saved, before any is played."""
    from zeroply.arena.openings import setups
    from zeroply.records import check_output

    check_output(save, game, overwrite, setups(openings, zp.game(game), games))


def show(experiment: type[Experiment[Any, Any]], result: Any, json: bool, save: Path | None = None) -> None:
    """Print a result, and save its games if `save` is given."""
    with saving(lambda: result.records(), save):
        if json:
            print_json(experiment.to_json(result), experiment.rows(result))
            return
        for item in experiment.report(result):
            if isinstance(item, TextTable):
                print_table(item.columns or [""] * len(item.rows[0]), item.rows, (item.left,))
            else:
                console.print(item, soft_wrap=True, markup=False)


def _presets(kind: str) -> Presets:
    names = experiments[kind].presets()
    return Presets({name: partial(command, kind, name) for name in names})


def _check_patterns() -> Callable[..., None]:
    from zeroply.cli.patterns import check

    return check


_COMMANDS: dict[str, Callable[[], Any]] = {
    "match": lambda: command("match"),
    "league": lambda: command("league"),
    "train": lambda: command("train"),
    "train_td": lambda: command("train-td"),
    "evolve": lambda: _presets("evolve"),
    "coevolve": lambda: Presets({"schaul": partial(command, "coevolve"), "lin-white": partial(command, "lin-white")}),
    "ntuples": lambda: {"tdl": command("ntuple-tdl"), "coevolve": command("ntuple-coevolution")},
    "patterns": lambda: {"fit": command("patterns"), "check": _check_patterns()},
}
"""The commands of experiments, made when one is used."""


def __getattr__(name: str) -> Any:
    if name not in _COMMANDS:
        raise AttributeError(name)
    return _COMMANDS[name]()
