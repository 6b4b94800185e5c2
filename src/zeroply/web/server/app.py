"""The FastAPI application: routes, error replies and the static page. The modules beside it do the work."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles

from zeroply import __version__
from zeroply.errors import ZeroplyError
from zeroply.web.server import schemas
from zeroply.web.server.middleware import RequestFilter
from zeroply.web.server.routes_play import router as play
from zeroply.web.server.routes_results import router as results
from zeroply.web.server.state import AppState
from zeroply.web.server.thread_pool import BusyError

STATIC = Path(__file__).parents[1] / "static"
"""The page."""
LOCAL = ("127.0.0.1", "localhost", "[::1]")
"""Host names of this machine."""

_PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": schemas.ErrorReply, "description": "The request cannot be answered"},
    413: {"model": schemas.ErrorReply, "description": "The request is too long"},
    422: {"model": schemas.ErrorReply, "description": "The request has the wrong form"},
    429: {"model": schemas.ErrorReply, "description": "The server is busy: try again later"},
}


def create_app(
    runs: Path | None = None,
    results_folders: Sequence[Path] = (),
    given: Sequence[str] = (),
    hosts: Sequence[str] = LOCAL,
) -> FastAPI:
    """The application for a folder of runs, folders of study results, and players named when the server is started."""
    state = AppState(runs, results_folders, given)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        state.close()

    app = FastAPI(
        title="zeroply",
        version=__version__,
        description="The API behind the page of `zeroply web`. Every request contains the whole game; none is stored.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=lifespan,
    )
    app.state.zeroply = state
    app.include_router(play, prefix="/api", responses=_PROBLEMS)
    app.include_router(results, prefix="/api", responses=_PROBLEMS)

    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(STATIC / "index.html")

    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.add_exception_handler(ZeroplyError, _bad_request)
    app.add_exception_handler(RequestValidationError, _invalid_request)
    app.add_exception_handler(BusyError, _busy)
    app.add_middleware(RequestFilter, hosts=hosts)
    return app


async def _bad_request(_: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": str(error)}, 400)


async def _invalid_request(_: Request, error: Exception) -> JSONResponse:
    """The first error as a sentence."""
    first = error.errors()[0] if isinstance(error, RequestValidationError) else {}
    place = ".".join(str(part) for part in first.get("loc", ())[1:])
    return JSONResponse({"detail": f"{place or 'the request'}: {first.get('msg', 'has the wrong form')}"}, 422)


async def _busy(_: Request, __: Exception) -> JSONResponse:
    return JSONResponse({"detail": "the server is busy: try again in a moment"}, 429, {"retry-after": "1"})
