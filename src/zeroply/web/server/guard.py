"""What stands before every request: the host it is meant for, who asks, the size of what is sent, and strict headers.

A page of another site cannot reach the server through a name of its own (DNS rebinding), since only the names it was
started for are answered; browsers say which site asks, and only the own page gets answers to its questions; and nothing
that is not its own may run in the page or be loaded by it.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_BYTES = 300_000
"""Of the body of a request."""

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
_OWN = (b"same-origin", b"none")  # what browsers say of the own page, and of an address that a person has typed
_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]


class Guard:
    """Wraps the application."""

    def __init__(self, app: App, hosts: Sequence[str]) -> None:
        """`hosts` are the names and addresses that are answered; `*` answers all."""
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
        if not self._is_for_us(headers.get(b"host", b"").decode("latin-1")):
            await _refuse(send_with_headers, 400, "this server does not answer to that host name")
            return
        if scope["path"].startswith("/api/") and headers.get(b"sec-fetch-site", b"none") not in _OWN:
            await _refuse(send_with_headers, 403, "pages of other sites get no answers here")
            return
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length[:20]) > MOST_BYTES:
            await _refuse(send_with_headers, 413, f"a request has at most {MOST_BYTES} bytes")
            return
        body = await _whole(receive)
        if body is None:
            await _refuse(send_with_headers, 413, f"a request has at most {MOST_BYTES} bytes")
            return
        await self._app(scope, _again(body, receive), send_with_headers)

    def _is_for_us(self, host: str) -> bool:
        name = host.lower()
        name = name[: name.find("]") + 1] if name.startswith("[") else name.partition(":")[0]
        return "*" in self._hosts or name in self._hosts


async def _whole(receive: Receive) -> bytes | None:
    """The body of a request; None if it is too large, whatever its header said."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b"".join(parts)
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MOST_BYTES:
            return None
        if not message.get("more_body"):
            return b"".join(parts)


def _again(body: bytes, receive: Receive) -> Receive:
    """Gives the body once more, then what else comes."""
    told = False

    async def from_memory() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return from_memory


async def _refuse(send: Send, status: int, detail: str) -> None:
    body = json.dumps({"detail": detail}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
