"""What browsers may ask and what they get, as schemas: every input is bounded here before anything else sees it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from zeroply.games import GAMES, game
from zeroply.games.facts import Look

LONGEST_GAME = 1000
"""Moves that a game may have here."""
MOST_CELLS = max(max(game(name).facts.sizes) ** 2 for name in GAMES)
"""Cells of the largest board."""
LONGEST_TEXT = 100_000
"""Characters of a record that can be pasted."""

GameSpec = Annotated[str, Field(min_length=1, max_length=100, examples=["othello", "gomoku(size=9)"])]
PlayerName = Annotated[str, Field(min_length=1, max_length=300, examples=["net(othello)", "engine(depth=4)"])]
Cell = Annotated[int, Field(ge=0, lt=MOST_CELLS)]


class _Question(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Where(_Question):
    """A position: a game and how it came about."""

    game: GameSpec
    """Spec of the game."""
    setup: Annotated[str | None, Field(max_length=800)] = None
    """Board string of the first position; none for the usual start."""
    moves: Annotated[list[Cell], Field(max_length=LONGEST_GAME)] = []
    """The cells played from there, passes left out."""


class Asked(Where):
    """A position and a player."""

    player: PlayerName
    """Spec of a player, or the name under which the server lists one."""


class MoveAsked(Asked):
    """A player is to move."""

    seed: Annotated[int, Field(ge=0, lt=2**53)] = 0
    """What the player's chance comes from."""


class GraphAsked(Where):
    """The evaluation over a game."""

    first: Annotated[int, Field(ge=0, le=LONGEST_GAME)] = 0
    """The first position that is wanted, counted in moves."""


class RecordAsked(_Question):
    """A record of a game, pasted by a person."""

    text: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
    """A transcript, board string, GGF or SGF."""
    game: GameSpec | None = None
    """The game, where the text does not name it."""


class Problem(BaseModel):
    """Why there is no answer."""

    detail: str
    """One sentence."""


class Option(BaseModel):
    """An option of a game."""

    name: str
    """Its key in a spec."""
    help: str
    """What it does."""
    kind: Literal["whole", "yes-no", "choice"]
    """What it takes."""
    default: int | bool | str
    """What it is unless it is given."""
    values: list[int | str]
    """What can be chosen."""


class GameInfo(BaseModel):
    """A game one can play."""

    name: str
    """The name in a spec."""
    title: str
    """The name for people."""
    help: str
    """The rules in a sentence."""
    options: list[Option]
    """Its options, the size of the board first."""


class Opponent(BaseModel):
    """A player one can meet."""

    player: str
    """What names it in questions."""
    title: str
    """The name for people."""
    about: str
    """What it is, in a line."""
    group: str
    """Which kind of player it is."""
    rating: int | None
    """Elo above the random player, where it was measured."""
    rated_at: str | None
    """The game and board at which the rating was measured."""


class Turn(BaseModel):
    """A move that was made."""

    colour: Literal[1, -1]
    """1 Black, -1 White."""
    cell: int
    """Where."""
    name: str
    """The cell's name."""


class Position(BaseModel):
    """All that a board shows."""

    game: str
    """The game with all its options."""
    size: int
    """Side of the board."""
    look: Look
    """How the board is drawn."""
    letters: str
    """The columns' letters."""
    from_top: bool
    """Whether row 1 is at the top."""
    stones: list[int]
    """1 Black, -1 White, 0 empty, for each cell."""
    to_move: Literal[1, -1]
    """Whose turn it is."""
    legal: list[int]
    """Where a move is possible."""
    over: bool
    """Whether the game has ended."""
    winner: Literal[1, 0, -1]
    """Who has won; 0 if drawn or not over."""
    score: int
    """Black's result."""
    status: str
    """In words."""
    ko: int | None
    """The cell that ko forbids."""
    margin: int | None
    """By how much the game was won; none if it is not over or not won by a margin."""
    winning: list[int]
    """The cells of the row or chain that has won."""
    tallies: list[str]
    """What is counted for Black and for White, such as their discs; empty if nothing is."""
    passed: bool
    """Whether the other side had to pass after the last move."""
    turns: list[Turn]
    """The moves that led here."""
    board: str
    """The position as a board string."""
    start: str | None
    """The board string of the first position; none for the usual start."""


