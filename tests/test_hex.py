"""Hex: OpenSpiel agrees with its rules, the swap rule, distances, and every front door plays it."""

from __future__ import annotations

import heapq
import itertools
import sys
from pathlib import Path

import numpy as np
import pytest

import zeroply as zp
from scripted import talk
from zeroply import records
from zeroply.games import Positions, conformance, game
from zeroply.learning.champions import champions
from zeroply.records import GameRecord
from zeroply.search import EVALUATIONS

NEIGHBOURS = ((0, -1), (0, 1), (-1, 0), (1, 0), (-1, 1), (1, -1))


def random_positions(spec: str, n: int, seed: int) -> list[Positions]:
    """The positions of n random games after each ply."""
    positions = game(spec).start(n)
    course = [positions.copy()]
    while not positions.over().all():
        positions.play(conformance.random_moves(positions, seed + len(course)))
        course.append(positions.copy())
    return course


@pytest.mark.parametrize(("size", "games"), [(3, 100), (4, 100), (8, 60), (11, 40), (19, 10)])
def test_openspiel_agrees_at_every_ply(size: int, games: int) -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: it comes with the dev extra")
    judge = pyspiel.load_game(f"hex(board_size={size})")
    states = [judge.new_initial_state() for _ in range(games)]
    positions = game(f"hex(size={size})").start(games)
    while not positions.over().all():
        moves = conformance.random_moves(positions, int(positions.move_number().max()))
        for state, move in zip(states, moves.tolist(), strict=True):
            if move >= 0:
                state.apply_action(move)
        positions.play(moves)
        for state, over, legal in zip(states, positions.over(), positions.legal(), strict=True):
            assert state.is_terminal() == over
            assert over or state.legal_actions() == np.flatnonzero(legal).tolist()
    assert [state.returns()[0] for state in states] == positions.winner().tolist()
    assert set(np.abs(positions.winner()).tolist()) == {1}


def test_black_connects_top_and_bottom_and_white_left_and_right() -> None:
    board = game("hex(size=3)")
    assert board.replay("b1a1b2a2b3").winner().tolist() == [1]
    assert board.replay("a1a2b1b2c3c2").winner().tolist() == [-1]
    assert board.replay("c1a1b2a2a3").winner().tolist() == [1]  # up right and down left are neighbours
    assert not board.replay("a1b1b2c2c3").over()[0]  # the other diagonal is not


def test_the_winning_chain_is_shown() -> None:
    position = game("hex(size=3)").replay("c1a1b2a2a3")
    assert [position.game.notation.name(int(cell)) for cell in np.flatnonzero(position.winning()[0])] == [
        "c1",
        "b2",
        "a3",
    ]


@pytest.mark.parametrize("stones", ["XXX------ X", "X--X--X-- X", "OOO------ O"])
def test_the_side_to_move_cannot_have_won(stones: str) -> None:
    if stones.startswith("XXX"):
        game("hex(size=3)").parse(stones)  # a row does not connect Black's sides
    else:
        with pytest.raises(zp.ZeroplyError, match="the side to move is already connected"):
            game("hex(size=3)").parse(stones)


def test_a_swap_mirrors_the_stone_in_the_long_diagonal() -> None:
    board = game("hex(size=5, swap=true)")
    swapped = board.replay("c2c2")
    assert swapped.text() == [board.parse("-" * 11 + "O" + "-" * 13 + " X").text()[0]]
    assert board.notation.name(int(swapped.last_move()[0])) == "b3"
    assert swapped.move_number().tolist() == [3]
    assert swapped.legal().sum() == 24


def test_a_swap_is_whites_first_move_or_never() -> None:
    board = game("hex(size=5, swap=true)")
    assert board.replay("c2").legal().all()
    for transcript in ("c2b1b1", "c2b1d4d4", "c2c2b3"):
        with pytest.raises(zp.ZeroplyError, match="not a legal move"):
            board.replay(transcript)
    with pytest.raises(zp.ZeroplyError, match="not a legal move"):
        game("hex(size=5)").replay("c2c2")


def plain_distance(position: Positions, colour: int) -> int:
    """Dijkstra over the cells from a colour's first edge to its second."""
    size, stones = position.game.size, position.stones()[0]
    cells = list(itertools.product(range(size), range(size)))
    along = 0 if colour > 0 else 1
    cost = {cell: {colour: 0, 0: 1}.get(int(stones[cell[0] * size + cell[1]])) for cell in cells}
    heap = [(known, cell) for cell in cells if cell[along] == 0 and (known := cost[cell]) is not None]
    done: set[tuple[int, int]] = set()
    heapq.heapify(heap)
    while heap:
        total, cell = heapq.heappop(heap)
        if cell in done:
            continue
        done.add(cell)
        if cell[along] == size - 1:
            return total
        for down, right in NEIGHBOURS:
            to = (cell[0] + down, cell[1] + right)
            step = cost.get(to)
            if step is not None:
                heapq.heappush(heap, (total + step, to))
    raise AssertionError("no way to connect")


