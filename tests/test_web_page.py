"""The web page in a browser: what a person does there, by clicks and by keys, without an error on the console.

Debian's Chromium is driven by Playwright. Screenshots of a test that fails are written to `build/web`.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

import zeroply as zp
from conftest import FAILED
from zeroply import levels
from zeroply.nets import load, save
from zeroply.runs import Run

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page, Route

playwright = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright")

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "build" / "web"
LATE = "OOOOOOOXOOOOOXOXOOOXXXOXOOXOOOXXOXXOXOXXOXXXOOOX-XXOOOO---OXXO-- X"

Open = Callable[..., "Page"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("web") / "runs"


@pytest.fixture(scope="module")
def address(runs: Path) -> Iterator[str]:
    """Where a server of its own listens."""
    command = [sys.executable, "-m", "zeroply", "web", "--port", "0", "--runs", str(runs)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as server:
        assert server.stdout is not None
        match = re.search(r"http://\S+/", server.stdout.readline())
        try:
            assert match, "the server has not printed its address"
            yield match[0]
        finally:
            server.terminate()


@pytest.fixture(scope="module")
def browser(debian_program: Callable[..., Path]) -> Iterator[Browser]:
    chromium = debian_program("chromium")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=str(chromium), args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Page]:
    """One tab for all tests: opening a new one takes longer than most of them."""
    context = browser.new_context()
    context.set_default_timeout(20_000)
    yield context.new_page()
    context.close()


@pytest.fixture
def visit(tab: Page, address: str, request: pytest.FixtureRequest) -> Iterator[Open]:
    """Opens the page; the test fails if the console has an error, and a test that fails leaves a screenshot."""
    problems: list[str] = []
    expected: list[str] = []

    def on_console(message: ConsoleMessage) -> None:
        if message.type == "error" and not any(text in message.text for text in expected):
            problems.append(message.text)

    def on_error(error: object) -> None:
        problems.append(str(error))

    def open_page(
        path: str = "",
        *,
        width: int = 1280,
        height: int = 860,
        scheme: Literal["light", "dark"] = "light",
        refusals: bool = False,
    ) -> Page:
        if refusals:  # a browser reports what the server refuses; a test that sends nonsense expects that
            expected.append("status of 400")
        tab.set_viewport_size({"width": width, "height": height})
        tab.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        tab.goto(address + path)
        return tab

    tab.on("console", on_console)
    tab.on("pageerror", on_error)
    yield open_page
    if problems or request.node.stash.get(FAILED, True):
        PICTURES.mkdir(parents=True, exist_ok=True)
        tab.screenshot(path=PICTURES / f"{request.node.name}.png", full_page=True)
    tab.remove_listener("console", on_console)
    tab.remove_listener("pageerror", on_error)
    tab.unroute_all()
    tab.goto("about:blank")
    session = tab.context.new_cdp_session(tab)
    session.send("Storage.clearDataForOrigin", {"origin": address.rstrip("/"), "storageTypes": "local_storage"})
    session.detach()
    assert problems == []


def until(page: Page, condition: str, arg: object = None) -> None:
    """Wait until something holds in the page, whose policy forbids Playwright's own way of waiting for it."""
    end = time.monotonic() + 20
    while not page.evaluate(condition, arg):
        assert time.monotonic() < end, f"it was never so: {condition}"
        page.wait_for_timeout(30)


def choose_game(page: Page, game: str, size: int) -> None:
    page.wait_for_selector(".board .playable")
    page.wait_for_selector(".rules option", state="attached")
    page.select_option(".rules select >> nth=0", game)
    until(page, "game => [...document.querySelectorAll('.rules select')][0].value === game", arg=game)
    page.select_option(".rules select >> nth=1", str(size))
    cells = size * size
    until(page, f"document.querySelectorAll('.board .cell').length === {cells}")
    page.wait_for_selector(".board .playable")


def choose_player(page: Page, seat: str, player: str) -> None:
    page.click(f"[data-seat={seat}]")
    page.click(f"dialog [data-player='{player}']")
    page.wait_for_selector("dialog", state="hidden")


def moves_made(page: Page) -> int:
    return int(page.locator(".moves button").count())


