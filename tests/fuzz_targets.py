"""What is fuzzed: everything that reads what others wrote. Each target knows valid inputs and when one got past the
first stage; files with checksums are sealed again after a change, or nothing would get past those.
"""

from __future__ import annotations

import contextlib
import json
import random
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays

import zeroply as zp
from fuzz_mutations import Mutate, mutated, tokens
from scripted import Script
from zeroply import games, nets
from zeroply.engine import Seat, server
from zeroply.errors import ZeroplyError
from zeroply.nets.wpc import Wpc
from zeroply.records import FORMATS, save
from zeroply.records.ggf import write_ggf
from zeroply.records.sgf import write_sgf
from zeroply.records.transcripts import write_transcripts
from zeroply.runs.checkpoint import read_checkpoint, write_checkpoint
from zeroply.runs.eventlog import START
from zeroply.runs.files import Damaged, seal
from zeroply.search.ntuples import read_player, write_player
from zeroply.specs import parse

FOREIGN = ("gtp", "nboard", "edax", "gomocup")
"""Players that start programs, which a fuzzer must not."""

Try = Callable[[bytes], bool]
"""Reads an input; whether it got past the first stage. Clean errors do not leave it."""


@dataclass
class Target:
    """Something that reads inputs."""

    seeds: list[bytes]
    """Valid inputs."""
    attempt: Try
    """What reads them."""
    words: list[bytes] = field(default_factory=list)
    """What its inputs are made of."""
    mutate: Mutate | None = None
    """A mutation of its own, used half of the time."""


def targets(folder: Path) -> dict[str, Target]:
    """All targets by name; files are written in the folder."""
    all_games = ("othello", "gomoku(size=9)", "atarigo(size=7)")
    return {
        "gtp": _gtp(),
        "nboard": _nboard(),
        "gomocup": _gomocup(),
        "ggf": _text_records(".ggf", write_ggf, "othello"),
        "sgf": _text_records(".sgf", write_sgf, *all_games),
        "transcripts": _text_records(".txt", write_transcripts, *all_games),
        "wthor": _wthor(),
        "obf": _obf(),
        "specs": _specs(),
        "player files": _player_files(folder),
        "net files": _net_files(folder),
        "checkpoints": _checkpoints(folder),
    }


# Protocols


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
            self._server = server(self._protocol, self._script, Seat(player, game))
            self._say(self._opening)
        self._told += 1
        answer = self._say(line.decode("utf-8", "replace"))
        return not self._unknown(line, answer)

    def _say(self, text: str) -> str:
        self._script.said.clear()
        self._script._left = text.split("\n")[::-1]
        self._server.serve()
        return "".join(self._script.said)


def _gtp() -> Target:
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
    return Target(coded, Session("gtp", players, "clear_board", unknown), _names(seeds), tokens(coded, 4))


def _nboard() -> Target:
    games_seen = [write_ggf([record]).strip() for record in _records("othello")]
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
        _names(seeds),
    )


def _gomocup() -> Target:
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
        "INFO timeout_turn 50",
        "INFO time_left 1000",
        "INFO max_depth 1",
        "YXSTOP",
        "BOARD\n3,3,1\n4,4,2\nDONE",
        "SWAP2BOARD\nDONE",
        "SWAP2BOARD\n1,1\n2,2\n3,3\nDONE",
    ]

    def unknown(line: bytes, answer: str) -> bool:
        form = r'(?:(?:OK|SWAP|ERROR [^\n]*|UNKNOWN[^\n]*|name="[^\n]*|[0-9]+\s*,\s*[0-9]+( [0-9]+,[0-9]+)*)\n)*'
        if not re.fullmatch(form, answer):
            raise AssertionError(f"not Gomocup: {answer!r}")
        return "UNKNOWN" in answer

    players = [("random", "gomoku(size=9)"), ("naive", "gomoku(size=7)")]
    coded = [seed.encode() for seed in seeds]
    return Target(coded, Session("gomocup", players, "START 9", unknown), _names(seeds), tokens(coded, 1))


