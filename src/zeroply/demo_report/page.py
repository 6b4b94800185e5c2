"""The page: parts with a sentence on what is to be seen, and the output of the commands folded away below."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from itertools import groupby
from pathlib import Path
from typing import TextIO

from rich.text import Text

from zeroply.files import write_atomically

HERE = Path(__file__).parent


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
    """Collects the parts of the demo, in whatever order they are made."""

    def __init__(self, parts: Sequence[str]) -> None:
        """`parts` are the titles in order; what is added to the part "" comes before them."""
        self._parts: dict[str, list[str]] = {title: [] for title in ("", *parts)}
        self._folded: dict[str, list[str]] = {title: [] for title in parts}

    @contextmanager
    def record(self, part: str, commands: str) -> Iterator[None]:
        """Record what these commands print, to be folded away at the end of a part."""
        before, tee = sys.stdout, _Tee(sys.stdout)
        sys.stdout = tee
        try:
            yield
        finally:
            sys.stdout = before
        text = f'<pre class="command">{escape(commands)}</pre>\n<pre>{_plain(tee.recorded.getvalue())}</pre>'
        self._folded[part].append(text)

    def add(self, part: str, *blocks: str) -> None:
        """Add HTML to a part; small figures that follow one another share a row."""
        self._parts[part].extend(blocks)

    def write(self, path: Path, seconds: float) -> Path:
        """Write the page."""
        sections = [self._section(title) for title in self._folded]
        page = (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            "<title>Players that do not search: a demo of zeroply</title>\n"
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="color-scheme" content="light dark">\n'
            f"<style>\n{(HERE / 'page.css').read_text()}</style>\n</head>\n<body>\n<main>\n"
            "<h1>Board-game players that do not search</h1>\n"
            + "\n".join(self._parts[""])
            + "\n"
            + "\n".join(sections)
            + f"\n<footer><p>Made by <code>make demo</code> in {seconds:.0f} seconds. Every figure comes from the "
            "commands in the folded sections; with the same seed they give the same results.</p></footer>\n"
            f"</main>\n<script>\n{(HERE / 'page.js').read_text()}</script>\n</body>\n</html>\n"
        )
        write_atomically(path, page.encode())
        return path

    def _section(self, title: str) -> str:
        folded = "\n".join(self._folded[title])
        blocks = [
            "\n".join(some) if not small else f'<div class="pictures">{"".join(some)}</div>'
            for small, some in groupby(self._parts[title], lambda block: block.startswith('<figure class="small">'))
        ]
        return (
            f"<section>\n<h2>{escape(title)}</h2>\n" + "\n".join(blocks) + "\n<details><summary>Commands and their "
            f"output</summary>\n{folded}\n</details>\n</section>"
        )


def _plain(printed: str) -> str:
    """Text for a terminal without colours, which would not suit every background."""
    return escape(Text.from_ansi(printed.rstrip()).plain)
