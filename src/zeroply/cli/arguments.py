"""Arguments and options that several commands have, each with its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

REQUIRED = "(required)"

Players = Annotated[Positional[list[str]], arg(metavar="PLAYER ...", help_behavior_hint=REQUIRED)]
"""One player or more."""
Files = Annotated[Positional[list[Path]], arg(metavar="FILE ...", help_behavior_hint=REQUIRED)]
"""One file or more."""
FilesAndOutput = Annotated[Positional[list[Path]], arg(metavar="IN ... OUT", help_behavior_hint=REQUIRED)]
"""Files to read, and last one to write."""

Json = Annotated[bool, arg(help="Print JSON.")]
Overwrite = Annotated[bool, arg(help="Replace the file if it exists.")]
Threads = Annotated[int | None, arg(help="Threads for the core; affects speed only.")]
GameSpec = Annotated[str, arg(help="Spec of the game.")]
GameOfFiles = Annotated[str | None, arg(help="Spec of the game, if a file does not name it.")]
