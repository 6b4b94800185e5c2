"""Games, players and nets from outside: --import, zeroply.toml, entry points; what needs them says so."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

import zeroply as zp
from zeroply import nets, plugins
from zeroply.cli.main import main
from zeroply.errors import ZeroplyError
from zeroply.examples.build import build
from zeroply.nets.encodings import PLANES
from zeroply.nets.own import modules_of
from zeroply.specs import parse

EXAMPLES = Path(__file__).parents[1] / "examples"
PLAYER = '''
"""A player that always takes the last legal cell."""
import numpy as np
from zeroply.players import PLAYERS, Player

class Last(Player):
    """Prefers cells by their number."""
    def prefer(self, positions):
        cells = np.arange(positions.game.cells, dtype=np.float32)
        return np.where(positions.legal(), cells, -np.inf).astype(np.float32)

@PLAYERS.register("last")
def last(game):
    """Takes the last legal cell."""
    return Last(game)
'''


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a module that registers a player."""
    (tmp_path / "my_players.py").write_text(PLAYER)
    return tmp_path


def zeroply(folder: Path, *words: str, code: int = 0, path: str = "", given: str = "") -> str:
    """What the command prints in a folder: its output, or its error if it must fail."""
    done = subprocess.run(
        [sys.executable, "-m", "zeroply", *words],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "COLUMNS": "80", "PYTHONPATH": path, "HOME": str(folder)},
        input=given,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return done.stderr if code else done.stdout


MATCH = ("match", "last", "random", "--game", "gomoku(size=5)", "--games", "4", "--json")


def test_a_module_adds_a_player_to_every_command(project: Path) -> None:
    before = zeroply(project, "--import", "my_players", *MATCH)
    assert json.loads(before)["games"] == 4
    assert json.loads(zeroply(project, *MATCH, "--import=my_players")) == json.loads(before)
    assert "unknown player 'last'" in zeroply(project, *MATCH, code=2)


def test_a_project_file_names_modules(project: Path) -> None:
    (project / "zeroply.toml").write_text('import = ["my_players"]\n')
    assert json.loads(zeroply(project, *MATCH))["games"] == 4


def test_an_installed_package_adds_entries_by_entry_points(project: Path, tmp_path: Path) -> None:
    info = project / "site" / "mine-1.0.dist-info"
    info.mkdir(parents=True)
    (project / "my_players.py").rename(project / "site" / "my_players.py")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    points = "[zeroply.players]\nlast = my_players:last\nrandom = my_players:last\nbroken = nowhere:nothing\n"
    (info / "entry_points.txt").write_text(points.replace("last = my_players:last\n", "late = my_players:last\n", 1))
    late = [word.replace("last", "late") for word in MATCH]
    assert json.loads(zeroply(project, *late, path=str(project / "site")))["games"] == 4
    broken = [word.replace("last", "broken") for word in MATCH]
    said = zeroply(project, *broken, code=2, path=str(project / "site"))
    assert "player broken of an installed package cannot be used: No module named 'nowhere'" in said


