"""Values that do not fit are refused, each in one sentence that says which are allowed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import zeroply as zp
from zeroply import levels, nets
from zeroply.arena.openings import openings
from zeroply.arena.scores import Scoring
from zeroply.engine.session import GameSession
from zeroply.errors import ZeroplyError
from zeroply.learning.evolution.config import EvolveConfig, preset
from zeroply.learning.imitation.config import TrainConfig
from zeroply.learning.ntuple_coevolution import NtupleCoevolutionConfig
from zeroply.learning.strategies import Setup, strategy
from zeroply.learning.td_training import TdConfig
from zeroply.runs.driver import run_experiment
from zeroply.runs.registry import experiments

OTHELLO = zp.game("othello")


def made(spec: str, offspring: int | None = None) -> Any:
    """A strategy of evolution for a small net."""
    return strategy(spec, Setup(nets.population_net("mlp(hidden=1)", OTHELLO), 1, offspring, 1.0, 10, 1))


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "captures": (lambda: zp.game("atarigo(size=5, captures=0)"), "atarigo needs captures from 1 to 1000, not 0"),
    "hex": (lambda: zp.game("hex(size=2)"), "hex is played on sizes from 3 to 19, not 2"),
    "threads": (lambda: zp.player("alphabeta(depth=1, threads=0)", OTHELLO), "threads must be from 1 to"),
    "solve": (
        lambda: zp.player("engine(depth=1, solve=5)", "gomoku"),
        "engine takes solve and threads only in Othello",
    ),
    "ties": (
        lambda: zp.Choice(ties="first"),  # type: ignore[arg-type]
        "ties are broken at random or lowest, not 'first'",
    ),
    "share": (lambda: Scoring("length", 1.5), "the share of a score that depends on length is from 0 to 1, not 1.5"),
    "seconds": (lambda: GameSession("naive", "othello", seconds=0), "seconds must be above 0, not 0"),
    "balance": (
        lambda: openings("xot(balance=0)", OTHELLO, 1, 2),
        "balance of xot must be above 0 and at most 64 discs, not 0",
    ),
    "plies": (lambda: openings("file(some.txt, plies=0)", OTHELLO, 1, 2), "need 1 ply or more, not 0"),
    "openings": (lambda: openings([1, 2], OTHELLO, 1, 2), "openings are a spec such as random(plies=4)"),  # type: ignore[list-item]
    "sprt": (lambda: zp.match("naive", "random", sprt="narrow"), "sprt must be two Elo differences such as (0, 20)"),  # type: ignore[arg-type]
    "games": (lambda: zp.match("naive", "random", games=2.5), "games must be a whole number, not 2.5"),  # type: ignore[arg-type]
    "growth": (lambda: nets.untrained("densenet(growth=0)", "othello"), "growth must be from 1 to 256, not 0"),
    "dropout": (lambda: nets.untrained("dense(dropout=1)", "othello"), "dropout must be from 0 to 0.9, not 1"),
    "stages": (lambda: nets.untrained("staged(net=conv4, stages=0)", "othello"), "stages must be from 1 to 60, not 0"),
    "evolved": (lambda: nets.untrained("mlp", "othello"), "is evolved, not trained by gradient descent"),
    "preset": (lambda: preset("biggest"), "unknown preset 'biggest': presets are"),  # type: ignore[arg-type]
    "train preset": (
        lambda: TrainConfig(net="conv4", data="sets", preset="best"),  # type: ignore[arg-type]
        "unknown preset 'best': choose one of",
    ),
    "discs": (lambda: TrainConfig(net="conv4", data="sets", discs=0), "discs must be above 0 and at most 1000, not 0"),
    "parents": (lambda: EvolveConfig(parents=-1), "evolution needs 1 parent or more, and 1 offspring or more"),
    "population": (lambda: EvolveConfig(parents=10_001), "evolution takes at most 10000 parents and 10000 offspring"),
    "sigma": (lambda: NtupleCoevolutionConfig(sigma=0), "sigma must be above 0 and at most 1000, not 0"),
    "random plies": (lambda: NtupleCoevolutionConfig(plies=41), "plies must be from 0 to 40, not 41"),
    "td games": (lambda: TdConfig(net="conv4", games=0), "learning needs 1 game, 1 to 100000 games together"),
    "td trace": (lambda: TdConfig(net="conv4", trace=2), "epsilon and trace must be from 0 to 1"),
    "td rate": (lambda: TdConfig(net="conv4", rate=0), "the rate must be above 0 and at most 1"),
    "snes": (lambda: made("snes", 1), "strategy snes needs 2 offspring or more, not 1"),
    "es": (lambda: made("es(decay=1)"), "decay of strategy es must be from 0 to below 1, not 1"),
    "elitist": (lambda: made("elitist", 0), "evolution needs 1 parent or more, and 1 offspring or more"),
    "cma": (lambda: made("cma-es", 3), "CMA-ES needs 4 offspring or more, not 3"),
    "cma rates": (
        lambda: made("cma-es(separable=true, adapt_rates=true)", 8),
        "separable CMA-ES cannot adapt its rates",
    ),
    "kind": (lambda: experiments["tournament"], "unknown kind of run 'tournament': known kinds are"),
    "run": (lambda: zp.match("naive", "random", games=2, run=3), "run must be a path to a new folder, not 3"),  # type: ignore[arg-type]
    "folder": (
        lambda: run_experiment(experiments["train"](TrainConfig(net="conv4", data="sets"))),
        "train needs a folder for its run: give run=FOLDER",
    ),
    "setting": (lambda: zp.train(run="run", speed=3), "unknown setting speed: settings are"),
    "level": (
        lambda: levels.select("baseline" if levels.chosen() != "baseline" else "v3"),
        "the core is already loaded",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_values_out_of_range_are_refused(name: str) -> None:
    act, words = REFUSED[name]
    with pytest.raises(ZeroplyError) as refused:
        act()
    assert words in str(refused.value)
