"""`zeroply solve`: exact Othello endings, checked against the scored moves of OBF files, with nodes and times.

Forced wins in games with threats are in `solve_threats.py`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

from rich.markup import escape
from tyro.conf import Positional, arg

from zeroply.analysis.problems import Answer, answers
from zeroply.cli.arguments import Json
from zeroply.cli.output import bars, console, counted, print_json
from zeroply.cli.solve_threats import solve_threats
from zeroply.errors import ZeroplyError
from zeroply.games import game as make_game
from zeroply.records import Problem, load, read_obf
from zeroply.search import Limit

_OUTCOMES = {1: "win", 0: "draw", -1: "loss"}
_VERDICTS = {True: "yes", False: "NO", None: ""}
_HEAD = f"{'#':>4}  empties   score  move  expected  ok?           nodes wall s   CPU s  Mn/s"


def solve(
    files: Annotated[
        Positional[list[Path]], arg(metavar="[FILE ...]", help_behavior_hint="(required unless --position is given)")
    ],
    position: str | None = None,
    game: str = "othello",
    outcome: bool = False,
    seconds: float | None = None,
    nodes: int | None = None,
    threads: int = 1,
    first: int = 1,
    last: int | None = None,
    table: int | None = None,
    json: Json = False,
) -> None:
    """Solve Othello positions exactly, or find forced wins in Gomoku and Atari-Go.

    Score and move of Othello positions are checked against the scored moves of OBF files.

    Scores are for the side to move, or for the other side after a forced pass; empty squares go to the winner.
    Positions are numbered from 1 across all files. The exit code is 0 if no answer is wrong, 1 if one is, and 2 if
    a file cannot be read. A position that reaches its limits unsolved does not count as wrong.

    In Gomoku and Atari-Go the side to move wins if each of its moves threatens to win (fours, threes, ataris) and no
    answer helps. "Black wins in 7" counts the moves of both sides. Files hold a position a line, as opening files do.
    The exit code is 1 if no forced win is found in some position.

    Example: zeroply solve fforum-1-19.obf fforum-20-39.obf fforum-40-59.obf --last 44

    Args:
        files: OBF files, one position with scored moves per line.
        position: Board string to solve instead, such as 64 squares (X, O and -) and the side to move; in Gomoku and
            Atari-Go also the moves that lead to the position.
        game: Spec of the game.
        outcome: Find only win, draw or loss, which is faster.
        seconds: Time limit per position.
        nodes: Node limit per position.
        threads: Threads that solve a position together.
        first: The first position to solve.
        last: The last position to solve.
        table: Size of the transposition table, 2^10 to 2^28 times 16 bytes, as a power of 2; by default by empties.
    """
    if not 1 <= threads <= 1024:
        raise ZeroplyError(f"threads must be from 1 to 1024, not {threads}")
    if table is not None and not 10 <= table <= 28:
        raise ZeroplyError(f"--table must be from 10 to 28 (2^10 to 2^28 entries), not {table}")
    for option, number in (("--first", first), ("--last", last)):
        if number is not None and number < 1:
            raise ZeroplyError(f"{option} must be 1 or more, not {number}")
    limit = Limit(nodes=nodes, seconds=seconds)
    rules = make_game(game)
    if rules.facts.threats is not None:
        if outcome or table is not None or threads != 1:
            raise ZeroplyError("--outcome, --table and --threads are for exact endings of othello")
        _check_given(files, position, "files of positions")
        solve_threats(rules, files, position, first, last, limit, json)
        return
    if not rules.facts.solvable:
        raise ZeroplyError(f"positions of {rules} cannot be solved")
    problems = _problems(files, position)
    chosen = problems[first - 1 : last]
    if not chosen:
        raise ZeroplyError(f"no position to solve: the files hold {len(problems)}, see --first and --last")

    solving = answers(chosen, first=first, outcome_only=outcome, limit=limit, table=table or 0, threads=threads)
    start = time.perf_counter()
    solved = _shown(solving, len(chosen), quiet=json)
    spent = time.perf_counter() - start
    if json:
        print_json(_summary(solved, spent))
    else:
        _print_totals(solved, spent)
    if any(one.right is False for one in solved):
        sys.exit(1)


def _problems(files: Sequence[Path], position: str | None) -> list[Problem]:
    _check_given(files, position, "OBF files")
    if position is not None:
        return read_obf(position, "--position")
    problems: list[Problem] = []
    for file in files:
        if file.suffix.lower() != ".obf":
            raise ZeroplyError(f"{file} is not an .obf file")
        problems += [record for record in load(file) if isinstance(record, Problem)]
    return problems


def _check_given(files: Sequence[Path], position: str | None, what: str) -> None:
    if bool(files) == (position is not None):
        raise ZeroplyError(f"give one or more {what}, or --position")


def _shown(solving: Iterable[Answer], total: int, quiet: bool) -> list[Answer]:
    """All answers in order; unless quiet, each is printed as soon as possible."""
    answers: list[Answer] = []
    if not quiet:
        console.print(_HEAD, style="bold", soft_wrap=True)
    with bars() as bar:
        task = bar.add_task("solving", total=total)
        for one in solving:
            answers.append(one)
            bar.update(task, completed=len(answers))
            if not quiet:
                bar.stop()  # the bar and the table may share a terminal
                console.print(escape(_line(one)), style="bold red" if one.right is False else "", soft_wrap=True)
                bar.start()
    return answers


def _line(one: Answer) -> str:
    """A row of the table."""
    move = one.problem.game.notation.name(one.move) if one.move >= 0 else "-"
    score = "?" if one.score is None else _score(one, one.score)
    expected = "" if one.expected is None else _score(one, one.expected)
    verdict = "stopped" if one.score is None else _VERDICTS[one.right]
    speed = one.nodes / max(one.cpu_seconds, 1e-9) / 1e6  # per CPU second, as in the totals
    return (
        f"{one.number:>4}  {one.empties:>7}  {score:>6}  {move:>4}  {expected:>8}  {verdict:<7}"
        f"{one.nodes:>12,}{one.seconds:>7.3f}{one.cpu_seconds:>8.3f}{speed:>6.1f}"
    )


def _score(one: Answer, score: int) -> str:
    return _OUTCOMES[score] if one.outcome_only else f"{score:+d}"


def _print_totals(answers: Sequence[Answer], spent: float) -> None:
    nodes, processor = sum(one.nodes for one in answers), sum(one.cpu_seconds for one in answers)
    counts = _counts(answers)
    labels = {"not scored": "with no expected score"}
    words = [f"{count} {labels.get(what, what)}" for what, count in counts.items() if count]
    console.print(f"\n{counted(len(answers), 'position')}: {', '.join(words)}", style="bold")
    speed = nodes / max(processor, 1e-9) / 1e6
    console.print(f"{nodes:,} nodes, {spent:.3f} s ({processor:.3f} s CPU time), {speed:.1f} Mnodes per CPU second")


def _counts(answers: Sequence[Answer]) -> dict[str, int]:
    return {
        "right": sum(one.right is True for one in answers),
        "wrong": sum(one.right is False for one in answers),
        "stopped": sum(one.score is None for one in answers),
        "not scored": sum(one.score is not None and one.right is None for one in answers),
    }


def _summary(answers: Sequence[Answer], spent: float) -> dict[str, Any]:
    """For programs."""
    return {
        "positions": [_for_programs(one) for one in answers],
        **{key.replace(" ", "_"): count for key, count in _counts(answers).items()},
        "nodes": sum(one.nodes for one in answers),
        "seconds": spent,
        "cpu_seconds": sum(one.cpu_seconds for one in answers),
    }


def _for_programs(one: Answer) -> dict[str, Any]:
    name = one.problem.game.notation.name
    return {
        "number": one.number,
        "position": one.problem.position,
        "empties": one.empties,
        "score": one.score,
        "move": name(one.move) if one.move >= 0 else None,
        "expected": one.expected,
        "best": [name(cell) for cell in one.problem.best],
        "right": one.right,
        "nodes": one.nodes,
        "seconds": one.seconds,
        "cpu_seconds": one.cpu_seconds,
    }
