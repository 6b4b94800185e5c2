"""What a match and a league share: the games of pairings of players, played to their end and kept in a run.

Every pair of games is an event of the run's log, with its opening. One that was killed goes on after the last pair of
the log and ends with the same games; one that is finished is told from the log alone. All pairings use the same
openings, and the games of a pairing are named for chance by its key.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeAlias, TypeVar

import numpy as np

from zeroply import levels
from zeroply.arena.following import Forfeited
from zeroply.arena.openings import Openings, OpeningSpec, read_opening, setting
from zeroply.arena.pairs import Pairs
from zeroply.arena.statistics import Sprt
from zeroply.arena.table import Progress, Table
from zeroply.arena.unchanged import STORED, check_unchanged
from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.games import game as make_game
from zeroply.runs import Run, stored
from zeroply.specs import parse

Pairing: TypeAlias = tuple[int, int]
"""Two players by their places in the list."""
Config = TypeVar("Config", bound="PlayConfig")

_SECONDS_BETWEEN_CHECKPOINTS = 1.0
_NAMES = re.compile("[A-Za-z][0-9]+")  # of the cells in a transcript


@dataclass(frozen=True, kw_only=True)
class PlayConfig:
    """Everything that decides which games are played."""

    players: Sequence[str]
    """Specs of the players."""
    game: str = "othello"
    """Spec of the game."""
    games: int | None = None
    """Games of every two players; by default 100, or two for each opening of a file or list."""
    openings: str | Sequence[str] = "none"
    """Spec of the openings, or a list of them."""
    seed: int = 0
    """What all chance comes from."""

    def names(self) -> tuple[str, ...]:
        """The specs of the players as a table tells them, also if they can no longer be had."""
        return tuple(str(parse(name)) for name in self.players)


def settings(table: Table, games: int | None, openings: OpeningSpec, seed: int) -> dict[str, Any]:
    """The fields of the configuration that a table was prepared by."""
    return {
        "players": list(table.names),
        "game": str(table.game),
        "games": None if games is None else int(games),
        "openings": setting(openings),
        "seed": int(seed),
    }


@contextmanager
def new_run(folder: str | os.PathLike[str] | None, kind: str, config: PlayConfig, table: Table) -> Iterator[Run | None]:
    """A run in a new folder; None without a folder."""
    if folder is None:
        yield None
        return
    if not isinstance(folder, str | os.PathLike):
        raise ZeroplyError(f"the folder of a run is a path, not {folder!r}")
    if table.unnamed:
        raise ZeroplyError(
            f"player {table.unnamed[0]} was made in Python, and a {kind} that is kept needs players that can be made "
            "again: name it by its spec, or leave out the folder"
        )
    kept = {**stored(config), STORED: table.fingerprint()}
    with Run.create(folder, kind=kind, config=kept, seed=config.seed, level=levels.chosen()) as run:
        yield run


def config_of(run: Run, kind: type[Config]) -> Config:
    """The configuration that a run was started with."""
    return run.config(kind, STORED)


@contextmanager
def same_table(run: Run, config: PlayConfig, batch: int) -> Iterator[Table]:
    """The table that a run was started with; raises ZeroplyError if it would be another one now."""
    with Table.prepare(config.game, config.players, config.openings, config.games, config.seed, batch) as table:
        check_unchanged(run, table.fingerprint())
        yield table


def play_all(
    table: Table,
    keys: Mapping[Pairing, int],
    run: Run | None = None,
    progress: Progress | None = None,
    sprt: Sprt | None = None,
) -> dict[Pairing, Pairs]:
    """Play the pairings that have keys, going on after what a run has logged; a test ends them when it is decided."""
    played: dict[Pairing, list[Pairs]] = {pairing: [] for pairing in keys}
    for pairing, block in _logged(run, table.game) if run else ():
        played[pairing].append(block)
    total = 2 * table.pairs * len(keys)
    done = sum(2 * len(block) for blocks in played.values() for block in blocks)
    for pairing, blocks in played.items():
        if _decided(sprt, blocks):
            continue
        start = sum(map(len, blocks))
        for block in table.play(*pairing, keys[pairing], start, small=bool(run or sprt)):
            blocks.append(block)
            decided = _decided(sprt, blocks)
            if decided:
                blocks[-1] = block[: decided - block.first]
            done += 2 * len(blocks[-1])
            if run:
                _log(run, table, pairing, blocks[-1])
                if run.save_due(_SECONDS_BETWEEN_CHECKPOINTS):
                    run.save({"games": done})
            if progress:
                progress(done, total)
            if decided:
                break
    if run:
        run.save({"games": done})
    return {pairing: Pairs.join(blocks) for pairing, blocks in played.items()}


def told(run: Run) -> tuple[Openings, dict[Pairing, Pairs]]:
    """The openings and games of a run that is finished."""
    with run.understood():
        game = make_game(run.info.config["game"])
        texts = {event["pair"]: event["opening"] for event in run.events("pair")}
        read = {text: read_opening(text, game) for text in set(texts.values())}
    blocks: dict[Pairing, list[Pairs]] = {}
    for pairing, block in _logged(run, game):
        blocks.setdefault(pairing, []).append(block)
    openings = Openings(game, [read[texts[pair]] for pair in sorted(texts)])
    return openings, {pairing: Pairs.join(blocks[pairing]) for pairing in sorted(blocks)}


def _decided(sprt: Sprt | None, blocks: Sequence[Pairs]) -> int:
    """After how many pairs a test is decided; 0 if it is not."""
    if sprt is None or not blocks:
        return 0
    result = sprt.decide(np.concatenate([block.scores.sum(axis=1) for block in blocks]))
    return result.pairs if result.verdict else 0


def _log(run: Run, table: Table, pairing: Pairing, block: Pairs) -> None:
    game = table.game
    for k, scores in enumerate(block.scores.tolist()):
        pair = block.first + k
        lost = {str(n): vars(block.forfeits[n]) for n in (2 * pair, 2 * pair + 1) if n in block.forfeits}
        run.log(
            "pair",
            players=list(pairing),
            pair=pair,
            scores=scores,
            opening=table.openings[pair].text(game),
            games=[game.notation.transcript(list(block.game(2 * k + side))) for side in (0, 1)],
            **({"forfeits": lost} if lost else {}),
        )


def _logged(run: Run, game: Game) -> Iterator[tuple[Pairing, Pairs]]:
    """The pairs of games in the log of a run; neighbours of one pairing together."""
    cell_of = {game.notation.name(cell): cell for cell in range(game.cells)}
    for (i, j), together in groupby(run.events("pair"), key=lambda event: tuple(event["players"])):
        pairs = list(together)
        rows = [[cell_of[name] for name in _NAMES.findall(text)] for pair in pairs for text in pair["games"]]
        moves = np.full((len(rows), max(map(len, rows))), -1, np.int16)
        for row, cells in zip(moves, rows, strict=True):
            row[: len(cells)] = cells
        forfeits = {int(n): Forfeited(**lost) for pair in pairs for n, lost in pair.get("forfeits", {}).items()}
        yield (i, j), Pairs(pairs[0]["pair"], np.array([pair["scores"] for pair in pairs]), moves, forfeits)
