"""Checks on every request (host, origin, size, time), and security headers on every response.

Only requests for the host names the server was started with are answered, which defeats DNS rebinding. The API answers
only requests from its own page (`Sec-Fetch-Site`). A content security policy keeps the page from loading or running
anything from elsewhere. When the client goes away its request is cancelled, with all work for it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from zeroply.web.server.connections import BODY_SECONDS
from zeroply.web.server.thread_pool import CLIENT, Client

MAX_BODY = 300_000
"""Bytes of a request body."""
TOO_LONG = (413, f"a request body may have at most {MAX_BODY} bytes")
TOO_SLOW = (408, f"the body of the request did not arrive within {BODY_SECONDS:.0f} seconds")

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-cache",
}
_OWN = (b"same-origin", b"none")  # sent for our own page, and for an address typed by a person
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^:\[\]]+)(?::[0-9]{1,5})?")
_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]


class RequestFilter:
    """ASGI middleware around the application."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str]) -> None:
        """`hosts` are the accepted host names and addresses."""
        self._app = app
        self._hosts = {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name.lower() for name, _ in message.get("headers", [])}
                added = [(name, value) for name, value in _HEADERS if name not in own]
                message = {**message, "headers": [*message.get("headers", []), *added]}
            await send(message)

        headers = dict(scope["headers"])
        refusal = self._refusal(scope["path"], headers)
        body = refusal or await _read_body(receive)
        if isinstance(body, tuple):
            status, detail = body
            reply = JSONResponse({"detail": detail}, status, {"connection": "close"})  # its body was not read
            await reply(scope, receive, send_with_headers)
            return
        tab = headers.get(b"x-zeroply-tab", b"").decode("latin-1")[:40]
        CLIENT.set(Client((scope.get("client") or ("", 0))[0], tab))
        await _while_connected(self._app, scope, body, receive, send_with_headers)

    def _refusal(self, path: str, headers: dict[bytes, bytes]) -> tuple[int, str] | None:
        """The status and the reason if a request is refused by its headers."""
        if not self.accepts(headers.get(b"host", b"").decode("latin-1")):
            return 400, "this server does not answer requests for that host name"
        if path.startswith("/api/") and headers.get(b"sec-fetch-site", b"none") not in _OWN:
            return 403, "requests from other sites are refused"
        length = headers.get(b"content-length", b"0")
        return TOO_LONG if not length.isdigit() or int(length[:20]) > MAX_BODY else None

    def accepts(self, host: str) -> bool:
        """Whether requests with this Host header are answered."""
        written = _HOST.fullmatch(host.lower())
        return written is not None and written[1] in self._hosts


async def _while_connected(app: ASGIApp, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
    """Run the application; if the client disconnects before it has the whole reply, cancel it."""
    answering, gone = asyncio.current_task(), asyncio.Event()

    async def watch() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        gone.set()
        if answering is not None:
            answering.cancel()

    watching = asyncio.ensure_future(watch())
    try:
        await app(scope, _replay_body(body, gone), send)
    except asyncio.CancelledError:
        if not gone.is_set() or answering is None or answering.uncancel() > 0:
            raise  # not by the watch alone
    finally:
        watching.cancel()


async def _read_body(receive: Receive) -> bytes | tuple[int, str]:
    """The body of a request, or the status and the reason if it is too large, whatever its head says, or too slow."""
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while size <= MAX_BODY:
                message = await receive()
                if message["type"] != "http.request":
                    return b"".join(parts)
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size <= MAX_BODY and not message.get("more_body"):
                    return b"".join(parts)
    except TimeoutError:
        return TOO_SLOW
    return TOO_LONG


def _replay_body(body: bytes, gone: asyncio.Event) -> Receive:
    """A `receive` that returns the body that was read, then waits until the client disconnects."""
    replayed = False

    async def from_memory() -> Message:
        nonlocal replayed
        if not replayed:
            replayed = True
            return {"type": "http.request", "body": body, "more_body": False}
        await gone.wait()
        return {"type": "http.disconnect"}

    return from_memory
