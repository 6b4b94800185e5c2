"""Make the tactical positions of the tests: won by threats, checked by plain judges that share no code with the core.

python tools/make_tactics.py tests/tactics.txt

Positions come from games of weak players with keyed chance. One is kept if the core finds a forced win of 3 plies or
more, and if that win is confirmed: on boards up to 7x7 by trying every move of both sides (wins of at most 5 plies),
elsewhere by following the line and trying every other answer to each of its threats.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import threats_reference as judges  # noqa: E402
import zeroply as zp  # noqa: E402
from zeroply import chance  # noqa: E402
from zeroply.files import write_atomically  # noqa: E402
from zeroply.games import Positions  # noqa: E402
from zeroply.search.threats import forced_wins  # noqa: E402

SEED = 20
PLAN = (
    ("gomoku(size=5)", 12),
    ("gomoku(size=6)", 30),
    ("gomoku(size=7)", 40),
    ("gomoku(size=7, exact=true)", 20),
    ("gomoku(size=9)", 25),
    ("gomoku(size=15)", 20),
    ("gomoku(size=15, exact=true)", 8),
    ("gomoku(size=20)", 6),
    ("atarigo(size=5)", 20),
    ("atarigo(size=6)", 20),
    ("atarigo(size=7)", 15),
    ("atarigo(size=9)", 20),
    ("atarigo(size=19)", 4),
)
"""How many positions of each game."""
EXHAUSTIVE = 49
"""Cells of the largest board on which every move is tried."""
DEEPEST = 5
"""Plies of the longest win that is confirmed by trying every move."""
NODES = 5_000
"""Limit of the core's search for a win; on larger boards it looks for fours or ataris only."""
GAMES = 4000
"""Games of each kind, at most."""


def main() -> None:
    """Write the file."""
    lines = [f"# Won by threats: game | position | plies | confirmed by. Made by tools/make_tactics.py, seed {SEED}."]
    for number, (spec, wanted) in enumerate(PLAN):
        lines += found(spec, number, wanted)
        print(f"{spec}: {len(lines) - 1} in all", flush=True)
    write_atomically(Path(sys.argv[1]), ("\n".join(lines) + "\n").encode())


def found(spec: str, number: int, wanted: int) -> list[str]:
    """Confirmed positions of a game, at most one from each game played."""
    game = zp.game(spec)
    player = zp.player(f"alphabeta(depth=1, eval={game.facts.evaluation.spec}, temperature=40)", game)
    lines: list[str] = []
    known: set[str] = set()
    for batch in range(GAMES // 50):
        keys = chance.keys(chance.key(SEED, number, batch), np.arange(50))
        positions, open_games = game.start(50), np.ones(50, bool)
        while not positions.over().all() and len(lines) < wanted:
            positions.play(player.choose(positions, keys))
            live = open_games & ~positions.over()
            for row in np.flatnonzero(live):
                text = positions[row].text()[0]
                confirmed = confirm(positions[row : row + 1])
                if confirmed is not None and len(lines) < wanted and text not in known:
                    known.add(text)
                    lines.append(f"{spec} | {text} | {confirmed}")
                    open_games[row] = False
        if len(lines) >= wanted:
            break
    return lines


def confirm(position: Positions) -> str | None:
    """The plies of the win and how it is known; None if there is none or it is too simple or too long to check."""
    small = position.game.cells <= EXHAUSTIVE
    win = forced_wins(position, nodes=NODES, strongest_only=not small)
    plies = int(win.plies[0])
    if plies < 3:
        return None
    judge, colour = judges.judge_of(position)
    if small and plies <= DEEPEST:
        if not judges.wins_within(judge, colour, plies):
            raise SystemExit(f"a win that is none: {position.game}, {position.text()[0]}, {plies} plies")
        return f"{plies} | search"
    return f"{plies} | line" if plies >= DEEPEST and judges.holds(judge, colour, win.lines[0]) else None


if __name__ == "__main__":
    main()
