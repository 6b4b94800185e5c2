"""GTP for analysis tools: the analysis commands of Lizzie, Sabaki and KaTrain, and a board of numbers for GoGui.

A player without look-ahead reports its preferences as `prior`, with one visit each. Only players that search report a
chance of winning, their score on a logistic curve; for all others it is 50 %.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from zeroply.analysis.preferences import order, probabilities
from zeroply.engine.gtp import COLOURS, Arguments, Command, GtpError, GtpServer, colour_of
from zeroply.games import Game
from zeroply.search.outcomes import display_scores

INTERVAL = 1.0
"""Default seconds between lines."""
SCALE = 10.0
"""Points of a search's score that are worth odds of e to 1; our own choice, as scores have many units."""
MOST_POINTS = 1000.0
"""The score of a won game that is not won by a margin."""


def _asked(server: GtpServer, arguments: Arguments) -> tuple[int, float]:
    """The colour and the seconds between lines; other words and their values are for larger engines."""
    colour, hundredths = server.session.so_far.colour, None
    for word in arguments:
        if word.lower() in COLOURS:
            colour = COLOURS[word.lower()]
        elif word.isascii() and word.isdigit() and hundredths is None:
            hundredths = min(int(word[:6]), 360_000)
    return colour, INTERVAL if not hundredths else max(0.01, hundredths / 100)


def _line(server: GtpServer, seconds: float, *, fractions: bool) -> str:
    """All moves of the side to move on one line, the best first."""
    preferences = server.session.preferences(seconds)
    chances = probabilities(preferences, server.session.player.choice.temperature)
    searches = server.session.player.look_ahead > 0
    scores = _points(preferences, server.session.game)
    infos = []
    for number, cell in enumerate(order(preferences)):
        winrate = _logistic(float(preferences[cell]) / SCALE) if searches else 0.5
        move = server.move_name(cell)
        if fractions:
            score = f"scoreMean {scores[cell]:.3f} scoreStdev 0 scoreLead {scores[cell]:.3f} "
            values = f"utility {2 * winrate - 1:.4f} winrate {winrate:.4f} {score}prior {chances[cell]:.4f}"
            values += f" lcb {winrate:.4f}"
        else:
            per_myriad = round(10_000 * winrate)
            values = f"winrate {per_myriad} prior {round(10_000 * chances[cell])} lcb {per_myriad}"
        infos.append(f"info move {move} visits 1 {values} order {number} pv {move}")
    return " ".join(infos)


def _points(preferences: NDArray[np.float32], game: Game) -> NDArray[np.float32]:
    """Scores that can be read: in discs where a game of Othello is decided, and within bounds."""
    scores = display_scores(preferences, game)
    return np.clip(np.where(np.isnan(scores), preferences, scores), -MOST_POINTS, MOST_POINTS)


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, x))))


def _analyze(fractions: bool) -> Command:
    def obey(server: GtpServer, arguments: Arguments) -> None:
        """One line per interval, until the next command arrives."""
        colour, seconds = _asked(server, arguments)
        forced = server.turn(colour)
        try:
            line = "" if forced else _line(server, seconds, fractions=fractions) + "\n"  # may fail before any output
            server.open_answer()
            server.wire.say(line)
            while forced is None and server.wire.peek(seconds) is None:
                server.wire.say(_line(server, seconds, fractions=fractions) + "\n")
            server.wire.say("\n")
        finally:
            server.turn_back()

    return obey


def _genmove_analyze(fractions: bool) -> Command:
    def obey(server: GtpServer, arguments: Arguments) -> None:
        colour_of(arguments[:1])
        colour, seconds = _asked(server, arguments)
        forced, line = server.turn(colour), ""
        if forced is None:
            try:
                line = _line(server, seconds, fractions=fractions) + "\n"  # may fail before any output
            except BaseException:
                server.turn_back()
                raise
        server.open_answer()
        server.wire.say(line)
        server.wire.say(f"play {forced or server.move(colour)}\n\n")

    return obey


def _preferences(server: GtpServer, arguments: Arguments) -> str:
    """The probability of every move as a board of numbers, as GoGui draws them; empty cells of "" are not legal."""
    if arguments:
        raise GtpError("syntax error")
    size = server.session.game.size
    if server.session.over:
        return "\n" + "\n".join(" ".join(['""'] * size) for _ in range(size))
    preferences = server.session.preferences()
    chances = probabilities(preferences, server.session.player.choice.temperature)
    shown = [
        f"{chance:.3f}" if np.isfinite(preference) else '""'
        for chance, preference in zip(chances, preferences, strict=True)
    ]
    return "\n" + "\n".join(" ".join(shown[row * size : row * size + size]) for row in range(size))


COMMANDS: dict[str, Command] = {
    "lz-analyze": _analyze(fractions=False),
    "lz-genmove_analyze": _genmove_analyze(fractions=False),
    "kata-analyze": _analyze(fractions=True),
    "kata-genmove_analyze": _genmove_analyze(fractions=True),
    "gogui-analyze_commands": lambda server, _: "dboard/Preferences/zeroply-preferences",
    "hexgui-analyze_commands": lambda server, _: "",
    "zeroply-preferences": _preferences,
}
