"""A recorded game of each game: what every position says, move by move. `python tests/playthroughs.py` records anew.

The files show in a difference how a change of the rules, of notation or of text changes a game.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from zeroply import chance
from zeroply.games import GAMES, conformance, game

FOLDER = Path(__file__).parent / "playthroughs"


def playthrough(name: str) -> str:
    """A random game on a small board as text."""
    smallest = next(size for size in game(name).facts.sizes if size >= 5)
    played = game(f"{name}(size={smallest})")
    facts = played.facts
    lines = [f"game: {played}", f"title: {facts.title}", f"symmetries: {len(played.symmetries)}"]
    lines += [f"passes: {facts.passes}", f"margin: {facts.margin}", f"perft: {[played.perft(n) for n in range(4)]}"]
    position = played.start()
    for ply in range(2 * played.cells):
        legal = " ".join(played.notation.name(int(cell)) for cell in np.flatnonzero(position.legal()[0]))
        lines += ["", str(position), f"text: {position.text()[0]}", f"hash: {position.hash()[0]:016x}"]
        lines += [f"legal: {legal}"] if legal else []
        if position.over()[0]:
            break
        move = conformance.random_moves(position, chance.key(1, name, ply))
        lines.append(f"move: {played.notation.name(int(move[0]))}")
        position.play(move)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for known in GAMES:
        (FOLDER / f"{known}.txt").write_text(playthrough(known))
