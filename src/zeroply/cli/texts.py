"""Texts that fit the terminal: wrapped help, of which tyro wraps only the boxes, and shortened long words."""

from __future__ import annotations

import io
import re
import shutil
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from functools import partial
from typing import TextIO

from zeroply.cli.parsing import Target

LONG = 100
"""Letters of a word that is shortened."""
EXAMPLE = "Example: "
USAGE = "usage: "
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_QUOTED, _BRACKETED = r'"[^"]*"', r"\[[^\]]*\]"
_WHOLE = re.compile(rf"--[\w.-]+ (?:{_QUOTED}|[^-\s]\S*)|{_QUOTED}|{_BRACKETED}")
"""Never broken: an option and its value, a quoted word, a part of the usage in brackets."""
_CONTINUED = re.compile(r"\n {12,}(?=\S)")
"""Line breaks within the help of an argument, at which tyro would break the line too."""
_CHOICES = re.compile(r"\{[\w,-]+\}")
"""The commands to choose from, in the usage of a command that has parts."""
_LONG_WORD = re.compile(rf"[^\s\"'(),=]{{{LONG},}}")


class _Page(io.StringIO):
    """Captures what is printed, with the encoding and colours of the output itself."""

    def __init__(self, output: TextIO) -> None:
        super().__init__()
        self._output = output

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """That of the output."""
        return self._output.encoding

    def isatty(self) -> bool:
        """Whether the output is a terminal."""
        return self._output.isatty()


@contextmanager
def wrapped_help(target: Target, words: Sequence[str]) -> Iterator[None]:
    """Within this context, wrap output to the width of the terminal if the arguments request help."""
    if sys.stdout is None or not {"-h", "--help"} & set(words):
        yield
        return
    for function in target.values() if isinstance(target, Mapping) else [target]:
        documented = function.func if isinstance(function, partial) else function
        documented.__doc__ = _CONTINUED.sub(" ", documented.__doc__ or "")
    page = _Page(sys.stdout)
    try:
        with redirect_stdout(page):
            yield
    finally:
        sys.stdout.write(wrapped(page.getvalue(), shutil.get_terminal_size().columns))


def wrapped(text: str, width: int) -> str:
    """A text with its long lines broken; an example is continued after a backslash, so that it can be copied."""
    return "\n".join(_broken(line, width) for line in text.split("\n"))


def _broken(line: str, width: int) -> str:
    plain = _COLOURS.sub("", line)
    if len(plain) <= width:
        return line
    begin = next((begin for begin in (USAGE, EXAMPLE) if plain.startswith(begin)), "")
    further = " \\" if begin == EXAMPLE else ""
    if begin == USAGE:  # the commands are listed below in any case
        line = _CHOICES.sub(lambda names: names[0] if len(names[0]) <= width - len(begin) else "COMMAND", line)
    protected = _WHOLE.sub(lambda whole: whole[0].replace(" ", "\0"), line) if begin else line
    lines = textwrap.wrap(
        protected,
        max(1, width - len(further)),
        subsequent_indent=" " * len(begin),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return f"{further}\n".join(lines).replace("\0", " ")


def shortened(text: str) -> str:
    """A text with very long words shortened, such as the numbers of a net's layer; paths stay."""
    return _LONG_WORD.sub(lambda word: word[0] if "/" in word[0] else f"{word[0][:20]}...{word[0][-20:]}", text)
