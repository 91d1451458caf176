"""The server: listens, and stops when it is told to, after everything that it took is answered."""

from __future__ import annotations

import os
import signal
import socket
import types

import uvicorn
from starlette.types import ASGIApp

from nlgauge.errors import InputError
from nlgauge.serve.asking import Limits
from nlgauge.serve.guard import LARGEST_HEADERS

_BEFORE_THE_GUARD = 8
"""Times as many bytes of headers are read as are answered, so that what is too large is told so"""
_BACKLOG = 2048


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 is a free one. Raises InputError where that cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Only where the protocol is named does asyncio send an answer's last piece at once, and not 40 ms later.
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
        sock.listen(_BACKLOG)
        return sock
    except OSError as error:
        sock.close()
        problem = f"cannot listen on {host}, port {port}: {error.strerror}"
        raise InputError(problem, remedy="choose others by --host and --port") from None


def configured(app: ASGIApp, limits: Limits) -> uvicorn.Config:
    """How the server is set up. It logs no requests: the application does, without what a client wrote."""
    return uvicorn.Config(
        app,
        access_log=False,
        log_level="warning",
        server_header=False,
        ws="none",
        http="h11",
        limit_concurrency=limits.connections,
        h11_max_incomplete_event_size=_BEFORE_THE_GUARD * LARGEST_HEADERS,
        # One that was taken is answered, by its scores or by its time limit; nobody waits longer.
        timeout_graceful_shutdown=int(limits.seconds) + 5,
    )


def run(config: uvicorn.Config, sock: socket.socket) -> bool:
    """Serve until SIGINT or SIGTERM, and answer what was taken by then; False where a second SIGINT cut that short."""
    server = uvicorn.Server(config)
    before = {number: signal.signal(number, _heard) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        server.run([sock])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return not server.force_exit


def _heard(number: int, frame: types.FrameType | None) -> None:
    """The server raises the signal that stopped it once more when it has stopped: by then all is done."""
