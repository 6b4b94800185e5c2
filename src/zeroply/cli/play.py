"""`zeroply play`: a person against any player in the terminal."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from rich.markup import escape
from tyro.conf import Positional

import zeroply as zp
from zeroply import chance, records
from zeroply.cli.arguments import GameSpec, Overwrite
from zeroply.cli.output import console
from zeroply.errors import ZeroplyError
from zeroply.games.text import BLACK, NAMES, WHITE
from zeroply.players import Follower, FollowingPlayer, Forfeit, GameSoFar

HELP = "a move such as {move}, or: hint, undo, moves, resign, quit"
FIRST_PROMPT = "your move (help for commands): "
PROMPT = "your move: "
YOU = "You"
"""Name of the person in saved games."""
EQUALS_SHOWN = 10
"""Most equally good moves that a hint lists."""


@dataclass
class _Table:
    """A game that is played in the terminal."""

    them: zp.Player
    """The opponent."""
    you: int
    """Colour of the person: 1 Black, -1 White."""
    moves: list[int]
    """Cells played, in order, without passes."""
    setup: str | None = None
    """The board string of the first position; None for the standard start."""
    forfeit: int = 0
    """Side that resigned or forfeited: 1 Black, -1 White, 0 nobody."""

    def so_far(self) -> GameSoFar:
        """The game so far."""
        return GameSoFar.replayed(self.them.game, self.moves, self.setup)

    def record(self) -> zp.GameRecord:
        """The game so far as a record."""
        black, white = (YOU, str(self.them))[:: self.you]
        today = date.today().isoformat()
        return zp.GameRecord(
            self.them.game, tuple(self.moves), self.setup, black, white, date=today, forfeit=self.forfeit
        )


def play(
    opponent: Positional[str] = "naive",
    game: GameSpec = "othello",
    colour: Literal["black", "white"] = "black",
    moves: str | None = None,
    position: str | None = None,
    seed: int | None = None,
    save: Path | None = None,
    overwrite: Overwrite = False,
) -> None:
    """Play against any player in the terminal.

    Example: zeroply play "net(othello-swh)" --colour white

    Example: zeroply play "net(othello)" --moves f5d6c3 --save game.sgf

    Args:
        opponent: Spec of the opponent.
        colour: Your colour; Black begins.
        moves: Transcript of the moves so far.
        position: Board string to begin with, cells row by row and the side to move.
        seed: Random seed of the opponent; by default a new one each time.
        save: Write the game to this file (.txt, .sgf, .ggf or .wtb), even if you resign or quit.
    """
    if moves is not None and position is not None:
        raise ZeroplyError("give either --moves or --position, not both")
    rules = zp.game(game)
    begun = list(rules.notation.cells(moves or ""))
    rules.replay(begun)
    setup = None if position is None else rules.parse(position).text()[0]
    if save is not None:
        records.check_output(save, rules, overwrite, [] if setup is None else [setup])
    if seed is None:
        seed = int(np.random.SeedSequence().generate_state(1)[0])
    with zp.player(opponent, rules) as them:
        table = _Table(them, BLACK if colour == "black" else WHITE, begun, setup)
        try:
            _play(table, seed)
        finally:
            _keep(table, save)


def _play(table: _Table, seed: int) -> None:
    them, name, opponent = table.them, table.them.game.notation.name, escape(str(table.them))
    answer_of = _answers(them, np.array([chance.key(seed, "play")], np.uint64))
    past: list[int] = []  # how many moves there were before each of one's own
    prompt = FIRST_PROMPT
    console.print(f"You play {NAMES[table.you]} against [bold]{opponent}[/bold] (seed {seed}).")
    while not (so_far := table.so_far()).position.over()[0]:
        if so_far.colour == table.you:
            _show(so_far.position)
            answer = _ask(so_far, them, prompt)
            prompt = PROMPT
            if answer == "undo":
                del table.moves[past.pop() if past else len(table.moves) :]
                continue
            if answer in ("quit", "resign"):
                table.forfeit = table.you if answer == "resign" else 0
                console.print("Good-bye." if answer == "quit" else f"{opponent} has won.")
                return
            past.append(len(table.moves))
            move = them.game.notation.cell(answer)
        else:
            reply = answer_of(so_far)
            if isinstance(reply, Forfeit):
                table.forfeit = -table.you
                console.print(f"{them} {reply.reason}. You have won!", markup=False)
                return
            move = reply
            console.print(f"{opponent} plays [bold]{name(move)}[/bold].")
        _say_pass(so_far.position, move)
        table.moves.append(move)
    _show(so_far.position)
    winner = int(so_far.position.winner()[0])
    console.print(
        "You have won!" if winner == table.you else "A draw." if winner == 0 else f"{opponent} has won.",
        style="bold",
    )


def _keep(table: _Table, save: Path | None) -> None:
    """Print the moves as a .txt file has them, save them if requested, and print how to view them again."""
    if not table.moves and not table.forfeit:
        if save is not None:
            console.print("Nothing saved: no move was made.")
        return
    rules, position = table.them.game, table.so_far().position.text()[0]
    begin = "" if table.setup is None else f"{table.setup}; "
    console.print(f"moves: {begin}{rules.notation.transcript(table.moves)}", markup=False, soft_wrap=True)
    if save is not None:
        records.save([table.record()], save, overwrite=True)  # it was checked before the game
        analyse = f"saved; analyse it: zeroply analyse {shlex.quote(str(save))}"
    else:
        analyse = f'analyse them from a file: zeroply analyse game.txt --game "{rules}"'
    again = f'show it again: zeroply show "{rules}" --position "{position}"'
    console.print(f"{analyse}\n{again}", style="dim", markup=False, soft_wrap=True)


def _answers(them: zp.Player, key: NDArray[np.uint64]) -> Callable[[GameSoFar], int | Forfeit]:
    """The moves of the opponent."""
    if isinstance(them, FollowingPlayer):
        return partial(_reply, them.follow())
    return lambda so_far: int(them.choose(so_far.position, key)[0])


def _reply(follower: Follower, so_far: GameSoFar) -> int | Forfeit:
    """The move of a program that follows the whole game, or a forfeit."""
    cell = follower.reply(so_far)
    if isinstance(cell, Forfeit) or (cell >= 0 and so_far.position.legal()[0, cell]):
        return cell
    return Forfeit("made an illegal move")


def _say_pass(position: zp.Positions, cell: int) -> None:
    """Print that the other side has to pass, if so."""
    side = position.to_move()[0]
    after = position.after([cell])
    if after.to_move()[0] == side and not after.over()[0]:
        console.print(f"{NAMES[-int(side)]} has no move and passes.")


def _show(position: zp.Positions) -> None:
    console.print()
    console.print(str(position), markup=False, soft_wrap=True)


def _ask(so_far: GameSoFar, them: zp.Player, prompt: str) -> str:
    """A legal move, `undo`, `resign` or `quit`."""
    position = so_far.position
    notation = position.game.notation
    legal = [notation.name(int(cell)) for cell in np.flatnonzero(position.legal()[0])]
    while True:
        console.print(prompt, end="")
        prompt = PROMPT
        sys.stdout.flush()
        line = sys.stdin.readline()
        word = line.strip().lower()
        if not line or word in ("quit", "q"):
            return "quit"
        if word in ("undo", "resign"):
            return word
        if word == "hint":
            console.print(_hint(so_far, them), markup=False, soft_wrap=True)
        elif word == "moves":
            console.print(", ".join(legal))
        elif word in ("help", "?", ""):
            console.print(HELP.format(move=legal[0]))
        else:
            try:
                position.after(word)
                return word
            except ZeroplyError as error:
                console.print(f"{error}", markup=False)


def _hint(so_far: GameSoFar, them: zp.Player) -> str:
    """The move that the opponent would play for the person, in a sentence."""
    name = so_far.position.game.notation.name
    if isinstance(them, FollowingPlayer):
        asked = them.follow()
        try:
            reply = _reply(asked, so_far)
        except ZeroplyError as error:
            reply = Forfeit(str(error))
        finally:
            asked.finish()
        return "this program gives no hints" if isinstance(reply, Forfeit) else f"{them} would play {name(reply)} here."
    preferences = them.prefer(so_far.position)[0]
    best = [name(int(cell)) for cell in np.flatnonzero(preferences == preferences.max())]
    if len(best) == 1 and them.choice.temperature:
        return f"{them} prefers {best[0]}."
    if len(best) == 1 or (them.choice.ties == "lowest" and not them.choice.temperature):
        return f"{them} would play {best[0]} here."
    return f"{them} rates {', '.join(best) if len(best) <= EQUALS_SHOWN else f'{len(best)} moves'} equally."