class Moved(BaseModel):
    """A player's move."""

    cell: int
    """Where it plays."""
    name: str
    """The cell's name."""
    seconds: float
    """How long it took."""
    position: Position
    """The position after the move."""


class Preferences(BaseModel):
    """How much a player likes each move."""

    player: str
    """Whose they are."""
    values: list[float | None]
    """A preference for each cell; none where no move is possible."""
    shares: list[float | None]
    """The preferences as shares that add up to one, for players whose preferences are logits."""
    logits: bool
    """Whether the shares are the player's own probabilities."""


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

    first: int
    """The first position, counted in moves."""
    values: list[float]
    """For Black: discs in Othello 8x8, else -1 lost to 1 won; position by position."""
    exact: list[bool]
    """Whether the value is the result with best play."""
    unit: Literal["discs", "advantage"]
    """What the values are."""
    about: str
    """What was asked for the values."""


class Record(BaseModel):
    """A game that was read."""

    game: str
    """Its game."""
    setup: str | None
    """Its first position."""
    moves: list[int]
    """The cells played."""
    black: str
    """Who had Black."""
    white: str
    """Who had White."""
    games: int
    """How many games the text holds; this is the first."""


class Picture(BaseModel):
    """A value for every cell of a board."""

    title: str
    """What it shows."""
    values: list[float]
    """Row by row."""


class Pictures(BaseModel):
    """Pictures that belong together."""

    title: str
    """What they show."""
    size: int
    """Side of each picture."""
    pictures: list[Picture]
    """The pictures."""


class Inside(BaseModel):
    """What can be seen inside a player."""

    player: str
    """Whose it is."""
    about: str
    """What it is, in words."""
    groups: list[Pictures]
    """Nothing for players that are not nets."""


class RunRow(BaseModel):
    """A run on disk."""

    id: str
    """What names it in questions."""
    name: str
    """Its folder."""
    kind: str
    """Which work it is."""
    created: str
    """When it was started."""
    state: Literal["running", "finished", "stopped"]
    """Whether a process is at work on it."""
    game: str | None
    """The game it is about."""


class RunPlayer(BaseModel):
    """A net that a run has made."""

    player: str
    """What names it in questions."""
    title: str
    """The name for people."""
    game: str
    """The game it plays."""


class RunDetail(RunRow):
    """All about a run that does not change while it runs, and its nets."""

    config: dict[str, Any]
    """What it was asked to do."""
    result: dict[str, Any] | None
    """What it came to."""
    resume: str
    """The command that goes on with it."""
    players: list[RunPlayer]
    """Its nets, the newest first."""
    generations: int
    """How many generations have a champion that can be met."""


class Series(BaseModel):
    """A curve."""

    event: str
    """The kind of event it is drawn from."""
    name: str
    """What it shows."""
    along: str
    """What goes along the horizontal axis."""
    x: list[float]
    """Places along the axis."""
    y: list[float]
    """Values."""


class Curves(BaseModel):
    """What has happened in a run since a browser last asked."""

    state: Literal["running", "finished", "stopped"]
    """Whether a process is at work on it."""
    reading: str
    """Names the log as it was read: another one when it was cut back or belongs to another run."""
    begin: int
    """The number of the first event that is told of here; 0 means all from the beginning."""
    next: int
    """What to ask for next."""
    series: list[Series]
    """The new points."""


class Ciao(BaseModel):
    """Champions of a coevolution against each other, and which of them are dominant."""

    generations: list[int]
    """Whose champions met."""
    scores: list[list[float]]
    """Mean result, -1 to 1, of the row's champion against the column's."""
    dominant: list[int]
    """The generations whose champions beat all dominant ones before them."""
    circles: int
    """Triples of champions that beat each other in a circle."""
    triples: int
    """Triples of champions in which each pair is decided."""


class StudyRow(BaseModel):
    """A study, with results or without."""

    id: str | None
    """What names its report in questions; none if there are no results."""
    name: str
    """The study's name."""
    title: str
    """What it repeats."""
    source: str
    """The paper."""
    command: str
    """The command that makes the results."""


class StudyReport(BaseModel):
    """A report."""

    name: str
    """The study's name."""
    markdown: str
    """The text."""
    figures: list[str]
    """File names of pictures that the text may show."""
