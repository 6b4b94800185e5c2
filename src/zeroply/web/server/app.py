"""The application: which address answers what. Everything thought through happens in the modules beside it."""

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
from zeroply.web.server.desk import Desk
from zeroply.web.server.guard import Guard
from zeroply.web.server.routes_play import router as play
from zeroply.web.server.routes_results import router as results
from zeroply.web.server.work import BusyError

STATIC = Path(__file__).parents[1] / "static"
"""The page."""
LOCAL = ("127.0.0.1", "localhost", "[::1]")
"""Names of the own machine."""

_PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": schemas.Problem, "description": "The question makes no sense here"},
    413: {"model": schemas.Problem, "description": "The question is too long"},
    422: {"model": schemas.Problem, "description": "The question is not of the right form"},
    429: {"model": schemas.Problem, "description": "Too much is going on: ask again later"},
}


def create_app(
    runs: Path | None = None,
    results_folders: Sequence[Path] = (),
    given: Sequence[str] = (),
    hosts: Sequence[str] = LOCAL,
) -> FastAPI:
    """The application for folders of runs and of results, and for players given by the person who starts it."""
    desk = Desk(runs, results_folders, given)

    @asynccontextmanager
    async def while_open(_: FastAPI) -> AsyncIterator[None]:
        yield
        desk.close()

    app = FastAPI(
        title="zeroply",
        version=__version__,
        description="What the page of `zeroply web` asks. No games are kept: every question tells the whole game.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=while_open,
    )
    app.state.desk = desk
    app.include_router(play, prefix="/api", responses=_PROBLEMS)
    app.include_router(results, prefix="/api", responses=_PROBLEMS)

    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(STATIC / "index.html")

    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.add_exception_handler(ZeroplyError, _bad_question)
    app.add_exception_handler(RequestValidationError, _bad_form)
    app.add_exception_handler(BusyError, _busy)
    app.add_middleware(Guard, hosts=hosts)
    return app


async def _bad_question(_: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": str(error)}, 400)


async def _bad_form(_: Request, error: Exception) -> JSONResponse:
    """The first thing that is wrong, in a sentence."""
    first = error.errors()[0] if isinstance(error, RequestValidationError) else {}
    place = ".".join(str(part) for part in first.get("loc", ())[1:])
    return JSONResponse({"detail": f"{place or 'the question'}: {first.get('msg', 'is not of the right form')}"}, 422)


async def _busy(_: Request, __: Exception) -> JSONResponse:
    return JSONResponse({"detail": "too much is going on: try again in a moment"}, 429, {"retry-after": "1"})
