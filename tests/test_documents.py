"""The README and the documentation are true: their Python runs, their commands exit with 0, their links lead somewhere.

Python blocks share one namespace, in order; those with `>>>` are compared with what they print. Of console blocks the
lines `$ zeroply ...` are run in one folder, in order; others (make, pip, git, cd) are for people. A JSON block with the
name of a file, such as `json mine.json`, is that file.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import zeroply as zp
from zeroply.cli.main import main
from zeroply.studies.liskowski.strength import OPENINGS, SUITE

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted(set((ROOT / "docs").rglob("*.md")) - set((ROOT / "docs/results").rglob("*")))]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
FOLLOWED = [name for name in NAMES if not name.startswith("docs/nets/")]
"""The pages whose commands people follow; cards of nets tell what was done, with commands that take hours."""
SHORTENED: dict[str, tuple[str, int | float]] = {
    "match": ("--games", 10),
    "league": ("--games", 10),
    "train": ("--epochs", 0.02),
}
"""Options of commands that are lowered to a number."""
ADDED: dict[tuple[str, ...], tuple[str, ...]] = {
    ("train",): ("--evaluations", "1", "--evaluated", "200", "--measured", "500"),
    ("bench", "web"): ("--clients", "2", "--games", "1"),
    ("bench", "games"): ("--seconds", "0.01"),
    ("bench", "moves"): ("--games", "1"),
    ("bench", "evolve"): ("--nets", "2", "--games", "2"),
}
"""Options of commands that are added, unless they are given, so that a command measures less."""
BIN = Path(sys.executable).parent
APART = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "examples"), str(ROOT / "tests")])}
"""The environment of other processes, which find the modules of the examples."""
_FENCE = re.compile(r"^(```+|~~~+)[ \t]*([\w+-]*)([^\n]*)\n(.*?)^\1[ \t]*$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A block of code of a page."""

    language: str
    name: str
    line: int
    code: str


def blocks(text: str, *languages: str) -> list[Block]:
    return [
        Block(match[2].lower(), match[3].strip(), text.count("\n", 0, match.start(4)) + 1, match[4])
        for match in _FENCE.finditer(text)
        if match[2].lower() in languages
    ]


def commands(text: str) -> list[str]:
    """The commands of console blocks that can be run here: those of zeroply."""
    result = []
    for block in blocks(text, "console", "sh", "bash", "shell", "text"):
        lines = block.code.replace("\\\n", " ").splitlines()
        prompted = any(line.startswith("$ ") for line in lines)
        for line in lines:
            command = line.removeprefix("$ ") if line.startswith("$ ") or not prompted else ""
            if command.split()[:1] in (["zeroply"], [".venv/bin/zeroply"]):
                result.append(command.strip())
    return result


def run_python(text: str, where: str) -> int:
    """Run the Python blocks of a text; the number of them."""
    namespace: dict[str, Any] = {"__name__": "__readme__"}
    result = blocks(text, "python", "py", "pycon")
    for block in result:
        if ">>>" in block.code:
            test = doctest.DocTestParser().get_doctest(block.code, namespace, where, where, block.line - 1)
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
            report: list[str] = []
            runner.run(test, out=report.append, clear_globs=False)
            assert not runner.failures, "".join(report)
            namespace = test.globs
        else:
            exec(compile("\n" * (block.line - 1) + block.code, where, "exec", dont_inherit=True), namespace)
    return len(result)


