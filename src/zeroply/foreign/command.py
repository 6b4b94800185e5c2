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


def words_of(command: str, cwd: str | None = None) -> list[str]:
    """The path of the program that a command line names, which must exist, and its arguments.

    A relative path is looked up here and then in `cwd`, the program's working directory.
    """
    if cwd is not None and not os.path.isdir(os.path.expanduser(cwd)):
        raise ZeroplyError(f"the working directory {excerpt(cwd)} is not a folder")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ZeroplyError(f"the command '{excerpt(command)}' cannot be parsed: {str(error).lower()}") from None
    if not words:
        raise ZeroplyError("the command is empty: give a program and its arguments")
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), *GAMES_FOLDERS))
    named = os.path.expanduser(words[0])
    program = shutil.which(named, path=path)
    if program is None and cwd is not None and os.path.dirname(named):
        program = shutil.which(os.path.join(os.path.expanduser(cwd), named))
    if program is None:
        problem = "is not executable" if os.path.exists(words[0]) else "was not found"
        raise ZeroplyError(f"the program {excerpt(words[0])} {problem}: install it or give its path")
    return [os.path.abspath(program), *words[1:]]
