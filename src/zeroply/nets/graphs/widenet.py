"""WideNet-40-4 (Zagoruyko and Komodakis 2016), as in Table VI of Liskowski et al. 2018, section V-B4.

Three stacks of six residual blocks with 64, 128 and 256 maps, four times as wide as the first residual nets; the board
keeps its size. Normalisation and ReLU come before each convolution, as in wide residual nets.
"""

from __future__ import annotations

from zeroply.nets.graph import Graph, HeadKind, Sizes

FIRST, MAPS, BLOCKS = 16, (64, 128, 256), 6
"""Feature maps of the first convolution and of the stacks, and blocks of a stack."""


def widenet(sizes: Sizes, head: HeadKind) -> Graph:
    """Three stacks of wide residual blocks."""
    graph = Graph(sizes.planes, sizes.size)
    x, place = graph.conv(0, "layers.0", sizes.maps(FIRST)), 1
    for maps in map(sizes.maps, MAPS):
        for _ in range(BLOCKS):
            x = _block(graph, x, f"layers.{place}", maps)
            place += 1
    graph.head(graph.norm_relu(x, f"layers.{place}"), head, sizes)
    return graph


def _block(graph: Graph, x: int, name: str, maps: int) -> int:
    """Two convolutions and a shortcut, which is a 1x1 convolution where the number of maps changes."""
    active = graph.norm_relu(x, f"{name}.bn1")
    y = graph.norm_relu(graph.conv(active, f"{name}.conv1", maps), f"{name}.bn2")
    y = graph.conv(y, f"{name}.conv2", maps)
    return graph.add(
        y, x if maps == graph.layers[x].channels else graph.conv(active, f"{name}.project", maps, kernel=1)
    )
