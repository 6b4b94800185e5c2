"""`zeroply play`: a person against any player in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from rich.markup import escape
from tyro.conf import Positional

import zeroply as zp
from zeroply import chance
from zeroply.cli.output import console
from zeroply.games.text import BLACK, NAMES, WHITE
from zeroply.players import FollowingPlayer, Forfeit, GameSoFar

HELP = "a move such as {move}, or: hint, undo, moves, resign, quit"


def play(
    opponent: Positional[str] = "naive",
    game: str = "othello",
    colour: Literal["black", "white"] = "black",
    seed: int | None = None,
) -> None:
    """Play against any player in the terminal.

    Example: zeroply play "net(othello-swh)" --colour white

    Args:
        opponent: Spec of the player you meet.
        game: Spec of the game.
        colour: Your colour; Black begins.
        seed: Number that the opponent's chance comes from; by default a new one each time.
    """
    if seed is None:
        seed = int(np.random.SeedSequence().generate_state(1)[0])
    with zp.player(opponent, game) as them:
        _play(them, BLACK if colour == "black" else WHITE, seed)


def _play(them: zp.Player, you: int, seed: int) -> None:
    the_game, opponent = them.game, escape(str(them))
    answer_of = _answers(them, np.array([chance.key(seed, "play")], np.uint64))
    past: list[zp.Positions] = []
    moves: list[int] = []
    position = the_game.start()
    console.print(f"You play {NAMES[you]} against [bold]{opponent}[/bold] (seed {seed}).")
    while not position.over()[0]:
        if position.to_move()[0] == you:
            _show(position)
            answer = _ask(position, them)
            if answer == "undo":
                position = past.pop() if past else position
                del moves[int(position.move_number()[0]) - 1 :]
                continue
            if answer in ("quit", "resign"):
                console.print("Good-bye." if answer == "quit" else f"{opponent} has won.")
                return
            past.append(position)
            moves.append(the_game.notation.cell(answer))
        else:
            move = answer_of(GameSoFar.replayed(the_game, moves))
            if isinstance(move, Forfeit):
                console.print(f"{them} {move.reason}. You have won!", markup=False)
                return
            console.print(f"{opponent} plays [bold]{the_game.notation.name(move)}[/bold].")
            moves.append(move)
        position = _moved(position, moves[-1])
    _show(position)
    winner = int(position.winner()[0])
    console.print(
        "You have won!" if winner == you else "A draw." if winner == 0 else f"{opponent} has won.",
        style="bold",
    )
    console.print(
        f'[dim]show it again: zeroply show "{the_game}" --position "{position.text()[0]}"[/dim]',
        soft_wrap=True,
    )


def _answers(them: zp.Player, key: NDArray[np.uint64]) -> Callable[[GameSoFar], int | Forfeit]:
    """What a player answers in the one game that is played."""
    if not isinstance(them, FollowingPlayer):
        return lambda so_far: int(them.choose(so_far.position, key)[0])
    follower = them.follow()

    def answer(so_far: GameSoFar) -> int | Forfeit:
        cell = follower.reply(so_far)
        if isinstance(cell, Forfeit) or (cell >= 0 and so_far.position.legal()[0, cell]):
            return cell
        return Forfeit("made an illegal move")

    return answer


def _moved(position: zp.Positions, cell: int) -> zp.Positions:
    """The position after a move; says so if the other side has to pass."""
    side = position.to_move()[0]
    after = position.after([cell])
    if after.to_move()[0] == side and not after.over()[0]:
        console.print(f"{NAMES[-int(side)]} has no move and passes.")
    return after


def _show(position: zp.Positions) -> None:
    console.print()
    console.print(str(position), markup=False, soft_wrap=True)


def _ask(position: zp.Positions, them: zp.Player) -> str:
    """A legal move, `undo`, `resign` or `quit`."""
    notation = position.game.notation
    legal = [notation.name(int(cell)) for cell in np.flatnonzero(position.legal()[0])]
    while True:
        console.print("your move: ", end="")
        sys.stdout.flush()
        line = sys.stdin.readline()
        word = line.strip().lower()
        if not line or word in ("quit", "q"):
            return "quit"
        if word in ("undo", "resign"):
            return word
        if word == "hint":
            try:
                best = int(np.argmax(them.prefer(position)[0]))
                console.print(f"{them} would play {notation.name(best)} here.", markup=False)
            except zp.ZeroplyError as error:
                console.print(f"{error}", markup=False)
        elif word == "moves":
            console.print(", ".join(legal))
        elif word in ("help", "?", ""):
            console.print(HELP.format(move=legal[0]))
        else:
            try:
                position.after(word)
                return word
            except zp.ZeroplyError as error:
                console.print(f"{error}", markup=False)
