"""What every game must satisfy, as one call: `conformance.check("hex(size=5)")`.

The check plays random games and compares what the game says about the same positions in different ways: in batches and
one by one, copied, as text, replayed, under its symmetries. It knows no rules; a game's own tests compare
its rules with an independent implementation.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zeroply import chance, games
from zeroply.errors import ZeroplyError
from zeroply.games.definition import Game, square_symmetries
from zeroply.games.positions import Positions
from zeroply.specs import Spec

MOST_PLIES = 400
"""Random games are stopped here; games with captures may take much longer."""
ARRAYS = ("legal", "stones", "over", "to_move", "score", "winner", "move_number", "last_move", "captured", "ko", "hash")
"""The methods of Positions that return an array."""
PLACED = ("legal", "stones")
"""Arrays with a value per cell."""


class ConformanceError(ZeroplyError):
    """A game breaks a property that every game must have."""


@dataclass(frozen=True, eq=False)
class RandomGames:
    """Random games of one game."""

    game: Game
    """The game."""
    played: Positions
    """[n]: the games after a random number of moves."""
    final: Positions
    """[n]: the same games at their end, or after `MOST_PLIES`."""
    moves: list[list[int]]
    """The moves of each game up to `played`."""
    lengths: NDArray[np.int64]
    """[n]: moves of each game up to `final`."""

    @property
    def all(self) -> Positions:
        """The start, `played` and `final`."""
        return Positions.join([self.game.start(), self.played, self.final])


def check(game: Game | str | Spec, *, sample: int = 24, seed: int = 0) -> None:
    """Raise ConformanceError, naming the broken property, unless a game has all properties."""
    checked = games.game(game)
    drawn = _sample(checked, sample, seed)
    for name, broken in PROPERTIES.items():
        problem = broken(drawn)
        if problem:
            raise ConformanceError(f"{checked} breaks the property '{name}': {problem}")


def random_moves(positions: Positions, key: int) -> NDArray[np.int32]:
    """[n]: a random legal move in each position, -1 where the game is over."""
    legal = positions.legal()
    number = chance.below(np.maximum(1, legal.sum(axis=1)), key, np.arange(len(positions)))
    place = (legal.cumsum(axis=1) > number[:, None]).argmax(axis=1)  # the first cell with enough legal ones up to it
    return np.where(positions.over(), -1, place).astype(np.int32)


def _sample(game: Game, n: int, seed: int) -> RandomGames:
    positions = game.start(n)
    until = np.arange(n) * min(game.cells, MOST_PLIES) // max(1, n - 1)
    played = positions.copy()
    moves: list[list[int]] = [[] for _ in range(n)]
    lengths = np.zeros(n, np.int64)
    for ply in range(MOST_PLIES):
        chosen = random_moves(positions, chance.key(seed, "ply", ply))
        if (chosen < 0).all():
            break
        positions.play(chosen)
        lengths += chosen >= 0
        early = np.flatnonzero((ply < until) & (chosen >= 0))
        played[early] = positions[early]
        for row in early:
            moves[row].append(int(chosen[row]))
    return RandomGames(game, played, positions, moves, lengths)


def _difference(one: Positions, other: Positions, *, past: bool = True) -> str:
    """The first thing in which two batches differ; without `past` the last move may."""
    for name in ARRAYS:
        if (past or name != "last_move") and not np.array_equal(getattr(one, name)(), getattr(other, name)()):
            return f"{name} differs"
    return "text differs" if one.text() != other.text() else ""


def _spec(sample: RandomGames) -> str:
    game = sample.game
    if games.game(str(game)) != game:
        return "the spec does not give the same game"
    if pickle.loads(pickle.dumps(game)) != game:
        return "a pickled game differs"
    return "" if game.size in game.facts.sizes else f"size {game.size} is not among facts.sizes"


def _notation(sample: RandomGames) -> str:
    for notation in (sample.game.notation, sample.game.facts.gtp.notation):
        cells = list(range(sample.game.cells))
        named = [notation.name(cell) for cell in cells]
        for write in (str, str.upper, str.lower):
            if [notation.cell(write(name)) for name in named] != cells:
                return "names of cells are not read back"
        if notation.cells(notation.transcript(cells)) != cells:
            return "a transcript is not read back"
    return ""


def _symmetries(sample: RandomGames) -> str:
    game = sample.game
    table = game.symmetries
    members = {row.tobytes() for row in table}
    if not (table[0] == np.arange(game.cells)).all():
        return "symmetry 0 moves cells"
    if not members <= {row.tobytes() for row in square_symmetries(game.size)} or len(members) < len(table):
        return "they are not different symmetries of the square"
    if {first[second].tobytes() for first in table for second in table} != members:
        return "they are not a group"
    positions = sample.all
    moves = random_moves(positions, 1)
    for k, to in enumerate(table):
        image = positions.symmetry(k)
        for name in ARRAYS:
            before, after = getattr(positions, name)(), getattr(image, name)()
            if name in PLACED:
                after = after[:, to]
            elif name in ("ko", "last_move"):
                before = np.where(before < 0, -1, to[before])
            if name != "hash" and not np.array_equal(before, after):
                return f"{name} does not follow symmetry {k}"
        if game.facts.captures and not np.array_equal(image.liberties()[:, to], positions.liberties()):
            return f"liberties do not follow symmetry {k}"
        moved = np.where(moves < 0, -1, to[moves])
        if problem := _difference(image.after(moved), positions.after(moves).symmetry(k)):
            return f"{problem} if symmetry {k} comes before or after a move"
    return ""


def _legal(sample: RandomGames) -> str:
    positions = sample.all
    over, legal = positions.over(), positions.legal()
    if (legal.any(axis=1) == over).any():
        return "a game is over exactly if there is no legal move"
    taken = legal & (positions.stones() != 0)
    if taken.any() and sample.game.facts.swap is None:
        return "a move on an occupied cell is legal"
    for row in range(0, len(positions), 5):
        for cell in [-1, *np.flatnonzero(~legal[row])[:3].tolist(), sample.game.cells]:
            if cell == -1 and over[row]:
                continue
            one = positions[row]
            try:
                one.play([cell])
            except ZeroplyError:
                if problem := _difference(one, positions[row]):
                    return f"{problem} after an illegal move was refused"
            else:
                return f"illegal move {cell} was accepted"
    return ""


def _turns(sample: RandomGames) -> str:
    positions = sample.all
    if sample.game.facts.passes:
        return ""
    after = positions.after(random_moves(positions, 2))
    repeated = (after.to_move() == positions.to_move()) & ~after.over() & ~positions.over()
    return "a side moves twice although nobody passes" if repeated.any() else ""


def _results(sample: RandomGames) -> str:
    positions, facts = sample.all, sample.game.facts
    over, score, winner = positions.over(), positions.score(), positions.winner()
    if not np.array_equal(winner, np.where(over, np.sign(score), 0)):
        return "the winner is not the sign of the score"
    if facts.margin is None and (np.abs(score) > 1).any():
        return "a game without a margin has a score beyond 1 and -1"
    finished = sample.lengths[sample.final.over()]
    if finished.size and facts.shortest is not None and finished.min() < facts.shortest:
        return f"a game ended after {finished.min()} moves, fewer than facts.shortest"
    if finished.size and not facts.captures and finished.max() > facts.longest:
        return f"a game lasted {finished.max()} moves, more than facts.longest"
    return ""


def _replay(sample: RandomGames) -> str:
    notation = sample.game.notation
    for row, moves in enumerate(sample.moves):
        for transcript in (moves, notation.transcript(moves)):
            if problem := _difference(sample.game.replay(transcript), sample.played[row]):
                return f"{problem} after a replay of {notation.transcript(moves)}"
    return ""


def _text(sample: RandomGames) -> str:
    positions = sample.all
    for again in (sample.game.parse(positions.text()), sample.game.make(positions.boards())):
        if problem := _difference(positions, again, past=False):
            return f"{problem} after a round trip through text"
    return ""


def _copies(sample: RandomGames) -> str:
    positions = sample.all
    copied = positions.copy()
    copied.play(random_moves(copied, 3))
    if problem := _difference(positions, sample.all):
        return f"{problem} after a move in a copy"
    for again in (positions[:], positions[np.arange(len(positions))], pickle.loads(pickle.dumps(positions))):
        if problem := _difference(positions, again):
            return f"{problem} in a copy"
        moves = random_moves(positions, 4)
        if problem := _difference(positions.after(moves), again.after(moves)):
            return f"{problem} after a move in a copy and in the original"
    return ""


def _batches(sample: RandomGames) -> str:
    positions = sample.all
    moves = random_moves(positions, 5)
    singles = []
    for row, move in enumerate(moves):
        single = positions[row]
        single.play([move])
        singles.append(single)
    return _difference(positions.after(moves), Positions.join(singles))


def _planes(sample: RandomGames) -> str:
    positions = sample.all
    stones, side = positions.stones(), positions.to_move()[:, None]
    expected = {
        "own": stones == side,
        "opponent": stones == -side,
        "black": stones == 1,
        "white": stones == -1,
        "legal": positions.legal(),
        "black-to-move": np.broadcast_to(side == 1, stones.shape),
        "ones": np.ones_like(stones),
    }
    planes = positions.planes(list(expected))  # type: ignore[arg-type]
    for number, (name, plane) in enumerate(expected.items()):
        if not np.array_equal(planes[:, number].reshape(stones.shape), plane.astype(np.float32)):
            return f"plane {name} does not show what the positions say"
    return ""


def _hashes(sample: RandomGames) -> str:
    positions = sample.all
    by_text: dict[str, int] = {}
    for text, hash_ in zip(positions.text(), positions.hash().tolist(), strict=True):
        if by_text.setdefault(text, hash_) != hash_:
            return "equal positions hash differently"
    return "" if len(set(by_text.values())) == len(by_text) else "different positions hash equally"


def _perft(sample: RandomGames) -> str:
    game = sample.game
    legal = np.flatnonzero(game.start().legal()[0])
    children = Positions.join([game.start().after([cell]) for cell in legal])
    two = int(children.legal().sum() + children.over().sum())
    return "" if (game.perft(1), game.perft(2)) == (len(legal), two) else "perft does not count the legal moves"


PROPERTIES: dict[str, Callable[[RandomGames], str]] = {
    "a spec gives the same game again": _spec,
    "notation is read back": _notation,
    "a move is legal or refused": _legal,
    "sides alternate unless passes exist": _turns,
    "results agree": _results,
    "symmetries keep the rules": _symmetries,
    "a replay gives the same position": _replay,
    "text is read back": _text,
    "copies are independent": _copies,
    "batches and single positions agree": _batches,
    "planes show the positions": _planes,
    "hashes identify positions": _hashes,
    "perft counts legal moves": _perft,
}
"""Each property, and a function that returns what is wrong or nothing."""
