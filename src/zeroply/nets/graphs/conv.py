"""Plain convolutional nets: Conv4, Conv6, Conv8 (Liskowski et al. 2018, Table I) and the ten-layer one of section V-B2.

Convolutions, of 3x3 cells in the paper, with zero padding and ReLU, so all feature maps keep the size of the board;
then a hidden layer of 128 and the outputs. With batch normalisation the layers have no biases of their own, since it
adds one.
"""

from __future__ import annotations

from zeroply.nets.graph import HIDDEN, Graph, Sizes

MAPS = (64, 64, 128, 128, 256, 256, 256, 256, 256, 256)
"""Feature maps of the layers."""


def conv(sizes: Sizes, depth: int, bn: bool, dropout: float, kernel: int) -> Graph:
    """A stack of convolutional layers."""
    graph = Graph(sizes.planes, sizes.size)
    x, place = 0, 0
    for maps in MAPS[:depth]:
        x = graph.conv(x, f"stack.{place}", sizes.maps(maps), kernel, bias=not bn)
        x = graph.norm_relu(x, f"stack.{place + 1}") if bn else graph.relu(x)
        place += 3 if bn else 2
    # Reading: the paper disables half of the units without saying where; here, as is usual, of the layers that feed
    # the two fully connected ones.
    place = 0
    if dropout:
        x, place = graph.dropout(x, "head.0", dropout), 1
    x = graph.linear(x, f"head.{place}", sizes.maps(HIDDEN), bias=not bn)
    x = graph.norm_relu(x, f"head.{place + 1}") if bn else graph.relu(x)
    place += 3 if bn else 2
    if dropout:
        x, place = graph.dropout(x, f"head.{place}", dropout), place + 1
    graph.linear(x, f"head.{place}", sizes.outputs)
    return graph
