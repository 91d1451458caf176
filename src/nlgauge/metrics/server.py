"""A judge's server: JSON over HTTP, several requests at a time, tried again, within a budget, its cost counted."""

from __future__ import annotations

import json
import os
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from nlgauge._version import __version__
from nlgauge.data.corpus.place import shown
from nlgauge.errors import SpecError

_LONGEST_REPLY = 16 << 20
_LONGEST_WAIT = 60.0
"""Seconds before a request is sent again, whatever the server asks for"""
_AGAIN = (408, 409, 425, 429)


class Reply(NamedTuple):
    """What a server replied: an object, or why there is none."""

    content: Mapping[str, Any]
    failure: str | None = None
    temporary: bool = False
    """Whether to ask again later may help"""
    status: int = 200


@dataclass
class Server:
    """A server that is asked at addresses below `url`, the only host that anything is sent to.

    Args:
        url: http or https, without a user, a password, a query.
        key: the name of the variable of the environment that holds the key. The key itself stands in no field.
        retries: how often a request is sent again that failed by the network, by too many requests or by the server.
        timeout: seconds for one reply.
        wait: seconds before a request is sent again; they double each time, and the server's own wish goes before.
        most_requests: all requests together, those that are sent again included.
    """

    url: str
    key: str
    retries: int
    timeout: float
    wait: float
    most_requests: int | None
    counts: Counter[str] = field(default_factory=Counter)
    """Requests, those that were sent again, failures, and tokens of questions and answers"""

    def __post_init__(self) -> None:
        self._lock, self._not_before = threading.Lock(), 0.0
        self.stopped = threading.Event()

    def __getstate__(self) -> object:
        raise SpecError("a judge is asked from one process: leave out --ray, and --processes")

    def ask(self, url: str, body: object = None, unless: Callable[[str], object] = lambda failure: None) -> Reply:
        """Return the reply to a POST of JSON, or to a GET where there is no body.

        Args:
            url: where it goes.
            body: what is sent, as JSON has it.
            unless: a failure of which it says something is not tried again.

        Returns:
            The reply.
        """
        wait = self.wait
        for left in range(self.retries, -1, -1):
            with self._lock:
                if self.most_requests is not None and self.counts["requests"] >= self.most_requests:
                    return Reply({}, f"the budget of {self.most_requests} requests is spent", temporary=True)
                self.counts["requests"] += 1
                pause = self._not_before - time.monotonic()
            if pause > 0:
                self.stopped.wait(pause)
            reply, asked_to_wait = self._sent(url, body)
            if (
                reply.failure is None
                or not reply.temporary
                or not left
                or self.stopped.is_set()
                or unless(reply.failure)
            ):
                break
            pause = min(max(wait, asked_to_wait), _LONGEST_WAIT)
            with self._lock:
                self.counts["sent again"] += 1
                if reply.status == 429:  # the others wait too
                    self._not_before = max(self._not_before, time.monotonic() + pause)
            self.stopped.wait(pause)
            wait *= 2
        self._count(reply)
        return reply

    def _count(self, reply: Reply) -> None:
        usage = reply.content.get("usage")
        with self._lock:
            self.counts["failed"] += reply.failure is not None
        if not isinstance(usage, Mapping):
            return
        for ours, names in (
            ("tokens in", ("prompt_tokens", "input_tokens")),
            ("tokens out", ("completion_tokens", "output_tokens")),
        ):
            number = next((usage[name] for name in names if isinstance(usage.get(name), int)), 0)
            with self._lock:
                self.counts[ours] += max(number, 0)

    def _sent(self, url: str, body: object) -> tuple[Reply, float]:
        """Return the reply to one request, and how many seconds the server wants to be left alone."""
        from http.client import HTTPException
        from urllib.error import HTTPError
        from urllib.request import Request, build_opener

        headers = {"User-Agent": f"nlgauge/{__version__}", "Accept": "application/json"}
        if key := key_of(self.key):
            headers["Authorization"] = f"Bearer {key}"
        content = None
        if body is not None:
            content = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        asked_to_wait = 0.0
        try:
            with build_opener(_stays()).open(Request(url, content, headers), timeout=self.timeout) as answer:
                return _read(self._body(answer)), 0.0
        except HTTPError as error:
            with error:
                asked_to_wait = _seconds(error.headers.get("Retry-After"))
                return self._refused(error, key), asked_to_wait
        except TimeoutError:
            failure = f"no answer within {self.timeout:g} seconds"
        except (OSError, HTTPException) as error:
            reason = getattr(error, "reason", error)
            slow = isinstance(reason, TimeoutError)
            failure = (
                f"no answer within {self.timeout:g} seconds" if slow else f"no whole answer: {_plain(reason, key)}"
            )
        return Reply({}, failure, temporary=True, status=0), asked_to_wait

    def _body(self, answer: Any) -> bytes:
        """Return the body of an answer. Raises TimeoutError where it drips, OSError where it has no end."""
        end, pieces, size = time.monotonic() + self.timeout, [], 0
        while piece := answer.read1(1 << 16):
            pieces.append(piece)
            size += len(piece)
            if size > _LONGEST_REPLY:
                raise OSError(f"the answer is longer than {_LONGEST_REPLY:,} bytes")
            if time.monotonic() > end:
                raise TimeoutError
        return b"".join(pieces)

    def _refused(self, error: Any, key: str | None) -> Reply:
        """Return the reply of a request that the server refused, in its words; those about a key are not repeated."""
        code = int(error.code)
        if code in (401, 403):
            held = f"the key in {self.key}" if key else f"a request without a key ({self.key} is not set)"
            return Reply({}, f"HTTP {code}: the server refuses {held}", status=code)
        if 300 <= code < 400:
            return Reply({}, f"HTTP {code}: the server sends on to another address: name that one", status=code)
        try:
            content = json.loads(self._body(error))
        except (OSError, ValueError, RecursionError):
            content = None
        said = (
            content.get("error", content.get("detail", content.get("message"))) if isinstance(content, dict) else None
        )
        said = said.get("message") if isinstance(said, dict) else said
        told = f": {_plain(said, key)}" if isinstance(said, str) and said else ""
        return Reply({}, f"HTTP {code}{told}", temporary=code >= 500 or code in _AGAIN, status=code)


