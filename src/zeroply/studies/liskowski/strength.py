"""Playing strength and prediction times of the nets of the L studies (section VI-A).

A net meets the 13 published one-ply players and a searching opponent, by default the engine, which takes the place of
the paper's Edax, from the 1000 openings with either colour. The smoke scale has three small opponents and a few games
and needs no data.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from zeroply import _core
from zeroply.arena.match import match
from zeroply.arena.openings import openings
from zeroply.games import Positions, game
from zeroply.players import FollowingPlayer, player
from zeroply.specs import Spec, parse
from zeroply.studies.hardware import hardware
from zeroply.studies.liskowski.nets import SIZES, Trained, load_net, trained
from zeroply.studies.liskowski.reporting import trained_measures
from zeroply.studies.needs import published
from zeroply.studies.study import OPPONENT, Folders, Progress, Scale, Unit, part_of

SUITE = {
    "SWH": "wpc_SWH.txt",
    "LR06": "wpc_LR06.txt",
    "SJK09": "wpc_SJK09.txt",
    "SJK11": "wpc_SJK11.txt",
    "CTDL": "SzubertJaskowskiKrawiec2013CTDL.player",
    "ETDL": "SzubertJaskowskiKrawiec2013ETDL.player",
    "Burrow ETDL": "Burrow2011ETDL.player",
    "Nash70": "Manning2010Nash70.player",
    "TCIAG1": "Manning2010TCIAG1.player",
    "GECCO": "Manning2010GECCO.player",
    "IPref1": "RunnarsonLucas2014IPref1.player",
    "IPrefN": "RunnarsonLucas2014IPrefN.player",
    "CoCMAES-4+2x2": "JaskowskiSzubert2015CoCMAES-4+2x2.player",
}
"""The 13 published players and their files. Reading: the paper says CoCMAES is one of them; TCIAG2 is left out."""
BEST, PREFERENCES = "CoCMAES-4+2x2", "IPrefN"
"""The strongest of the suite, and the one that learned from the same games as the nets (section VII)."""
STAND_INS: dict[str, Spec] = {
    "greedy": Spec("greedy"),
    PREFERENCES: Spec("alphabeta", eval=Spec("mobility")),
    BEST: Spec("alphabeta", eval=Spec("positional")),
}
"""Built-in players instead of these at the smoke scale."""
SEARCH = "search, depth 1"
"""The searching opponent that takes the place of the paper's Edax-1."""
OPENINGS = "othello-runarsson-lucas-1000.txt"
SMOKE_OPENINGS, SMOKE_GAMES = "random(plies=40)", 2
Z95 = 1.959964
CPU = "cpu"


def suite(folders: Folders, scale: Scale) -> dict[str, Spec]:
    """The published players of a scale, by name."""
    if scale == "smoke":
        return STAND_INS
    folder = published(folders, "league")
    kinds = {".txt": "wpc", ".player": "ntuple"}
    files = {name: folder / file for name, file in SUITE.items()}
    return {name: Spec("alphabeta", eval=Spec(kinds[file.suffix], str(file))) for name, file in files.items()}


def searcher(folders: Folders, depth: int) -> Spec:
    """The searching opponent at a depth."""
    return parse(folders.opponent.replace("{n}", str(depth)))


def meet(folders: Folders, unit: Unit, first: Spec, second: Spec, progress: Progress) -> dict[str, float]:
    """Two players from all openings, with either colour: score and standard error in percent, wins, draws, losses."""
    scale = unit.settings["scale"]
    starts, games = _starts(folders, scale), SMOKE_GAMES if scale == "smoke" else None
    result = match(first, second, openings=starts, games=games, seed=unit.seed, progress=progress, batch=512)
    low, high = result.score_interval
    counts = {name: getattr(result.tally, name) for name in ("wins", "draws", "losses")}
    return {"score": 100 * result.score, "error": 100 * (high - low) / (2 * Z95), **counts}


def against(
    folders: Folders, unit: Unit, net: Trained, name: str, opponent: Spec, progress: Progress
) -> dict[str, float]:
    """A net against a player; the match is played once and stored beside the net."""
    what = f"against {name} ({fingerprint(opponent, folders, unit.settings['scale'])})"
    scores: dict[str, float] = net.remembered(what, lambda: meet(folders, unit, net.player, opponent, progress))
    return scores


def rate_against(folders: Folders, unit: Unit, net: Trained, opponent: Spec, progress: Progress) -> dict[str, float]:
    """The winning rate of a net against a searching opponent."""
    return rate_measures(against(folders, unit, net, str(opponent), opponent, progress))


def rate_measures(result: Mapping[str, float]) -> dict[str, float]:
    """A match as measures of a unit."""
    return {"rate": result["score"], "rate error": result["error"], **result}


def fingerprint(opponent: Spec, folders: Folders, scale: Scale) -> str:
    """A hash of a player and the openings of a scale, including the contents of their files."""
    starts = openings(_starts(folders, scale), game("othello"), 0, SMOKE_GAMES)
    with player(opponent, "othello") as one:
        return hashlib.blake2b(f"{one.fingerprint()} {starts.fingerprint()}".encode(), digest_size=8).hexdigest()


