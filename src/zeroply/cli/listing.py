"""`zeroply games`, `players`, `nets`, `evaluations`: lists of everything that a spec can name, with help."""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from tyro.conf import Positional, arg

from zeroply.cli.arguments import Json
from zeroply.cli.output import console, print_json
from zeroply.cli.texts import shortened
from zeroply.registry import Parameter, Registry, RegistryEntry

if TYPE_CHECKING:
    from zeroply.nets import NetInfo

Specs = Annotated[Positional[tuple[str, ...]], arg(metavar="[NET ...]", help_behavior_hint="")]


def games(json: Json = False) -> None:
    """List the games and their options.

    Example: zeroply games
    """
    from zeroply.games import GAMES

    _list(GAMES, json, 'a game is named by a spec, such as "gomoku(size=9)"')


def players(json: Json = False) -> None:
    """List the players and their options.

    Example: zeroply players
    """
    from zeroply.players import PLAYERS

    _list(PLAYERS, json, 'a player is named by a spec, such as "net(othello-swh)" or "naive(ties=lowest)"')
    if not json:
        console.print("\nnets that come with zeroply, such as net(othello): zeroply nets", markup=False)


def nets(specs: Specs = (), /, game: str = "othello", json: Json = False) -> None:
    """List net architectures with their sizes, and the nets that come with zeroply; or the sizes of some nets only.

    Example: zeroply nets "conv8(bn=true, width=0.5)" "lines(embedding=16, layers=64-64)" "mdrnn(k=10)"

    Args:
        specs: Specs of nets; by default all architectures are listed.
        game: Spec of the game, which decides the sizes.
    """
    from zeroply.nets import NETS, POPULATION_NETS

    if specs:
        _print_sizes(_sizes(specs, game), json)
        return
    shipped = _shipped()
    counts = _torch_is_there()
    sizes = _sizes(SIZED if counts else EVOLVING, game)
    sizes = {net: sizes.get(net, (None, None)) for net in SIZED}
    if json:
        rows = [
            {
                "name": n,
                "game": str(i.game),
                "net": str(i.spec),
                "weights": i.parameters,
                "bytes": i.path.stat().st_size,
                "storage": i.storage,
                "training": dict(i.training),
            }
            for n, i in shipped.items()
        ]
        listed = _size_rows(sizes)
        entries = [_entry(e) for e in NETS.entries()]
        for_populations = [_entry(e) for e in POPULATION_NETS.entries()]
        print_json({"architectures": entries, "populations": for_populations, "sizes": listed, "shipped": rows})
        return
    _list(NETS, False, "architectures of nets")
    console.print()
    _list(POPULATION_NETS, False, "architectures for evolution, whose weights are one vector")
    console.print(f"\nsizes for {game}, and the cost of one position\n")
    _print_sizes(sizes, False)
    if not counts:
        console.print("\nthe other sizes need torch: pip install '.[train]'", markup=False)
    _list_shipped(shipped)


def _shipped() -> dict[str, NetInfo]:
    """The nets that come with zeroply, sorted by board size."""
    from zeroply.nets import inspect, shipped

    return {name: inspect(name) for name in sorted(shipped(), key=_numbered)}


def _numbered(name: str) -> list[str | int]:
    """A sort key for names with numbers: size 5 before size 11."""
    return [int(part) if i % 2 else part for i, part in enumerate(re.split("([0-9]+)", name))]


def _list_shipped(shipped: dict[str, NetInfo]) -> None:
    """Two lines per net: its spec as a player, architecture and number of weights; then a description."""
    console.print("\nnets that come with zeroply; nets that scale play on every board size of their game\n")
    lines = [(f"net({name})", shortened(str(info.spec)), f"{info.parameters:,}") for name, info in shipped.items()]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for (name, spec, weights), info in zip(lines, shipped.values(), strict=True):
        named = f"[bold]{escape(f'{name:<{widths[0]}}')}[/bold]"
        sizes = f"{spec:<{widths[1]}}  {weights:>{widths[2]}} weights"
        console.print(f"{named}  {escape(sizes)}", soft_wrap=True)
        console.print(Padding(escape(str(info.training.get("about", ""))), (0, 0, 0, 2)), style="dim")


