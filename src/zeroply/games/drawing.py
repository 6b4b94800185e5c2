"""A position as a self-contained SVG: discs on felt squares, or stones on line crossings or on hexagons.

A heat map shows a value per cell, scaled linearly from the lowest to the highest. The drawing brings its own
background and refers to nothing, not even inside itself, so that many drawings fit on one page, light or dark.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zeroply.errors import ZeroplyError
from zeroply.games.definition import Game
from zeroply.games.positions import Positions

CELL, LABELS, EDGE, CAPTION = 40, 30, 14, 28
"""Side of a cell, margin with coordinates, margin without, height of the line below the board."""
GALLERY, GALLERY_WIDTH = 12, 240
"""Most drawings side by side, and their width in pixels."""
NUMBERED = 5
"""How many of the best cells of a heat map carry their value, 0 to 100."""
STONES = {1: ("#17191b", "#565d62"), -1: ("#f4f2ec", "#a9a59a")}
"""Fill and rim of Black's and White's stones."""
MARK = "#ef4b3a"

Ramp = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class Look:
    """Colours of a kind of board."""

    frame: str
    board: str
    line: str
    label: str
    best: str
    """Outline of the best cells of a heat map."""
    ramp: Ramp
    """Colours of a heat map, evenly spaced, their lightness moving one way: away from that of the board."""
    radius: float
    """Of a disc or stone, in cells."""


FELT = Look(
    frame="#1f2a26",
    board="#2e7d5b",
    line="#1b5940",
    label="#b9c9c1",
    best="#ffffff",
    ramp=((52, 98, 158), (66, 142, 168), (128, 190, 138), (206, 214, 86), (255, 240, 130)),
    radius=0.4,
)
WOOD = Look(
    frame="#d3a35c",
    board="#e3b873",
    line="#5b4322",
    label="#54401f",
    best="#1d1408",
    ramp=((240, 205, 140), (240, 170, 100), (228, 122, 78), (201, 68, 72), (150, 24, 74)),
    radius=0.45,
)
SLATE = Look(
    frame="#8c98a4",
    board="#eae6da",
    line="#8f8a7c",
    label="#1c242b",
    best="#1d1408",
    ramp=WOOD.ramp,
    radius=0.4,
)
LOOKS = {"discs": FELT, "stones": WOOD, "hexagons": SLATE}


def draw(positions: Positions, heat: ArrayLike | None = None) -> str:
    """The SVG of a single position; `heat` is a value for each cell, -inf where there is none."""
    if len(positions) != 1:
        raise ZeroplyError(f"only a single position can be drawn, not {len(positions)}: choose one, as in positions[0]")
    return _Drawing(positions.game).svg(positions, heat)


def gallery(positions: Positions) -> str:
    """Drawings of the first positions side by side, as HTML."""
    drawings = [f'<div style="width:{GALLERY_WIDTH}px">{draw(one)}</div>' for one in positions[:GALLERY]]
    left = len(positions) - len(drawings)
    more = f"<p>{left:,} more position{'s' if left != 1 else ''} of {escape(str(positions.game))}</p>" if left else ""
    if len(positions) == 1:
        return draw(positions)
    return f'<div style="display:flex;flex-wrap:wrap;gap:12px">{"".join(drawings)}</div>{more}'


class _Drawing:
    """The geometry and look of one game's board."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.look = LOOKS[game.facts.look]
        self.slant, self.pitch = (0.5, 3**0.5 / 2) if game.facts.look == "hexagons" else (0.0, 1.0)
        self.side = game.size * CELL
        self.width = self.side + self.slant * (game.size - 1) * CELL
        self.height = (1 + self.pitch * (game.size - 1)) * CELL
        self.left = LABELS
        self.top = LABELS if game.notation.from_top else EDGE

    def svg(self, positions: Positions, heat: ArrayLike | None) -> str:
        stones, status = positions.stones()[0], positions.status()[0]
        last, ko = int(positions.last_move()[0]), int(positions.ko()[0])
        title = f"{self.game}: {status}" + (f"; last move {self.game.notation.name(last)}" if last >= 0 else "")
        width, height = round(self.width + LABELS + EDGE), round(self.height + LABELS + EDGE + CAPTION)
        colour = int(positions.winner()[0] if positions.over()[0] else positions.to_move()[0])
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            'style="max-width:100%" role="img" font-family="system-ui,sans-serif">',
            f"<title>{escape(title)}</title>",
            _tag("rect", width=width, height=height, rx=10, fill=self.look.frame),
            *{"discs": self.squares, "stones": self.crossings, "hexagons": self.hexagons}[self.game.facts.look](),
            *self.coordinates(),
            *([] if heat is None else self.heat_map(_scaled(heat, stones))),
            *self.stones(stones),
            *self.marks(last, ko),
            *self.caption(re.sub(r" \([XO]\)", "", status), colour, height - 0.58 * CAPTION),
            "</svg>",
        ]
        return "\n".join(parts)

    def centre(self, cell: int) -> tuple[float, float]:
        row, column = divmod(cell, self.game.size)
        return self.left + (column + 0.5 + self.slant * row) * CELL, self.top + (self.pitch * row + 0.5) * CELL

    def squares(self) -> list[str]:
        """Felt, lines, and on larger boards the four dots two squares in from the corners."""
        x, y, side, size = self.left, self.top, self.side, self.game.size
        dots = [(x + i * CELL, y + j * CELL) for i in (2, size - 2) for j in (2, size - 2) if size >= 8]
        lines = [f"M{x} {y + i * CELL}h{side}M{x + i * CELL} {y}v{side}" for i in range(1, size)]
        return [
            _tag("rect", x=x, y=y, width=side, height=side, rx=2, fill=self.look.board),
            _tag("path", d="".join(lines), stroke=self.look.line, stroke_width=1.5),
            *(_tag("circle", cx=cx, cy=cy, r=4, fill=self.look.line) for cx, cy in dots),
        ]

    def crossings(self) -> list[str]:
        """Wood, lines and star points."""
        (x, y), span = self.centre(0), self.side - CELL
        at = [i * CELL for i in range(1, self.game.size - 1)]
        lines = [f"M{x:g} {y + i:g}h{span}M{x + i:g} {y:g}v{span}" for i in at]
        ink = self.look.line
        return [
            _tag("rect", x=self.left, y=self.top, width=self.side, height=self.side, rx=4, fill=self.look.board),
            _tag("path", d="".join(lines), stroke=ink, stroke_width=1.1),
            _tag("rect", x=x, y=y, width=span, height=span, fill="none", stroke=ink, stroke_width=2),
            *(_tag("circle", cx=x + c * CELL, cy=y + r * CELL, r=3.8, fill=ink) for r, c in _stars(self.game.size)),
        ]

    def hexagons(self) -> list[str]:
        """Hexagons in slanted rows, and the edges that each colour has to connect."""
        size, x, y = self.game.size, CELL / 2, CELL / 3**0.5
        corners = {
            "ul": (-x, -y / 2),
            "u": (0, -y),
            "ur": (x, -y / 2),
            "lr": (x, y / 2),
            "l": (0, y),
            "ll": (-x, y / 2),
        }

        def path(cells: range, around: Sequence[str]) -> str:
            """Lines along some corners of each cell."""
            places = [(self.centre(cell), [corners[corner] for corner in around]) for cell in cells]
            return "".join(
                "M" + "L".join(f"{cx + dx:.1f} {cy + dy:.1f}" for dx, dy in line) for (cx, cy), line in places
            )

        whole = path(range(size**2), [*corners, "ul"])
        rows = path(range(size), ("ul", "u", "ur")), path(range(size * (size - 1), size**2), ("ll", "l", "lr"))
        columns = (
            path(range(0, size**2, size), ("ul", "ll", "l")),
            path(range(size - 1, size**2, size), ("u", "ur", "lr")),
        )
        edges = {1: "".join(rows), -1: "".join(columns)}
        return [
            _tag("path", d=whole, fill=self.look.board, stroke=self.look.line, stroke_width=1.2),
            *(_tag("path", d=d, fill="none", stroke=STONES[colour][0], stroke_width=4) for colour, d in edges.items()),
        ]

    def coordinates(self) -> list[str]:
        """Numbers on the left; letters on the side of row 1."""
        notation, size = self.game.notation, self.game.size
        first = 0 if notation.from_top else size * (size - 1)
        y = 0.52 * LABELS if notation.from_top else self.top + self.height + 0.48 * LABELS
        columns = [_text(self.centre(first + i)[0], y, notation.letters[i], self.look.label) for i in range(size)]
        rows = [(*self.centre(i * size), str(notation.row_label(i))) for i in range(size)]
        return columns + [_text(x - 0.5 * (CELL + LABELS), y, label, self.look.label) for x, y, label in rows]

    def stones(self, stones: NDArray[np.int8]) -> list[str]:
        parts, radius = [], self.look.radius * CELL
        for cell in np.flatnonzero(stones):
            (x, y), (fill, rim) = self.centre(int(cell)), STONES[int(stones[cell])]
            parts.append(_tag("circle", cx=x + 0.8, cy=y + 2, r=radius + 0.6, opacity=0.28))
            parts.append(_tag("circle", cx=x, cy=y, r=radius, fill=fill, stroke=rim, stroke_width=1.2))
        return parts

    def marks(self, last: int, ko: int) -> list[str]:
        """A dot on the last move and a small square where ko forbids to play."""
        parts = []
        if last >= 0:
            x, y = self.centre(last)
            parts.append(_tag("circle", cx=x, cy=y, r=5, fill=MARK))
        if ko >= 0:
            x, y = self.centre(ko)
            square = {"x": x - 7, "y": y - 7, "width": 14, "height": 14}
            parts.append(_tag("rect", **square, fill="none", stroke=MARK, stroke_width=2))
        return parts

    def caption(self, words: str, colour: int, y: float) -> list[str]:
        """Who is to move or has won, in words and as a small stone."""
        x, icon = float(self.left), []
        if colour:
            fill, rim = STONES[colour]
            icon.append(_tag("circle", cx=x + 8, cy=y, r=7, fill=fill, stroke=rim, stroke_width=1.2))
            x += 22
        return [*icon, _text(x, y, words, self.look.label, text_anchor="start")]

    def heat_map(self, values: NDArray[np.float64]) -> list[str]:
        """A coloured square on each cell with a value; the best are outlined and numbered unless all tie."""
        parts, side = [], 0.86 * CELL
        cells = [int(cell) for cell in np.argsort(-values, kind="stable") if not np.isnan(values[cell])]
        ranked = len({float(values[cell]) for cell in cells}) > 1 or len(cells) == 1
        for rank, cell in enumerate(cells):
            (x, y), value = self.centre(cell), float(values[cell])
            best = ranked and value == values[cells[0]]
            outline = {"stroke": self.look.best, "stroke_width": "2.5"} if best else {}
            colour = _colour(value, self.look.ramp)
            fill = {"fill": f"rgb{colour}".replace(" ", ""), "fill_opacity": f"{0.55 + 0.4 * value:.2f}"}
            square = {"x": x - side / 2, "y": y - side / 2, "width": side, "height": side, "rx": 5}
            parts.append(_tag("rect", **square, **fill, **outline))
            if ranked and rank < NUMBERED:
                ink = "#10160f" if np.dot(colour, (0.3, 0.59, 0.11)) > 140 else "#fff"
                parts.append(_text(x, y, f"{100 * value:.0f}", ink, font_size=13, font_weight=600))
        return parts


