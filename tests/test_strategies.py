"""Evolution strategies: each finds the optimum of a toy problem, and continues bit for bit from its arrays."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tiny_net  # noqa: F401  (registers the net "tiny")
import zeroply as zp
from zeroply import chance
from zeroply.errors import ZeroplyError
from zeroply.games import game
from zeroply.learning.evolution.config import EvolveConfig, preset
from zeroply.learning.evolution.evolve import evolve
from zeroply.learning.evolution.executors import Threads
from zeroply.learning.evolution.fitness import Fitness, evaluate
from zeroply.learning.evolution.net_opponents import Hall, net_opponents
from zeroply.learning.strategies import STRATEGIES, Setup, Strategy, best_first, fitness_of, strategy
from zeroply.learning.strategies.es import Rates
from zeroply.learning.strategies.snes import utilities
from zeroply.learning.strategies.strategy import shared_by_equals
from zeroply.nets import population_net

ALL: dict[str, dict[str, Any]] = {
    "elitist": {"sigma": 0.2},
    "self-adaptive(factors=common)": {"sigma": 0.3},
    "es(rate=0.1, last_rate=0.001, average=0.9)": {"offspring": 40},
    "snes": {"offspring": None, "sigma": 1.0},
    "cma-es": {"offspring": None, "sigma": 1.0},
    "cma-es(adapt_rates=true)": {"offspring": None, "sigma": 1.0},
    "cma-es(separable=true)": {"offspring": None, "sigma": 1.0},
}


class Broken(Strategy):
    """Gives arrays of a wrong shape; a strategy of the user for the tests."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup

    def ask(self, key: int) -> NDArray[np.float32]:
        return np.zeros((3, self.setup.net.parameters + 1), np.float32)

    def tell(self, fitness: NDArray[np.float64], key: int) -> None:
        raise AssertionError("it is never told")

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {}

    def restore(self, arrays: Any) -> None:
        pass


