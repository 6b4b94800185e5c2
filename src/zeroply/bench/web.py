"""Response times of the web page: many clients play at once, each waits for a reply before the next click.

A click sends a move and returns the new position; then the opponent's move is requested. The server is one process, all
clients share another.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from zeroply import chance
from zeroply.errors import ZeroplyError
from zeroply.files import explained

SEARCH = {"game": "gomoku(size=15)", "player": "alphabeta(depth=12, eval=lines)"}
"""The concurrent searches, two seconds each."""


@dataclass
class Clicks:
    """Measured times in seconds."""

    clicks: list[float] = field(default_factory=list)
    """From each click to the new position."""
    replies: list[float] = field(default_factory=list)
    """From each request for the opponent's move to the move."""
    errors: list[str] = field(default_factory=list)
    """Error messages."""
    games: int = 0
    """Finished games."""
    seconds: float = 0.0
    """Total wall time."""
    processor: float | None = None
    """CPU time of the server, if the system reports it."""

    def add(self, other: Clicks) -> None:
        """Add what was measured at another time."""
        self.clicks += other.clicks
        self.replies += other.replies
        self.errors += other.errors
        self.games += other.games
        self.seconds += other.seconds
        if other.processor is not None:
            self.processor = (self.processor or 0.0) + other.processor

    def summary(self) -> dict[str, Any]:
        """The figures for tables."""
        times = [
            {"what": what, "answers": len(some), **{f"p{p}": float(np.percentile(some, p)) for p in (50, 95, 100)}}
            for what, some in (("click", self.clicks), ("reply", self.replies))
            if some
        ]
        whole = {"games": self.games, "seconds": self.seconds, "errors": self.errors}
        return {**whole, "server_cpu_seconds": self.processor, "times": times}


def measure_clicks(
    clients: int = 50,
    games: int = 1,
    game: str = "othello",
    player: str = "net(othello)",
    think: float = 0.0,
    searches: int = 0,
    seed: int = 0,
    program: str | None = None,
) -> Clicks:
    """Let `clients` play `games` each, with `think` seconds before every click, while the server runs `searches`.

    `program` is another zeroply, to compare with.
    """
    if not (1 <= clients <= 1000 and games >= 1 and think >= 0 and searches >= 0):
        raise ZeroplyError("a benchmark of the page needs 1 to 1000 clients, at least 1 game, and no negative numbers")
    with server(program) as (port, process):
        return asyncio.run(_all(port, process, clients, games, {"game": game, "player": player}, think, searches, seed))


@contextmanager
def server(program: str | None = None) -> Iterator[tuple[int, int]]:
    """Start a server, by default of this zeroply; yields its port and its process number."""
    command = [*([sys.executable, "-m", "zeroply"] if program is None else [program]), "web", "--port", "0"]
    with explained(f"start {command[0]}"):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with process:
        try:
            match = re.search(r":(\d+)/", process.stdout.readline() if process.stdout else "")
            if match is None:
                process.terminate()
                reason = process.stderr.read().strip().removeprefix("zeroply: ") if process.stderr else ""
                raise ZeroplyError(f"the page cannot be served: {reason or 'it gave no address'}")
            yield int(match[1]), process.pid
        finally:
            process.terminate()


def _processor(process: int) -> float | None:
    """CPU seconds of a process, if /proc reports it."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return None


async def _all(
    port: int, process: int, clients: int, games: int, request: dict[str, Any], think: float, searches: int, seed: int
) -> Clicks:
    measured = Clicks()
    async with WebClient(port) as first:  # builds the player, which is not to be measured
        await first.ask("move", request)
    busy = [asyncio.ensure_future(_search(port)) for _ in range(searches)]
    begun, used = time.perf_counter(), _processor(process)
    keys = chance.keys(chance.key(seed, "bench web"), np.arange(clients))
    await asyncio.gather(*(_play(port, games, request, think, int(key), measured) for key in keys))
    measured.seconds, in_all = time.perf_counter() - begun, _processor(process)
    measured.processor = in_all - used if in_all is not None and used is not None else None
    for task in busy:
        task.cancel()
    await asyncio.gather(*busy, return_exceptions=True)
    return measured


async def _play(port: int, games: int, request: dict[str, Any], think: float, key: int, measured: Clicks) -> None:
    """One person: any legal move, then the player's reply."""
    game = {"game": request["game"]}
    try:
        async with WebClient(port) as client:
            for number in range(games):
                position = await client.ask("position", game)
                moves: list[int] = []
                while not position["over"]:
                    await asyncio.sleep(think)
                    drawn = int(chance.below(len(position["legal"]), key, 1000 * number + len(moves))[0])
                    moves.append(position["legal"][drawn])
                    position, spent = await timed(client, "position", {**game, "moves": moves})
                    measured.clicks.append(spent)
                    while not position["over"] and position["to_move"] != 1:
                        answer, spent = await timed(client, "move", {**request, "moves": moves})
                        measured.replies.append(spent)
                        moves.append(answer["cell"])
                        position = answer["position"]
                measured.games += 1
    except (OSError, ValueError, asyncio.IncompleteReadError, ZeroplyError) as error:
        measured.errors.append(str(error) or type(error).__name__)


async def _search(port: int) -> None:
    async with WebClient(port) as client:
        while True:
            await client.ask("move", SEARCH)


async def timed(client: WebClient, path: str, question: dict[str, Any]) -> tuple[Any, float]:
    """The answer to a question, and how long it took."""
    begun = time.perf_counter()
    answer = await client.ask(path, question)
    return answer, time.perf_counter() - begun


class WebClient:
    """A persistent connection, as browsers use."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def __aenter__(self) -> WebClient:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._writer.close()

    async def ask(self, path: str, question: dict[str, Any]) -> Any:
        """The answer to a question."""
        self.send(path, question)
        status, content = await self.reply()
        if " 200 " not in status:
            raise ZeroplyError(f"{status}: {content[:200].decode(errors='replace')}")
        return json.loads(content)

    def send(self, path: str, question: dict[str, Any]) -> None:
        """Send a question."""
        body = json.dumps(question).encode()
        head = f"POST /api/{path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        self.send_bytes(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)

    def send_bytes(self, content: bytes) -> None:
        """Send anything."""
        self._writer.write(content)

    async def reply(self) -> tuple[str, bytes]:
        """The status line and the content of the next reply."""
        headers = (await self._reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = re.search(r"content-length: (\d+)", headers)
        return headers.partition("\r\n")[0], await self._reader.readexactly(int(length[1]) if length else 0)

    async def rest(self) -> bytes:
        """All that the server sends until it closes the connection."""
        with suppress(OSError):
            return await self._reader.read()
        return b""

    @property
    def ended(self) -> bool:
        """Whether the server has closed the connection."""
        return self._reader.at_eof() or self._reader.exception() is not None
