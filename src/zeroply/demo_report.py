"""The HTML report of `make demo`: the output of every command, boards and curves, in one file without scripts."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import TextIO

from rich.console import Console
from rich.text import Text

from zeroply.files import write_atomically
from zeroply.runs import Run

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1c1c1c; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin: 2.5rem 0 .5rem; }
pre { overflow-x: auto; background: #f5f5f2; padding: .8rem 1rem; border-radius: 6px;
  font-size: .82rem; line-height: 1.35; }
pre.command { background: none; padding: 0; color: #666; margin: .3rem 0; white-space: pre-wrap; }
.pictures { display: flex; flex-wrap: wrap; gap: 1.5rem; } figure { margin: 1rem 0; max-width: 100%; }
.pictures figure { width: 17rem; } figcaption { font-size: .85rem; color: #555; overflow-wrap: anywhere; }
svg { max-width: 100%; height: auto; }
@media (prefers-color-scheme: dark) {
  body { background: #16181a; color: #e4e4e0; } pre { background: #eeeeea; color: #1c1c1c; }
  pre.command, figcaption { color: #a5a5a0; background: none; } .drawn { background: #fff; }
}
"""


class _Tee:
    """Writes to a stream and records the text."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.recorded = io.StringIO()

    def write(self, text: str) -> int:
        self.recorded.write(text)
        return self._stream.write(text)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


class DemoReport:
    """Collects the parts of the demo in order."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._pictures: list[str] = []

    @contextmanager
    def part(self, title: str, commands: str) -> Iterator[None]:
        """Record what these commands print."""
        self._flush_pictures()
        before, tee = sys.stdout, _Tee(sys.stdout)
        sys.stdout = tee
        try:
            yield
        finally:
            sys.stdout = before
        text = f'<pre class="command">{escape(commands)}</pre>\n<pre>{_as_html(tee.recorded.getvalue())}</pre>'
        self._parts.append(f"<h2>{escape(title)}</h2>\n{text}")

    def figure(self, caption: str, svg: str) -> None:
        """Add a full-width figure."""
        self._parts.append(f'<figure><div class="drawn">{svg}</div><figcaption>{escape(caption)}</figcaption></figure>')

    def picture(self, caption: str, svg: str) -> None:
        """Add a small figure; consecutive ones share a row."""
        self._pictures.append(f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>")

    def write(self, path: Path, seconds: float) -> Path:
        """Write the page."""
        self._flush_pictures()
        body = "\n".join(self._parts)
        page = (
            f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>zeroply: a demo</title>\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<style>{STYLE}</style>\n'
            f"<h1>zeroply: players that do not search</h1>\n"
            f"<p>Made by <code>make demo</code> in {seconds:.0f} seconds. Every part is the output of the commands "
            f"above it. The same command with the same seed gives the same result.</p>\n{body}\n</html>\n"
        )
        write_atomically(path, page.encode())
        return path

    def _flush_pictures(self) -> None:
        if self._pictures:
            self._parts.append(f'<div class="pictures">{"".join(self._pictures)}</div>')
            self._pictures = []


def _as_html(printed: str) -> str:
    """Text for a terminal as HTML."""
    console = Console(record=True, width=1000, file=io.StringIO(), highlight=False)
    console.print(Text.from_ansi(printed.rstrip()), soft_wrap=True)
    return console.export_html(inline_styles=True, code_format="{code}").rstrip()


def curves(run: Path, unit: str, *fields: str) -> str:
    """Some figures of a run by generation, as SVG."""
    from matplotlib.figure import Figure

    rows = list(Run.read(run).events("generation"))
    figure = Figure(figsize=(7, 2.6), layout="constrained")
    axes = figure.subplots()
    for name in fields:
        axes.plot([row["number"] for row in rows], [row[name] for row in rows], label=name)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set(xlabel="generation", ylabel=unit)
    axes.legend(frameon=False)
    file = io.StringIO()
    figure.savefig(file, format="svg", metadata={"Date": None})
    text = file.getvalue()
    return text[text.index("<svg") :]
