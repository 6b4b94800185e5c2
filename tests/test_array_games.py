"""Games in NumPy: Connect Four of examples/ does all that games of the core do; wrong rules are named in a sentence.

Modules that register games are used in processes of their own: other tests go through all registered games.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from zeroply import plugins
from zeroply.errors import ZeroplyError
from zeroply.games import GAMES, Game, conformance
from zeroply.games.array_rules import ArrayRules, Boards, Sides, game_of
from zeroply.nets import load
from zeroply.runs.run import Run

EXAMPLES = Path(__file__).parents[1] / "examples"
EVOLVE = ("evolve", "--game", "connect_four", "--net", "mdrnn(k=3)")


def started(folder: Path, *words: str, module: str = "connect_four") -> subprocess.Popen[str]:
    """A command that imports the example, started in a folder."""
    return subprocess.Popen(
        [sys.executable, "-m", "zeroply", *(("--import", module) if module else ()), *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(EXAMPLES), "COLUMNS": "80"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def zeroply(folder: Path, *words: str, code: int = 0, module: str = "connect_four") -> str:
    """What a command prints: its output, or its error if it must fail."""
    process = started(folder, *words, module=module)
    out, err = process.communicate(timeout=300)
    assert process.returncode == code, err
    return err if code else out


def python(folder: Path, text: str) -> Any:
    """What a program that may import the example prints, read as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", text, str(folder)],
        env={**os.environ, "PYTHONPATH": str(EXAMPLES)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


RULES = """
import json
import numpy as np
import zeroply as zp
import connect_four
from zeroply import chance
from zeroply.games import conformance

told = {}
for spec in ("connect_four", "connect_four(rows=4)", "connect_four(rows=7)"):
    conformance.check(spec)
game = zp.game("connect_four")
told["perft"] = [game.perft(depth) for depth in range(7)]
drawing = game.replay("d1d2c1").svg()
told["draws"] = drawing.startswith("<svg") and "Black (X)" not in drawing
told["symmetric"] = game.replay("a1").symmetry(1) == game.replay("g1")
first, second = (zp.match("naive", "random", game=game, games=200, seed=1) for _ in range(2))
told["repeats"] = str(first) == str(second)
told["naive"] = first.score
try:
    import pyspiel
except ModuleNotFoundError:
    told["agrees"] = None
else:
    n = 100
    rules = pyspiel.load_game("connect_four")
    states, positions = [rules.new_initial_state() for _ in range(n)], game.start(n)
    while not positions.over().all():
        moves = conformance.random_moves(positions, int(positions.move_number().max()))
        positions.play(moves)
        for state, move in zip(states, moves.tolist()):
            if move >= 0:
                state.apply_action(move % 7)
        legal = [sorted((np.flatnonzero(row) % 7).tolist()) for row in positions.legal()]
        assert legal == [state.legal_actions() if not state.is_terminal() else [] for state in states]
    told["agrees"] = [state.returns()[0] for state in states] == positions.winner().tolist()
print(json.dumps(told))
"""


def test_connect_four_conforms_and_has_the_published_number_of_move_sequences(tmp_path: Path) -> None:
    told = python(tmp_path, RULES)
    assert told.pop("perft") == [1, 7, 49, 343, 2401, 16807, 117649]  # OEIS A212693
    assert 0.65 < told.pop("naive") < 0.85
    assert told.pop("agrees") in (True, None)  # OpenSpiel plays the same games, if it is installed
    assert told == {"draws": True, "symmetric": True, "repeats": True}


def test_it_evolves_and_a_killed_run_ends_where_it_would_have(tmp_path: Path) -> None:
    words = (*EVOLVE, "--generations", "6", "--seed", "1")
    zeroply(tmp_path, *words, "--run", "whole", "--processes", "2")
    process = started(tmp_path, *words, "--run", "killed")
    while not any("generation" in line for line in lines_of(tmp_path / "killed" / "events.jsonl")):
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert not Run.read(tmp_path / "killed").finished
    said = " ".join(zeroply(tmp_path, "resume", "killed", code=2, module="").split())
    assert said.endswith("import it in Python, or use zeroply --import connect_four resume killed")
    zeroply(tmp_path, "resume", "killed")
    whole, killed = (load_file(tmp_path / run / "champion.safetensors") for run in ("whole", "killed"))
    assert np.array_equal(whole["vector"], killed["vector"])
    with pytest.raises(ZeroplyError, match="needs the module connect_four: import it in Python, or use zeroply --imp"):
        load(tmp_path / "whole" / "champion.safetensors", "othello")
    net = "net('whole/champion.safetensors')"
    match = json.loads(zeroply(tmp_path, "match", net, "random", "--game", "connect_four", "--seed", "1", "--json"))
    assert match["games"] == 100


def lines_of(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []


def test_every_command_knows_it(tmp_path: Path) -> None:
    league = ("league", "naive", "random", "--game", "connect_four", "--games", "10", "--save", "games.txt", "--json")
    rated = json.loads(zeroply(tmp_path, *league))
    assert "naive" in json.dumps(rated)
    assert zeroply(tmp_path, "records", "stats", "games.txt").split()[:3] == ["connect_four(rows=6)", "games", "10"]
    for words, says in (
        (
            ("match", "naive", "random", "--game", "connect_four", "--save", "a.sgf"),
            "SGF has no number for connect_four",
        ),
        (("analyse", "games.txt"), "search needs rules in the core, and those of connect_four are written in Python"),
        (("show", "connect_four(rows=9)"), "connect_four has from 4 to 7 rows, not 9"),
    ):
        assert says in " ".join(zeroply(tmp_path, *words, code=2).split())


ENGINE = ("--player", "naive", "--game", "connect_four")
GTP = "boardsize 7\nplay b D1\ngenmove w\nplay b A7\nquit\n"


def test_it_is_played_by_gtp(tmp_path: Path) -> None:
    process = subprocess.run(
        [sys.executable, "-m", "zeroply", "--import=connect_four", "engine", *ENGINE],
        env={**os.environ, "PYTHONPATH": str(EXAMPLES)},
        input=GTP,
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    said = process.stdout.split("\n\n")
    assert said[2] in [f"= {cell}" for cell in ("a1", "b1", "c1", "d2", "e1", "f1", "g1")]
    assert said[:2] == ["=", "="]
    assert said[3] == "? illegal move"


PAGE = """
import json, sys
from fastapi.testclient import TestClient
from zeroply import plugins
plugins.use(["connect_four"])  # what `zeroply --import connect_four web` does
from zeroply.web.server.app import create_app

told = {}
with TestClient(create_app(None, [], ["naive(temperature=1)"]), base_url="http://127.0.0.1") as client:
    def ask(path, **question):
        answer = client.post("/api/" + path, json={"game": "connect_four", **question})
        assert answer.status_code == 200, answer.text
        return answer.json()

    listed = {game["name"]: game for game in client.get("/api/games").json()}
    told["first"] = next(iter(listed))
    told["title"] = listed["connect_four"]["title"]
    told["rows"] = listed["connect_four"]["options"][0]["values"]
    told["players"] = [one["player"] for one in client.get("/api/players?game=connect_four").json()]
    moves, position = [], ask("position", moves=[])
    while not position["over"]:
        player = "naive" if len(moves) % 2 else "random"
        position = ask("move", moves=moves, player=player, seed=len(moves))["position"]
        moves = [turn["cell"] for turn in position["turns"]]
    told["status"] = position["status"]
    told["graph"] = ask("graph", moves=moves)
    refused = client.post("/api/position", json={"game": "my_module:game", "moves": []})
    told["refused"] = refused.status_code
    text = "d1d2c1"
    told["record"] = client.post("/api/record", json={"text": text, "game": "connect_four"}).json()["moves"]
print(json.dumps(told))
"""


def test_the_page_offers_what_its_operator_imported(tmp_path: Path) -> None:
    told = python(tmp_path, PAGE)
    assert told["first"] == "othello"
    assert told["title"] == "Connect Four"
    assert told["rows"] == [4, 5, 6, 7]
    assert told["players"] == ["given(1)", "random", "naive"]
    assert "has won" in told["status"] or told["status"] == "drawn"
    assert told["graph"]["values"] == []
    assert "written in Python" in told["graph"]["about"]
    assert told["refused"] == 400
    assert told["record"] == [45, 38, 44]


# Rules of other kinds, and wrong ones


@dataclass(frozen=True)
class Line(ArrayRules):
    """A plain game on a 4x4 board: stones anywhere, a full top row of one colour wins."""

    wrong: str = "nothing"
    size = 4

    def legal(self, boards: Boards, sides: Sides) -> Any:
        if self.wrong == "type":
            return None
        return (boards >= 0) if self.wrong == "stone" else boards == 0

    def winner(self, boards: Boards) -> Any:
        if self.wrong == "shape":
            return boards
        row = boards[:, 0]
        return (row == 1).all(axis=1).astype(np.int8) - (row == -1).all(axis=1)

    def play(self, boards: Boards, sides: Sides, rows: Any, columns: Any) -> Boards:
        if self.wrong == "change":
            boards[:] = 0
        after = super().play(boards, sides, rows, columns)
        if self.wrong == "two":
            after[:, 3, 3] = 1
        return after


@dataclass(frozen=True)
class Surround(ArrayRules):
    """Othello in NumPy, cell by cell: passes, flips and counts."""

    size: int = 6
    symmetries = tuple(range(8))
    passes = True
    margin = "discs"

    def start(self) -> Boards:
        board, half = np.zeros((self.size, self.size), np.int8), self.size // 2
        board[half - 1 : half + 1, half - 1 : half + 1] = [[-1, 1], [1, -1]]
        return board

    def flipped(self, board: Boards, side: int, row: int, column: int) -> list[tuple[int, int]]:
        found = []
        for down, right in ((a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b):
            line, r, c = [], row + down, column + right
            while 0 <= r < self.size and 0 <= c < self.size and board[r, c] == -side:
                line.append((r, c))
                r, c = r + down, c + right
            if 0 <= r < self.size and 0 <= c < self.size and board[r, c] == side:
                found += line
        return found

    def legal(self, boards: Boards, sides: Sides) -> Any:
        out = np.zeros(boards.shape, np.bool_)
        for i, row, column in np.argwhere(boards == 0):
            out[i, row, column] = bool(self.flipped(boards[i], int(sides[i]), row, column))
        return out

    def winner(self, boards: Boards) -> Any:
        return np.zeros(len(boards), np.int8)

    def score(self, boards: Boards) -> Any:
        return boards.sum(axis=(1, 2), dtype=np.int32)

    def play(self, boards: Boards, sides: Sides, rows: Any, columns: Any) -> Boards:
        after = super().play(boards, sides, rows, columns)
        for i, (side, row, column) in enumerate(zip(sides, rows, columns, strict=True)):
            for cell in self.flipped(boards[i], int(side), row, column):
                after[i][cell] = side
        return after


@pytest.mark.parametrize("size", [4, 6])
def test_othello_in_numpy_is_othello(size: int) -> None:
    """Passes, flips, counts and the start of a batch follow from the functions of the rules."""
    ours, core = game_of("surround", Surround(size)), GAMES.build(f"othello(size={size})")
    mine, theirs = ours.start(60), core.start(60)
    passes = 0
    while not theirs.over().all():
        before = theirs.to_move()
        moves = conformance.random_moves(theirs, int(theirs.move_number().max()))
        assert np.array_equal(mine.legal(), theirs.legal())
        mine.play(moves)
        theirs.play(moves)
        passes += int(((before == theirs.to_move()) & ~theirs.over()).sum())
        for name in ("stones", "over", "to_move", "winner", "move_number", "last_move"):
            assert np.array_equal(getattr(mine, name)(), getattr(theirs, name)()), name
    assert passes
    assert np.array_equal(mine.score(), theirs.score())
    assert [ours.perft(depth) for depth in range(6)] == [core.perft(depth) for depth in range(6)]


def line(wrong: str) -> Game:
    return game_of("line", Line(wrong))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("type", r"legal must return an array of whole numbers or booleans of shape \(1, 4, 4\), not NoneType"),
        ("shape", r"winner must return .* of shape \(1,\), not int8 of shape \(1, 4, 4\)"),
        ("two", "play must add exactly one stone to the board"),
        ("stone", "legal allows a move on a stone"),
    ],
)
def test_wrong_rules_are_named(wrong: str, says: str) -> None:
    with pytest.raises(ZeroplyError, match=f"the rules of line are wrong: {says}"):
        line(wrong).start().play([0])


def test_rules_cannot_change_the_boards_they_are_given() -> None:
    positions = line("change").start(3)
    with pytest.raises(ValueError, match="read-only"):
        positions.play([1, 2, 3])
    assert not positions.stones().any()


TURNED = """
import json
from dataclasses import dataclass
from connect_four import ConnectFour
from zeroply.games import conformance
from zeroply.games.array_rules import array_game

@array_game("turned")
@dataclass(frozen=True)
class Turned(ConnectFour):
    '''Connect Four on its side?'''
    symmetries = (0, 4)

try:
    conformance.check("turned")
except conformance.ConformanceError as error:
    print(json.dumps(str(error)))
"""


def test_a_symmetry_that_the_rules_lack_is_found(tmp_path: Path) -> None:
    assert "turned breaks the property 'symmetries keep the rules': legal does not" in python(tmp_path, TURNED)


def test_only_the_operator_imports() -> None:
    assert "connect_four" not in plugins.imported()
    assert "connect_four" not in GAMES
