"""One game for two agents, as an AEC environment of PettingZoo with masks of legal actions.

An action is a cell. The side to move sees the board from its own point of view; forced passes are made by the rules, so
an agent may move twice in a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.games import game as make_game
from zeroply.games.positions import Plane
from zeroply.specs import Spec

AGENTS = {1: "black", -1: "white"}
"""The agents by colour."""


class Turns(AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """One game; see the module."""

    def __init__(self, game: str | Spec | Game, planes: Sequence[Plane], render_mode: str | None) -> None:
        super().__init__()
        if render_mode not in (None, "ansi"):
            raise ZeroplyError(f"render_mode must be ansi or None, not {render_mode!r}")
        self.game = make_game(game)
        self.render_mode = render_mode
        self.metadata = {"name": f"{self.game.name}_v0", "render_modes": ["ansi"], "is_parallelizable": False}
        self._planes = list(planes)
        self.possible_agents = list(AGENTS.values())
        shape = self.game.start().planes(self._planes).shape[1:]
        self.action_spaces = {name: spaces.Discrete(self.game.cells) for name in self.possible_agents}
        self.observation_spaces = {
            name: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, shape, np.float32),
                    "action_mask": spaces.Box(0, 1, (self.game.cells,), np.int8),
                }
            )
            for name in self.possible_agents
        }

    def observation_space(self, agent: Any) -> Any:
        """What an agent sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: Any) -> Any:
        """The cells."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game; nothing in it is random."""
        self.position = self.game.start()
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[Any, dict[str, Any]] = {name: {} for name in self.agents}
        self.agent_selection = self._to_move()

    def _to_move(self) -> str:
        return AGENTS[int(self.position.to_move()[0])]

    def observe(self, agent: Any) -> Any:
        """The board as an agent sees it; only the agent to move has legal actions."""
        planes, legal = self.position.planes(self._planes)[0], self.position.legal()[0]
        if agent != self._to_move():
            swapped = {"own": "opponent", "opponent": "own"}
            planes = self.position.planes([swapped.get(kind, kind) for kind in self._planes])[0]  # type: ignore[misc]
            legal = np.zeros_like(legal)
        return {"observation": planes, "action_mask": legal.view(np.int8)}

    def step(self, action: Any) -> None:
        """Play a cell for the selected agent."""
        name = self.agent_selection
        if self.terminations[name] or self.truncations[name]:
            self._was_dead_step(action)
            return
        self.position.play([action])
        self._cumulative_rewards[name] = 0.0
        if self.position.over()[0]:
            winner = int(self.position.winner()[0])
            self.rewards = {AGENTS[colour]: float(colour * winner) for colour in AGENTS}
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = AGENTS[-1] if name == AGENTS[1] else AGENTS[1]
        else:
            self._clear_rewards()
            self.agent_selection = self._to_move()
        self._accumulate_rewards()

    def render(self) -> str | None:
        """The board as text."""
        return str(self.position) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing to close."""
