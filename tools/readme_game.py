"""Follow the README from a clone to a finished game against a net in the browser, with a timer.

python tools/readme_game.py

Needs Chromium and, here, playwright; everything else is made in a fresh clone, as a new user would.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))


def main() -> None:
    """Clone, run the README's command, play, and print the times."""
    from playwright.sync_api import sync_playwright

    from test_web_page import play_to_the_end

    readme = (ROOT / "README.md").read_text()
    block = re.search(r"## In the browser\n+```sh\n(make [^\n#]*)", readme)
    chromium = shutil.which("chromium")
    if block is None or chromium is None:
        sys.exit("the README has no command for the browser" if block is None else "install chromium first")
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "zeroply"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        print(f"{time.monotonic() - begun:6.1f} s  cloned; now: {block[1].strip()}", flush=True)
        command = block[1].split()
        with subprocess.Popen(
            command,
            cwd=clone,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "BROWSER": "true", "PYTHONUNBUFFERED": "1"},
            start_new_session=True,
        ) as server:
            try:
                address = _address(server)
                print(f"{time.monotonic() - begun:6.1f} s  the page is at {address}", flush=True)
                with sync_playwright() as started:
                    browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
                    page = browser.new_page(reduced_motion="reduce")
                    page.goto(address)
                    print(f"{time.monotonic() - begun:6.1f} s  {play_to_the_end(page)}", flush=True)
                    browser.close()
            finally:
                os.killpg(server.pid, signal.SIGTERM)


def _address(server: subprocess.Popen[str]) -> str:
    for line in server.stdout or ():
        if found := re.search(r"http://\S+/", line):
            return found[0]
    sys.exit("the page was not served")


if __name__ == "__main__":
    main()