def _starts(folders: Folders, scale: Scale) -> str:
    return SMOKE_OPENINGS if scale == "smoke" else str(published(folders, "openings") / OPENINGS)


def average(scores: Mapping[str, Mapping[str, float]]) -> tuple[float, float]:
    """The mean score against several players, and its standard error, in percent."""
    error = math.sqrt(sum(one["error"] ** 2 for one in scores.values())) / len(scores)
    return float(np.mean([one["score"] for one in scores.values()])), error


def match_text(folders: Folders, scale: Scale) -> str:
    """How strength is measured, for the text of a report."""
    ours = "The engine takes the place of the paper's Edax."
    other = f"Search at depth n is {folders.opponent}, where the paper has Edax."
    published = (
        "From each of the 1000 openings two games are played with colours swapped; a win counts 1, a draw 0.5. The "
        "suite, where it plays, is the 13 published one-ply players. "
    ) + (ours if folders.opponent == OPPONENT else other)
    small = " At this scale three small built-in players take the places of the published ones, over a few games."
    return published + small * (scale == "smoke")


def strength(folders: Folders, unit: Unit, progress: Progress) -> dict[str, Any]:
    """The result of training a net, and its scores against the suite and search at depth 1, as measures."""
    net = trained(folders, unit, part_of(progress, 0, 0.8))
    return {**trained_measures(net.result), **scores_of(folders, unit, net, progress)}


def scores_of(folders: Folders, unit: Unit, net: Trained, progress: Progress) -> dict[str, Any]:
    """The scores of a net against the suite and search at depth 1, as measures."""
    scale = unit.settings["scale"]
    players = suite(folders, scale)
    opponents = {**players, SEARCH: searcher(folders, 1)}
    scores = {}
    for number, (name, opponent) in enumerate(opponents.items()):
        low, high = (0.8 + 0.2 * n / len(opponents) for n in (number, number + 1))
        scores[name] = against(folders, unit, net, name, opponent, part_of(progress, low, high))
    score, error = average({name: scores[name] for name in players})
    measures = {"suite": score, "suite error": error, "opponents": {name: one["score"] for name, one in scores.items()}}
    for name in (BEST, PREFERENCES, SEARCH):
        measures |= {name: scores[name]["score"], f"{name} error": scores[name]["error"]}
    return measures


# Time


def seconds_a_position(
    prefer: Callable[[Positions], Any],
    batch: int,
    calls: int,
    trials: int,
    clock: Callable[[], float] = time.process_time,
) -> float:
    """Time per position in batches of this size, on one thread: the best of several trials."""
    positions = openings("random(plies=20)", game("othello"), 1, calls * batch).positions(0, calls * batch)
    pieces = [positions[low : low + batch] for low in range(0, len(positions), batch)]
    before = _core.threads()
    _core.set_threads(1)
    try:
        prefer(pieces[0])
        best = math.inf
        for _ in range(trials):
            start = clock()
            for piece in pieces:
                prefer(piece)
            best = min(best, (clock() - start) / len(positions))
    finally:
        _core.set_threads(before)
    return best


def times_of(net: Trained, scale: Scale) -> dict[str, Any]:
    """Prediction times of a net on this machine, measured once and stored beside it."""
    loaded = load_net(net)
    what = f"times on {hardware()}, {device_of(loaded)}"
    times: dict[str, Any] = net.remembered(what, lambda: prediction_times(loaded, scale))
    return times


def prediction_times(net: Any, scale: Scale) -> dict[str, Any]:
    """Seconds per position at the paper's batch of 256 and one by one: CPU time, or wall time on another device."""
    device = device_of(net)
    clock = time.process_time if device == CPU else time.perf_counter
    size = SIZES[scale]
    seconds = {
        f"batch {batch}": seconds_a_position(net.outputs, batch, calls, size.trials, clock)
        for batch, calls in ((256, 1), (1, size.calls))
    }
    return {**seconds, "device": device}


def device_of(net: Any) -> str:
    """Where a net runs: `cpu`, or the kind of device and the name of a GPU."""
    device = getattr(net, "device", None)  # nets that the core runs have none
    if device is None or device.type == CPU:
        return CPU
    import torch

    return f"{device.type} ({torch.cuda.get_device_name(device)})" if device.type == "cuda" else str(device.type)


def kind_of_time(times: Iterable[Mapping[str, Any]]) -> str:
    """In words, what the times of some nets measure."""
    devices = sorted({one.get("device", CPU) for one in times})
    return " or ".join("CPU time of one thread" if device == CPU else f"wall time on {device}" for device in devices)


def move_time(spec: Spec, scale: Scale, seed: int) -> float:
    """CPU seconds per move in whole games of a player against itself, on one thread; wall time for another program."""
    from zeroply.bench.moves import measure_moves

    with player(spec, "othello") as one:
        if isinstance(one, FollowingPlayer):
            return seconds_a_position(one.prefer, 1, SIZES[scale].calls, 1, time.perf_counter)
        (pace,) = measure_moves([one], one.game, SIZES[scale].timed_games, seed=seed)
    return pace.mean
