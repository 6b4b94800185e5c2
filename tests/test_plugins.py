"""Games, players and nets from outside: --import, zeroply.toml, entry points; what needs them says so."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import zeroply as zp
from zeroply import nets, plugins
from zeroply.cli.main import main
from zeroply.errors import ZeroplyError
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


def zeroply(folder: Path, *words: str, code: int = 0, path: str = "") -> str:
    """What the command prints in a folder: its output, or its error if it must fail."""
    done = subprocess.run(
        [sys.executable, "-m", "zeroply", *words],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "COLUMNS": "80", "PYTHONPATH": path, "HOME": str(folder)},
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
    monkeypatch.setattr(plugins, "_imported", [])
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
    assert modules_of(parse("bag(net=sums(times=3))")) == [Path(__file__).stem]
    assert modules_of(parse("bag(net=conv4)")) == []
    with pytest.raises(ZeroplyError, match="net sums has no key 'size'"):
        nets.untrained("sums(size=3)", "othello")


OWN_NET = """
import json, sys
from pathlib import Path
import numpy as np
import own_net
import zeroply as zp
from zeroply import plugins
from zeroply.examples.build import build
from zeroply.nets import load, untrained
from zeroply.nets.modules.initialise import initialised
from zeroply.studies.running import run_study

folder = Path(sys.argv[1])
plugins.use(["own_net"])
first, again = (initialised("senet(blocks=1, maps=8)", "othello", 3).weights for _ in range(2))
bias = "net.body.0.bias"
own = {
    "repeats": all(np.array_equal(first[name], again[name]) for name in first),
    "own initialisation": bool((first[bias] != 0).all()),  # zeroply's own nets begin with 0
}
build("shipped", folder / "sets")
settings = dict(net="senet(blocks=1, maps=8)", data=str(folder / "sets"), epochs=0.005, evaluations=0, measured=50,
                seed=1, threads=1)

def interrupt(done, total, text="", /):
    if done:
        raise KeyboardInterrupt

try:
    zp.train(**settings, run=folder / "killed", progress=interrupt)
except KeyboardInterrupt:
    own["interrupted"] = True
whole = zp.train(**settings, run=folder / "whole")
killed = zp.resume(folder / "killed")
a, b = (load(str(file), "othello") for file in (whole, killed))
own["resumed exactly"] = all(np.array_equal(a.weights[name], b.weights[name]) for name in a.weights)
report = run_study("L.table5", folder=folder / "results", also=["senet(blocks=1, maps=8)"])
own["rows"] = [row["net"] for row in report.tables[0].rows]
print(json.dumps(own))
"""


def test_an_own_net_trains_resumes_and_joins_a_study(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", OWN_NET, str(tmp_path)],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(EXAMPLES), "HOME": str(tmp_path), "OMP_WAIT_POLICY": "passive"},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    own = json.loads(done.stdout.splitlines()[-1])
    rows = own.pop("rows")
    assert rows[0] == "Conv8"
    assert rows[-1] == "senet(blocks=1, maps=8)"
    assert len(rows) == 5
    assert own == {"repeats": True, "own initialisation": True, "interrupted": True, "resumed exactly": True}
    said = " ".join(zeroply(tmp_path, "show", "othello", "--player", "net('whole/net.safetensors')", code=2).split())
    assert "needs the module own_net: import it in Python, or use zeroply --import own_net" in said
