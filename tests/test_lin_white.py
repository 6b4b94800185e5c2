"""Coevolution of spatial nets: mutation, tournament, selection, observers; a run is the same however it is run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from numpy.typing import NDArray

from spatial_reference import move_values
from tiny_net import same_net
from zeroply import _core, chance, game, levels
from zeroply.arena.ladder import ladder
from zeroply.cli.main import main
from zeroply.errors import ZeroplyError
from zeroply.learning.champions import champions
from zeroply.learning.coevolution import lin_white
from zeroply.learning.coevolution.lin_white import LinWhiteConfig, LinWhiteGeneration
from zeroply.learning.coevolution.observers import ObserverConfig, Observers
from zeroply.learning.coevolution.run_analysis import inheritance, repeatability, replayed, saved_parents, variety
from zeroply.learning.coevolution.tournaments import Tournament, fair, play_games, unfair
from zeroply.learning.evolution.executors import Threads, Workers, workers
from zeroply.learning.strategies.self_adaptive import Parents, tau, with_children
from zeroply.nets.files import read
from zeroply.nets.population import VECTOR
from zeroply.nets.spatial import SpatialNet
from zeroply.runs import Run
from zeroply.runs.files import seal
from zeroply.runs.resume import resume
from zeroply.studies.lin_white import runs as w_runs

OTHELLO = game("othello")
OBSERVE = ObserverConfig(every=4, strategies=("positional", "pieces"), highest=2)
SMALL = LinWhiteConfig(
    net="spatial(layer=rows)", population=8, opponents=4, generations=12, save_every=5, observe=OBSERVE, seed=3
)


class StopError(Exception):
    """Stands for a kill."""


def asked(config: LinWhiteConfig, parents: Parents, key: int) -> NDArray[np.float32]:
    """All nets of a generation."""
    return lin_white.all_players(config, lin_white.strategy_of(config, parents), key)


def next_generation(config: LinWhiteConfig, net: SpatialNet, parents: Parents) -> tuple[Parents, LinWhiteGeneration]:
    """The parents after a generation, and its figures."""
    strategy = lin_white.strategy_of(config, parents)
    with Threads() as workers:
        done = lin_white.next_generation(config, net, strategy, workers)
    return strategy.parents, done


def test_tau_is_the_papers() -> None:
    assert int(tau(4710) * 1e5) == 8535  # the paper cuts where it could round
    assert int(tau(5900) * 1e5) == 8068


def test_in_the_fair_tournament_all_nets_meet_the_same_opponents() -> None:
    pairings = fair(100, 10)
    assert len(pairings.black) == 1000
    for net in range(100):
        assert sorted(pairings.black[pairings.white == net]) == [100, 101, 102, 103, 104]
        assert sorted(pairings.white[pairings.black == net]) == [105, 106, 107, 108, 109]


def test_in_the_unfair_tournament_the_number_of_games_is_chance() -> None:
    pairings = unfair(100, 10, 7)
    assert len(pairings.black) == 500
    assert (pairings.black != pairings.white).all()
    games = np.bincount(np.concatenate([pairings.black, pairings.white]), minlength=100)
    assert games.sum() == 1000
    assert games.min() >= 5
    assert games.max() > 12
    assert 0.4 < (pairings.black < pairings.white).mean() < 0.6


def test_a_whole_generation_is_what_a_plain_twin_makes_of_it() -> None:
    """Every recorded move is as good as the best to 1e-5, and points and survivors follow from the games."""
    config = replace(SMALL, net="spatial(layer=queen)", population=12, opponents=6)
    net = lin_white.spatial_net(config.net)
    state = lin_white.first_parents(config, net)
    key = chance.key(config.seed, lin_white.KIND, 1)
    weights = asked(config, state, key)
    assert len(weights) == 12 + 6
    pairings = lin_white.tournament(config, key)
    scores, moves = net.play(weights, pairings.black, pairings.white)
    positions = OTHELLO.start(len(scores))
    for ply in range(60):
        on_turn = np.where(positions.to_move() > 0, pairings.black, pairings.white)
        for member in np.unique(on_turn):
            rows = np.flatnonzero((on_turn == member) & ~positions.over())
            if len(rows):
                values = move_values(net, weights[member], positions[rows])
                played = values[np.arange(len(rows)), moves[rows, ply]]
                assert (played >= values.max(axis=1) - 1e-5).all()
        positions.play(moves[:, ply].astype(np.int32))
    assert positions.over().all()
    assert (positions.stones().sum(axis=1) == scores).all()
    points = [
        int(scores[pairings.black == number].sum() - scores[pairings.white == number].sum()) for number in range(12)
    ]
    expected = sorted(range(12), key=lambda number: (-points[number], number))[:6]
    after, done = next_generation(config, net, state)
    assert (after.weights == weights[expected]).all()
    assert after.born.tolist() == [0 if number < 6 else 1 for number in expected]
    assert (done.number, done.best, done.cut) == (1, max(points), points[expected[-1]])
    assert done.mean == pytest.approx(np.mean(points))
    assert done.fresh == sum(number >= 6 for number in expected)
    assert done.survival == pytest.approx(np.mean([2 if number < 6 else 1 for number in expected]))
    assert done.oldest == (2 if min(expected) < 6 else 1)


def test_children_are_their_parents_with_small_changes() -> None:
    net = lin_white.spatial_net("spatial")
    config = LinWhiteConfig()
    state = lin_white.first_parents(config, net)
    weights, steps = with_children(state, 10, config.factors, 1)
    assert weights.shape == (110, 4710)
    changes = (weights[50:100] - state.weights) / steps[50:100]
    assert changes.std() == pytest.approx(1, rel=0.01)
    assert changes.mean() == pytest.approx(0, abs=0.01)
    grown = np.log(steps[50:100] / np.float32(0.05))
    assert grown.std() == pytest.approx(0.08535, rel=0.01)
    distances = np.abs(weights[100:, None] - state.weights[None]).mean(axis=2)
    assert len(set(distances.argmin(axis=1))) == 10  # the extra offspring are of ten parents
    assert distances.min(axis=1).max() < 0.05


def test_the_steps_of_a_child_can_change_together() -> None:
    net = lin_white.spatial_net("spatial")
    config = LinWhiteConfig(factors="common")
    state = lin_white.first_parents(config, net)
    weights, steps = with_children(state, 10, config.factors, 1)
    assert (steps[:50] == np.float32(0.05)).all()
    assert (steps[50:] == steps[50:, :1]).all()
    assert np.log(steps[50:, 0] / np.float32(0.05)).std() == pytest.approx(0.08535, rel=0.3)
    changes = (weights[50:100] - state.weights) / steps[50:100]
    assert changes.std() == pytest.approx(1, rel=0.01)
    literal = asked(LinWhiteConfig(), state, 1)
    assert (literal[:50] == weights[:50]).all()
    assert np.corrcoef((literal - weights)[50:100].ravel(), changes.ravel())[0, 1] == pytest.approx(0, abs=0.1)


def test_a_step_can_change_by_the_number_that_its_weight_moves_by() -> None:
    """One number for both equations of section II-C: steps that grow go up, so weights drift up."""
    net = lin_white.spatial_net("spatial")
    state = lin_white.first_parents(LinWhiteConfig(), net)
    weights, steps = with_children(state, 10, "same", 1)
    moves = (weights[50:100] - state.weights) / steps[50:100]
    np.testing.assert_allclose(np.log(steps[50:100] / np.float32(0.05)), 0.08535 * moves, atol=1e-4)
    assert (weights[50:100] - state.weights).mean() == pytest.approx(0.05 * 0.08535, rel=0.1)


def test_no_weight_and_no_step_grows_beyond_1e15() -> None:
    """So that sums stay finite: the largest number of single precision is 3e38."""
    net = lin_white.spatial_net("spatial(layer=subsquares)")
    largest = np.float32(1e15)
    signs = np.where(np.arange(4 * net.parameters).reshape(4, -1) % 2, -1, 1)
    weights, steps = (signs * largest).astype(np.float32), np.full((4, net.parameters), largest)
    children, their_steps = np.empty_like(weights), np.empty_like(steps)
    for generation in range(3):
        keys = chance.keys(generation, np.arange(4))
        _core.mutate(weights, steps, np.arange(4, dtype=np.int32), keys, 0.5, False, children, their_steps)
        assert their_steps.max() == children.max() == largest
        assert children.min() == -largest
        assert their_steps.min() > 0
        weights, steps = children.copy(), their_steps.copy()
    liked = net.prefer(weights, np.arange(4, dtype=np.int32), OTHELLO.start(4))
    assert np.isfinite(liked[OTHELLO.start(4).legal()]).all()


def test_opponents_that_last_are_those_of_the_first_generation_and_nets_keep_their_points() -> None:
    config = replace(SMALL, tournament="lasting", seed=9)
    net = lin_white.spatial_net(config.net)
    state = lin_white.first_parents(config, net)
    first = asked(config, state, chance.key(9, lin_white.KIND, 1))
    best = []
    for number in range(2, 6):
        state, done = next_generation(config, net, state)
        later = asked(config, state, chance.key(9, lin_white.KIND, number))
        assert (later[8:] == first[8:]).all()
        assert (later[:4] == state.weights).all()
        best.append(done.best)
    assert best == sorted(best)


def test_equal_points_go_to_parents_offspring_or_either() -> None:
    points = np.zeros(8, np.int64)
    points[6] = 1
    assert lin_white.survivors(points, SMALL, 1).tolist() == [6, 0, 1, 2]
    assert lin_white.survivors(points, replace(SMALL, equal="offspring"), 1).tolist() == [6, 7, 5, 4]
    either = [tuple(lin_white.survivors(points, replace(SMALL, equal="chance"), key)) for key in range(50)]
    assert {one[0] for one in either} == {6}
    assert len(set(either)) > 20


def test_survival_time_counts_the_generations_as_a_parent() -> None:
    net = lin_white.spatial_net(SMALL.net)
    state = lin_white.first_parents(SMALL, net)
    ages = dict.fromkeys(state.names.tolist(), 1)
    for _ in range(6):
        state, done = next_generation(SMALL, net, state)
        ages = {name: ages.get(name, 0) + 1 for name in state.names.tolist()}
        assert state.ages.tolist() == [ages[name] for name in state.names.tolist()]
        assert done.survival == pytest.approx(np.mean(list(ages.values())))


def test_repeatability_is_a_correlation_and_1_if_all_win_the_same() -> None:
    net = lin_white.spatial_net(SMALL.net)
    config = replace(SMALL, population=40, opponents=10)
    state = lin_white.first_parents(config, net)
    won = []
    for key in (chance.key(1, 1), chance.key(1, 2)):
        weights = asked(config, state, key)
        weights[:40] = asked(config, state, chance.key(1, 1))[:40]
        pairings = fair(40, 10)
        won.append(pairings.points(play_games(net, weights, pairings, Threads()), 40))
    assert repeatability(config, net, state, 1) == pytest.approx(np.asarray(np.corrcoef(won))[0, 1])
    for parts in map(net.parts, state.weights):
        parts["spatial"][:] = parts["hidden"][:] = parts["last"][:] = parts["output"][:] = 0
    copies = replace(config, step=1e-30)
    alike = Parents(0, state.weights, np.full_like(state.steps, 1e-30), state.born, state.names)
    assert repeatability(copies, net, alike, 1) == 1.0  # all win the same


def test_children_inherit_all_from_parents_that_hardly_change_and_little_from_others() -> None:
    net = lin_white.spatial_net(SMALL.net)
    config = replace(SMALL, population=40, opponents=10)
    state = lin_white.first_parents(config, net)
    copied = Parents(0, state.weights, np.full_like(state.steps, 1e-30), state.born, state.names)
    assert inheritance(config, net, copied, 1) == pytest.approx(1)
    drowned = Parents(0, state.weights, np.full_like(state.steps, 100), state.born, state.names)
    assert abs(inheritance(config, net, drowned, 1)) < 0.4


def test_variety_counts_the_different_games_of_the_parents() -> None:
    net = lin_white.spatial_net(SMALL.net)
    config = replace(SMALL, population=16, opponents=4)
    state = lin_white.first_parents(config, net)
    three = np.arange(8) % 3  # three nets, two of them three times
    few = Parents(0, state.weights[three], state.steps, state.born, state.names)
    weights = asked(config, few, 1)
    games = {
        (opponent, net.play(weights, [parent], [opponent])[1].tobytes())
        for opponent in range(16, 20)
        for parent in range(8)
    }
    assert variety(config, net, few, 1) == pytest.approx(len(games) / 4)
    assert 1 < variety(config, net, few, 1) <= 3
    same = Parents(0, state.weights[np.zeros(8, int)], state.steps, state.born, state.names)
    assert variety(config, net, same, 1) == 1


def test_repeatability_is_0_if_all_win_the_same_in_one_tournament_only(monkeypatch: pytest.MonkeyPatch) -> None:
    net = lin_white.spatial_net(SMALL.net)
    state = lin_white.first_parents(SMALL, net)
    scores = iter([np.zeros(32, np.int32), np.arange(32, dtype=np.int32) ** 2])
    monkeypatch.setattr(SpatialNet, "play", lambda *_: (next(scores), None))
    assert repeatability(SMALL, net, state, 1) == 0.0


def test_observers_find_what_the_ladder_finds(tmp_path: Path) -> None:
    from zeroply.learning.champions import save_champion

    net = lin_white.spatial_net("spatial(layer=queen)")
    weights = net.initial(chance.keys(2, np.arange(12)))
    watch = ObserverConfig(strategies=("pieces", "iagno"), highest=2)
    observers = Observers(net, watch)
    names = np.arange(12)
    result = observers.heights(weights, names)
    assert max(result["pieces"]) >= 0  # else nothing is compared
    players = [f"net({save_champion(tmp_path / f'{i}.safetensors', net, weights[i], {})})" for i in range(12)]
    for strategy in watch.strategies:
        climbed = ladder(players, strategy, highest=2).beaten
        assert result[strategy] == [-1 if height is None else height for height in climbed]
    swapped = observers.heights(weights[::-1], names[::-1])  # now from memory
    assert swapped["pieces"] == result["pieces"][::-1]


@pytest.mark.parametrize(("tournament", "when"), [("fair", 5), ("unfair", 9), ("lasting", 7)])
def test_a_run_that_was_killed_and_resumed_ends_the_same(
    tmp_path: Path, tournament: Tournament, when: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = replace(SMALL, tournament=tournament)
    whole = lin_white.coevolve(config, run=tmp_path / "whole")
    monkeypatch.setattr(Run, "save_due", lambda run, seconds: True)

    def kill(done: int, total: int, text: str = "") -> None:
        if done == when:
            raise StopError

    with pytest.raises(StopError):
        lin_white.coevolve(config, run=tmp_path / "killed", progress=kill)
    lin_white.first_opponents.cache_clear()  # a new process knows nothing
    monkeypatch.setattr(Run, "save_due", lambda run, seconds: False)
    again = resume(tmp_path / "killed")
    assert again.generations == whole.generations
    assert again.observed == whole.observed
    assert same_net(whole.champion, again.champion)
    kept = sorted(path.name for path in (tmp_path / "whole" / "populations").iterdir())
    assert kept == [
        "000005.safetensors",
        "000010.safetensors",
        "000012.safetensors",
        "champion-000005.safetensors",
        "champion-000010.safetensors",
        "champion-000012.safetensors",
    ]
    for name in kept:
        files = [tmp_path / folder / "populations" / name for folder in ("whole", "killed")]
        assert same_net(*files) if name.startswith("champion") else files[0].read_bytes() == files[1].read_bytes()


def test_champions_that_were_kept_can_be_opened_later(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lin_white.coevolve(SMALL, run=tmp_path / "run")
    assert champions(tmp_path / "run").numbers == [5, 10, 12]
    early = tmp_path / "early.safetensors"
    main(["champion", str(tmp_path / "run"), "--generation", "5", "--out", str(early)])
    written = tmp_path / "run" / "populations" / "champion-000005.safetensors"
    assert (read(str(early))[1][VECTOR] == read(str(written))[1][VECTOR]).all()
    with pytest.raises(SystemExit):
        main(["champion", str(tmp_path / "run"), "--generation", "7", "--out", str(early), "--overwrite"])
    assert "champions of generations 5, 10, 12, not of 7" in " ".join(capsys.readouterr().err.split())


def test_observers_change_nothing(tmp_path: Path) -> None:
    watched = lin_white.coevolve(SMALL, run=tmp_path / "watched")
    alone = lin_white.coevolve(replace(SMALL, observe=ObserverConfig(every=0)), run=tmp_path / "alone")
    assert watched.generations == alone.generations
    assert not alone.observed
    assert [generation for generation, _ in watched.observed] == [4, 8, 12]


def test_every_generation_of_a_range_can_be_observed(tmp_path: Path) -> None:
    observe = replace(OBSERVE, every=0, first=6, last=8)
    seen = lin_white.coevolve(replace(SMALL, observe=observe), run=tmp_path / "run").observed
    assert [generation for generation, _ in seen] == [6, 7, 8]
    observers = Observers(lin_white.spatial_net(SMALL.net), observe)
    again = list(replayed(Run.read(tmp_path / "run"), 6, 8))
    assert [state.generation for state in again] == [6, 7, 8]
    for state, (_, heights) in zip(again, seen, strict=True):
        assert observers.heights(state.weights, state.names) == heights


def _damage(path: Path, how: str) -> None:
    data = path.read_bytes()
    if how == "cut":
        path.write_bytes(data[: len(data) // 2])
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "flipped":
        path.write_bytes(data[:-100] + bytes([data[-100] ^ 1]) + data[-99:])
    elif how == "other":
        path.write_bytes(safetensors.numpy.save({"weights": np.zeros(3, np.float32)}))
    else:
        path.write_bytes(path.with_name("000010.safetensors").read_bytes())


@pytest.mark.parametrize("how", ["cut", "empty", "flipped", "other", "misplaced"])
def test_a_damaged_population_is_noticed_and_an_earlier_one_is_used(tmp_path: Path, how: str) -> None:
    lin_white.coevolve(replace(SMALL, save_every=2, observe=ObserverConfig(every=0)), run=tmp_path)
    run = Run.read(tmp_path)
    assert [state.generation for state in saved_parents(run)] == [2, 4, 6, 8, 10, 12]
    before = list(replayed(run, 5, 7))
    file = tmp_path / "populations" / "000004.safetensors"
    _damage(file, how)
    assert all(_same(one, again) for one, again in zip(before, replayed(run, 5, 7), strict=True))
    with pytest.raises(ZeroplyError, match=r"populations/000004.safetensors is damaged \(.*\): remove it"):
        list(saved_parents(run))
    file.unlink()
    assert [state.generation for state in saved_parents(run)] == [2, 6, 8, 10, 12]


def test_the_last_population_is_kept_also_between_others(tmp_path: Path) -> None:
    lin_white.coevolve(replace(SMALL, save_every=5, observe=ObserverConfig(every=0)), run=tmp_path)
    assert [state.generation for state in saved_parents(Run.read(tmp_path))] == [5, 10, 12]


def test_generations_are_evolved_again_at_the_level_of_the_run_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    level = levels.chosen()
    lin_white.coevolve(replace(SMALL, observe=ObserverConfig(every=0)), run=tmp_path)
    monkeypatch.setattr(levels, "chosen", lambda: "v9")
    sentence = f"made at instruction-set level {level} and this process runs at v9, .*: set ZEROPLY_LEVEL={level}$"
    with pytest.raises(ZeroplyError, match=sentence):
        next(replayed(Run.read(tmp_path), 6, 8))


def test_a_zoom_that_is_damaged_or_of_another_kind_is_made_again(tmp_path: Path) -> None:
    lin_white.coevolve(replace(SMALL, observe=replace(OBSERVE, every=2)), run=tmp_path)
    run, file = Run.read(tmp_path), tmp_path / w_runs.ZOOM
    made: list[float] = []

    def zoomed(zoom: int = 2) -> Any:
        made.clear()
        return w_runs.zoomed(run, zoom, lambda done, total, text="": made.append(done))

    result = zoomed()
    assert made == [1, 2]
    assert zoomed() == result
    assert not made
    whole = file.read_text()
    body = {key: value for key, value in json.loads(whole).items() if key != "sha256"}
    without = {key: value for key, value in body.items() if key != "beaten"}
    for wrong in (
        "",
        whole[:-20],
        whole.replace('"parents":4', '"parents":3'),
        "[]",
        json.dumps(body),
        json.dumps(seal(without)),
        json.dumps(seal({**body, "highest": 4})),
        json.dumps(seal({**body, "first": body["first"] + 1, "last": body["last"] + 1})),
    ):
        file.write_text(wrong)
        assert zoomed() == result
        assert made
        assert file.read_text() == whole
    longer = zoomed(3)
    assert longer["last"] - longer["first"] == 2
    assert made == [1, 2, 3]


@pytest.mark.parametrize("tournament", ["fair", "unfair", "lasting"])
def test_generations_are_the_same_with_one_thread_with_two_and_in_processes(tournament: Tournament) -> None:
    config = replace(SMALL, net="spatial(layer=subsquares)", population=60, opponents=10, tournament=tournament)
    net = lin_white.spatial_net(config.net)

    def second(values: Workers) -> Parents:
        """The parents after two generations; opponents that last come from the first."""
        lin_white.first_opponents.cache_clear()
        strategy = lin_white.strategy_of(config, lin_white.first_parents(config, net))
        for _ in range(2):
            lin_white.next_generation(config, net, strategy, values)
        return strategy.parents

    before, result = _core.threads(), []
    try:
        for threads in (1, 2):
            _core.set_threads(threads)
            result.append(second(Threads()))
    finally:
        _core.set_threads(before)
    with workers("processes:1") as values:
        result.append(second(values))
    assert _same(result[0], result[1])
    assert _same(result[0], result[2])


def _same(one: Parents, other: Parents) -> bool:
    return all((array == other.arrays()[name]).all() for name, array in one.arrays().items())


def test_many_games_are_played_in_tasks_with_the_same_result() -> None:
    net = lin_white.spatial_net("spatial(layer=rows)")
    weights = net.initial(chance.keys(1, np.arange(60)))
    pairings = fair(50, 10)
    with workers("processes:1") as values:
        assert (play_games(net, weights, pairings, values) == play_games(net, weights, pairings, Threads())).all()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"population": 3}, "a population is an even number of nets from 4 to 10000, half of them parents, not 3"),
        ({"opponents": 5}, "opponents must be an even number from 2 to 1000, not 5"),
        ({"generations": 0}, "generations and save_every must be 1 or more"),
        ({"step": 0.0}, "first mutation step must be above 0"),
        ({"step": 1e-300}, "first mutation step must be above 0 in single precision, and 1e-300 is 0"),
        (
            {"generations": 4, "observe": ObserverConfig(first=3, last=6)},
            "every generation up to 6 cannot be observed: the last is 4",
        ),
    ],
)
def test_settings_that_cannot_be_are_refused_in_a_sentence(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ZeroplyError, match=sentence):
        LinWhiteConfig(**settings)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"first": 3}, "needs both ends"),
        ({"first": 3, "last": 2}, "no generations from 3 to 2"),
        ({"every": -1}, "every must be 0"),
        ({"highest": 3}, "0, 2, 4 or another even number, not 3"),
        ({"strategies": ()}, "observers need a strategy, such as positional"),
    ],
)
def test_observers_that_cannot_be_are_refused_in_a_sentence(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ZeroplyError, match=sentence):
        ObserverConfig(**settings)


def test_iagno_observes_up_to_its_own_highest_ply_depth() -> None:
    net = lin_white.spatial_net(SMALL.net)
    for spec in ("iagno", "iagno()"):
        ladders = Observers(net, ObserverConfig(strategies=(spec, "pieces"), highest=6)).ladders
        assert {name: list(ladder.rungs) for name, ladder in ladders.items()} == {
            spec: [0, 2, 4],
            "pieces": [0, 2, 4, 6],
        }


def test_only_spatial_nets_coevolve_this_way(tmp_path: Path) -> None:
    with pytest.raises(ZeroplyError, match="unknown population net 'conv4'"):
        lin_white.coevolve(replace(SMALL, net="conv4"), run=tmp_path / "run")
    with pytest.raises(ZeroplyError, match="not a strategy"):
        lin_white.coevolve(replace(SMALL, observe=ObserverConfig(strategies=("bad",))), run=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_the_command_coevolves_and_resumes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = "--preset lin-white --net spatial(layer=rows) --population 8 --opponents 2 --generations 6 --seed 2"
    watch = "--observe.every 3 --observe.strategies pieces --observe.highest 2"
    command = ["coevolve", *words.split(), *watch.split()]
    main([*command, "--run", str(tmp_path / "run"), "--json"])
    output = json.loads(capsys.readouterr().out)
    assert [one["number"] for one in output["generations"]] == [1, 2, 3, 4, 5, 6]
    assert [one["generation"] for one in output["observed"]] == [3, 6]
    assert len(output["observed"][0]["heights"]["pieces"]) == 4
    main(["resume", str(tmp_path / "run")])
    assert "play the champion as" in capsys.readouterr().out
    with pytest.raises(SystemExit) as caught:
        main([*command, "--population", "3", "--run", str(tmp_path / "other")])
    assert caught.value.code == 2
    assert "half of them parents, not 3" in capsys.readouterr().err