def play_a_move(page: Page, which: int = 0) -> bool:
    """Click a cell where a move is possible, and wait for what follows; False if the game is over."""
    page.wait_for_selector(".board .playable, .status strong")
    if page.locator(".status strong").count():
        return False
    before = moves_made(page)
    cells = page.locator(".board .playable")
    cells.nth(which % cells.count()).click()
    until(page, f"document.querySelectorAll('.moves button').length > {before}")
    return True


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
    until(page, "document.querySelectorAll('.moves button').length === 2")
    page.wait_for_selector(".board .playable")
    page.click("[data-tool=hint]")
    page.wait_for_selector(".status .hint")
    assert "would play" in page.inner_text(".status .hint")
    assert page.locator(".board .ring[visibility=visible]").count() == 1
    page.click("[data-tool=undo]")
    until(page, "document.querySelectorAll('.moves button').length === 0")
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
        until(page, f"document.querySelectorAll('.moves button').length > {before}")
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
    page.select_option(".pace select", "Fast")
    choose_player(page, "white", "random")
    choose_player(page, "black", "greedy")
    until(page, "document.querySelectorAll('.moves button').length > 3")
    page.click("[data-tool=pause]")
    stopped = moves_made(page)
    page.wait_for_timeout(500)
    assert moves_made(page) == stopped
    page.click("[data-tool=pause]")
    page.wait_for_selector(".status strong")
    assert moves_made(page) > max(8, stopped)


class Slow:
    """Holds back the answers to some questions until they are wanted."""

    def __init__(self, page: Page, pattern: str) -> None:
        self.held: list[Route] = []
        self._page = page
        self._pattern = pattern
        self._holding = True
        page.route(pattern, self._hear)

    def _hear(self, route: Route) -> None:
        if self._holding:
            self.held.append(route)
        else:
            route.continue_()

    def wait(self) -> None:
        """Until a question has been asked."""
        end = time.monotonic() + 20
        while not self.held:
            assert time.monotonic() < end, f"nobody has asked {self._pattern}"
            self._page.wait_for_timeout(30)

    def answer(self) -> None:
        """Let the answers come, and all later ones at once."""
        self._holding = False
        for route in self.held:
            with self._page.expect_response(route.request.url):
                route.continue_()
        self._page.wait_for_timeout(100)


def test_a_player_that_still_thinks_does_not_move_in_the_next_game(visit: Open) -> None:
    page = visit()
    page.wait_for_selector(".board .playable")
    slow = Slow(page, "**/api/move")
    assert play_a_move(page)
    slow.wait()
    page.click("[data-tool=new]")
    until(page, "document.querySelectorAll('.moves button').length === 0")
    slow.answer()
    assert moves_made(page) == 0
    assert "Your move" in page.inner_text(".status")
    assert play_a_move(page)
    until(page, "document.querySelectorAll('.moves button').length === 2")


def paste(page: Page, moves: str) -> None:
    page.fill("#transcript", moves)
    page.click("[data-tool=paste]")
    first = moves[:2]
    until(page, "name => document.querySelector('.moves button')?.textContent.endsWith(name)", arg=first)


def test_a_late_position_or_hint_of_another_game_is_not_shown(visit: Open) -> None:
    page = visit()
    page.wait_for_selector(".board .playable")
    page.click("summary:has-text('Set up')")
    paste(page, "f5d6")
    hints = Slow(page, "**/api/preferences")
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
    until(page, "document.querySelector('.moves button')?.textContent.endsWith('c4')")
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
    assert "Black resigns" in page.inner_text(".status strong")
    page.click("[data-tool=new]")
    page.click("[data-tool=swap]")
    until(page, "document.querySelectorAll('.moves button').length === 1")
    assert "You" in page.inner_text("[data-seat=white]")
    page.click("summary:has-text('Set up')")
    page.fill("#transcript", "f5d6c3d3c4")
    page.click("[data-tool=paste]")
    until(page, "document.querySelectorAll('.moves button').length === 5")
    page.fill("#transcript", "a1a1")
    page.click("[data-tool=paste]")
    page.wait_for_selector("#toast p.problem")
    page.click("[data-tool=setup]")
    page.locator(".board .cell").nth(0).click()
    page.click("text=Use this position")
    until(page, "document.querySelectorAll('.moves button').length < 2")
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
    page.click("summary:has-text('Set up')")
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
        until(page, "document.querySelectorAll('.moves button').length === 2")


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
    page.click("[data-seat=white]")
    check("the list of players")
    assert violations == {}


def test_the_page_fits_a_phone(visit: Open) -> None:
    page = visit(width=360, height=740)
    page.wait_for_selector(".board .playable")
    for view in ("play", "inside", "runs", "studies/W.strategies"):
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
