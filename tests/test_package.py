"""`import zeroply as zp`: which names are there, and that plausible calls either work or say what to write instead."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray

import zeroply as zp

MODULES = ("chance", "envs", "examples", "games", "nets", "players", "records", "runs", "search")


def test_dir_shows_the_public_names_only() -> None:
    assert dir(zp) == sorted([*zp.__all__, "__version__"])
    assert not {"importlib", "Any", "TYPE_CHECKING"} & set(dir(zp))


@pytest.mark.parametrize("name", zp.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert isinstance(getattr(zp, name), ModuleType) == (name in MODULES)


def test_modules_need_no_import_of_their_own() -> None:
    code = f"import zeroply as zp; print([getattr(zp, name).__name__ for name in {MODULES}])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str([f"zeroply.{name}" for name in MODULES])


def test_importing_zeroply_imports_no_other_module_of_it() -> None:
    code = "import sys, zeroply; print([name for name in sys.modules if name.startswith(('zeroply.', 'numpy'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_type_checkers_see_every_public_name() -> None:
    """They do not run `__getattr__`: each name is imported, and exported by `as`, in the block written for them."""
    tree = ast.parse(Path(zp.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    names = {alias.asname for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert names == {*zp.__all__} - {"set_threads"}


def test_a_number_does_not_name_a_game() -> None:
    with pytest.raises(zp.ZeroplyError, match=r"^a spec is text such as 'othello' or 'gomoku\(size=9\)', not 8$"):
        zp.game(8)  # type: ignore[arg-type]


@pytest.mark.parametrize("move", [37, np.int64(37), np.array(37), "f5", np.array("f5"), [37], ["f5"]])
def test_one_position_takes_one_move(move: int | str | list[int]) -> None:
    position = zp.game("othello").start()
    position.play(move)
    assert position == zp.game("othello").replay("f5")
    assert zp.game("othello").start().after(move) == position


@pytest.mark.parametrize(
    ("moves", "got"),
    [
        (37, "a single move"),
        ("f5", "a single move"),
        ([37, 37], r"an array of shape \(2,\)"),
        (["f5", "f5"], r"an array of shape \(2,\)"),
    ],
)
def test_several_positions_need_a_move_each(moves: int | str | list[int], got: str) -> None:
    with pytest.raises(zp.ZeroplyError, match=f"^give one move per position: expected 3, got {got}$"):
        zp.game("othello").start(3).play(moves)


def test_a_move_is_not_a_fraction() -> None:
    with pytest.raises(
        zp.ZeroplyError, match=r"^a move is a cell number or a cell name such as f5: got float64 values$"
    ):
        zp.game("othello").start().play(37.0)


def test_one_plane_can_be_named_by_a_string() -> None:
    positions = zp.game("othello").start(2)
    assert (positions.planes("own") == positions.planes(["own"])).all()
    assert positions.planes("black-to-move").shape == (2, 1, 8, 8)
    with pytest.raises(zp.ZeroplyError, match="unknown plane 'mine'"):
        positions.planes("mine")  # type: ignore[arg-type]


class First(zp.Player):
    """Prefers the lowest cell."""

    def prefer(self, positions: zp.Positions) -> NDArray[np.float32]:
        return np.where(positions.legal(), -np.arange(self.game.cells, dtype=np.float32), np.float32(-np.inf))


@pytest.mark.parametrize("game", ["othello", zp.game("othello")])
def test_a_player_of_ones_own_takes_a_game_or_its_spec(game: str | zp.Game) -> None:
    player = First(game)
    assert player.game == zp.game("othello")
    assert player.choose(player.game.start(), np.zeros(1, np.uint64)).tolist() == [19]
    with pytest.raises(zp.ZeroplyError, match="unknown game 'chess'"):
        First("chess")


@pytest.mark.parametrize("n", [0, 1, 5])
def test_positions_are_not_an_array(n: int) -> None:
    positions = zp.game("othello").start(n)
    for convert in (np.asarray, np.array):
        with pytest.raises(TypeError, match=r"^Positions are not an array: use stones\(\), legal\(\) or planes\(\)"):
            convert(positions)


def test_batches_are_equal_if_they_hold_the_same_positions() -> None:
    othello, smaller = zp.game("othello"), zp.game("othello(size=6)")
    assert othello.start() == othello.start()
    assert othello.start(3) == othello.start(3)
    assert othello.start() != othello.start(2)
    assert othello.start() != othello.replay("f5")
    assert othello.start(0) != smaller.start(0)
    assert othello.start() != "othello"


def test_positions_differ_by_what_stones_do_not_show() -> None:
    go = zp.game("atarigo(size=5, captures=3)")
    empty = np.zeros(25, np.int8)
    boards = [zp.Board(empty, to_move=1), zp.Board(empty, to_move=-1), zp.Board(empty, to_move=1, captured=(1, 0))]
    made = [go.make([board]) for board in boards]
    assert [made[0] == other for other in made] == [True, False, False]


def test_positions_reached_by_different_moves_are_equal() -> None:
    gomoku = zp.game("gomoku(size=9)")
    assert gomoku.replay("E5D4C3") == gomoku.replay("C3D4E5")


def test_positions_change_and_so_are_not_keys() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(zp.game("othello").start())
