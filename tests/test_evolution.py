"""Evolution against fixed opponents: fitness, objectives, strategies; runs that workers and kills leave alone."""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

import zeroply as zp
from tiny_net import TinyNet, member_player, same_net
from zeroply import chance, nets
from zeroply.arena.play import play
from zeroply.arena.populations import Seats, game_keys
from zeroply.cli.main import main
from zeroply.errors import ZeroplyError
from zeroply.games import game
from zeroply.learning.champions import champions
from zeroply.learning.evolution import executors, pareto
from zeroply.learning.evolution.config import EvolveConfig, preset
from zeroply.learning.evolution.evolve import EvolutionGeneration, evolve
from zeroply.learning.evolution.executors import Threads, Workers, workers
from zeroply.learning.evolution.fitness import (
    Fitness,
    Outcome,
    Trial,
    evaluate,
    mean_score,
    resized,
    tasks,
    try_members,
)
from zeroply.learning.evolution.objectives import objectives, values
from zeroply.learning.generations import GenerationsResult
from zeroply.learning.strategies import mutated
from zeroply.learning.strategies.mu_lambda import MuLambda
from zeroply.nets.population import VECTOR, Member
from zeroply.runs import Run
from zeroply.runs.resume import resume
from zeroply.studies.measured import pearson
from zeroply.studies.schaul.scenarios import scaling

Values = hnp.arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 3)), elements=st.integers(-3, 3))
QUICK: dict[str, Any] = {"net": "tiny", "games": 10, "generations": 4, "parents": 3, "offspring": 3, "seed": 2}


def tiny(members: int, spec: str = "atarigo(size=5)") -> NDArray[np.float32]:
    return TinyNet(game(spec)).initial(chance.keys(3, np.arange(members)))


# Fitness


def test_fitness_is_the_mean_score_of_games_like_any_others() -> None:
    fitness, weights = Fitness(game="atarigo(size=5)", games=40), tiny(3)
    with Threads() as pool:
        outcome = evaluate(fitness, "tiny", weights, 5, pool)[fitness.trials()[0]]
    assert outcome.scores.shape == outcome.results.shape == outcome.lateness.shape == (3, 40)
    net = TinyNet(game("atarigo(size=5)"))
    for member, results in enumerate(outcome.results):
        players = [member_player(net, weights[member]), zp.player("naive", net.game)]
        keys = game_keys(chance.key(5, "trial", 0), [member], 40)
        played = play(players, np.tile([[0, 1], [1, 0]], (20, 1)), net.game.start(40), keys)
        assert (results == played.winner * np.tile([1, -1], 20)).all(), "it has Black in every other game"
    assert (np.sign(outcome.scores) == outcome.results).all()
    assert np.allclose(np.abs(outcome.scores), 1 - 0.2 * outcome.lateness)
    assert mean_score({Trial("", "", 0): outcome}) == pytest.approx(outcome.scores.mean(axis=1))


def test_nets_that_are_always_white_play_no_game_with_black() -> None:
    weights = tiny(3)
    with Threads() as pool:
        scores = {
            colours: mean_score(
                evaluate(Fitness(game="atarigo(size=5)", games=200, colours=colours), "tiny", weights, 5, pool)
            )
            for colours in ("both", "black", "white")
        }
    seats = Seats.pairs([[1, 0]], 4, "white")
    assert not seats.first_is_black.any()
    assert seats.members[:, 1].tolist() == [1] * 4
    assert Seats.pairs([[1, 0]], 4, "black").first_is_black.all()
    assert scores["both"] == pytest.approx((scores["black"] + scores["white"]) / 2, abs=0.2)
    assert (scores["black"] != scores["white"]).any()


def test_members_do_the_same_in_any_company() -> None:
    fitness = Fitness(game="atarigo(size=5)", games=100)
    weights = tiny(12)
    with Threads() as pool:
        whole = mean_score(evaluate(fitness, "tiny", weights, 5, pool))
        part = mean_score(evaluate(fitness, "tiny", weights[:7], 5, pool))
    assert (whole[:7] == part).all()


