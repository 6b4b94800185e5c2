"""Routes for runs and studies."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, HTTPException, Path, Query
from fastapi.responses import FileResponse

from zeroply.web.server import coevolution, schemas
from zeroply.web.server.state import CurrentState

router = APIRouter()
T = TypeVar("T")

RunId = Annotated[str, Path(min_length=1, max_length=40)]
StudyId = Annotated[str, Path(min_length=1, max_length=200)]
_UNKNOWN: dict[int | str, dict[str, Any]] = {404: {"model": schemas.ErrorReply, "description": "Not found"}}


def _found(value: T | None, what: str) -> T:
    if value is None:
        raise HTTPException(404, f"no such {what}")
    return value


@router.get("/runs")
async def runs(state: CurrentState) -> list[schemas.RunRow]:
    """The runs on disk, newest first."""
    return await state.quick.run(state.runs.rows)


@router.get("/runs/{run}", responses=_UNKNOWN)
async def run(state: CurrentState, run: RunId) -> schemas.RunDetail:
    """A run and its nets."""
    return _found(await state.quick.run(lambda: state.runs.detail(run)), "run")


@router.get("/runs/{run}/curves", responses=_UNKNOWN)
async def curves(
    state: CurrentState,
    run: RunId,
    after: Annotated[int, Query(ge=0, lt=2**53)] = 0,
    reading: Annotated[str, Query(max_length=20)] = "",
) -> schemas.RunCurves:
    """New events of a run since the last request for the same reading of its log; otherwise all."""
    return _found(await state.quick.run(lambda: state.runs.curves(run, after, reading)), "run")


@router.get("/runs/{run}/ciao", responses=_UNKNOWN)
async def ciao(state: CurrentState, run: RunId) -> schemas.Ciao:
    """The champions of a run against each other."""
    return _found(await state.slow.run(lambda: coevolution.ciao(state.runs, run)), "run")


@router.get("/studies")
async def studies(state: CurrentState) -> list[schemas.StudyRow]:
    """All studies, with results first."""
    return await state.quick.run(state.reports.rows)


@router.get("/studies/{study}", responses=_UNKNOWN)
async def study(state: CurrentState, study: StudyId) -> schemas.StudyReport:
    """The report of a study."""
    return _found(await state.quick.run(lambda: state.reports.report(study)), "report")


@router.get("/studies/{study}/figures/{figure}", responses=_UNKNOWN, response_class=FileResponse)
async def figure(state: CurrentState, study: StudyId, figure: Annotated[str, Path(max_length=200)]) -> FileResponse:
    """A figure of a report."""
    path = await state.quick.run(lambda: state.reports.figure(study, figure))
    return FileResponse(_found(path, "figure"), media_type="image/png")
