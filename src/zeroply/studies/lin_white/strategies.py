"""W.strategies: the fixed strategies against each other (Lin and White 2009, section III).

The paper describes single games and does not say how equal moves were chosen. One game decides little, so each pairing
is also played many times: from the standard start with equal moves chosen at random, and from random openings.
Ply-depth p is search depth p + 1, so at ply-depth 0 each child is evaluated.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np

from zeroply import chance
from zeroply.arena.openings import openings
from zeroply.arena.play import play
from zeroply.arena.statistics import Tally
from zeroply.games import game
from zeroply.learning.coevolution.observers import STRATEGIES
from zeroply.players import player
from zeroply.studies.claims import Claim, above, below
from zeroply.studies.lin_white.runs import SIZES
from zeroply.studies.measured import Measured, share
from zeroply.studies.report import Axes, Drawing, Figure, Report, ResultTable
from zeroply.studies.study import Measures, Progress, Scale, Study, Unit, Units

Way = Literal["game", "ties", "open"]
"""One game with equal moves to the lowest square; many with equal moves at random; many from random openings."""
WAYS: tuple[Way, ...] = ("ties", "open")
"""The ways with many games."""

DESCRIBED = (
    (0, "positional", "pieces", True),
    (0, "positional", "mobility", False),
    (0, "pieces", "positional", True),
    (0, "pieces", "mobility", True),
    (0, "mobility", "positional", True),
    (0, "mobility", "pieces", True),
    (2, "positional", "pieces", False),
)
"""The games that the paper describes: ply-depth, White, Black, and whether White won."""
OCCASION = 0.001
"""The share of games from which on a win happens on occasion."""

OPENING_PLIES = 8
PLACE = "section III"
_BLOCK = 250


class Strategies(Study):
    """The four fixed strategies, each against each."""

    name = "W.strategies"
    title = "the fixed strategies against each other, with White and with Black"
    source = "Lin and White 2009, section III"
    packages = ()

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        games = SIZES[scale].rate_games
        return [
            Unit(
                f"ply-depth {depth} {black}-{white} {way} seed {seed}",
                {"ply_depth": depth, "black": black, "white": white, "way": way, "games": number},
                seed,
            )
            for depth in SIZES[scale].ply_depths
            for black in STRATEGIES
            for white in STRATEGIES
            for way, number, last in (("game", 1, 1), ("ties", games, seeds), ("open", games, seeds))
            for seed in range(1, last + 1)
        ]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        board, way, games = game("othello"), unit.settings["way"], unit.settings["games"]
        ties = "random" if way == "ties" else "lowest"
        specs = [spec(unit.settings[colour], unit.settings["ply_depth"], ties) for colour in ("black", "white")]
        players = [player(one, board) for one in specs]
        opening = f"random(plies={OPENING_PLIES})" if way == "open" else "none"
        starts = openings(opening, board, unit.seed, games).positions(0, games)
        keys = chance.keys(chance.key(unit.seed, unit.name), np.arange(games))
        wins = draws = 0
        for low in range(0, games, _BLOCK):
            some = slice(low, min(low + _BLOCK, games))
            seats = np.tile(np.array([[0, 1]], np.int64), (some.stop - low, 1))
            played = play(players, seats, starts[some], keys[some])
            wins, draws = wins + int((played.winner < 0).sum()), draws + int((played.winner == 0).sum())
            progress(some.stop, games)
        counts: dict[str, Any] = {"wins": wins, "draws": draws, "losses": games - wins - draws}
        if way == "game":
            stones = played.final.stones()[0]
            counts["discs"] = [int((stones > 0).sum()), int((stones < 0).sum())]
            counts["moves"] = board.notation.transcript(played.moves[0].tolist())
        return counts

    def findings(self, units: Units, scale: Scale) -> Report:
        tallies = Tallies(units)
        games = next(tally.games for (*_, way), tally in tallies.all.items() if way == "ties")
        single = "one game of each pairing; the last column is the paper's"
        many = f"White's score with 95 % intervals, {games} games per number, a draw counts half"
        caption = "White's score in percent with equal moves at random; discs: our one game (left), the paper's (right)"
        return Report(
            "Each strategy meets each, itself too, with either colour. *game* is a single game in which equal moves go "
            "to the lowest square, as on a ladder; *ties* are games from the standard start with equal moves chosen at "
            f"random; *open* are games from openings of {OPENING_PLIES} random moves, equal moves to the lowest "
            "square. The paper describes single games and does not say which of equal moves is taken. Here a claim "
            "about two strategies holds if the side it names scores more than half in *ties*. The positional table, "
            "the mobility count (own moves minus the opponent's) and Iagno's strategy are our readings; Iagno searches "
            "as deep as the others, begins with random moves (lowest squares in *game*) and solves the ending.",
            [
                ResultTable("games", single, list(_game_rows(tallies))),
                ResultTable("rates", many, list(_rate_rows(tallies))),
            ],
            [*(_game_claim(tallies, *one) for one in DESCRIBED), *_general_claims(tallies)],
            [Drawing("rates", caption, lambda figure: _draw(figure, tallies))],
        )


def spec(strategy: str, ply_depth: int, ties: str) -> str:
    """The player that a strategy is at a ply-depth."""
    if strategy == "iagno":
        return f"iagno(level={ply_depth // 2 + 1}, ties={ties})"
    return f"alphabeta(depth={ply_depth + 1}, eval={strategy}, ties={ties})"


class Tallies:
    """All games of a study, White's, by ply-depth, Black, White and way."""

    def __init__(self, units: Units) -> None:
        self.all: dict[tuple[int, str, str, str], Tally] = defaultdict(Tally)
        self.discs: dict[tuple[int, str, str], tuple[int, int]] = {}
        for unit, counts in units:
            depth, black, white, way = (unit.settings[key] for key in ("ply_depth", "black", "white", "way"))
            self.all[depth, black, white, way] += Tally(counts["wins"], counts["draws"], counts["losses"])
            if way == "game":
                self.discs[depth, black, white] = (counts["discs"][0], counts["discs"][1])
        self.ply_depths = sorted({depth for depth, *_ in self.all})

    def both(self, depth: int, strategy: str, other: str) -> tuple[Tally, Tally]:
        """The games of a strategy against another one, with White and with Black, equal moves at random."""
        return self.all[depth, other, strategy, "ties"], -self.all[depth, strategy, other, "ties"]

    def worst(self, depth: int, strategy: str) -> Measured:
        """The lowest score of a strategy against another one with one of the colours, equal moves at random."""
        others = [other for other in STRATEGIES if other != strategy]
        tallies = [tally for other in others for tally in self.both(depth, strategy, other)]
        return score(min(tallies, key=lambda tally: tally.score))