def run_command(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a zeroply command in this process: starting Python and torch would take most of the time.

    An interactive game gets `quit`, matches and measurements are shortened; a web server runs in a separate process,
    which ends when it has printed its address.
    """
    words = shlex.split(command, comments=True)
    if words[1:2] == ["web"]:
        return serve_briefly([str(BIN / "zeroply"), *(word for word in words[1:] if word != "--open")], folder)
    option, most = SHORTENED.get(words[1], ("", 0))
    if option in words:
        at = words.index(option) + 1
        words[at] = str(min(type(most)(words[at]), most))
    for name, options in ADDED.items():
        if tuple(words[1 : 1 + len(name)]) == name:
            words += [
                word for pair in zip(options[::2], options[1::2], strict=True) if pair[0] not in words for word in pair
            ]
    if "--import" in words:  # what it registers is of no concern to other tests
        return run_apart([str(BIN / "zeroply"), *words[1:]], folder)
    code, errors, threads = 0, io.StringIO(), zp.threads()
    typed, out = io.TextIOWrapper(io.BytesIO(b"quit\n")), io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    with pytest.MonkeyPatch.context() as here:
        here.chdir(folder)
        here.setenv("PATH", f"{BIN}{os.pathsep}{os.environ['PATH']}")  # the pages start zeroply as an engine
        here.setattr(sys, "stdin", typed)
        here.setattr(sys, "stdout", out)
        with contextlib.redirect_stderr(errors):
            try:
                main(words[1:])
            except SystemExit as left:
                code = left.code if isinstance(left.code, int) else int(left.code is not None)
            finally:
                zp.set_threads(threads)
    out.seek(0)
    return subprocess.CompletedProcess(words, code, out.read(), errors.getvalue())


def run_apart(words: list[str], folder: Path, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own, which finds the modules of the examples."""
    return subprocess.run(
        words,
        cwd=folder,
        env=APART,
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )


def serve_briefly(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Start a server at any port and end it; its code is 0 if it has printed its address."""
    port = [] if "--port" in words else ["--port", "0"]
    with subprocess.Popen(
        [*words, *port], cwd=folder, env=APART, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        late = threading.Timer(60, server.kill)
        late.start()
        assert server.stdout is not None
        first = server.stdout.readline()
        if "http://" in first:
            server.terminate()
        rest, errors = server.communicate()
        late.cancel()
        code = 0 if "http://" in first else server.returncode or 1
        return subprocess.CompletedProcess(words, code, first + rest, errors)


# The pages themselves


@pytest.mark.parametrize("name", [name for name in NAMES if blocks((ROOT / name).read_text(), "python")])
def test_the_python_of_a_page_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / name).read_text()
    if ".register(" in text or "@array_game(" in text:  # what it registers is of no concern to other tests
        program = f"import sys; from test_documents import run_python; run_python(sys.stdin.read(), {name!r})"
        done = run_apart([sys.executable, "-c", program], tmp_path, text)
        assert done.returncode == 0, done.stderr
    else:
        assert run_python(text, name)


@pytest.mark.parametrize("name", [name for name in FOLLOWED if commands((ROOT / name).read_text())])
def test_the_commands_of_a_page_run(name: str, tmp_path: Path) -> None:
    for block in blocks((ROOT / name).read_text(), "json"):
        if block.name:
            (tmp_path / block.name).write_text(block.code)
    for command in commands((ROOT / name).read_text()):
        done = run_command(command, tmp_path)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"


def test_the_pages_are_found() -> None:
    assert {"README.md", "docs/start.md", "docs/guides/evolution.md"} <= set(NAMES)


@pytest.mark.parametrize("page", [*PAGES, *(ROOT / "docs/results").rglob("*.md")])
def test_what_a_page_points_to_exists(page: Path) -> None:
    text = page.read_text()
    targets = re.findall(r"\]\(([^)\s#]+)[^)]*\)", text) + re.findall(r'src="([^"]+)"', text)
    local = [target for target in targets if "://" not in target]
    missing = [target for target in local if not (page.parent / target).exists()]
    assert not missing


@pytest.mark.parametrize("name", NAMES)
def test_no_command_stands_where_it_is_not_run(name: str) -> None:
    text = (ROOT / name).read_text()
    assert "zeroply " not in "".join(line for block in blocks(text, "") for line in block.code.splitlines(True))


def test_every_result_is_listed_among_the_studies() -> None:
    text = (ROOT / "docs/studies.md").read_text()
    assert all(f"results/{report.parent.name}/report.md" in text for report in ROOT.glob("docs/results/*/report.md"))


def test_the_published_files_of_studies_are_listed() -> None:
    text = (ROOT / "docs/studies.md").read_text()
    assert all(f"`{file}`" in text for file in (*SUITE.values(), f"openings/{OPENINGS}"))


# The harness can fail


def test_wrong_python_is_noticed() -> None:
    with pytest.raises(ZeroDivisionError):
        run_python("```python\nx = 1\n```\n\n```python\nx / 0\n```\n", "README")
    with pytest.raises(AssertionError, match=r"x \+ 1\s+Expected:\s+3\s+Got:\s+2"):
        run_python("```python\nx = 1\n```\n\n```python\n>>> x + 1\n3\n```\n", "README")
    assert run_python("```python\nx = 1\n```\n```pycon\n>>> x + 1\n2\n```\n```python\nassert x\n```\n", "README") == 3


def test_a_file_that_a_page_shows_has_its_name() -> None:
    shown = blocks("```json mine.json\n[[1]]\n```\n```json\n[]\n```\n", "json")
    assert [(block.name, block.line, block.code) for block in shown] == [("mine.json", 2, "[[1]]\n"), ("", 5, "[]\n")]


def test_only_commands_of_zeroply_are_run() -> None:
    text = "```sh\nmake demo   # builds\npip install .\n```\n"
    text += "```console\n$ cd x\n$ zeroply games\nname\n$ zeroply \\\n  nets\n```\n"
    assert [command.split() for command in commands(text)] == [["zeroply", "games"], ["zeroply", "nets"]]
    assert commands("```sh\nzeroply show othello  # a board\n```\n") == ["zeroply show othello  # a board"]


@pytest.mark.parametrize("command", ["zeroply teach", "zeroply web --no-such-option", "zeroply web --player 'gtp('"])
def test_a_wrong_command_is_noticed(command: str, tmp_path: Path) -> None:
    assert run_command(command, tmp_path).returncode == 2
