"""Around every route: who may come in, what each answer says about itself, what is logged, and that nothing escapes.

A line of the log holds method, route, status and time. It holds no path that a client wrote, no header and no text.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nlgauge.serve import answers
from nlgauge.serve.answers import Refused, refusal
from nlgauge.serve.keys import Keys
from nlgauge.serve.measures import Measures
from nlgauge.serve.worker import tell

OPEN = ("/", "/health", "/ready")
"""Routes that need no key: the page, which holds nothing, and what a supervisor asks"""
LARGEST_HEADERS = 16 << 10
"""Bytes of a request's headers and path"""
_ONCE = (b"authorization", b"content-type", b"content-encoding", b"content-length", b"transfer-encoding", b"host")
_HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cache-control": b"no-store",
    b"cross-origin-resource-policy": b"same-origin",
}


class Admission:
    """An application around the application.

    routes: the paths that there are. hosts: names that a request may be sent to, or None for any. A page of another
    site can have its name lead to this machine; it cannot have its requests name this machine.
    """

    def __init__(
        self, app: ASGIApp, *, keys: Keys, measures: Measures, routes: Collection[str], hosts: Collection[str] | None,
        log: bool,
    ) -> None:  # fmt: skip
        self._app, self._keys, self._measures = app, keys, measures
        self._routes, self._hosts, self._log = frozenset(routes), hosts, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.monotonic(), 0

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                own = {name for name, _ in message["headers"]}
                message["headers"] = [*message["headers"], *(pair for pair in _HEADERS.items() if pair[0] not in own)]
            await send(message)

        try:
            self._admit(scope)
            await self._app(scope, receive, sent)
        except asyncio.CancelledError:
            pass  # the service ends, and this client did not take its answer in time
        except Exception as error:  # the server would log what the error says, which may be a client's words
            if not isinstance(error, Refused):
                tell(error)
            if not status:
                await answers.response(refusal(error))(scope, receive, sent)
        finally:
            self._note(scope, status, time.monotonic() - began)

    def _admit(self, scope: Scope) -> None:
        size = (
            len(scope["raw_path"])
            + len(scope["query_string"])
            + sum(len(part) for pair in scope["headers"] for part in pair)
        )
        if size > LARGEST_HEADERS:
            raise Refused(431, f"the headers and the path are larger than {LARGEST_HEADERS} bytes (send fewer)")
        names = [name for name, _ in scope["headers"]]
        if twice := [name.decode() for name in _ONCE if names.count(name) > 1]:
            # A proxy that reads the other one would let in, or send on, what it thinks is something else.
            raise Refused(400, f"there are two headers {twice[0]} (send one)")
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        if b"transfer-encoding" in headers and b"content-length" in headers:
            # A proxy that goes by the other one would take a part of this body for a request of somebody else.
            raise Refused(400, "two headers say how long the body is (leave out Content-Length or Transfer-Encoding)")
        if self._hosts is not None and _name(headers.get(b"host", "")) not in self._hosts:
            raise Refused(421, "this name is not one of the service's (start it with --allowed-host NAME)")
        if scope["path"] not in OPEN and not self._keys.fit(headers.get(b"authorization")):
            raise Refused(401, "an API key is needed (send Authorization: Bearer KEY)")

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = scope["path"] if scope["path"] in self._routes else "other"
        method = scope["method"] if scope["method"] in ("GET", "HEAD", "POST") else "other"
        self._measures.answered(route, status, seconds)
        if self._log:
            print(f"nlgauge: {method} {route} {status} {seconds:.3f} s", file=sys.stderr, flush=True)


def _name(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None
