"""A browser for the tests of the page: Debian's Chromium with one tab, a server, and what a person does there.

Screenshots of a test that fails are written to `build/web`.
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

from conftest import FAILED

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page, Route

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "build" / "web"
PATIENCE = 60
"""Seconds to wait for what should happen at once, on a machine that may be busy."""

Open = Callable[..., "Page"]


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("web") / "runs"


@pytest.fixture(scope="session")
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


@pytest.fixture(scope="session")
def browser(debian_program: Callable[..., Path]) -> Iterator[Browser]:
    playwright = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright")
    chromium = debian_program("chromium")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=str(chromium), args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def tab(browser: Browser) -> Iterator[Page]:
    """One tab for all tests: opening a new one takes longer than most of them."""
    context = browser.new_context()
    context.set_default_timeout(1000 * PATIENCE)
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
    end = time.monotonic() + PATIENCE
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


PLY = "Number(document.querySelector('.moves').dataset.ply ?? 0)"
"""The number of moves made up to the position on display."""


def moves_made(page: Page) -> int:
    return int(page.evaluate(PLY))


def play_a_move(page: Page, which: int = 0) -> bool:
    """Click a cell where a move is possible, and wait for what follows; False if the game is over."""
    page.wait_for_selector(".board .playable, .status strong")
    if page.locator(".status strong").count():
        return False
    before = moves_made(page)
    cells = page.locator(".board .playable")
    cells.nth(which % cells.count()).click()
    until(page, f"{PLY} > {before}")
    return True


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
        end = time.monotonic() + PATIENCE
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


def paste(page: Page, moves: str) -> None:
    page.fill("#transcript", moves)
    page.click("[data-tool=paste]")
    first = moves[:2]
    until(page, "name => document.querySelector('.moves button')?.textContent.includes(name)", arg=first)


def offscreen_or_covered(page: Page, selector: str) -> list[str]:
    """The visible elements whose middle is covered by something else, or lies beside the window."""
    return list(
        page.evaluate(
            """selector => [...document.querySelectorAll(selector)].filter(one => one.checkVisibility()).filter(one => {
              const box = one.getBoundingClientRect();
              const at = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
              return !at || !(one.contains(at) || at.contains(one));
            }).map(one => `${one.tagName} ${one.dataset.tool ?? one.dataset.cell ?? one.textContent}`)""",
            selector,
        )
    )


def load_game(page: Page, text: str) -> None:
    """Paste a text and wait until it is loaded."""
    page.wait_for_selector(".board .cell")
    page.evaluate("document.querySelector('#toast').replaceChildren()")
    page.fill("#transcript", text)
    page.click("[data-tool=paste]")
    page.wait_for_selector("#toast p.news")
