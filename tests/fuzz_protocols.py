"""The protocols that are fuzzed: engines that are told damaged lines, and must answer in their protocol's form."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from fuzz_mutations import tokens
from fuzz_targets import Target, sample_games, words_of
from scripted import Script
from zeroply.engine import GameSession, server
from zeroply.records.ggf import write_ggf


class Session:
    """An engine that is told one line after the other, and renewed from time to time."""

    LINES = 40

    def __init__(
        self, protocol: str, players: list[tuple[str, str]], opening: str, unknown: Callable[[bytes, str], bool]
    ) -> None:
        self._protocol, self._players, self._opening = protocol, players, opening
        self._unknown = unknown
        self._told = 0
        self._games = 0
        self._script = Script([])
        self._server: Any = None

    def __call__(self, line: bytes) -> bool:
        if self._told % self.LINES == 0:
            player, game = self._players[self._games % len(self._players)]
            self._games += 1
            self._server = server(self._protocol, self._script, GameSession(player, game))
            self._say(self._opening)
        self._told += 1
        answer = self._say(line.decode("utf-8", "replace"))
        return not self._unknown(line, answer)

    def _say(self, text: str) -> str:
        self._script.said.clear()
        self._script.left = text.split("\n")[::-1]
        self._server.serve()
        return "".join(self._script.said)


def gtp() -> Target:
    """GTP 2 with its dialects, in all games."""
    seeds = [
        "1 genmove b",
        "play b F5",
        "play white D6",
        "play b pass",
        "boardsize 8",
        "boardsize 9",
        "clear_board",
        "undo",
        "komi 6.5",
        "time_settings 10 1 5",
        "time_left b 10 0",
        "known_command play",
        "list_stones w",
        "set_game Othello",
        "final_score",
        "final_status_list alive",
        "showboard",
        "lz-analyze b 10",
        "kata-analyze interval 10 ownership true",
        "lz-genmove_analyze w 10",
        "gogui-rules_legal_moves",
        "gogui-rules_board",
        "gogui-rules_side_to_move",
        "is_legal b C3",
        "all_legal w",
        "captures b",
        "countlib C3",
        "fixed_handicap 4",
        "set_free_handicap C3 D4 E5",
        "place_free_handicap 3",
        "loadsgf game.sgf 3",
        "reg_genmove w",
        "zeroply-preferences",
        "name # comment",
        "version",
    ]
    players = [("random", "othello"), ("random", "gomoku(size=7)"), ("naive", "atarigo(size=5)")]

    def unknown(line: bytes, answer: str) -> bool:
        if answer and not re.fullmatch(r"(?:[=?][0-9]*(?: [^\n]*)?\n(?:[^\n]+\n)*\n)+", answer):
            raise AssertionError(f"not GTP: {answer!r}")
        return not answer or "unknown command" in answer

    coded = [seed.encode() for seed in seeds]
    return Target(coded, Session("gtp", players, "clear_board", unknown), words_of(seeds), tokens(coded, 4))


def nboard() -> Target:
    """NBoard's protocol."""
    games_seen = [write_ggf([record]).strip() for record in sample_games("othello")]
    seeds = [
        "nboard 2",
        "nboard 1",
        "set depth 2",
        "set contempt 3",
        "move F5/1.2/0.3",
        "move PA",
        "F5",
        "go",
        "hint 3",
        "ping 7",
        "learn",
        "analyze",
        *[f"set game {text}" for text in games_seen],
    ]
    known = re.compile(rb"\s*(nboard|set|move|go|hint|ping|learn|analyze|quit)\b")

    def unknown(line: bytes, answer: str) -> bool:
        form = r"(?:(?:set myname|status|===|search|pong|learned|analysis|nodestats)[^\n]*\n)*"
        if not re.fullmatch(form, answer):
            raise AssertionError(f"not NBoard: {answer!r}")
        return not known.match(line) and not answer

    return Target(
        [seed.encode() for seed in seeds],
        Session("nboard", [("random", "othello"), ("greedy", "othello")], "nboard 2", unknown),
        words_of(seeds),
    )


def gomocup() -> Target:
    """The Gomocup protocol."""
    seeds = [
        "ABOUT",
        "START 15",
        "START 9",
        "RECTSTART 9,9",
        "RESTART",
        "BEGIN",
        "TURN 3,3",
        "TAKEBACK 3,3",
        "PLAY 4,4",
        "INFO rule 1",
        "INFO rule 4",
        "INFO timeout_turn 50",
        "INFO time_left 1000",
        "INFO max_depth 1",
        "YXSTOP",
        "BOARD\n3,3,1\n4,4,2\nDONE",
        "SWAP2BOARD\nDONE",
        "SWAP2BOARD\n1,1\n2,2\n3,3\nDONE",
    ]

    def unknown(line: bytes, answer: str) -> bool:
        points = r"[0-9]+\s*,\s*[0-9]+(?: [0-9]+,[0-9]+)*"
        form = rf'(?:(?:OK|SWAP|(?:ERROR|MESSAGE|UNKNOWN|name=")[^\n]*|{points})\n)*'
        if not re.fullmatch(form, answer):
            raise AssertionError(f"not Gomocup: {answer!r}")
        return "UNKNOWN" in answer

    players = [("random", "gomoku(size=9)"), ("naive", "gomoku(size=7)")]
    coded = [seed.encode() for seed in seeds]
    return Target(coded, Session("gomocup", players, "START 9", unknown), words_of(seeds), tokens(coded, 1))
