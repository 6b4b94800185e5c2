"""`zeroply patterns check`: whether the pattern evaluation is right on average at every stage of the game."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from zeroply.analysis.calibration import OPENINGS, STAGE, calibration, opening_values
from zeroply.cli.arguments import Files, Json, Threads
from zeroply.cli.output import print_json, print_table, progress, set_threads
from zeroply.games import game
from zeroply.records import load
from zeroply.search import EVALUATIONS
from zeroply.specs import Spec


def check(
    files: Files,
    tables: Path | None = None,
    positions: int = 1000,
    depth: int = 4,
    deep: int = 10,
    exact: int = 22,
    seed: int = 0,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Compare shallow search with deep search and exact endings, by stage, on positions of recorded games.

    The differences are in discs for the side to move. A second table has the values of the first positions of usual
    openings at depths 4 to the deep one, which should be near 0.

    Example: zeroply patterns check data/wthor/WTH_2015.wtb --positions 100

    Args:
        files: Games of Othello (.wtb, .ggf, .sgf or .txt).
        tables: Tables that `zeroply patterns fit` wrote, instead of the shipped ones.
        positions: Positions per stage.
        depth: Depth of the shallow search.
        deep: Depth of the deep search.
        exact: Positions with at most this many empty squares are solved instead.
        seed: Random seed of the choice of positions.
    """
    set_threads(threads)
    spec = Spec("pattern") if tables is None else Spec("pattern", str(tables))
    evaluation = EVALUATIONS.build(spec, game=game("othello"))
    games = [record for file in files for record in load(file, "othello")]
    with progress("positions") as report:
        stages = calibration(
            evaluation, games, positions=positions, depth=depth, deep=deep, exact=exact, seed=seed, progress=report
        )
    depths = range(min(4, deep), deep + 1)
    openings = opening_values(evaluation, depths)
    if json:
        print_json({"stages": [asdict(stage) for stage in stages], "depths": list(depths), "openings": openings})
        return
    print_table(
        ["plies", "positions", "mean", "rms", "mean, even", "mean, odd"],
        [
            [
                f"{one.first}-{one.first + STAGE - 1}",
                str(one.positions),
                f"{one.mean:+.2f}",
                f"{one.rms:.2f}",
                f"{one.even:+.2f}",
                f"{one.odd:+.2f}",
            ]
            for one in stages
        ],
    )
    print_table(
        ["opening", *(f"depth {depth}" for depth in depths)],
        [[moves, *(f"{value:+.1f}" for value in openings[moves])] for moves in OPENINGS],
        (0,),
    )