def score(tally: Tally) -> Measured:
    """The score of some games."""
    return share(tally.points, tally.games, 3)


def _winner(discs: tuple[int, int]) -> str:
    black, white = discs
    return "Black" if black > white else "White" if white > black else "drawn"


PAPER = {(depth, black, white): "White" if won else "Black" for depth, white, black, won in DESCRIBED}
"""The winners of the games that the paper describes."""


def _game_rows(tallies: Tallies) -> Iterator[dict[str, Any]]:
    for (depth, black, white), discs in tallies.discs.items():
        yield {
            "ply-depth": depth,
            "Black": black,
            "White": white,
            "Black's discs": discs[0],
            "White's discs": discs[1],
            "winner": _winner(discs),
            "paper": PAPER.get((depth, black, white), ""),
        }


def _rate_rows(tallies: Tallies) -> Iterator[dict[str, Any]]:
    for depth, black, white in tallies.discs:
        scores: dict[str, Measured] = {way: score(tallies.all[depth, black, white, way]) for way in WAYS}
        yield {"ply-depth": depth, "Black": black, "White": white, **scores}


def _game_claim(tallies: Tallies, depth: int, white: str, black: str, won: bool) -> Claim:
    """One of the games that the paper describes."""
    text = f"At ply-depth {depth} White {white} {'beats' if won else 'loses to'} {black}"
    rule = above(0.5) if won else below(0.5)
    if depth not in tallies.ply_depths:
        return Claim(PLACE, text, {}, rule, undecided="not played at this scale")
    discs = tallies.discs[depth, black, white]
    ties, opened = (score(tallies.all[depth, black, white, way]) for way in WAYS)
    ending = {"Black": "lost", "White": "won", "drawn": "drawn"}[_winner(discs)]
    note = f"White's score; from openings {opened}; our one game: {ending} {discs[1]}-{discs[0]}"
    return Claim(PLACE, text, ties, rule, note=note)


