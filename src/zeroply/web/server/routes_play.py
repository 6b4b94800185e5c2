"""Routes for playing and looking inside: games, players, positions, moves, preferences, exact values, graphs."""

from __future__ import annotations

import typing
from typing import Annotated

from fastapi import APIRouter, Query

from zeroply.errors import ZeroplyError
from zeroply.games import GAMES, Facts, Game, game
from zeroply.records import read_ggf, read_sgf, read_transcripts
from zeroply.records.record import full_spec
from zeroply.records.transcripts import names_game
from zeroply.registry import Parameter, RegistryEntry
from zeroply.web.server import answers, evaluations, positions, schemas
from zeroply.web.server.state import CurrentState

router = APIRouter()

MOST_GAMES = 20
"""Games of a pasted text that are read; the first is shown."""


@router.get("/games")
async def games() -> list[schemas.GameInfo]:
    """All games with their options; the page opens with the first."""
    return [_info(GAMES.entry(name), game(name).facts) for name in GAMES.in_order()]


def _info(entry: RegistryEntry[Game], facts: Facts) -> schemas.GameInfo:
    options = [_option(facts, parameter) for parameter in entry.own]
    return schemas.GameInfo(name=entry.name, title=facts.title, help=entry.help, options=options)


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


@router.post("/position")
async def position(state: CurrentState, where: schemas.PositionRequest) -> schemas.Position:
    """The position after the moves."""
    return positions.describe(await state.replay(where))


@router.post("/move")
async def move(state: CurrentState, query: schemas.MoveRequest) -> schemas.MoveReply:
    """A player's move."""
    replayed = await state.replay(query)
    return await state.ask(query.player, replayed.game, lambda one: answers.move(one, replayed, query.seed))


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