def _names(seeds: list[str]) -> list[bytes]:
    return sorted({word.encode() for seed in seeds for word in seed.split() if len(word) < 30})


# Records


def _records(game: str, count: int = 2) -> list[zp.GameRecord]:
    found = zp.match("random", "random", game=game, games=2 * count, seed=1).records()
    return [
        zp.GameRecord(record.game, record.moves[: 5 + 12 * i], None, f"b{i}", "w", "e", "1999")
        for i, record in enumerate(found[:count])
    ]


def _scanned(suffix: str) -> Try:
    """Past the first stage are files in which every game can be read, whether or not its moves are legal."""
    path = Path(f"nowhere-at-all/file{suffix}")

    def attempt(data: bytes) -> bool:
        found = FORMATS[suffix].scan(data, path, None)
        for record in found.records[:1]:
            _ = record.result
        return found.games > 0 and all("move" in fault.reason for fault in found.faults)

    return attempt


def _text_records(suffix: str, write: Callable[[list[zp.GameRecord]], str], *names: str) -> Target:
    sets = [_records(name) for name in names]
    seeds = [write(records).encode() for records in sets] + [write(records[:1]).encode() for records in sets]
    starts = [zp.GameRecord(r.game, r.moves[2:4], r.game.replay(r.moves[:2]).text()[0]) for r in (s[0] for s in sets)]
    seeds += [write([start]).encode() for start in starts]
    words = re.findall(rb"[A-Z]{1,2}\[[^]]{0,20}\]|[a-h][1-8]|\(;|;\)", b"".join(seeds))
    return Target(seeds, _scanned(suffix), words[:200])


def _wthor() -> Target:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.wtb"
        save(_records("othello"), path)
        data = path.read_bytes()
        save(_records("othello", 1), path)
        seeds = [data, path.read_bytes()]

    def move(dice: random.Random, data: bytes) -> bytes:
        """Change bytes of games and leave the size alone."""
        changed = bytearray(data)
        for _ in range(dice.randrange(1, 5)):
            changed[dice.randrange(16, len(changed))] = dice.randrange(256)
        return bytes(changed)

    return Target(seeds, _scanned(".wtb"), mutate=move)


def _obf() -> Target:
    position = zp.game("othello").replay("f5d6c3")
    legal = [position.game.notation.name(int(cell)).upper() for cell in np.flatnonzero(position.legal()[0])]
    line = f"{position.text()[0]}; {legal[0]}:+18; {legal[1]}:+12;  % one\n"
    return Target([line.encode(), (line * 3).encode()], _scanned(".obf"), [b";", b":+64", b"X", b"O", b"%", b"#", b"-"])


# Specs and files


def _specs() -> Target:
    seeds = [
        "othello",
        "gomoku(size=9, exact=true)",
        "atarigo(5, captures=3, suicide=illegal)",
        "random(temperature=0.5)",
        "alphabeta(depth=2, eval=mobility)",
        'net("a b/c.safetensors")',
        "hybrid(naive, engine(depth=2), first=3, last=9)",
        "iagno(level=2, ties=lowest)",
        "engine(depth=3)",
        "alphabeta(depth=1, seconds=0.5, exact=true)",
    ]
    safe = {"random", "naive", "greedy", "alphabeta", "engine", "iagno", "hybrid", "net"}

    def attempt(data: bytes) -> bool:
        text = data.decode("utf-8", "replace")
        try:
            spec = parse(text)
        except ZeroplyError:
            return False
        if str(spec) != text.strip() or parse(str(spec)) != spec:
            raise AssertionError("a spec prints back as it was written")
        with contextlib.suppress(ZeroplyError):
            if spec.name in safe and not any(name in text for name in FOREIGN):
                zp.player(spec, "othello").close()
            else:
                games.game(spec)
        return True

    coded = [seed.encode() for seed in seeds]
    signs = [b"(", b")", b"=", b",", b'"', b"'", b"\\"]
    return Target(coded, attempt, [*_names(seeds), *signs], tokens(coded, 0))


