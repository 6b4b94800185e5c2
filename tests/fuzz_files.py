"""The files and texts that are fuzzed: records of games, specs, players' tables, nets and checkpoints. Files with
checksums are sealed again after a change, or nothing would get past those.
"""

from __future__ import annotations

import contextlib
import json
import random
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays

import zeroply as zp
from fuzz_mutations import mutated, tokens
from fuzz_targets import Target, Try, sample_games, words_of
from zeroply import games, nets
from zeroply.errors import ZeroplyError
from zeroply.nets.wpc import Wpc
from zeroply.records import FORMATS, save
from zeroply.runs.checkpoint import read_checkpoint, write_checkpoint
from zeroply.runs.eventlog import START
from zeroply.runs.files import Damaged, seal
from zeroply.search.ntuples import read_player, write_player
from zeroply.specs import parse

FOREIGN = ("gtp", "nboard", "edax", "gomocup")
"""Players that start programs, which a fuzzer must not."""


def _scanned(suffix: str) -> Try:
    """Past the first stage are files in which every game can be read, whether or not its moves are legal."""
    path = Path(f"nowhere-at-all/file{suffix}")

    def attempt(data: bytes) -> bool:
        found = FORMATS[suffix].scan(data, path, None)
        for record in found.records[:1]:
            _ = record.result
        return found.games > 0 and all("move" in fault.reason for fault in found.faults)

    return attempt


def text_records(suffix: str, write: Callable[[list[zp.GameRecord]], str], *names: str) -> Target:
    """Games as text, by the suffix of their files."""
    sets = [sample_games(name) for name in names]
    seeds = [write(records).encode() for records in sets] + [write(records[:1]).encode() for records in sets]
    starts = [zp.GameRecord(r.game, r.moves[2:4], r.game.replay(r.moves[:2]).text()[0]) for r in (s[0] for s in sets)]
    seeds += [write([start]).encode() for start in starts]
    words = re.findall(rb"[A-Z]{1,2}\[[^]]{0,20}\]|[a-h][1-8]|\(;|;\)", b"".join(seeds))
    return Target(seeds, _scanned(suffix), words[:200])


def wthor() -> Target:
    """WTHOR's files of games."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.wtb"
        save(sample_games("othello"), path)
        data = path.read_bytes()
        save(sample_games("othello", 1), path, overwrite=True)
        seeds = [data, path.read_bytes()]

    def move(dice: random.Random, data: bytes) -> bytes:
        """Change bytes of games and leave the size alone."""
        changed = bytearray(data)
        for _ in range(dice.randrange(1, 5)):
            changed[dice.randrange(16, len(changed))] = dice.randrange(256)
        return bytes(changed)

    return Target(seeds, _scanned(".wtb"), mutate=move)


def obf() -> Target:
    """Problems of Othello."""
    position = zp.game("othello").replay("f5d6c3")
    legal = [position.game.notation.name(int(cell)).upper() for cell in np.flatnonzero(position.legal()[0])]
    line = f"{position.text()[0]}; {legal[0]}:+18; {legal[1]}:+12;  % one\n"
    return Target([line.encode(), (line * 3).encode()], _scanned(".obf"), [b";", b":+64", b"X", b"O", b"%", b"#", b"-"])


def specs() -> Target:
    """Specs of games and players."""
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
    return Target(coded, attempt, [*words_of(seeds), *signs], tokens(coded, 0))


def player_files(folder: Path) -> Target:
    """Tables of the Othello League."""
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


def net_files(folder: Path) -> Target:
    """Nets as safetensors."""
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


def checkpoints(folder: Path) -> Target:
    """Checkpoints of runs."""
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
