"""What decides how a net learns values by temporal differences; apart from learning itself, which needs torch."""

from __future__ import annotations

from dataclasses import dataclass

from tyro.conf import Positional

from zeroply.errors import ZeroplyError


@dataclass(frozen=True, kw_only=True)
class TdConfig:
    """Everything that decides what is learned."""

    net: Positional[str]
    """Architecture with output=value or output=actions."""
    game: str = "othello"
    """Spec of the game."""
    games: int = 20_000
    """Games of self-play."""
    together: int = 200
    """Games played by the same weights before they are learned from."""
    epsilon: float = 0.1
    """Share of random moves."""
    trace: float = 0.7
    """The lambda of TD(lambda): 0, which is TD(0), learns from the next position only, 1 from the result only."""
    plies: int = 6
    """Random moves at the start of each game, at most; each game draws its own number."""
    rate: float = 2e-3
    """First learning rate; it falls linearly to a twentieth."""
    decay: float = 1e-4
    """Weight decay."""
    batch: int = 512
    """Positions of a step."""
    opponent: str = "random"
    """Spec of the player the net is measured against."""
    measure_games: int = 200
    """Games of a measure, even."""
    measures: int = 10
    """Number of measures, spread evenly."""
    threads: int = 0
    """Threads; the run keeps to this number. 0 for as many as there are."""
    seed: int = 0
    """What all chance comes from."""

    def __post_init__(self) -> None:
        if self.games < 1 or not 1 <= self.together <= 100_000 or self.batch < 2 or self.measures < 1:
            raise ZeroplyError("learning needs 1 game, 1 to 100000 games together, batches of 2 and 1 measure, or more")
        if not (0 <= self.epsilon <= 1 and 0 <= self.trace <= 1) or not 0 <= self.plies <= 40:
            raise ZeroplyError("epsilon and trace must be from 0 to 1, plies from 0 to 40")
        if not 0 < self.rate <= 1 or not 0 <= self.decay <= 1:
            raise ZeroplyError("the rate must be above 0 and at most 1, decay from 0 to 1")
