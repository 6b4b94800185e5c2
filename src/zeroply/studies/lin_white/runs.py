"""The runs of the W studies (Lin and White 2009), made once and stored beside the results.

Most figures of the paper show the same evolution, so it is a shared run, in `results/W.runs/SCALE/queen-fair-SEED`
and so on; a study that needs it makes, resumes or reuses it. `zeroply coevolve --preset lin-white` makes the same
runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zeroply import chance
from zeroply.arena.ladder import highest_of
from zeroply.arena.openings import openings
from zeroply.arena.populations import Population, Seats, play_members
from zeroply.files import write_atomically
from zeroply.learning.coevolution import lin_white
from zeroply.learning.coevolution.lin_white import LinWhite, LinWhiteConfig
from zeroply.learning.coevolution.observers import ObserverConfig, Observers
from zeroply.learning.coevolution.run_analysis import inheritance, repeatability, replayed, saved_parents, variety
from zeroply.learning.coevolution.tournaments import Tournament
from zeroply.learning.strategies.self_adaptive import Factors
from zeroply.nets.spatial import Output
from zeroply.players import player
from zeroply.runs import RunRecord
from zeroply.runs.files import Damaged, parse_json, read_file, seal, to_json, unseal
from zeroply.studies.shared_runs import shared_run
from zeroply.studies.study import Folders, Measures, Progress, Scale, Unit

FOLDER = "W.runs"
"""Folder of the runs, in the folder of all results."""
ZOOM = "zoom.json"
"""What was seen generation by generation, in the folder of a run."""
ZOOMED = ("positional", "pieces")
"""The strategies of Figs. 6 and 7."""
LONG = 10
"""Generations from which on survival is long; in the paper it is less before generation 4,000."""
YARDSTICKS = ("random", "greedy")
"""The players that the nets of a population meet from random openings."""


@dataclass(frozen=True)
class LinWhiteSize:
    """The size of everything at one scale."""

    generations: int
    """Generations of a run."""
    population: int
    """Nets of a generation."""
    opponents: int
    """Extra offspring that all meet."""
    every: int
    """Generations from one observation to the next."""
    highest: int
    """The highest ply-depth of the observers."""
    keep: int
    """Generations from one stored population to the next."""
    zoom: int
    """How many generations are observed one by one."""
    strength_games: int
    """Games of a population from random openings."""
    rate_games: int
    """Games of two fixed strategies."""
    ply_depths: tuple[int, ...]
    """Ply-depths at which the fixed strategies meet."""
    mdrnn: int
    """Generations of the MDRNNs of W.beyond2."""
    league_games: int
    """Games of every two players of its league."""


SIZES: dict[Scale, LinWhiteSize] = {
    "smoke": LinWhiteSize(4, 8, 2, 2, 2, 2, 3, 4, 10, (0,), 2, 2),
    "cpu": LinWhiteSize(1_000, 100, 10, 25, 6, 250, 200, 400, 1_000, (0, 2), 100, 200),
    "paper": LinWhiteSize(10_000, 100, 10, 50, 6, 500, 1_100, 400, 1_000, (0, 2, 4), 400, 2_000),
}


@dataclass(frozen=True)
class Variant:
    """The settings of a run."""

    layer: str = "queen"
    """What the first layer of the nets sees."""
    tournament: Tournament = "fair"
    """Who meets whom."""
    output: Output = "sum"
    """Whether boards whose value is rounded to 1 are distinguished (sum) or not (tanh)."""
    factors: Factors = "own"
    """Whether every mutation step changes by its own random number, all by one, or each by that of its weight."""
    times: int = 1
    """How many times as many opponents all meet."""
    bare: bool = False
    """Whether the sub-squares layer lacks its disc difference."""

    @property
    def name(self) -> str:
        """Name of the run."""
        words = ("bare" if self.bare else "", self.output, self.factors, f"x{self.times}")
        unusual = [word for word in words if word not in ("", "sum", "own", "x1")]
        return "-".join([self.layer, *unusual, self.tournament])

    @property
    def net(self) -> str:
        """The net that evolves."""
        options = [f"layer={self.layer}"]
        options += ["discs=false"] if self.bare else []
        options += ["output=tanh"] if self.output == "tanh" else []
        return f"spatial({', '.join(options)})"

    def unit(self, scale: Scale, seed: int) -> Unit:
        """The unit of a study that uses this run."""
        return Unit(f"{self.name} seed {seed}", {"scale": scale, **asdict(self)}, seed)


OWN = Variant()
"""The paper's run, with a random number for each of the two equations of mutation."""
SAME = Variant(factors="same")
"""The paper's run, with one random number for both equations, which have one symbol for it."""
READINGS = (OWN, SAME)
"""The readings of the equations that all figures of the paper are measured by."""