def _tag(name: str, content: str = "", /, **attributes: str | float) -> str:
    """One element; an underscore in the name of an attribute stands for a hyphen."""
    texts = {key: v if isinstance(v, str) else format(round(v, 2), "g") for key, v in attributes.items()}
    pairs = "".join(f' {key.replace("_", "-")}="{text}"' for key, text in texts.items())
    return f"<{name}{pairs}>{content}</{name}>" if content else f"<{name}{pairs}/>"


def _text(
    x: float,
    y: float,
    words: str,
    fill: str,
    *,
    font_size: float = 15,
    text_anchor: str = "middle",
    **more: float,
) -> str:
    """Text with its middle height at `y`."""
    font = {"font_size": font_size, **more}
    return _tag("text", escape(words), x=x, y=y + 0.35 * font_size, fill=fill, text_anchor=text_anchor, **font)


def _stars(size: int) -> list[tuple[int, int]]:
    """Star points of the usual boards: the centre, the corners, and on 19x19 the sides."""
    if size not in (9, 13, 15, 19):
        return []
    edge, middle = (2 if size == 9 else 3), size // 2
    lines = (edge, middle, size - 1 - edge)
    return [(r, c) for r in lines for c in lines if size == 19 or (r == middle) == (c == middle)]


def _scaled(heat: ArrayLike, stones: NDArray[np.int8]) -> NDArray[np.float64]:
    """[cells]: values of empty cells from 0 (lowest) to 1 (highest), 0.5 if all tie, NaN where there is none."""
    try:
        values = np.asarray(heat, np.float64)
    except (TypeError, ValueError):
        raise ZeroplyError("a heat map needs a number for each cell") from None
    if values.shape not in (stones.shape, (1, *stones.shape)):
        raise ZeroplyError(f"a heat map needs {stones.size} values, not an array of shape {values.shape}")
    if np.isnan(values).any() or (values == np.inf).any():
        raise ZeroplyError("a heat map cannot hold NaN or +inf: use -inf for cells without a value")
    halves = values.ravel() / 2  # so that no range overflows
    shown = (stones == 0) & np.isfinite(halves)
    scaled = np.full(stones.shape, np.nan)
    if shown.any():
        low, high = halves[shown].min(), halves[shown].max()
        scaled[shown] = (halves[shown] - low) / (high - low) if high > low else 1.0 if shown.sum() == 1 else 0.5
    return scaled


def _colour(value: float, ramp: Ramp) -> tuple[int, int, int]:
    """The colour of a value from 0 to 1."""
    at = np.linspace(0, 1, len(ramp))
    red, green, blue = (round(float(np.interp(value, at, channel))) for channel in zip(*ramp, strict=True))
    return red, green, blue
