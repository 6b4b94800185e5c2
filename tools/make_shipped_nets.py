"""Write the nets in src/zeroply/nets/shipped that are tables from the literature rather than trained.

python tools/make_shipped_nets.py
"""

import numpy as np

from zeroply.games import game
from zeroply.nets import save
from zeroply.nets.files import SHIPPED, SUFFIX
from zeroply.nets.wpc import Wpc, from_quarter

STANDARD_HEURISTIC = [
    [1.00, -0.25, 0.10, 0.05],
    [-0.25, -0.25, 0.01, 0.01],
    [0.10, 0.01, 0.05, 0.02],
    [0.05, 0.01, 0.02, 0.01],
]
"""Top left quarter of the "standard weighted piece counter heuristic" of the Othello literature."""

SOURCE = (
    "Yoshioka, Ishii, Ito: Strategy acquisition for the game Othello based on reinforcement learning (1999); "
    "the fixed opponent of Lucas and Runarsson (2006) and of many later papers"
)


def main() -> None:
    """Write the files."""
    weights = from_quarter(np.array(STANDARD_HEURISTIC, np.float32))
    about = "the standard heuristic weights (SWH), hand-made, the usual opponent of learned weights"
    save(Wpc(game("othello"), weights), SHIPPED / f"othello-swh{SUFFIX}", {"about": about, "source": SOURCE})


if __name__ == "__main__":
    main()
