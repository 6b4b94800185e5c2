"""An analysis as a self-contained HTML page: a graph, a table, and the board before every move.

There is no script in it. Boards carry the player's preferences as a heat map; links lead from a row to its board.
"""

from __future__ import annotations

from html import escape

from zeroply.analysis.game import Analysis, Move
from zeroply.games.text import NAMES

STYLE = """
:root { color-scheme: light dark; --line: #c9c9c4; --dim: #62625c; --bad: #b3261e; --curve: #1f6f54; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; } p { color: var(--dim); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; } .wide { overflow-x: auto; }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid var(--line); } th { color: var(--dim); }
td.bad { color: var(--bad); font-weight: 600; } a { color: inherit; }
.boards { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: 1.2rem; }
figure { margin: 0; } figcaption { font-size: .85rem; color: var(--dim); } svg { max-width: 100%; height: auto; }
.graph text { font-size: 12px; fill: var(--dim); }
.graph polyline { fill: none; stroke: var(--curve); stroke-width: 2; }
.graph .axis { stroke: var(--line); } .graph circle { fill: var(--curve); }
.graph .exact { fill: none; stroke: var(--curve); }
@media (prefers-color-scheme: dark) { :root { --line: #44443f; --dim: #a5a59e; --bad: #ff8a80; --curve: #6ccfa5; } }
"""
WIDTH, HEIGHT, MARGIN = 900, 260, 40


def page(analysis: Analysis) -> str:
    """The whole page."""
    record = analysis.record
    title = f"{record.black or 'Black'} against {record.white or 'White'}"
    about = ", ".join(text for text in (str(record.game), record.event, record.date, f"result {record.result}") if text)
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">',
            f"<title>{escape(title)}</title>",
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<style>{STYLE}</style>",
            f"<h1>{escape(title)}</h1>\n<p>{escape(about)}</p>",
            f"<p>Player <code>{escape(analysis.player)}</code> would have made {analysis.agreement:.0%} of the moves. "
            f"{_judged(analysis)}</p>",
            "<h2>Value for Black</h2>",
            graph(analysis.moves),
            "<h2>Moves</h2>",
            _table(analysis.moves),
            f"<p>{'; '.join(legend(analysis))}</p>",
            "<h2>Boards</h2>\n<p>The board before each move, with the player's preferences.</p>",
            f'<div class="boards">{"".join(_board(analysis, i) for i in range(len(analysis.moves)))}</div>',
            "</html>\n",
        ]
    )


def _judged(analysis: Analysis) -> str:
    """The judge and the unit of the values."""
    where = " before the ending" if has_ending(analysis) else ""
    return f"Values{where} are by <code>{escape(analysis.judge)}</code>, in {analysis.unit}."


def graph(moves: tuple[Move, ...]) -> str:
    """The value before each move as a curve; exact ones are rings, decided games lie at the edge."""
    most = max([1.0, *(abs(move.value) for move in moves if move.value is not None)])
    last = max(2, moves[-1].number)

    def at(move: Move) -> tuple[float, float]:
        x = MARGIN + (WIDTH - 2 * MARGIN) * (move.number - 1) / (last - 1)
        share = (1 if move.winner == "black" else -1) if move.value is None else move.value / most
        return round(x, 1), round(HEIGHT / 2 - (HEIGHT / 2 - MARGIN / 2) * share, 1)

    points = [at(move) for move in moves]
    dots = "".join(
        f'<circle cx="{x}" cy="{y}" r="3" class="{"exact" if move.exact else "judged"}">'
        f"<title>{move.number} {move.move}: {value_of(move)}</title></circle>"
        for move, (x, y) in zip(moves, points, strict=True)
    )
    labels = "".join(
        f'<text x="4" y="{HEIGHT / 2 - (HEIGHT / 2 - MARGIN / 2) * share + 4:.0f}">{share * most:+.0f}</text>'
        for share in (1, 0, -1)
    )
    return (
        f'<svg class="graph" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="value for Black by move">'
        f'<line class="axis" x1="{MARGIN}" x2="{WIDTH}" y1="{HEIGHT / 2}" y2="{HEIGHT / 2}"/>{labels}'
        f'<polyline points="{" ".join(f"{x},{y}" for x, y in points)}"/>{dots}</svg>'
    )


def _table(moves: tuple[Move, ...]) -> str:
    head = "".join(f"<th>{name}</th>" for name in COLUMNS)
    rows = []
    for move in moves:
        cells = cells_of(move)
        bad = ' class="bad"' if move.fault or (move.loss or 0) >= 4 else ""
        marked = [
            f"<td{bad if name == 'loss' else ''}>{escape(c)}</td>" for name, c in zip(COLUMNS, cells, strict=True)
        ]
        marked[0] = f'<td><a href="#m{move.number}">{move.number}</a></td>'
        rows.append(f"<tr>{''.join(marked)}</tr>")
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


COLUMNS = ("#", "side", "move", "rank", "of", "probability", "player", "value", "loss", "best")
"""The columns of the table, here and in the terminal."""
LINE = 3
"""Moves shown of a best line."""


def has_ending(analysis: Analysis) -> bool:
    """Whether only the game's ending is solved, so that earlier values are estimates."""
    return any(move.exact for move in analysis.moves)


def legend(analysis: Analysis) -> tuple[str, ...]:
    """What the columns mean."""
    unit = "discs" if analysis.unit == "discs" else f"{analysis.unit} of the judge"
    return (
        "player: the move that the player prefers",
        f"value: of the position before the move, for Black, in {unit}",
        "loss: for whoever moved; the next value is this one less the loss",
        "best: the best move and what the judge expects after it",
        *(["= marks what is exact, in discs"] if has_ending(analysis) else []),
    )


def cells_of(move: Move) -> list[str]:
    """The cells of a row; `=` marks what is exact."""
    return [
        str(move.number),
        NAMES[1 if move.colour == "black" else -1],
        move.move,
        str(move.rank),
        str(move.legal),
        f"{move.probability:.1%}",
        move.favourite,
        value_of(move),
        move.fault or (f"={move.loss:.0f}" if move.exact else f"{move.loss:.1f}"),
        " ".join(move.line[:LINE]) or move.best,
    ]


def value_of(move: Move) -> str:
    """The value for Black in a few characters: a number, or `won` or `lost`."""
    if move.value is None:
        return "won" if move.winner == "black" else "lost"
    return f"={move.value:+.0f}" if move.exact else f"{move.value:+.1f}"


def _board(analysis: Analysis, i: int) -> str:
    move = analysis.moves[i]
    side = NAMES[1 if move.colour == "black" else -1]
    words = f"{move.number}. {side} plays {move.move}, rank {move.rank} of {move.legal}"
    drawing = analysis.positions[i].svg(analysis.preferences[i])
    return f'<figure id="m{move.number}">{drawing}<figcaption>{escape(words)}</figcaption></figure>'
