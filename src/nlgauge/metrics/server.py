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
from email.message import Message
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from nlgauge._version import __version__
from nlgauge.errors import SpecError
from nlgauge.metrics.request_clock import RequestClock

_LONGEST_REPLY = 16 << 20
_LONGEST_WAIT = 60.0
"""Seconds before a request is sent again, whatever the server asks for"""
_AGAIN = (408, 409, 425, 429)
_REFUSES_ALL = (0, 401, 403, 404)
"""Failures that have nothing to do with what was asked; 0 is one of the network"""
MOST_FAILURES = 24
"""Requests that may fail in a row before a run stops asking"""
_SECRET = 8
"""Characters of a key from which on it is one: shorter ones, such as EMPTY, stand for none"""


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
        self._failures = 0
        self._broken: str | None = None
        """Why nothing more is asked"""
        self.stopped = threading.Event()

    def __getstate__(self) -> object:
        raise SpecError("a judge is asked from one process: leave out --ray")

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
                if self._broken is not None:
                    self.counts["not asked"] += 1
                    return Reply({}, self._broken, temporary=True, status=0)
                if self.most_requests is not None and self.counts["requests"] >= self.most_requests:
                    return Reply({}, f"the budget of {self.most_requests} requests is spent", temporary=True)
                self.counts["requests"] += 1
                pause = self._not_before - time.monotonic()
            if pause > 0:
                self.stopped.wait(pause)
            reply, asked_to_wait = self._sent(url, body)
            self._watch(reply)
            if (
                reply.failure is None
                or not reply.temporary
                or not left
                or self.stopped.is_set()
                or self._broken is not None
                or unless(reply.failure)
            ):
                break
            pause = min(max(wait, asked_to_wait), _LONGEST_WAIT)
            with self._lock:
                self.counts["sent again"] += 1
                if reply.status == 429 or asked_to_wait:  # the others wait too
                    self._not_before = max(self._not_before, time.monotonic() + pause)
            self.stopped.wait(pause)
            wait *= 2
        self._count(reply)
        return reply

    def _watch(self, reply: Reply) -> None:
        """Count what fails in a row, and ask nothing more of a server that is down or refuses everything."""
        down = reply.failure is not None and (reply.status in _REFUSES_ALL or reply.status >= 500)
        with self._lock:
            self._failures = self._failures + 1 if down else 0
            if self._failures == MOST_FAILURES:
                told = f"{MOST_FAILURES} requests in a row failed, the last one by: {reply.failure}"
                self._broken = f"it was not asked, because {told}"

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
            of_azure = deployment_of(url) is not None
            headers |= {"api-key": key} if of_azure else {"Authorization": f"Bearer {key}"}
        content = None
        if body is not None:
            content = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        asked_to_wait = 0.0
        with RequestClock(self.timeout) as clock:
            try:
                opener = build_opener(_stays(), *clock.handlers())
                with opener.open(Request(url, content, headers), timeout=self.timeout) as answer:
                    sent = self._body(answer)
                if not clock.over:  # else the answer may be cut
                    return read_reply(sent, key), wait_wanted(answer.headers)
                reason: object = TimeoutError()
            except HTTPError as error:
                with error:
                    return self._refused(error, key), wait_wanted(error.headers)
            except (OSError, HTTPException) as error:
                reason = getattr(error, "reason", error)
            slow = clock.over or isinstance(reason, TimeoutError)
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
        from http.client import HTTPException

        code = int(error.code)
        if code in (401, 403):
            held = f"the key in {self.key}" if key else f"a request without a key ({self.key} is not set)"
            return Reply({}, f"HTTP {code}: the server refuses {held}", status=code)
        if 300 <= code < 400:
            return Reply({}, f"HTTP {code}: the server sends on to another address: name that one", status=code)
        try:
            content = json.loads(self._body(error))
        except (OSError, ValueError, RecursionError, HTTPException):
            content = None
        said = _said(content)
        told = f": {_plain(said, key)}" if said else ""
        return Reply({}, f"HTTP {code}{told}", temporary=code >= 500 or code in _AGAIN, status=code)


