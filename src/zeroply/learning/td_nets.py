"""Nets of values learned by temporal differences from self-play, which Liskowski et al. 2018 propose in section VIII.

A net with `output=value` gives the value of a position for the side to move, one with `output=actions` a value for each
move; both from -1 to 1. Games are played by the net against itself, with a share of random moves. A value moves towards
that of the next position (the best move's there), its sign turned when the other side is to move, or towards the result
at the end; with `trace` above 0 it is mixed with what came later, as in TD(lambda). A random move teaches nothing about
the position before it. Many games are played at once by the same weights and then learned from.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray

from zeroply import _core, chance, levels
from zeroply.arena.match import match
from zeroply.arena.unchanged import STORED, check_unchanged, fingerprints
from zeroply.errors import ZeroplyError
from zeroply.games import Positions, game
from zeroply.learning.imitation.optimizers import load_state, optimizer, set_rate, state_arrays
from zeroply.learning.td_config import TdConfig
from zeroply.nets import build, save, untrained
from zeroply.nets.encodings import playable
from zeroply.nets.modules.initialise import initialised
from zeroply.nets.torch_net import TorchNet, arrange, device, load_weights, tensor, use_threads, weights_of
from zeroply.players.net import NetPlayer
from zeroply.runs import Run, stored

KIND = "train-td"
NET = "net.safetensors"
"""The file of the trained net in its run folder."""
LAST_RATE = 0.05
"""What the rate has fallen to at the end, as a share of the first."""
_SECONDS_BETWEEN_CHECKPOINTS = 30.0

Progress = Callable[[int, int], None]
"""Called with the games done and the games in all."""


@dataclass(frozen=True)
class Lessons:
    """Positions of finished games, and what their values should have been."""

    positions: Positions
    """[n] positions in which a move was made."""
    moves: NDArray[np.int64]
    """[n]: the move."""
    targets: NDArray[np.float32]
    """[n]: what the value should be, for the side to move."""
    teaches: NDArray[np.bool_]
    """[n]: whether it is learned from."""


def start(config: TdConfig, folder: str | os.PathLike[str], progress: Progress | None = None) -> Path:
    """Learn a net as a run in a new folder; returns its file."""
    config = replace(config, threads=config.threads or _core.threads())
    net = untrained(config.net, game(config.game))  # before anything is written
    if net.output == "moves":
        raise ZeroplyError(f"temporal differences teach values: use output=value or output=actions in {config.net}")
    settings = {**stored(config), STORED: _opponent(config)}
    with Run.create(folder, kind=KIND, config=settings, seed=config.seed, level=levels.chosen()) as run:
        return _learn(config, run, progress)


def resume(run: Run, progress: Progress | None = None) -> Path:
    """Go on with learning from where its run stands."""
    config = run.config(TdConfig, STORED)
    if run.finished:
        return run.folder / NET
    check_unchanged(run, _opponent(config))
    return _learn(config, run, progress)


def _opponent(config: TdConfig) -> list[str]:
    """The fingerprints of whom the net is measured against."""
    return fingerprints([config.opponent], config.game, games=config.measure_games)


def _learn(config: TdConfig, run: Run, progress: Progress | None) -> Path:
    _core.set_threads(config.threads)
    use_threads()
    net = initialised(config.net, game(config.game), chance.key(config.seed, KIND))
    optim = optimizer("adamw", net.module, config.rate, config.decay)
    done = 0
    if run.state is not None and run.arrays is not None:
        done = run.state["done"]
        load_weights(net.module, {n[4:]: a for n, a in run.arrays.items() if n.startswith("net/")})
        load_state("adamw", optim, net.module, run.arrays)
    arrange(net.module, device())
    while done < config.games:
        games = min(config.together, config.games - done)
        set_rate(optim, config.rate * (1 - (1 - LAST_RATE) * done / config.games))
        keys = chance.keys(chance.key(config.seed, KIND, "games"), np.arange(done, done + games))
        lessons = self_play(net, keys, config)
        error = study(net, optim, lessons, config.batch, chance.key(config.seed, KIND, "steps", done))
        before, done = done, done + games
        due = done * config.measures // config.games > before * config.measures // config.games
        if due:
            run.log("measure", games=done, score=_measure(net, config), error=error)
        if due or run.save_due(_SECONDS_BETWEEN_CHECKPOINTS):
            arrays: dict[str, Any] = {f"net/{name}": array for name, array in weights_of(net.module).items()}
            run.save({"done": done}, {**arrays, **state_arrays("adamw", optim, net.module)})
        if progress:
            progress(done, config.games)
    scores = [{k: event[k] for k in ("games", "score")} for event in run.events("measure")]
    about = {
        "about": f"learned by temporal differences from {config.games:,} games of self-play",
        "recipe": {**asdict(config)},
        "scores": scores,
    }
    save(_trained(net, config), run.folder / NET, about)
    run.finish({"file": NET, "opponent": config.opponent, "score": scores[-1]["score"], "scores": scores})
    return run.folder / NET


def _trained(net: TorchNet, config: TdConfig) -> TorchNet:
    return cast("TorchNet", build(config.net, net.game, weights_of(net.module)))


def _measure(net: TorchNet, config: TdConfig) -> float:
    player = NetPlayer(net.game, _trained(net, config))
    seed = chance.key(config.seed, "measure")
    openings = f"random(plies={config.plies})" if config.plies else "none"
    games = config.measure_games
    return match(player, config.opponent, game=net.game, games=games, openings=openings, seed=seed).score


def self_play(net: TorchNet, keys: NDArray[np.uint64], config: TdConfig) -> Lessons:
    """Games of the net against itself, one for each key, and what they teach."""
    net.module.eval()
    now = net.game.start(len(keys))
    random_plies = chance.below(config.plies + 1, keys, 1 << 20)
    seen: list[Positions] = []
    rows: list[NDArray[np.int64]] = []
    made: list[NDArray[np.int32]] = []
    thought: list[NDArray[np.bool_]] = []
    best: list[NDArray[np.float32]] = []
    live = np.arange(len(keys))
    ply = 0
    while len(live):
        preferences = net.prefer(now)
        if net.output == "actions":
            preferences = np.where(np.isfinite(preferences), np.tanh(preferences), preferences)
        greedy = preferences.argmax(axis=1).astype(np.int32)
        moves = np.empty(len(live), np.int32)
        now.batch.random_moves(keys[live], moves)
        thinks = (ply >= random_plies[live]) & (chance.uniform(keys[live], (1 << 21) + ply) >= config.epsilon)
        moves[thinks] = greedy[thinks]
        seen.append(now.copy())
        rows.append(live)
        made.append(moves)
        thought.append(thinks)
        best.append(preferences.max(axis=1))
        now.play(moves)
        over = now.over()
        if over.any():
            finished = live[over]
            ends = now[over].winner()
            rows.append(finished)  # the result, for Black, as the value of the last position
            best.append(ends.astype(np.float32))
            seen.append(now[over])
            made.append(np.full(len(finished), -1, np.int32))
            thought.append(np.ones(len(finished), np.bool_))
            now, live = now[~over], live[~over]
        ply += 1
    return _lessons(net, seen, rows, made, thought, best, len(keys), config.trace)


def _lessons(
    net: TorchNet,
    seen: list[Positions],
    rows: list[NDArray[np.int64]],
    made: list[NDArray[np.int32]],
    thought: list[NDArray[np.bool_]],
    best: list[NDArray[np.float32]],
    games: int,
    trace: float,
) -> Lessons:
    """Targets from the ends of the games to their starts; all values are kept as Black sees them on the way."""
    value, target = np.zeros(games, np.float32), np.zeros(games, np.float32)  # of the position after the one looked at
    parts: list[tuple[Positions, NDArray[np.int32], NDArray[np.float32], NDArray[np.bool_]]] = []
    for positions, row, moves, thinks, liked in zip(
        reversed(seen), reversed(rows), reversed(made), reversed(thought), reversed(best), strict=True
    ):
        if moves[0] < 0:  # games that have ended here
            value[row] = target[row] = liked
            continue
        side = positions.to_move().astype(np.float32)
        mixed = (1 - trace) * value[row] + trace * target[row]
        # For a net of values, what it thought of the best move is the value of the position after it; a random move
        # says nothing of that. A net of actions learns of the move that was made, whichever it was.
        teaches = thinks if net.output == "value" else np.ones(len(row), np.bool_)
        parts.append((positions, moves, mixed * side, teaches))
        own = liked * side
        target[row] = np.where(thinks, mixed, own)
        value[row] = own
    joined = net.game.start(sum(len(part[0]) for part in parts))
    low = 0
    for positions, *_ in parts:
        joined[low : low + len(positions)] = positions
        low += len(positions)
    return Lessons(
        joined,
        np.concatenate([part[1] for part in parts]).astype(np.int64),
        np.concatenate([part[2] for part in parts]).astype(np.float32),
        np.concatenate([part[3] for part in parts]),
    )


def study(net: TorchNet, optim: torch.optim.Optimizer, lessons: Lessons, batch: int, key: int) -> float:
    """One pass over the lessons in random order, each batch under a random symmetry; returns the mean square error."""
    rows = np.flatnonzero(lessons.teaches)
    rows = rows[np.argsort(chance.draw(key, np.arange(len(rows))), kind="stable")]
    outputs = np.full(net.game.cells, 0, np.int64)
    if net.output == "actions":
        outputs[playable(net.game)] = np.arange(len(playable(net.game)))
    place, total = device(), 0.0
    module_is_random = any(isinstance(module, torch.nn.Dropout) for module in net.module.modules())
    net.module.train()
    for number, low in enumerate(range(0, len(rows) - 1, batch)):
        some = rows[low : low + batch]
        k = int(chance.below(len(net.game.symmetries), chance.key(key, "symmetry"), number)[0])
        inputs = [tensor(one, place) for one in net.inputs(lessons.positions[some].symmetry(k))]
        wanted = torch.from_numpy(lessons.targets[some]).to(place)
        which = torch.from_numpy(outputs[net.game.symmetries[k, lessons.moves[some]]]).to(place)
        if module_is_random:
            torch.manual_seed(chance.key(key, "units", number) >> 1)
        optim.zero_grad(set_to_none=True)
        values = torch.tanh(net.module(*inputs).gather(1, which[:, None])[:, 0])
        loss = torch.nn.functional.mse_loss(values, wanted)
        loss.backward()  # type: ignore[no-untyped-call]
        optim.step()
        total += loss.item() * len(some)
    net.module.eval()
    return total / max(1, len(rows))
