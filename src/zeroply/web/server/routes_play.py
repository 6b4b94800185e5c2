"""Routes for playing and looking inside: games, players, positions, moves, preferences, values, reviews."""

from __future__ import annotations

import typing
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse

from zeroply.errors import ZeroplyError
from zeroply.games import GAMES, Facts, Game, game
from zeroply.records import read_ggf, read_sgf, read_transcripts
from zeroply.records.record import full_spec
from zeroply.records.transcripts import names_game
from zeroply.registry import Parameter, RegistryEntry
from zeroply.specs import Spec
from zeroply.web.server import answers, evaluations, positions, review, schemas
from zeroply.web.server.state import CurrentState
from zeroply.web.server.thread_pool import BusyError

router = APIRouter()

_LINES: dict[int | str, dict[str, Any]] = {
    200: {"description": "Lines of JSON, each a `Review`", "content": {"application/x-ndjson": {}}}
}

MOST_GAMES = 20
"""Games of a pasted text that are read; the first is shown."""


@router.get("/games")
async def games() -> list[schemas.GameInfo]:
    """All games with their options; the page opens with the first."""
    return [_info(GAMES.entry(name), game(name).facts) for name in GAMES.in_order()]


def _info(entry: RegistryEntry[Game], facts: Facts) -> schemas.GameInfo:
    options = [_option(facts, parameter) for parameter in entry.own]
    sized = any(parameter.name == "size" for parameter in entry.own)
    notation = game(Spec(entry.name, **({"size": max(facts.sizes)} if sized else {}))).notation
    return schemas.GameInfo(
        name=entry.name,
        title=facts.title,
        help=entry.help,
        options=options,
        sgf=facts.sgf.number if facts.sgf else None,
        without_i="I" not in notation.letters.upper(),
        column_i=facts.column_i,
        ggf=facts.ggf,
        from_top=notation.from_top,
    )


def _option(facts: Facts, parameter: Parameter) -> schemas.Option:
    kind: typing.Literal["whole", "yes-no", "choice"] = "whole"
    values: list[int | str] = list(facts.offered.get(parameter.name, ()))
    if parameter.type is bool:
        kind, values = "yes-no", []
    elif typing.get_origin(parameter.type) is typing.Literal:
        kind, values = "choice", list(typing.get_args(parameter.type))
    return schemas.Option(name=parameter.name, help=parameter.help, kind=kind, default=parameter.default, values=values)


@router.get("/players")
async def players(
    state: CurrentState, game_spec: Annotated[schemas.GameSpec, Query(alias="game")]
) -> list[schemas.OfferedPlayer]:
    """All players of a game."""
    wanted = game(game_spec)
    return await state.quick.run(lambda: state.players.opponents(wanted))


@router.get("/player")
async def one_player(
    state: CurrentState,
    game_spec: Annotated[schemas.GameSpec, Query(alias="game")],
    name: Annotated[schemas.PlayerName, Query(alias="player")],
) -> schemas.CheckedPlayer:
    """Whether a player can be used in a game: it is built, or the request is refused."""
    return await state.ask(name, game(game_spec), lambda _: schemas.CheckedPlayer(player=name))


@router.post("/position")
async def position(state: CurrentState, where: schemas.PositionRequest) -> schemas.Position:
    """The position after the moves."""
    return positions.describe(await state.replay(where))


@router.post("/move")
async def move(state: CurrentState, query: schemas.MoveRequest) -> schemas.MoveReply:
    """A player's move."""
    replayed = await state.replay(query)
    return await state.ask(query.player, replayed.game, lambda one: answers.move(one, replayed, query))


@router.post("/preferences")
async def preferences(state: CurrentState, query: schemas.PlayerRequest) -> schemas.Preferences:
    """A player's preference for each move."""
    replayed = await state.replay(query)
    return await state.ask(query.player, replayed.game, lambda one: answers.preferences(one, replayed, query.player))


@router.post("/inside")
async def inside(state: CurrentState, query: schemas.PlayerRequest) -> schemas.FirstLayer:
    """The first layer of a net, computed for a position."""
    replayed = await state.replay(query)
    return await state.ask(query.player, replayed.game, lambda one: answers.inside(one, replayed, query.player))


@router.post("/exact")
async def exact(state: CurrentState, where: schemas.PositionRequest) -> schemas.Exact:
    """The exact value of every move in an ending."""
    replayed = await state.replay(where)
    return await state.slow.run(lambda: evaluations.exact_values(replayed))


@router.post("/graph")
async def graph(state: CurrentState, where: schemas.PositionRequest) -> schemas.Graph:
    """The evaluation of every position of a game."""
    replayed = await state.replay(where)
    return await state.slow.run(lambda: evaluations.graph(replayed))


@router.post("/hints")
async def hints(state: CurrentState, where: schemas.PositionRequest) -> schemas.Hints:
    """The best moves of a position."""
    replayed = await state.replay(where)
    return await state.slow.run(lambda: review.hints(replayed))


@router.post("/review", response_class=StreamingResponse, responses=_LINES)
async def reviewed(state: CurrentState, query: schemas.ReviewRequest) -> StreamingResponse:
    """A game reviewed move by move from its end, as lines of JSON."""
    replayed = await state.replay(query)
    blocks = review.blocks(replayed, deep=query.deep)

    async def lines() -> AsyncIterator[str]:
        """Each block is judged by itself, so nothing is judged any more once the client has left."""
        yield _line(schemas.Review(start=review.begin(replayed.game, deep=query.deep)))
        try:
            while (block := await state.slow.run(lambda: next(blocks, None))) is not None:
                yield _line(schemas.Review(moves=review.rows(replayed, block)))
        except ZeroplyError as error:
            yield _line(schemas.Review(problem=str(error)))
        except BusyError:
            yield _line(schemas.Review(problem="the server is busy: try again in a moment"))

    return StreamingResponse(lines(), media_type="application/x-ndjson")


def _line(one: schemas.Review) -> str:
    return one.model_dump_json(exclude_defaults=True) + "\n"


@router.post("/record")
async def record(state: CurrentState, query: schemas.RecordRequest) -> schemas.Record:
    """The first game of a pasted text."""
    return await state.texts.run(lambda: read_record(query))


def read_record(query: schemas.RecordRequest) -> schemas.Record:
    """The first game of a text; the others are only counted, up to MOST_GAMES."""
    text = query.text.strip()
    wanted = game(query.game) if query.game is not None else None
    if text.startswith("("):
        records = read_ggf(text, most=MOST_GAMES) if "GM[OTHELLO]" in text.upper() else read_sgf(text, most=MOST_GAMES)
    else:
        records = read_transcripts(text, None if names_game(text) else wanted, "the text", MOST_GAMES)
    if not records:
        raise ZeroplyError("no game in this text: paste moves such as f5d6c3, or GGF or SGF")
    first = records[0]
    return schemas.Record(
        game=str(full_spec(first.game)),
        setup=first.setup,
        moves=list(first.moves),
        black=first.black,
        white=first.white,
        games=len(records),
    )
