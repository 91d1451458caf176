"""Requests to a judge's server: JSON over HTTP, with repeated attempts, a budget of requests, and the cost."""

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
"""The most seconds before a request is sent again, even if the server asks for more"""
_AGAIN = (408, 409, 425, 429)
_REFUSES_ALL = (0, 401, 403, 404)
"""The statuses of failures that do not depend on the content of a request; 0 is a failure of the network"""
MOST_FAILURES = 24
"""The number of failed requests in a row after which a run sends no more"""
_SECRET = 8
"""The fewest characters of a real key. Shorter values, such as EMPTY, mean that there is none"""


class Reply(NamedTuple):
    """The reply of a server: a JSON object, or the reason why there is none."""

    content: Mapping[str, Any]
    """The object; empty for a failure"""
    failure: str | None = None
    """The reason of a failure; None if there is an object"""
    temporary: bool = False
    """Whether the same request may succeed later"""
    status: int = 200
    """The HTTP status; 0 if the network failed or nothing was sent"""


@dataclass
class Server:
    """A server of a judge. Requests are sent to the host of `url` alone.

    Args:
        url: the address, http or https, without a user, a password and a query.
        key: the name of the environment variable with the key. The key itself is in no field.
        retries: how often a request is sent again after a failure of the network or of the server, or after too many
            requests.
        timeout: the most seconds for one reply.
        wait: the seconds before a request is sent again. They double each time. If the server asks for a longer wait,
            this wait is used.
        most_requests: the budget of requests, with those that are sent again; None without a budget.
    """

    url: str
    key: str
    retries: int
    timeout: float
    wait: float
    most_requests: int | None
    counts: Counter[str] = field(default_factory=Counter)
    """The numbers of requests, of requests that were sent again, of failures, and of tokens, by name"""

    def __post_init__(self) -> None:
        self._lock, self._not_before = threading.Lock(), 0.0
        self._failures = 0
        self._broken: str | None = None
        """The reason why no more requests are sent; None while they are"""
        self.stopped = threading.Event()

    def __getstate__(self) -> object:
        raise SpecError("a judge is asked from one process: leave out --ray")

    def ask(self, url: str, body: object = None, unless: Callable[[str], object] = lambda failure: None) -> Reply:
        """Return the reply to a POST of JSON, or to a GET without a body.

        Args:
            url: the address of the request.
            body: the value that is sent as JSON; None for a GET.
            unless: a function of the failure's text. If its result is true, the request is not sent again.

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
                if reply.status == 429 or asked_to_wait:  # all other requests wait, too
                    self._not_before = max(self._not_before, time.monotonic() + pause)
            self.stopped.wait(pause)
            wait *= 2
        self._count(reply)
        return reply

    def _watch(self, reply: Reply) -> None:
        """Count the failures in a row. After `MOST_FAILURES` of them no more requests are sent."""
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
        """Return the reply to one request, and the seconds that the server asks to wait before the next one."""
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
        """Return the body of a response. Raises TimeoutError if it takes too long, and OSError if it is too long."""
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
        """Return the reply for an HTTP error, with the server's message. A message about the key is not repeated."""
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
    """Return a handler that follows no redirection, so that the key is sent to the named host alone."""
    from urllib.request import HTTPRedirectHandler

    class Stays(HTTPRedirectHandler):
        def redirect_request(self, *arguments: Any) -> None:
            return None

    return Stays()


def read_reply(body: bytes, key: str | None) -> Reply:
    """Return the reply for a body: its JSON object, or its error. If the body repeats the key, the key is removed."""
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
    """Return the object that reports an error, which is the reply or its first choice; None if neither reports one."""
    choices = content.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    failed = [part for part in (content, first) if isinstance(part, dict) and part.get("error")]
    return failed[0] if failed else content if content.get("object") == "error" else None


def _said(content: object) -> str | None:
    """Return the message of an error in a server's reply; None if there is none."""
    if not isinstance(content, dict):
        return None
    said = content.get("error", content.get("detail", content.get("message")))
    said = said.get("message") if isinstance(said, dict) else said
    return said if isinstance(said, str) and said else None


def _without(value: Any, key: str) -> Any:
    """Return a value of JSON in which the key is replaced by "***" in all texts."""
    if isinstance(value, str):
        return value.replace(key, "***")
    if isinstance(value, dict):
        return {_without(name, key): _without(inner, key) for name, inner in value.items()}
    return [_without(inner, key) for inner in value] if isinstance(value, list) else value


def _plain(said: object, key: str | None) -> str:
    """Return the message of a server or of the network, on one line and without the key."""
    text = str(said).replace(key, "***") if key else str(said)
    return repr(" ".join(text.split())[:300])[1:-1]


def wait_wanted(headers: Mapping[str, str] | Message) -> float:
    """Return the time that a server asks to wait, by its header `Retry-After`: seconds, or a date (RFC 9110).

    A date is compared with the date in the reply, if there is one, else with the clock of this machine.

    Args:
        headers: the headers of the reply.

    Returns:
        The seconds to wait; 0 without such a header.
    """
    if re.fullmatch(r"\d{1,9}", sooner := (headers.get("Retry-After-Ms") or "").strip()):
        return int(sooner) / 1000
    header = (headers.get("Retry-After") or "").strip()
    if re.fullmatch(r"\d{1,6}(\.\d+)?", header):
        return float(header)
    again, now = _time_of(header), _time_of(headers.get("Date") or "")
    return max(0.0, again - (time.time() if now is None else now)) if again is not None else 0.0


def _time_of(date: str) -> float | None:
    """Return a date of a header as seconds since 1970; None for text that is no date."""
    from email.utils import parsedate_to_datetime

    try:
        return parsedate_to_datetime(date).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None


def key_of(name: str) -> str | None:
    """Return the key in an environment variable; None if the variable is not set or empty.

    Args:
        name: the name of the variable.

    Returns:
        The key, or None.

    Raises:
        SpecError: the value has characters that a header cannot have.
    """
    key = os.environ.get(name, "").strip()
    if not key.isascii() or not key.isprintable():
        raise SpecError(f"the variable {name} of the environment holds no key: there are characters that none has")
    return key or None


def deployment_of(url: str) -> str | None:
    """Return the model that an address of Azure names, .../openai/deployments/NAME; None for other addresses."""
    named = re.search(r"/openai/deployments/([^/?]+)", url)
    return named[1] if named else None


def address_of(url: str, metric: str) -> str:
    """Return the address of a server after a check, without a slash at its end.

    Args:
        url: the address.
        metric: the name of the metric, for errors.

    Returns:
        The address.

    Raises:
        SpecError: it is no address of http or https, or it has a user, a query or a fragment, which may be a key. The
            error does not repeat them.
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
