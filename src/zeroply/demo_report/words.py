"""What the report says: one place for its sentences, so that they can be read in order."""

from __future__ import annotations

from html import escape

from zeroply.arena.league import LeagueResult

LEARN = "1. A net learns from games"
EVOLVE = "2. A recurrent net evolves and plays on boards of any size"
COEVOLVE = "3. Spatial nets coevolve from random weights"
MEET = "4. Which player is strongest?"
SEARCH = "5. What search adds"
STUDY = "6. A published number, measured again"
SPEED = "7. Speed"
GAMES = "8. The games"
PARTS = (LEARN, EVOLVE, COEVOLVE, MEET, SEARCH, STUDY, SPEED, GAMES)
"""The parts, in order."""

SHIPPED = "net(othello)"

INTRODUCTION = """<p class="lead">Chess and Othello programs usually try out millions of moves ahead. The players on
this page do not: they look at the board once and move. Three published methods make such players. This computer has
just run all three, and then let the results play each other.</p>"""

SYSTEMS = """<ol class="systems">
<li><h3>1. Learning from games</h3><p>A net sees positions from good Othello games and learns to guess the move that was
played.</p><small>After Liskowski, Jaśkowski and Krawiec, 2018</small></li>
<li><h3>2. Evolution</h3><p>A recurrent net sweeps over the board. Its weights change at random; changes that win more
games stay. It plays on boards of any size.</p><small>After Schaul and Schmidhuber, 2009</small></li>
<li><h3>3. Coevolution</h3><p>A hundred nets that see the lines a chess queen moves along start with random weights.
They play each other, and the winners have offspring.</p><small>After Lin and White, 2009</small></li>
</ol>"""

LEARN_TEXT = """<p>The net learns from 5,955 games that come with zeroply, played by a searching engine; the paper used
games of human experts. It is a small net that looks up the contents of rows, columns and diagonals, and it trains for
seconds only.</p>"""
LEARN_CURVE = """How often the net's favourite move is the move that was played, among the examples of each training
step. A random legal move would be right roughly one time in ten."""
LEARN_BOARD = "{words} Colours show what the net prefers, from blue (least) to yellow (most); 100 is its move."

EVOLVE_TEXT = """<p>The game is Atari-Go: whoever captures a stone first wins. The net starts with random weights, and
each generation plays the <em>naive</em> player, which captures if it can, avoids being captured at
once, and otherwise moves at random. Training takes
place on a 5x5 board only.</p>"""
EVOLVE_CURVE = "Fitness: the score against the naive player, from -1 (all games lost) to 1 (all won)."
EVOLVED_BOARDS = (
    (5, "c3b3", "The evolved net on 5x5, where it was trained."),
    (9, "e5d5e4d4", "The same net on 9x9, a board that it never saw in training."),
)
EVOLVE_LEAGUES = """<p>The same net plays on both boards. Ratings are in Elo: 100 points more mean winning about 64 % of
the games, 400 points about 91 %. The random player has 0. Whiskers are 95 % intervals.</p>"""
EVOLVE_GAME = """A game on 9x9 to step through: the net plays Black. Before each of its moves, colours show what it
prefers."""

COEVOLVE_TEXT = """<p>Nobody tells these nets what is good: they only play each other. To see whether they improve, the
champion of some generations plays 200 games against the <em>greedy</em> player, which turns over as many discs as it
can.</p>"""
COEVOLVE_CURVE = """Points of the champion against the greedy player: 50 % would be equal strength. The paper ran 10,000
generations; this demo has time for a few hundred, so the curve need not rise much."""

MEET_CHART = """Ratings of the league in Elo (random player = 0), with 95 % intervals. Green: nets, which do not
search."""
MEET_BOARDS = """<p>The same position, seen by three nets: the shipped one, which was trained for much longer, and the
two that were made on this page.</p>"""
MEET_GAME = """Part 1 against part 3: the net that learned (Black) plays the net that coevolved (White). Before each
move, colours show what the net to move prefers."""