PACKAGE = '''
"""One of everything."""
from dataclasses import dataclass
import numpy as np
from zeroply import _core
from zeroply.games.array_rules import ArrayRules, array_game
from zeroply.learning.strategies.mu_lambda import elitist
from zeroply.nets.mlp import Mlp
from zeroply.players.simple import NaivePlayer
from zeroply.search import Evaluation
from zeroply.studies import Report, Study, Unit

@array_game("line")
@dataclass(frozen=True)
class Line(ArrayRules):
    """A full row wins."""
    size = 4
    def legal(self, boards, sides):
        return boards == 0
    def winner(self, boards):
        rows = boards.sum(axis=2)
        return (rows == 4).any(axis=1).astype(int) - (rows == -4).any(axis=1)

def careful(game):
    """Wins at once if it can."""
    return NaivePlayer(game)

def small(game, units: int = 2):
    """A small perceptron."""
    return Mlp(game, units)

def plain(setup):
    """The strategy of the paper."""
    return elitist(setup)

def rows(game):
    """Open lines."""
    return Evaluation(game, _core.open_lines())

class Count(Study):
    """Counts."""
    name, title, source, packages = "own.count", "A count", "nowhere", ()
    def units(self, scale, seeds):
        return [Unit("one")]
    def measure(self, unit, progress):
        return {"number": 1}
    def findings(self, units, scale):
        return Report("Counted.", [], [])

class Parrot:
    """Says what it hears."""
    game = "line"
    def __init__(self, wire, session):
        self.wire, self.session = wire, session
    def serve(self):
        for line in self.wire.lines():
            self.wire.say(f"{line} {self.session.game}")
'''
POINTS = {
    "games": "line = one_of_all:Line",
    "players": "careful = one_of_all:careful",
    "population_nets": "small = one_of_all:small",
    "strategies": "plain = one_of_all:plain",
    "evaluations": "rows = one_of_all:rows",
    "studies": "count = one_of_all:Count",
    "protocols": "parrot = one_of_all:Parrot",
}
PAGE = """
import json
from fastapi.testclient import TestClient
from zeroply.web.server.app import create_app
with TestClient(create_app(None, []), base_url="http://127.0.0.1") as client:
    games = [game["name"] for game in client.get("/api/games").json()]
    studies = [study["name"] for study in client.get("/api/studies").json()]
    move = client.post("/api/move", json={"game": "line", "moves": [], "player": "careful"})
    move = move.status_code, client.post("/api/move", json={"game": "line", "moves": [], "player": "naive"}).status_code
print(json.dumps([games, "own.count" in studies, move]))
"""


