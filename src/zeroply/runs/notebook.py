"""Results as HTML, for notebooks: the lines and tables that a command prints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from zeroply.runs.experiment import TextTable


def as_html(items: Iterable[str | TextTable]) -> str:
    """What the report of an experiment consists of."""
    return "".join(_table(item) if isinstance(item, TextTable) else _line(item) for item in items)


def _line(text: str) -> str:
    return f'<div style="white-space:pre-wrap">{escape(text.strip())}</div>'


def _table(table: TextTable) -> str:
    head = f"<thead>{_row(table, table.columns, 'th')}</thead>" if any(table.columns) else ""
    return f"<table>{head}<tbody>{''.join(_row(table, row, 'td') for row in table.rows)}</tbody></table>"


def _row(table: TextTable, cells: Sequence[str], tag: str) -> str:
    sides = ("left" if number == table.left else "right" for number in range(len(cells)))
    pairs = zip(cells, sides, strict=True)
    return (
        "<tr>" + "".join(f'<{tag} style="text-align:{side}">{escape(cell)}</{tag}>' for cell, side in pairs) + "</tr>"
    )
