"""Many games at once, as a vector environment of Gymnasium with masks of legal actions.

An action is a cell. With an opponent, the agent moves for one side only: Black in the first, third, fifth game of an
environment, White in the others. Without one it moves for both sides, and sees each position as the side to move does.
A game that ends begins anew in the same step: its reward is that of the last move, and `final_obs` of the infos holds
the last observation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from zeroply import chance
from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.games import game as make_game
from zeroply.games.positions import Plane
from zeroply.players import FollowingPlayer, Player, player
from zeroply.specs import Spec

Observations = dict[str, NDArray[Any]]
Infos = dict[str, Any]
MOST = 1_000_000


class Vector(VectorEnv[Any, Any, Any]):
    """Games in lockstep; see the module."""

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}  # noqa: RUF012 (as Gymnasium has it)

    def __init__(
        self,
        game: str | Spec | Game,
        num_envs: int,
        opponent: str | Spec | Player | None,
        planes: Sequence[Plane],
    ) -> None:
        if not 1 <= num_envs <= MOST:
            raise ZeroplyError(f"num_envs must be from 1 to {MOST}, not {num_envs}")
        self.game = make_game(game)
        self.num_envs = num_envs
        self.opponent = None if opponent is None else player(opponent, self.game)
        if isinstance(self.opponent, FollowingPlayer):
            raise ZeroplyError(f"{self.opponent} follows whole games and cannot play in lockstep: use another opponent")
        self._planes = list(planes)
        shape = self.game.start().planes(self._planes).shape[1:]
        self.single_action_space = spaces.Discrete(self.game.cells)
        self.single_observation_space = spaces.Dict(
            {
                "observation": spaces.Box(0, 1, shape, np.float32),
                "action_mask": spaces.Box(0, 1, (self.game.cells,), np.int8),
            }
        )
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._begin(0)

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Observations, Infos]:
        """Begin all games anew; `seed` decides the opponent's chance, by default other chance than before."""
        self._begin(self._resets if seed is None else seed)
        return self._observe(self.positions), {}

    def _begin(self, seed: Any) -> None:
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
            raise ZeroplyError(f"a seed is one whole number for all environments, not {seed!r}")
        self._resets = int(seed) + 1
        self._keys = chance.keys(chance.key(int(seed), "environment"), np.arange(self.num_envs))
        self._games = np.zeros(self.num_envs, np.int64)
        self.positions = self.game.start(self.num_envs)
        self._let_opponent_move(np.arange(self.num_envs))

    def step(self, actions: ArrayLike) -> tuple[Observations, NDArray[np.float64], Any, Any, Infos]:
        """Play a cell in every game; raises ZeroplyError, and changes nothing, if one of them is illegal.

        Rewards are 1, 0 or -1 at the end of a game, for the side that moved, and 0 before.
        """
        side = self.positions.to_move()
        self.positions.play(actions)
        if self.opponent is not None:
            self._let_opponent_move(np.arange(self.num_envs))
        over = self.positions.over()
        ended = np.flatnonzero(over)
        rewards, infos = np.zeros(self.num_envs), Infos()
        if len(ended):
            last = self.positions[ended]
            rewards[ended] = last.winner() * side[ended]
            infos = self._final(ended, last)
            self._games[ended] += 1
            self.positions[ended] = self.game.start(len(ended))
            self._let_opponent_move(ended)
        return self._observe(self.positions), rewards, over, np.zeros(self.num_envs, np.bool_), infos

    def _let_opponent_move(self, rows: NDArray[np.int64]) -> None:
        """In these games, until it is the agent's turn or the game is over."""
        if self.opponent is None:
            return
        agent = np.where(self._games % 2 == 0, 1, -1)
        while len(rows):
            some = self.positions[rows]
            waits = (some.to_move() != agent[rows]) & ~some.over()
            if not waits.any():
                return
            rows, some = rows[waits], some[waits]
            some.play(self.opponent.choose(some, chance.keys(self._keys[rows], self._games[rows])))
            self.positions[rows] = some

    def _observe(self, positions: Any) -> Observations:
        return {"observation": positions.planes(self._planes), "action_mask": positions.legal().view(np.int8)}

    def _final(self, ended: NDArray[np.int64], last: Any) -> Infos:
        """The last observations of ended games, as Gymnasium hands them over."""
        seen = self._observe(last)
        final, has = np.full(self.num_envs, None, object), np.zeros(self.num_envs, np.bool_)
        for number, row in enumerate(ended.tolist()):
            final[row] = {name: array[number] for name, array in seen.items()}
        has[ended] = True
        return {"final_obs": final, "_final_obs": has}

    def close_extras(self, **kwargs: Any) -> None:
        """End the opponent's programs, if it has any."""
        if self.opponent is not None:
            self.opponent.close()
