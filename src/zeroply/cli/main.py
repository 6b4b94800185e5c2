"""`zeroply`: finds the command, hands it its arguments, and turns bad input into one sentence and exit code 2."""

from __future__ import annotations

import errno
import importlib
import os
import sys
from pathlib import Path
from typing import Any

from zeroply.errors import ZeroplyError

COMMANDS = {
    "games": ("listing", "list the games and their options"),
    "players": ("listing", "list the players and their options"),
    "nets": ("listing", "list net architectures and the nets that come with zeroply"),
    "evaluations": ("listing", "list the evaluations that players search with"),
    "show": ("show", "show a position as text or SVG, with a player's preferences"),
    "play": ("play", "play against any player in the terminal"),
    "match": ("experiments", "two players, openings played twice, score and Elo with intervals"),
    "league": ("experiments", "every player against every other, with ratings"),
    "ladder": ("ladder", "how much look-ahead a fixed strategy needs to stop a player"),
    "analyse": ("analyse", "every move of a game: how a player ranks it, and how much it lost"),
    "engine": ("engine", "an engine for other programs: GTP, NBoard, Gomocup"),
    "solve": ("solve", "exact Othello endings, checked against scores in OBF files"),
    "ntuples": ("experiments", "learn n-tuple players for Othello: self-play or coevolution"),
    "train": ("experiments", "train a net on expert moves"),
    "evolve": ("experiments", "evolve nets against fixed opponents"),
    "coevolve": ("experiments", "coevolve nets that learn only from each other"),
    "champion": ("champion", "write the best net of a generation as a net file"),
    "train-td": ("experiments", "learn values from self-play by temporal differences"),
    "evaluate": ("evaluate", "how often a player predicts the expert's move"),
    "export": ("export", "write a net as ONNX or smaller"),
    "study": ("study", "repeat a published table or figure"),
    "resume": ("resume", "resume an interrupted run"),
    "records": ("records", "convert, count and check games: WTHOR, GGF, SGF, .txt, OBF"),
    "data": ("data", "datasets of expert moves: download, self-play, build, judge"),
    "patterns": ("experiments", "fit and check the tables of the pattern evaluation"),
    "perft": ("perft", "count move sequences"),
    "web": ("web", "the web page: play, inspect players, watch runs, read studies"),
    "bench": ("bench", "measure speed"),
}

IMPORT = "--import"
"""Option of all commands: a Python module that registers games, players, nets and more."""
UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""Why output cannot be written."""
EXAMPLES = (
    'zeroply play --game "gomoku(size=9)" naive',
    'zeroply match naive random --game "atarigo(size=5)" --games 1000 --seed 1',
    'zeroply show "othello" --moves f5d6c3 --player greedy',
)


def main(arguments: list[str] | None = None) -> None:
    """Entry point of the `zeroply` command."""
    words = sys.argv[1:] if arguments is None else arguments
    # Torch's threads would spin while they wait: beside another busy program that is many times slower.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        _run(words)
        if sys.stdout is not None:
            sys.stdout.flush()
    except ZeroplyError as error:
        from zeroply.cli.texts import shortened

        print(f"zeroply: {shortened(str(error))}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("zeroply: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of the output has gone
        sys.exit(1)
    except OSError as error:
        if error.filename is not None or error.errno not in UNWRITABLE:  # it is not about the output
            raise
        print(f"zeroply: cannot write the output: {error.strerror or error}", file=sys.stderr)
        os._exit(2)  # what could not be written is not tried again


def _run(words: list[str]) -> None:
    from zeroply import plugins

    words, modules = _without_imports(words)
    plugins.use([*plugins.of_project(Path.cwd()), *modules])
    if not words or words[0] in ("-h", "--help", "help"):
        print(contents())
    elif words[0] in ("-V", "--version"):
        from zeroply import __version__

        print(f"zeroply {__version__}")
    elif words[0] in COMMANDS:
        module, _ = COMMANDS[words[0]]
        run_command(module, words[0], words[1:])
    else:
        from zeroply.cli.parsing import guess

        raise ZeroplyError(
            f"unknown command '{words[0]}'{guess(words[0], COMMANDS)}: commands are {', '.join(COMMANDS)}"
        )


def _without_imports(words: list[str]) -> tuple[list[str], list[str]]:
    """The words without `--import MODULE`, which every command takes, and the modules."""
    left: list[str] = []
    modules: list[str] = []
    waiting = iter(words)
    for word in waiting:
        option, equals, value = word.partition("=")
        if option != IMPORT:
            left.append(word)
        elif not (name := value if equals else next(waiting, "")):
            raise ZeroplyError(f"{IMPORT} needs the name of a module")
        else:
            modules.append(name)
    return left, modules


def run_command(module: str, command: str, words: list[str]) -> None:
    """Parse the arguments of a command by its function's signature and call it."""
    import tyro

    from zeroply.cli.csv_output import choosing_csv
    from zeroply.cli.parsing import in_a_sentence
    from zeroply.cli.texts import wrapped_help

    style = (
        tyro.conf.FlagCreatePairsOff,
        tyro.conf.DisallowNone,
        tyro.conf.PositionalMetavarFromFieldName,
    )
    if "--position" in words[:-1]:  # a board string may begin with "-", which would be taken for an option
        at = words.index("--position")
        words = [*words[:at], f"--position={words[at + 1]}", *words[at + 2 :]]
    target = getattr(importlib.import_module(f"zeroply.cli.{module}"), command.replace("-", "_"))
    choosing: tuple[str, ...] = ()
    if hasattr(target, "pick"):
        (target, words), choosing = target.pick(words), ("--preset",)
    words, in_rows = _without_csv(target, command, words)
    with choosing_csv(in_rows), wrapped_help(target, words), in_a_sentence(target, words, choosing):
        if isinstance(target, dict):
            tyro.extras.subcommand_cli_from_dict(target, prog=f"zeroply {command}", args=words, config=style)
        else:
            tyro.cli(target, prog=f"zeroply {command}", args=words, config=style)


def _without_csv(target: Any, command: str, words: list[str]) -> tuple[list[str], bool]:
    """The words with `--json` in place of `--csv`, and whether CSV was asked for; commands without JSON refuse it."""
    from zeroply.cli.csv_output import CSV
    from zeroply.cli.parsing import options_of

    if CSV not in words:
        return words, False
    part = target.get(words[0]) if isinstance(target, dict) else target
    if part is None:
        return words, False
    if "--json" not in options_of(part):
        name = f"{command} {words[0]}" if isinstance(target, dict) else command
        raise ZeroplyError(f"{name} has no option {CSV}: see zeroply {name} --help")
    return [word for word in words if word not in (CSV, "--json")] + ["--json"], True


def contents() -> str:
    """The table of contents that `zeroply --help` prints."""
    width = max(map(len, COMMANDS)) + 2
    lines = [
        "zeroply: players of Othello, Gomoku, Atari-Go and Hex without look-ahead",
        "",
        "usage: zeroply COMMAND [options]    zeroply COMMAND --help explains a command",
        "       zeroply --import MODULE COMMAND [options]    with a plug-in",
        "",
        *(f"  {name:<{width}}{help_line}" for name, (_, help_line) in COMMANDS.items()),
        "",
        "examples:",
        *(f"  {example}" for example in EXAMPLES),
    ]
    return "\n".join(lines)