@pytest.fixture
def site(tmp_path: Path) -> str:
    """A folder with an installed package that has something for every group."""
    info = tmp_path / "site" / "one_of_all-1.0.dist-info"
    info.mkdir(parents=True)
    (tmp_path / "site" / "one_of_all.py").write_text(PACKAGE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: one_of_all\nVersion: 1.0\n")
    points = [f"[zeroply.{group}]\n{point}\n" for group, point in POINTS.items()]
    (info / "entry_points.txt").write_text("".join(points))
    return str(tmp_path / "site")


def test_entry_points_of_every_group_work_in_runs_workers_and_resuming(tmp_path: Path, site: str) -> None:
    evolve = ("evolve", "--game", "line", "--net", "small(units=3)", "--strategy", "plain", "--opponents", "careful")
    workers = {"a": (), "b": ("--processes", "2"), "c": ("--cluster", "local:1")}
    for run, options in workers.items():
        zeroply(tmp_path, *evolve, "--generations", "2", "--seed", "1", "--run", run, *options, path=site)
    champions = [load_file(tmp_path / run / "champion.safetensors")["vector"] for run in workers]
    assert all(np.array_equal(champions[0], one) for one in champions)
    zeroply(tmp_path, "resume", "a", path=site)
    match = ("match", "net('a/champion.safetensors')", "random", "--game", "line", "--games", "10", "--json")
    assert json.loads(zeroply(tmp_path, *match, path=site))["games"] == 10
    said = " ".join(zeroply(tmp_path, *match, code=2).split())
    assert "unknown game 'line'" in said
    said = " ".join(zeroply(tmp_path, "match", match[1], "random", code=2).split())
    assert "needs the module one_of_all: import it in Python, or use zeroply --import one_of_all" in said


def test_a_study_in_an_imported_module_is_found(tmp_path: Path) -> None:
    words = ("study", "run", "own.first-move", "--json")
    told = zeroply(tmp_path, "--import", "own_study", *words, path=str(EXAMPLES))
    assert '"hex(size=5)"' in told or "own.first-move" in told
    report = (tmp_path / "results" / "own.first-move" / "smoke-1" / "report.md").read_text()
    assert "Moving first helps on a small board of Hex" in report
    assert "needs the module own_study: import it in Python" in zeroply(tmp_path, *words, code=2)
    (tmp_path / "elsewhere").mkdir()
    assert "unknown study 'own.first-move'" in zeroply(tmp_path / "elsewhere", *words, code=2)


def test_entry_points_of_every_group_work_in_search_studies_engines_and_the_page(tmp_path: Path, site: str) -> None:
    search = ("match", "alphabeta(depth=1, eval=rows)", "random", "--game", "gomoku(size=5)", "--games", "4", "--json")
    assert json.loads(zeroply(tmp_path, *search, path=site))["games"] == 4
    assert "own.count" in zeroply(tmp_path, "study", "list", path=site)
    zeroply(tmp_path, "study", "run", "own.count", path=site)
    assert "Counted." in (tmp_path / "results" / "own.count" / "smoke-1" / "report.md").read_text()
    engine = ("engine", "--protocol", "parrot", "--player", "careful")
    assert zeroply(tmp_path, *engine, path=site, given="hello\n") == "hello line"
    assert "unknown protocol 'parrot': choose from cassio, gomocup, gtp, nboard" in zeroply(tmp_path, *engine, code=2)
    done = subprocess.run(
        [sys.executable, "-c", PAGE], env={**os.environ, "PYTHONPATH": site}, capture_output=True, text=True, check=True
    )
    games, study, moves = json.loads(done.stdout.splitlines()[-1])
    assert games[-1] == "line"
    assert study
    assert moves == [400, 200]  # the game is the operator's, but browsers name only players of the list


def test_worker_processes_import_the_modules_and_a_run_asks_for_them(project: Path) -> None:
    evolve = ("evolve", "--game", "gomoku(size=5)", "--opponents", "last", "--generations", "1", "--json")
    words = ("--import", "my_players", *evolve, "--seed", "1")
    zeroply(project, *words, "--run", "a")
    zeroply(project, *words, "--run", "b", "--processes", "2")
    alone, several = (nets.load(project / run / "champion.safetensors", "gomoku(size=5)").weights for run in "ab")
    assert {name: array.tobytes() for name, array in alone.items()} == {
        name: array.tobytes() for name, array in several.items()
    }
    said = " ".join(zeroply(project, "resume", "b", code=2).split())
    assert said == (
        "zeroply: b needs the module my_players: import it in Python, or use zeroply --import my_players resume b"
    )
    zeroply(project, "--import", "my_players", "resume", "b")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--import", "nonesuch", "games"], "cannot import nonesuch: there is no such module here"),
        (["games", "--import"], "--import needs the name of a module"),
    ],
)
def test_bad_imports_are_one_sentence(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize("text", ["import = 3", "import = [1]", "imports = []", "import ="])
def test_a_bad_project_file_is_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "zeroply.toml").write_text(text)
    with pytest.raises(ZeroplyError, match=r"zeroply\.toml"):
        plugins.of_project(tmp_path)


def test_a_module_that_fails_is_named(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "fails_here.py").write_text("1 / 0\n")
    monkeypatch.syspath_prepend(str(project))
    with pytest.raises(ZeroplyError, match="cannot import fails_here: ZeroDivisionError"):
        plugins.use(["fails_here"])
    assert "fails_here" not in plugins.imported()


def test_a_module_is_imported_once_and_the_project_may_name_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "counted.py").write_text("import sys; sys.counted = getattr(sys, 'counted', 0) + 1")
    (tmp_path / "zeroply.toml").write_text('import = ["counted"]')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if folder])
    monkeypatch.setattr(plugins, "IMPORTED", [])
    monkeypatch.setattr(sys, "counted", 0, raising=False)
    for _ in range(2):
        plugins.use(plugins.of_project(tmp_path))
    assert plugins.imported() == ["counted"]
    assert vars(sys)["counted"] == 1
    del sys.modules["counted"]


