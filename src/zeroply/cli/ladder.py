"""`zeroply ladder`: how much look-ahead a fixed strategy needs to stop each player."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.markup import escape

from zeroply.arena.ladder import LadderGame, LadderResult
from zeroply.arena.ladder import ladder as climb
from zeroply.cli.arguments import GameSpec, Json, Overwrite, Players, SavedGames, Threads
from zeroply.cli.output import console, print_forfeits, print_json, print_table, progress, saving, set_threads
from zeroply.records import check_output

_OUTCOMES = {1: "won", 0: "drawn", -1: "lost"}


def ladder(
    players: Players,
    strategy: str = "positional",
    game: GameSpec = "othello",
    highest: int | None = None,
    threads: Threads = None,
    save: SavedGames = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Let players climb against a fixed strategy at ply-depth 0, 2, 4, ... until they do not win.

    Players have Black, the strategy has White. At ply-depth 0 it evaluates each child (search depth 1), at 2 it
    searches to depth 3, and so on. Of equal moves both take the lowest square: a ladder is the same every time.

    Example: zeroply ladder "net(othello-swh)" greedy --strategy positional --highest 6

    Args:
        players: Specs of the players.
        strategy: An evaluation (`zeroply evaluations` lists them), or a player that takes a depth, such as iagno.
        highest: The highest ply-depth, even; by default 6, for iagno 4.
    """
    set_threads(threads)
    if save is not None:
        check_output(save, game, overwrite)
    with progress("ply-depths") as report:
        result = climb(players, strategy, game=game, highest=highest, progress=report)
    with saving(result.records, save):
        if json:
            print_json(summary(result))
        else:
            _print(result)


def summary(result: LadderResult) -> dict[str, Any]:
    """A ladder for programs; results of games are the players'."""
    transcript = result.game.notation.transcript
    return {
        "game": str(result.game),
        "strategy": result.strategy,
        "ply_depths": list(result.ply_depths),
        "players": [
            {
                "player": name,
                "beaten": beaten,
                "games": [
                    {
                        "ply_depth": one.ply_depth,
                        "result": _OUTCOMES[one.winner],
                        "stones": list(one.stones),
                        "moves": transcript(list(one.moves)),
                        "forfeit": one.forfeit or None,
                    }
                    for one in result.games_of(number)
                ],
            }
            for number, (name, beaten) in enumerate(zip(result.players, result.beaten, strict=True))
        ],
        "beaten_by": {str(depth): count for depth, count in result.counts.items()},
    }


def _print(result: LadderResult) -> None:
    depths = result.ply_depths
    rows: list[Sequence[str]] = []
    for number, (name, beaten) in enumerate(zip(result.players, result.beaten, strict=True)):
        games = {one.ply_depth: _result(result, one) for one in result.games_of(number)}
        highest = "none" if beaten is None else str(beaten)
        rows.append((name, highest, *(games.get(depth, "") for depth in depths)))
    if len(result.players) > 1:
        rows.append(("players that win", "", *map(str, result.counts.values())))
    console.print(f"players against [bold]{escape(result.strategy)}[/bold] with White, {result.game}\n")
    titles = ("Black", "beats", "ply-depth 0", *map(str, depths[1:]))
    print_table(titles, rows, range(len(titles)))
    if depths[-1] in result.beaten:
        console.print(f"\nply-depth {depths[-1]} is the top of this ladder, see --highest", style="dim")
    print_forfeits([_forfeit(result, one) for one in result.games if one.forfeit])


def _result(result: LadderResult, one: LadderGame) -> str:
    """The result of a game, with the discs if they decide."""
    discs = f" {one.stones[0]}-{one.stones[1]}" if result.game.facts.margin else ""
    return f"{_OUTCOMES[one.winner]}{discs}"


def _forfeit(result: LadderResult, one: LadderGame) -> str:
    side = result.players[one.player] if one.winner < 0 else result.strategy
    return f"{result.players[one.player]} at ply-depth {one.ply_depth}: {side} {one.forfeit}"
