"""Charts as SVG and HTML: curves, and ratings with their intervals. Colours come from the page, light or dark."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 420, 240
LEFT, RIGHT, TOP, BOTTOM = 46, 14, 28, 40


@dataclass(frozen=True)
class Curve:
    """A curve of a chart."""

    name: str
    """Its name in the legend."""
    x: Sequence[float]
    """Horizontal values."""
    y: Sequence[float]
    """Values."""


@dataclass(frozen=True)
class Rated:
    """A row of a chart of ratings."""

    title: str
    """The player."""
    about: str
    """What kind of player it is, in a few words."""
    elo: float
    """Its rating."""
    low: float
    """Lower end of the 95 % interval."""
    high: float
    """Upper end of the 95 % interval."""
    ours: bool = False
    """Whether it is one of the nets that the page is about."""


def line_chart(
    curves: Sequence[Curve],
    x_title: str,
    y_title: str,
    caption: str,
    *,
    low: float | None = None,
    high: float | None = None,
) -> str:
    """Curves over common axes; `low` and `high` are the ends of the vertical axis, by default those of the values."""
    xs = [x for curve in curves for x in curve.x]
    ys = [y for curve in curves for y in curve.y]
    x_low, x_high = min(xs), max(xs)
    y_ticks = ticks(min(ys) if low is None else low, max(ys) if high is None else high)
    y_low, y_high = y_ticks[0], y_ticks[-1]

    def across(x: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (x - x_low) / ((x_high - x_low) or 1)

    def up(y: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (y - y_low) / ((y_high - y_low) or 1)

    parts = [f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">', f"<title>{escape(y_title)}</title>"]
    parts.append(f'<text x="4" y="13">{escape(y_title)}</text>')
    for y in y_ticks:
        parts.append(f'<path class="grid" d="M{LEFT} {up(y):.1f}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{up(y) + 4:.1f}" text-anchor="end">{y:g}</text>')
    parts += [
        f'<text x="{across(x):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{x:g}</text>'
        for x in ticks(x_low, x_high)
        if x_low <= x <= x_high
    ]
    parts.append(
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" text-anchor="middle">{escape(x_title)}</text>'
    )
    for number, curve in enumerate(curves, 1):
        points = [(across(x), up(y)) for x, y in zip(curve.x, curve.y, strict=True)]
        line = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        parts.append(f'<path class="line line{number}" d="M{line}"/>')
        if len(points) <= 12:
            parts += [f'<circle class="dot dot{number}" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>' for x, y in points]
    parts.append("</svg>")
    legend = "".join(
        f'<span><i class="swatch swatch{number}"></i>{escape(curve.name)}</span>'
        for number, curve in enumerate(curves, 1)
    )
    legend = f'<p class="legend">{legend}</p>' if len(curves) > 1 else ""
    return _figure("\n".join(parts) + legend, caption)


def ticks(low: float, high: float) -> list[float]:
    """Round numbers from `low` or below to `high` or above, four to seven of them."""
    high = high if high > low else low + 1
    rough = (high - low) / 5
    scale = 10.0 ** math.floor(math.log10(rough))
    step = scale * next(one for one in (1, 2, 5, 10) if one * scale >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(number * step, 10) for number in range(first, max(last, first + 1) + 1)]


def rating_chart(rows: Sequence[Rated], caption: str) -> str:
    """Ratings with their 95 % intervals, in the order given."""
    marks = ticks(min(0.0, min(row.low for row in rows)), max(row.high for row in rows))
    low, high = marks[0], marks[-1]

    def place(elo: float) -> float:
        return 100 * (elo - low) / (high - low)

    lines = []
    for row in rows:
        title = f"<b>{escape(row.title)}</b><small>{escape(row.about)}</small>"
        interval = (
            f'<i class="interval" style="left:{place(row.low):.2f}%;width:{place(row.high) - place(row.low):.2f}%">'
        )
        bar = f'<i class="bar" style="left:{place(0):.2f}%;width:{max(place(row.elo) - place(0), 0):.2f}%"></i>'
        lines.append(
            f"<li{' class=ours' if row.ours else ''}><div>{title}</div>"
            f'<div class="track">{bar}{interval}</i></div>'
            f'<div class="elo"><b>{row.elo:.0f}</b><small>± {(row.high - row.low) / 2:.0f}</small></div></li>'
        )
    return _figure(f'<ol class="ratings">{"".join(lines)}</ol>', caption)


def _figure(drawn: str, caption: str) -> str:
    return f"<figure>{drawn}<figcaption>{escape(caption)}</figcaption></figure>"
