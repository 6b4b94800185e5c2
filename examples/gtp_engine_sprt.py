"""An engine of your own in an SPRT match: a GTP engine in 35 lines, tested against the player `random`.

    python examples/gtp_engine_sprt.py            plays the match
    python examples/gtp_engine_sprt.py --engine   is the engine, for any program that speaks GTP

It plays Atari-Go on 5x5: a move that wins at once, else as near as possible to the last stone of the opponent.
"""

import shlex
import sys

import numpy as np

import zeroply as zp

GAME = zp.game("atarigo(size=5)")
NOTATION = GAME.facts.gtp.notation


def choose(position: zp.Positions, last: int | None) -> int:
    """The engine's move after the opponent's `last`."""
    legal = np.flatnonzero(position.legal()[0])
    after = position[np.zeros(len(legal), int)].after(legal)
    wins = legal[after.winner() == position.to_move()[0]]
    if len(wins):
        return int(wins[0])
    if last is not None:
        distance = abs(legal // 5 - last // 5) + abs(legal % 5 - last % 5)
        legal = legal[np.argsort(distance, kind="stable")]
    return int(legal[0])


def engine() -> None:
    """Answer GTP commands until `quit`; the match is the referee, so there is little to know."""
    answers = {"protocol_version": "2", "name": "Neighbour", "version": "1", "boardsize": "", "clear_board": ""}
    answers |= {"play": "", "genmove": "", "quit": ""}
    answers["list_commands"] = "\n".join([*answers, "list_commands"])
    position, last = GAME.start(), None
    for line in sys.stdin:
        command, *words = line.split() or [""]
        if command == "clear_board":
            position, last = GAME.start(), None
        elif command == "play":
            last = NOTATION.cell(words[1])
            position = position.after([last])
        elif command == "genmove":
            cell = choose(position, last)
            position = position.after([cell])
            answers[command] = NOTATION.name(cell)
        print(f"= {answers[command]}\n" if command in answers else "? unknown command\n", flush=True)
        if command == "quit":
            return


def main() -> None:
    """Test whether the engine is at least 50 Elo stronger than `random`, with at most 400 games."""
    command = shlex.join([sys.executable, __file__, "--engine"])
    result = zp.match(
        f"gtp('{command}', name=Neighbour)",
        "random(name=Random)",
        game=GAME,
        openings="random(plies=2)",
        games=400,
        sprt=zp.Sprt(0, 50),
        seed=1,
    )
    print(result)


if __name__ == "__main__":
    engine() if "--engine" in sys.argv else main()
