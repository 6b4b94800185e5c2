"""Schemas of requests and replies: every input is validated and limited here before anything else uses it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from zeroply.games import GAMES, game
from zeroply.games.facts import Look

MAX_MOVES = 1000
"""Maximum number of moves of a game."""
MAX_CELLS = max(max(game(name).facts.sizes) ** 2 for name in GAMES)
"""Cells of the largest board."""
MAX_TEXT = 100_000
"""Maximum length of a pasted record."""

GameSpec = Annotated[str, Field(min_length=1, max_length=100, examples=["othello", "gomoku(size=9)"])]
PlayerName = Annotated[str, Field(min_length=1, max_length=300, examples=["net(othello)", "engine(depth=4)"])]
Cell = Annotated[int, Field(ge=0, lt=MAX_CELLS)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid")


class PositionRequest(_Request):
    """A position: a game, its starting position and the moves."""

    game: GameSpec
    """Spec of the game."""
    setup: Annotated[str | None, Field(max_length=800)] = None
    """Board string of the starting position; none for the standard start."""
    moves: Annotated[list[Cell], Field(max_length=MAX_MOVES)] = []
    """The cells played from there, without passes."""


class PlayerRequest(PositionRequest):
    """A position and a player."""

    player: PlayerName
    """Spec of a player, or its name in the server's list."""


class MoveRequest(PlayerRequest):
    """A request for a player's move."""

    seed: Annotated[int, Field(ge=0, lt=2**53)] = 0
    """Random seed of the player."""
    varied: bool = False
    """Whether the first moves of a game are drawn from those that the player prefers about equally."""


class ReviewRequest(PositionRequest):
    """A game to review."""

    deep: bool = False
    """Whether to search deeper than `zeroply analyse`."""


class RecordRequest(_Request):
    """A pasted game record."""

    text: Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]
    """A transcript, board string, GGF or SGF."""
    game: GameSpec | None = None
    """The game, if the text does not name it."""


class ErrorReply(BaseModel):
    """An error."""

    detail: str
    """One sentence."""


class Option(BaseModel):
    """An option of a game."""

    name: str
    """Its key in a spec."""
    help: str
    """What it does."""
    kind: Literal["whole", "yes-no", "choice"]
    """The type of its value."""
    default: int | bool | str
    """Its default."""
    values: list[int | str]
    """The offered values."""


class GameInfo(BaseModel):
    """A game."""

    name: str
    """The name in a spec."""
    title: str
    """The displayed name."""
    help: str
    """The rules in one sentence."""
    options: list[Option]
    """Its options, the size of the board first."""
    sgf: int | None
    """Its number in SGF."""
    ggf: bool
    """Whether it can be saved as GGF and begin with an XOT opening."""
    without_i: bool
    """Whether the names of cells in zeroply's files leave out the column I."""
    column_i: bool
    """Whether its players write a column I all the same."""
    from_top: bool
    """Whether row 1 is at the top."""


class OfferedPlayer(BaseModel):
    """A player to choose."""

    player: str
    """Its name in requests."""
    title: str
    """The displayed name."""
    about: str
    """A one-line description."""
    group: str
    """The kind of player."""
    rating: int | None
    """Elo (random player = 0), if it was measured."""
    rated_at: str | None
    """The game and board size of the rating."""


class CheckedPlayer(BaseModel):
    """A player that can be used."""

    player: str
    """Its name in requests."""


class Turn(BaseModel):
    """A move of the game."""

    colour: Literal[1, -1]
    """1 Black, -1 White."""
    cell: int
    """The cell played."""
    name: str
    """The name of the cell."""


class Position(BaseModel):
    """Everything the board shows."""

    game: str
    """The game with all its options."""
    size: int
    """Side of the board."""
    look: Look
    """How the board is drawn."""
    letters: str
    """The letters of the columns."""
    from_top: bool
    """Whether row 1 is at the top."""
    stones: list[int]
    """1 Black, -1 White, 0 empty, for each cell."""
    to_move: Literal[1, -1]
    """The side to move."""
    legal: list[int]
    """The legal moves."""
    over: bool
    """Whether the game has ended."""
    winner: Literal[1, 0, -1]
    """The winner; 0 if drawn or not over."""
    score: int
    """Black's result."""
    status: str
    """The state of the game as a sentence."""
    ko: int | None
    """The cell that ko forbids."""
    margin: int | None
    """The winning margin; none if the game is not over or has no margins."""
    winning: list[int]
    """The cells of the row or chain that has won."""
    tallies: list[str]
    """Counts of Black and White as text, such as their discs; empty if the game has none."""
    passed: bool
    """Whether the other side had to pass after the last move."""
    turns: list[Turn]
    """The moves so far."""
    board: str
    """The position as a board string."""
    start: str | None
    """The board string of the starting position; none for the standard start."""


class MoveReply(BaseModel):
    """A player's move."""

    cell: int
    """The cell played."""
    name: str
    """The name of the cell."""
    seconds: float
    """The time taken."""
    position: Position
    """The position after the move."""


class Preferences(BaseModel):
    """A player's preference for each move."""

    player: str
    """The player."""
    values: list[float | None]
    """A preference per cell; none for illegal moves."""
    shares: list[float | None]
    """The preferences as probabilities that add up to one."""
    logits: bool
    """Whether the preferences are logits, so that the shares are the player's own probabilities."""


class Exact(BaseModel):
    """Exact values of an ending."""

    available: bool
    """Whether the position can be solved here."""
    reason: str
    """Why not, if not."""
    values: list[float | None]
    """The final disc difference after each move with best play, for the side to move."""


