"""W.strategies: the fixed strategies against each other, beside what Lin and White 2009 say of them (section III).

The paper tells who won single games, and not which of equal moves was taken. One game decides little, so each pairing
is also played many times: from the usual start with equal moves taken at random, and from random openings. Ply-depth
p is search depth p + 1, so at ply-depth 0 each child is evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from zeroply import chance
from zeroply.arena.openings import openings
from zeroply.arena.play import play
from zeroply.arena.statistics import Tally, wilson
from zeroply.games import game
from zeroply.learning.coevolution.observers import STRATEGIES
from zeroply.players import player
from zeroply.studies.study import Claim, Drawing, Found, Measures, Progress, Report, Scale, Study, Table, Unit
from zeroply.studies.verdicts import Verdict, above, all_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Way = Literal["game", "ties", "open"]
"""One game with equal moves to the lowest square; many with equal moves at random; many from random openings."""

SAID = (
    (0, "positional", "pieces", True),
    (0, "positional", "mobility", False),
    (0, "pieces", "positional", True),
    (0, "pieces", "mobility", True),
    (0, "mobility", "positional", True),
    (0, "mobility", "pieces", True),
    (2, "positional", "pieces", False),
)
"""The games the paper tells of: ply-depth, White, Black, and whether White won."""

GAMES = {"smoke": 100, "cpu": 1_000, "paper": 1_000}
PLY_DEPTHS = {"smoke": (0,), "cpu": (0, 2), "paper": (0, 2, 4)}
OPENING_PLIES = 8
_BLOCK = 250


class Strategies(Study):
    """The four fixed strategies, each against each."""

    name = "W.strategies"
    title = "the fixed strategies against each other, with White and with Black"
    source = "Lin and White 2009, section III"
    packages = ()

    def units(self, scale: Scale, seeds: int) -> Sequence[Unit]:
        """One unit for each ply-depth, pairing and way; a single game needs no seeds."""
        return [
            Unit(
                f"ply-depth {depth} {black}-{white} {way} seed {seed}",
                {"ply_depth": depth, "black": black, "white": white, "way": way, "games": games},
                seed,
            )
            for depth in PLY_DEPTHS[scale]
            for black in STRATEGIES
            for white in STRATEGIES
            for way, games, last in (("game", 1, 1), ("ties", GAMES[scale], seeds), ("open", GAMES[scale], seeds))
            for seed in range(1, last + 1)
        ]

    def measure(self, unit: Unit, progress: Progress) -> Measures:
        """Play all games of a pairing and count White's; of a single game, also keep discs and moves."""
        the_game, way, games = game("othello"), unit.settings["way"], unit.settings["games"]
        ties = "random" if way == "ties" else "lowest"
        specs = [spec(unit.settings[colour], unit.settings["ply_depth"], ties) for colour in ("black", "white")]
        players = [player(one, the_game) for one in specs]
        asked = f"random(plies={OPENING_PLIES})" if way == "open" else "none"
        starts = openings(asked, the_game, unit.seed, games).positions(0, games)
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
            board = played.final.stones()[0]
            counts["discs"] = [int((board > 0).sum()), int((board < 0).sum())]
            counts["moves"] = the_game.notation.transcript(played.moves[0].tolist())
        return counts

    def report(self, found: Found) -> Report:
        """The single games beside the paper's, and how often White wins."""
        tallies = Tallies(found)
        claims = [
            *(_game_claim(tallies, *said) for said in SAID),
            _occasional_claim(tallies),
            _best_claim(tallies),
            _colour_claim(tallies),
        ]
        games, rates = list(_game_rows(tallies)), list(_rate_rows(tallies))
        caption = "White's score in percent with equal moves at random; discs: our one game (left), the paper's (right)"
        return Report(
            "Each strategy meets each, itself too, with either colour. *game* is a single game in which equal moves go "
            "to the lowest square, as on a ladder; *ties* are games from the usual start with equal moves taken at "
            f"random; *open* are games from openings of {OPENING_PLIES} random moves, equal moves to the lowest "
            "square. The paper tells of single games and leaves open which of equal moves is taken. Here a claim about "
            "two strategies holds if the side it names scores more than half in *ties*, with the whole 95 % interval. "
            "The positional table, the mobility count (own moves less the opponent's) and Iagno's strategy are our "
            "readings; Iagno searches as deep as the others, begins with random moves (lowest squares in *game*) and "
            "solves the ending.",
            [
                Table("games", "one game of each pairing, discs are Black-White; W: the winner in the paper", games),
                Table("rates", _rates_caption(tallies), rates),
            ],
            claims,
            [Drawing("rates", caption, lambda figure: _draw(figure, tallies))],
        )


