"""Checks on every request (host, origin, size) and security headers on every response.

Only requests for the host names the server was started with are answered, which defeats DNS rebinding. The API answers
only requests from its own page (`Sec-Fetch-Site`). A content security policy keeps the page from loading or running
anything from elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY = 300_000
"""Bytes of a request body."""
TOO_LONG = (413, f"a request body may have at most {MAX_BODY} bytes")

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
_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]


class RequestFilter:
    """ASGI middleware around the application."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str]) -> None:
        """`hosts` are the accepted host names and addresses; `*` accepts all."""
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

        refusal = self._refusal(scope["path"], dict(scope["headers"]))
        body = None if refusal else await _read_body(receive)
        if body is None:
            status, detail = refusal or TOO_LONG
            await JSONResponse({"detail": detail}, status)(scope, receive, send_with_headers)
        else:
            await self._app(scope, _replay_body(body, receive), send_with_headers)

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
        name = host.lower()
        name = name[: name.find("]") + 1] if name.startswith("[") else name.partition(":")[0]
        return "*" in self._hosts or name in self._hosts


async def _read_body(receive: Receive) -> bytes | None:
    """The body of a request; None if it is too large, whatever its content-length says."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b"".join(parts)
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MAX_BODY:
            return None
        if not message.get("more_body"):
            return b"".join(parts)


def _replay_body(body: bytes, receive: Receive) -> Receive:
    """A `receive` that returns the body that was read, then further messages."""
    replayed = False

    async def from_memory() -> Message:
        nonlocal replayed
        if replayed:
            return await receive()
        replayed = True
        return {"type": "http.request", "body": body, "more_body": False}

    return from_memory
