"""Adjudication: games that end before the rules end them, because their result is known.

Two ways: the exact score of an Othello ending, and the agreement of two programs whose protocol tells what they think
their moves are worth (NBoard).
"""

from __future__ import annotations

from dataclasses import dataclass

from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions

AGREED_MOVES = 3
"""How many moves of each side must agree."""


@dataclass(frozen=True)
class Adjudged:
    """The result of an adjudicated game."""

    score: int
    """Black's score: discs in Othello, else 1, 0 or -1."""
    reason: str
    """Why, as text that follows "adjudicated:"."""


@dataclass(frozen=True)
class Adjudication:
    """When games are stopped and decided."""

    exact: int = 0
    """Othello: end a game by its exact score when at most this many squares are empty; 0 plays all games to the end."""
    agreed: float = 0.0
    """End a game when both programs have said for 3 moves each that the same side is this far ahead; 0 never does."""

    def __post_init__(self) -> None:
        if not 0 <= self.exact <= 20:
            raise ZeroplyError(f"games can be decided with 1 to 20 empty squares (0: not at all), not {self.exact}")
        if not 0 <= self.agreed < float("inf"):
            raise ZeroplyError(f"programs agree on a lead above 0 (0: not at all), not {self.agreed:g}")

    def __bool__(self) -> bool:
        return bool(self.exact or self.agreed)

    def check(self, game: Game) -> None:
        """Raise ZeroplyError if games of this kind cannot be decided like this."""
        if self.exact:
            game.require("othello", "adjudication by exact scores", size=8)

    def decide(self, position: Positions, spoken: dict[int, list[float | None]]) -> Adjudged | None:
        """The result of a game that is not over, if it is known.

        `spoken` are the scores of the moves of Black (1) and White (-1), each from the mover's point of view.
        """
        if self.exact and (empty := int((position.stones()[0] == 0).sum())) <= self.exact:
            from zeroply.search.endings import solve

            score = int(solve(position).scores[0]) * int(position.to_move()[0])
            return Adjudged(score, f"the exact score with {empty} empty squares")
        if self.agreed:
            last = [
                colour * score for colour in (1, -1) for score in spoken[colour][-AGREED_MOVES:] if score is not None
            ]
            if len(last) == 2 * AGREED_MOVES and min(map(abs, last)) >= self.agreed:
                lead = min(last) if min(last) > 0 else max(last)
                if min(last) * max(last) > 0:
                    margin = max(1, round(abs(lead))) if position.game.facts.margin else 1
                    return Adjudged(margin if lead > 0 else -margin, f"both programs agreed on {lead:+g} for Black")
        return None
