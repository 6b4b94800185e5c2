"""Value nets learned by temporal differences from self-play, which Liskowski et al. 2018 propose in section VIII.

A net with `output=value` returns the value of a position for the side to move, one with `output=actions` a value for
each move; both from -1 to 1. The net plays against itself, with some random moves. A value moves towards that of the
next position (of the best move there), negated when the other side is to move, or towards the result at the end; with
`trace` above 0 it is mixed with later values, as in TD(lambda). There is no update for the position before a random
move. Many games are played at once with the same weights and then learned from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray

from zeroply import _core, chance
from zeroply.arena.match import match
from zeroply.games import Positions, game
from zeroply.learning.imitation.optimizers import load_state, optimizer, set_rate, state_arrays
from zeroply.learning.td_training import TdConfig
from zeroply.nets import build
from zeroply.nets.encodings import playable
from zeroply.nets.modules.initialise import initialised
from zeroply.nets.torch_net import TorchNet, arrange, device, load_weights, tensor, use_threads, weights_of
from zeroply.players.net import NetPlayer


@dataclass(frozen=True)
class Lessons:
    """Positions of finished games, and their target values."""

    positions: Positions
    """[n] positions in which a move was made."""
    moves: NDArray[np.int64]
    """[n]: the move."""
    targets: NDArray[np.float32]
    """[n]: the target value, for the side to move."""
    teaches: NDArray[np.bool_]
    """[n]: whether it is learned from."""


class Learner:
    """A net under training, with its optimizer."""

    def __init__(self, config: TdConfig, key: int) -> None:
        _core.set_threads(config.threads)
        use_threads()
        self.config = config
        self.net = initialised(config.net, game(config.game), key)
        self.optimizer = optimizer("adamw", self.net.module, config.rate, config.decay)
        arrange(self.net.module, device())

    def restore(self, arrays: Mapping[str, Any]) -> None:
        """Continue from what `arrays` returned."""
        load_weights(self.net.module, {name[4:]: array for name, array in arrays.items() if name.startswith("net/")})
        load_state("adamw", self.optimizer, self.net.module, arrays)
        arrange(self.net.module, device())

    def arrays(self) -> dict[str, Any]:
        """Weights and the state of the optimizer."""
        weights = {f"net/{name}": array for name, array in weights_of(self.net.module).items()}
        return {**weights, **state_arrays("adamw", self.optimizer, self.net.module)}

    def learn(self, keys: NDArray[np.uint64], rate: float, key: int) -> float:
        """Play games with these chance keys and learn from them; returns the mean square error."""
        set_rate(self.optimizer, rate)
        lessons = self_play(self.net, keys, self.config)
        return study(self.net, self.optimizer, lessons, self.config.batch, key)

    def trained(self) -> TorchNet:
        """A copy of the net as it is."""
        return cast("TorchNet", build(self.config.net, self.net.game, weights_of(self.net.module)))

    def measure(self, seed: int) -> float:
        """Points per game against the opponent."""
        config = self.config
        openings = f"random(plies={config.plies})" if config.plies else "none"
        player = NetPlayer(self.net.game, self.trained())
        games = config.measure_games
        return match(player, config.opponent, game=self.net.game, games=games, openings=openings, seed=seed).score


def self_play(net: TorchNet, keys: NDArray[np.uint64], config: TdConfig) -> Lessons:
    """Games of the net against itself, one per key, with target values."""
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
    """Targets from the ends of the games to their starts; values are for Black on the way."""
    value, target = np.zeros(games, np.float32), np.zeros(games, np.float32)  # of the position after the one looked at
    parts: list[tuple[Positions, NDArray[np.int32], NDArray[np.float32], NDArray[np.bool_]]] = []
    for positions, row, moves, thinks, best_value in zip(
        reversed(seen), reversed(rows), reversed(made), reversed(thought), reversed(best), strict=True
    ):
        if moves[0] < 0:  # games that have ended here
            value[row] = target[row] = best_value
            continue
        side = positions.to_move().astype(np.float32)
        mixed = (1 - trace) * value[row] + trace * target[row]
        # A value net learns only from its own moves: the value of the best move does not apply to a random move. An
        # action net learns about the move that was made, also a random one.
        teaches = thinks if net.output == "value" else np.ones(len(row), np.bool_)
        parts.append((positions, moves, mixed * side, teaches))
        own = best_value * side
        target[row] = np.where(thinks, mixed, own)
        value[row] = own
    return Lessons(
        Positions.join(part[0] for part in parts),
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
