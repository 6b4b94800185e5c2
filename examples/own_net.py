"""An architecture of your own: residual blocks with squeeze and excitation (Hu, Shen and Sun 2018) learn Othello moves.

Python:        python examples/own_net.py
Command line:  zeroply --import own_net train "senet(blocks=2)" --data sets --run runs/senet   (in this folder)
In a study:    zeroply --import own_net study run L.table6 --also "senet(blocks=2)"
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import torch
from torch import nn

import zeroply as zp
from zeroply.examples.build import build
from zeroply.learning.imitation.config import TrainConfig
from zeroply.nets import architecture


class Block(nn.Module):
    """Two convolutions whose maps are weighted by what they hold on average, added to the input."""

    def __init__(self, maps: int) -> None:
        super().__init__()
        self.convolutions = nn.Sequential(
            nn.Conv2d(maps, maps, 3, padding=1), nn.BatchNorm2d(maps), nn.ReLU(), nn.Conv2d(maps, maps, 3, padding=1)
        )
        self.excitation = nn.Sequential(
            nn.AdaptiveAvgPool2d(1),
            nn.Conv2d(maps, maps // 4, 1),
            nn.ReLU(),
            nn.Conv2d(maps // 4, maps, 1),
            nn.Sigmoid(),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        new = self.convolutions(x)
        return torch.relu(x + new * self.excitation(new).sigmoid())


@architecture("senet", encoding="vmoves")
class SeNet(nn.Module):
    """Residual blocks with squeeze and excitation."""

    def __init__(
        self,
        planes: int,
        size: int,
        outputs: int,
        blocks: Annotated[int, "number of blocks"] = 4,
        maps: Annotated[int, "feature maps"] = 16,
    ) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(planes, maps, 3, padding=1), *(Block(maps) for _ in range(blocks)))
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(maps * size * size, outputs))

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.head(self.body(planes))
        return result


def main(folder: Path) -> None:
    """Train the net on the games that come with zeroply, and rate it."""
    folder.mkdir(parents=True)
    build("shipped", folder / "sets")
    sets = str(folder / "sets")
    config = TrainConfig(net="senet(blocks=2)", data=sets, epochs=0.02, evaluations=0, measured=1000, threads=1, seed=1)
    net = zp.train(config, run=folder / "senet")
    print(zp.match(f"net('{net}')", "random", openings="random(plies=6)", games=100, seed=1))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "own_net"))
