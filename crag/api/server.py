"""Running the application: binding, refusing what is unsafe, and leaving a note of where the server listens."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import logging
import os
import socket
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from chunking.errors import ConfigError
from crag.api.keys import KeyRing
from crag.app import Crag
from crag.client import NOTE
from crag.pipeline import Pipeline
from crag.settings import API_KEY, Limits, cors_origins

LAST_SECONDS = 4
"""That a process which was told to end has beyond the time of running answers: with those it is within the ten that
container engines wait before they kill."""

logger = logging.getLogger("crag.api")


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def bind(host: str, port: int, keys: KeyRing) -> socket.socket:
    """A listening socket. Raises ConfigError for a port in use, a bad address, or an open door without a key."""
    if not is_loopback(host) and not keys:
        raise ConfigError(
            f"Serving on {host} would open the documents to others: make a key with 'crag keys add NAME' (or set "
            f"{API_KEY} to one that clients must send), or leave --host out to serve this machine only."
        )
    another = port + 1 if port < 65535 else port - 1
    return listen(host, port, f"crag serve --port {another}, in a clone also make run PORT={another}")


def listen(host: str, port: int, another: str = "--port N") -> socket.socket:
    """A listening socket. Raises ConfigError for a port in use (`another` says how to choose one) or a bad address."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=256)
    except OSError as error:
        if error.errno == 98 or "in use" in str(error):
            raise ConfigError(
                f"Port {port} on {host} is in use: stop what listens there, or choose another ({another})."
            ) from error
        raise ConfigError(f"Cannot listen on {host}, port {port}: {error.strerror or error}.") from error


@contextlib.contextmanager
def note(home: Path, bound: socket.socket) -> Iterator[None]:
    """Keep the note of where the server listens in the workspace while it runs."""
    host, port = bound.getsockname()[:2]
    path = home / NOTE
    fresh = path.with_suffix(f".{os.getpid()}")
    fresh.write_text(json.dumps({"host": host, "port": port, "pid": os.getpid()}))
    fresh.replace(path)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def _end_within(seconds: float, home: Path) -> None:
    """End the process then, whatever it waits for: an embedding endpoint that does not answer, a file that is read.

    The workspace is as after a kill, which it is made for: nothing is half, and jobs go on with the next start.
    """

    def end() -> None:
        logger.warning(
            "Work that could not be broken off was left after %s s; the next start goes on with it.", seconds
        )
        (home / NOTE).unlink(missing_ok=True)
        os._exit(0)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()


def serve(
    crag: Crag, pipelines: Sequence[Pipeline], bound: socket.socket, keys: KeyRing, *, runs: Path | None = None
) -> None:
    """Serve until interrupted; running answers then get `Limits.stop_seconds`, and are told when that is over.

    Raises KeyboardInterrupt, as uvicorn does. The process has `LAST_SECONDS` more to end by itself.
    """
    import uvicorn

    from crag.api.app import create_app
    from crag.api.heads import bounded

    limits = Limits.from_environment()
    home = crag.workspace.home

    class Server(uvicorn.Server):
        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            app.state.stopping.begin()
            _end_within(limits.stop_seconds + LAST_SECONDS, home)
            late = asyncio.get_running_loop().call_later(limits.stop_seconds, app.state.stopping.end)
            await super().shutdown(sockets)
            late.cancel()

    loopback = is_loopback(bound.getsockname()[0])
    app = create_app(
        crag,
        pipelines,
        keys=keys,
        loopback_only=loopback,
        limits=limits,
        origins=cors_origins(),
        runs=runs,
    )
    config = uvicorn.Config(
        app,
        http=bounded(limits),
        log_level="warning",
        access_log=False,
        server_header=False,
        # What no longer reads, or still sends, when its answer has been ended.
        timeout_graceful_shutdown=limits.stop_seconds + 2,
        ws="none",
    )
    Server(config).run(sockets=[bound])
