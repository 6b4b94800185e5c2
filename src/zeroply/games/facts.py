"""Everything that differs between games beside their rules: titles, sizes, scoring, names in files and protocols.

Each game declares its facts in its own file, and other modules read them from `game.facts` instead of asking which game
they have. A module that works with one game only calls `game.require`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from zeroply.games.text import Notation

if TYPE_CHECKING:
    from zeroply.games.positions import Positions

Look = Literal["discs", "stones", "hexagons"]
"""Discs on squares, stones on line crossings, or stones on hexagons in slanted rows."""
Unit = Literal["discs", "points"]
"""Disc differences, or numbers that only compare positions of one game."""
SQUARE = tuple(range(8))
"""All symmetries of a square board."""


@dataclass(frozen=True)
class DefaultEvaluation:
    """How positions are evaluated unless another evaluation is requested."""

    spec: str
    """Spec of the evaluation."""
    depth: int
    """Plies that the default judge searches."""
    half_won: float
    """The value at which a position counts as half won, for graphs from -1 to 1."""
    unit: Unit = "points"
    """Unit of the values."""


@dataclass(frozen=True)
class Gtp:
    """The game in the Go Text Protocol."""

    names: tuple[str, ...]
    """Accepted names in `list_games`; the first is the name zeroply reports."""
    notation: Notation
    """How vertices are named."""
    handicap: bool = False
    """Whether handicap commands exist."""
    setup: str | None = None
    """The command that sets up a position, for games in which stones cannot be placed by `play`."""


@dataclass(frozen=True)
class Sgf:
    """The game in the Smart Game Format."""

    number: int
    """Its number, GM."""
    size: int
    """Board size if SZ is missing."""
    cell_names: Literal["no", "read", "written"] = "no"
    """Whether points are the names of cells (`D3`) instead of two letters, or are also read in this form."""
    rules: Mapping[str, Mapping[str, int | bool] | str] = field(default_factory=dict)
    """Options for special values of RU, or the name of a variant that is not supported."""


@dataclass(frozen=True)
class Features:
    """Planes that a net can see beside the stones."""

    number: int
    """Their number in the core."""
    planes: tuple[str, ...]
    """What each plane shows."""


@dataclass(frozen=True)
class SuggestedPlayer:
    """A player that the web page offers."""

    player: str
    """Its spec."""
    title: str
    """Its name for people."""
    about: str
    """What it is, in one line."""


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What other modules need to know about a game."""

    title: str
    """The game's name for people."""
    look: Look
    """How it is drawn."""
    offered: Mapping[str, Sequence[int]]
    """The values that the page offers for each numeric option; `size` lists all board sizes."""
    evaluation: DefaultEvaluation | None
    """How positions are evaluated by default; None if they cannot be searched, as in games written in Python."""
    margin: Unit | None = None
    """Unit of the score of a finished game; None if a game is only won, drawn or lost."""
    passes: bool = False
    """Whether a side without a move passes; if not, passing is not allowed."""
    shortest: int | None = None
    """Moves of the shortest game, needed for scoring by length."""
    longest: int
    """Moves of the longest game; a game with more moves counts as this long."""
    symmetries: tuple[int, ...] = SQUARE
    """Which of the 8 symmetries of a square board the rules have, as numbered in `definition.square_symmetries`."""
    solvable: bool = False
    """Whether endings can be solved exactly."""
    threats: int | None = None
    """The number in the core of the threats to win at once that `engine` reads out; None if it reads none."""
    captures: bool = False
    """Whether stones are captured and counted."""
    column_i: bool = False
    """Whether the game's players write a column I where our text files leave it out, as in Go."""
    swap: str | None = None
    """Name in GTP and SGF of the move that swaps sides by playing on the opponent's only stone."""
    winning: Callable[[Positions], list[int]] | None = None
    """The cells of the row or chain that won a finished game; None in games that are not won like this."""
    gtp: Gtp
    """Names in GTP."""
    sgf: Sgf | None = None
    """Names in SGF; None if SGF has no number for the game."""
    ggf: bool = False
    """Whether GGF has the game and XOT its openings; the page then also recognises it by its moves."""
    open_spiel: str | None = None
    """The game with these rules and numbers of cells in OpenSpiel; None if it has none."""
    features: Features | None = None
    """Planes of `features=true` for MDRNNs."""
    player: str | None = None
    """Spec of the default player; None for the shipped net whose board is nearest in size."""
    opponents: tuple[SuggestedPlayer, ...] = ()
    """Search players that the page offers."""

    @property
    def sizes(self) -> Sequence[int]:
        """All board sizes."""
        return self.offered["size"]
