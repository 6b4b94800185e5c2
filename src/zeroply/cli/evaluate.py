"""`zeroply evaluate`: how often a player makes the expert's move."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tyro.conf import Positional

from zeroply.cli.arguments import Threads
from zeroply.cli.output import console, errors, print_json, print_table, progress, set_threads
from zeroply.errors import ZeroplyError
from zeroply.options import DATASET, Dataset
from zeroply.specs import Spec, parse

if TYPE_CHECKING:
    from zeroply.examples import Examples

Part = Literal["test", "train", "all"]
PARTS: dict[str, tuple[Part, ...]] = {
    "test": ("test",),
    "train": ("train",),
    "both": ("train", "test"),
    "all": ("all",),
}
"""The sides of a split, or all examples."""


def evaluate(
    player: Positional[str],
    data: str,
    dataset: Dataset = DATASET,
    split: Literal["position", "game"] = "game",
    test: float = 0.05,
    split_seed: int = 1,
    side: Literal["test", "train", "both", "all"] = "both",
    without: Path | None = None,
    positions: int = 100_000,
    openings: bool = False,
    threads: Threads = None,
    json: bool = False,
) -> None:
    """Measure how often a player makes the expert's move: top-1 and top-k, by move number and by choice.

    For search players only the best move counts.

    Example: zeroply evaluate "engine(depth=2)" --data data/sets --set original --split position --side test

    Example: zeroply evaluate "net(othello)" --data data/club --side all --without data/sets

    Args:
        player: Spec of any player, or the name or file of a net.
        data: Folder made by `zeroply data build`.
        split: How test examples were split off: by position or by game.
        test: Share of test examples.
        split_seed: Random seed of the split.
        side: Examples to measure on; both shows the gap between training and test; all: the whole set, not split.
        without: Leave out positions that the set of this other folder has, up to symmetry.
        positions: At most this many random examples per side.
        openings: Compare the player's choices with the experts' in the 50 most frequent positions of the first 12 moves
            instead.
        json: Print JSON for programs, with the numbers of Fig. 3.
    """
    set_threads(threads)
    import numpy as np

    from zeroply import chance
    from zeroply.examples import Examples, Split
    from zeroply.examples.known import unknown
    from zeroply.learning.imitation.evaluation import evaluate as measure
    from zeroply.learning.imitation.evaluation import overlap, sample
    from zeroply.nets import inspect
    from zeroply.players import player as make_player

    if positions < 1:
        raise ZeroplyError(f"positions must be 1 or more, not {positions}")
    examples = Examples.open(data, dataset)
    other = None if without is None else Examples.open(without, dataset)
    if openings:
        _openings(player, examples, json)
        return
    wanted = Split(by=split, test=test, seed=split_seed)
    accuracy: dict[str, Any] = {}
    spec = _spec(player)
    with make_player(spec, examples.game) as judge:
        net = str(spec.args[0]) if spec.name == "net" and spec.args and "test" in PARTS[side] else None
        if net and (why := overlap(inspect(net).training, examples, wanted)):
            errors.print(f"{player} may have learned from these test examples: {why}", soft_wrap=True, markup=False)
        for part in PARTS[side]:
            with errors.status("splitting the examples"):
                examined = np.arange(len(examples), dtype=np.uint32) if part == "all" else examples.side(wanted, part)
            examined = sample(examined, positions, chance.key(split_seed, "evaluation", part))
            if other is not None:
                drawn, examined = len(examined), unknown(examples, examined, other)
                errors.print(f"{part}: {drawn - len(examined):,} of {drawn:,} positions are in {without}", markup=False)
                if not len(examined):
                    raise ZeroplyError(f"all positions are in {without}: none is left to measure on")
            with progress(f"{part} examples") as report:
                accuracy[part] = measure(judge, examples, examined, progress=report)
    if json:
        print_json({name: {**one.summary(), "cells": one.cells()} for name, one in accuracy.items()})
        return
    divided = "the whole set" if side == "all" else f"split by {split}"
    console.print(f"{player} on {dataset}, {divided}: how often the expert's move is found\n", markup=False)
    rows = [
        (name, f"{one.positions:,}", f"{one.top1:.2%}", f"{one.standard_error:.2%}", *_more(one))
        for name, one in accuracy.items()
    ]
    print_table(("", "examples", "top 1", "± s.e.", "top 2", "top 3", "as is", "valid", "loss"), rows)
    if side == "both":
        gap = accuracy["train"].top1 - accuracy["test"].top1
        console.print(f"\ngap between training and test: {gap:+.2%}")
    _print_stages(next(reversed(accuracy.values())))


def _openings(player: str, examples: Examples, json: bool) -> None:
    """Print a player's choices in the most frequent positions of the first moves."""
    from zeroply.learning.imitation.openings import opening_choices
    from zeroply.players import player as make_player

    with make_player(_spec(player), examples.game) as judge, errors.status("counting positions"):
        choices = opening_choices(judge, examples)
    agree = sum(one.agrees for one in choices)
    if json:
        print_json({"agree": agree, "positions": len(choices), "choices": [vars(one) for one in choices]})
        return
    rows = [
        (
            f"{one.played:,}",
            ", ".join(f"{move} {share:.1%}" for move, share in one.experts.items()),
            one.choice,
            f"{one.share:.1%}",
            "yes" if one.agrees else "no",
        )
        for one in choices
    ]
    console.print(f"{player} in the most frequent positions of the first moves, up to symmetry\n", markup=False)
    print_table(("played", "experts", "choice", "share", "agrees"), rows, range(1, 5))
    console.print(f"\nfirst choice is one of the two moves that experts play most: {agree} of {len(choices)}")


def _spec(player: str) -> Spec:
    """The spec of a player, or of the name or file of a net."""
    from zeroply.nets import shipped

    return Spec("net", player) if player in shipped() or player.endswith(".safetensors") else parse(player)


def _more(one: Any) -> list[str]:
    ranks: list[float | None] = [one.top[1], one.top[2]] if len(one.top) > 1 else [None, None]
    shares = [*ranks, one.raw, one.valid]
    return [*("" if s is None else f"{s:.2%}" for s in shares), "" if one.loss is None else f"{one.loss:.3f}"]


def _print_stages(one: Any) -> None:
    """Accuracy by stages of the game, as `analyse --human-like` has them."""
    from zeroply.analysis.agreement import STAGE

    ranks = (1, 3) if len(one.top) > 1 else (1,)
    rows, first, all_ranks = list[Sequence[str]](), one.by_move(1), [one.by_move(k) for k in ranks]
    for low in range(1, 61, STAGE):
        there = [move for move in range(low, low + STAGE) if move in first]
        count = sum(first[move][0] for move in there)
        if count:
            shares = (sum(by[m][0] * by[m][1] for m in there) / count for by in all_ranks)
            rows.append((f"{low}-{low + STAGE - 1}", f"{count:,}", *(f"{share:.2%}" for share in shares)))
    console.print()
    print_table(("moves", "examples", *(f"top {k}" for k in ranks)), rows)
