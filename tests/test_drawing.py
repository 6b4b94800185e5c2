"""Drawings: valid, self-contained SVG that shows every stone, the last move and the best cells of a heat map."""

import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from random_play import play_on
from zeroply.errors import ZeroplyError
from zeroply.games import Positions, game
from zeroply.games.drawing import CELL, FELT, MARK, NUMBERED, STONES, WOOD

SPECS = [
    "othello",
    "othello(size=4)",
    "othello(size=16)",
    "gomoku",
    "gomoku(size=6)",
    "atarigo(size=5)",
    "atarigo(size=9, captures=3)",
    "atarigo(size=19)",
]
SVG = "{http://www.w3.org/2000/svg}"


def position(spec: str, plies: int, seed: int = 1) -> Positions:
    """A position after random moves."""
    rng, positions = np.random.default_rng(seed), game(spec).start()
    play_on(positions, plies, rng)
    return positions


def elements(svg: str, tag: str, **attributes: str) -> list[ElementTree.Element]:
    found = ElementTree.fromstring(svg).iter(SVG + tag)
    return [e for e in found if all(e.get(key) == value for key, value in attributes.items())]


def words(svg: str) -> list[str]:
    return [e.text or "" for e in elements(svg, "text")]


def heated(svg: str) -> list[ElementTree.Element]:
    return [e for e in elements(svg, "rect") if e.get("fill-opacity")]


def outlined(svg: str) -> list[ElementTree.Element]:
    return [e for e in heated(svg) if e.get("stroke")]


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(SPECS), st.integers(0, 80), st.integers(0, 9), st.booleans())
def test_a_drawing_is_well_formed_self_contained_and_tells_its_position(
    spec: str, plies: int, seed: int, with_heat: bool
) -> None:
    positions = position(spec, plies, seed)
    heat = np.where(positions.legal()[0], np.arange(positions.game.cells), -np.inf) if with_heat else None
    svg = positions.svg(heat)
    root = ElementTree.fromstring(svg)
    assert root.tag == SVG + "svg"
    assert root.get("role") == "img"
    assert re.fullmatch(r"0 0 \d+ \d+", root.get("viewBox") or "")
    assert root[0].tag == SVG + "title"
    assert positions.status()[0] in (root[0].text or "")
    assert not re.search(r"href|url\(|<script|<style|<image|\bid=|\bon\w+=", svg)
    assert svg.count("http") == 1  # the name space
    stones = positions.stones()[0]
    for colour, (fill, _) in STONES.items():
        shown = [e for e in elements(svg, "circle", fill=fill) if float(e.get("r", 0)) > 10]
        assert len(shown) == (stones == colour).sum()


@pytest.mark.parametrize("spec", SPECS)
def test_coordinates_are_those_of_the_game(spec: str) -> None:
    notation = game(spec).notation
    labels = words(game(spec).start().svg())
    assert labels[: 2 * notation.size] == [
        *notation.letters,
        *(str(notation.row_label(r)) for r in range(notation.size)),
    ]


def test_the_last_move_is_marked_on_its_stone() -> None:
    fresh = game("othello").start()
    assert not elements(fresh.svg(), "circle", fill=MARK)
    svg = fresh.after("f5").svg()
    (mark,) = elements(svg, "circle", fill=MARK)
    stones = elements(svg, "circle", fill=STONES[1][0], cx=mark.get("cx", ""), cy=mark.get("cy", ""))
    assert len(stones) == 1
    assert "last move f5" in svg


def test_ko_is_marked() -> None:
    positions = game("atarigo(size=5, captures=9)").parse("-XO-- X-XO- -XO-- ----- ----- O").after("B4")
    assert positions.text()[0].endswith("ko=C4")
    assert len(elements(positions.svg(), "rect", stroke=MARK)) == 1