class Graph(BaseModel):
    """The evaluation over a game."""

    values: list[float]
    """For Black: discs in Othello 8x8, else -1 lost to 1 won; position by position. Empty if the game has no search."""
    exact: list[bool]
    """Whether the value is the result with best play."""
    unit: Literal["discs", "advantage"]
    """The unit of the values."""
    about: str
    """How the values were computed, as a sentence."""


class ReviewStart(BaseModel):
    """The first line of a review."""

    unit: Literal["discs", "advantage"]
    """The unit of its values."""
    about: str
    """How the values were computed, as a sentence."""


class ReviewedMove(BaseModel):
    """One move of a review; those of the end come first."""

    ply: int
    """Number of moves before it."""
    cell: int
    """The cell played."""
    before: float
    """Value of the position before it, for Black: discs, or from -1 to 1."""
    after: float
    """Value of the position after it, for Black."""
    loss: float
    """How much less it is worth than the best move, in discs or as part of the winning chances."""
    best: list[int]
    """The best line instead, beginning with the best move."""
    exact: bool
    """Whether these are the results of perfect play."""
    fault: Literal["misses win", "loses"] | None
    """Set for a move that gives away a win or an undecided game within the search."""


class Review(BaseModel):
    """A review is sent as lines of JSON: what it says of itself, then its moves; or a problem."""

    start: ReviewStart | None = None
    """The first line."""
    moves: list[ReviewedMove] = []
    """Moves of the other lines."""
    problem: str | None = None
    """Why the review ends here."""


class Candidate(BaseModel):
    """A move of a hint."""

    cell: int
    """The cell to play."""
    value: float
    """Its value for the side to move: discs, or from -1 to 1."""
    line: list[int]
    """The line that follows, with this move first."""


class Hints(BaseModel):
    """The best moves of a position."""

    unit: Literal["discs", "advantage"]
    """The unit of the values."""
    about: str
    """How the values were computed, as a sentence."""
    exact: bool
    """Whether these are the results of perfect play."""
    candidates: list[Candidate]
    """The best first."""


class Record(BaseModel):
    """A game read from a record."""

    game: str
    """Its game."""
    setup: str | None
    """Board string of its starting position."""
    moves: list[int]
    """The cells played."""
    black: str
    """Black's name."""
    white: str
    """White's name."""
    games: int
    """Number of games in the text, of which this is the first; only so many are read."""


class LayerMap(BaseModel):
    """A value for every cell of a board."""

    title: str
    """What it shows."""
    values: list[float]
    """Row by row."""


class LayerMaps(BaseModel):
    """A group of images."""

    title: str
    """Title of the group."""
    size: int
    """Side of each image."""
    pictures: list[LayerMap]
    """The images."""


class FirstLayer(BaseModel):
    """The first layer of a net."""

    player: str
    """The player."""
    about: str
    """A description."""
    groups: list[LayerMaps]
    """Empty for players that are not nets."""


class RunRow(BaseModel):
    """A run on disk."""

    id: str
    """Its name in requests."""
    name: str
    """Its folder."""
    kind: str
    """The kind of run."""
    created: str
    """Start time."""
    state: Literal["running", "finished", "stopped"]
    """Whether a process is working on it."""
    game: str | None
    """The game, if there is one."""


class RunPlayer(BaseModel):
    """A net of a run."""

    player: str
    """Its name in requests."""
    title: str
    """The displayed name."""
    game: str
    """The game it plays."""


class RunDetail(RunRow):
    """The constant facts of a run, and its nets."""

    config: dict[str, Any]
    """Its configuration."""
    result: dict[str, Any] | None
    """Its result."""
    resume: str
    """The command that resumes it."""
    players: list[RunPlayer]
    """Its nets, newest first."""
    generations: int
    """Number of generations with a playable champion."""


class Series(BaseModel):
    """A curve."""

    chart: str
    """Title of the chart it belongs to."""
    name: str
    """Title of the curve."""
    x_title: str
    """Title of the horizontal axis."""
    x: list[float]
    """Horizontal values."""
    y: list[float]
    """Values."""


class RunCurves(BaseModel):
    """New points of a run since the last request."""

    state: Literal["running", "finished", "stopped"]
    """Whether a process is working on it."""
    reading: str
    """Id of this reading of the log; changes if the log was truncated or belongs to another run."""
    begin: int
    """The number of the first event; 0 means all from the beginning."""
    next: int
    """The `after` of the next request."""
    series: list[Series]
    """The new points."""


class Ciao(BaseModel):
    """Champions of a coevolution against each other, and the dominant ones."""

    generations: list[int]
    """The generations of the champions."""
    scores: list[list[float]]
    """Mean result, -1 to 1, of the row's champion against the column's."""
    dominant: list[int]
    """The generations whose champions beat all dominant ones before them."""
    circles: int
    """Cyclic triples of champions: A beats B, B beats C, C beats A."""
    triples: int
    """Triples of champions in which each pair is decided."""


class StudyRow(BaseModel):
    """A study, with results or without."""

    id: str | None
    """Id of its report; none if there are no results."""
    name: str
    """The study's name."""
    title: str
    """The published result."""
    source: str
    """The paper."""
    command: str
    """The command that produces the results."""


class StudyReport(BaseModel):
    """A report."""

    name: str
    """The study's name."""
    markdown: str
    """The text."""
    figures: list[str]
    """File names of the figures in the text."""
