"""Evolution strategies with one interface: ask for a generation, tell its fitness. One file per strategy.

A strategy is named by a spec, such as `es(rate=0.02)`, or by `module:name` where `name` is a subclass of `Strategy`
in a module that was imported (`--import`); it is called with a `Setup`.
"""

from __future__ import annotations

from collections.abc import Callable

from zeroply.errors import ZeroplyError
from zeroply.learning.strategies.strategy import Fitness, Setup, Strategy, Weights, best_first, fitness_of, mutated
from zeroply.plugins import named
from zeroply.registry import Registry

__all__ = ["STRATEGIES", "Fitness", "Setup", "Strategy", "Weights", "best_first", "fitness_of", "mutated", "strategy"]

STRATEGIES: Registry[Strategy] = Registry("strategy", context=("setup",), group="strategies")
STRATEGIES.lazy("elitist", "zeroply.learning.strategies.mu_lambda:elitist")
STRATEGIES.lazy("self-adaptive", "zeroply.learning.strategies.self_adaptive:self_adaptive")
STRATEGIES.lazy("es", "zeroply.learning.strategies.es:es")
STRATEGIES.lazy("snes", "zeroply.learning.strategies.snes:snes")
STRATEGIES.lazy("cma-es", "zeroply.learning.strategies.cma_es:cma_es")


def strategy(spec: str, setup: Setup) -> Strategy:
    """The strategy that a spec names, at its first generation."""
    return _own(spec)(setup) if ":" in spec else STRATEGIES.build(spec, setup=setup)


def _own(name: str) -> Callable[[Setup], Strategy]:
    """The class at `module:name`."""
    found = named(name, "strategy")
    if not (isinstance(found, type) and issubclass(found, Strategy)):
        raise ZeroplyError(f"strategy {name} must be a subclass of zeroply.learning.strategies.Strategy")
    return found
