"""Games on the page: reviewed, continued in variations, saved, loaded, compared; nothing is lost on the way.

Each defect that a trial by club players found has its test here.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import zeroply as zp
from browser import (
    PLY,
    Open,
    Slow,
    choose_game,
    choose_player,
    load_game,
    moves_made,
    offscreen_or_covered,
    play_a_move,
    until,
)
from zeroply.analysis.game import analyse
from zeroply.analysis.judging import default_judge
from zeroply.players import player
from zeroply.records import GameRecord, read_ggf, read_sgf

if TYPE_CHECKING:
    from playwright.sync_api import Page

OTHELLO = zp.game("othello")
GAME = (
    "e6f4c3c4d3d6e3c2c6e2b3d2c1c5b4b5b6a3d1e1f1f2f3a4g3c7d7d8a5f7"
    "a2f6f5g6g5h4e7e8g7g4f8h3h6h5h2a6a7g8h7g2b2b7a8g1h1h8b8c8a1b1"
)
"""A whole game of Othello, with blunders."""
PASSES = "c4c3f5b4a4a5c2a3d2"
"""Black has to pass before the last move."""
STATIC = Path(zp.__file__).parent / "web" / "static"


def tree(page: Page) -> str:
    """The game on the board as the browser stores it."""
    return str(json.loads(page.evaluate("localStorage.getItem('zeroply-game')"))["tree"])


def recent(page: Page) -> list[str]:
    page.evaluate("document.querySelector('.recents').open = true")
    return [str(text) for text in page.locator(".recent-game").all_inner_texts()]


def test_going_back_in_a_loaded_game_and_clicking_keeps_all_its_moves(visit: Open) -> None:
    page = visit()
    load_game(page, GAME[:112])
    page.keyboard.press("Home")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    until(page, f"{PLY} === 4")
    page.locator(".board .playable:not([data-cell='19'])").first.click()  # the game went on with d3
    until(page, f"{PLY} === 5 && document.querySelector('.moves .variation [aria-current]')")
    assert page.locator(".moves > li > button").count() == 56
    assert page.locator(".moves .variation button").count() == 1
    page.keyboard.press("ArrowUp")  # to the move of the main line
    until(page, "Number(document.querySelector('.moves').dataset.length) === 56")
    page.keyboard.press("ArrowDown")
    page.click("[data-tool=remove]")
    until(page, "document.querySelectorAll('.moves .variation').length === 0")
    page.click("[data-tool=restore]")
    until(page, "document.querySelectorAll('.moves .variation').length === 1")
    page.click("[data-tool=promote]")
    until(page, "document.querySelectorAll('.moves .variation button').length === 52")


def test_undone_moves_come_back_by_stepping_forward(visit: Open) -> None:
    page = visit()
    assert play_a_move(page)
    until(page, f"{PLY} === 2")
    first = tree(page).replace("*", "")
    page.click("[data-tool=undo]")
    until(page, f"{PLY} === 0")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    until(page, f"{PLY} === 2")
    assert tree(page).replace("*", "") == first


def test_a_game_that_a_new_one_replaces_is_among_the_recent_games_with_its_variations_and_notes(visit: Open) -> None:
    page = visit()
    load_game(page, "f5d6c3")
    page.keyboard.press("ArrowLeft")
    until(page, f"{PLY} === 2")
    page.fill("#note", "Here c3 {or} not?")
    page.locator(".board .playable:not([data-cell='18'])").first.click()
    until(page, "document.querySelector('.moves .variation')")
    kept = tree(page)
    page.click("[data-tool=new]")
    until(page, f"{PLY} === 0")
    page.reload()
    page.wait_for_selector(".board .playable")
    assert len(recent(page)) == 1
    assert "othello, 3 moves" in recent(page)[0]
    page.click(".recent-game")
    until(page, f"{PLY} === 3")
    assert tree(page) == kept
    page.keyboard.press("ArrowLeft")
    until(page, "document.querySelector('#note').value === 'Here c3 {or} not?'")


def test_a_link_holds_the_whole_game_and_needs_no_stored_state(visit: Open) -> None:
    page = visit()
    choose_game(page, "gomoku", 9)
    load_game(page, "E5 I9 E6 D4 ")
    page.keyboard.press("ArrowLeft")
    page.fill("#note", "a note; with = and & signs")
    page.click("[data-cell='0']")
    until(page, "document.querySelector('.moves .variation')")
    page.click("[data-tool=copy-link]")
    until(page, "document.querySelector('#transcript').value.includes('#game/')")
    link, before = page.input_value("#transcript"), tree(page)
    page.evaluate("localStorage.clear()")
    page.goto("about:blank")
    page.goto(link)
    until(page, f"{PLY} === 4 && document.querySelectorAll('.moves .variation').length === 1")
    assert tree(page) == before
    assert page.locator(".board .cell").count() == 81
    assert page.url.endswith("#play")


def test_a_damaged_link_is_refused_in_one_sentence(visit: Open) -> None:
    page = visit("#game/g=othello&m=(((")
    page.wait_for_selector("#toast p.problem")
    assert "damaged" in page.inner_text("#toast")
    page.wait_for_selector(".board .playable")


def test_downloads_are_read_by_our_readers_and_by_the_page(visit: Open) -> None:
    page = visit()
    load_game(page, f"{PASSES} ")
    page.fill("#note", "brackets ] and \\ slashes")
    page.click("[aria-label^='Back one']")
    until(page, f"{PLY} === {len(PASSES) // 2 - 1}")
    page.locator(".board .playable:not([data-cell='11'])").first.click()
    until(page, "document.querySelector('.moves .variation')")
    page.keyboard.press("ArrowUp")
    until(page, "document.querySelector('#note').value.includes('slashes')")
    with page.expect_download() as saved:
        page.click("[data-tool=sgf]")
    sgf = Path(saved.value.path()).read_text()
    with page.expect_download() as saved:
        page.click("[data-tool=ggf]")
    ggf = Path(saved.value.path()).read_text()
    moves = OTHELLO.notation.cells(PASSES)
    assert [list(record.moves) for record in (*read_sgf(sgf), *read_ggf(ggf))] == [moves, moves]
    kept = tree(page)
    load_game(page, sgf)
    assert tree(page).replace("*", "") == kept.replace("*", "")
    load_game(page, ggf)
    until(page, f"{PLY} === {len(moves)}")


@pytest.mark.parametrize(
    "text",
    ["f5d6c3d3c4", "1. f5 d6 2. c3 d3 3. c4", "F5, D6, C3, D3, C4", "XOT: f5d6c3d3c4", "1.f5 2.d6 3.c3 4.d3 -- 5.c4"],
)
def test_moves_are_read_as_people_write_them(visit: Open, text: str) -> None:
    page = visit()
    load_game(page, text)
    until(page, f"{PLY} === 5")
    names = [re.sub(r"^\d+", "", name) for name in page.locator(".moves button").all_text_contents()]
    assert names == ["f5", "d6", "c3", "d3", "c4"]


def test_columns_of_gomoku_have_an_i_unless_the_setting_or_the_moves_say_otherwise(visit: Open) -> None:
    page = visit()
    choose_game(page, "gomoku", 15)
    cells = """[...document.querySelectorAll('.board .cell')]
      .filter(one => one.querySelector('.stone').getAttribute('visibility') === 'visible')
      .map(one => Number(one.dataset.cell))"""
    load_game(page, "H8 I9 J10")
    until(page, f"{PLY} === 3")
    assert page.evaluate(cells) == [5 * 15 + 9, 6 * 15 + 8, 7 * 15 + 7]
    load_game(page, "P15")  # 15 columns reach P only without an I
    until(page, f"{PLY} === 1")
    assert page.evaluate(cells) == [14]
    page.click("summary:has-text('Options')")
    page.select_option("[data-setting=letters]", "no I")
    page.wait_for_selector(".board .playable")
    load_game(page, "J9")
    until(page, f"{PLY} === 1 && document.querySelector('.moves button').textContent.endsWith('J9')")
    assert page.evaluate(cells) == [6 * 15 + 8]


def test_pasted_moves_of_another_game_are_recognised(visit: Open) -> None:
    page = visit(refusals=True)
    choose_game(page, "gomoku", 15)
    load_game(page, GAME)
    assert "Othello on 8 × 8" in page.inner_text("#toast")
    assert page.locator(".board .cell").count() == 64
    load_game(page, "H8 H9 I8 I9 J8 J9")
    assert "Gomoku on 15 × 15" in page.inner_text("#toast")
    assert page.locator(".board .cell").count() == 225
    load_game(page, "# game: othello(size=6)\nc2b2  # no name")
    assert page.locator(".board .cell").count() == 36
    before = tree(page)
    page.fill("#transcript", "this is not a game")
    page.click("[data-tool=paste]")
    page.wait_for_selector("#toast p.problem")
    page.fill("#transcript", f"# game: othello\n{GAME[:40]}a1a1")
    page.click("[data-tool=paste]")
    until(page, "document.querySelector('#toast').textContent.includes('21')")
    assert tree(page) == before


def test_the_opponent_is_the_same_after_another_board_size_and_back(visit: Open) -> None:
    page = visit()
    page.wait_for_selector(".board .playable")
    assert "Trained net" in page.inner_text("[data-seat=white]")  # the best net
    choose_player(page, "white", "engine(depth=3)")
    choose_game(page, "othello", 6)
    assert "Engine 3" not in page.inner_text("[data-seat=white]")
    choose_game(page, "othello", 8)
    until(page, "document.querySelector('[data-seat=white]').textContent.includes('Engine 3')")
    choose_game(page, "gomoku", 9)
    until(page, "document.querySelector('[data-seat=white]').textContent.includes('gomoku-19')")
    choose_game(page, "othello", 8)
    until(page, "document.querySelector('[data-seat=white]').textContent.includes('Engine 3')")


def test_a_position_in_which_nobody_can_move_is_not_used(visit: Open) -> None:
    page = visit()
    page.wait_for_selector(".board .playable")
    page.click("summary:has-text('Set up')")
    page.click("[data-tool=setup]")
    page.click("text=Clear")
    page.click("text=Use this position")
    page.wait_for_selector("#toast p.problem")
    assert "over in this position" in page.inner_text("#toast")
    page.click("text=Cancel")
    assert play_a_move(page)


def test_a_bad_spec_is_refused_where_it_is_entered(visit: Open) -> None:
    page = visit(refusals=True)
    page.wait_for_selector(".board .playable")
    page.click("[data-seat=white]")
    page.fill("dialog .own input", "engine(depth=99)")
    page.click("dialog .own button")
    until(page, "document.querySelector('dialog .refusal').textContent.includes('at most 8')")
    assert page.locator("dialog").is_visible()
    page.keyboard.press("Escape")
    assert "Trained net" in page.inner_text("[data-seat=white]")


@pytest.mark.parametrize(("width", "height"), [(1280, 860), (390, 844)])
def test_messages_cover_no_control_and_no_cell(visit: Open, width: int, height: int) -> None:
    page = visit(width=width, height=height)
    choose_game(page, "gomoku", 20)
    page.evaluate("document.querySelector('[data-tool=paste]').click()")  # an empty text is refused
    page.wait_for_selector("#toast p.problem")
    page.evaluate("scrollTo(0, 0)")
    assert offscreen_or_covered(page, ".top a, .top button, .board .cell, .seat-name, .table-top > .tools button") == []
    page.click("[data-cell='390']")  # in the bottom row
    until(page, f"{PLY} === 2")
    page.click("#toast button")
    assert page.locator("#toast p").count() == 0


def test_on_a_phone_the_board_and_the_names_stay_in_sight(visit: Open) -> None:
    page = visit(width=390, height=844)
    choose_player(page, "white", "alphabeta(depth=2, eval=positional)")
    page.wait_for_selector(".board .playable")
    for place in (0, 600, 1500):
        page.evaluate("place => scrollTo(0, place)", place)
        page.wait_for_timeout(50)
        assert offscreen_or_covered(page, ".board .cell, .seat-name, .table-top > .tools button, .top a") == []
    cut = """[...document.querySelectorAll('.seat-name .name, .top a, .tools button')]
      .filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.textContent)"""
    assert page.evaluate(cut) == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


@pytest.mark.parametrize(
    ("game", "unit", "values"), [("othello", "discs", [3.0, -90.5, 1e9]), ("hex", "advantage", [0.2, -1.0, 1.0])]
)
def test_the_graph_stays_in_its_box_and_names_its_unit(visit: Open, game: str, unit: str, values: list[float]) -> None:
    page = visit()
    reply = {"values": values, "exact": [False, True, False], "unit": unit, "about": "Test."}
    page.route("**/api/graph", lambda route: route.fulfill(json=reply))
    page.reload()
    page.wait_for_selector(".board .playable")
    page.wait_for_selector(".rules option", state="attached")
    page.select_option(".rules select >> nth=0", game)
    page.wait_for_selector(".evaluation-graph .evaluation")
    until(
        page,
        "text => document.querySelector('.graph .legend').textContent.startsWith(text)",
        arg="Discs for Black" if unit == "discs" else "Winning chances",
    )
    inside = """(() => {
      const box = document.querySelector('.evaluation-graph').viewBox.baseVal;
      const path = document.querySelector('.evaluation')?.getBBox();
      if (!path || path.x < 0 || path.y < 0) return false;
      return path.x + path.width <= box.width && path.y + path.height <= box.height;
    })()"""
    until(page, inside)


def test_a_game_is_reviewed_as_by_analyse_and_its_mistakes_are_marked(visit: Open) -> None:
    page = visit()
    load_game(page, GAME)
    page.click("[data-tool=review]")
    page.wait_for_selector(".accuracy")
    record = GameRecord(OTHELLO, tuple(OTHELLO.notation.cells(GAME)))
    moves = analyse(record, player("random", OTHELLO), player(default_judge(OTHELLO), OTHELLO)).moves
    blunders = [f"{one.number}{one.move}??" for one in moves if one.loss is not None and one.loss >= 8]
    assert page.locator(".moves .blunder").all_text_contents() == blunders
    assert page.locator(".graph-mark.blunder").count() == len(blunders)
    assert page.locator(".moves .best").count() == sum(one.loss is not None and one.loss < 0.05 for one in moves)
    assert "exact" in page.inner_text(".graph .legend")
    worst = max(moves, key=lambda one: one.loss or 0)
    page.click(".mistakes button >> nth=0")
    until(page, f"{PLY} === {worst.number - 1}")
    assert f"{worst.move}, blunder" in page.inner_text(".comment")
    assert page.inner_text(".comment .line").split()[0] == worst.best
    marks = page.locator(".board .mark").all_text_contents()
    assert marks[0] == "1"
    assert marks[-1] == "??"
    page.click("[data-tool=add-line]")
    until(page, "document.querySelector('.moves .variation [aria-current]')")
    assert page.locator(".moves > li > button").count() == 60


def test_the_review_arrives_in_pieces_and_can_be_stopped(visit: Open) -> None:
    page = visit()
    choose_game(page, "gomoku", 9)
    load_game(page, "E5E6D5F5C5B5G5")
    lines = [
        {"start": {"unit": "advantage", "about": "Test."}},
        {
            "moves": [
                {
                    "ply": 6,
                    "cell": 40,
                    "before": 1,
                    "after": -0.5,
                    "loss": 0.75,
                    "best": [42],
                    "exact": False,
                    "fault": "misses win",
                }
            ]
        },
    ]
    body = "".join(json.dumps(line) + "\n" for line in lines)
    page.route("**/api/review", lambda route: route.fulfill(body=body, content_type="application/x-ndjson"))
    page.click("[data-tool=review]")
    page.wait_for_selector(".moves .blunder")
    assert page.locator(".moves .blunder").count() == 1
    assert "misses a win, loses 75 % of the winning chances" in str(page.get_attribute(".moves .blunder", "aria-label"))
    page.unroute("**/api/review")
    slow = Slow(page, "**/api/review")
    page.click("[data-tool=review]")
    slow.wait()
    page.click("[data-tool=review-stop]")
    assert page.locator("[data-tool=review-stop]").is_hidden()
    assert page.locator(".moves .blunder").count() == 0


def test_the_end_of_a_game_is_told_in_a_sentence(visit: Open) -> None:
    page = visit()
    load_game(page, GAME[:118])
    choose_player(page, "white", "net(othello)")
    choose_player(page, "black", "random")
    page.click("[data-tool=pause]")
    page.wait_for_selector(".status strong")
    assert page.inner_text(".status strong") == "Random (Black) wins 40-24."
    load_game(page, "# game: gomoku(size=9)\nE5A1E6A2E7A3E8A4E9")
    until(page, "document.querySelectorAll('.board .winning').length === 5")
    assert page.inner_text(".status strong") == "Black wins with five in a row."


def test_openings_are_named_and_their_lines_are_legal(visit: Open) -> None:
    lines = re.findall(r"^((?:[a-h][1-8])+) \S", (STATIC / "openings.js").read_text(), re.MULTILINE)
    assert len(lines) > 50
    for line in lines:
        assert not OTHELLO.replay(line).over()[0]
    page = visit()
    load_game(page, "f5d6c3d3c4f4c5b3c2e6")  # Comp'Oth and the like, turned
    names = page.evaluate(
        """async games => (await import('/static/openings.js')).OPENINGS.length && Promise.all(games.map(async game =>
          (await import('/static/openings.js')).openingName(game)))""",
        [OTHELLO.notation.cells(text) for text in ("f5d6", "d3c5", "e6f6", "c4c5", "f5d6c3d3c4", "e6f4c3c4d3", "d3")],
    )
    assert names == ["Perpendicular", "Perpendicular", "Diagonal", "Parallel", "Tiger", "Tiger", None]
    assert "Opening: " in page.inner_text(".status")


def test_clocks_are_off_until_chosen_and_end_the_game_of_who_is_out_of_time(visit: Open) -> None:
    page = visit()
    page.wait_for_selector(".board .playable")
    assert page.locator(".clock:visible").count() == 0
    choose_player(page, "white", "you")
    page.evaluate("localStorage.setItem('zeroply-settings', JSON.stringify({clock: 0.01}))")
    page.reload()
    assert play_a_move(page)
    until(page, "document.querySelector('.status strong')?.textContent === 'The time of White is up: Black wins.'")
    page.click("[data-tool=undo]")
    assert page.locator(".status strong").count() == 0


def test_a_tournament_fills_a_crosstable_that_agrees_with_its_games(visit: Open) -> None:
    page = visit()
    choose_game(page, "othello", 4)
    page.click("#pages a[href='#tournament']")
    page.wait_for_selector(".entrants input")
    page.evaluate(
        """for (const one of document.querySelectorAll('.entrants input'))
          one.checked = ['random', 'greedy', 'naive'].includes(one.value)"""
    )
    page.click("[data-tool=play-tournament]")
    until(page, "document.querySelector('.tournament .status').textContent === '6 games played.'")
    shares = [row.split("\t")[-2] for row in page.inner_text(".crosstable tbody").split("\n")]
    points = [float(share.split(" / ")[0]) for share in shares]
    assert sum(points) == 6
    assert all(share.endswith("/ 4") for share in shares)
    page.locator(".crosstable button").first.click()
    page.wait_for_selector(".play .status strong")


def test_trees_survive_as_text_and_bad_text_is_refused(visit: Open) -> None:
    page = visit()
    assert (
        page.evaluate(
            """async () => {
          const { GameTree } = await import('/static/tree.js');
          let seed = 1;
          const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
          for (let trial = 0; trial < 50; trial += 1) {
            const tree = new GameTree();
            for (let step = 0; step < 60; step += 1) {
              const nodes = tree.nodes();
              const node = tree.add(nodes[random(nodes.length)], random(400));
              if (random(5) === 0) node.note = '{}()* !r1 é' + step;
              if (random(9) === 0) node.ended = { loser: random(2) ? 1 : -1, how: random(2) ? 'time' : 'resigns' };
            }
            tree.visit(tree.nodes()[random(60)]);
            const text = tree.write();
            const again = GameTree.read(text);
            if (again.write() !== text || again.nodes().length !== tree.nodes().length) return text;
            const [node] = tree.leaves();
            if (tree.restore(tree.remove(node)) || tree.nodes().length !== again.nodes().length) return 'restore';
          }
          const bad = ['0', '(00', '00)', '!x1', '{a', '00 01', '%', '{%}'];
          return bad.filter((text) => { try { GameTree.read(text); return true; } catch { return false; } });
        }"""
        )
        == []
    )


def test_two_players_play_each_other_with_a_live_graph(visit: Open) -> None:
    page = visit()
    choose_game(page, "atarigo", 5)
    choose_player(page, "white", "naive")
    choose_player(page, "black", "naive")  # neither plays a suicide, so the game ends with a capture
    page.wait_for_selector(".status strong")
    until(page, f"document.querySelector('.evaluation').getAttribute('d').split('L').length > {PLY}")
    assert moves_made(page) >= 3
    assert page.locator(".seat .count").all_inner_texts() != ["0 captured", "0 captured"]
