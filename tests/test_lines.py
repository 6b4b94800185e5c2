"""Lines nets: the core against a NumPy twin and torch, and the symmetries they promise."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from zeroply import chance, game
from zeroply.errors import ZeroplyError
from zeroply.games import Positions
from zeroply.nets import build, load, save, untrained
from zeroply.nets.board_images import fourier, sources
from zeroply.nets.contract import Weights
from zeroply.nets.encodings import playable
from zeroply.nets.graph import EPSILON
from zeroply.nets.lines import ENTRIES, OUTPUT_CELLS, PATTERNS, LinesNet, output_places
from zeroply.players import player

OTHELLO = game("othello")
SPEC = "lines(embedding=3, layers=5-4)"


def some_positions(n: int, plies: int = 20) -> Positions:
    positions = OTHELLO.start(n)
    random = player("random", OTHELLO)
    for ply in range(plies):
        positions.play(random.choose(positions, chance.keys(ply, np.arange(n))))
    return positions


def some_weights(embedding: int = 3, widths: tuple[int, ...] = (5, 4)) -> Weights:
    draw = np.random.default_rng(1)
    sizes = [embedding * len(PATTERNS), *widths, len(OUTPUT_CELLS)]
    weights = {"table.weight": draw.normal(size=(ENTRIES, embedding)), "bias": draw.normal(size=len(OUTPUT_CELLS))}
    for name, before, after in zip(
        [*(f"layers.{i}" for i in range(len(widths))), "last"], sizes, sizes[1:], strict=False
    ):
        for k in range(4):
            weights[f"{name}.signs.{k}.weight"] = draw.normal(size=(after, before)) * before**-0.5
        weights[f"{name}.pairs.weight"] = draw.normal(size=(2 * after, 2 * before)) * before**-0.5
    for i, width in enumerate(widths):
        for part in ("weight", "bias", "running_mean", "running_var"):
            weights[f"norms.{i}.{part}"] = draw.uniform(0.5, 1.5, size=width)
    return {name: array.astype(np.float32) for name, array in weights.items()}


def twin(positions: Positions, weights: Weights) -> NDArray[np.float64]:
    """The net written plainly: the board of each image, digit by digit, and each layer as one large matrix."""
    boards = positions.stones() * positions.to_move()[:, None]
    logits = np.zeros((len(positions), 64))
    for row, board in enumerate(boards):
        x = np.concatenate([_looked_up(board[sources(8)[g]], weights) for g in range(8)])
        for i in range(2):
            norm = {part: weights[f"norms.{i}.{part}"] for part in ("weight", "bias", "running_mean", "running_var")}
            scale = norm["weight"] / np.sqrt(norm["running_var"] + EPSILON)
            y = (_whole(weights, f"layers.{i}", scale) @ x).reshape(8, -1)
            x = np.maximum(y - scale * norm["running_mean"] + norm["bias"], 0).reshape(-1)
        y = (_whole(weights, "last", np.ones(9, np.float32)) @ x).reshape(8, -1) + weights["bias"]
        for cell in range(64):
            said = y[output_places() == cell]
            logits[row, cell] = said.mean() if len(said) else 0
    return np.where(positions.legal(), logits, -np.inf)


def _looked_up(board: NDArray[np.int8], weights: Weights) -> NDArray[np.float32]:
    found, first = [], 0
    for cells in PATTERNS:
        content = sum(3**place * {0: 0, 1: 1, -1: 2}[int(board[cell])] for place, cell in enumerate(cells))
        found.append(weights["table.weight"][first + content])
        first += 3 ** len(cells)
    return np.concatenate(found)


def _whole(weights: Weights, name: str, scale: NDArray[np.float32]) -> NDArray[np.float64]:
    """The layer as a matrix [8 out, 8 in] between images, its outputs scaled."""
    signs = [weights[f"{name}.signs.{k}.weight"] * scale[:, None].astype(np.float64) for k in range(4)]
    after, before = signs[0].shape
    pairs = (weights[f"{name}.pairs.weight"] * np.tile(scale, 2)[:, None]).reshape(2, after, 2, before)
    waves = np.zeros((8, after, 8, before))
    for k in range(4):
        waves[k, :, k] = signs[k]
    for first in (4, 6):
        waves[first : first + 2, :, first : first + 2] = pairs
    matrix: NDArray[np.float64] = np.einsum("kg,kolb,lh->gohb", fourier(), waves, fourier())
    return matrix.reshape(8 * after, 8 * before)


def close(a: NDArray[np.floating], b: NDArray[np.floating]) -> bool:
    finite = np.isfinite(a)
    return bool((finite == np.isfinite(b)).all() and np.abs(a[finite] - b[finite]).max(initial=0) < 1e-4)


def test_the_basis_is_orthonormal() -> None:
    assert np.allclose(fourier() @ fourier().T, np.eye(8))


def test_every_playable_cell_has_an_output() -> None:
    assert sorted(set(output_places().flat)) == sorted(set(range(64)) - {27, 28, 35, 36})


@pytest.mark.parametrize("n", [1, 2, 11, 12, 13, 40])
def test_the_core_agrees_with_its_twin(n: int) -> None:
    weights, positions = some_weights(), some_positions(n)
    assert close(twin(positions, weights), build(SPEC, OTHELLO, weights).prefer(positions))


def test_a_position_alone_has_the_same_logits_as_in_a_batch() -> None:
    net, positions = build(SPEC, OTHELLO, some_weights()), some_positions(29)
    together = net.prefer(positions)
    assert all((net.prefer(positions[i : i + 1]) == together[i]).all() for i in range(29))


def test_the_net_turns_with_the_board() -> None:
    net, positions = build(SPEC, OTHELLO, some_weights()), some_positions(30)
    straight = net.prefer(positions)
    for k in range(8):
        assert close(net.prefer(positions.symmetry(k))[:, OTHELLO.symmetries[k]], straight)


def test_it_sees_own_and_opposing_discs_not_colours() -> None:
    net = build(SPEC, OTHELLO, some_weights())
    black = OTHELLO.parse("---------------------------OX------XO--------------------------- X")
    white = OTHELLO.parse("---------------------------XO------OX--------------------------- O")
    assert close(net.prefer(black), net.prefer(white))


def test_outputs_are_the_logits_of_all_moves_legal_or_not() -> None:
    net, positions = build(SPEC, OTHELLO, some_weights()), some_positions(20)
    assert isinstance(net, LinesNet)
    outputs = net.outputs(positions)
    assert outputs.shape == (20, 60)
    everywhere = np.full((20, 64), -np.inf, np.float32)
    everywhere[:, playable(OTHELLO)] = outputs
    assert np.array_equal(np.where(positions.legal(), everywhere, -np.inf), net.prefer(positions))
    assert np.isfinite(outputs).all()


def test_finished_games_have_no_moves() -> None:
    over = some_positions(20, plies=60)
    assert over.over().any()
    assert not np.isfinite(build(SPEC, OTHELLO, some_weights()).prefer(over)[over.over()]).any()


def test_torch_and_core_agree() -> None:
    pytest.importorskip("torch")
    from zeroply.nets.torch_net import load_weights

    weights, positions = some_weights(), some_positions(50)
    trained = untrained(SPEC, OTHELLO)
    load_weights(trained.module, weights)
    assert close(trained.prefer(positions), build(SPEC, OTHELLO, weights).prefer(positions))


def test_half_precision_does_not_change_what_is_looked_up() -> None:
    torch = pytest.importorskip("torch")
    from zeroply.nets.modules.lines import Lines

    net = untrained(SPEC, OTHELLO)
    assert isinstance(net.module, Lines)
    boards = [torch.from_numpy(one) for one in net.inputs(some_positions(50))]
    exact = net.module.contents(*boards)
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.equal(net.module.contents(*boards), exact)


def test_parameters_are_those_worked_out_by_hand() -> None:
    # Table: 4 rows and the diagonal of 8 with 3^8 rows each, diagonals 3^7 .. 3^3, corners 3^9 and 3^10.
    entries = 5 * 6561 + 2187 + 729 + 243 + 81 + 27 + 19683 + 59049
    assert entries == ENTRIES == 114_804
    # A symmetric layer a -> b: four matrices a b and one 2a 2b; batch normalisation has 2 b.
    by_hand = 3 * entries + 8 * 36 * 5 + 2 * 5 + 8 * 5 * 4 + 2 * 4 + 8 * 4 * 9 + 9
    assert build(SPEC, OTHELLO, some_weights()).parameters == by_hand


def test_a_net_file_comes_back(tmp_path: Path) -> None:
    net, positions = build(SPEC, OTHELLO, some_weights()), some_positions(5)
    save(net, tmp_path / "net.safetensors")
    assert (load(str(tmp_path / "net.safetensors"), OTHELLO).prefer(positions) == net.prefer(positions)).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bias": np.zeros(8, np.float32)}, "array 'bias' has shape"),
        ({"bias": np.full(9, np.nan, np.float32)}, "contains NaN"),
        ({"more": np.zeros(1, np.float32)}, "array 'more' is unexpected"),
        ({"norms.0.running_var": np.full(5, -1, np.float32)}, "negative variance"),
    ],
)
def test_weights_of_another_net_are_refused(change: dict[str, NDArray[np.float32]], message: str) -> None:
    with pytest.raises(ZeroplyError, match=message):
        build(SPEC, OTHELLO, {**some_weights(), **change})


@pytest.mark.parametrize(
    ("spec", "where", "message"),
    [
        ("lines(embedding=0)", "othello", "embedding must be"),
        ("lines(layers=x)", "othello", "layers are sizes"),
        ("lines", "othello(size=6)", r"is for othello\(size=8\)"),
        ("lines", "gomoku(size=8)", r"is for othello\(size=8\)"),
    ],
)
def test_nets_that_cannot_be_are_refused(spec: str, where: str, message: str) -> None:
    with pytest.raises(ZeroplyError, match=message):
        untrained(spec, game(where))
