"""Games looked at move by move, and how human players are: the numbers are right, and the page stands on its own."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import zeroply as zp
from zeroply import records
from zeroply.analysis.agreement import agreement
from zeroply.analysis.game import analyse
from zeroply.analysis.judging import MoveScores, default_judge, default_player, for_white, judge
from zeroply.analysis.page import cells_of, graph, page
from zeroply.analysis.preferences import order, probabilities, ranks
from zeroply.cli.main import main
from zeroply.search.endings import solve_moves

OTHELLO = zp.game("othello")


@pytest.fixture(scope="module")
def game() -> zp.GameRecord:
    """A whole game of Othello."""
    return zp.match("greedy", "random", games=2, seed=4).records()[0]


# Preferences


def test_probabilities_are_those_of_the_gibbs_distribution() -> None:
    liked = np.array([0, np.log(3), -np.inf, 0], np.float32)
    assert probabilities(liked) == pytest.approx([0.2, 0.6, 0, 0.2])
    assert probabilities(liked, 0.5) == pytest.approx([1 / 11, 9 / 11, 0, 1 / 11])
    assert probabilities(np.full(3, -np.inf, np.float32)) == pytest.approx([0, 0, 0])
    assert probabilities(np.array([1e30, 2e30], np.float32)) == pytest.approx([0, 1])


def test_equals_share_a_rank_and_are_listed_by_cell() -> None:
    liked = np.array([[1, 3, -np.inf, 3, 0]], np.float32)
    assert [int(ranks(liked, np.array([cell]))[0]) for cell in (0, 1, 3, 4)] == [3, 1, 1, 4]
    assert order(liked[0]) == [1, 3, 0, 4]


# One game


def test_every_move_is_ranked_by_the_player(game: zp.GameRecord) -> None:
    with zp.player("greedy", OTHELLO) as greedy, zp.player("alphabeta(depth=1)", OTHELLO) as judging:
        found = analyse(game, greedy, judging, exact=8)
    assert [OTHELLO.notation.cell(move.move) for move in found.moves] == list(game.moves)
    assert [move.number for move in found.moves] == list(range(1, len(game.moves) + 1))
    assert all(move.rank == 1 for move in found.moves if move.colour == "black")
    assert all(move.rank <= move.legal and 0 < move.probability <= 1 for move in found.moves)
    assert min(move.loss for move in found.moves if move.loss is not None) == 0
    assert 0.5 <= found.agreement < 1


def test_losses_in_the_ending_are_exact(game: zp.GameRecord) -> None:
    with zp.player("naive", OTHELLO) as naive, zp.player("alphabeta(depth=1)", OTHELLO) as judging:
        found = analyse(game, naive, judging, exact=9)
    ending = [(i, move) for i, move in enumerate(found.moves) if move.exact]
    assert [i for i, _ in ending] == [
        i for i in range(len(found.moves)) if (found.positions[i].stones() == 0).sum() <= 9
    ]
    scores = solve_moves(found.positions[[i for i, _ in ending]])
    black = 0.0
    for row, (i, move) in zip(scores, ending, strict=True):
        assert move.loss == row.max() - row[game.moves[i]]
        assert move.value is not None
        assert move.loss is not None
        assert abs(move.value) == abs(row.max())
        assert row[OTHELLO.notation.cell(move.best)] == row.max()
        black -= move.loss if move.colour == "black" else -move.loss
    assert ending[0][1].value == game.score - black
    assert found.mean_loss("black", exact=True) is not None


def test_values_are_told_for_black() -> None:
    position = OTHELLO.replay("f5d6c3d3c4")
    with zp.player("alphabeta(depth=2, eval=pieces)", OTHELLO) as judging:
        judged = judge(position, for_white(judging), 0)
        record = zp.GameRecord(OTHELLO, tuple(OTHELLO.notation.cells("f5d6c3d3c4f4")))
        found = analyse(record, judging, judging, 0)
    assert position.to_move()[0] == -1
    assert found.moves[5].value == -judged.values[0]


@pytest.mark.parametrize("exact", [0, 8])
@pytest.mark.parametrize("judge", ["alphabeta(depth=3, eval=pattern, mode=strong)", "engine(depth=2)", "default"])
def test_a_value_is_the_next_one_and_what_the_move_loses(game: zp.GameRecord, judge: str, exact: int) -> None:
    with zp.player(default_judge(OTHELLO) if judge == "default" else judge, OTHELLO) as judging:
        moves = analyse(game, judging, judging, exact).moves
    values = [move.value for move in moves]
    losses = [move.loss if move.colour == "black" else -move.loss for move in moves if move.loss is not None]
    assert len(losses) == len(moves)
    assert all(move.loss is not None and move.loss >= 0 for move in moves)
    assert np.diff(np.array(values, float)) == pytest.approx(-np.array(losses[:-1]), abs=1e-3)
    assert values[0] is not None
    assert values[0] - sum(losses) == pytest.approx(game.score, abs=1e-2)
    for move in moves:
        assert (move.best == move.move) == (move.loss == 0)
        assert move.line[0] == move.best


def test_a_move_that_the_judge_finds_best_loses_nothing(game: zp.GameRecord) -> None:
    with zp.player("alphabeta(depth=3, eval=pattern, mode=strong)", OTHELLO) as judging:
        found = analyse(game, judging, judging, exact=6)
        best = 0
        for i, move in enumerate(found.moves):
            black = move.colour == "black"
            scores = judge(found.positions[i], judging if black else for_white(judging), 6).scores[0]
            if scores[game.moves[i]] == scores.max():
                assert move.loss == 0
                best += 1
    assert best > 10


def test_what_a_later_search_finds_holds_in_part_for_the_other_moves(game: zp.GameRecord) -> None:
    checked = 0
    with zp.player("alphabeta(depth=3, eval=mobility)", OTHELLO) as judging:
        found = analyse(game, judging, judging, 0)
        for i, move in enumerate(found.moves[:30]):
            colour = 1 if move.colour == "black" else -1
            scores = judge(found.positions[i], judging if colour == 1 else for_white(judging), 0).scores[0]
            made, best = scores[game.moves[i]], scores.max()
            value, following = move.value, found.moves[i + 1].value
            assert value is not None
            assert following is not None
            after = colour * following
            if made < best:
                assert colour * value == pytest.approx(max(after, best + (after - made) / 2), abs=1e-3)
                checked += 1
    assert checked > 5


def test_the_best_line_of_a_move_can_be_played(game: zp.GameRecord) -> None:
    with zp.player("engine(depth=3)", OTHELLO) as judging:
        found = analyse(game, judging, judging, exact=8)
    for i, move in enumerate(found.moves):
        at = found.positions[i].copy()
        for cell in OTHELLO.notation.cells("".join(move.line)):
            assert at.legal()[0, cell]
            at.play([cell])
        if move.exact:  # perfect play to the end
            assert at.over()[0]
            assert at.score()[0] + np.sign(at.score()[0]) * (at.stones() == 0).sum() == move.value


def test_all_lines_end_with_the_same_side_to_move() -> None:
    with zp.player("alphabeta(depth=4, eval=pattern)", OTHELLO) as judging:
        assert (judging.look_ahead, for_white(judging).look_ahead) == (4, 3)
    with zp.player("alphabeta(depth=1)", OTHELLO) as judging:
        assert for_white(judging) is judging
    record = zp.GameRecord(OTHELLO, tuple(OTHELLO.notation.cells("f5d6c3d3c4f4f6")))
    with zp.player("alphabeta(depth=3, eval=pattern)", OTHELLO) as judging:
        assert {(len(move.line) + move.number) % 2 for move in analyse(record, judging, judging, 0).moves} == {0}


def test_a_judge_without_look_ahead_has_no_lines(game: zp.GameRecord) -> None:
    with zp.player("greedy", OTHELLO) as judging:
        assert {move.line for move in analyse(game, judging, judging, 0).moves} == {()}


@pytest.mark.parametrize("name", ["gomoku(size=7)", "atarigo(size=6)", "othello(size=6)"])
def test_other_games_have_judges_too(name: str) -> None:
    rules = zp.game(name)
    record = zp.match("naive", "random", game=rules, games=2, seed=1).records()[0]
    with zp.player(default_judge(rules), rules) as judging:
        found = analyse(record, judging, judging)
    assert len(found.moves) == len(record.moves)
    assert not any(move.exact for move in found.moves)
    assert "<svg" in page(found)
    numbers = [number for move in found.moves for number in (move.value, move.loss) if number is not None]
    assert max(map(abs, numbers)) < 5000
    assert found.moves[-1].winner == ("black" if record.score > 0 else "white")
    assert not re.search(r"[0-9]{6}", page(found).split("<h2>Boards")[0].split("</style>")[1])


def test_decided_games_of_gomoku_are_told_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = zp.game("gomoku(size=7)")
    missed, lost = "a1a7b1b7c1c7d1d7f7e7", "a1a7b1b7c1c7d1f3e1"
    moves = {}
    for text in (missed, lost):
        record = zp.GameRecord(rules, tuple(rules.notation.cells(text)))
        with zp.player(default_judge(rules), rules) as judging:
            moves[text] = analyse(record, judging, judging)
    black, white = moves[missed].moves[8:]
    assert (black.winner, black.value, black.loss, black.fault) == ("black", None, None, "misses win")
    assert (white.winner, white.value, white.loss, white.fault) == ("white", None, 0, None)
    assert cells_of(black)[7:9] == ["won", "misses win"]
    assert cells_of(white)[7:9] == ["lost", "0.0"]
    assert [moves[missed].faults(colour) for colour in ("black", "white")] == [1, 1]
    assert moves[lost].moves[7].winner is None
    assert moves[lost].moves[7].fault == "loses"
    for found in moves.values():
        losses = [found.mean_loss(colour, exact=False) for colour in ("black", "white")]
        assert all(loss is not None and loss < 5000 for loss in losses)
        heights = [float(y) for y in re.findall(r'cy="([-0-9.]+)"', graph(found.moves))]
        assert all(0 < y < 260 for y in heights)
        assert len({round(y) for y in heights}) > 4
    records.save([moves[missed].record], tmp_path / "game.sgf")
    shown = run(capsys, str(tmp_path / "game.sgf"))
    assert "Black misses a win or loses an open game 1 time\n" in shown
    told = json.loads(run(capsys, str(tmp_path / "game.sgf"), "--json"))
    assert told["moves"][8]["value"] is None


def test_decided_games_of_othello_are_told_in_discs() -> None:
    rules = zp.game("othello(size=6)")
    record = zp.match("random", "random", game=rules, games=2, seed=3).records()[0]
    position = rules.replay(record.moves[:-1])
    with zp.player(default_judge(rules), rules) as judging:
        judged = judge(position, judging)
        found = analyse(record, judging, judging)
    children = [position.after([int(cell)]).score()[0] for cell in np.flatnonzero(position.legal()[0])]
    best = max(child * position.to_move()[0] for child in children)
    assert judged.values.tolist() == [best]
    assert found.moves[-1].loss == best - record.score * position.to_move()[0]


def test_a_win_that_no_margin_tells_apart_is_no_loss() -> None:
    won, open_, lost = 2.0**30, 5.0, -(2.0**30)
    rows = np.array(
        [[won, won - 1024, open_, lost], [open_, 3, lost, lost], [lost, lost - 1024, lost, lost]], np.float32
    )
    judged = MoveScores(zp.game("gomoku(size=7)"), rows, np.zeros(3, np.bool_))
    assert judged.outcomes.tolist() == [1, 0, -1]
    assert np.isnan(judged.values).tolist() == [True, False, True]
    losses = np.array([judged.losses(np.full(3, cell)) for cell in range(4)])
    assert losses[:, 0] == pytest.approx([0, 0, np.nan, np.nan], nan_ok=True)
    assert losses[:, 1] == pytest.approx([0, 2, np.nan, np.nan], nan_ok=True)
    assert losses[:, 2] == pytest.approx([0, 0, 0, 0])


def test_a_game_without_moves_is_refused() -> None:
    with zp.player("naive", OTHELLO) as naive, pytest.raises(zp.ZeroplyError, match="no moves"):
        analyse(zp.GameRecord(OTHELLO), naive, naive)


# Who is asked


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("othello", "net(othello)"),
        ("othello(size=6)", "net(othello-mdrnn)"),
        ("gomoku(size=5)", "net(gomoku-5-evolved)"),
        ("gomoku(size=8)", "net(gomoku-9-evolved)"),
        ("gomoku", "net(gomoku-19-evolved)"),
        ("atarigo", "net(atarigo-9-evolved)"),
        ("gomoku(exact=true)", "naive"),
        ("atarigo(captures=2)", "naive"),
    ],
)
def test_a_net_that_comes_with_zeroply_is_asked(name: str, asked: str) -> None:
    rules = zp.game(name)
    assert default_player(rules) == asked != default_judge(rules)
    zp.player(asked, rules).close()


@pytest.mark.parametrize(
    ("judge", "unit"),
    [
        ("alphabeta(depth=1, eval=pattern)", "discs"),
        ("alphabeta(1, pattern)", "discs"),
        ("engine(depth=1)", "discs"),
        ("greedy", "discs"),
        ("alphabeta(depth=1, eval=mobility)", "points"),
        ("naive", "points"),
    ],
)
def test_losses_have_the_unit_of_the_judge(judge: str, unit: str) -> None:
    record = zp.GameRecord(OTHELLO, tuple(OTHELLO.notation.cells("f5d6")))
    with zp.player(judge, OTHELLO) as judging:
        assert analyse(record, judging, judging).unit == unit


# The page


def test_the_page_stands_on_its_own(game: zp.GameRecord) -> None:
    named = zp.GameRecord(OTHELLO, game.moves, black="<b>Anna</b>", white="]]>", event="R&D")
    with zp.player("random", OTHELLO) as player:
        text = page(analyse(named, player, player, 4))
    assert text.count('<figure id="m') == len(game.moves)
    assert text.count("<circle cx") >= len(game.moves)
    assert "<b>Anna" not in text
    assert "&lt;b&gt;Anna&lt;/b&gt; against ]]&gt;" in text
    assert not re.search(r"<script|<link|<img|@import|url\(|(?:src|href)=\"(?!#)", text)


# Agreement


def test_a_player_agrees_with_its_own_games_and_equals_share_a_move() -> None:
    games = zp.match("greedy(ties=lowest)", "random", games=6, seed=2).records()
    with zp.player("random", OTHELLO) as random:
        found = agreement(games, random)
    counts = np.zeros(6)
    chance = np.zeros((2, 6))
    for record in games:
        position = OTHELLO.start()
        for i, cell in enumerate(record.moves):
            legal = int(position.legal().sum())
            counts[min(i // 10, 5)] += 1
            chance[:, min(i // 10, 5)] += [1 / legal, min(1, 3 / legal)]
            position.play([cell])
    assert found.counts.tolist() == counts.tolist()
    assert found.hits == pytest.approx(chance)
    assert [stage["first"] for stage in found.stages()] == [1, 11, 21, 31, 41, 51]


def test_players_that_search_are_asked_for_scores_and_not_for_bounds() -> None:
    spec = "alphabeta(depth=3, eval=mobility)"
    games = zp.match("greedy", "random", games=2, seed=6).records()[:1]
    with zp.player(spec, OTHELLO) as searching:
        found = agreement(games, searching)
        (record,) = games
        top = np.zeros(2)
        for i, cell in enumerate(record.moves):
            scores = searching.prefer_all(OTHELLO.replay(record.moves[:i]))[0]
            better, equal = (scores > scores[cell]).sum(), (scores == scores[cell]).sum()
            top += [np.clip((k - better) / equal, 0, 1) for k in (1, 3)]
    assert found.hits.sum(axis=1) == pytest.approx(top)


def test_games_of_another_kind_are_refused() -> None:
    with zp.player("random", OTHELLO) as random:
        with pytest.raises(zp.ZeroplyError, match="no moves"):
            agreement([zp.GameRecord(OTHELLO)], random)
        with pytest.raises(zp.ZeroplyError, match="all games must be othello, but one is gomoku"):
            agreement([zp.GameRecord(zp.game("gomoku"), (1, 2))], random)


# The command


def run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    main(["analyse", *words])
    return capsys.readouterr().out


def test_losses_of_othello_are_told_in_discs_before_and_in_the_ending(
    game: zp.GameRecord, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records.save([game], tmp_path / "game.sgf")
    options = ["--player", "greedy", "--exact", "6", "--html", str(tmp_path / "game.html")]
    shown = run(capsys, str(tmp_path / "game.sgf"), *options, "--judge", "alphabeta(depth=1, eval=pattern)")
    for colour in ("Black", "White"):
        assert re.search(rf"^  {colour} loses [0-9.]+ discs a move before the ending$", shown, re.MULTILINE)
        assert re.search(rf"^  {colour} loses [0-9.]+ discs a move in the ending, exact$", shown, re.MULTILINE)
    assert "value: of the position before the move, for Black, in discs\n" in shown
    assert "= marks what is exact" in shown
    assert "Values before the ending are by" in (tmp_path / "game.html").read_text()


@pytest.mark.parametrize("name", ["gomoku(size=7)", "atarigo(size=5)"])
def test_a_game_without_an_ending_is_analysed_without_one(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = zp.match("random", "random", game=name, games=2, seed=1).records()[0]
    records.save([record], tmp_path / "game.sgf")
    shown = run(capsys, str(tmp_path / "game.sgf"), "--html", str(tmp_path / "game.html"))
    assert f"player net({name.partition('(')[0]}-{zp.game(name).size}-evolved)\njudge alphabeta" in shown
    assert re.search(r"^  Black loses [0-9.]+ points a move$", shown, re.MULTILINE)
    page = (tmp_path / "game.html").read_text()
    for text in (shown, page):
        assert "the ending" not in text
        assert "exact, in" not in text
        assert "points of the judge" in text
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize("suffix", [".ggf", ".sgf", ".txt", ".wtb"])
def test_the_command_reads_all_formats(
    game: zp.GameRecord, suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"game{suffix}"
    records.save([game], path)
    options = ["--player", "greedy", "--judge", "alphabeta(depth=1)", "--exact", "6"]
    found = json.loads(run(capsys, str(path), *options, "--json"))
    assert [move["move"] for move in found["moves"]] == [OTHELLO.notation.name(cell) for cell in game.moves]
    assert found["result"] == game.result
    shown = run(capsys, str(path), *options, "--html", str(tmp_path / "game.html"))
    assert "the player's first choice" in shown
    assert (tmp_path / "game.html").read_text().startswith("<!doctype html>")
    whole = json.loads(run(capsys, str(path), "--player", "greedy", "--human-like", "--json"))
    assert (whole["games"], whole["moves"]) == (1, len(game.moves))
    assert "top 3" in run(capsys, str(path), "--player", "greedy", "--human-like")


def test_agreement_takes_folders_and_has_stages_of_ten_moves(
    game: zp.GameRecord, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "games" / "old").mkdir(parents=True)
    records.save([game, game], tmp_path / "games" / "two.ggf")
    records.save([game], tmp_path / "games" / "old" / "one.wtb")
    (tmp_path / "games" / "read me.md").write_text("no games")
    whole = json.loads(run(capsys, str(tmp_path / "games"), "--player", "greedy", "--human-like", "--json"))
    assert (whole["games"], whole["moves"]) == (3, 3 * len(game.moves))
    assert [(one["first"], one["last"]) for one in whole["stages"]] == [(n, n + 9) for n in range(1, 61, 10)]
    assert "51-60" in run(capsys, str(tmp_path / "games"), "--player", "greedy", "--human-like")
    with pytest.raises(SystemExit):
        main(["analyse", str(tmp_path / "games")])
    assert "is a folder: name a file, or give --human-like" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    with pytest.raises(SystemExit):
        main(["analyse", str(tmp_path / "empty"), "--human-like"])
    assert "contains no files of games (.ggf, .sgf, .txt, .wtb)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("#  game: gomoku(size=7)\nD4D5\n", "gomoku(size=7)"),
        ("\ufeff #game:gomoku(size=7)\r\nD4D5\r\n", "gomoku(size=7)"),
        ("f5d6  # game: gomoku(size=7)\n", "othello"),
    ],
)
def test_a_header_is_seen_as_readers_of_transcripts_see_it(
    text: str, named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.txt"
    path.write_text(text, "utf-8")
    options = ["--player", "naive", "--judge", "naive", "--exact", "0", "--json"]
    assert json.loads(run(capsys, str(path), *options))["game"] == named


def test_bad_games_are_told_of_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.txt"
    path.write_text("f5d6\nf5a1\nf5f6\n")
    main(["analyse", str(path), "--player", "naive", "--judge", "naive", "--number", "3", "--exact", "0"])
    said = capsys.readouterr()
    assert f"skipped: {path}, line 2: move 2" in said.err
    assert "f6" in said.out
    assert "d6" not in said.out
    assert "value: of the position before the move, for Black" in said.out


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("f5d6", ["--number", "2"], "no game 2"),
        ("f5a1\nf5d6", ["--number", "1"], "game 1 cannot be read"),
        ("f5d6", ["--human-like", "--html", "page.html"], "leave out --html"),
        ("f5d6", ["--html", __file__], "exists: give the name of a new file, or --overwrite"),
        ("f5d6", ["--exact", "30"], "from 0 to 24"),
        ("f5a1", [], "line 1: move 2"),
        ("", [], "contains no games"),
        ("f5d6", ["--html", "nowhere/at/all.html"], "no folder"),
        ("f5d6", ["--player", "engine(depth=x)"], "depth"),
    ],
)
def test_bad_input_is_one_sentence(
    text: str, options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.txt"
    path.write_text(text)
    with pytest.raises(SystemExit) as stopped:
        main(["analyse", str(path), "--judge", "naive", *(options or ["--player", "naive"])])
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err
