"""Residual nets in the form He et al. (2016) gave them for CIFAR, as in Table VI of Liskowski et al. 2018.

Reading: a first convolution, then three stages of (depth - 2) / 6 blocks with 16, 32 and 64 maps; the text's "n/2
blocks" counts differently. A block adds its input to what two convolutions make of it. Between stages the board is
halved (without pooling it keeps its size), and the shortcut is padded with zeros or projected by a 1x1 convolution.
"""

from __future__ import annotations

from zeroply.nets.graph import Graph, HeadKind, Sizes

MAPS = (16, 32, 64)
"""Feature maps of the stages."""


def resnet(sizes: Sizes, depth: int, pooling: bool, projection: bool, head: HeadKind) -> Graph:
    """Three stages of residual blocks."""
    graph = Graph(sizes.planes, sizes.size)
    x = graph.norm_relu(graph.conv(0, "first", sizes.maps(MAPS[0])), "bn")
    number = 0
    for stage, maps in enumerate(map(sizes.maps, MAPS)):
        for block in range((depth - 2) // 6):
            stride = 2 if pooling and stage and not block else 1
            x = _block(graph, x, f"blocks.{number}", maps, stride, projection)
            number += 1
    graph.head(x, head, sizes)
    return graph


def _block(graph: Graph, x: int, name: str, maps: int, stride: int, projection: bool) -> int:
    """Two convolutions and a shortcut around them."""
    y = graph.norm_relu(graph.conv(x, f"{name}.conv1", maps, stride=stride), f"{name}.bn1")
    y = graph.norm(graph.conv(y, f"{name}.conv2", maps), f"{name}.bn2")
    if projection and (stride > 1 or maps != graph.layers[x].channels):
        past = graph.norm(graph.conv(x, f"{name}.project.0", maps, kernel=1, stride=stride), f"{name}.project.1")
    else:
        past = graph.shortcut(x, stride, maps)
    return graph.relu(graph.add(y, past))
