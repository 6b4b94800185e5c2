"""Host-parasite coevolution: its parts against examples worked out by hand, and runs that an interrupt leaves alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from tiny_net import TinyNet, member_player, same_net
from zeroply import chance, nets
from zeroply.arena.play import play
from zeroply.arena.scores import Scoring
from zeroply.cli.main import main
from zeroply.errors import ZeroplyError
from zeroply.games import game
from zeroply.learning.champions import champions
from zeroply.learning.coevolution.ciao import crossed_pairs, early_and_late, flipped, intransitive_triples, noisy_order
from zeroply.learning.coevolution.dominance import dominant
from zeroply.learning.coevolution.hall_of_fame import draw_from
from zeroply.learning.coevolution.host_parasite import HostParasiteConfig, Populations, coevolve
from zeroply.learning.coevolution.meetings import meetings
from zeroply.learning.coevolution.shared_fitness import best_first, shared_fitness
from zeroply.learning.coevolution.shared_sampling import shared_sampling
from zeroply.learning.evolution.executors import Threads
from zeroply.runs import Run
from zeroply.runs.resume import resume

Beaten = hnp.arrays(np.bool_, st.tuples(st.integers(1, 8), st.integers(1, 8)))
SMALL = HostParasiteConfig(net="tiny", population=6, parents=2, opponents=5, hall_of_fame=3, generations=8, seed=3)


def table(*rows: str) -> NDArray[np.bool_]:
    """Who beats whom, from rows such as `x.x`."""
    return np.array([[cell == "x" for cell in row] for row in rows])


# Shared fitness


def test_shared_fitness_of_an_example_by_hand() -> None:
    # Opponent 0 is beaten by all three hosts, opponent 1 by two, opponent 2 by the last host alone, 3 by nobody.
    beaten = table("xx..", "xx..", "x.x.")
    assert shared_fitness(beaten) == pytest.approx([1 / 3 + 1 / 2, 1 / 3 + 1 / 2, 1 / 3 + 1])


def test_who_alone_beats_somebody_comes_before_who_beats_more() -> None:
    beaten = table("xx.", "xx.", "xx.", "..x")
    assert best_first(beaten, np.zeros((4, 3))).tolist()[0] == 3


def test_equals_are_ordered_by_their_mean_score() -> None:
    beaten = table("x.", ".x", "..")
    scores = np.array([[0.5, -0.9], [-0.1, 0.8], [-1.0, -1.0]])
    assert best_first(beaten, scores).tolist() == [1, 0, 2]


@given(Beaten)
def test_all_shares_together_are_the_number_of_opponents_that_are_beaten(beaten: NDArray[np.bool_]) -> None:
    assert shared_fitness(beaten).sum() == pytest.approx(beaten.any(axis=0).sum())


# Shared sampling


def test_shared_sampling_of_an_example_by_hand() -> None:
    # The first beats most; then 3 adds two that the first does not beat, 1 only one; then nothing is left to 2.
    beaten = table("xxx....", "xx.x...", "xxx....", "....xx.")
    assert shared_sampling(beaten, np.zeros(4), 3) == [0, 3, 1]


def test_between_equals_the_better_score_is_taken() -> None:
    assert shared_sampling(table("x.", ".x", "x."), np.array([0.1, 0.2, 0.3]), 2) == [2, 1]


def test_sampling_begins_anew_when_all_are_beaten() -> None:
    beaten = table("xx", "x.", ".x")
    assert shared_sampling(beaten, np.array([0, 0.1, 0.2]), 3) == [0, 2, 1]


def test_sampling_where_nobody_beats_anybody_goes_by_score() -> None:
    assert shared_sampling(table("..", "..", ".."), np.array([0.1, 0.3, 0.2]), 2) == [1, 2]


@given(Beaten, st.integers(1, 8))
def test_a_sample_has_no_repeats_and_the_wanted_size(beaten: NDArray[np.bool_], wanted: int) -> None:
    chosen = shared_sampling(beaten, np.zeros(len(beaten)), wanted)
    assert len(set(chosen)) == len(chosen) == min(wanted, len(beaten))


@given(Beaten)
def test_a_whole_sample_beats_all_that_can_be_beaten_before_it_repeats(beaten: NDArray[np.bool_]) -> None:
    chosen = shared_sampling(beaten, np.zeros(len(beaten)), len(beaten))
    seen = np.zeros(beaten.shape[1], bool)
    for one in chosen:
        if (seen == beaten.any(axis=0)).all():
            break
        assert (beaten[one] & ~seen).any(), "nothing new is beaten though something is left"
        seen |= beaten[one]
    assert (seen == beaten.any(axis=0)).all()


# Hall of fame


def test_a_small_hall_of_fame_is_met_whole() -> None:
    assert draw_from(3, 10, key=1).tolist() == [0, 1, 2]
    assert draw_from(0, 10, key=1).tolist() == []


def test_a_large_hall_of_fame_is_drawn_from_without_replacement_and_evenly() -> None:
    draws = [draw_from(20, 10, key).tolist() for key in range(400)]
    assert all(len(set(one)) == 10 for one in draws)
    counts = np.bincount(np.concatenate(draws), minlength=20)
    assert abs(counts - 200).max() < 45


# Opponents and generations


def test_parasites_fill_up_while_the_hall_of_fame_is_small() -> None:
    config = HostParasiteConfig(net="tiny", seed=1)
    net = TinyNet(game("atarigo(size=5)"))
    state = Populations(config, net)
    assert len(state.opponents(1, key=1)) == 15
    state.champions = list(net.initial(range(100, 106)))
    opponents = state.opponents(1, key=1)
    assert len(opponents) == 15
    assert (opponents[-3:] == state.champions[1::2]).all(), "the hall of fame of population 1 comes last"
    state.champions = list(net.initial(range(100, 160)))
    opponents = state.opponents(1, key=1)
    assert len(opponents) == 15
    own = {one.tobytes() for one in state.champions[1::2]}
    assert sum(one.tobytes() in own for one in opponents) == config.hall_of_fame


def test_roles_change_every_generation(tmp_path: Path) -> None:
    result = coevolve(SMALL, run=tmp_path / "run")
    assert [one.hosts for one in result.generations] == [0, 1] * 4
    assert [one.number for one in result.generations] == list(range(1, 9))


@pytest.mark.parametrize("elitist", [True, False])
def test_elitists_stay_and_others_only_have_mutated_copies(elitist: bool) -> None:
    config = HostParasiteConfig(**{**vars(SMALL), "elitist": elitist, "seed": 1})
    state = Populations(config, TinyNet(game("atarigo(size=5)")))
    before = state.sides[0].population.copy()
    with Threads() as workers:
        state.generation(workers)
    after, champion = state.sides[0].population, state.champions[0]
    assert after.shape == before.shape
    stayed = [row for row in after if (row == before).all(axis=1).any()]
    assert len(stayed) == (2 if elitist else 0)
    assert (after[0] == champion).all() == elitist
    assert np.abs(after[2 if elitist else 0] - champion).max() < 1.0, "a copy is near its parent"


def test_the_champions_of_a_run_are_kept_and_can_be_written(tmp_path: Path) -> None:
    coevolve(SMALL, run=tmp_path / "run")
    found = champions(tmp_path / "run")
    assert found.weights.shape == (8, 3)
    found.save(tmp_path / "third.safetensors", 3)
    assert (nets.files.read(str(tmp_path / "third.safetensors"))[1]["vector"] == found.weights[2]).all()
    last = nets.files.read(str(tmp_path / "run" / "champion.safetensors"))[1]["vector"]
    assert (last == found.weights[-1]).all()
    with pytest.raises(ZeroplyError, match="champions of generations 1 to 8, not of 9"):
        found.save(tmp_path / "ninth.safetensors", 9)


@pytest.mark.parametrize("stop", [1, 2, 5])
def test_a_run_that_is_interrupted_ends_as_if_it_had_not_been(
    tmp_path: Path, stop: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Run, "save_due", lambda run, seconds: True)
    whole = coevolve(SMALL, run=tmp_path / "whole")

    def interrupt(done: int, total: int, text: str = "") -> None:
        if done == stop:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        coevolve(SMALL, run=tmp_path / "broken", progress=interrupt)
    resumed = resume(tmp_path / "broken")
    assert resumed.generations == whole.generations
    assert (champions(tmp_path / "broken").weights == champions(tmp_path / "whole").weights).all()
    assert same_net(resumed.champion, whole.champion)


# Meetings and measures


def test_meetings_are_the_same_in_one_piece_or_row_by_row() -> None:
    net = TinyNet(game("atarigo(size=5)"))
    rows, columns = net.initial([1, 2, 3]), net.initial([4, 5])
    with Threads() as workers:
        whole = meetings("atarigo(size=5)", "tiny", rows, columns, Scoring("length"), 7, workers)
        first = meetings("atarigo(size=5)", "tiny", rows[:1], columns, Scoring("length"), 7, workers)
    assert whole.scores.shape == whole.lengths.shape == (3, 2)
    assert (whole.scores[:1] == first.scores).all()
    assert (whole.lengths[:1] == first.lengths).all()


def test_a_meeting_is_two_games_each_starting_once() -> None:
    net, scoring = TinyNet(game("atarigo(size=5)")), Scoring("length")
    rows, columns = net.initial([1, 2]), net.initial([4, 5, 6])
    with Threads() as workers:
        met = meetings("atarigo(size=5)", "tiny", rows, columns, scoring, 7, workers)
        none = meetings("atarigo(size=5)", "tiny", net.initial([]), columns, scoring, 7, workers)
    assert none.scores.shape == (0, 3)
    for row, column in np.ndindex(2, 3):
        players = [member_player(net, rows[row]), member_player(net, columns[column])]
        keys = chance.keys(chance.keys(chance.keys(7, np.array([row])), np.array([column])), np.arange(2))
        played = play(players, np.array([[0, 1], [1, 0]]), net.game.start(2), keys)
        assert met.scores[row, column] == pytest.approx((scoring.black(played) * [1, -1]).mean())
        assert met.lengths[row, column] == played.lengths.mean()


def by_table(beats: NDArray[np.bool_]) -> list[int]:
    def meet(one: int, others: Sequence[int]) -> NDArray[np.float64]:
        return np.where(beats[one, list(others)], 1.0, -1.0)

    return dominant(len(beats), meet)


def test_a_dominance_tournament_by_hand() -> None:
    # 1 beats 0; 2 beats 1 but not 0; 3 beats 0 and 1; 4 beats 3 and 1 but loses to 0; 5 beats 0, 1 and 3.
    beats = table("......", "x.....", ".x....", "xx....", ".x.x..", "xx.x..")
    assert by_table(beats) == [0, 1, 3, 5]


def test_who_beats_everybody_before_makes_a_dominance_number_of_all() -> None:
    assert by_table(np.tril(np.ones((9, 9), bool), -1)) == list(range(9))
    assert by_table(np.zeros((9, 9), bool)) == [0]


def test_a_circle_of_three_is_intransitive() -> None:
    circle = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0.0]])
    assert intransitive_triples(circle).part == intransitive_triples(circle).of == 1
    ladder = np.array([[0, 1, 1], [-1, 0, 1], [-1, -1, 0.0]])
    assert (intransitive_triples(ladder).part, intransitive_triples(ladder).of) == (0, 1)


def test_coins_make_a_quarter_of_all_triples_intransitive() -> None:
    coins = np.random.default_rng(1).choice([-1.0, 1.0], (80, 80))
    upper = np.triu(coins, 1)
    assert intransitive_triples(upper - upper.T).value == pytest.approx(0.25, abs=0.02)


def test_chance_makes_circles_in_an_order_of_strength() -> None:
    rng = np.random.default_rng(2)
    for flips in (0.0, 0.1, 0.5):
        upper = np.triu(np.where(rng.random((120, 120)) < flips, -1.0, 1.0), 1)
        assert intransitive_triples(upper - upper.T).value == pytest.approx(noisy_order(flips), abs=0.01)


def test_chance_explains_at_most_the_circles_of_an_order() -> None:
    rng = np.random.default_rng(3)

    def tables(chances: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        uppers = [np.triu(np.where(rng.random(chances.shape) < chances, -1.0, 1.0), 1) for _ in range(2)]
        return [upper - upper.T for upper in uppers]

    even, coins = np.full((120, 120), 0.1), np.where(rng.random((120, 120)) < 0.2, 0.5, 0.0)
    for chances, share in ((even, 0.6), (coins, 1.0)):
        once, again = tables(chances)
        most = noisy_order(flipped(once, again).value)
        assert intransitive_triples(once).value == pytest.approx(share * most, rel=0.12)


def test_flips_are_counted_where_both_tables_are_decided() -> None:
    once = np.array([[0, 0.5, 0.5], [-0.5, 0, 0], [-0.5, 0, 0.0]])
    again = np.array([[0, 0.5, -0.5], [-0.5, 0, 1], [0.5, -1, 0.0]])
    assert (flipped(once, again).part, flipped(once, again).of) == (1, 2)


def test_draws_do_not_count_as_circles() -> None:
    drawn = np.zeros((4, 4))
    assert intransitive_triples(drawn).of == 0


def test_two_nets_cross_if_each_has_a_victim_of_its_own() -> None:
    scores = np.array([[0.5, -0.5, 0], [-0.5, 0.5, 0], [0.5, 0.5, 0]])
    share = crossed_pairs(scores)
    assert (share.part, share.of) == (1, 3)  # 0 and 1 cross; 2 is better than either
    assert crossed_pairs(scores, group=0.5).part == 0  # one opponent of three is no half


def test_early_and_late_are_the_corners_of_a_table() -> None:
    table = np.arange(64.0).reshape(8, 8)
    assert early_and_late(table) == (table[:2, :2].mean(), table[-2:, -2:].mean())


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--net", "mdrnn(k=0)"], "must be from 1 to"),
        (["--game", "gomoku(size=4)"], "sizes from 5"),
        (["--preset", "darwin"], "unknown preset 'darwin'"),
        (["--cluster", "somewhere"], "tcp://host:port"),
    ],
)
def test_a_command_that_cannot_be_done_leaves_no_run_folder(
    options: list[str], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["coevolve", "--net", "tiny", "--run", str(tmp_path / "run"), *options])
    assert ended.value.code == 2
    assert why in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"population": 1}, "2 to 10000 members"),
        ({"parents": 0}, "parents"),
        ({"parents": 16}, "parents"),
        ({"hall_of_fame": 15}, "hall_of_fame"),
        ({"opponents": 40}, "cannot be drawn"),
        ({"generations": 0}, "1 generation"),
        ({"games": 3}, "even number"),
        ({"games": 3 * 10**12}, "even number of games up to 10,000"),
        ({"sigma": 0}, "sigma"),
        ({"weights_scale": 0}, "weights_scale must be above 0"),
        ({"temperature": -1}, "temperature"),
        ({"game": "atarigo(size=4)"}, "sizes from 5"),
        ({"by": "discs"}, "cannot be scored by discs"),
    ],
)
def test_bad_settings_are_refused_in_a_sentence(changes: dict[str, object], why: str) -> None:
    with pytest.raises(ZeroplyError, match=why):
        HostParasiteConfig(**{"net": "tiny", **changes})  # type: ignore[arg-type]


# Options for the authors' own settings of 2008


def test_one_hall_of_fame_holds_the_champions_of_both_populations() -> None:
    for shared in (False, True):
        config = replace(SMALL, shared_hall=shared)
        state = Populations(config, TinyNet(game("atarigo(size=5)")))
        state.champions = list(TinyNet(game("atarigo(size=5)")).initial(range(100, 104)))
        expected = state.champions if shared else state.champions[1::2]
        assert (state.hall_of_fame(1) == np.stack(expected)).all()


@pytest.mark.parametrize("shared", [True, False])
def test_parasites_are_drawn_at_random_without_shared_sampling(shared: bool) -> None:
    config = replace(SMALL, shared_sampling=shared, hall_of_fame=0, opponents=2)
    state = Populations(config, TinyNet(game("atarigo(size=5)")))
    side = state.sides[1]
    side.beaten = np.zeros((6, 2), bool)
    side.beaten[4, 0] = side.beaten[5, 1] = True
    chosen = set()
    for key in range(20):
        same = (side.population[:, None] == state.opponents(1, key)).all(axis=2)
        chosen.add(tuple(np.flatnonzero(same.any(axis=1)).tolist()))
    assert chosen == {(4, 5)} if shared else len(chosen) > 5, "only these two beat anyone"


def test_initial_weights_are_scaled() -> None:
    net = TinyNet(game("atarigo(size=5)"))
    usual, tenth = (Populations(replace(SMALL, weights_scale=scale), net) for scale in (1.0, 0.1))
    for one, other in zip(usual.sides, tenth.sides, strict=True):
        assert other.population == pytest.approx(one.population / 10)


def test_champions_that_tie_are_dominant_only_by_the_rule_of_the_scripts() -> None:
    scores = np.array([[0, 0, 0, 0], [0.5, 0, 0, 0], [0.5, 0.0, 0, 0], [0.5, -0.1, 0.1, 0]])
    meet = lambda one, others: scores[one, list(others)]  # noqa: E731
    assert dominant(4, meet) == [0, 1]
    assert dominant(4, meet, ties=True) == [0, 1, 2]
