"""The server: it listens, and after a signal it stops once it has answered every request that it accepted."""

from __future__ import annotations

import math
import os
import signal
import socket
import sys
import threading
import time
import types

import uvicorn
from starlette.types import ASGIApp

from nlgauge.errors import InputError
from nlgauge.serve.admission import LARGEST_HEADERS
from nlgauge.serve.asking import Limits

_BEFORE_THE_GUARD = 8
"""How many times `LARGEST_HEADERS` the server reads before it closes a connection, so that a request with too large
headers gets an answer that says so"""
_BACKLOG = 2048
_ANSWERING_S = 1
"""The seconds, after the time limit of a request, within which its refusal is sent"""
_LAST_S = 4.0
"""The seconds after all refusals are sent, within which the process ends, whatever is still running"""


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 means any free port. Raises InputError if the address cannot be used."""
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
    """Return the configuration of the server. It logs no requests: the application logs them, without their texts."""
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
        timeout_graceful_shutdown=math.ceil(limits.seconds) + _ANSWERING_S,
    )


class _Server(uvicorn.Server):
    """A server that ends in time after a signal, whatever is running."""

    stopped_at: float | None = None

    def handle_exit(self, sig: int, frame: types.FrameType | None) -> None:
        super().handle_exit(sig, frame)
        if self.stopped_at is None:
            self.stopped_at = time.monotonic()
            last = threading.Timer((self.config.timeout_graceful_shutdown or 0) + _LAST_S, _end)
            last.daemon = True
            last.start()

    @property
    def whole(self) -> bool:
        """True if every request that was accepted has been answered."""
        waited = 0.0 if self.stopped_at is None else time.monotonic() - self.stopped_at
        return not self.force_exit and waited < (self.config.timeout_graceful_shutdown or 0)


def _end() -> None:
    tell_stopped(False)
    os._exit(1)


def tell_stopped(whole: bool) -> None:
    """Say on stderr that the service has stopped, and whether all accepted requests were answered."""
    print(f"nlgauge: stopped; {'all' if whole else 'not all'} that was taken is answered", file=sys.stderr, flush=True)


def run(config: uvicorn.Config, sock: socket.socket) -> bool:
    """Serve until SIGINT or SIGTERM, then answer the requests that were accepted, in the time of one request.

    The process ends even if something hangs.

    Args:
        config: the configuration of the server.
        sock: the socket on which it listens.

    Returns:
        True if all accepted requests were answered; False after a second SIGINT, or if a client did not read its
        answer.
    """
    server = _Server(config)
    whole = False
    before = {number: signal.signal(number, _heard) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        server.run([sock])
        whole = server.whole
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return whole


def _heard(number: int, frame: types.FrameType | None) -> None:
    """Ignore the signal that the server raises again after it has stopped, when everything is done."""
