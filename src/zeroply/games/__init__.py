"""The games and their registry. A new game is a file here, a rules header in `core/`, and a line below."""

from dataclasses import replace

from zeroply.games.bitboards import bits, from_bits, pack, unpack
from zeroply.games.definition import Game
from zeroply.games.facts import Facts
from zeroply.games.positions import Positions
from zeroply.games.text import Board
from zeroply.registry import Registry
from zeroply.specs import Spec, parse

__all__ = ["GAMES", "Board", "Facts", "Game", "Positions", "bits", "from_bits", "game", "pack", "unpack"]

GAMES: Registry[Game] = Registry("game", group="games")
GAMES.lazy("othello", "zeroply.games.othello:othello")
GAMES.lazy("gomoku", "zeroply.games.gomoku:gomoku")
GAMES.lazy("atarigo", "zeroply.games.atarigo:atarigo")
GAMES.lazy("hex", "zeroply.games.hex:hex")


def game(spec: str | Spec | Game) -> Game:
    """The game a spec names, such as `othello` or `gomoku(size=9)`."""
    if isinstance(spec, Game):
        return spec
    parsed = parse(spec)
    return replace(GAMES.build(parsed), spec=parsed)