def test_a_torch_module_becomes_a_net(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")

    class Sums(torch.nn.Module):  # type: ignore[misc, name-defined]
        """The sum of all planes, and as many outputs."""

        def __init__(self, planes: int, size: int, outputs: int, times: float = 1.0) -> None:
            super().__init__()
            self.times = torch.nn.Parameter(torch.tensor([times]))
            self.shape = (planes, size, outputs)

        def forward(self, board: Any) -> Any:
            return self.times * board.sum(dim=(1, 2, 3))[:, None].expand(-1, self.shape[2])

    for name in ("_entries", "_targets"):
        monkeypatch.setattr(nets.NETS, name, dict(vars(nets.NETS)[name]))
    nets.architecture("sums", encoding="vmoves", output="value")(Sums)
    net, board = nets.untrained("sums(times=2)", "gomoku(size=5)"), zp.game("gomoku(size=5)").replay([3, 4, 5])
    assert net.module.net.shape == (len(PLANES["vmoves"]), 5, 1)
    assert net.outputs(board) == pytest.approx(2 * board.planes(PLANES["vmoves"]).sum())
    entry = nets.NETS.entry("sums")
    assert [one.name for one in entry.own] == ["times"]
    assert modules_of(parse("bag(net=sums(times=3))"), zp.game("othello")) == [Path(__file__).stem]
    assert modules_of(parse("bag(net=conv4)"), zp.game("othello")) == []
    with pytest.raises(ZeroplyError, match="net sums has no key 'size'"):
        nets.untrained("sums(size=3)", "othello")


OWN_NET = """
import json, sys
from pathlib import Path
import numpy as np
import own_net
import zeroply as zp
from zeroply import plugins
from zeroply.nets import load
from zeroply.nets.modules.initialise import initialised
from zeroply.runs.run import Run

folder = Path(sys.argv[1])
plugins.use(["own_net"])
first, again = (initialised("senet(blocks=1, maps=8)", "othello", 3).weights for _ in range(2))
bias = "net.body.0.bias"
own = {
    "repeats": all(np.array_equal(first[name], again[name]) for name in first),
    "own initialisation": bool((first[bias] != 0).all()),  # zeroply's own nets begin with 0
}
settings = dict(net="senet(blocks=1, maps=8)", data=str(folder / "sets"), epochs=0.02, evaluations=0, measured=50,
                seed=1, threads=1)
own["killed"] = not Run.read(folder / "killed").finished
whole = zp.train(**settings, run=folder / "whole")
killed = zp.resume(folder / "killed")
a, b = (load(str(file), "othello") for file in (whole, killed))
own["resumed exactly"] = all(np.array_equal(a.weights[name], b.weights[name]) for name in a.weights)
openings = {"openings": "random(plies=6)", "games": 20, "seed": 1}
own["rated"] = zp.match(f"net('{killed}')", "random", **openings).score >= 0  # it plays; examples/own_net.py learns
print(json.dumps(own))
"""


def test_an_own_net_trains_is_rated_and_resumes_after_a_kill(tmp_path: Path) -> None:
    build("shipped", tmp_path / "sets")
    path = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(EXAMPLES), "HOME": str(tmp_path), "OMP_WAIT_POLICY": "passive"}
    train = ["--import=own_net", "train", "senet(blocks=1, maps=8)", "--data", str(tmp_path / "sets"), "--epochs=0.02"]
    train += ["--evaluations=0", "--measured=50", "--seed=1", "--threads=1", "--run", str(tmp_path / "killed")]
    training = subprocess.Popen(
        [sys.executable, "-m", "zeroply", *train], env=path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    events = tmp_path / "killed" / "events.jsonl"
    while not events.exists() or "progress" not in events.read_text():
        assert training.poll() is None, training.communicate()[1]
        time.sleep(0.01)
    training.kill()
    training.communicate()
    done = subprocess.run(
        [sys.executable, "-c", OWN_NET, str(tmp_path)],
        env=path,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    own = json.loads(done.stdout.splitlines()[-1])
    assert own == dict.fromkeys(("repeats", "own initialisation", "killed", "resumed exactly", "rated"), True)
    said = " ".join(zeroply(tmp_path, "show", "othello", "--player", "net('whole/net.safetensors')", code=2).split())
    assert "needs the module own_net: import it in Python, or use zeroply --import own_net" in said