def _player_files(folder: Path) -> Target:
    path = folder / "x.player"
    write_player(path, [[[0, 1]], [[5, 6], [7, 8]]], [[0.5] * 9, [-1.25] * 9])
    seeds = [path.read_bytes()]

    def attempt(data: bytes) -> bool:
        path.write_bytes(data)
        try:
            read_player(path)
        except ZeroplyError as error:
            return not re.search(r"not a text file|the number of tuples", str(error))
        return True

    return Target(seeds, attempt, [b"{", b"}", b"0.5", b"-1", b"1e99", b"nan", b"64", b"12"])


def _net_files(folder: Path) -> Target:
    path = folder / "x.safetensors"
    nets.save(Wpc(zp.game("othello"), {"cells": np.arange(64, dtype=np.float32)}), path)
    seed = path.read_bytes()

    def attempt(data: bytes) -> bool:
        path.write_bytes(data)
        try:
            nets.load(str(path), games.game("othello")).prefer(games.game("othello").start())
        except ZeroplyError as error:
            return "is not a net file or is damaged" not in str(error)
        return True

    return Target([seed], attempt, mutate=_metadata)


def _metadata(dice: random.Random, data: bytes) -> bytes:
    """Change a value of the metadata, or the shape and numbers of an array, and write a whole file again."""
    size = int.from_bytes(data[:8], "little")
    try:
        header = json.loads(data[8 : 8 + size])
        arrays = load_arrays(data)
    except Exception:
        return data
    metadata = dict(header.get("__metadata__", {}))
    if metadata and dice.random() < 0.7:
        name = dice.choice(list(metadata))
        changed = mutated(dice, [metadata[name].encode()], [b"othello", b"wpc", b"int8"])
        metadata[name] = changed.decode("utf-8", "replace")
    else:
        name = dice.choice(list(arrays))
        kind = dice.choice(("f4", "f2", "f8", "i1", "u1", "i8"))
        shape = dice.choice(((64,), (63,), (8, 8), (0,), (1, 64), ()))
        number = dice.choice((0, 1, -1, 100, 1e30, np.nan))
        with np.errstate(all="ignore"):
            arrays[dice.choice((name, name, "x"))] = np.full(shape, number, np.float64).astype(kind)
    return save_arrays(arrays, metadata)


def _checkpoints(folder: Path) -> Target:
    arrays = {"x": np.arange(6.0), "n": np.zeros(3, np.uint8)}
    write_checkpoint(folder, 7, {"best": 1.5, "names": ["a", "b"]}, arrays, START)
    path = folder / "00000007.safetensors"
    seed = path.read_bytes()

    def attempt(data: bytes) -> bool:
        path.write_bytes(data)
        try:
            read_checkpoint(path)
        except Damaged as error:
            return str(error) != "not a safetensors file"
        return True

    def resealed(dice: random.Random, data: bytes) -> bytes:
        """Change something within the seal, and seal it again."""
        size = int.from_bytes(data[:8], "little")
        try:
            body = json.loads(json.loads(data[8 : 8 + size])["__metadata__"]["zeroply"])
        except (ValueError, KeyError):
            return data
        body.pop("sha256", None)
        name = dice.choice(list(body))
        other = body[dice.choice(list(body))]
        body[name] = dice.choice((None, 0, -1, 7, 1e300, "x", [], {}, {"x": 1}, [[]], True, other))
        if dice.random() < 0.2:
            del body[name]
        return save_arrays(load_arrays(data), {"zeroply": json.dumps(seal(body))})

    return Target([seed], attempt, mutate=resealed)
