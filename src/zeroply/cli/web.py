"""`zeroply web`: serves the page on localhost."""

from __future__ import annotations

import socket
import webbrowser
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path

from tyro.conf import UseAppendAction

from zeroply.cli.output import console
from zeroply.errors import ZeroplyError

RESULTS = (Path("results"), Path("docs/results"))
"""Default folders for results of studies: the user's own first, then those of a clone."""


def web(
    host: str = "127.0.0.1",
    port: int = 8000,
    runs: Path = Path("runs"),
    results: Path | None = None,
    player: UseAppendAction[tuple[str, ...]] = (),
    open: bool = False,
) -> None:
    """Play in the browser, look inside players, watch runs, read studies.

    Example: zeroply web --open

    Args:
        host: Address to listen on; by default only this machine can reach the page, with 0.0.0.0 every machine can.
        port: Port to listen on; 0 for any free port.
        runs: Folder whose runs are shown.
        results: Folder with results of studies; by default both results and docs/results.
        player: Specs of further players to offer, such as programs: --player 'gtp("gnugo --mode gtp")'.
        open: Open the page in the browser.
    """
    if not 0 <= port <= 65535:
        raise ZeroplyError(f"a port is a number from 0 to 65535, not {port}")
    try:
        import uvicorn

        from zeroply.web.server.app import LOCAL, create_app
    except ModuleNotFoundError as error:
        raise ZeroplyError(f"the page needs {error.name}: install it with pip install '.[web]'") from None
    if results is not None and not results.is_dir():
        raise ZeroplyError(f"there is no folder {results}: name one with results of studies")
    reports = [results] if results is not None else [folder for folder in RESULTS if folder.is_dir()]
    for spec in player:
        check_player(spec)
    everywhere = host in ("0.0.0.0", "::", "")
    app = create_app(runs, reports, player, ("*",) if everywhere else (*LOCAL, in_address(host)))
    listening = listen(host, port)
    shown = {socket.AF_INET6: "[::1]"}.get(listening.family, "127.0.0.1") if everywhere else in_address(host)
    address = f"http://{shown}:{listening.getsockname()[1]}/"
    console.print(f"zeroply is at [bold]{address}[/bold]  (Ctrl-C ends it)")
    if everywhere:
        console.print("anyone who can reach this machine can use it", style="yellow")
    if open:
        webbrowser.open(address)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=1))
    with suppress(KeyboardInterrupt):  # the usual way to stop a server
        server.run(sockets=[listening])


def check_player(spec: str) -> None:
    """Raise ZeroplyError if a player cannot be built for any game; other board sizes than the default are not tried."""
    from zeroply.games import GAMES
    from zeroply.players import player

    refusals: dict[str, str] = {}
    for game in GAMES:
        try:
            player(spec, game).close()
        except ZeroplyError as error:
            refusals[game] = str(error)
        else:
            return
    if len(set(refusals.values())) == 1:
        raise ZeroplyError(next(iter(refusals.values())))
    for game, said in refusals.items():
        if game not in said:  # it is not the game that is refused
            raise ZeroplyError(said)


def in_address(host: str) -> str:
    """A host as part of a URL: IPv6 addresses in brackets and in canonical form."""
    try:
        number = ip_address(host)
    except ValueError:
        return host
    return f"[{number}]" if number.version == 6 else str(number)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; raises ZeroplyError if the address cannot be used."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(128)  # requests that arrive before the server is ready wait
        return listening
    except OSError as error:
        raise ZeroplyError(
            f"cannot listen at {host}, port {port}: {error.strerror or error}; choose another with --port"
        ) from None