def _stays() -> Any:
    """Return a handler that follows no redirection: a key goes to the named host alone."""
    from urllib.request import HTTPRedirectHandler

    class Stays(HTTPRedirectHandler):
        def redirect_request(self, *arguments: Any) -> None:
            return None

    return Stays()


def read_reply(body: bytes, key: str | None) -> Reply:
    """Return the object of a reply, or the error that stands in it, without the key that a server may repeat."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        end = _plain(body[-40:].decode("utf-8", "replace"), key)
        return Reply({}, f"the reply is no whole JSON: {end!r} ends it", True)
    if not isinstance(content, dict):
        return Reply({}, "the reply is no JSON object", True)
    if key and len(key) >= _SECRET:
        content = _without(content, key)
    failed = _failed(content)
    if failed is None:
        return Reply(content)
    error = failed.get("error")
    code = str(error.get("code", error.get("status")) if isinstance(error, dict) else failed.get("code"))
    status = int(code) if code.isdecimal() and 400 <= int(code) < 600 else 500
    told = f": {_plain(said, key)}" if (said := _said(failed)) else ""
    return Reply({}, f"the reply is an error{told}", temporary=status >= 500 or status in _AGAIN, status=status)


def _failed(content: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the part of a reply that holds an error: the reply, or its first choice."""
    choices = content.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    failed = [part for part in (content, first) if isinstance(part, dict) and part.get("error")]
    return failed[0] if failed else content if content.get("object") == "error" else None


def _said(content: object) -> str | None:
    """Return what a server says of an error."""
    if not isinstance(content, dict):
        return None
    said = content.get("error", content.get("detail", content.get("message")))
    said = said.get("message") if isinstance(said, dict) else said
    return said if isinstance(said, str) and said else None


def _without(value: Any, key: str) -> Any:
    """Return a value of JSON in which no text holds the key."""
    if isinstance(value, str):
        return value.replace(key, "***")
    if isinstance(value, dict):
        return {_without(name, key): _without(inner, key) for name, inner in value.items()}
    return [_without(inner, key) for inner in value] if isinstance(value, list) else value


def _plain(said: object, key: str | None) -> str:
    """Return what a server or the network said, on one line and without the key."""
    text = str(said).replace(key, "***") if key else str(said)
    return repr(" ".join(text.split())[:300])[1:-1]


def wait_wanted(headers: Mapping[str, str] | Message) -> float:
    """Return how many seconds a server wants to be left alone, by `Retry-After`: seconds, or a date (RFC 9110).

    A date is compared with the server's clock where the reply has its date, else with the clock of this machine.

    Args:
        headers: those of the reply.

    Returns:
        Seconds.
    """
    if re.fullmatch(r"\d{1,9}", sooner := (headers.get("Retry-After-Ms") or "").strip()):
        return int(sooner) / 1000
    header = (headers.get("Retry-After") or "").strip()
    if re.fullmatch(r"\d{1,6}(\.\d+)?", header):
        return float(header)
    again, now = _time_of(header), _time_of(headers.get("Date") or "")
    return max(0.0, again - (time.time() if now is None else now)) if again is not None else 0.0


def _time_of(date: str) -> float | None:
    """Return the seconds since 1970 of a date in a header."""
    from email.utils import parsedate_to_datetime

    try:
        return parsedate_to_datetime(date).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None


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


def deployment_of(url: str) -> str | None:
    """Return the model that an address of Azure names, as .../openai/deployments/NAME does; None for any other."""
    named = re.search(r"/openai/deployments/([^/?]+)", url)
    return named[1] if named else None


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
    versioned = re.fullmatch(r"api-version=[\w.-]{1,40}", parts.query)  # of Azure, which asks for it
    if "@" in parts.netloc or (parts.query and not versioned) or parts.fragment:
        remedy = "a key comes from the environment alone: key='NAME_OF_THE_VARIABLE'"
        raise SpecError(f"{metric}: the address of the server holds a user, a query or a fragment; {remedy}")
    return url.rstrip("/")
