"""What clients do to a web server that other clients should not notice: searches that nobody waits for any more, long
pasted texts, and requests that are never finished.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Any

from zeroply.bench.web import SEARCH, WebClient, server, timed

ABANDONED = 20
"""Searches whose clients leave."""
PASTES = 40
"""Texts pasted at once."""
PASTED = 100_000
"""Characters of each."""
HALF_SENT = 200
"""Requests that are never finished, half of them in their head and half in their body."""
PATIENCE = 25.0
"""Seconds until a connection counts as never closed."""


@dataclass(frozen=True)
class Trouble:
    """What one kind of trouble cost other clients."""

    what: str
    """The trouble and what was measured."""
    seconds: list[float]
    """The measured times."""
    allowed: float
    """The longest time that is acceptable."""

    def row(self) -> dict[str, Any]:
        """The figures for tables."""
        worst = max(self.seconds)
        return {"what": self.what, "slowest": worst, "allowed": self.allowed, "met": worst <= self.allowed}


def measure_trouble(program: str | None = None) -> list[Trouble]:
    """All kinds, one after another, at a new server; `program` is another zeroply."""

    async def all_kinds(port: int) -> list[Trouble]:
        return [await abandoned(port), await pasted(port), await half_sent(port)]

    with server(program) as (port, _):
        return asyncio.run(all_kinds(port))


async def abandoned(port: int, searches: int = ABANDONED, rounds: int = 3) -> Trouble:
    """Clients ask for long searches and leave; then another one asks for a short search."""
    found = []
    async with WebClient(port) as other:
        short = {"game": "othello", "player": "engine(depth=2)"}
        await other.ask("move", short)  # builds the player
        for _ in range(rounds):
            left = [WebClient(port) for _ in range(searches)]
            for number, client in enumerate(left):
                await client.__aenter__()
                client.send("move", {**SEARCH, "moves": [112, 113, 97, number]})
            await asyncio.sleep(0.3)
            for client in left:
                client.close()
            found.append((await timed(other, "move", short))[1])
            await asyncio.sleep(0.5)
    return Trouble(f"a short search after {searches} abandoned ones", found, 0.3)


def longest_texts(length: int) -> list[str]:
    """Texts that are much work to read: many games as transcripts, SGF and GGF, and lines that are none."""
    game = "f5d6c3d3c4f4c5b3c2e6c6b4b5d2e3a6c1b6f3"
    ggf = "(;GM[Othello]TY[8]" + "".join(f"{'BW'[i % 2]}[{game[2 * i : 2 * i + 2]}]" for i in range(19)) + ";)"
    parts = ("# game: othello\n" + f"{game}\n", "(;GM[2]SZ[8];B[cd];W[cc])", ggf, "f5d6\nx\n", "f5")
    return [(part * (1 + length // len(part)))[:length] for part in parts]


async def pasted(port: int, pastes: int = PASTES, length: int = PASTED) -> Trouble:
    """Clients paste long texts at once; meanwhile another one plays against a net."""
    texts = longest_texts(length)
    found: list[float] = []
    async with WebClient(port) as other:
        net = {"game": "othello", "player": "net(othello)"}
        await other.ask("move", net)
        pasting = [asyncio.ensure_future(_paste(port, texts[i % len(texts)])) for i in range(pastes)]
        while not found or not all(task.done() for task in pasting):
            found.append((await timed(other, "move", {**net, "moves": [37, (43, 45, 29)[len(found) % 3]]}))[1])
        await asyncio.gather(*pasting)
    return Trouble(f"a net's move while {pastes} texts of {length // 1000} kB are pasted", found, 0.3)


async def _paste(port: int, text: str) -> None:
    async with WebClient(port) as client:
        client.send("record", {"text": text, "game": "othello"})
        await client.reply()  # a text without a game is refused


async def half_sent(port: int, requests: int = HALF_SENT) -> Trouble:
    """Clients begin requests and send no more: the time until the server has closed each connection."""
    begun = time.perf_counter()
    head = b"POST /api/move HTTP/1.1\r\nhost: 127.0.0.1\r\n"
    body = b'content-type: application/json\r\ncontent-length: 1000\r\n\r\n{"game": "othello",'

    async def closed_after(number: int) -> float:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head + (body if number % 2 else b""))
        try:
            async with asyncio.timeout(PATIENCE):
                await reader.read()
        except (TimeoutError, OSError):
            pass
        finally:
            writer.close()
        return time.perf_counter() - begun

    found = await asyncio.gather(*(closed_after(number) for number in range(requests)))
    return Trouble(f"closing each of {requests} half-sent requests", list(found), 15.0)
