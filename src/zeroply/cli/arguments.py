"""Arguments that only their place tells, as several commands have them: how many are wanted is seen from the usage."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

REQUIRED = "(required)"

Players = Annotated[Positional[list[str]], arg(metavar="PLAYER ...", help_behavior_hint=REQUIRED)]
"""One player or more."""
"""Two players or more."""
Files = Annotated[Positional[list[Path]], arg(metavar="FILE ...", help_behavior_hint=REQUIRED)]
"""One file or more."""
FilesAndOutput = Annotated[Positional[list[Path]], arg(metavar="IN ... OUT", help_behavior_hint=REQUIRED)]
"""Files to read, and last one to write."""
