"""Command lines of other programs: split as a shell would split them, but never run by a shell.

Debian installs games in separate folders, which are searched after the PATH.
"""

from __future__ import annotations

import os
import shlex
import shutil

from zeroply.errors import ZeroplyError
from zeroply.specs import excerpt

GAMES_FOLDERS = ("/usr/games", "/usr/local/games")
"""Where Debian puts games; searched after the PATH."""


def words_of(command: str) -> list[str]:
    """The path of the program that a command line names, which must exist, and its arguments."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ZeroplyError(f"the command '{excerpt(command)}' cannot be parsed: {str(error).lower()}") from None
    if not words:
        raise ZeroplyError("the command is empty: give a program and its arguments")
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), *GAMES_FOLDERS))
    program = shutil.which(os.path.expanduser(words[0]), path=path)
    if program is None:
        problem = "is not executable" if os.path.exists(words[0]) else "was not found"
        raise ZeroplyError(f"the program {excerpt(words[0])} {problem}: install it or give its path")
    return [program, *words[1:]]
