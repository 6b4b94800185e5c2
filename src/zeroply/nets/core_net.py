"""Nets of graphs, bags and stages that the core runs, without torch.

The graph becomes a list of operations when a net is loaded: batch normalisation is folded into the convolution or
linear layer before it, ReLU into the operation before it. A position's outputs are the same bits whatever else is in
its batch and however many threads there are.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zeroply import _core
from zeroply.games import Game, Positions
from zeroply.nets.contract import Weights, check_weights
from zeroply.nets.encodings import PLANES, Encoding, playable
from zeroply.nets.graph import EPSILON, Graph, Layer
from zeroply.nets.output_net import Output, OutputNet

DEVICE = "ZEROPLY_DEVICE"
"""The environment variable for the device that nets run on, such as `cpu` or `cuda`."""
_CHUNK = 4096  # positions whose planes are in memory at a time
_FLOAT = np.float32


def runs_in_core() -> bool:
    """Whether trained nets run in the core: unless a device is chosen, or torch is loaded already and has a GPU."""
    name = os.environ.get(DEVICE)
    if name:
        return name == "cpu"
    torch: Any = sys.modules.get("torch")
    return torch is None or not torch.cuda.is_available()


class CoreNet(OutputNet):
    """A trained net whose layers are a graph."""

    def __init__(self, game: Game, weights: Weights, graph: Graph, planes: Encoding, output: Output) -> None:
        super().__init__(game, weights, planes, output)
        check_weights(graph.shapes(), weights)
        self.graph = graph
        self._program, self._slot = compiled(graph, weights)

    def outputs(self, positions: Positions) -> NDArray[np.float32]:
        """[n, outputs]: raw outputs, illegal moves included; moves are in the order of `playable(game)`."""
        return run(self._program, self._slot, positions, self.planes)

    def feature_maps(self, position: Positions) -> NDArray[np.float32] | None:
        """[maps, side, side]: the result of the first convolution for a single position; None without one."""
        conv = next((layer for layer in self.graph.layers if layer.kind == "conv"), None)
        if conv is None:
            return None
        first = Graph(self.graph.layers[0].channels, self.graph.layers[0].side)
        first.conv(0, conv.name, conv.channels, conv.kernel, conv.stride, conv.bias)
        cells = run(*compiled(first, self.weights), position, self.planes)
        return np.ascontiguousarray(cells.reshape(conv.side, conv.side, -1).transpose(2, 0, 1))


class _NetOfNets(OutputNet):
    def __init__(self, game: Game, weights: Weights, nets: Sequence[OutputNet]) -> None:
        super().__init__(game, weights, nets[0].planes, nets[0].output)
        self.nets = nets
        self.encoding = nets[0].encoding


class BagNet(_NetOfNets):
    """The mean of several nets: of probabilities if they output logits of moves, as its logarithm; else of outputs."""

    def outputs(self, positions: Positions) -> NDArray[np.float32]:
        """[n, outputs]."""
        every = np.stack([net.outputs(positions) for net in self.nets]).astype(np.float64)
        if self.output != "moves":
            return np.asarray(every.mean(axis=0), _FLOAT)
        every -= every.max(axis=2, keepdims=True, initial=-np.inf)
        every -= np.log(np.exp(every).sum(axis=2, keepdims=True))
        best = every.max(axis=0)
        return np.asarray(best + np.log(np.exp(every - best).mean(axis=0)), _FLOAT)


class StagedNet(_NetOfNets):
    """A net for each stage of the game, chosen by the number of stones."""

    def outputs(self, positions: Positions) -> NDArray[np.float32]:
        """[n, outputs]."""
        stage = self.stage(positions)
        outputs = np.zeros((len(positions), self.output_size), _FLOAT)
        for number in np.unique(stage):
            outputs[stage == number] = self.nets[number].outputs(positions[stage == number])
        return outputs

    def stage(self, positions: Positions) -> NDArray[np.int64]:
        """[n]: the number of the stage of each position, from 0."""
        moves = len(playable(self.game))
        stones = (positions.stones() != 0).sum(axis=1)
        played = np.clip(stones - (self.game.cells - moves), 0, moves - 1)
        return np.asarray(played * len(self.nets) // moves, np.int64)


def run(program: _core.ConvNet, slot: int, positions: Positions, planes: Encoding) -> NDArray[np.float32]:
    """[n, floats]: what a program has in a slot at its end."""
    outputs = np.empty((len(positions), program.floats(slot)), _FLOAT)
    for low in range(0, len(positions), _CHUNK):
        some = positions[low : low + _CHUNK].planes(PLANES[planes])
        program.run(some.reshape(len(some), -1), slot, outputs[low : low + _CHUNK])
    return outputs


def compiled(graph: Graph, weights: Weights) -> tuple[_core.ConvNet, int]:
    """The program of a graph, and the slot of its outputs."""
    return _Compiler(graph, weights).compile()


class _Compiler:
    """Turns layers into operations; slots are used again once their contents are not needed any more."""

    def __init__(self, graph: Graph, weights: Weights) -> None:
        self.graph, self.weights = graph, weights
        self.program = _core.ConvNet(graph.layers[0].channels, graph.layers[0].side)
        self.users = [graph.users(number) for number in range(len(graph.layers))]
        self.slots, self.unused, self.free = {0: 0}, 1, list[int]()

    def compile(self) -> tuple[_core.ConvNet, int]:
        done: set[int] = set()
        for number, layer in enumerate(self.graph.layers[1:], 1):
            if number in done:
                continue
            chain = self._chain(number)
            done.update(chain)
            sources = [self.slots[k] for k in layer.inputs]
            if layer.kind == "dropout":
                self.slots[chain[-1]] = sources[0]
                continue
            target = self.free.pop() if self.free else self.unused
            self.unused = max(self.unused, target + 1)
            self._emit(layer, chain, sources, target)
            self.slots[chain[-1]] = target
            self._release(number)
        return self.program, self.slots[len(self.graph.layers) - 1]

    def _chain(self, number: int) -> list[int]:
        """A layer and the normalisation and ReLU after it that one operation does with it."""
        chain = [number]
        wanted = {"conv": ("norm", "relu"), "linear": ("norm", "relu"), "norm": ("relu",), "add": ("relu",)}
        for kind in wanted.get(self.graph.layers[number].kind, ()):
            following = self.users[chain[-1]]
            if len(following) == 1 and self.graph.layers[following[0]].kind == kind:
                chain.append(following[0])
        return chain

    def _release(self, now: int) -> None:
        """Free the slots whose contents no layer after `now` takes."""
        needed = {slot for number, slot in self.slots.items() if number >= now or max(self.users[number]) > now}
        self.free += sorted(set(self.slots.values()) - needed, reverse=True)
        self.slots = {number: slot for number, slot in self.slots.items() if slot in needed}

    def _emit(self, layer: Layer, chain: list[int], sources: list[int], target: int) -> None:
        relu = len(chain) > 1 and self.graph.layers[chain[-1]].kind == "relu"
        if layer.kind in ("conv", "linear"):
            weights, shift = self._weights(layer, [self.graph.layers[k] for k in chain[1:]])
            if layer.kind == "conv":
                self.program.conv(sources[0], target, weights, shift, layer.stride, relu)
            else:
                self.program.linear(sources[0], target, weights, shift, relu)
        elif layer.kind == "norm":
            scale, more = self._normalisation(layer)
            self.program.affine(sources[0], target, scale.astype(_FLOAT), more.astype(_FLOAT), relu)
        elif layer.kind == "relu":
            one = np.ones(layer.channels, _FLOAT)
            self.program.affine(sources[0], target, one, 0 * one, True)
        elif layer.kind == "add":
            self.program.add(sources[0], sources[1], target, relu)
        elif layer.kind == "join":
            self.program.join(sources[0], sources[1], target)
        elif layer.kind == "shortcut":
            self.program.shortcut(sources[0], target, layer.stride, layer.channels)
        elif layer.kind == "pool":
            self.program.pool(sources[0], target)
        else:
            self.program.mean(sources[0], target)

    def _weights(self, layer: Layer, after: list[Layer]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Weights with channels last, [out, cells, in] or [out, features], and shifts, with a normalisation folded in.

        Torch flattens feature maps channels first, the core channels last.
        """
        weights = self.weights[f"{layer.name}.weight"].astype(np.float64)
        shift = np.zeros(layer.channels)
        if layer.bias:
            shift = self.weights[f"{layer.name}.bias"].astype(np.float64)
        for norm in after:
            if norm.kind == "norm":
                scale, more = self._normalisation(norm)
                weights, shift = weights * scale.reshape(-1, *[1] * (weights.ndim - 1)), shift * scale + more
        before = self.graph.before(layer).channels if layer.kind == "linear" else weights.shape[1]
        weights = weights.reshape(layer.channels, before, -1).transpose(0, 2, 1)
        weights = weights.reshape(layer.channels, -1) if layer.kind == "linear" else weights
        return np.ascontiguousarray(weights, _FLOAT), shift.astype(_FLOAT)

    def _normalisation(self, layer: Layer) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The factor and the shift of each channel."""
        weight, bias, mean, variance = (
            self.weights[f"{layer.name}.{part}"].astype(np.float64)
            for part in ("weight", "bias", "running_mean", "running_var")
        )
        scale = weight / np.sqrt(variance + EPSILON)
        return scale, bias - mean * scale