@pytest.mark.parametrize(
    ("size", "stars"),
    [(9, "C3 C7 E5 G3 G7"), (13, "D4 D10 G7 K4 K10"), (15, "D4 D12 H8 M4 M12"), (7, ""), (10, "")],
)
def test_star_points_stand_on_the_usual_boards(size: int, stars: str) -> None:
    positions = game(f"gomoku(size={size})").start()
    drawn = elements(positions.svg(), "circle", fill=WOOD.line)
    expected = set()
    for name in stars.split():
        (mark,) = elements(positions.after(name).svg(), "circle", fill=MARK)
        expected.add((mark.get("cx"), mark.get("cy")))
    assert {(e.get("cx"), e.get("cy")) for e in drawn} == expected
    assert len(elements(game("atarigo(size=19)").start().svg(), "circle", fill=WOOD.line)) == 9


@pytest.mark.parametrize(("size", "dots"), [(6, 0), (8, 4), (10, 4)])
def test_larger_othello_boards_have_four_dots(size: int, dots: int) -> None:
    assert len(elements(game(f"othello(size={size})").start().svg(), "circle", fill=FELT.line)) == dots


def test_heat_is_shown_on_empty_cells_with_a_value_only() -> None:
    positions = game("othello").start()
    heat = np.full(64, -np.inf)
    heat[[0, 1, 27, 28]] = 3, 5, 9, 1  # d4 and e4 hold discs
    shown = heated(positions.svg(heat))
    corners = {(float(e.get("x", 0)), float(e.get("y", 0))) for e in shown}
    assert len(corners) == 2
    assert max(x for x, _ in corners) - min(x for x, _ in corners) == CELL


def test_the_best_cell_is_outlined_and_the_best_few_carry_their_scaled_value() -> None:
    heat = np.full((1, 25), -np.inf)
    heat[0, :7] = -10, 0, 10, 5, 2, 1, 8
    svg = game("gomoku(size=5)").start().svg(heat)
    assert len(outlined(svg)) == 1
    assert words(svg)[10:-1] == ["100", "90", "75", "60", "55"][:NUMBERED]
    assert len({e.get("fill") for e in heated(svg)}) == 7


def test_the_colours_of_heat_move_steadily_away_from_the_board_in_lightness() -> None:
    for look in (FELT, WOOD):
        lightness = [0.2126 * r**2.2 + 0.7152 * g**2.2 + 0.0722 * b**2.2 for r, g, b in look.ramp]
        assert lightness in (sorted(lightness), sorted(lightness, reverse=True))


def test_equal_values_give_a_uniform_map_without_a_best_cell() -> None:
    svg = game("gomoku(size=5)").start().svg([2.0] * 25)
    assert len(heated(svg)) == 25
    assert len({e.get("fill") for e in heated(svg)}) == 1
    assert not outlined(svg)
    assert len(words(svg)) == 11


def test_a_single_value_is_the_best() -> None:
    svg = game("gomoku(size=5)").start().svg([4.0, *[-np.inf] * 24])
    assert len(outlined(svg)) == 1
    assert "100" in words(svg)


@pytest.mark.parametrize("heat", [[-np.inf] * 25, [-1e308] * 12 + [1e308] * 13])
def test_extreme_heat_maps_are_drawn(heat: list[float]) -> None:
    assert "nan" not in game("gomoku(size=5)").start().svg(heat).lower()


@pytest.mark.parametrize(
    ("heat", "complaint"),
    [
        ([0.0] * 24, "needs 25 values"),
        (np.zeros((5, 5)), "needs 25 values"),
        ([np.nan] * 25, "NaN"),
        ([np.inf] * 25, "inf"),
        (["warm"] * 25, "a number for each cell"),
        (object(), "a number for each cell"),
    ],
)
def test_a_bad_heat_map_is_refused(heat: Any, complaint: str) -> None:
    with pytest.raises(ZeroplyError, match=re.escape(complaint)):
        game("gomoku(size=5)").start().svg(heat)


@pytest.mark.parametrize("count", [0, 2])
def test_only_a_single_position_can_be_drawn(count: int) -> None:
    positions = game("othello").start(count)
    with pytest.raises(ZeroplyError, match=f"not {count}"):
        positions.svg()


def test_a_notebook_draws_the_first_positions_and_counts_the_others() -> None:
    single, many = game("othello").start(), game("hex(size=3)").start(15)
    assert single._repr_html_() == single.svg()
    assert many._repr_html_().count("<svg") == 12
    assert "3 more positions of hex(size=3)" in many._repr_html_()
    assert "more" not in many[:12]._repr_html_()