@pytest.mark.parametrize("size", [3, 7, 11])
def test_the_evaluation_is_the_difference_of_shortest_paths(size: int) -> None:
    board = game(f"hex(size={size})")
    evaluation = EVALUATIONS.build("distance", game=board)
    for positions in random_positions(f"hex(size={size})", 4, 7):
        for position in positions[~positions.over()]:
            side = int(position.to_move()[0])
            expected = plain_distance(position, -side) - plain_distance(position, side)
            assert evaluation.values(position).tolist() == [expected]


def test_search_beats_chance_and_finds_a_win() -> None:
    result = zp.match("alphabeta(depth=1, eval=distance)", "random", game="hex(size=5)", games=20, seed=1)
    assert result.score > 0.9
    position = game("hex(size=3)").replay("b2a1b1a2")
    with zp.player("alphabeta(depth=1, eval=distance)", position.game) as player:
        best = player.prefer(position)[0]
    assert position.game.notation.name(int(best.argmax())) in ("b3", "a3")


def test_gtp_speaks_as_hexgui_does() -> None:
    lines = ["list_games", "boardsize 5 5", "hexgui-analyze_commands", "play black c2", "play white swap-pieces"]
    lines += ["genmove black", "boardsize 5 4", "showboard"]
    answers = talk("gtp", "\n".join(lines), "random(ties=lowest)", "hex(size=3, swap=true)").split("\n\n")
    assert answers[:5] == ["= Hex", "=", "=", "=", "="]
    assert answers[5] == "= a1"
    assert answers[6] == "? unacceptable size"
    assert "O" in answers[7]
    taken = talk("gtp", "play b a1\ngenmove w", "random(ties=lowest)", "hex(size=3, swap=true)").split("\n\n")
    assert taken[1] == "= swap-pieces"


def test_a_program_is_sent_swaps_over_gtp(tmp_path: Path) -> None:
    program = (
        f"gtp('{sys.executable} -m zeroply engine --protocol gtp --game \"hex(size=3, swap=true)\" --player naive')"
    )
    board = "hex(size=3, swap=true)"
    result = zp.match(program, "random(ties=lowest)", game=board, games=4, seed=3)
    assert result.games == 4


def test_sgf_is_written_as_hexgui_reads_it(tmp_path: Path) -> None:
    board = game("hex(size=11, swap=true)")
    record = GameRecord(board, tuple(board.notation.cells("c2c2f6")))
    path = tmp_path / "game.sgf"
    records.save([record], path)
    text = path.read_text()
    assert "GM[11]" in text
    assert ";B[c2];W[swap-pieces];B[f6]" in text
    (read,) = records.load(path)
    assert (read.game, read.moves) == (record.game, record.moves)
    (plain,) = records.read_sgf("(;FF[4]GM[11];B[a1];W[k11])")
    assert (str(plain.game), plain.moves) == ("hex(size=11)", (0, 120))


def test_a_resignation_that_hexgui_writes_as_a_move_is_a_forfeit() -> None:
    (record,) = records.read_sgf("(;FF[4]GM[11]SZ[5];B[a1];W[c3];B[resign])")
    assert record.moves == (0, 12)
    assert record.forfeit == 1
    assert record.result == "W+F"


def test_a_board_of_hexagons_is_drawn() -> None:
    drawing = game("hex(size=4)").replay("b2c3").svg()
    width, height = (float(number) for number in drawing.split('viewBox="0 0 ')[1].split('"')[0].split())
    assert width > height
    assert drawing.count("<circle") > 4


def test_recurrent_nets_play_without_features() -> None:
    from zeroply.nets import population_net

    net = population_net("mdrnn(k=2)", game("hex(size=4)"))
    assert net.prefer(net.initial([1]), np.zeros(1, np.int32), game("hex(size=4)").start()).shape == (1, 16)
    with pytest.raises(zp.ZeroplyError, match="there are no features for hex"):
        population_net("mdrnn(k=2, features=true)", game("hex(size=4)"))


def test_a_recurrent_net_evolves(tmp_path: Path) -> None:
    result = zp.evolve(
        game="hex(size=4)",
        net="mdrnn(k=2)",
        generations=2,
        parents=2,
        offspring=2,
        games=4,
        seed=1,
        run=tmp_path / "run",
    )
    assert [generation.number for generation in result.generations] == [1, 2]
    assert len(champions(tmp_path / "run")) == 2
    champion = f"net('{tmp_path / 'run' / 'champion.safetensors'}')"
    assert zp.match(champion, "random", game="hex(size=7)", games=10, seed=1).games == 10
