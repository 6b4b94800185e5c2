"""`zeroply bench`: measure speed; ratios compare figures of one run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from zeroply import levels
from zeroply.bench import LARGEST
from zeroply.cli.arguments import GameSpec, Json, Players
from zeroply.cli.output import console, counted, errors, print_json, print_table, progress
from zeroply.errors import ZeroplyError
from zeroply.options import DATASET, Dataset


def bench_games(seconds: float = 1.0, threads: int = 2, batch: int = 4096, json: Json = False) -> None:
    """Random games per second: core, Python batch API, and OpenSpiel and pgx if they are installed.

    Example: zeroply bench games

    Args:
        seconds: Seconds per figure.
        threads: Threads for the Python batch API.
        batch: Games in lockstep for the Python batch API.
    """
    if not (seconds > 0 and 2 <= batch <= LARGEST and 1 <= threads <= 1024):
        raise ZeroplyError(
            f"a benchmark needs seconds above 0, a batch of 2 to {LARGEST:,} games, and threads from 1 to 1024"
        )
    from zeroply.bench.games import batch_speeds, core_speeds, peer_speeds

    with errors.status("measuring"):
        speeds = [*core_speeds(seconds), *batch_speeds(seconds, threads, batch), *peer_speeds(seconds)]
    core = {speed.game: speed.plies_per_second for speed in speeds if speed.what.startswith("core")}
    rows = [{**vars(speed), "core_is_faster_by": core[speed.game] / speed.plies_per_second} for speed in speeds]
    if json:
        print_json({"level": levels.chosen(), "speeds": rows})
        return
    heads = ("what", "game", "games/s", "plies/s", "core is\nfaster by")
    formats = {"games_per_second": ",.0f", "plies_per_second": ",.0f", "core_is_faster_by": ",.1f"}
    shown = [(row["what"], row["game"], *(f"{row[name]:{form}}" for name, form in formats.items())) for row in rows]
    print_table(heads, shown, (0, 1))
    console.print(f"\ninstruction-set level {levels.chosen()}", style="dim")


def bench_single(seconds: float = 2.0, json: Json = False) -> None:
    """Random games in Python, one position at a time, beside OpenSpiel if it is installed.

    Example: zeroply bench single

    Args:
        seconds: Seconds per game.
    """
    if not 0 < seconds < float("inf"):
        raise ZeroplyError("a benchmark needs seconds above 0")
    from zeroply.bench.single import single_speeds

    with errors.status("measuring"):
        speeds = single_speeds(seconds)
    if json:
        print_json({"level": levels.chosen(), "speeds": [{**vars(one), "ratio": one.ratio} for one in speeds]})
        return
    heads = ("game", "games/s", "us per move", "OpenSpiel,\nus per move", "times as fast")
    shown = [
        (
            one.game,
            f"{one.games_per_second:,.0f}",
            f"{one.microseconds:.2f}",
            "" if one.open_spiel is None else f"{one.open_spiel:.2f}",
            "" if one.ratio is None else f"{one.ratio:.2f}",
        )
        for one in speeds
    ]
    print_table(heads, shown)
    console.print(f"\nCPU time, one thread, instruction-set level {levels.chosen()}", style="dim")


def bench_envs(seconds: float = 1.0, batch: int = 1024, json: Json = False) -> None:
    """Steps per second of vector environments on one thread, and of pgx if it is installed.

    Example: zeroply bench envs

    Args:
        seconds: Seconds per figure.
        batch: Environments that step together.
    """
    if not (seconds > 0 and 1 <= batch <= LARGEST):
        raise ZeroplyError(f"a benchmark needs seconds above 0 and a batch of 1 to {LARGEST:,} environments")
    from zeroply.bench.environments import environment_speeds

    with errors.status("measuring"):
        speeds = environment_speeds(seconds, batch)
    first = speeds[0].plies_per_second
    rows: list[dict[str, Any]] = [
        {
            "what": speed.what,
            "game": speed.game,
            "steps_per_second": speed.plies_per_second,
            "first_is_faster_by": first / speed.plies_per_second,
        }
        for speed in speeds
    ]
    if json:
        print_json({"level": levels.chosen(), "speeds": rows})
        return
    shown = [(r["what"], r["game"], f"{r['steps_per_second']:,.0f}", f"{r['first_is_faster_by']:,.2f}") for r in rows]
    print_table(("what", "game", "steps/s", "first is\nfaster by"), shown, (0, 1))
    console.print(f"\ninstruction-set level {levels.chosen()}", style="dim")


def bench_moves(
    players: Players,
    game: GameSpec = "othello",
    games: int = 10,
    batch: int = 1,
    openings: str = "random(plies=8)",
    seed: int = 0,
    json: Json = False,
) -> None:
    """Mean time per move over whole games, on one thread; each player plays itself.

    Example: zeroply bench moves "engine(depth=5)" "engine(depth=8)" --games 10

    Example: zeroply bench moves "net(othello)" --games 256 --batch 256

    Args:
        players: Specs of the players; ratios compare with the first.
        games: Games per player.
        batch: Games played at the same time; a player evaluates all of them in one call.
        openings: none, random(plies=8), or the path of a file of openings.
        seed: Random seed.
    """
    import zeroply as zp
    from zeroply.bench.moves import measure_moves

    rules = zp.game(game)
    made = [zp.player(spec, rules) for spec in players]
    try:
        with progress("playing", live=False) as report:
            paces = measure_moves(made, rules, games, batch=batch, openings=openings, seed=seed, progress=report)
    finally:
        for player in made:
            player.close()
    rows: list[dict[str, Any]] = [
        {
            "player": pace.player,
            "games": games,
            "batch": batch,
            "moves": pace.moves,
            "cpu_seconds": pace.mean,
            "wall_seconds": pace.mean_wall,
            "slowest_cpu_seconds": pace.slowest,
            "times_the_first": pace.mean / paces[0].mean,
        }
        for pace in paces
    ]
    if json:
        print_json({"game": str(rules), "seed": seed, "level": levels.chosen(), "players": rows})
        return
    heads = ("player", "moves", "CPU ms\nper move", "wall ms\nper move", "slowest,\nCPU ms", "times\nthe first")
    times = ("cpu_seconds", "wall_seconds", "slowest_cpu_seconds")
    cells = [(*(f"{1000 * row[time]:.4f}" for time in times), f"{row['times_the_first']:,.1f}") for row in rows]
    print_table(heads, [(row["player"], f"{row['moves']:,}", *some) for row, some in zip(rows, cells, strict=True)])
    console.print(f"\nCPU time, one thread, instruction-set level {levels.chosen()}", style="dim")


def bench_search(positions: int = 20, threads: int = 2, json: Json = False) -> None:
    """What the parts of search gain: mode strong, nets that value all children at once, several threads.

    Example: zeroply bench search

    Args:
        positions: Positions per figure.
        threads: Threads that search one position together.
    """
    if not (1 <= positions <= 10_000 and 1 <= threads <= 1024):
        raise ZeroplyError("a benchmark of search needs 1 to 10,000 positions and threads from 1 to 1024")
    from zeroply.bench.searches import Gain, measure

    with progress("searching", live=False) as report:
        gains = measure(positions, threads, report)
    if json:
        rows = [{**vars(gain), "ratio": gain.ratio} for gain in gains]
        print_json({"level": levels.chosen(), "positions": positions, "gains": rows})
        return

    def times(gain: Gain) -> tuple[str, str, str]:
        return f"{1000 * gain.before:.3f}", f"{1000 * gain.after:.3f}", f"{gain.ratio:.2f}"

    heads = ("what", "game", "evaluation", "depth", "ms without", "ms with", "ratio", "same move")
    cells = [
        (gain.what, gain.game, gain.evaluation, f"{gain.depth}", *times(gain), f"{gain.same_move:.0%}")
        for gain in gains
    ]
    print_table(heads, cells, range(3))
    console.print(f"\nCPU time per position, instruction-set level {levels.chosen()}", style="dim")


def bench_clock(
    players: Players,
    game: GameSpec = "othello",
    searches: int = 1000,
    shortest: float = 0.005,
    longest: float = 0.1,
    seed: int = 0,
    json: Json = False,
) -> None:
    """How well players keep time limits: searches with random limits, one at a time.

    Example: zeroply bench clock "alphabeta(depth=40, eval=pattern, mode=strong)" --searches 100

    Args:
        players: Specs of the players.
        searches: Searches per player.
        shortest: Shortest limit in seconds.
        longest: Longest limit in seconds.
        seed: Random seed.
    """
    import zeroply as zp
    from zeroply.bench.clock import measure_clock

    rules = zp.game(game)
    made = [zp.player(spec, rules) for spec in players]
    try:
        with progress("searching", live=False) as report:
            limits = (shortest, longest)
            kept = measure_clock(made, rules, searches, limits=limits, seed=seed, progress=report)
    finally:
        for player in made:
            player.close()
    if json:
        print_json({"game": str(rules), "seed": seed, "limits": limits, "players": [vars(one) for one in kept]})
        return
    heads = ("player", "searches", "timed", "longest,\nms late", "over\n3 ms", "limit\nused")
    rows = [
        (
            one.player,
            f"{one.searches:,}",
            f"{one.timed:,}",
            f"{1000 * one.longest:.2f}",
            f"{one.late}",
            f"{one.used:.0%}",
        )
        for one in kept
    ]
    print_table(heads, rows)
    console.print("\nlate: CPU time after the deadline; timed: searches where it is known", style="dim")


def bench_loader(
    data: Path | None = None,
    dataset: Dataset = DATASET,
    batch: int = 512,
    seconds: float = 1.0,
    json: Json = False,
) -> None:
    """Positions per second of the loader alone: random batches under random symmetries, as planes.

    Example: zeroply bench loader --data data/sets

    Args:
        data: Folder made by `zeroply data build`; without it the games that come with zeroply are used.
        batch: Positions per batch.
        seconds: Seconds per figure.
    """
    from zeroply.bench.loader import loader_speeds

    with errors.status("measuring"):
        speeds = loader_speeds(data, dataset, batch, seconds)
    if json:
        rows = [vars(speed) for speed in speeds]
        print_json({"level": levels.chosen(), "set": dataset, "batch": batch, "speeds": rows})
        return
    print_table(("what", "positions/s"), [(one.what, f"{one.positions_per_second:,.0f}") for one in speeds])
    console.print(f"\ninstruction-set level {levels.chosen()}, batches of {batch}", style="dim")


def bench_nets(seconds: float = 1.0, json: Json = False) -> None:
    """Microseconds per board of the nets used in evolution, compared with the paper and with this project's target.

    Example: zeroply bench nets

    Args:
        seconds: CPU seconds per figure.
    """
    if not 0 < seconds < float("inf"):
        raise ZeroplyError("a benchmark needs seconds above 0")
    from zeroply.bench.nets import generation_speeds, net_speeds

    with progress("measuring", live=False) as report:
        speeds = net_speeds(seconds, report)
    evolving = generation_speeds(seconds)
    if json:
        extra = ("times_the_paper", "of_the_bar")
        rows = [{**vars(speed), **{name: getattr(speed, name) for name in extra}} for speed in speeds]
        print_json(
            {"level": levels.chosen(), "threads": 1, "speeds": rows, "generations": [vars(one) for one in evolving]}
        )
        return
    heads = (
        "net",
        "game",
        "boards\nper call",
        "us per\nboard",
        "times the\npaper's speed",
        "target,\nus",
        "share of\ntarget",
    )
    boards = {"batch": "many", "single": "one", "children": "all children"}
    rows_shown = [
        (
            speed.net,
            speed.game,
            boards[speed.how],
            f"{speed.microseconds:.2f}",
            "" if speed.times_the_paper is None else f"{speed.times_the_paper:,.0f}",
            "" if speed.bar is None else f"{speed.bar:g}",
            "" if speed.of_the_bar is None else f"{speed.of_the_bar:.2f}",
        )
        for speed in speeds
    ]
    print_table(heads, rows_shown, range(3))
    console.print(f"\nCPU time, one thread, instruction-set level {levels.chosen()}\n", style="dim")
    titles = ("a generation of", "net", "game", "nets", "games", "wall ms", "target", "CPU ms")
    times = [[f"{1000 * time:.0f}" for time in (one.seconds, one.bar, one.cpu_seconds)] for one in evolving]
    generations = zip(evolving, times, strict=True)
    print_table(titles, [(g.what, g.net, g.game, f"{g.nets}", f"{g.games:,}", *t) for g, t in generations], range(3))
    console.print(f"\n{evolving[0].threads} threads", style="dim")


def bench_evolve(nets: int = 500, games: int = 12, threads: int = 2, json: Json = False) -> None:
    """Time of a generation of self-play: whole games in the core, the same games move by move, the whole generation.

    Example: zeroply bench evolve

    Args:
        nets: Candidates in a generation, even.
        games: Games of each of them, even.
        threads: Threads of the core.
    """
    if not (2 <= nets <= 10_000 and 2 <= games <= 1000 and 1 <= threads <= 1024) or nets % 2 or games % 2:
        raise ZeroplyError(
            "a benchmark of evolution needs an even number of nets from 2 to 10,000, an even number of games from 2 to "
            "1,000, and threads from 1 to 1024"
        )
    from zeroply.bench.tournaments import tournament_speeds

    with progress("measuring", live=False) as report:
        speeds = tournament_speeds(nets, games, threads, report)
    if json:
        ways = ("core", "lockstep", "generation")
        rows = [{**vars(one), **{way: vars(getattr(one, way)) for way in ways}, "ratio": one.ratio} for one in speeds]
        print_json({"level": levels.chosen(), "threads": threads, "speeds": rows})
        return
    heads = ("net", "game", "games", "core,\nCPU ms", "move by move,\nCPU ms", "ratio", "generation,\nCPU ms")
    print_table(
        (*heads, "generation,\nwall ms", "target"),
        [
            (
                one.net,
                one.game,
                f"{one.games:,}",
                *(f"{1000 * clock.cpu:,.0f}" for clock in (one.core, one.lockstep)),
                f"{one.ratio:.1f}",
                *(f"{1000 * seconds:,.0f}" for seconds in (one.generation.cpu, one.generation.wall)),
                "" if one.bar is None else f"{1000 * one.bar:.0f}",
            )
            for one in speeds
        ],
        (0, 1),
    )
    console.print(f"\n{threads} threads, instruction-set level {levels.chosen()}", style="dim")


def bench_training(threads: int = 1, seconds: float = 10.0, json: Json = False) -> None:
    """Speed of Conv8 with batch normalisation: training against torch's own layers, inference against torch and
    onnxruntime.

    Example: zeroply bench training

    Args:
        threads: Threads of every program.
        seconds: Time per row, at least three trials.
    """
    if not (0 < seconds < float("inf") and 1 <= threads <= 1024):
        raise ZeroplyError("a benchmark needs seconds above 0 and threads from 1 to 1024")
    from zeroply.bench.training import PEERS, measure

    with progress("measuring", live=False) as report:
        training, inference = measure(threads, seconds, report)
    if json:
        trained = [{**vars(speed), "ratio": speed.ratio} for speed in training]
        print_json(
            {"level": levels.chosen(), "threads": threads, "training": trained, "inference": [*map(vars, inference)]}
        )
        return
    rows = [
        (
            one.net,
            one.precision,
            f"{one.batch}",
            f"{one.core:,.0f}",
            f"{one.torch:,.0f}",
            f"{one.ratio:.2f}",
            "" if one.bar is None else f"{one.bar:g}",
        )
        for one in training
    ]
    print_table(("training", "precision", "batch", "examples/s", "with torch's\nlayers", "ratio", "target"), rows)
    console.print()
    times = [["" if (us := one.microseconds[peer]) is None else f"{us:,.0f}" for peer in PEERS] for one in inference]
    heads = ("inference", "batch", *(f"{peer},\nus per position" for peer in PEERS))
    print_table(heads, [(one.net, f"{one.batch}", *some) for one, some in zip(inference, times, strict=True)])
    clock = "CPU time, one thread" if threads == 1 else f"wall time, {threads} threads"
    console.print(f"\n{clock}, instruction-set level {levels.chosen()}", style="dim")
    if None in inference[0].microseconds.values():
        console.print("onnxruntime is not installed: pip install '.[train]'", style="dim", markup=False)


def bench_web(
    clients: int = 50,
    games: int = 1,
    game: GameSpec = "othello",
    player: str = "net(othello)",
    think: float = 0.0,
    searches: int = 0,
    trouble: bool = False,
    against: str | None = None,
    seed: int = 0,
    json: Json = False,
) -> None:
    """Response time of the web page while many people play at once, and while clients misbehave.

    Example: zeroply bench web --clients 50

    Example: zeroply bench web --clients 5 --think 0.5 --searches 2

    Example: zeroply bench web --trouble --against ~/zeroply-0.1/.venv/bin/zeroply

    Args:
        clients: Number of simulated players.
        games: Games per simulated player; with --against the programs take turns.
        player: Spec of their opponent.
        think: Seconds between two clicks.
        searches: Long searches running on the server at the same time.
        trouble: Also measure how abandoned searches, long pasted texts and half-sent requests disturb others.
        against: Path of another zeroply program, to be measured in turn with this one.
        seed: Random seed.
    """
    from zeroply.bench.web import Clicks, measure_clicks
    from zeroply.bench.web_trouble import measure_trouble

    programs: dict[str, str | None] = {"this": None, **({"other": against} if against is not None else {})}
    measured = {name: Clicks() for name in programs}
    troubles: dict[str, list[dict[str, Any]]] = {name: [] for name in programs}
    with errors.status("playing"):
        rounds, each = (1, games) if against is None else (games, 1)
        for number in range(rounds):
            for name, program in programs.items():
                one = measure_clicks(clients, each, game, player, think, searches, seed + number, program)
                measured[name].add(one)
        if trouble:
            for name, program in programs.items():
                troubles[name] = [one.row() for one in measure_trouble(program)]
    if json:
        found = [{"program": name, **measured[name].summary(), "trouble": troubles[name]} for name in programs]
        print_json({"clients": clients, "programs": found})
        return
    named = len(programs) > 1
    for name in programs:
        summary = measured[name].summary()
        if named:
            console.print(f"{programs[name] or 'this program'}:", markup=False)
        heads = ("what", "answers", "median,\nms", "95th\npercentile, ms", "slowest,\nms")
        times = [[f"{1000 * row[f'p{p}']:.0f}" for p in (50, 95, 100)] for row in summary["times"]]
        rows = [(row["what"], f"{row['answers']:,}", *some) for row, some in zip(summary["times"], times, strict=True)]
        print_table(heads, rows)
        cpu = summary["server_cpu_seconds"]
        answers = sum(row["answers"] for row in summary["times"])
        pace = "" if not cpu else f", {1000 * cpu / answers:.2f} ms of CPU time per answer"
        console.print(
            f"{clients} people, {summary['games']} games in {summary['seconds']:.1f} s, "
            f"{len(summary['errors'])} errors{pace}\n",
            *summary["errors"][:3],
            style="dim",
            markup=False,
        )
        if troubles[name]:
            cells = [(row["what"], f"{row['slowest']:.2f}", f"{row['allowed']:g}") for row in troubles[name]]
            print_table(("trouble", "slowest, s", "allowed, s"), cells)
            console.print()


def bench_endings(
    problems: Path | None = None,
    empties: int = 20,
    positions: int = 10,
    threads: int = 2,
    first: int = 1,
    last: int | None = None,
    seed: int = 0,
    json: Json = False,
) -> None:
    """Time of exact Othello endings: each position on one thread, and on several together.

    Example: zeroply bench endings

    Example: zeroply bench endings --problems fforum-40-59.obf --first 6 --last 10

    Args:
        problems: OBF file with the positions; by default they come from games of a search player against itself.
        empties: Empty squares of positions from games.
        positions: Number of positions from games.
        threads: Threads to compare with one.
        first: The first problem of the file.
        last: The last problem of the file.
        seed: Random seed of the games.
    """
    from zeroply.bench.endings import ending_positions, file_positions, measure_endings

    if not 1 <= threads <= 1024:
        raise ZeroplyError(f"threads must be from 1 to 1024, not {threads}")
    some = file_positions(problems, first, last) if problems else ending_positions(empties, positions, seed)
    with progress("solving", live=False) as report:
        times = measure_endings(some, sorted({1, threads}), progress=report)
    rows = [
        {
            **vars(one),
            "nodes_per_cpu_second": one.nodes_per_cpu_second,
            "times_the_first_cpu": one.cpu_seconds / times[0].cpu_seconds,
            "speed_up": times[0].wall_seconds / one.wall_seconds,
        }
        for one in times
    ]
    if json:
        print_json({"positions": len(some), "level": levels.chosen(), "times": rows})
        return
    heads = ("threads", "nodes", "CPU s", "wall s", "Mnodes per\nCPU s", "CPU time,\ntimes the first", "speed-up")
    formats = {
        "threads": "d",
        "nodes": ",d",
        "cpu_seconds": ".2f",
        "wall_seconds": ".2f",
        "nodes_per_cpu_second": ".1f",
        "times_the_first_cpu": ".2f",
        "speed_up": ".2f",
    }
    shown = [{**row, "nodes_per_cpu_second": row["nodes_per_cpu_second"] / 1e6} for row in rows]
    print_table(heads, [tuple(f"{row[name]:{form}}" for name, form in formats.items()) for row in shown], ())
    console.print(f"\n{counted(len(some), 'position')}, instruction-set level {levels.chosen()}", style="dim")


bench = {
    "games": bench_games,
    "single": bench_single,
    "envs": bench_envs,
    "moves": bench_moves,
    "search": bench_search,
    "clock": bench_clock,
    "loader": bench_loader,
    "nets": bench_nets,
    "evolve": bench_evolve,
    "training": bench_training,
    "web": bench_web,
    "endings": bench_endings,
}
