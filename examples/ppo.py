"""A learner of your own on the vector environment: PPO (Schulman et al. 2017) with a small net against a random player.

python examples/ppo.py            prints the score of each iteration
"""

from __future__ import annotations

import sys

import torch
from torch import nn

from zeroply import envs

GAME, ENVS, STEPS, EPOCHS = "atarigo(size=5)", 256, 32, 3
DISCOUNT, CLIP, ENTROPY, RATE = 0.98, 0.2, 0.01, 3e-3


class Agent(nn.Module):
    """Logits of the legal cells, and the value of the position."""

    def __init__(self, cells: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(2 * cells, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU())
        self.policy, self.value = nn.Linear(128, cells), nn.Linear(128, 1)

    def forward(self, planes: torch.Tensor, mask: torch.Tensor) -> tuple[torch.distributions.Categorical, torch.Tensor]:
        hidden = self.body(planes)
        logits = self.policy(hidden).masked_fill(mask == 0, -1e9)
        return torch.distributions.Categorical(logits=logits), self.value(hidden)[:, 0]


def main(iterations: int) -> list[float]:
    """Train for some iterations; returns the mean result of the games that ended in each."""
    torch.manual_seed(1)
    many = envs.vector(GAME, ENVS, opponent="random")
    agent = Agent(many.game.cells)
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE)
    seen, _ = many.reset(seed=1)
    scores = []
    for iteration in range(iterations):
        rows, results = [], []
        for _ in range(STEPS):
            planes, mask = torch.from_numpy(seen["observation"]), torch.from_numpy(seen["action_mask"])
            with torch.no_grad():
                policy, value = agent(planes, mask)
                action = policy.sample()
            seen, reward, ended, _, _ = many.step(action.numpy())
            results += reward[ended].tolist()
            rows.append((planes, mask, action, policy.log_prob(action), value, torch.from_numpy(reward), ended))
        with torch.no_grad():
            ahead = agent(torch.from_numpy(seen["observation"]), torch.from_numpy(seen["action_mask"]))[1]
        returns = []
        for *_, reward, ended in reversed(rows):
            ahead = reward.float() + DISCOUNT * ahead * torch.from_numpy(~ended)
            returns.append(ahead)
        data = [torch.cat([row[part] for row in rows]) for part in range(5)] + [torch.cat(returns[::-1])]
        for _ in range(EPOCHS):
            for some in torch.split(torch.randperm(ENVS * STEPS), 1024):
                p, m, a, old, v, target = (part[some] for part in data)
                policy, new_value = agent(p, m)
                gain = target - v
                gain = (gain - gain.mean()) / (gain.std() + 1e-6)
                ratio = (policy.log_prob(a) - old).exp()
                loss = -torch.minimum(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
                loss = loss + 0.5 * (new_value - target).square().mean() - ENTROPY * policy.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        scores.append(sum(results) / max(1, len(results)))
        print(f"iteration {iteration + 1}: {len(results)} games, mean result {scores[-1]:+.2f}")
    return scores


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
