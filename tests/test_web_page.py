"""The web page in a browser: what a person does there, by clicks and by keys, without an error on the console.

What a person does with games (review, variations, saving and loading) is tested in `test_web_games.py`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

import zeroply as zp
from browser import PLY, Open, Slow, choose_game, choose_player, load_game, moves_made, paste, play_a_move, until
from zeroply import levels
from zeroply.nets import load, save
from zeroply.runs import Run

if TYPE_CHECKING:
    from playwright.sync_api import Page

LATE = "OOOOOOOXOOOOOXOXOOOXXXOXOOXOOOXXOXXOXOXXOXXXOOOX-XXOOOO---OXXO-- X"


def play_to_the_end(page: Page) -> str:
    for number in range(400):
        if not play_a_move(page, 3 * number):
            return str(page.inner_text(".status strong"))
    pytest.fail("the game has no end")


def test_a_person_plays_othello_to_its_end_with_undo_and_hint(visit: Open) -> None:
    page = visit()
    choose_game(page, "othello", 6)
    choose_player(page, "white", "greedy")
    assert play_a_move(page)
    until(page, f"{PLY} === 2")
    page.wait_for_selector(".board .playable")
    page.click("[data-tool=hint]")
    page.wait_for_selector(".status .hint")
    assert re.match(r"Best: [a-f][1-6] \d+ %; then .*winning chances, estimated\)", page.inner_text(".status .hint"))
    assert page.locator(".board .mark").count() == 3
    page.click("[data-tool=undo]")
    until(page, f"{PLY} === 0")
    assert "win" in play_to_the_end(page) or "Draw" in page.inner_text(".status")
    discs = [int(text.split()[0]) for text in page.locator(".seat .count").all_inner_texts()]
    assert sum(discs) <= 36
    assert moves_made(page) >= 9
    page.wait_for_selector(".evaluation-graph .exact")
    page.click(".moves li:nth-child(3) button")
    until(page, "document.querySelector('.moves [aria-current]').textContent.startsWith('3')")
    assert "Showing move 3" in page.inner_text(".status")


@pytest.mark.parametrize(("game", "size"), [("gomoku", 7), ("hex", 5)])
def test_a_person_plays_other_games(visit: Open, game: str, size: int) -> None:
    page = visit()
    choose_game(page, game, size)
    choose_player(page, "white", "random")
    for _ in range(60):
        if not play_a_move(page):
            break
    assert "win" in page.inner_text(".status strong") or "Draw" in page.inner_text(".status strong")


def test_a_person_plays_atari_go_by_keys_alone(visit: Open) -> None:
    page = visit()
    choose_game(page, "atarigo", 5)
    choose_player(page, "white", "naive")
    page.focus(".board [tabindex='0']")
    for _ in range(60):
        page.wait_for_selector(".board .playable, .status strong")
        if page.locator(".status strong").count():
            break
        before = moves_made(page)
        go_by_keys(page, int(page.locator(".board .playable").first.get_attribute("data-cell") or 0), size=5)
        page.keyboard.press("Enter")
        until(page, f"{PLY} > {before}")
    assert "win" in page.inner_text(".status strong")


def go_by_keys(page: Page, cell: int, size: int) -> None:
    """From the cell that has the focus to another, by arrow keys."""
    at = int(page.evaluate("document.activeElement.dataset.cell"))
    down, right = cell // size - at // size, cell % size - at % size
    for _ in range(abs(down)):
        page.keyboard.press("ArrowDown" if down > 0 else "ArrowUp")
    for _ in range(abs(right)):
        page.keyboard.press("ArrowRight" if right > 0 else "ArrowLeft")


def test_two_players_play_each_other_and_can_be_stopped(visit: Open) -> None:
    page = visit()
    choose_game(page, "othello", 6)
    page.click("summary:has-text('Options')")
    page.select_option("[data-setting=pace]", "0")
    choose_player(page, "white", "random")
    choose_player(page, "black", "greedy")
    until(page, f"{PLY} > 3")
    page.click("[data-tool=pause]")
    stopped = moves_made(page)
    page.wait_for_timeout(500)
    assert moves_made(page) == stopped
    page.click("[data-tool=pause]")
    page.wait_for_selector(".status strong")
    assert moves_made(page) > max(8, stopped)


def test_a_player_that_still_thinks_does_not_move_in_the_next_game(visit: Open) -> None:
    page = visit()
    page.wait_for_selector(".board .playable")
    slow = Slow(page, "**/api/move")
    assert play_a_move(page)
    slow.wait()
    page.click("[data-tool=new]")
    until(page, f"{PLY} === 0")
    slow.answer()
    assert moves_made(page) == 0
    assert "Your move" in page.inner_text(".status")
    assert play_a_move(page)
    until(page, f"{PLY} === 2")


def test_a_late_position_or_hint_of_another_game_is_not_shown(visit: Open) -> None:
    page = visit()
    page.wait_for_selector(".board .playable")
    paste(page, "f5d6")
    hints = Slow(page, "**/api/hints")
    page.click("[data-tool=hint]")
    hints.wait()
    paste(page, "d3c3")
    hints.answer()
    assert page.locator(".status .hint").count() == 0
    back = page.locator(".steps button").nth(1)
    positions = Slow(page, "**/api/position")
    back.click()
    positions.wait()
    page.fill("#transcript", "c4c3")
    page.click("[data-tool=paste]")
    page.wait_for_timeout(300)
    positions.answer()
    until(page, "document.querySelector('.moves button')?.textContent.includes('c4')")
    back.click()
    until(page, "document.querySelector('.status').textContent.includes('move 1 of 2')")
    assert page.locator("[data-cell='26'] .stone").get_attribute("visibility") == "visible"


def test_a_player_named_by_its_spec_stays_over_a_reload(visit: Open) -> None:
    page = visit()
    page.wait_for_selector(".board .playable")
    page.click("[data-seat=white]")
    page.fill("dialog .own input", "engine(depth=2)")
    page.click("dialog .own button")
    until(page, "document.querySelector('[data-seat=white]').textContent.includes('engine(depth=2)')")
    page.reload()
    page.wait_for_selector(".board .playable")
    assert "engine(depth=2)" in page.inner_text("[data-seat=white]")
    choose_game(page, "gomoku", 7)
    assert "engine(depth=2)" not in page.inner_text("[data-seat=white]")
    page.click("[data-seat=white]")
    assert page.locator("dialog [data-player='engine(depth=2)']").count() == 0


def test_resigning_before_the_first_move_can_be_undone(visit: Open) -> None:
    page = visit()
    page.wait_for_selector(".board .playable")
    page.click("[data-tool=resign]")
    page.wait_for_selector(".status strong")
    page.click("[data-tool=undo]")
    page.wait_for_selector(".board .playable")
    assert page.locator(".status strong").count() == 0


def test_resigning_swapping_setting_up_and_pasting(visit: Open) -> None:
    page = visit(refusals=True)
    page.wait_for_selector(".board .playable")
    page.click("[data-tool=resign]")
    assert "You resign: Trained net (White) wins." in page.inner_text(".status strong")
    page.click("[data-tool=new]")
    page.click("[data-tool=swap]")
    until(page, f"{PLY} === 1")
    assert "You" in page.inner_text("[data-seat=white]")
    page.fill("#transcript", "f5d6c3d3c4")
    page.click("[data-tool=paste]")
    until(page, f"{PLY} === 5")
    page.fill("#transcript", "a1a1")
    page.click("[data-tool=paste]")
    page.wait_for_selector("#toast p.problem")
    page.click("summary:has-text('Set up')")
    page.click("[data-tool=setup]")
    page.locator(".board .cell").nth(0).click()
    page.click("text=Use this position")
    until(page, f"{PLY} < 2")
    assert "black" in str(page.locator("[data-cell='0'] .stone").get_attribute("class"))
    assert page.locator("[data-cell='0'] .stone").get_attribute("visibility") == "visible"


def test_heat_maps_compare_two_players_and_endings_are_exact(visit: Open) -> None:
    page = visit()
    page.wait_for_selector("#heat option >> nth=3", state="attached")
    assert play_a_move(page)
    page.select_option("#heat", "net(othello)")
    page.wait_for_selector(".board .cell text.value:not(:empty)")
    page.click("#pages a:has-text('Look inside')")
    until(page, "document.querySelector('.inside .status').textContent.includes('would play')")
    assert page.locator(".inside .trio .board svg").count() == 3
    page.wait_for_selector(".maps canvas")
    page.click("[data-side='1']")
    page.click("dialog [data-player='random']")
    until(page, "document.querySelector('[data-side=\"1\"]').textContent.includes('Random')")
    page.click("#pages a:has-text('Play')")
    page.fill("#transcript", LATE)
    page.click("[data-tool=paste]")
    page.wait_for_selector("#toast p.news")
    page.click("#pages a:has-text('Look inside')")
    until(page, "document.querySelectorAll('.duo .board text.value:not(:empty)').length > 1")
    exact = page.locator(".duo .board text.value:not(:empty)").all_text_contents()
    assert all(re.fullmatch(r"[+-]?\d+", value) for value in exact)


def test_a_run_is_watched_while_it_goes_on_and_its_net_is_played(visit: Open, runs: Path) -> None:
    folder = runs / "live"
    with Run.create(folder, kind="evolve", config={"game": "othello"}, seed=1, level=levels.chosen()) as run:
        save(load("othello-swh", zp.game("othello")), folder / "champion.safetensors")
        for number in (1, 2, 3):
            run.log("generation", number=number, best=number / 10, mean=number / 20)
        list(run.events())  # writes what waits
        page = visit("#runs")
        page.click("a:has-text('live')")
        page.wait_for_selector(".chart path.curve")
        assert "running" in page.inner_text(".detail h2")
        before = page.get_attribute(".chart path.curve", "d")
        run.log("generation", number=4, best=0.9, mean=0.1)
        list(run.events())
        until(page, "d => document.querySelector('.chart path.curve').getAttribute('d') !== d", arg=before)
        assert "0.9" in page.inner_text(".chart .legend")
        page.click("[data-play]")
        page.wait_for_selector(".board .playable")
        assert "live, champion" in page.inner_text("[data-seat=white]")
        assert play_a_move(page)
        until(page, f"{PLY} === 2")


def test_the_run_that_was_chosen_last_is_shown_and_the_keyboards_focus_stays(visit: Open, runs: Path) -> None:
    for name in ("first", "second"):
        with Run.create(runs / name, kind="evolve", config={}, seed=1, level=levels.chosen()) as run:
            run.log("generation", number=1, best=0.1)
    page = visit("#runs")
    page.wait_for_selector("a:has-text('second')")
    address = str(page.get_attribute("a:has-text('first')", "href")).removeprefix("#runs/")
    slow = Slow(page, f"**/api/runs/{address}")
    page.click("a:has-text('first')")
    slow.wait()
    page.focus("a:has-text('second')")
    page.keyboard.press("Enter")
    page.wait_for_selector(".detail h2:has-text('second')")
    slow.answer()
    assert "second" in page.inner_text(".detail h2")
    page.wait_for_timeout(2000)  # the list is asked for again
    assert "second" in page.inner_text(".detail h2")
    assert "second" in page.evaluate("document.activeElement.textContent")


def test_the_report_of_a_study_is_shown(visit: Open) -> None:
    page = visit("#studies")
    page.click(".list a:has-text('W.strategies')")
    page.wait_for_selector(".report table")
    until(page, "document.querySelector('.report img')?.naturalWidth > 0")
    assert "Claims" in page.inner_text(".report")


@pytest.mark.parametrize("width", [1280, 420])
def test_a_report_is_shown_from_its_beginning_however_far_down_the_list_it_stands(visit: Open, width: int) -> None:
    page = visit("#studies", width=width)
    page.click(".list a:has-text('W.strategies')")
    page.wait_for_selector(".report table")
    until(page, "(top => top > 0 && top < 300)(document.querySelector('.report h2').getBoundingClientRect().top)")


VIEWS = {
    "play": ".board .playable",
    "inside": ".maps canvas",
    "tournament": ".entrants input",
    "runs": ".split .detail .card",
    "studies": ".split .detail .card",
}
"""What tells that a view is ready."""


@pytest.mark.parametrize(("scheme", "rules"), [("light", None), ("dark", ["color-contrast"])])
def test_the_page_can_be_used_by_all(visit: Open, scheme: Literal["light", "dark"], rules: list[str] | None) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe checks need axe-playwright-python")
    options = {"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
    page = visit(scheme=scheme)
    violations = {}

    def check(view: str) -> None:
        for violation in axe.Axe().run(page, options=options).response["violations"]:
            violations[view, violation["id"]] = [node["html"][:150] for node in violation["nodes"][:3]]

    for view, ready in VIEWS.items():
        page.evaluate(f"location.hash = '#{view}'")
        page.wait_for_selector(ready)
        check(view)
    page.evaluate("location.hash = '#play'")
    load_game(page, "f5f6e6f4c3c4")
    page.click("[data-tool=review]")
    page.wait_for_selector(".accuracy")
    page.click(".moves button >> nth=2")
    until(page, f"{PLY} === 3")
    page.locator(".board .playable:not([data-cell='29'])").first.click()
    page.wait_for_selector(".moves .variation")
    page.evaluate("document.querySelectorAll('details').forEach(one => (one.open = true))")
    check("a reviewed game")
    page.click("[data-seat=white]")
    check("the list of players")
    assert violations == {}


def test_the_page_fits_a_phone(visit: Open) -> None:
    page = visit(width=360, height=740)
    page.wait_for_selector(".board .playable")
    for view in ("play", "inside", "tournament", "runs", "studies/W.strategies"):
        page.evaluate(f"location.hash = '#{view}'")
        page.wait_for_timeout(300)
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), view


def test_a_click_is_answered_while_the_server_searches(visit: Open) -> None:
    page = visit()
    page.wait_for_selector(".board .playable")
    page.evaluate(
        """() => {
          window.searched = 0;
          const question = {game: 'gomoku', player: 'alphabeta(depth=12, eval=lines)'};
          const headers = {'content-type': 'application/json'};
          const options = {method: 'POST', headers, body: JSON.stringify(question)};
          for (let i = 0; i < 6; i += 1) fetch('/api/move', options).then(() => (window.searched += 1));
        }"""
    )
    assert play_a_move(page)
    assert page.evaluate("window.searched") < 6
