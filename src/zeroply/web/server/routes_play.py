"""Addresses for playing and looking inside: games, players, positions, moves, preferences, exact values, graphs."""

from __future__ import annotations

import typing
from typing import Annotated

from fastapi import APIRouter, Query, Request

from zeroply.errors import ZeroplyError
from zeroply.games import GAMES, Facts, Game, game
from zeroply.records import read_ggf, read_sgf, read_transcripts
from zeroply.records.record import full_spec
from zeroply.records.transcripts import names_game
from zeroply.registry import Entry, Parameter
from zeroply.web.server import answers, evaluations, positions, schemas
from zeroply.web.server.state import state_of

router = APIRouter()


@router.get("/games")
async def games() -> list[schemas.GameInfo]:
    """All games with their options."""
    return [_info(GAMES.entry(name), game(name).facts) for name in GAMES]


def _info(entry: Entry[Game], facts: Facts) -> schemas.GameInfo:
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
    request: Request, game_spec: Annotated[schemas.GameSpec, Query(alias="game")]
) -> list[schemas.Opponent]:
    """Everyone who plays a game."""
    the_game = game(game_spec)
    return await state_of(request).quick.run(lambda: state_of(request).players.opponents(the_game))


@router.post("/position")
async def position(where: schemas.Where) -> schemas.Position:
    """The position after the moves."""
    return positions.shown(positions.reach(where))


@router.post("/move")
async def move(request: Request, asked: schemas.MoveAsked) -> schemas.Moved:
    """What a player plays."""
    reached = positions.reach(asked)
    return await state_of(request).ask(
        asked.player, reached.game, lambda player: answers.move(player, reached, asked.seed)
    )


@router.post("/preferences")
async def preferences(request: Request, asked: schemas.Asked) -> schemas.Preferences:
    """How much a player likes each move."""
    reached = positions.reach(asked)
    return await state_of(request).ask(
        asked.player, reached.game, lambda player: answers.preferences(player, reached, asked.player)
    )


@router.post("/inside")
async def inside(request: Request, asked: schemas.Asked) -> schemas.Inside:
    """What the first layer of a net makes of a position."""
    reached = positions.reach(asked)
    return await state_of(request).ask(
        asked.player, reached.game, lambda player: answers.inside(player, reached, asked.player)
    )


@router.post("/exact")
async def exact(request: Request, where: schemas.Where) -> schemas.Exact:
    """The exact value of every move in an ending."""
    reached = positions.reach(where)
    return await state_of(request).slow.run(lambda: evaluations.exact_values(reached))


@router.post("/graph")
async def graph(request: Request, asked: schemas.GraphAsked) -> schemas.Graph:
    """The evaluation of every position from the first that is wanted."""
    reached = positions.reach(asked)
    if asked.first >= len(reached.positions):
        raise ZeroplyError(f"the game has {len(reached.moves)} moves: there is no position {asked.first}")
    return await state_of(request).slow.run(lambda: evaluations.graph(reached, asked.first))


@router.post("/record")
async def record(request: Request, asked: schemas.RecordAsked) -> schemas.Record:
    """The first game of a text that a person has pasted."""
    return await state_of(request).quick.run(lambda: _read(asked))


def _read(asked: schemas.RecordAsked) -> schemas.Record:
    text = asked.text.strip()
    wanted = game(asked.game) if asked.game is not None else None
    if text.startswith("("):
        found = read_ggf(text) if "GM[OTHELLO]" in text.upper() else read_sgf(text)
    else:
        found = read_transcripts(text, None if names_game(text) else wanted, "the text")
    if not found:
        raise ZeroplyError("there is no game in this text: paste moves such as f5d6c3, or GGF or SGF")
    first = found[0]
    return schemas.Record(
        game=str(full_spec(first.game)),
        setup=first.setup,
        moves=list(first.moves),
        black=first.black,
        white=first.white,
        games=len(found),
    )
