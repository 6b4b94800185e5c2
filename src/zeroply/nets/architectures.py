"""Declarations of the architectures that torch trains: options, defaults and help.

Their layers are in `zeroply.nets.graphs`, one file per family. `weights=None` builds a net for training, by torch; a
trained one runs in the core, or by torch on a GPU.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from zeroply.errors import ZeroplyError
from zeroply.games import Game
from zeroply.nets.contract import Net, Weights
from zeroply.nets.core_net import BagNet, CoreNet, StagedNet, runs_in_core
from zeroply.nets.encodings import PLANES, Encoding, playable
from zeroply.nets.graph import Graph, HeadKind, Sizes
from zeroply.nets.graphs import conv as conv_graphs
from zeroply.nets.graphs import dense as dense_graphs
from zeroply.nets.graphs import densenet as densenet_graphs
from zeroply.nets.graphs import resnet as resnet_graphs
from zeroply.nets.graphs import widenet as widenet_graphs
from zeroply.nets.output_net import Output, OutputNet
from zeroply.nets.torch_net import TorchNet, needs_torch
from zeroply.specs import Spec

Bn = Annotated[bool, "batch normalisation after every hidden layer"]
Dropout = Annotated[float, "dropout rate while training, 0 to 0.9"]
Width = Annotated[float, "factor on the numbers of feature maps and hidden units"]
Encodings = Annotated[Encoding, "input planes: own and opposing pieces, plus ones, legal moves or the side to move"]
Outputs = Annotated[Output, "output: a logit per move, the value of the position, or a value per move"]
Head = Annotated[HeadKind, "global average pooling, or a hidden layer of 128 units over all cells"]
Pooling = Annotated[bool, "halve the board between stages"]

_STAGE, _MEMBER = Spec("conv4"), Spec("conv8")


def _net(
    game: Game,
    weights: Weights | None,
    encoding: Encoding,
    output: Output,
    width: float,
    make: Callable[[Sizes], Graph],
) -> Net:
    if not 0 < width <= 16:
        raise ZeroplyError(f"width must be above 0 and at most 16, not {width}")
    outputs = 1 if output == "value" else len(playable(game))
    graph = make(Sizes(len(PLANES[encoding]), game.size, outputs, width))
    if weights is not None and runs_in_core():
        return CoreNet(game, weights, graph, encoding, output)
    with needs_torch():
        from zeroply.nets.modules.graph_module import GraphModule
    return TorchNet(game, weights, GraphModule(graph), encoding, output)


def _conv(depth: int, about: str) -> Callable[..., Net]:
    """A builder for a net with `depth` convolutional layers; `about` is its help."""

    def conv(
        game: Game,
        weights: Weights | None = None,
        bn: Bn = False,
        dropout: Dropout = 0.0,
        kernel: Annotated[int, "side of the convolutions' kernels: 3 in the paper, or 5 or 7"] = 3,
        width: Width = 1.0,
        encoding: Encodings = "pieces",
        output: Outputs = "moves",
    ) -> Net:
        if not 0 <= dropout <= 0.9:
            raise ZeroplyError(f"dropout must be from 0 to 0.9, not {dropout}")
        if kernel not in (3, 5, 7):
            raise ZeroplyError(f"kernel must be 3, 5 or 7, not {kernel}")
        make = partial(conv_graphs.conv, depth=depth, bn=bn, dropout=dropout, kernel=kernel)
        return _net(game, weights, encoding, output, width, make)

    conv.__doc__ = about
    return conv


conv4 = _conv(4, "Four convolutional layers (Liskowski et al. 2018, Table I).")
conv6 = _conv(6, "Six convolutional layers (Liskowski et al. 2018, Table I).")
conv8 = _conv(
    8, "Eight convolutional layers (Liskowski et al. 2018, Table I); with bn=true the paper's best single net."
)
conv10 = _conv(10, "Ten convolutional layers (Liskowski et al. 2018, section V-B2).")


def resnet(
    game: Game,
    weights: Weights | None = None,
    depth: Annotated[int, "layers: 32 and 56 in the paper, any 6n + 2 works"] = 32,
    pooling: Pooling = True,
    projection: Annotated[bool, "shortcuts between stages are 1x1 convolutions instead of zero-padded"] = False,
    head: Head = "average",
    width: Width = 1.0,
    encoding: Encodings = "pieces",
    output: Outputs = "moves",
) -> Net:
    """Residual net in its CIFAR form; pooling=false is the paper's -np, projection=true its -p (Table VI)."""
    if depth < 8 or (depth - 2) % 6:
        raise ZeroplyError(f"a resnet has a depth of 6n + 2, such as 32 or 56, not {depth}")
    make = partial(resnet_graphs.resnet, depth=depth, pooling=pooling, projection=projection, head=head)
    return _net(game, weights, encoding, output, width, make)