def spec(strategy: str, ply_depth: int, ties: str) -> str:
    """The player that a strategy is at a ply-depth."""
    if strategy == "iagno":
        return f"iagno(level={ply_depth // 2 + 1}, ties={ties})"
    return f"alphabeta(depth={ply_depth + 1}, eval={strategy}, ties={ties})"


class Tallies:
    """All games of a study, White's, by ply-depth, Black, White and way."""

    def __init__(self, found: Found) -> None:
        self.all: dict[tuple[int, str, str, str], Tally] = {}
        self.discs: dict[tuple[int, str, str], tuple[int, int]] = {}
        for unit, counts in found:
            depth, black, white, way = (unit.settings[key] for key in ("ply_depth", "black", "white", "way"))
            tally = Tally(counts["wins"], counts["draws"], counts["losses"])
            self.all[depth, black, white, way] = self.all.get((depth, black, white, way), Tally()) + tally
            if way == "game":
                self.discs[depth, black, white] = (counts["discs"][0], counts["discs"][1])

    @property
    def ply_depths(self) -> list[int]:
        """The ply-depths that were played."""
        return sorted({depth for depth, *_ in self.all})

    def white(self, depth: int, black: str, white: str, way: Way) -> Tally:
        """White's games in a pairing."""
        return self.all[depth, black, white, way]

    def beats(self, depth: int, one: str, other: str) -> Verdict:
        """Whether a strategy scores above half with either colour, equal moves at random; None if it is not clear."""
        both = (self.white(depth, other, one, "ties"), -self.white(depth, one, other, "ties"))
        return all_of(above_half(tally) for tally in both)

    def best(self, depth: int, strategies: Sequence[str]) -> str | None:
        """The strategy that beats all others; `none` if each is held by another, None if it is not clear."""
        verdicts = {one: [self.beats(depth, one, other) for other in strategies if other != one] for one in strategies}
        for one, won in verdicts.items():
            if all(won):
                return one
        return "none" if all(False in won for won in verdicts.values()) else None


def above_half(tally: Tally) -> Verdict:
    """Whether more than half was scored; None if the 95 % interval does not tell."""
    return above(wilson(tally.points, tally.games), 0.5)


def _score(tally: Tally) -> str:
    low, high = wilson(tally.points, tally.games)
    return f"{100 * tally.score:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"


def _winner(discs: tuple[int, int]) -> str:
    black, white = discs
    return "Black" if black > white else "White" if white > black else "drawn"


def _said(depth: int, black: str, white: str) -> str:
    """The winner in the paper; empty if it does not say."""
    won = {(d, b, w): white_won for d, w, b, white_won in SAID}.get((depth, black, white))
    return "" if won is None else "White" if won else "Black"


def _game_rows(tallies: Tallies) -> Iterator[dict[str, Any]]:
    for (depth, black, white), discs in tallies.discs.items():
        yield {
            "ply-depth": depth,
            "Black": black,
            "White": white,
            "discs": f"{discs[0]}-{discs[1]}",
            "winner": _winner(discs),
            "W": _said(depth, black, white),
        }


def _rate_rows(tallies: Tallies) -> Iterator[dict[str, Any]]:
    for depth, black, white in tallies.discs:
        row: dict[str, Any] = {"ply-depth": depth, "Black": black, "White": white}
        for way in ("ties", "open"):
            tally = tallies.white(depth, black, white, way)
            shares = (tally.score, *wilson(tally.points, tally.games))
            row |= {f"{way}{end}": round(100 * x, 1) for end, x in zip(("", " low", " high"), shares, strict=True)}
        yield row