def _stays() -> Any:
    """Return a handler that follows no redirection: a key goes to the named host alone."""
    from urllib.request import HTTPRedirectHandler

    class Stays(HTTPRedirectHandler):
        def redirect_request(self, *arguments: Any) -> None:
            return None

    return Stays()


def _read(body: bytes) -> Reply:
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        return Reply({}, f"the reply is no whole JSON: {shown(body[-40:].decode('utf-8', 'replace'))} ends it", True)
    if not isinstance(content, dict):
        return Reply({}, "the reply is no JSON object", True)
    return Reply(content)


def _plain(said: object, key: str | None) -> str:
    """Return what a server or the network said, on one line and without the key."""
    text = str(said).replace(key, "***") if key else str(said)
    return repr(" ".join(text.split())[:300])[1:-1]


def _seconds(header: str | None) -> float:
    return float(header) if header and re.fullmatch(r"\d{1,6}(\.\d+)?", header.strip()) else 0.0


def key_of(name: str) -> str | None:
    """Return the key that a variable of the environment holds, None where it is not set.

    Args:
        name: the variable.

    Returns:
        The key, or None.

    Raises:
        SpecError: it holds what no header can.
    """
    key = os.environ.get(name, "").strip()
    if not key.isascii() or not key.isprintable():
        raise SpecError(f"the variable {name} of the environment holds no key: there are characters that none has")
    return key or None


def address_of(url: str, metric: str) -> str:
    """Return an address without a slash at its end.

    Args:
        url: the address.
        metric: the name of the metric, for errors.

    Returns:
        The address.

    Raises:
        SpecError: it is none, or holds what may be a key, which is not repeated.
    """
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname
    except ValueError:
        parts, port, host = urlsplit(""), None, None
    if parts.scheme not in ("http", "https") or not host or port == 0 or re.search(r"[\s\x00-\x1f]", url):
        raise SpecError(f"{metric}: the address of the server is http://HOST:PORT/v1, or https://...")
    if "@" in parts.netloc or parts.query or parts.fragment:
        remedy = "a key comes from the environment alone: key='NAME_OF_THE_VARIABLE'"
        raise SpecError(f"{metric}: the address of the server holds a user, a query or a fragment; {remedy}")
    return url.rstrip("/")
