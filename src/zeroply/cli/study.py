"""`zeroply study`: repeat a published table or figure."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

from rich.table import Table
from tyro.conf import Positional, arg

from zeroply.cli.arguments import Json, Threads
from zeroply.cli.experiments import show
from zeroply.cli.output import console, errors, print_json, print_table, progress, set_threads
from zeroply.files import write_atomically
from zeroply.studies import Scale, Study, studies
from zeroply.studies.needs import EXTRA
from zeroply.studies.report import can_draw
from zeroply.studies.running import StudyConfig, StudyRun, UnitsLeftError, run_study
from zeroply.studies.verify import verify, with_tables

COMMITTED = Path("docs/results")
Seeds = Annotated[int, arg(help="Number of independent repetitions.")]
ResultsFolder = Annotated[Path, arg(help="Folder for the results.")]
DataFolder = Annotated[
    Path | None,
    arg(help="Folder of the published data that some studies need above smoke; by default $ZEROPLY_DATA."),
]
Device = Annotated[
    str,
    arg(help="Where nets are trained and run, such as cuda:1; by default $ZEROPLY_DEVICE, or a GPU if there is one."),
]


def study_list(json: Json = False) -> None:
    """List the studies.

    Example: zeroply study list
    """
    everything = studies()
    if json:
        print_json([{"name": one.name, "title": one.title, "source": one.source} for one in everything])
        return
    table = Table("study", "what it repeats", "source", box=None, header_style="bold", padding=(0, 2))
    for one in everything:
        table.add_row(one.name, one.title, one.source)
    console.print(table)


def study_run(
    name: Positional[str],
    scale: Scale = "smoke",
    seeds: Seeds = 1,
    results: ResultsFolder = Path("results"),
    data: DataFolder = None,
    opponent: str = "",
    reuse: Path | None = None,
    only: tuple[str, ...] = (),
    also: tuple[str, ...] = (),
    device: Device = "",
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Run a study and write its tables, figures, claims and report; run the same command again to resume.

    Example: zeroply study run S.reference --scale cpu

    Args:
        name: Name of the study; `zeroply study list` lists them.
        scale: smoke takes seconds, cpu is for two cores, paper is the published size.
        opponent: For L.table7 to L.table9, L.fig4 and L.fig5: another searching opponent than the engine, with {n} for
            its depth, such as 'edax("PROGRAM", level={n})'.
        reuse: Folder of results, such as docs/results; units measured there with the same settings are reused.
        only: Measure only the units whose names contain all these words, such as "Conv8+BN " "seed 1", and stop.
        also: For L.table5 and L.table6: architectures that get a row of their own, such as "conv6(bn=true)".
    """
    set_threads(threads)
    _use_device(device)
    _warn_without_figures()
    try:
        with progress(StudyRun.unit) as report:
            result = run_study(name, scale, seeds, results, report, data, opponent, reuse, only, also)
    except UnitsLeftError as left:
        done, total = left.args
        console.print(f"{done} of {total} units are measured; run the command without --only to measure the others")
        return
    except KeyboardInterrupt:
        errors.print("run the same command again to resume")
        raise
    show(StudyRun, result, json)


