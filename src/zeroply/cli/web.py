"""`zeroply web`: serves the page on localhost."""

from __future__ import annotations

import re
import socket
import webbrowser
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from sys import setswitchinterval

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
    allow_host: UseAppendAction[tuple[str, ...]] = (),
    open: bool = False,
) -> None:
    """Play in the browser, look inside players, watch runs, read studies.

    Example: zeroply web --open

    Args:
        host: Address to listen on; by default only this machine can reach the page, with 0.0.0.0 every machine can.
        allow_host: Names or addresses by which other machines reach the page: --allow-host box.example
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
        from zeroply.web.server.connections import IDLE_SECONDS, LimitedConnection
    except ModuleNotFoundError as error:
        raise ZeroplyError(f"the page needs {error.name}: install it with pip install '.[web]'") from None
    if results is not None and not results.is_dir():
        raise ZeroplyError(f"there is no folder {results}: name one with results of studies")
    reports = [results] if results is not None else [folder for folder in RESULTS if folder.is_dir()]
    for spec in player:
        check_player(spec)
    everywhere = host in ("0.0.0.0", "::", "")
    if everywhere and not allow_host:
        raise ZeroplyError(
            "name the addresses by which other machines reach the page, as they are typed in a browser: "
            f"--host {host} --allow-host {socket.gethostname()}"
        )
    names = [*allow_host] if everywhere else [*allow_host, host]
    app = create_app(runs, reports, player, (*LOCAL, *(in_address(check_host(name)) for name in names)))
    listening = listen(host, port)
    shown = {socket.AF_INET6: "[::1]"}.get(listening.family, "127.0.0.1") if everywhere else in_address(host)
    address = f"http://{shown}:{listening.getsockname()[1]}/"
    console.print(f"zeroply is at [bold]{address}[/bold]  (Ctrl-C ends it)")
    if everywhere:
        console.print("anyone who can reach this machine can use it", style="yellow")
    if open:
        webbrowser.open(address)
    setswitchinterval(0.001)  # a click that waits for the interpreter gets it sooner
    config = uvicorn.Config(
        app,
        http=LimitedConnection,
        ws="none",
        log_level="warning",
        access_log=False,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
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


def check_host(name: str) -> str:
    """A host name or address without port; raises ZeroplyError if it is not one."""
    with suppress(ValueError):
        ip_address(name)
        return name
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,253}", name):
        raise ZeroplyError(
            f"{name!r} is not a host name or address: give it without http:// and port, like box.example"
        )
    return name


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
