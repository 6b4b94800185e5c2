"""How the learning rate changes over a training.

Liskowski et al. 2018 halve the rate "twice per epoch"; over their 24 epochs that would be 2^-48, and training would
stand still after about eight. Reading: twelve halvings spread evenly, which over 6 epochs is the same; `literal` is the
text.
"""

from __future__ import annotations

import math

from zeroply.learning.imitation.config import TrainConfig

HALVINGS = 12


def rate_at(config: TrainConfig, step: int, steps: int, steps_per_epoch: float) -> float:
    """The learning rate of a step, counted from 0."""
    rising = config.warmup * steps
    if step < rising:
        return config.rate * (step + 1) / (math.ceil(rising) + 1)
    done = step / steps
    if config.schedule == "halvings":
        return config.rate * 0.5 ** int(HALVINGS * done)
    if config.schedule == "literal":
        return config.rate * 0.5 ** int(2 * step / steps_per_epoch)
    if config.schedule == "cosine":
        return config.rate * 0.5 * (1 + math.cos(math.pi * (step - rising) / (steps - rising)))
    return config.rate