EVOLVING = ("mdrnn(k=10)", "mdlstm(k=10)", "mlp(hidden=100)", "spatial(layer=queen)", "spatial(layer=subsquares)")
SIZED = (
    "conv4",
    "conv6",
    "conv8",
    "conv8(bn=true)",
    "conv10",
    "resnet(depth=32)",
    "resnet(depth=32, pooling=false)",
    "resnet(depth=32, pooling=false, projection=true)",
    "resnet(depth=56)",
    "resnet(depth=56, pooling=false)",
    "resnet(depth=56, pooling=false, projection=true)",
    "densenet(depth=40)",
    "densenet(depth=100)",
    "widenet",
    "dense",
    "staged(net=conv4)",
    "lines(embedding=16, layers=128-64)",
    *EVOLVING,
)
"""The nets whose sizes are listed."""


Sizes = dict[str, tuple[int | None, int | None]]
"""Weights and multiply-adds of nets; None where they are not counted: `zeroply bench nets` measures nets of evolution,
and the others need torch."""


def _torch_is_there() -> bool:
    try:
        importlib.import_module("torch")
    except ImportError:
        return False
    return True


def _sizes(specs: Sequence[str], game_spec: str) -> Sizes:
    from zeroply.games import game
    from zeroply.nets import POPULATION_NETS, population_net, untrained
    from zeroply.nets.torch_net import multiply_adds
    from zeroply.specs import parse

    rules = game(game_spec)
    sizes: Sizes = {}
    for spec in specs:
        if parse(spec).name in POPULATION_NETS:
            sizes[spec] = (population_net(spec, rules).parameters, None)
        else:
            net = untrained(spec, rules)
            sizes[spec] = (net.parameters, multiply_adds(net))
    return sizes


def _size_rows(sizes: Sizes) -> list[dict[str, Any]]:
    return [{"net": net, "weights": size[0], "multiply_adds": size[1]} for net, size in sizes.items()]


def _print_sizes(sizes: Sizes, json: bool) -> None:
    if json:
        print_json(_size_rows(sizes))
        return
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("net", overflow="fold")
    table.add_column("weights", justify="right", no_wrap=True)
    table.add_column("multiply-adds", justify="right", no_wrap=True)
    for net, (weights, cost) in sizes.items():
        table.add_row(escape(shortened(net)), *("" if count is None else f"{count:,}" for count in (weights, cost)))
    console.print(table)


def evaluations(json: Json = False) -> None:
    """List the evaluations that players search with, and their options.

    Example: zeroply evaluations
    """
    from zeroply.search import EVALUATIONS

    _list(EVALUATIONS, json, 'an evaluation is named by a spec, as in "alphabeta(depth=4, eval=positional)"')


def _list(registry: Registry[Any], json: bool, title: str) -> None:
    if json:
        print_json([_entry(entry) for entry in registry.entries()])
        return
    table = Table("name", "what it is", box=None, header_style="bold", padding=(0, 2))
    for entry in sorted(registry.entries(), key=lambda entry: _numbered(entry.name)):
        table.add_row(f"[bold]{entry.name}[/bold]", entry.help)
        for parameter in entry.own:
            table.add_row(f"  {parameter}", _help(parameter), style="dim")
    console.print(f"{title}\n")
    console.print(table)
    if registry.shared:
        console.print(f"\nevery {registry.kind} also takes\n")
        also = Table(box=None, show_header=False, padding=(0, 2))
        for parameter in registry.shared:
            also.add_row(f"  {parameter}", _help(parameter), style="dim")
        console.print(also)


def _help(parameter: Parameter) -> str:
    """The help of a parameter, with the choices if there are any."""
    return f"{parameter.help} ({'|'.join(parameter.choices)})" if parameter.choices else parameter.help


def _entry(entry: RegistryEntry[Any]) -> dict[str, Any]:
    return {
        "name": entry.name,
        "help": entry.help,
        "parameters": [
            {
                "name": p.name,
                "required": p.required,
                "default": _default(p.default),
                "accepts": p.accepts,
                "choices": list(p.choices) or None,
                "help": p.help,
            }
            for p in entry.parameters
        ],
    }


def _default(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
