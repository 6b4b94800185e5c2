"""Architectures of your own: a plain `torch.nn.Module` becomes a net that every command knows.

    @architecture("senet")
    class SeNet(nn.Module):
        '''Residual blocks with squeeze and excitation.'''

        def __init__(self, planes: int, outputs: int, blocks: Annotated[int, "number of blocks"] = 4) -> None: ...

The module gets `planes` [n, planes, size, size] and returns [n, outputs]. `planes`, `size` and `outputs` are handed to
it if its constructor has parameters of these names; all others are keys of the spec, such as `senet(blocks=8)`. The
module keeps the initialisation it gives itself. A net file names the Python module that it needs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from zeroply.games import GAMES, Game
from zeroply.nets.contract import Net, Weights
from zeroply.nets.encodings import PLANES, Encoding, playable
from zeroply.nets.output_net import Output
from zeroply.plugins import module_name
from zeroply.specs import Spec

if TYPE_CHECKING:
    from torch import nn

M = TypeVar("M", bound="type[nn.Module]")
_OWN = "zeroply"


def architecture(name: str, *, encoding: Encoding = "pieces", output: Output = "moves") -> Callable[[M], M]:
    """Decorator: register a torch module as the net `name`.

    `encoding` chooses its input planes, `output` says what it returns: a logit per move, the value of the position, or
    a value per move.
    """
    from zeroply.nets import NETS

    def enter(module: M) -> M:
        NETS.register(name)(_builder(module, encoding, output))
        return module

    return enter


def _builder(module: type[nn.Module], encoding: Encoding, output: Output) -> Callable[..., Net]:
    takes = list(inspect.signature(module).parameters.values())

    def build(game: Game, weights: Weights | None = None, **options: Any) -> Net:
        from zeroply.nets.modules.own import OwnModule
        from zeroply.nets.torch_net import TorchNet

        sizes = {
            "planes": len(PLANES[encoding]),
            "size": game.size,
            "outputs": 1 if output == "value" else len(playable(game)),
        }
        given = {one.name: sizes[one.name] for one in takes if one.name in sizes}
        return TorchNet(game, weights, OwnModule(module(**given, **options)), encoding, output)

    context = [
        inspect.Parameter("game", inspect.Parameter.POSITIONAL_OR_KEYWORD),
        inspect.Parameter("weights", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None),
    ]
    options = [one.replace(kind=one.KEYWORD_ONLY) for one in takes if one.name not in ("planes", "size", "outputs")]
    build.__signature__ = inspect.Signature([*context, *options])  # type: ignore[attr-defined]
    build.__module__ = module.__module__
    build.__doc__ = inspect.getdoc(module)
    return build


def modules_of(spec: Spec, game: Game) -> list[str]:
    """The Python modules outside zeroply that an architecture needs, also those of the nets inside it, and its game."""
    found = {GAMES.entry(game.name).module, *_modules(spec)}
    return sorted(module_name(module) for module in found if module.partition(".")[0] != _OWN)


def _modules(spec: Spec) -> Iterator[str]:
    from zeroply.nets import NETS, POPULATION_NETS

    for one in [*spec.args, *spec.kwargs.values()]:
        yield from _modules(one) if isinstance(one, Spec) else ()
    for registry in (NETS, POPULATION_NETS):
        if spec.name in registry:
            yield registry.entry(spec.name).module
