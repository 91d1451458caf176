"""The layer around all routes: it checks access, adds headers to answers, logs requests and catches every error.

A line of the log holds method, route, status and time. It holds no path that a client wrote, no header and no text. API
keys come from a file or the environment, and a comparison takes the same time for every key that is sent. Prometheus
gets only routes and statuses of this service, and nothing that a client wrote.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import os
import sys
import time
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from urllib.parse import urlsplit

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nlgauge._version import __version__
from nlgauge.errors import InputError, SpecError
from nlgauge.serve import answers
from nlgauge.serve.answers import Refused, refusal
from nlgauge.serve.batch import Job
from nlgauge.serve.worker import tell

VARIABLE = "NLGAUGE_SERVE_KEYS"
_SHORTEST = 16


class Keys:
    """The keys that give access to the service. Without keys, everybody who can reach it has access."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        # Digests have one length, so that the comparison does not tell how long a key is.
        self._digests = [_digest(key) for key in keys]

    def __bool__(self) -> bool:
        return bool(self._digests)

    def fit(self, authorization: str | None) -> bool:
        """Return True if a header `Authorization: Bearer KEY` has one of the keys, or if there are no keys."""
        scheme, _, key = (authorization or "").partition(" ")
        digest_of_key, fits = _digest(key.strip()), False
        for digest in self._digests:
            # Every key is compared, so that the time does not tell which one it was.
            fits |= hmac.compare_digest(digest, digest_of_key)
        return not self._digests or (fits and scheme.lower() == "bearer")


def read_keys(file: Path | None) -> Keys:
    """Return the keys in a file, one per line, or those in the environment variable, separated by spaces.

    Empty lines, and lines that begin with #, are no keys.

    Args:
        file: the file; None for the variable NLGAUGE_SERVE_KEYS.

    Returns:
        The keys; no keys if there is neither file nor variable.

    Raises:
        InputError: the file has no keys, or a key that is easily guessed or that no header can hold.
        SpecError: the variable has no keys, or such a key.
    """
    named = os.environ.get(VARIABLE)
    if file is None:
        if named is None:
            return Keys()
        if problem := _problem(keys := named.split()):
            raise SpecError(f"{VARIABLE}: {problem}")
        return Keys(keys)
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise InputError(f"cannot be read: {reason}", file=file, remedy="name a file with a key a line") from None
    keys = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if problem := _problem(keys):
        raise InputError(problem, file=file)
    return Keys(keys)


def _problem(keys: list[str]) -> str | None:
    """Return what is wrong with keys, or None. The sentence never quotes a key."""
    if not keys:
        return "there is no key (write one a line)"
    for number, key in enumerate(keys, 1):
        if len(key) < _SHORTEST:
            return f"key {number} has {len(key)} characters, fewer than {_SHORTEST} (openssl rand -hex 32 writes one)"
        if not key.isascii() or not key.isprintable() or " " in key:
            return f"key {number} has characters that no header can hold (use letters and digits)"
    return None


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_COUNTS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


class Measures:
    """The counts and times of one service, in a Prometheus registry that no other service uses."""

    def __init__(self, waiting: Callable[[], int], scoring: Callable[[], int]) -> None:
        self._registry = registry = CollectorRegistry()
        self._requests = Counter("nlgauge_requests", "Answers.", ["route", "status"], registry=registry)
        self._seconds = Histogram(
            "nlgauge_request_seconds", "From request to answer.", ["route"], buckets=_SECONDS, registry=registry
        )
        self._evaluations = Histogram(
            "nlgauge_evaluation_seconds",
            "Seconds of an evaluation, whose requests share it.",
            buckets=_SECONDS,
            registry=registry,
        )
        self._shared = Histogram(
            "nlgauge_evaluation_requests", "Requests that shared an evaluation.", buckets=_COUNTS, registry=registry
        )
        self._rows = Counter("nlgauge_rows", "Rows that were scored.", registry=registry)
        Gauge("nlgauge_waiting", "Requests that wait.", registry=registry).set_function(waiting)
        Gauge("nlgauge_scoring", "Requests that are being scored.", registry=registry).set_function(scoring)
        Gauge("nlgauge_info", "The library.", ["version"], registry=registry).labels(__version__).set(1)

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count an answer, with the seconds that it took."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def evaluated(self, jobs: list[Job], seconds: float) -> None:
        """Count an evaluation that several jobs shared, with the seconds that it took."""
        self._evaluations.observe(seconds)
        self._shared.observe(len(jobs))
        self._rows.inc(sum(len(job.corpus) for job in jobs if job.error is None))

    def text(self) -> bytes:
        """Return the counts and times, in the text format of Prometheus."""
        return generate_latest(self._registry)


OPEN = ("/", "/health", "/ready")
"""Routes that need no key: the page, which contains no data, and the routes that a supervisor asks"""
LARGEST_HEADERS = 16 << 10
"""The largest size in bytes of a request's headers and path"""
_ONCE = (b"authorization", b"content-type", b"content-encoding", b"content-length", b"transfer-encoding", b"host")
_HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cache-control": b"no-store",
    b"cross-origin-resource-policy": b"same-origin",
}


class Admission:
    """The application that encloses the routes: it checks keys and host names, counts requests and logs them.

    Args:
        app: the application with the routes.
        keys: the keys that give access.
        measures: the counts and times of requests.
        routes: the paths of all routes.
        hosts: the host names that a request may name, or None for any. This protects from pages of other sites: such a
            site can let its name point to this machine, but its requests then name the site and not this machine.
        log: whether requests are logged.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        keys: Keys,
        measures: Measures,
        routes: Collection[str],
        hosts: Collection[str] | None,
        log: bool,
    ) -> None:
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
                names = {name for name, _ in message["headers"]}
                message["headers"] = [*message["headers"], *(pair for pair in _HEADERS.items() if pair[0] not in names)]
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
