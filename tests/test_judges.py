"""Independent judges of the rules: OpenSpiel for Othello and Gomoku, GNU Go for Atari-Go.

Random games are played by zeroply; the judge follows and must agree at every ply.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from zeroply import chance
from zeroply.games import Positions, game

OPENSPIEL_PASS = 64  # OpenSpiel's othello passes with an action of its own; zeroply passes inside `play`
COLOURS = {1: "black", -1: "white"}
LONGEST_GO = {5: 120, 9: 250, 19: 420}  # plies after which a game with many captures is left


def random_moves(positions: Positions, keys: NDArray[np.uint64]) -> NDArray[np.int32]:
    moves = np.empty(len(positions), np.int32)
    positions.batch.random_moves(keys, moves)
    return moves


# OpenSpiel


@pytest.fixture(scope="module")
def pyspiel() -> Any:
    return pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: it comes with the dev extra")


def pass_if_forced(state: Any) -> bool:
    if not state.is_terminal() and state.legal_actions() == [OPENSPIEL_PASS]:
        state.apply_action(OPENSPIEL_PASS)
        return True
    return False


@pytest.mark.parametrize("chunk", range(4))
def test_openspiel_agrees_at_every_ply_of_500_othello_games(pyspiel: Any, chunk: int) -> None:
    judge = pyspiel.load_game("othello")
    states = [judge.new_initial_state() for _ in range(500)]
    positions = game("othello").start(500)
    keys = chance.keys(chance.key(1, "openspiel othello"), 500 * chunk + np.arange(500))
    passes = 0
    while not positions.over().all():
        moves = random_moves(positions, keys)
        for state, move in zip(states, moves.tolist(), strict=True):
            if move >= 0:
                state.apply_action(move)
                passes += pass_if_forced(state)
        positions.play(moves)
        agree(positions, states)
    assert passes > 100
    # OpenSpiel calls a win 1; its disc counts are read off its board.
    for state, score in zip(states, positions.score().tolist(), strict=True):
        rows = [line[2:18] for line in str(state).splitlines() if line[:1].isdigit()]
        assert sum(row.count("x") - row.count("o") for row in rows) == score


@pytest.mark.parametrize(("size", "games"), [(5, 500), (7, 500), (9, 500), (15, 300), (19, 200)])
def test_openspiel_agrees_at_every_ply_of_2000_gomoku_games(pyspiel: Any, size: int, games: int) -> None:
    """In OpenSpiel too, five or more win."""
    judge = pyspiel.load_game(f"gomoku(size={size})")
    states = [judge.new_initial_state() for _ in range(games)]
    positions = game(f"gomoku(size={size})").start(games)
    keys = chance.keys(chance.key(1, "openspiel gomoku", size), np.arange(games))
    while not positions.over().all():
        moves = random_moves(positions, keys)
        for state, move in zip(states, moves.tolist(), strict=True):
            if move >= 0:
                state.apply_action(move)
        positions.play(moves)
        agree(positions, states)
    assert {1, -1} <= set(positions.winner().tolist())
    assert size > 7 or 0 in positions.winner()


def agree(positions: Positions, states: list[Any]) -> None:
    """Legal moves, side to move, end and result are the judge's."""
    legal = [np.flatnonzero(row).tolist() for row in positions.legal()]
    assert legal == [[] if state.is_terminal() else state.legal_actions() for state in states]
    assert positions.over().tolist() == [state.is_terminal() for state in states]
    for state, side, winner in zip(states, positions.to_move(), positions.winner(), strict=True):
        if state.is_terminal():
            assert np.sign(state.player_return(0)) == winner
        else:
            assert state.current_player() == (0 if side == 1 else 1)


# GNU Go


class Script:
    """Commands for GNU Go with the replies zeroply expects, all sent at once."""

    def __init__(self) -> None:
        self.commands: list[str] = []
        self.expected: list[str] = []

    def ask(self, command: str, expected: object = "") -> None:
        self.commands.append(command)
        self.expected.append(f"= {expected}".strip())

    def run(self, program: Path, folder: Path) -> None:
        self.ask("quit")
        given, answered = folder / "commands", folder / "replies"
        given.write_text("\n".join(self.commands) + "\n")
        # GNU Go writes word by word; into a file that is far cheaper than into a pipe.
        with given.open() as stdin, answered.open("w") as stdout:
            subprocess.run([program, "--mode", "gtp"], stdin=stdin, stdout=stdout, timeout=300, check=True)
        replies = [reply.strip() for reply in answered.read_text().split("\n\n") if reply.strip()]
        assert len(replies) == len(self.commands)
        for at, (reply, expected) in enumerate(zip(replies, self.expected, strict=True)):
            if self.commands[at].startswith("all_legal"):
                reply, expected = (" ".join(sorted(answer.split())) for answer in (reply, expected))
            assert reply == expected, f"after {self.commands[max(0, at - 500) : at + 1]}"