def test_several_opponents_and_boards_are_tried_each_with_each() -> None:
    fitness = Fitness(game="gomoku(size=5)", opponents=("naive", "random"), sizes=(5, 7), games=4)
    assert [(game(t.game).size, t.opponent) for t in fitness.trials()] == [
        (5, "naive"),
        (5, "random"),
        (7, "naive"),
        (7, "random"),
    ]
    with Threads() as pool:
        outcomes = evaluate(fitness, "tiny", tiny(2), 1, pool)
    assert list(outcomes) == fitness.trials()
    by_hand = np.mean([outcome.scores.mean(axis=1) for outcome in outcomes.values()], axis=0)
    assert mean_score(outcomes) == pytest.approx(by_hand)


def test_another_size_keeps_all_other_rules() -> None:
    assert resized("atarigo(size=5, suicide=illegal)", 9) == game("atarigo(size=9, suicide=illegal)")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"games": 3}, "even number of games"),
        ({"games": 0}, "even number of games"),
        ({"games": 3 * 10**12}, "even number of games up to 1,000,000"),
        ({"opponents": ()}, "needs an opponent"),
        ({"opponents": ("greedy",)}, "player greedy is for othello"),
        ({"opponents": ("nobody",)}, "unknown player"),
        ({"opponents": ("naive", "random", "naive")}, "same opponent on the same board twice"),
        ({"sizes": (5, 5)}, "same opponent on the same board twice"),
        ({"sizes": (4,)}, "sizes from 5"),
        ({"temperature": -1.0}, "temperature"),
        ({"by": "discs"}, "cannot be scored by discs"),
        ({"game": "chess"}, "unknown game"),
    ],
)
def test_fitness_that_cannot_be_had_is_refused_in_a_sentence(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(ZeroplyError, match=why):
        Fitness(**{"game": "atarigo(size=5)", **changes})


def test_an_opponent_whose_file_has_changed_is_never_taken_for_the_old_one(tmp_path: Path) -> None:
    spec, file = "atarigo(size=5)", tmp_path / "opponent.safetensors"
    net = TinyNet(game(spec))
    scores = []
    for key in (1, 2):
        nets.save(Member(net, {VECTOR: net.initial([key])[0]}), file)
        fitness = Fitness(game=spec, opponents=(f'net("{file}")',), games=20)
        with Threads() as pool:
            scores.append(mean_score(evaluate(fitness, "tiny", tiny(2), 5, pool)).tolist())
            if key == 2:
                nets.save(Member(net, {VECTOR: net.initial([3])[0]}), file)
                stale = [replace(task, fingerprint="another") for task in tasks(fitness, "tiny", tiny(2), 5)]
                with pytest.raises(ZeroplyError, match="give all workers the same files"):
                    pool.map(try_members, stale)
    assert scores[0] != scores[1]


# Objectives and Pareto ranking


def outcome(results: list[int], lateness: list[float]) -> Outcome:
    won = np.array([results], np.int8)
    return Outcome(won * (1 - 0.2 * np.array([lateness])), won, np.array([lateness]))


def test_objectives_of_an_example_by_hand() -> None:
    fitness = Fitness(game="atarigo(size=5)", games=4)
    found = {fitness.trials()[0]: outcome([1, -1, 1, 0], [0.0, 1.0, 0.5, 0.7])}
    wanted = objectives(["black", "white", "speed", "score"], fitness)
    # Black won both, White lost one and drew one; wins at 0 and 1/2 of the longest game, a loss at the very end.
    by_hand = [1.0, 0.25, (1 + 1 + 0.5 + 0.5) / 4, (1 - 0.8 + 0.9 + 0) / 4]
    assert values(wanted, found)[0] == pytest.approx(by_hand)


def test_an_objective_can_look_at_one_opponent_on_one_board() -> None:
    fitness = Fitness(game="atarigo(size=5)", opponents=("naive", "random"), sizes=(5, 7), games=2)
    found = {trial: outcome([1, number % 2], [0.0, 0.0]) for number, trial in enumerate(fitness.trials())}
    wanted = objectives(["white(opponent=random)", "white(opponent=naive, size=7)", "white(size=5)"], fitness)
    assert values(wanted, found)[0] == pytest.approx([1.0, 0.5, 0.75])


@pytest.mark.parametrize("spec", ["white(opponent=greedy)", "black(size=19)"])
def test_an_objective_that_looks_at_nothing_is_refused(spec: str) -> None:
    with pytest.raises(ZeroplyError, match="not played"):
        objectives([spec], Fitness(game="atarigo(size=5)"))


def test_fronts_and_crowding_of_an_example_by_hand() -> None:
    points = np.array([[0, 4], [1, 3], [3, 1], [4, 0], [1, 1], [0, 0.0]])
    assert pareto.fronts(points).tolist() == [0, 0, 0, 0, 1, 2]
    crowded = pareto.crowding(points[:4])
    assert crowded.tolist() == [np.inf, 3 / 4 + 3 / 4, 3 / 4 + 3 / 4, np.inf]
    assert pareto.ranking(points).tolist() == [0, 3, 1, 2, 4, 5]


@given(Values)
def test_nobody_in_the_first_front_is_dominated_and_all_others_are(points: NDArray[np.float64]) -> None:
    front = pareto.fronts(points)
    over = pareto.dominates(points)
    for number in range(front.max() + 1):
        left = front >= number
        assert not over[left][:, front == number].any()
        if number:
            assert over[front == number - 1][:, front == number].any(axis=0).all()


@given(Values)
def test_a_ranking_holds_everybody_once_and_never_puts_the_dominated_first(points: NDArray[np.float64]) -> None:
    order = pareto.ranking(points)
    assert sorted(order) == list(range(len(points)))
    over = pareto.dominates(points)
    for place, later in enumerate(order):
        assert not over[later, order[:place]].any()


@given(Values)
def test_with_one_objective_pareto_is_the_plain_order(points: NDArray[np.float64]) -> None:
    one = points[:, :1]
    assert (np.diff(one[pareto.ranking(one), 0]) <= 0).all()


# Strategies


def test_the_best_stay_and_each_has_as_many_offspring() -> None:
    first = TinyNet(game("atarigo(size=5)")).initial(chance.keys(1, np.arange(6)))
    strategy = MuLambda(first, 2, 0.1)
    before = strategy.ask(0).copy()
    strategy.tell(np.array([3.0, 4.0, 2.0, 1.0, 0.0, 5.0]), key=9)
    after = strategy.ask(0)
    assert (after[:2] == before[[5, 1]]).all()
    distance = np.abs(after[2:, None] - before[None, [5, 1]]).max(axis=2)
    assert (distance.argmin(axis=1) == [0, 1, 0, 1]).all()


def test_a_mutation_changes_every_weight_by_a_normal_draw() -> None:
    steps = mutated(np.zeros((50, 400), np.float32), 0.1, key=3)
    assert steps.mean() == pytest.approx(0, abs=0.003)
    assert steps.std() == pytest.approx(0.1, rel=0.02)
    assert (steps != 0).all()
    assert (steps == mutated(np.zeros((50, 400), np.float32), 0.1, key=3)).all()


def test_the_first_generation_is_scaled() -> None:
    net = TinyNet(game("atarigo(size=5)"))
    usual, tenth = (EvolveConfig(net="tiny", weights_scale=scale).start(net).ask(0) for scale in (1.0, 0.1))
    assert tenth == pytest.approx(usual / 10)


def test_hill_climbing_is_one_parent_and_one_offspring() -> None:
    config = preset("hill-climbing", net="tiny")
    assert (config.parents, config.offspring) == (1, 1)


# Runs


def test_evolution_gets_better_against_its_opponent(tmp_path: Path) -> None:
    config = preset("schaul", net="tiny", games=40, generations=12, seed=1)
    result = evolve(config, run=tmp_path / "run")
    assert len(result.generations) == 12
    assert result.generations[-1].mean > result.generations[0].mean + 0.3
    first, last = (
        zp.match(member_player(TinyNet(game(config.game)), one), "naive", game=config.game, games=400, seed=1).score
        for one in (champions(tmp_path / "run").weights[0], champions(tmp_path / "run").weights[-1])
    )
    assert last > max(first, 0.5), "what is called fitness wins games"
    events = list(Run.read(tmp_path / "run").events("generation"))
    assert [event["best"] for event in events] == [one.best for one in result.generations]


def test_the_champion_of_a_generation_has_the_fitness_that_was_logged(tmp_path: Path) -> None:
    config = preset("schaul", **QUICK)
    result = evolve(config, run=tmp_path / "run")
    kept = champions(tmp_path / "run").weights
    first = config.start(TinyNet(game(config.game))).ask(0)
    key = chance.key(chance.key(config.seed, "evolve", 1), "games")
    with Threads() as pool:
        fitness = mean_score(evaluate(config.fitness, config.net, first, key, pool))
    assert fitness.max() > fitness.mean()
    assert result.generations[0].best == fitness.max()
    assert (kept[0] == first[fitness.argmax()]).all()


def interrupted(config: EvolveConfig, folder: Path, stop: int) -> GenerationsResult[EvolutionGeneration]:
    def interrupt(done: int, total: int, text: str = "") -> None:
        if done == stop:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evolve(config, run=folder, progress=interrupt)
    found: GenerationsResult[EvolutionGeneration] = resume(folder)
    return found


@pytest.mark.parametrize("stop", [1, 3, 4])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"objectives": ("black", "white", "speed")},
        {"strategy": "cma-es", "offspring": 5, "sigma": 1.0},
        {"strategy": "cma-es(adapt_rates=true)", "offspring": 5, "sigma": 1.0, "opponents": ("naive", "hall(n=2)")},
        {"strategy": "es(average=0.5, last_rate=0.001)", "offspring": 4, "opponents": ("earlier(n=2)",)},
        {"strategy": "snes", "offspring": 5, "opponents": ("population(n=2)",), "openings": "random(plies=2)"},
        {"strategy": "self-adaptive", "opponents": ("hall(n=2)",), "save_every": 2},
    ],
    ids=["elitist", "pareto", "cma-es", "cma-es-adapting", "es", "snes", "self-adaptive"],
)
def test_a_run_that_is_interrupted_ends_as_if_it_had_not_been(
    tmp_path: Path, stop: int, changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    if changes.get("strategy", "").startswith("cma-es"):
        pytest.importorskip("cmaes")
    monkeypatch.setattr(Run, "save_due", lambda run, seconds: True)
    config = EvolveConfig(**{**QUICK, **changes})
    whole = evolve(config, run=tmp_path / "whole")
    resumed = interrupted(config, tmp_path / "broken", stop)
    assert resumed.generations == whole.generations
    assert (champions(tmp_path / "broken").weights == champions(tmp_path / "whole").weights).all()
    assert same_net(resumed.champion, whole.champion)


def test_opponents_that_have_changed_are_noticed_unless_all_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(done: int, total: int, text: str = "") -> None:
        raise KeyboardInterrupt

    config = preset("schaul", **QUICK)
    with pytest.raises(KeyboardInterrupt):
        evolve(config, run=tmp_path / "begun", progress=stop)
    whole = evolve(config, run=tmp_path / "done")
    monkeypatch.setattr(zp.Player, "fingerprint", lambda self: "another")
    with pytest.raises(ZeroplyError, match="has changed"):
        resume(tmp_path / "begun")
    assert resume(tmp_path / "done") == whole


def test_pareto_selection_keeps_different_trade_offs(tmp_path: Path) -> None:
    values = np.array([[0.9, 0.0], [0.6, 0.6], [0.0, 0.9], [0.5, 0.5], [0.55, 0.5]])
    assert set(pareto.ranking(values)[:3]) == {0, 1, 2}
    assert set(np.argsort(-values.mean(axis=1))[:3]) == {1, 3, 4}, "the mean would keep no specialist"
    config = preset("schaul", **{**QUICK, "objectives": ("black", "white")})
    result = evolve(config, run=tmp_path / "run")
    assert all(len(one.objectives) == 2 for one in result.generations)


# Workers


class Flaky(Workers):
    """Workers that die in the middle of their work."""

    name = "flaky workers"
    lost = (ConnectionError,)

    def __init__(self, deaths: int) -> None:
        self.deaths = deaths
        super().__init__()

    def _start(self) -> Any:
        return ThreadPoolExecutor(1)

    def _wrapped(self, function: Any) -> Any:
        def work(task: Any) -> Any:
            if self.deaths:
                self.deaths -= 1
                raise ConnectionError
            return function(task)

        return work


def test_work_of_dead_workers_is_given_out_again() -> None:
    with Flaky(deaths=3) as pool:
        assert pool.map(lambda task: task * task, [1, 2, 3, 4]) == [1, 4, 9, 16]


def test_workers_that_die_again_and_again_are_an_error() -> None:
    with Flaky(deaths=10_000) as pool, pytest.raises(ZeroplyError, match="flaky workers died 5 times"):
        pool.map(lambda task: task, [1, 2])


def test_an_error_in_a_task_is_not_taken_for_a_dead_worker() -> None:
    def fail(task: int) -> int:
        raise ZeroplyError("no such task")

    with Threads() as pool, pytest.raises(ZeroplyError, match="no such task"):
        pool.map(fail, [1])


class Scheduler:
    """A dask client whose cluster is in a given state, and that finishes its work when asked once too often."""

    def __init__(self, status: str, workers: list[dict[str, int]], work: Future[int]) -> None:
        self.status, self.workers, self.work = status, workers, work

    def scheduler_info(self) -> dict[str, Any]:
        if len(self.workers) == 1:
            self.work.set_result(7)
        return {"workers": self.workers.pop(0)}

    def get_executor(self, **_: Any) -> Any:
        work = self.work

        class Submitting:
            def submit(self, *_: Any) -> Future[int]:
                return work

            def shutdown(self, **_: Any) -> None:
                pass

        return Submitting()

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("status", "alive", "says"),
    [
        ("running", [{"a": 1}, {}, {}], ""),
        ("closed", [{}, {}], "the scheduler of cluster tcp://a:1 is gone: start it and resume the run"),
        ("running", [{}, {}, {}, {}, {}], "cluster tcp://a:1 has no workers: start some and resume the run"),
    ],
)
def test_a_cluster_without_workers_is_given_up_after_a_while(
    status: str, alive: list[dict[str, int]], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed")
    work: Future[int] = Future()
    monkeypatch.setattr(distributed, "Client", lambda *_, **__: Scheduler(status, alive, work))
    monkeypatch.setattr(executors, "PATIENCE", 2.5)
    monkeypatch.setattr(executors, "wait", lambda some, timeout: wait(some, timeout=0))
    now = iter(range(1, 100))
    monkeypatch.setattr("time.monotonic", lambda: float(next(now)))
    pool = executors.Cluster("tcp://a:1")
    if says:
        with pytest.raises(ZeroplyError, match=says):
            pool.map(abs, [-7])
    else:
        assert pool.map(abs, [-7]) == [7]


def test_a_cluster_needs_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ZeroplyError, match=r"a cluster needs dask: install it with pip install '.\[cluster\]'"):
        executors.Cluster("local:1")


