"""Evolution strategies with one interface: ask for a generation, tell how it ranked. One file per strategy."""

from zeroply.learning.strategies.strategy import Strategy, Weights, mutated

__all__ = ["Strategy", "Weights", "mutated"]
