"""What the stand-in engines share: lines in, lines out, a random legal mover, and everything that can go wrong.

A fault strikes when the engine is asked for its move number `--after`, counted over the life of the process; with
`--once FILE` only in the first process that gets there.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from boards import Position

parser = argparse.ArgumentParser(allow_abbrev=False)
parser.add_argument("--fault", default="none")
parser.add_argument("--after", type=int, default=1)
parser.add_argument("--once", type=Path)
parser.add_argument("--pids", type=Path)
parser.add_argument("--log", type=Path)
parser.add_argument("--think", type=float, default=0.0)
parser.add_argument("--quirk", action="append", default=[])


class Wire:
    """The engine's end of the pipes."""

    def __init__(self) -> None:
        self.options, self.rest = parser.parse_known_args()
        self.quirks = self.options.quirk
        self.asked = 0
        self.dice = random.Random(1)
        self.children: list[subprocess.Popen[bytes]] = []
        if self.options.pids:
            self.note(self.options.pids, str(os.getpid()))
        if "stubborn" in self.quirks:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if "slow-start" in self.quirks:
            time.sleep(1.5)
        if "child" in self.quirks:
            self.children.append(subprocess.Popen(["sleep", "1000"]))
            self.note(self.options.pids, str(self.children[0].pid))
        if self.options.fault == "exit-at-once" and self.strikes():
            self.die("cannot open the weights")
        if self.options.fault == "mute":
            time.sleep(1000)

    def lines(self) -> Iterator[str]:
        """What arrives; a stubborn engine hears neither `quit` nor the end of its input."""
        for line in sys.stdin:
            text = line.strip()
            if self.options.log:
                self.note(self.options.log, f"{os.getpid()} {text}")
            if text in ("quit", "END") and "stubborn" not in self.quirks:
                return
            yield text
        if "stubborn" in self.quirks:
            time.sleep(1000)

    def say(self, text: str) -> None:
        """Write lines, as the quirks have it: with CR LF, or in pieces."""
        text = text.replace("\n", "\r\n") if "crlf" in self.quirks else text
        if "noisy" in self.quirks:
            print("thinking about it\n" * 8000, file=sys.stderr, flush=True)
        for piece in text if "pieces" in self.quirks else [text]:
            sys.stdout.write(piece)
            sys.stdout.flush()

    def move(self, position: Position, answer: Callable[[int], str]) -> int:
        """Answer with a random legal move, unless it is time for the fault."""
        time.sleep(self.options.think)
        self.asked += 1
        legal = position.legal()
        cell = self.dice.choice(legal)
        if self.asked == self.options.after and self.options.fault != "none" and self.strikes():
            self.asked -= 1
            if self.options.fault == "dies-later":
                self.say(answer(cell))
                self.die("had enough")
            illegal = [other for other in range(position.size**2) if other not in legal]
            self.strike(lambda: answer(self.dice.choice(illegal)))
            return cell
        self.say(answer(cell))
        return cell

    def strikes(self) -> bool:
        """Whether this process is one that goes wrong."""
        if self.options.once is None:
            return True
        try:
            self.options.once.touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    def strike(self, illegal: Callable[[], str]) -> None:
        """Go wrong."""
        match self.options.fault:
            case "hangs":
                time.sleep(1000)
            case "dies":
                self.die("out of luck")
            case "crashes":
                os.kill(os.getpid(), signal.SIGSEGV)
            case "plays-illegal":
                self.say(illegal())
            case "floods":
                while True:
                    self.say("all work and no play\n" * 1000)
            case "floods-a-line":
                while True:
                    self.say("0123456789" * 1000)
            case "garbage":
                self.say("%$&! no idea\n\n")
            case "closes":
                os.close(1)
                time.sleep(1000)
            case text:
                self.say(text.replace("\\n", "\n"))

    def die(self, last_words: str) -> None:
        """End with an error message and code 3."""
        print(f"warming up\n{last_words}", file=sys.stderr, flush=True)
        os._exit(3)

    @staticmethod
    def note(path: Path, text: str) -> None:
        """Add a line to a file that several processes write."""
        with open(path, "a") as file:
            file.write(text + "\n")