def _general_claims(tallies: Tallies) -> Iterator[Claim]:
    """The claims about all games."""
    iagno = [tally for depth in tallies.ply_depths for tally in tallies.both(depth, "positional", "iagno")]
    won = share(sum(tally.wins for tally in iagno), sum(tally.games for tally in iagno), 3)
    text = f"Positional can, on occasion (in {OCCASION:.1%} of games), beat Iagno, which begins with random moves"
    yield Claim(PLACE, text, won, above(OCCASION), note="share of games won")
    worst = {f"{one} at {depth}": tallies.worst(depth, one) for depth in tallies.ply_depths for one in STRATEGIES}
    text = "There is no one strategy that beats all comers with either colour"
    yield Claim(PLACE, text, worst, below(0.5), note="the lowest score of each strategy")
    # over all pairings each strategy has each colour equally often, so only the colour is left
    ties, opened = (
        score(sum((tally for (*_, its), tally in tallies.all.items() if its == way), Tally())) for way in WAYS
    )
    yield Claim(PLACE, "Black is the weaker colour", ties, above(0.5), note=f"White's score; from openings {opened}")


def _draw(figure: Figure, tallies: Tallies) -> None:
    depths = tallies.ply_depths
    panels = figure.subplots(1, len(depths), sharey=True, squeeze=False)[0]
    for panel, depth in zip(panels, depths, strict=True):
        scores = [[100 * tallies.all[depth, b, w, "ties"].score for w in STRATEGIES] for b in STRATEGIES]
        image = panel.imshow(scores, cmap="RdBu", vmin=0, vmax=100)
        for row, black in enumerate(STRATEGIES):
            for column, white in enumerate(STRATEGIES):
                shade = "white" if abs(scores[row][column] - 50) > 30 else "black"
                panel.text(column, row, f"{scores[row][column]:.0f}", ha="center", va="center", color=shade)
                _disc(panel, column - 0.3, row + 0.3, _winner(tallies.discs[depth, black, white]))
                _disc(panel, column + 0.3, row + 0.3, PAPER.get((depth, black, white), ""))
        places = range(len(STRATEGIES))
        panel.set_xticks(places, STRATEGIES, rotation=30, ha="right")
        panel.set_yticks(places, STRATEGIES)
        panel.set_title(f"ply-depth {depth}")
        panel.set_xlabel("White")
    panels[0].set_ylabel("Black")
    figure.suptitle("discs: the winner of our one game (left) and of the paper's (right)", fontsize="medium")
    figure.colorbar(image, ax=panels, label="White's score (%)", shrink=0.8)


def _disc(panel: Axes, x: float, y: float, winner: str) -> None:
    """A disc in the winner's colour, grey for a draw; nothing if nobody is named."""
    colour = {"Black": "black", "White": "white", "drawn": "grey"}.get(winner)
    if colour:
        panel.plot(x, y, "o", markersize=6, markerfacecolor=colour, markeredgecolor="black", markeredgewidth=0.8)
