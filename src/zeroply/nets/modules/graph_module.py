"""The module of torch for a graph of layers; its arrays have the names of the graph."""

from __future__ import annotations

import torch
from torch import nn

from zeroply.nets.graph import EPSILON, Graph, Layer
from zeroply.nets.modules.board_conv import BoardConv
from zeroply.nets.modules.board_norm import norm_relu
from zeroply.nets.modules.board_stack import StackLayer, conv_stack, suits
from zeroply.nets.modules.parts import Module


class GraphModule(Module):
    """Computes the layers of a graph in order."""

    def __init__(self, graph: Graph, plain: bool = False) -> None:
        """`plain` uses torch's own layers only, for comparisons."""
        super().__init__()
        self.graph = graph
        for layer in graph.layers:
            made = _module(graph, layer, plain)
            if made is not None:
                place: nn.Module = self
                *folders, last = layer.name.split(".")
                for folder in folders:
                    if folder not in dict(place.named_children()):
                        place.add_module(folder, nn.Module())
                    place = place.get_submodule(folder)
                place.add_module(last, made)
        users = [graph.users(number) for number in range(len(graph.layers))]
        self._last = [max(one, default=-1) for one in users]
        self._fused = {
            number
            for number, layer in enumerate(graph.layers)
            if layer.kind == "norm" and layer.side and len(users[number]) == 1 == users[number][0] - number
            if graph.layers[number + 1].kind == "relu" and not plain
        }
        self._stacks = {} if plain else _stacks(graph, users)

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        """[n, outputs]."""
        results: list[torch.Tensor | None] = [planes]
        for number, layer in enumerate(self.graph.layers[1:], 1):
            if len(results) > number:
                continue  # computed with the layers before
            given = [one for one in (results[k] for k in layer.inputs) if one is not None]
            for k in layer.inputs:
                if self._last[k] == number:
                    results[k] = None  # its memory can be reused
            if (stack := self._stacks.get(number)) is not None:
                layers, end = self._layers(stack)
                if suits(layers, given[0]):
                    results += [*[None] * (end - number), conv_stack(layers, given[0])]
                    continue
            results.append(self._result(number, layer, given))
        assert results[-1] is not None
        return results[-1]

    def _layers(self, stack: list[int]) -> tuple[list[StackLayer], int]:
        """The modules of a stack, and the number of its last layer."""
        layers: list[StackLayer] = []
        for number in stack:
            conv = self.get_submodule(self.graph.layers[number].name)
            assert isinstance(conv, BoardConv)
            norm = None if conv.bias is not None else self.get_submodule(self.graph.layers[number + 1].name)
            assert norm is None or isinstance(norm, nn.BatchNorm2d)
            layers.append((conv, norm))
        return layers, stack[-1] + (1 if layers[-1][1] is None else 2)

    def _result(self, number: int, layer: Layer, given: list[torch.Tensor]) -> torch.Tensor:
        x = given[0]
        if layer.kind == "relu":
            return x if number - 1 in self._fused else torch.relu(x)
        if layer.kind == "add":
            return x + given[1]
        if layer.kind == "join":
            return torch.cat(given, dim=1)
        if layer.kind == "mean":
            return x.mean(dim=(2, 3))
        if layer.kind == "pool":
            return nn.functional.avg_pool2d(x, 2)
        if layer.kind == "shortcut":
            some = x[:, :, :: layer.stride, :: layer.stride] if layer.stride > 1 else x
            more = layer.channels - x.shape[1]
            return nn.functional.pad(some, (0, 0, 0, 0, 0, more)) if more else some
        module = self.get_submodule(layer.name)
        if number in self._fused:
            assert isinstance(module, nn.BatchNorm2d)
            return norm_relu(module, x)
        if layer.kind == "linear":
            assert isinstance(module, nn.Linear)
            return _linear(module, x)
        result: torch.Tensor = module(x)
        return result


def _linear(module: nn.Linear, x: torch.Tensor) -> torch.Tensor:
    """A linear layer over all cells."""
    if not (module.training and x.ndim == 4 and x.is_contiguous(memory_format=torch.channels_last)):
        result: torch.Tensor = module(x.flatten(1))
        return result
    # Flattened in the order of memory, without a copy: the weights are fewer.
    weights = module.weight.view(module.out_features, x.shape[1], -1).transpose(1, 2).flatten(1)
    return nn.functional.linear(x.permute(0, 2, 3, 1).flatten(1), weights, module.bias)


def _stacks(graph: Graph, users: list[list[int]]) -> dict[int, list[int]]:
    """The convolutions of each stack, by the first: each is followed by normalisation or has a bias, and by ReLU."""
    stacks: dict[int, list[int]] = {}
    number, before = 1, None
    while number < len(graph.layers):
        layer = graph.layers[number]
        kinds = ["conv", "relu"] if layer.bias else ["conv", "norm", "relu"]
        part = range(number, number + len(kinds))
        chained = [one.kind for one in graph.layers[number : part.stop]] == kinds
        if not chained or layer.kernel != 3 or layer.stride != 1 or any(users[k] != [k + 1] for k in part[:-1]):
            number, before = number + 1, None
            continue
        if before is not None and layer.inputs == (number - 1,) and users[number - 1] == [number]:
            stacks[before].append(number)
        else:
            stacks[number], before = [number], number
        number = part.stop
    return stacks


def _module(graph: Graph, layer: Layer, plain: bool) -> nn.Module | None:
    """The module of a layer that has one."""
    if layer.kind == "conv":
        before = graph.before(layer).channels
        if layer.kernel == 3 and not plain:
            return BoardConv(before, layer.channels, layer.stride, layer.bias)
        padding = layer.kernel // 2
        return nn.Conv2d(before, layer.channels, layer.kernel, layer.stride, padding, bias=layer.bias)
    if layer.kind == "linear":
        return nn.Linear(graph.features(layer.inputs[0]), layer.channels, bias=layer.bias)
    if layer.kind == "norm":
        return (nn.BatchNorm2d if layer.side else nn.BatchNorm1d)(layer.channels, eps=EPSILON)
    return nn.Dropout(layer.rate) if layer.kind == "dropout" else None
