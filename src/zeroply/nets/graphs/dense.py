"""Fully connected nets, which Liskowski et al. 2018 propose in their discussion (section VII).

Convolutions see small squares; a fully connected layer sees the whole board at once, which suits Othello's long lines.
"""

from __future__ import annotations

from collections.abc import Sequence

from zeroply.nets.graph import Graph, Sizes


def dense(sizes: Sizes, hidden: Sequence[int], bn: bool, dropout: float) -> Graph:
    """Hidden layers of the given sizes."""
    graph = Graph(sizes.planes, sizes.size)
    x, place = 0, 1
    for units in hidden:
        x = graph.linear(x, f"layers.{place}", sizes.maps(units), bias=not bn)
        x = graph.norm_relu(x, f"layers.{place + 1}") if bn else graph.relu(x)
        place += 3 if bn else 2
        if dropout:
            x, place = graph.dropout(x, f"layers.{place}", dropout), place + 1
    graph.linear(x, f"layers.{place}", sizes.outputs)
    return graph
