"""The nets: architectures by name, and net files. A new architecture is a file here and a line below."""

from zeroply.games import Game
from zeroply.nets import files
from zeroply.nets.contract import Net, Weights
from zeroply.nets.files import NetInfo, inspect, save, shipped
from zeroply.registry import Registry

__all__ = ["NETS", "Net", "NetInfo", "Weights", "inspect", "load", "save", "shipped"]

NETS: Registry[Net] = Registry("net", context=("game", "weights"))
NETS.lazy("wpc", "zeroply.nets.wpc:wpc")


def load(name: str, game: Game) -> Net:
    """The net of a file or a shipped net, for a game it fits."""
    return files.load(name, game, NETS)