GO_GAMES = [
    (size, options, games)
    for size, games in ((5, 40), (9, 20), (19, 6))
    for options in ("captures=1", *(f"captures={n}, suicide=illegal" for n in (1, 6, 1000)))
]


@pytest.mark.parametrize(("size", "options", "games"), GO_GAMES)
def test_gnu_go_agrees_at_every_ply_of_atarigo_games(
    size: int, options: str, games: int, debian_program: Callable[..., Path], tmp_path: Path
) -> None:
    """Legal moves, liberties and captures. GNU Go forbids suicide, so where it loses it is taken out here."""
    program = debian_program("gnugo")
    script = Script()
    script.ask(f"boardsize {size}")
    key = chance.key(1, "gnugo", size, options)
    for number in range(games):
        follow_game(script, f"atarigo(size={size}, {options})", chance.keys(key, number))
    script.run(program, tmp_path)


def follow_game(script: Script, spec: str, key: NDArray[np.uint64]) -> None:
    position = game(spec).start()
    notation = position.game.notation
    script.ask("clear_board")
    for ply in range(LONGEST_GO[position.game.size]):
        side = int(position.to_move()[0])
        suicides = suicide_moves(position)
        everywhere = position.game.size < 19 or ply % 10 == 0
        ask_legal(script, position, suicides, everywhere)
        move = int(random_moves(position, key)[0])
        position.play([move])
        if suicides[move]:
            script.ask(f"is_legal {COLOURS[side]} {notation.name(move)}", 0)
            assert position.winner()[0] == -side
            return
        script.ask(f"play {COLOURS[side]} {notation.name(move)}")
        ask_liberties(script, position, everywhere=position.game.size == 5 or ply % 20 == 0)
        taken = position.captured()[0]
        script.ask("captures black", taken[0])
        script.ask("captures white", taken[1])
        enough = taken.max() >= dict(position.game.options)["captures"]
        assert position.over()[0] or not enough
        if position.over()[0]:
            assert position.winner()[0] == side
            if not enough:
                ask_legal(script, position, suicides, everywhere=True)  # must be none
            return


def ask_legal(script: Script, position: Positions, suicides: NDArray[np.bool_], everywhere: bool) -> None:
    """All legal moves, or only whether those without a free neighbour are: the others can hardly be wrong."""
    legal = position.legal()[0] & ~suicides
    colour, name = COLOURS[int(position.to_move()[0])], position.game.notation.name
    if everywhere:
        script.ask(f"all_legal {colour}", " ".join(name(int(cell)) for cell in np.flatnonzero(legal)))
        return
    size = position.game.size
    free = np.pad(position.stones().reshape(size, size) == 0, 1)
    beside = free[:-2, 1:-1] | free[2:, 1:-1] | free[1:-1, :-2] | free[1:-1, 2:]
    for cell in np.flatnonzero(free[1:-1, 1:-1] & ~beside):
        script.ask(f"is_legal {colour} {name(int(cell))}", int(legal[cell]))


def suicide_moves(position: Positions) -> NDArray[np.bool_]:
    """[cells]: moves that lose at once."""
    values = np.empty((1, position.game.cells), np.float32)
    position.batch.child_values(False, values)
    return np.asarray(values[0] == -1)


def ask_liberties(script: Script, position: Positions, everywhere: bool) -> None:
    """Of all stones, or of the last one and those beside it."""
    size = position.game.size
    liberties, stones = position.liberties()[0], position.stones()[0]
    last = int(position.last_move()[0])
    row, column = divmod(last, size)
    near = [(row, column), (row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    cells = range(size**2) if everywhere else [r * size + c for r, c in near if 0 <= r < size and 0 <= c < size]
    for cell in cells:
        if stones[cell]:
            script.ask(f"countlib {position.game.notation.name(cell)}", liberties[cell])