@pytest.mark.parametrize("where", ["", "thread", "processes", "processes:0", "local:-1", "local:5000", "tcp://"])
def test_unknown_workers_are_refused(where: str) -> None:
    with pytest.raises(ZeroplyError, match="workers"):
        workers(where)


# Scaling between board sizes


def test_pearson_of_an_example_by_hand() -> None:
    assert pearson([1, 2, 3], [2, 4, 6]) == pytest.approx(1)
    assert pearson([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert pearson([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(0.8)
    assert pearson([1, 1, 1], [1, 2, 3]) == 0


def test_scaling_counts_those_that_do_better_on_the_larger_board() -> None:
    found = scaling([0.0, 0.1, 0.2, 0.3, 0.5], [0.1, 0.2, 0.1, 0.3, 0.6])
    assert found.p.value == pytest.approx(3.5 / 5)
    assert found.r.interval().low < found.r.value < found.r.interval().high


@given(st.integers(1, 1000))
def test_the_correlation_lies_in_its_interval_and_covers_the_truth_mostly(seed: int) -> None:
    x = np.random.default_rng(seed).normal(size=(200, 2))
    found = scaling(x[:, 0], x[:, 0] + x[:, 1]).r
    assert found.interval().low < found.value < found.interval().high
    error = (np.arctanh(found.value) - np.arctanh(2**-0.5)) * np.sqrt(197)  # in standard errors
    assert abs(error) < 4.5


# The command


def test_bad_input_leaves_no_run_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"
    for options, why in [
        (["--net", "nosuchnet"], "nosuchnet"),
        (["--net", "tiny", "--game", "atarigo(size=4)"], "sizes from 5"),
        (["--net", "tiny", "--games", "7"], "even number of games"),
        (["--net", "tiny", "--generations", "0"], "1 generation"),
        (["--net", "tiny", "--cluster", "elsewhere"], "tcp://host:port or local:2"),
        (["--net", "tiny", "--cluster", "local:2", "--processes", "2"], "not both"),
        (["--net", "tiny", "--objectives", "beauty"], "unknown objective"),
        (["--net", "tiny", "--opponents", "nobody"], "unknown player"),
        (["--net", "tiny", "--sigma", "-1"], "sigma"),
        (["--net", "tiny", "--weights-scale", "0"], "weights_scale must be above 0"),
        (
            ["--net", "tiny", "--preset", "cma-es", "--weights-scale", "0.1"],
            "weights_scale changes nothing with cma-es",
        ),
        (["--net", "tiny", "--colours", "white", "--objectives", "black"], "use colours=both"),
        (["--net", "mdrnn(k=0)"], "must be from 1 to"),
        (["--net", "mlp(hidden=5)", "--sizes", "5", "7"], "cannot change its board size"),
    ]:
        with pytest.raises(SystemExit) as ended:
            main(["evolve", "--run", str(out), *options])
        said = capsys.readouterr().err
        assert ended.value.code == 2, options
        assert why in said
        assert said.count("\n") == 1
        assert not out.exists()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (
            ["--preset", "self-play", "--game", "atarigo(size=5)", "--offspring", "4"],
            {"opponents": ["earlier(n=3)"], "sigma": 0.15, "games": 2, "offspring": 4, "save_every": 100},
        ),
        ([], {"strategy": "elitist", "parents": 10, "offspring": 10, "sigma": 0.1}),
        (
            ["--parents", "5", "--offspring", "5", "--weights-scale", "0.1", "--colours", "white"],
            {"parents": 5, "offspring": 5, "weights_scale": 0.1, "colours": "white"},
        ),
        (["--preset", "hill-climbing"], {"strategy": "elitist", "parents": 1, "offspring": 1, "sigma": 0.1}),
        (["--preset", "cma-es"], {"strategy": "cma-es", "offspring": None, "sigma": 1.0}),
        (["--preset", "cma-es", "--offspring", "5", "--sigma", "2"], {"offspring": 5, "sigma": 2.0}),
    ],
)
def test_a_preset_gives_defaults_that_options_change(
    options: list[str], expected: dict[str, object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if "cma-es" in options:
        pytest.importorskip("cmaes")
    main(["evolve", "--net", "tiny", "--games", "2", "--generations", "1", "--run", str(tmp_path / "run"), *options])
    config = Run.read(tmp_path / "run").info.config
    assert {name: config[name] for name in expected} == expected


def test_an_unreachable_cluster_is_one_sentence_and_no_run_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(executors, "SECONDS_TO_CONNECT", 1.0)
    with pytest.raises(SystemExit) as ended:
        main(["evolve", "--net", "tiny", "--run", str(tmp_path / "run"), "--cluster", "tcp://127.0.0.1:9"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "no dask scheduler answers at tcp://127.0.0.1:9" in said
    assert said.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_the_command_prints_json_and_champions_can_be_taken_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, file = tmp_path / "run", tmp_path / "second.safetensors"
    main(["evolve", "--net", "tiny", "--games", "4", "--generations", "3", "--run", os.fspath(run), "--json"])
    assert [one["number"] for one in json.loads(capsys.readouterr().out)["generations"]] == [1, 2, 3]
    main(["champion", str(run), "--generation", "2", "--out", str(file), "--json"])
    assert json.loads(capsys.readouterr().out) == {
        "file": str(file),
        "player": f'net("{file}")',
        "generation": 2,
        "of": 3,
    }
    main(["resume", str(run), "--json"])
    assert len(json.loads(capsys.readouterr().out)["generations"]) == 3