def variant_of(unit: Unit) -> Variant:
    """The variant a unit was made from."""
    return Variant(**{field.name: unit.settings[field.name] for field in fields(Variant)})


def variant_units(variants: Iterable[Variant], scale: Scale, seeds: int) -> list[Unit]:
    """A unit per variant and seed."""
    return [variant.unit(scale, seed) for variant in variants for seed in range(1, seeds + 1)]


def config_of(variant: Variant, scale: Scale, seed: int) -> LinWhiteConfig:
    """How the run of a variant is made."""
    size = SIZES[scale]
    return LinWhiteConfig(
        net=variant.net,
        generations=size.generations,
        population=size.population,
        opponents=size.opponents * variant.times,
        tournament=variant.tournament,
        factors=variant.factors,
        save_every=size.keep,
        observe=ObserverConfig(every=size.every, highest=size.highest),
        seed=seed,
    )


def evolved(folders: Folders, unit: Unit, progress: Progress) -> RunRecord:
    """The finished run of a unit's variant, which is made, resumed or reused."""
    variant, scale = variant_of(unit), unit.settings["scale"]
    folder = folders.results / FOLDER / scale / f"{variant.name}-{unit.seed}"
    config = config_of(variant, scale, unit.seed)
    return shared_run(folder, LinWhite(config), progress)


# Measures of runs


def counts(heights: Sequence[Sequence[int]], highest: int) -> dict[str, list[int]]:
    """By ply-depth how many nets beat it, from the highest ply-depth that each net beat at each observation."""
    return {str(depth): [sum(h >= depth for h in some) for some in heights] for depth in range(0, highest + 1, 2)}


def ladder_measures(record: RunRecord, strategy: str) -> dict[str, Any]:
    """How many parents beat a strategy, by ply-depth and generation."""
    seen = LinWhite.read(record).observed
    highest = highest_of(strategy, record.info.config["observe"]["highest"])
    return {
        "generations": [generation for generation, _ in seen],
        "beaten": counts([heights[strategy] for _, heights in seen], highest),
        "parents": record.info.config["population"] // 2,
    }


def survival_measures(record: RunRecord) -> dict[str, Any]:
    """Mean survival time, and the share of survivors that are new, over the generations before each observation."""
    every = record.info.config["observe"]["every"]
    done = LinWhite.read(record).generations
    blocks = [done[low : low + every] for low in range(0, len(done) - every + 1, every)]
    return {
        "generations": [block[-1].number for block in blocks],
        "survival": [round(float(np.mean([one.survival for one in block])), 2) for block in blocks],
        "oldest": [block[-1].oldest for block in blocks],
        "fresh": [round(float(np.mean([one.fresh for one in block])), 2) for block in blocks],
    }


def repeat_measures(record: RunRecord) -> dict[str, Any]:
    """Repeatability of tournaments, sizes of weights and steps, inheritance (also with a tenth of the steps), variety
    of games and share of weights above 0, of each stored population."""
    config = record.config(LinWhiteConfig)
    net = lin_white.spatial_net(config.net)
    states = list(saved_parents(record))
    key = chance.key(config.seed, "repeat")
    return {
        "kept": [state.generation for state in states],
        "repeatability": [round(repeatability(config, net, state, key), 3) for state in states],
        "weights": [_size(state.weights) for state in states],
        "steps": [_size(state.steps) for state in states],
        "inheritance": [round(inheritance(config, net, state, key), 3) for state in states],
        "a tenth": [
            round(inheritance(config, net, replace(state, steps=state.steps / np.float32(10)), key), 3)
            for state in states
        ],
        "games": [round(variety(config, net, state, key), 1) for state in states],
        "above 0": [round(float((state.weights > 0).mean()), 3) for state in states],
    }


