"""The players and their registry. A new player is a file here and a line below."""

from typing import Annotated, Literal

from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.games import game as make_game
from zeroply.nets import Net
from zeroply.nets.files import shipped
from zeroply.players.contract import Choice, Fault, Follower, FollowingPlayer, Forfeit, GameSoFar, Player
from zeroply.registry import Registry
from zeroply.specs import Spec, parse, text_value

__all__ = [
    "PLAYERS",
    "Choice",
    "Fault",
    "Follower",
    "FollowingPlayer",
    "Forfeit",
    "GameSoFar",
    "Player",
    "player",
    "shown_name",
]


LONGEST_NAME = 60
"""Characters of the name of a player."""


def _finish(
    built: Player,
    *,
    temperature: Annotated[float, "0 takes the best move, above that moves are drawn by preference"] = 0.0,
    ties: Annotated[Literal["random", "lowest"], "which of several best moves is taken"] = "random",
    name: Annotated[str | None, "its name in tables and saved games; by default its spec"] = None,
) -> Player:
    built.choice = Choice(temperature, ties)
    if name is not None:
        built.name = _checked_name(name)
    return built


PLAYERS: Registry[Player] = Registry("player", context=("game",), finish=_finish, group="players")
PLAYERS.lazy("random", "zeroply.players.simple:random")
PLAYERS.lazy("naive", "zeroply.players.simple:naive")
PLAYERS.lazy("greedy", "zeroply.players.simple:greedy")
PLAYERS.lazy("net", "zeroply.players.net:net")
PLAYERS.lazy("hybrid", "zeroply.players.hybrid:hybrid")
PLAYERS.lazy("alphabeta", "zeroply.players.searching:alphabeta")
PLAYERS.lazy("engine", "zeroply.players.searching:engine")
PLAYERS.lazy("iagno", "zeroply.players.searching:iagno")
PLAYERS.lazy("gtp", "zeroply.foreign.gtp:gtp")
PLAYERS.lazy("nboard", "zeroply.foreign.nboard:nboard")
PLAYERS.lazy("cassio", "zeroply.foreign.cassio:cassio")
PLAYERS.lazy("edax", "zeroply.foreign.edax:edax")
PLAYERS.lazy("gomocup", "zeroply.foreign.gomocup:gomocup")
PLAYERS.lazy("openspiel", "zeroply.envs:openspiel")


def shown_name(spec: Spec) -> str:
    """The name that a spec gives its player, else the spec itself: what tables and saved games say."""
    name = spec.kwargs.get("name")
    return str(spec) if name is None or (isinstance(name, Spec) and name.word == "none") else str(name)


def _checked_name(name: str) -> str:
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise ZeroplyError(f"the name of a player is one line of 1 to {LONGEST_NAME} characters, not {name[:80]!r}")
    return name


def player(spec: str | Spec | Player | Net, game: str | Spec | Game) -> Player:
    """The player of a spec, for a game; a net becomes a player."""
    wanted = make_game(game)
    if isinstance(spec, Net):
        spec = _of_net(spec)
    if isinstance(spec, Player):
        if spec.game != wanted:
            raise ZeroplyError(f"player {spec} plays {spec.game}, not {wanted}")
        return spec
    if not isinstance(spec, str | Spec):
        raise ZeroplyError(f"a player is named by a spec such as naive, or is a Player or a Net, not {_kind(spec)}")
    parsed = parse(spec)
    if parsed.name not in PLAYERS and parsed.name in shipped():
        raise ZeroplyError(f"unknown player '{parsed.name}' (did you mean net({parsed.name})?)")
    built = PLAYERS.build(parsed, game=wanted)
    built.spec = parsed
    return built


def _of_net(net: Net) -> Player:
    from zeroply.players.net import NetPlayer

    built = NetPlayer(net.game, net)
    built.spec = Spec("net", net.spec if net.name is None else text_value(net.name))
    return built


def _kind(thing: object) -> str:
    return f"the class {thing.__name__}" if isinstance(thing, type) else f"a {type(thing).__name__}"
