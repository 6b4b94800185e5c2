"""Densely connected nets (Huang et al. 2017), as in Table VI of Liskowski et al. 2018.

Three blocks of (depth - 4) / 3 layers; each layer sees the outputs of all earlier ones of its block and adds `growth`
maps. Reading: growth 12 without bottlenecks, and no halving of the board between blocks, as the paper's residual nets
showed that halving costs accuracy; `pooling` puts it back.
"""

from __future__ import annotations

from zeroply.nets.graph import Graph, HeadKind, Sizes

FIRST = 16
"""Feature maps of the first convolution."""


def densenet(sizes: Sizes, depth: int, growth: int, pooling: bool, head: HeadKind) -> Graph:
    """Three densely connected blocks; each layer adds `growth` maps to its input."""
    graph = Graph(sizes.planes, sizes.size)
    x, place = graph.conv(0, "layers.0", sizes.maps(FIRST)), 1
    for block in range(3):
        for _ in range((depth - 4) // 3):
            active = graph.norm_relu(x, f"layers.{place}.bn")
            x = graph.join(x, graph.conv(active, f"layers.{place}.conv", sizes.maps(growth)))
            place += 1
        x = graph.norm_relu(x, f"layers.{place}")
        if block < 2:
            x = graph.conv(x, f"layers.{place + 2}", graph.layers[x].channels, kernel=1)
            x = graph.pool(x) if pooling else x
        place += 4 if pooling else 3
    graph.head(x, head, sizes)
    return graph
