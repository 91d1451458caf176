"""A time limit for a whole HTTP request: the connection is ended when the time is over, however slow the answer is."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import Any


class RequestClock:
    """A clock that ends the connections of a request after some seconds. A socket's limit starts again at each byte.

    Args:
        seconds: the time limit of the request.
    """

    def __init__(self, seconds: float) -> None:
        self.over = False
        """Whether the time was over before the request ended"""
        self._sockets: list[socket.socket] = []
        self._lock = threading.Lock()
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> RequestClock:
        self._timer.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._timer.cancel()

    def hold(self, connected: socket.socket) -> None:
        """Add a connection that the clock ends when the time is over, or at once if it already is."""
        with self._lock:
            self._sockets.append(connected)
            if self.over:
                _shut(connected)

    def _end(self) -> None:
        with self._lock:
            self.over = True
            for connected in self._sockets:
                _shut(connected)

    def handlers(self) -> tuple[Any, ...]:
        """Return handlers for `urllib.request.build_opener` whose connections this clock ends."""
        from urllib.request import AbstractHTTPHandler, HTTPHandler, HTTPSHandler

        clock = self

        class Timed(AbstractHTTPHandler):
            def do_open(self, http_class: Any, req: Any, **http_conn_args: Any) -> Any:
                class Held(http_class):  # type: ignore[misc]
                    def connect(self) -> None:
                        super().connect()
                        clock.hold(self.sock)

                return super().do_open(Held, req, **http_conn_args)

        class Plain(Timed, HTTPHandler):
            pass

        class Secure(Timed, HTTPSHandler):
            pass

        return Plain(), Secure()


def _shut(connected: socket.socket) -> None:
    with suppress(OSError):
        # An encrypted socket's own shutdown removes the object that another thread reads from.
        socket.socket.shutdown(connected, socket.SHUT_RDWR)
