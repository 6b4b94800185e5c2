"""OpenSpiel both ways: players as its bots, and its bots as players.

OpenSpiel numbers the cells of Othello, Gomoku and Hex as zeroply does; a pass is the number after the last cell. Both
directions follow a game from its start, because a state of OpenSpiel is made from its moves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from zeroply import chance
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.games import game as make_game
from zeroply.players import Follower, FollowingPlayer, Forfeit, GameSoFar, Player
from zeroply.players import player as make_player
from zeroply.specs import Spec

MakeBot = Callable[[Any, int, int], Any]
"""Makes a bot from OpenSpiel's game, the number of the player (0 moves first) and a random seed."""
SEEDS = 2**31
"""Number of random seeds of OpenSpiel."""
MEGABYTES = 1000
"""Memory of a search tree."""


def rules_of(game: Game) -> Any:
    """The game of OpenSpiel with the same rules; raises ZeroplyError if there is none."""
    if game.facts.open_spiel is None:
        raise ZeroplyError(f"OpenSpiel has no game with the rules of {game}")
    return pyspiel.load_game(game.facts.open_spiel)


class Bot(pyspiel.Bot):  # type: ignore[misc]  # OpenSpiel has no types
    """A player as a bot of OpenSpiel, for both colours and any number of games, one after the other."""

    def __init__(self, player: str | Spec | Player, game: str | Spec | Game, seed: int) -> None:
        pyspiel.Bot.__init__(self)
        self.game = make_game(game)
        self.player = make_player(player, self.game)
        self._rules = str(rules_of(self.game))
        self._seed, self._games = seed, 0
        self._follower: Follower | None = None

    def restart(self) -> None:
        """A new game begins."""
        self._games += 1
        if self._follower is not None:
            self._follower.finish()
            self._follower = None

    def restart_at(self, state: Any) -> None:
        """A new game begins at a state."""
        self.restart()

    def step(self, state: Any) -> int:
        """The player's action in a state."""
        if str(state.get_game()) != self._rules:
            raise ZeroplyError(f"{self.player} plays {self._rules}, not {state.get_game()}")
        legal = state.legal_actions()
        if legal[0] >= self.game.cells:
            return int(legal[0])  # a pass
        moves = [action for action in state.history() if action < self.game.cells]
        so_far = GameSoFar.replayed(self.game, moves, key=chance.key(self._seed, "OpenSpiel", self._games))
        if not isinstance(self.player, FollowingPlayer):
            return int(self.player.choose(so_far.position, np.array([so_far.key], np.uint64))[0])
        if self._follower is None:
            self._follower = self.player.follow()
        cell = self._follower.reply(so_far)
        if isinstance(cell, Forfeit) or cell not in legal:
            raise ZeroplyError(
                f"{self.player} {cell.reason if isinstance(cell, Forfeit) else 'played an illegal move'}"
            )
        return cell


class BotFollower(Follower):
    """A bot in one game."""

    def __init__(self, game: Game, rules: Any, make: MakeBot) -> None:
        self._cells, self._rules, self._make = game.cells, rules, make
        self._state = rules.new_initial_state()
        self._bot: Any = None
        self._told = 0  # moves that the bot knows

    def reply(self, game: GameSoFar) -> int:
        """Tell the bot what was played since, and ask for its move."""
        if game.setup is not None:
            raise ZeroplyError("bots of OpenSpiel play from the usual start only: use openings that are made of moves")
        number = 0 if game.colour > 0 else 1
        if self._bot is None:
            self._bot = self._make(self._rules, number, chance.key(game.key, "OpenSpiel", number) % SEEDS)
            self._bot.restart()
        for _, cell in game.turns[self._told :]:
            self._apply(cell)
        self._told = len(game.turns)
        action = int(self._bot.step(self._state))
        self._apply(action, tell=False)
        self._told += 1
        return action

    def finish(self) -> None:
        """Bots hold nothing that must be released."""

    def abandon(self) -> None:
        """Bots cannot be stopped."""

    def _apply(self, action: int, tell: bool = True) -> None:
        if tell:
            self._bot.inform_action(self._state, self._state.current_player(), action)
        self._state.apply_action(action)
        self._pass_if_forced()

    def _pass_if_forced(self) -> None:
        while not self._state.is_terminal() and self._state.legal_actions()[0] >= self._cells:
            self._apply(self._state.legal_actions()[0])


class BotPlayer(FollowingPlayer):
    """A bot of OpenSpiel as a player."""

    def __init__(self, game: str | Spec | Game, make: MakeBot) -> None:
        super().__init__(game)
        self.rules = rules_of(self.game)
        self._make = make

    def prefer(self, positions: Positions) -> NDArray[np.float32]:
        """Not available: a bot knows games, not positions."""
        raise ZeroplyError(f"{self} follows games from their start, so it has no preferences for single positions")

    def follow(self) -> Follower:
        """The bot in a new game."""
        return BotFollower(self.game, self.rules, self._make)


def search_bot(simulations: int, uct: float) -> MakeBot:
    """OpenSpiel's Monte Carlo tree search with random games."""

    def make(rules: Any, number: int, seed: int) -> Any:
        return pyspiel.MCTSBot(
            rules, pyspiel.RandomRolloutEvaluator(1, seed), uct, simulations, MEGABYTES, True, seed, False
        )

    return make
