"""Openings: the positions from which the games of a match start, each played twice with colours swapped.

They are named by specs: `none` (the standard start), `random(plies=4)` (seeded, all different), `even(plies=6)`
(random, nearly even by a search), `xot` (the same for Othello, 8 moves) or `file("openings.txt")`, or are given as a
list. A file holds one opening a line (see `read_opening`), or games.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.errors import ZeroplyError
from zeroply.games import Game, Positions
from zeroply.records import FORMATS, GameRecord, scan
from zeroply.records.record import attempt
from zeroply.registry import Registry
from zeroply.specs import Spec, excerpt, literal, parse

LONGEST = 2500
"""Plies that no game reaches: 361 cells, and less than 1000 stones captured by either side."""
MOST = 1_000_000
"""The most random openings that are made at once."""
_AT_A_TIME = 65_536
_JUDGED_AT_A_TIME = 64
_MOVE = re.compile("[A-Za-z][0-9]")

XOT_PLIES, XOT_DEPTH = 8, 6
"""Moves of an XOT opening, and the plies of the search that judges it."""
EVEN_DEPTH, EVEN_NODES = 40, 10_000
"""Plies and positions of the search that judges even openings in games with threats."""

Order = Literal["sequential", "random"]
"""How the openings of a book follow each other."""
OpeningSpec: TypeAlias = "str | Spec | os.PathLike[str] | Sequence[str]"
"""How openings may be given: a spec, the path of a file, or a list of transcripts and board strings."""


@dataclass(frozen=True)
class Opening:
    """Where a game starts."""

    moves: tuple[int, ...] = ()
    """Cells played from the standard start (passes omitted), or from `setup` if there is one."""
    setup: str | None = None
    """A board string, if the opening is given by its position."""

    def text(self, game: Game) -> str:
        """As a line of an opening file; `read_opening` reads it back. The standard start is an empty line."""
        moves = game.notation.transcript(list(self.moves))
        return "; ".join(part for part in (self.setup, moves) if part)


Drawn: TypeAlias = tuple[int, Opening]
"""A random opening with the hash of its position."""


class Openings:
    """The openings of a match, in order; they repeat if more are needed."""

    def __init__(self, game: Game, openings: Sequence[Opening], listed: bool = False) -> None:
        """If they are `listed`, in a file or otherwise, each of them is to be played."""
        self.game = game
        self.listed = listed
        self._openings = list(openings)

    def __len__(self) -> int:
        return len(self._openings)

    def __getitem__(self, pair: int) -> Opening:
        return self._openings[pair % len(self)]

    def shuffled(self, seed: int) -> Openings:
        """The same openings in a random order."""
        order = np.argsort(chance.keys(chance.key(seed, "order of openings"), np.arange(len(self))), kind="stable")
        return Openings(self.game, [self._openings[i] for i in order], self.listed)

    def fingerprint(self) -> str:
        """Differs if any opening does."""
        return hashlib.blake2b(repr(self._openings).encode(), digest_size=16).hexdigest()

    def positions(self, first: int, last: int) -> Positions:
        """The starts of pairs `first` to `last - 1`."""
        return positions_of(self.game, [self[pair] for pair in range(first, last)])

    def setups(self, games: int | None = None) -> Iterator[str]:
        """The board strings among the openings of that many games, or of all."""
        for opening in self._openings[: None if games is None else games // 2]:
            if opening.setup:
                yield opening.setup


def positions_of(game: Game, openings: Sequence[Opening]) -> Positions:
    """The positions after the given openings, played in lockstep."""
    positions = game.start(len(openings))
    given = [i for i, opening in enumerate(openings) if opening.setup is not None]
    if given:
        positions[given] = game.parse([str(openings[i].setup) for i in given])
    for ply in range(max((len(opening.moves) for opening in openings), default=0)):
        rows = [i for i, opening in enumerate(openings) if len(opening.moves) > ply]
        positions[rows] = positions[rows].after([openings[i].moves[ply] for i in rows])
    return positions


OPENINGS: Registry[Openings] = Registry("opening", context=("game", "seed", "pairs"))


def openings(spec: OpeningSpec, game: Game, seed: int = 0, pairs: int | None = None) -> Openings:
    """The openings a spec names, for `pairs` pairs of games; a path or a list will do for a spec."""
    named = setting(spec)
    if isinstance(named, list):
        return _read([(f"opening {number}", _bare(text)) for number, text in enumerate(named, 1)], "the list", game)
    if _is_path(named):
        return file(named, game)
    return OPENINGS.build(parse(named), game=game, seed=seed, pairs=pairs)


def setting(spec: OpeningSpec) -> str | list[str]:
    """Openings as a configuration stores them."""
    if isinstance(spec, str | Spec):
        return str(spec)
    if isinstance(spec, os.PathLike):
        return str(Spec("file", os.fspath(spec)))
    listed = list(spec) if isinstance(spec, Iterable) else [spec]
    if all(isinstance(text, str) for text in listed):
        return listed
    raise ZeroplyError(
        "openings are a spec such as random(plies=4), the path of a file, or a list of transcripts and board strings, "
        f"not {excerpt(repr(spec))}"
    )


def setups(spec: OpeningSpec, game: Game, games: int | None) -> Iterator[str]:
    """The board strings among the openings of that many games, or of all openings; read when first used."""
    yield from openings(spec, game, pairs=1).setups(games)


def _is_path(spec: str) -> bool:
    """Whether it names a file rather than a kind of opening."""
    try:
        if parse(spec).name in OPENINGS:
            return False
    except ZeroplyError:
        pass
    return "/" in spec or "." in spec or os.path.exists(spec)


@OPENINGS.register("none")
def none(game: Game) -> Openings:
    """The standard start of the game."""
    return Openings(game, [Opening()])


@OPENINGS.register("random")
def random(
    plies: Annotated[int, "number of random moves"],
    game: Game,
    seed: int,
    pairs: int | None,
    to: Annotated[int | None, "each opening has its own number of moves, at least plies and at most this"] = None,
) -> Openings:
    """Random moves from the start; seeded, all positions different, none finished."""
    if plies < 1:
        raise ZeroplyError(f"random openings need 1 ply or more, not {plies}")
    if max(plies, to or 0) > LONGEST:
        raise ZeroplyError(f"no game of {game} lasts {max(plies, to or 0)} random plies: ask for fewer plies")
    if to is not None and to < plies:
        raise ZeroplyError(f"random openings of {plies} plies or more cannot have at most {to}")
    return _drawn(game, plies, to, chance.key(seed, "openings", plies), pairs)


@OPENINGS.register("even")
def even(
    plies: Annotated[int, "number of random moves"],
    game: Game,
    seed: int,
    pairs: int | None,
    balance: Annotated[float | None, "how far either side may be ahead, in units of the game's evaluation"] = None,
    within: Annotated[int | None, "all moves lie at most so many lines from the middle of the board"] = None,
    nodes: Annotated[int | None, "games with threats: judge each opening by a search of so many positions"] = None,
) -> Openings:
    """Random moves after which a search sees neither side ahead or winning; seeded, all positions different."""
    if not 1 <= plies <= LONGEST:
        raise ZeroplyError(f"even openings need from 1 to {LONGEST} plies, not {plies}")
    if within is not None and within < 0:
        raise ZeroplyError(f"even openings lie within 0 or more lines of the middle, not {within}")
    if balance is not None and not 0 < balance < float("inf"):
        raise ZeroplyError(f"balance of even openings must be above 0, not {balance:g}")
    if nodes is not None and game.facts.threats is None:
        raise ZeroplyError("even openings take nodes only in games with threats")
    if nodes is not None and nodes < 1:
        raise ZeroplyError(f"even openings need 1 node or more, not {nodes}")
    most = game.default_evaluation.half_won / 4 if balance is None else balance
    key = chance.key(seed, "even", plies)
    values = partial(_values, game, EVEN_NODES if nodes is None else nodes)
    return _drawn(game, plies, None, key, pairs, partial(_judged, game, values, most), within)


def _values(game: Game, nodes: int, positions: Positions) -> NDArray[np.float32]:
    """The value of each position for the side to move, by a short search."""
    from zeroply.search import EVALUATIONS
    from zeroply.search.evaluation import Limit
    from zeroply.search.threats import search_threats

    if game.facts.threats is not None:
        return search_threats(positions, Limit(depth=EVEN_DEPTH, nodes=nodes)).scores
    default = game.default_evaluation
    judge = EVALUATIONS.build(default.spec, game=game)
    return judge.search(positions, Limit(depth=default.depth), mode="strong").scores


@OPENINGS.register("xot")
def xot(
    game: Game,
    seed: int,
    pairs: int | None,
    balance: Annotated[float, "how many discs either side may be ahead, by a search of 6 plies"] = 2.0,
) -> Openings:
    """Othello: random openings of 8 moves that are nearly even, as in XOT tournaments."""
    game.require("othello", "xot", size=8, hint="use random(plies=8)")
    if not 0 < balance <= 64:
        raise ZeroplyError(f"balance of xot must be above 0 and at most 64 discs, not {balance:g}")
    key = chance.key(seed, "xot", XOT_PLIES)
    return _drawn(game, XOT_PLIES, None, key, pairs, partial(_judged, game, partial(_discs, game), balance))


def _discs(game: Game, positions: Positions) -> NDArray[np.float32]:
    from zeroply.search import EVALUATIONS
    from zeroply.search.evaluation import Limit

    return EVALUATIONS.build("pattern", game=game).search(positions, Limit(depth=XOT_DEPTH)).scores


def _judged(
    game: Game, values: Callable[[Positions], NDArray[np.float32]], balance: float, openings: Sequence[Drawn]
) -> Iterator[Drawn]:
    """Those of the openings after which neither side is far ahead."""
    for begin in range(0, len(openings), _JUDGED_AT_A_TIME):
        some = openings[begin : begin + _JUDGED_AT_A_TIME]
        scores = values(positions_of(game, [opening for _, opening in some]))
        yield from (one for one, score in zip(some, scores, strict=True) if abs(score) <= balance)


def _drawn(
    game: Game,
    plies: int,
    to: int | None,
    key: int,
    pairs: int | None,
    chosen: Callable[[Sequence[Drawn]], Iterable[Drawn]] = iter,
    within: int | None = None,
) -> Openings:
    """Random openings, all positions different, of which `chosen` selects some of each batch."""
    wanted = 50 if pairs is None else pairs
    if wanted > MOST:
        raise ZeroplyError(f"at most {MOST:,} random openings are made, not {wanted:,}: ask for fewer games")
    openings: dict[int, Opening] = {}
    tried = 0
    while len(openings) < wanted:
        batch = min(max(256, 2 * (wanted - len(openings))), _AT_A_TIME)
        before = len(openings)
        new: dict[int, Opening] = {}
        keys = chance.keys(key, np.arange(tried, tried + batch))
        for moves, position_hash in _random_plies(game, plies, to, keys, within):
            if position_hash not in openings:
                new.setdefault(position_hash, Opening(moves))
        openings.update(islice(chosen(list(new.items())), wanted - len(openings)))
        tried += batch
        if len(openings) == before and tried > 64 * (before + 4):
            if not openings:
                raise ZeroplyError(
                    f"no game of {game} lasts {plies} random plies: ask for fewer plies"
                    if chosen is iter and within is None
                    else f"no even openings of {plies} plies found in {game}: ask for fewer plies or less balance"
                )
            raise ZeroplyError(
                f"{game} has only about {before} different openings of {plies} random plies: "
                f"ask for at most {2 * before} games or for more plies"
            )
    return Openings(game, list(openings.values()))


def _random_plies(
    game: Game, plies: int, to: int | None, keys: NDArray[np.uint64], within: int | None
) -> list[tuple[tuple[int, ...], int]]:
    """Moves and position hash of every random opening that could be played and did not end the game."""
    positions = game.start(len(keys))
    most = plies if to is None else to
    lengths = plies + chance.below(most - plies + 1, chance.keys(keys, 0), 0)
    played = np.empty((len(keys), most), np.int32)
    for ply in range(most):
        moves = np.empty(len(keys), np.int32)
        if within is None:
            positions.batch.random_moves(keys, moves)
        else:
            moves[:] = _move_within(positions, within, chance.keys(keys, ply))
            lengths[moves < 0] = 0
        rows = np.flatnonzero(lengths > ply)
        positions[rows] = positions[rows].after(moves[rows])
        played[:, ply] = moves
    going = np.flatnonzero(~positions.over() & (lengths > 0))
    hashes = positions.hash()
    return [(tuple(played[i, : lengths[i]].tolist()), int(hashes[i])) for i in going]


def _move_within(positions: Positions, within: int, keys: NDArray[np.uint64]) -> NDArray[np.int32]:
    """A random move of each position at most so many lines from the middle; -1 where there is none."""
    size = positions.game.size
    away = np.abs(2 * np.arange(size) - size + 1) // 2
    legal = positions.legal() & (np.maximum.outer(away, away).ravel() <= within)
    counts = legal.sum(axis=1)
    wanted = chance.below(np.maximum(counts, 1), keys, 0)
    moves = (legal.cumsum(axis=1) > wanted[:, None]).argmax(axis=1).astype(np.int32)
    return np.where(counts > 0, moves, np.int32(-1))


@OPENINGS.register("file")
def file(
    path: Annotated[
        str, "one opening a line: a transcript, a board string or Gomocup offsets; or games (.sgf, .wtb, ...)"
    ],
    game: Game,
    plies: Annotated[int | None, "number of moves to take from each; equal openings are used once"] = None,
) -> Openings:
    """Openings from a file: transcripts, board strings, Gomocup offsets, or games."""
    if plies is not None and plies < 1:
        raise ZeroplyError(f"openings of a file need 1 ply or more, not {plies}")
    if _holds_games(path):
        games = scan(path, game)
        records = games.checked(names=False)
        begun = [(f"{path}, game {number}", one) for number, one in zip(games.numbers, records, strict=True)]
        return _checked([(place, Opening(one.moves, one.setup)) for place, one in begun], path, game, plies)
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise ZeroplyError(f"cannot read the opening file {path}: {reason}") from None
    texts = ((f"{path}, line {number}", _bare(line)) for number, line in enumerate(lines, 1))
    return _read([(place, text) for place, text in texts if text], path, game, plies)


def _bare(line: str) -> str:
    """A line without its comment."""
    return line.partition("#")[0].strip()


def _holds_games(path: str) -> bool:
    """Whether a file is read as records of games, by its suffix; lines of text may be more than transcripts."""
    suffix = Path(path).suffix.lower()
    return suffix in FORMATS and suffix != ".txt"


def read_opening(text: str, game: Game) -> Opening:
    """One line of an opening file, its moves not checked.

    A transcript (`f5d6c3`), a board string, both (`BOARD; f5d6`), or Gomocup's offsets from the centre (`0,0, 1,-1`).
    """
    if not text:
        return Opening()
    if set(text) <= set("0123456789+-, \t") and "," in text:
        return Opening(_offsets(text, game))
    if _MOVE.match(text):
        return Opening(tuple(game.notation.cells(text)))
    if text.startswith("("):
        raise ZeroplyError("this is not an opening: name files of games .sgf or .ggf")
    board, _, moves = text.partition(";")
    return Opening(tuple(game.notation.cells(moves)), board.strip())


def _read(texts: Sequence[tuple[str, str]], source: str, game: Game, plies: int | None = None) -> Openings:
    """Openings from lines with their places."""
    openings = []
    for place, text in texts:
        with _at(place):
            openings.append((place, read_opening(text, game)))
    return _checked(openings, source, game, plies)


def _checked(located: Sequence[tuple[str, Opening]], source: str, game: Game, plies: int | None = None) -> Openings:
    """Openings that can be played, all replayed together; an error names the places of bad ones.

    If only some plies of each are used, openings that end the game by then are left out.
    """
    cut = [Opening(opening.moves[:plies], opening.setup) for _, opening in located]
    records = []
    for (place, _), opening in zip(located, cut, strict=True):
        with _at(place):
            records.append(GameRecord(game, opening.moves, opening.setup))
    replayed = attempt(records)
    for number, (place, _) in enumerate(located):
        with _at(place):
            if number in replayed.illegal:
                raise ZeroplyError(replayed.illegal[number])
            if not replayed.to_move[number] and plies is None:
                fewer = f"with fewer moves of each it is file({literal(source)}, plies=8)"
                raise ZeroplyError(f"this opening ends the game: {fewer if os.path.exists(source) else 'leave it out'}")
    usable = [opening for number, opening in enumerate(cut) if replayed.to_move[number]]
    if not usable:
        raise ZeroplyError(f"{source} holds no openings" + ("" if plies is None else f" of {plies} plies"))
    return Openings(game, usable if plies is None else list(dict.fromkeys(usable)), listed=True)


@contextmanager
def _at(place: str) -> Iterator[None]:
    """Add the place to an error message."""
    try:
        yield
    except ZeroplyError as error:
        raise ZeroplyError(f"{place}: {error}") from None


def _offsets(text: str, game: Game) -> tuple[int, ...]:
    """Gomocup's form: column and row of every stone, counted from the centre of the board."""
    try:
        numbers = [int(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise ZeroplyError(f"'{text[:40]}' is not a list of offsets such as 0,0, 1,1, -2,3") from None
    if len(numbers) % 2:
        raise ZeroplyError(f"'{text[:40]}' holds an odd number of offsets")
    cells = []
    for dx, dy in zip(numbers[::2], numbers[1::2], strict=True):
        column, row = game.size // 2 + dx, game.size // 2 + dy
        if not (0 <= column < game.size and 0 <= row < game.size):
            raise ZeroplyError(f"offset {dx},{dy} is off the board of {game}")
        cells.append(row * game.size + column)
    return tuple(cells)