class Drawn(Broken):
    """New untrained nets in every generation; the fittest so far is the state."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.best = setup.untrained(1)[0]

    def ask(self, key: int) -> NDArray[np.float32]:
        self.asked = np.concatenate([self.best[None], self.setup.net.initial(chance.keys(key, np.arange(3)))])
        return self.asked

    def tell(self, fitness: NDArray[np.float64], key: int) -> None:
        self.best = self.asked[best_first(fitness)[0]]

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"best": self.best}

    def restore(self, arrays: Any) -> None:
        self.best = arrays["best"]


NOT_A_STRATEGY = 3


def made(spec: str, parents: int = 10, offspring: int | None = 10, sigma: float = 0.1) -> Strategy:
    net = population_net("mdrnn(k=2)", game("atarigo(size=5)"))
    return strategy(spec, Setup(net, parents, offspring, sigma, 300, 7))


def sphere(members: NDArray[np.float32]) -> NDArray[np.float64]:
    """Highest where every weight is 1."""
    return np.asarray(-((members.astype(np.float64) - 1) ** 2).sum(axis=1), np.float64)


def test_every_strategy_is_tested() -> None:
    assert {spec.partition("(")[0] for spec in ALL} == set(STRATEGIES)


@pytest.mark.parametrize("spec", ALL)
def test_a_strategy_finds_the_optimum_and_continues_bit_for_bit(spec: str) -> None:
    if spec.startswith("cma-es"):
        pytest.importorskip("cmaes")
    one, other = made(spec, **ALL[spec]), made(spec, **ALL[spec])
    before = sphere(one.ask(0)).max()
    for generation in range(300):
        members = one.ask(generation)
        if generation >= 150:
            assert (other.ask(generation) == members).all()
            other.tell(sphere(members), generation)
        one.tell(sphere(members), generation)
        if generation == 149:
            other.restore({name: array.copy() for name, array in one.arrays().items()})
    found = one.ask(300) if one.centre is None else one.centre[None]
    assert sphere(found).max() > -0.2 > before


def test_equal_members_share_their_parts() -> None:
    shared = shared_by_equals(np.array([4.0, 2.0, 1.0, 0.0]), np.array([5.0, 7.0, 5.0, 1.0]))
    assert shared.tolist() == [1.5, 4.0, 1.5, 0.0]


def test_es_does_not_move_if_all_are_equal() -> None:
    one = made("es", offspring=8)
    before = one.arrays()["mean"].copy()
    one.ask(1)
    one.tell(np.zeros(8), 1)
    assert (one.arrays()["mean"] == before).all()


def test_a_step_of_es_by_hand() -> None:
    one = made("es(rate=0.5, decay=0.1)", offspring=2, sigma=0.2)
    mean = one.arrays()["mean"].copy()
    pair = one.ask(3).astype(np.float64)
    one.tell(np.array([1.0, 2.0]), 0)
    # Adam's first step is the rate, in the direction of the better of the two.
    expected = (mean + 0.5 * np.sign(pair[1] - pair[0])) * 0.9
    assert one.arrays()["mean"] == pytest.approx(expected, abs=1e-5)


def test_the_rate_falls_like_half_a_wave() -> None:
    rates = Rates(first=0.1, last=0.02, decay=0.0, average=0.0, generations=11)
    assert [rates.at(0), rates.at(5), rates.at(10)] == pytest.approx([0.1, 0.06, 0.02])


def test_the_average_of_the_means_is_that_of_all_so_far() -> None:
    one = made("es(average=0.5)", offspring=4)
    means = []
    for generation in range(3):
        one.tell(sphere(one.ask(generation)), 0)
        means.append(one.arrays()["mean"])
    by_hand = (means[0] / 8 + means[1] / 4 + means[2] / 2) / (7 / 8)
    assert one.centre == pytest.approx(by_hand, abs=1e-6)


def test_utilities_of_snes_are_those_of_its_paper() -> None:
    raw = [max(0.0, math.log(6 / 2 + 1) - math.log(rank)) for rank in range(1, 7)]
    assert utilities(6) == pytest.approx([one / sum(raw) - 1 / 6 for one in raw])
    assert utilities(50).sum() == pytest.approx(0)


def test_a_fitness_with_a_given_order_has_that_order() -> None:
    order = np.array([3, 0, 2])
    assert best_first(fitness_of(order, 4)).tolist() == [3, 0, 2, 1]


def test_cma_es_leaves_numpys_own_generator_alone() -> None:
    pytest.importorskip("cmaes")
    before = np.random.get_state()[1].tolist()  # type: ignore[index] # noqa: NPY002
    one = made("cma-es", offspring=6)
    one.tell(sphere(one.ask(0)), 0)
    assert np.random.get_state()[1].tolist() == before  # type: ignore[index] # noqa: NPY002


# Opponents of the run


def champions_so_far(generations: int) -> Hall:
    hall = Hall()
    for generation in range(1, generations + 1):
        hall.add(np.full(2, generation, np.float32), generation)
    return hall


def test_the_hall_has_all_recent_champions_and_thins_the_old_ones() -> None:
    hall = champions_so_far(1000)
    numbers = [int(weights[0]) for weights in hall.weights]
    assert numbers[-Hall.RECENT :] == list(range(901, 1001))
    assert len(numbers) <= Hall.RECENT + Hall.OLDER
    assert numbers == sorted(set(numbers))
    assert np.diff(numbers[:20]).mean() > np.diff(numbers[60:80]).mean(), "the older the fewer"
    again = Hall()
    again.restore(hall.arrays())
    again.add(np.zeros(2, np.float32), 1001)
    hall.add(np.zeros(2, np.float32), 1001)
    assert (np.stack(again.weights) == np.stack(hall.weights)).all()


def test_earlier_opponents_are_the_last_champion_and_mostly_recent_ones() -> None:
    which, hall = net_opponents("earlier(n=200, recent=0.9, window=10)"), champions_so_far(150)
    assert which is not None
    numbers = which.draw(np.zeros((1, 2), np.float32), hall, 5)[:, 0]
    assert numbers[0] == 150
    assert 0.8 < (numbers > 140).mean() < 1
    assert numbers.min() < 100


@pytest.mark.parametrize("spec", ["population(n=3)", "hall(n=3)", "earlier(n=3)"])
def test_without_champions_opponents_come_from_the_generation(spec: str) -> None:
    which, population = net_opponents(spec), np.arange(8, dtype=np.float32).reshape(4, 2)
    assert which is not None
    drawn = which.draw(population, Hall(), 3)
    assert len(drawn) == len(np.unique(drawn[:, 0])) == 3
    assert np.isin(drawn[:, 0], population[:, 0]).all()


def test_players_are_no_nets_of_the_run() -> None:
    assert net_opponents("naive") is None


# Own strategies, and bad ones


def test_a_strategy_of_ones_own_evolves(tmp_path: Path) -> None:
    config = EvolveConfig(net="tiny", strategy=f"{__name__}:Drawn", games=20, generations=6, seed=3)
    result = evolve(config, run=tmp_path / "run")
    assert result.generations[-1].mean > -1
    assert len(result.generations) == 6


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"strategy": "annealing"}, "unknown strategy 'annealing'"),
        ({"strategy": "es(speed=3)"}, "strategy es has no key 'speed'"),
        ({"strategy": "es(rate=-1)"}, "rate of strategy es must be above 0"),
        ({"strategy": "es", "offspring": 5}, "an even number of offspring"),
        ({"strategy": "self-adaptive", "offspring": 5}, "as many offspring as parents"),
        ({"strategy": "nosuchmodule:Mine"}, "strategy nosuchmodule:Mine needs the module nosuchmodule"),
        ({"strategy": f"{__name__}:Nobody"}, "has no Nobody"),
        ({"strategy": "os:abort"}, "must be a subclass of"),
        ({"strategy": f"{__name__}:NOT_A_STRATEGY"}, "must be a subclass of"),
        ({"strategy": f"{__name__}:Broken"}, r"must give an array \[members, 3\], not an array of shape \(3, 4\)"),
        ({"strategy": "snes(rate=0)"}, "rates of strategy snes"),
        ({"opponents": ("hall(n=0)",)}, "from 1 to 1000"),
        ({"opponents": ("earlier(window=0)",)}, "a window from 1"),
        ({"openings": "random(plies=4, to=3)"}, "cannot have at most 3"),
        ({"save_every": 0}, "save_every must be 1 or more"),
    ],
)
def test_a_strategy_that_cannot_work_is_one_sentence(tmp_path: Path, changes: dict[str, Any], why: str) -> None:
    with pytest.raises(ZeroplyError, match=why):
        evolve(EvolveConfig(**{"net": "tiny", "games": 4, "generations": 2, **changes}), run=tmp_path / "run")


# Learning


def test_self_play_from_openings_learns_to_beat_the_random_player(tmp_path: Path) -> None:
    changes = {"game": "atarigo(size=5)", "net": "mdrnn(k=3)", "offspring": 40, "sigma": 0.3, "generations": 30}
    strategy_spec = "es(rate=0.1, average=0.8)"
    config = preset("self-play", **changes, strategy=strategy_spec, openings="random(plies=1, to=3)", seed=2)
    result = evolve(config, run=tmp_path / "run")
    rules, player = game(config.game), f'net("{result.champion}")'
    score = zp.match(player, "random", game=rules, games=400, openings="random(plies=2)", seed=1).score
    assert score > 0.8


def test_all_members_have_the_same_openings_and_opponents() -> None:
    rules = game("atarigo(size=5)")
    net = population_net("mlp(hidden=5)", rules)  # no two moves are equal
    weights = np.tile(net.initial([5]), (3, 1))
    fitness = Fitness(game=str(rules), opponents=("earlier(n=2)",), games=12, openings="random(plies=3)")
    with Threads() as threads:
        drawn = {"earlier(n=2)": net.initial([8, 9])}
        (outcome,) = evaluate(fitness, "mlp(hidden=5)", weights, 5, threads, drawn).values()
    assert (outcome.scores == outcome.scores[0]).all()
    assert len(set(outcome.scores[0])) > 2
    assert fitness.starts(str(rules), 5) != fitness.starts(str(rules), 6)