def _rates_caption(tallies: Tallies) -> str:
    games = next(tally.games for (*_, way), tally in tallies.all.items() if way == "ties")
    return f"White's score in percent with 95 % intervals, {games} games a figure, a draw counts half"


def _game_claim(tallies: Tallies, depth: int, white: str, black: str, won: bool) -> Claim:
    """One of the games the paper tells of."""
    claim = f"At ply-depth {depth} White {white} {'beats' if won else 'loses to'} {black}"
    if depth not in tallies.ply_depths:
        return Claim(claim, "not played at this scale", None)
    ties, opened = tallies.white(depth, black, white, "ties"), tallies.white(depth, black, white, "open")
    discs = tallies.discs[depth, black, white]
    ending = {"Black": "lost", "White": "won", "drawn": "drawn"}[_winner(discs)]
    above = above_half(ties)
    return Claim(
        claim,
        f"White scores {_score(ties)}, from openings {_score(opened)}; our one game: {ending} {discs[1]}-{discs[0]}",
        None if above is None else above is won,
    )


def _occasional_claim(tallies: Tallies) -> Claim:
    parts, wins = [], 0
    for depth in tallies.ply_depths:
        white = tallies.white(depth, "iagno", "positional", "ties")
        black = -tallies.white(depth, "positional", "iagno", "ties")
        wins += white.wins + black.wins
        parts.append(
            f"{100 * white.wins / white.games:.1f} % with White and {100 * black.wins / black.games:.1f} % with Black "
            f"at ply-depth {depth}"
        )
    claim = "Positional can, on occasion, beat Iagno, which begins with random moves"
    return Claim(claim, f"it wins {', '.join(parts)}", wins > 0)


def _best_claim(tallies: Tallies) -> Claim:
    """No strategy beats all others."""
    depths = tallies.ply_depths
    best = [tallies.best(depth, STRATEGIES) for depth in depths]
    simple = [tallies.best(depth, STRATEGIES[:3]) for depth in depths]
    parts = [
        f"at ply-depth {depth} {_named(one)} beats all others with either colour; without Iagno {_named(other)} does"
        for depth, one, other in zip(depths, best, simple, strict=True)
    ]
    holds = True if set(best) == {"none"} else None if {"none", None} & set(best) else False
    return Claim("There is no one strategy that beats all comers", "; ".join(parts), holds)


def _named(strategy: str | None) -> str:
    return strategy or "perhaps one"


def _colour_claim(tallies: Tallies) -> Claim:
    """Over all pairings each strategy has each colour as often, so only the colour is left."""
    ties, opened = (
        sum((tally for (*_, its), tally in tallies.all.items() if its == way), Tally()) for way in ("ties", "open")
    )
    ours = f"over all pairings White scores {_score(ties)}, from openings {_score(opened)}"
    return Claim("Black is the weaker colour", ours, above_half(ties))


def _draw(figure: Figure, tallies: Tallies) -> None:
    depths = tallies.ply_depths
    panels = figure.subplots(1, len(depths), sharey=True, squeeze=False)[0]
    for panel, depth in zip(panels, depths, strict=True):
        scores = [[100 * tallies.white(depth, b, w, "ties").score for w in STRATEGIES] for b in STRATEGIES]
        image = panel.imshow(scores, cmap="RdBu", vmin=0, vmax=100)
        for row, black in enumerate(STRATEGIES):
            for column, white in enumerate(STRATEGIES):
                shade = "white" if abs(scores[row][column] - 50) > 30 else "black"
                panel.text(column, row, f"{scores[row][column]:.0f}", ha="center", va="center", color=shade)
                _disc(panel, column - 0.3, row + 0.3, _winner(tallies.discs[depth, black, white]))
                _disc(panel, column + 0.3, row + 0.3, _said(depth, black, white))
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