def strength_measures(record: RunRecord, games: int) -> dict[str, Any]:
    """The score of all parents together against fixed players, from random openings: the first parents, which have
    learned nothing, and those of each stored population."""
    config = record.config(LinWhiteConfig)
    net = lin_white.spatial_net(config.net)
    starts = openings("random(plies=8)", net.game, seed=1, pairs=games // 2).positions(0, games // 2)
    starts = starts[np.repeat(np.arange(len(starts)), 2)]
    keys = chance.keys(chance.key(1, "strength"), np.arange(games))
    states = [lin_white.first_parents(config, net), *saved_parents(record)]
    scores: dict[str, list[float]] = {name: [] for name in YARDSTICKS}
    for state in states:
        members = np.resize(np.arange(len(state.weights)), games // 2)
        seats = Seats.pairs(np.stack([members, np.zeros_like(members)], axis=1))
        for name in YARDSTICKS:
            sides = (Population(net, state.weights), player(name, net.game))
            won = play_members(sides, seats, keys, starts).winner * np.where(seats.first_is_black, 1, -1)
            scores[name].append(round(float((1 + won.mean()) / 2), 4))
    return {"generations": [state.generation for state in states], **scores}


def _size(values: NDArray[np.float32]) -> float:
    """The root of the mean square."""
    return float(np.sqrt(np.mean(values.astype(np.float64) ** 2)))


def turn(record: RunRecord) -> int | None:
    """The first observation at which nets had survived for 10 generations or more on average; None if there is none."""
    measures = survival_measures(record)
    pairs = zip(measures["generations"], measures["survival"], strict=True)
    return next((generation for generation, survival in pairs if survival >= LONG), None)


def transition(record: RunRecord) -> int:
    """The generation around which a run's nets gain most: the rungs they beat, before and after, differ most there."""
    seen = LinWhite.read(record).observed
    rungs = np.array([sum(np.mean([h // 2 + 1 for h in heights[s]]) for s in ZOOMED) for _, heights in seen])
    return int(seen[steepest(rungs)][0])


def steepest(curve: Series) -> int:
    """Where the mean over the twentieth of a curve that begins there is most above that over the twentieth before it.

    Only places with a whole twentieth on both sides count: means of fewer values would win by being noisier.
    """
    span = max(1, len(curve) // 20)
    means = np.convolve(curve, np.ones(span) / span, mode="valid")
    gains = means[span:] - means[:-span]
    return span + int(np.argmax(gains)) if len(gains) else 0


def zoomed(record: RunRecord, zoom: int, progress: Progress) -> Measures:
    """How many parents beat the strategies in every generation around the run's own transition; stored with the run.

    The stored file is made again if it is damaged, or belongs to another window or highest ply-depth.
    """
    path = record.folder / ZOOM
    generations, highest = record.info.config["generations"], record.info.config["observe"]["highest"]
    first = min(max(1, transition(record) - zoom // 2), generations - zoom + 1)
    last = first + zoom - 1
    wanted = {"first": first, "last": last, "highest": highest, "parents": record.info.config["population"] // 2}
    with suppress(Damaged):
        known = unseal(parse_json(read_file(path)))
        if known.keys() == {*wanted, "beaten"} and {key: known[key] for key in wanted} == wanted:
            return known
    zoom_config = ObserverConfig(every=1, strategies=ZOOMED, highest=highest)
    observers = Observers(lin_white.spatial_net(record.info.config["net"]), zoom_config)
    heights: dict[str, list[list[int]]] = {strategy: [] for strategy in ZOOMED}
    for state in replayed(record, first, last):
        for strategy, some in observers.heights(state.weights, state.names).items():
            heights[strategy].append(some)
        progress(state.generation - first + 1, zoom)
    measures = {**wanted, "beaten": {strategy: counts(some, highest) for strategy, some in heights.items()}}
    write_atomically(path, (to_json(seal(measures), what="zoom") + "\n").encode())
    return measures


def champion(record: RunRecord) -> Path:
    """The net file of the last champion of a run."""
    return record.folder / str((record.result or {})["champion"])


Series = NDArray[np.float64]
"""[generations]: one number for each."""
