"""`zeroply champion`: the best net of a generation of a run as a net file, which then plays like any other net."""

from __future__ import annotations

from pathlib import Path

from tyro.conf import Positional

from zeroply.cli.arguments import Json, Overwrite
from zeroply.cli.output import console, counted, print_json
from zeroply.errors import ZeroplyError
from zeroply.files import check_new
from zeroply.learning.champions import champions, player_of
from zeroply.nets.files import SUFFIX


def champion(
    run: Positional[Path], out: Path, generation: int | None = None, overwrite: Overwrite = False, json: Json = False
) -> None:
    """Write the champion of a generation of `zeroply evolve` or `zeroply coevolve`; the run may be unfinished.

    Most runs save the champions of all generations. Runs of coevolve --preset lin-white save one every 500
    generations, which --save-every changes, and the last one.

    Example: zeroply champion runs/atari --generation 20 --out early.safetensors

    Args:
        run: Folder of the run.
        out: Net file to write, .safetensors.
        generation: Generation with a saved champion; by default the last.
    """
    if out.suffix != SUFFIX:
        raise ZeroplyError(f"the name of a net file ends in {SUFFIX}, unlike {out}")
    check_new(out, overwrite)
    saved = champions(run)
    path = saved.save(out, generation)
    number = generation or saved.numbers[-1]
    if json:
        print_json({"file": str(path), "player": str(player_of(path)), "generation": number, "of": saved.numbers[-1]})
        return
    of = counted(saved.numbers[-1], "generation")
    console.print(f"champion {number} of {of}, to be played as {player_of(path)}", markup=False)
