"""The evaluations by name: pieces, positional table, mobility, weights, tuples, patterns, lines, liberties, nets."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated, Literal

import numpy as np

from zeroply import _core, nets
from zeroply.games import Game
from zeroply.nets.wpc import from_quarter
from zeroply.search.evaluation import Evaluation
from zeroply.search.ntuples import read_player, read_weights
from zeroply.search.patterns import SHIPPED, load_tables, shipped_tables

POSITIONAL = ((120, -20, 20, 5), (-20, -40, -5, -5), (20, -5, 15, 3), (5, -5, 3, 3))
"""Top left quarter of an Iago-style positional table (Lin and White 2009, section II, in our reading)."""

IAGNO = ((65, -3, 6, 4), (-3, -29, 3, 1), (6, 3, 5, 3), (4, 1, 3, 1))
"""Top left quarter of GNOME Iagno's table, from its public source of that era."""


Reversed = Annotated[bool, "reverse the evaluation; finished games still count by their result"]


def pieces(game: Game, reversed: Reversed = False) -> Evaluation:
    """Othello: own discs less the opponent's."""
    game.require("othello", "evaluation pieces")
    return Evaluation(game, _core.weighted_pieces([-1.0] * game.cells) if reversed else _core.pieces())


def positional(game: Game, reversed: Reversed = False) -> Evaluation:
    """Othello 8x8: an Iago-style table of what each square is worth."""
    game.require("othello", "evaluation positional", size=8)
    return Evaluation(game, _core.weighted_pieces([-weight if reversed else weight for weight in _whole(POSITIONAL)]))


def mobility(game: Game) -> Evaluation:
    """Othello: own moves less the opponent's."""
    game.require("othello", "evaluation mobility")
    return Evaluation(game, _core.mobility())


def wpc(file: Annotated[str, "a text file with a weight per cell, row by row"], game: Game) -> Evaluation:
    """Othello: a weight per square, from a file."""
    game.require("othello", "evaluation wpc")
    return Evaluation(game, _core.weighted_pieces(read_weights(file, game.cells)), _digest(file))


def ntuple(
    file: Annotated[str, "a .player file of the Othello League"],
    game: Game,
    white: Annotated[
        Literal["auto", "negate", "exchange"],
        "how White sees it: the value negated, the colours exchanged, or what is known of the file's name",
    ] = "auto",
) -> Evaluation:
    """Othello 8x8: tables over tuples of squares, from a file."""
    game.require("othello", "evaluation ntuple", size=8)
    tuples = read_player(file)
    exchange = tuples.exchange_colours if white == "auto" else white == "exchange"
    return Evaluation(game, _core.ntuples(tuples.squares, tuples.tables, tuples.weights, exchange), _digest(file))


def pattern(
    game: Game,
    file: Annotated[str | None, "tables that `zeroply patterns fit` wrote; without it the shipped ones"] = None,
) -> Evaluation:
    """Othello 8x8: tables over lines, edges and corners that change from ply to ply; in discs."""
    game.require("othello", "evaluation pattern", size=8)
    tables = shipped_tables() if file is None else load_tables(file)
    return Evaluation(game, _core.patterns(tables), _digest(file or str(SHIPPED)))


def iagno(game: Game) -> Evaluation:
    """Othello 8x8: GNOME Iagno's mobility, frontier and table."""
    game.require("othello", "evaluation iagno", size=8)
    return Evaluation(game, _core.iagno(_whole(IAGNO)))


def lines(game: Game) -> Evaluation:
    """Gomoku: rows of five that are still open, more the more stones they hold."""
    game.require("gomoku", "evaluation lines")
    return Evaluation(game, _core.open_lines())


def liberties(game: Game) -> Evaluation:
    """Atari-Go: chains in danger, and liberties."""
    game.require("atarigo", "evaluation liberties")
    return Evaluation(game, _core.chain_liberties())


def distance(game: Game) -> Evaluation:
    """Hex: how many more empty cells the opponent needs to connect its sides."""
    game.require("hex", "evaluation distance")
    return Evaluation(game, _core.connection_distance())


def net(
    name: Annotated[str, "a net shipped with zeroply or the path of a net file, of a kind that values boards"],
    game: Game,
) -> Evaluation:
    """A net that values boards, such as spatial nets do."""
    return Evaluation(game, nets.load(name, game).evaluation(), _digest(str(nets.files.find(name))))


def _digest(file: str) -> str:
    return hashlib.blake2b(Path(file).read_bytes(), digest_size=16).hexdigest()


def _whole(quarter: tuple[tuple[int, ...], ...]) -> list[float]:
    return [float(weight) for weight in from_quarter(np.array(quarter, np.float32))["cells"]]
