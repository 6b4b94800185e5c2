"""Boards: a position with a heat map, and a game to step through with what a net prefers before each of its moves."""

from __future__ import annotations

import json
from html import escape
from typing import Any

import numpy as np

from zeroply.games import Game, Positions
from zeroply.games.drawing import LOOKS, STONES
from zeroply.players import Player, player


def board(position: Positions, spec: str | None, caption: str) -> str:
    """A drawing of a position, with what a player prefers there."""
    heat = None
    if spec is not None:
        with player(spec, position.game) as one:
            heat = one.prefer_all(position)[0]
    return f'<figure class="small">{position.svg(heat)}<figcaption>{escape(caption)}</figcaption></figure>'


def stepper(game: Game, moves: list[int], seeing: dict[int, str], names: tuple[str, str], caption: str) -> str:
    """A game to step through; `seeing` are the specs of the players (1 Black, -1 White) whose preferences are shown."""
    frames: list[dict[str, Any]] = []
    position = game.start()
    seers = {colour: player(spec, game) for colour, spec in seeing.items()}
    for number in range(len(moves) + 1):
        side, over = int(position.to_move()[0]), bool(position.over()[0])
        frame: dict[str, Any] = {
            "stones": "".join(".XO"[int(stone)] for stone in position.stones()[0]),
            "last": int(position.last_move()[0]),
            "words": _words(game, position, names, moves[number] if number < len(moves) else None),
        }
        if not over and side in seers and number < len(moves):
            frame["heat"] = _heat(seers[side], position)
        frames.append(frame)
        if number < len(moves):
            position = position.after([moves[number]])
    for one in seers.values():
        one.close()
    look = LOOKS[game.facts.look]
    data = {
        "size": game.size,
        "look": game.facts.look,
        "colours": {"frame": look.frame, "board": look.board, "line": look.line, "label": look.label},
        "ramp": look.ramp,
        "radius": look.radius,
        "stones": {"X": STONES[1], "O": STONES[-1]},
        "columns": game.notation.letters[: game.size],
        "rows": [game.notation.row_label(row) for row in range(game.size)],
        "frames": frames,
    }
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return (
        f'<figure class="game"><div class="stepper">{position.svg()}'
        f'<script type="application/json">{text}</script></div><figcaption>{escape(caption)}</figcaption></figure>'
    )


def _heat(one: Player, position: Positions) -> list[int]:
    """For each cell the player's preference, from 0 for its lowest to 100 for its highest; -1 where it cannot move."""
    values = one.prefer_all(position)[0].astype(float)
    legal = np.isfinite(values)
    low, high = values[legal].min(), values[legal].max()
    scaled = (values - low) / (high - low) if high > low else np.ones(len(values))
    return [round(100 * float(value)) if there else -1 for value, there in zip(scaled, legal, strict=True)]


def _words(game: Game, position: Positions, names: tuple[str, str], coming: int | None) -> str:
    """What happens in a frame, as text."""
    stones = position.stones()[0]
    counts = ""
    if game.facts.margin:
        counts = f" {int((stones > 0).sum())}–{int((stones < 0).sum())}"
    if position.over()[0]:
        winner, score = int(position.winner()[0]), abs(int(position.score()[0]))
        if winner == 0:
            return f"Drawn{counts}."
        return f"{names[winner < 0]} ({'Black' if winner > 0 else 'White'}) wins{counts}" + (
            f", by {score} discs." if game.facts.margin else "."
        )
    side = int(position.to_move()[0])
    mover = f"{names[side < 0]} ({'Black' if side > 0 else 'White'})"
    move = "to move" if coming is None else f"will play {game.notation.name(coming)}"
    return f"Move {int(position.move_number()[0])}: {mover} {move}.{counts and f' Discs{counts}.'}"