def densenet(
    game: Game,
    weights: Weights | None = None,
    depth: Annotated[int, "layers: 40 and 100 in the paper, any 3n + 4 works"] = 40,
    growth: Annotated[int, "feature maps that each layer adds"] = 12,
    pooling: Pooling = False,
    head: Head = "average",
    width: Width = 1.0,
    encoding: Encodings = "pieces",
    output: Outputs = "moves",
) -> Net:
    """Densely connected net: each layer sees all earlier ones of its block (Table VI)."""
    if depth < 7 or (depth - 4) % 3:
        raise ZeroplyError(f"a densenet has a depth of 3n + 4, such as 40 or 100, not {depth}")
    if not 1 <= growth <= 256:
        raise ZeroplyError(f"growth must be from 1 to 256, not {growth}")
    make = partial(densenet_graphs.densenet, depth=depth, growth=growth, pooling=pooling, head=head)
    return _net(game, weights, encoding, output, width, make)


def widenet(
    game: Game,
    weights: Weights | None = None,
    head: Head = "average",
    width: Width = 1.0,
    encoding: Encodings = "pieces",
    output: Outputs = "moves",
) -> Net:
    """Wide residual net 40-4: three stacks of six blocks with 64, 128 and 256 maps (Table VI)."""
    return _net(game, weights, encoding, output, width, partial(widenet_graphs.widenet, head=head))


def dense(
    game: Game,
    weights: Weights | None = None,
    layers: Annotated[int | str, "sizes of the hidden layers, such as 1024-512"] = "1024-512",
    bn: Bn = True,
    dropout: Dropout = 0.0,
    width: Width = 1.0,
    encoding: Encodings = "pieces",
    output: Outputs = "moves",
) -> Net:
    """Fully connected net, which the paper's discussion proposes (section VII)."""
    sizes = layer_sizes(layers)
    if not 0 <= dropout <= 0.9:
        raise ZeroplyError(f"dropout must be from 0 to 0.9, not {dropout}")
    make = partial(dense_graphs.dense, hidden=sizes, bn=bn, dropout=dropout)
    return _net(game, weights, encoding, output, width, make)


def layer_sizes(layers: int | str) -> list[int]:
    """Sizes of hidden layers from text such as 1024-512."""
    sizes = [int(part) for part in str(layers).split("-") if part.isdecimal()]
    if "-".join(map(str, sizes)) != str(layers) or not all(1 <= size <= 65536 for size in sizes):
        raise ZeroplyError(f"layers are sizes such as 1024-512, not {layers}")
    return sizes


def staged(
    game: Game,
    weights: Weights | None = None,
    net: Annotated[Spec, "the architecture of each stage"] = _STAGE,
    stages: Annotated[int, "number of stages, each with the same number of moves"] = 4,
) -> Net:
    """A net for each stage of the game: the paper's "factorization by game course" (section VIII)."""
    if not 1 <= stages <= 60:
        raise ZeroplyError(f"stages must be from 1 to 60, not {stages}")
    if weights is not None and runs_in_core():
        return StagedNet(game, weights, _parts(net, game, weights, stages))
    from zeroply.nets import untrained

    nets = [untrained(net, game) for _ in range(stages)]
    with needs_torch():
        from zeroply.nets.modules.staged import Staged
    stones = game.cells - len(playable(game))
    module = Staged([one.module for one in nets], stones, len(playable(game)))
    return TorchNet(game, weights, module, nets[0].planes, nets[0].output)


def bag(
    game: Game,
    weights: Weights | None = None,
    net: Annotated[Spec, "the architecture of each member"] = _MEMBER,
    members: Annotated[int, "number of nets"] = 10,
) -> Net:
    """Several nets whose outputs are averaged (bagging, section V-B3); `zeroply train --bag 10` makes one."""
    if not 1 <= members <= 100:
        raise ZeroplyError(f"a bag has 1 to 100 members, not {members}")
    if weights is not None and runs_in_core():
        return BagNet(game, weights, _parts(net, game, weights, members))
    from zeroply.nets import untrained

    nets = [untrained(net, game) for _ in range(members)]
    with needs_torch():
        from zeroply.nets.modules.bag import Bag
    module = Bag([one.module for one in nets], probabilities=nets[0].output == "moves")
    return TorchNet(game, weights, module, nets[0].planes, nets[0].output)


def _parts(net: Spec, game: Game, weights: Weights, count: int) -> list[OutputNet]:
    """The nets of a bag or of stages from their common weights: arrays `nets.0.` and so on."""
    from zeroply.nets import build

    parts: list[dict[str, NDArray[np.float32]]] = [{} for _ in range(count)]
    for name, array in weights.items():
        folder, number, rest = (*name.split(".", 2), "", "")[:3]
        if folder != "nets" or number not in map(str, range(count)):
            raise ZeroplyError(f"the weights do not fit the net: array '{name}' is unexpected")
        parts[int(number)][rest] = array
    return [_with_outputs(build(net, game, part)) for part in parts]


def _with_outputs(net: Net) -> OutputNet:
    if not isinstance(net, OutputNet):
        raise ZeroplyError(f"net {net.spec} cannot be part of a bag or of stages: only nets of zeroply train can")
    return net
