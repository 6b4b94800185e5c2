"""`zeroply train-td`: nets that learn values by temporal differences from self-play."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tyro.conf import Positional

from zeroply.cli.output import console, interruptible, print_json, progress, set_threads
from zeroply.runs import Run


def train_td(
    net: Positional[str],
    run: Path,
    game: str = "othello",
    games: int = 20_000,
    together: int = 200,
    epsilon: float = 0.1,
    trace: float = 0.7,
    plies: int = 6,
    rate: float = 2e-3,
    decay: float = 1e-4,
    batch: int = 512,
    opponent: str = "random",
    measure_games: int = 200,
    measures: int = 10,
    seed: int = 0,
    threads: int | None = None,
    json: bool = False,
) -> None:
    """Learn the values of positions or of moves from self-play; ends with net.safetensors in the folder of the run.

    Example: zeroply train-td "conv4(width=0.25, output=value)" --games 20000 --run runs/td --seed 1

    Args:
        net: Architecture with output=value or output=actions.
        run: New folder of the run.
        game: Spec of the game.
        games: Games of self-play.
        together: Games played by the same weights before they are learned from.
        epsilon: Share of random moves.
        trace: The lambda of TD(lambda); 0 is TD(0).
        plies: Random moves at the start of a game, at most.
        rate: First learning rate; falls linearly to a twentieth.
        decay: Weight decay.
        batch: Positions of a step.
        opponent: Spec of the player the net is measured against.
        measure_games: Games of a measure, even.
        measures: Number of measures, spread evenly.
        seed: Number that all chance comes from.
        threads: Threads; the run keeps to this number.
        json: Print JSON for programs.
    """
    set_threads(threads)
    td_nets = _td_nets()
    config = td_nets.TdConfig(
        net=net,
        game=game,
        games=games,
        together=together,
        epsilon=epsilon,
        trace=trace,
        plies=plies,
        rate=rate,
        decay=decay,
        batch=batch,
        opponent=opponent,
        measure_games=measure_games,
        measures=measures,
        threads=threads or 0,
        seed=seed,
    )
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