def study_verify(
    name: Positional[str],
    results: Path = COMMITTED,
    scale: Scale | None = None,
    work: Path = Path("results/verify"),
    data: DataFolder = None,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Measure a study again and compare every claim with its committed value; exit code 1 if one does not agree.

    Two values agree if their 95 % intervals overlap. At another scale only the presence of every claim is checked.

    Example: zeroply study verify S.fig2

    Args:
        name: Name of the study.
        results: Folder with the committed results.
        scale: Scale of the new measurement; by default that of the committed one, with its seeds.
        work: Folder for the new results.
    """
    set_threads(threads)
    with progress(StudyRun.unit) as report:
        compared = verify(name, results, work, scale, data, report)
    agree = not any(one.agrees is False for one in compared)
    if json:
        print_json({"study": name, "agrees": agree, "claims": [vars(one) for one in compared]})
    else:
        words = {True: "yes", False: "no", None: "not compared"}
        table = Table("claim", "committed", "now", "agrees?", box=None, header_style="bold", padding=(0, 2))
        for one in compared:
            table.add_row(one.claim, one.committed, one.again, words[one.agrees])
        console.print(table)
    if not agree:
        sys.exit(1)


def study_nets(
    name: Positional[str],
    scale: Scale = "cpu",
    seeds: Seeds = 1,
    results: ResultsFolder = Path("results"),
    data: DataFolder = None,
    device: Device = "",
    threads: int | None = None,
    json: Json = False,
) -> None:
    """List the nets that an L study trains, and estimate the time of each by timing a few steps.

    Example: zeroply study nets L.table5 --scale paper --seeds 2 --data data

    Args:
        name: Name of the study.
        scale: Scale of the study.
        threads: Threads of a training.
    """
    from zeroply.studies.liskowski.cost import costs

    set_threads(threads)
    _use_device(device)
    with progress("nets") as report:
        nets = costs(_prepared(name, scale, seeds, results, data), scale, seeds, report)
    hours = sum(one.hours for one in nets)
    if json:
        print_json({"hours": hours, "nets": [{**vars(one), "hours": one.hours} for one in nets]})
        return
    rows = [
        (one.net, str(one.seed), f"{one.examples:,}", f"{one.speed:,.0f}", f"{one.hours:.1f}", one.state)
        for one in nets
    ]
    print_table(("net", "seed", "examples", "examples/s", "hours", ""), rows, (0, 5), padding=2)
    console.print(f"\n{len(nets)} nets, {hours:,.1f} hours to go, one after the other")


def study_train(
    name: Positional[str],
    part: str = "1/1",
    scale: Scale = "cpu",
    seeds: Seeds = 1,
    results: ResultsFolder = Path("results"),
    data: DataFolder = None,
    device: Device = "",
    threads: int | None = None,
) -> None:
    """Train the nets of an L study, or a part of them, without measuring them; `study run` then finds them.

    Several parts can run at the same time, on several GPUs or machines that share the folder of results.

    Example: zeroply study train L.table6 --scale paper --part 2/4 --device cuda:1 --data data

    Args:
        name: Name of the study.
        part: k/n trains every n-th net, beginning with the k-th.
        scale: Scale of the study.
        threads: Threads of a training.
    """
    from zeroply.studies.liskowski.cost import train_part

    set_threads(threads)
    _use_device(device)
    with progress("nets") as report:
        folders = train_part(_prepared(name, scale, seeds, results, data), scale, seeds, part, report)
    for folder in folders:
        console.print(folder, soft_wrap=True, markup=False)


def _prepared(name: str, scale: Scale, seeds: int, results: Path, data: Path | None) -> Study:
    """A study that can train its nets."""
    config = StudyConfig(study=name, scale=scale, seeds=seeds)
    run = StudyRun(config, data=data, results=results)
    run.check_recordable()
    return run.study


def _use_device(name: str) -> None:
    """Train and run all nets on a device."""
    if name:
        from zeroply.nets.core_net import DEVICE
        from zeroply.nets.torch_net import device as find
        from zeroply.nets.torch_net import needs_torch

        with needs_torch():
            find(name)
        os.environ[DEVICE] = name


def study_tables(out: Path = Path("docs/studies.md"), results: Path = COMMITTED) -> None:
    """Bring the tables of a document up to date with the committed claims.

    Example: zeroply study tables

    Args:
        out: The document; the tables stand between marker comments.
        results: Folder with the committed results.
    """
    write_atomically(out, with_tables(out.read_text(), results).encode())
    console.print(f"written to {out}", style="dim", soft_wrap=True, markup=False)


def _warn_without_figures() -> None:
    if not can_draw():
        errors.print(f"no figures: matplotlib is missing, {EXTRA}", markup=False, soft_wrap=True)


study = {
    "list": study_list,
    "run": study_run,
    "nets": study_nets,
    "train": study_train,
    "verify": study_verify,
    "tables": study_tables,
}
