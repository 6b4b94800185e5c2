"""`zeroply play`: a person against any player in the terminal."""

from __future__ import annotations

import sys
from typing import Literal

import numpy as np
from tyro.conf import Positional

import zeroply as zp
from zeroply import chance
from zeroply.cli.output import console
from zeroply.games.text import BLACK, NAMES, WHITE

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
    the_game = zp.game(game)
    them = zp.player(opponent, the_game)
    you = BLACK if colour == "black" else WHITE
    if seed is None:
        seed = int(np.random.SeedSequence().generate_state(1)[0])
    key = np.array([chance.key(seed, "play")], np.uint64)
    past: list[zp.Positions] = []
    position = the_game.start()
    console.print(f"You play {NAMES[you]} against [bold]{opponent}[/bold] (seed {seed}).")
    while not position.over()[0]:
        if position.to_move()[0] == you:
            _show(position)
            answer = _ask(position, them)
            if answer == "undo":
                position = past.pop() if past else position
                continue
            if answer == "quit":
                console.print("Good-bye.")
                return
            past.append(position)
            position = position.after(answer)
        else:
            move = them.choose(position, key)
            console.print(f"{opponent} plays [bold]{the_game.notation.name(int(move[0]))}[/bold].")
            position = position.after(move)
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


def _show(position: zp.Positions) -> None:
    console.print()
    console.print(str(position), markup=False)


def _ask(position: zp.Positions, them: zp.Player) -> str:
    """A legal move, `undo` or `quit`."""
    notation = position.game.notation
    legal = [notation.name(int(cell)) for cell in np.flatnonzero(position.legal()[0])]
    while True:
        console.print("your move: ", end="")
        sys.stdout.flush()
        line = sys.stdin.readline()
        word = line.strip().lower()
        if not line or word in ("quit", "resign", "q"):
            return "quit"
        if word == "undo":
            return word
        if word == "hint":
            best = int(np.argmax(them.prefer(position)[0]))
            console.print(f"{them} would play {notation.name(best)} here.")
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