SEARCH_TEXT = """<p>How much is not searching worth? Here the shipped net meets zeroply's own engine, which looks one,
two or three moves ahead, and the strategy of the desktop program GNOME Iagno.</p>"""
SEARCH_CHART = "On the scale of the chart above: the shipped net has the same rating in both."
ENDING = (
    "Search can also end all doubt: here it proves that Black wins by four discs with best play. The solution is below."
)

STUDY_TEXT = """<p>Each table and figure of the three papers can be repeated by one command, which puts our numbers
beside the published ones. This one takes seconds: how often a random player beats the naive one on each board.</p>"""
SPEED_TEXT = """<p>Rules and nets run in a C++ core, thousands of games at a time. The tables tell how fast they are on
this computer.</p>"""
GAMES_TEXT = "<p>The games that zeroply knows, with their board sizes.</p>"


def titles(learned: str, coevolved: str) -> dict[str, str]:
    """Names of the players for people, by spec."""
    return {
        SHIPPED: "Trained net",
        learned: "Net that learned",
        coevolved: "Net that coevolved",
        "engine(depth=1)": "Engine, 1 move ahead",
        "engine(depth=2)": "Engine, 2 moves ahead",
        "engine(depth=3)": "Engine, 3 moves ahead",
        "iagno(level=2)": "GNOME Iagno, level 2",
        "greedy": "Greedy",
        "naive": "Naive",
        "random": "Random",
    }


def about(learned: str, coevolved: str) -> dict[str, str]:
    """What each player is, in a few words."""
    searches = "searches with a fitted evaluation"
    return {
        SHIPPED: "shipped with zeroply; learned from many more games; no search",
        learned: "made in part 1; no search",
        coevolved: "made in part 3; no search",
        "engine(depth=1)": searches,
        "engine(depth=2)": searches,
        "engine(depth=3)": searches,
        "iagno(level=2)": "searches 3 moves ahead",
        "greedy": "turns over as many discs as it can",
        "naive": "captures if it can, avoids losing at once, else random",
        "random": "any legal move",
    }


def summary(league: LeagueResult, searching: LeagueResult, names: dict[str, str]) -> str:
    """Who is strongest, as a box at the beginning of the page; the second league is that with players that search."""
    rating = dict(zip(league.players, league.ratings.elo, strict=True))
    nets = sorted((player for player in league.players if player.startswith("net(")), key=lambda one: -rating[one])
    made = [player for player in nets if player != SHIPPED]
    text = f"<b>Strongest player without search: {_shown(nets[0], names)}</b>, "
    text += f"{rating[nets[0]] - rating['random']:.0f} Elo above random play. "
    if nets[0] == SHIPPED:
        text += "It learned by method 1, from many more games than this demo has time for. "
    best = searching.players[searching.ranking()[0]]
    if best not in nets:
        text += f"Of those that search, <b>{_shown(best, names)}</b> is stronger (part 5). "
    lead = rating[made[0]] - rating[made[1]]
    text += (
        f"Of the two Othello nets made here, the {_lower(made[0], names)} is ahead by {lead:.0f} Elo (part 4). "
        "The evolved net of part 2 plays another game, Atari-Go."
    )
    return f'<div class="verdict"><p>{text}</p></div>'


def meet(league: LeagueResult, names: dict[str, str]) -> str:
    """The result of the league in words."""
    order = league.ranking()
    first, second = order[0], order[1]
    share = 100 * league.scores[first, second]
    return (
        f"<p>All players of Othello meet: {league.games.sum() // 2:,} games. First is "
        f"<b>{_shown(league.players[first], names)}</b>; it scored {share:.0f} % against the runner-up, "
        f"{_shown(league.players[second], names)}.</p>"
    )


def _shown(player: str, names: dict[str, str]) -> str:
    return escape(names.get(player, player))


def _lower(player: str, names: dict[str, str]) -> str:
    shown = _shown(player, names)
    return shown[:1].lower() + shown[1:]
