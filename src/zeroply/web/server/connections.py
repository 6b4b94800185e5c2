"""Connections with time limits, over uvicorn's HTTP protocol: none is kept by a client that sends or reads too slowly.

While a request is not complete, its head must arrive within HEAD_SECONDS and its body within BODY_SECONDS
(`middleware.py`); a reply must be read at a pace, and an idle connection is closed by uvicorn. If there are too many
connections, those that have waited longest for a request go first, so that half-sent requests never keep anybody out.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
"""Time for the head of a request, from the connection or from the first byte after an earlier request."""
BODY_SECONDS = 10.0
"""Time for the body of a request."""
READ_SECONDS = 20.0
"""Time for a client to read what was sent, once the buffers are full."""
IDLE_SECONDS = 15
"""Time between two requests over one connection."""
MAX_CONNECTIONS = 500
"""Connections at the same time."""


class LimitedConnection(H11Protocol):
    """A connection that is closed when a limit is reached."""

    _since = 0.0  # when the wait for a request began
    _waiting: asyncio.TimerHandle | None = None
    _reading: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Limit the time to the first request, and the number of connections."""
        super().connection_made(transport)
        self._since = self.loop.time()
        self._watch()
        if len(self.connections) > MAX_CONNECTIONS:
            waiting = [one for one in self.connections if isinstance(one, LimitedConnection) and one._is_waiting()]
            min(waiting, key=lambda one: one._since)._abort()

    def data_received(self, data: bytes) -> None:
        """Take in data; requests that do not wait for the reply to the one before are not accepted."""
        super().data_received(data)
        if not self._is_waiting() and self.conn.their_state is h11.DONE and self.conn.trailing_data[0]:
            self._abort()  # as no more is read then, it would not be noticed if the client left
        self._watch()

    def on_response_complete(self) -> None:
        """Limit the time to the next request if its beginning is already here."""
        super().on_response_complete()
        self._since = self.loop.time()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all timers."""
        super().connection_lost(exc)
        for timer in (self._waiting, self._reading):
            if timer is not None:
                timer.cancel()

    def pause_writing(self) -> None:
        """Limit the time that the client takes to read."""
        super().pause_writing()
        self._reading = self.loop.call_later(READ_SECONDS, self._abort)

    def resume_writing(self) -> None:
        """End that limit."""
        super().resume_writing()
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    def _is_waiting(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _watch(self) -> None:
        """Start the time limit for the head of a request, or end it."""
        idle = self.timeout_keep_alive_task is not None
        if self._is_waiting() and not idle and not self.transport.is_closing():
            if self._waiting is None:
                self._waiting = self.loop.call_later(HEAD_SECONDS, self._abort)
        elif self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _abort(self, *_: Any) -> None:
        self.transport.abort()
