"""Requests as jobs: the rows and metrics of a body are checked against the limits before anything is computed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nlgauge.contract.base import Metric
from nlgauge.data.corpus import Corpus
from nlgauge.data.corpus.json_records import parsed
from nlgauge.data.corpus.place import InputPlace, kind, refuse_repeats
from nlgauge.errors import InputError
from nlgauge.run.results import texts_of
from nlgauge.serve.allow_list import AllowList
from nlgauge.serve.answers import SCORES, Refused, Wanted
from nlgauge.serve.batch import Job

if TYPE_CHECKING:
    from starlette.requests import Request

_SHAPE = 'send an object such as {"rows": [{"candidate": "..."}]}; see /openapi.json'


@dataclass(frozen=True)
class Limits:
    """The limits of a request. A request over one of them is refused, with a status for each limit; nothing is cut."""

    body: int = 1 << 20
    """The largest number of bytes in a request's body; above it, status 413"""
    rows: int = 256
    """The largest number of rows in a request; above it, status 413"""
    characters: int = 200_000
    """The largest number of characters in all texts of a request; above it, status 413"""
    short: int = 10_000
    """The largest number of characters of a short request. A separate worker scores short requests, so that they do not
    wait for longer ones"""
    metrics: int = 16
    """The largest number of metrics in a request; above it, status 413"""
    work: float = 2.0
    """The largest work for one model in a request, in blocks that each take seconds; above it, status 413"""
    seconds: float = 60.0
    """The largest time from the reading of a request to its answer, with waiting: after it, status 503. The body has
    the same time to arrive: after it, status 408"""
    waiting: int = 64
    """The largest number of requests that wait for a worker; one more gets status 429"""
    connections: int = 1000
    """The largest number of open connections; one more gets status 503"""
    batch_rows: int = 256
    """The largest number of rows in an evaluation that several requests share. A request with more rows has an
    evaluation of its own"""


@dataclass(frozen=True)
class Asking:
    """A maker of jobs from the bodies of requests, which applies the allow-list and the limits."""

    allowed: AllowList
    limits: Limits

    def corpus(self, records: Sequence[Any]) -> Corpus:
        """Return the rows of a body. Raises InputError for wrong rows, Refused for too many rows or characters."""
        if len(records) > self.limits.rows:
            raise _over(f"{len(records)} rows", self.limits.rows, "fewer rows")
        return self.held(Corpus.from_records(records))

    def held(self, corpus: Corpus) -> Corpus:
        """Return a corpus unchanged. Raises InputError for repeated rows, Refused for too many rows or characters."""
        if len(corpus) > self.limits.rows:
            raise _over(f"{len(corpus)} rows", self.limits.rows, "fewer rows")
        refuse_repeats([row.key for row in corpus], {}, "give each output of a system its own item, or its trial")
        if (characters := characters_of(corpus)) > self.limits.characters:
            raise _over(f"{characters} characters in its rows", self.limits.characters, "fewer rows, or shorter texts")
        return corpus

    def metrics(self, specs: Sequence[str] | None) -> tuple[dict[str, Metric], dict[str, str]]:
        """Return the metrics of a request from their specs.

        Args:
            specs: the specs as the request writes them; None for all metrics that were named at the start.

        Returns:
            The metrics by canonical spec, and the canonical specs by the specs of the request.
        """
        if specs is None:
            return dict(self.allowed.named), dict(self.allowed.asked)
        if len(specs) > self.limits.metrics:
            raise _over(f"{len(specs)} metrics", self.limits.metrics, "fewer of them")
        asked = {spec: self.allowed.metric(spec) for spec in specs}
        return {str(metric): metric for metric in asked.values()}, {spec: str(metric) for spec, metric in asked.items()}

    def job(
        self, records: Sequence[Any], specs: Sequence[str] | None, evidence: bool, wanted: Wanted | None = SCORES
    ) -> Job:
        """Return a job of rows and metrics. With `wanted=None`, the job makes a table and no body of an answer."""
        corpus = self.corpus(records)
        return Job(corpus, *self.metrics(specs), evidence, wanted)


def characters_of(corpus: Corpus) -> int:
    """Return the number of characters in all texts of the rows."""
    read = ("candidate", "references", "source", "context", "question")
    return sum(len(text) for row in corpus for text in texts_of(row, read))


def content_of(body: bytes) -> dict[str, Any]:
    """Return the JSON object of a body, before its fields are checked.

    Args:
        body: the bytes that a request sent.

    Returns:
        The object.

    Raises:
        InputError: the body is not a JSON object in UTF-8.
    """
    try:
        content = parsed(body.decode("utf-8"), InputPlace(None))
    except UnicodeDecodeError as bad:
        problem = f"the body is not UTF-8: byte 0x{body[bad.start]:02x} at byte offset {bad.start}"
        raise InputError(problem, remedy="send JSON in UTF-8") from None
    if not isinstance(content, dict):
        raise InputError(f"the body is {kind(content)}, not an object", remedy=_SHAPE)
    return content


def _over(what: str, limit: int, remedy: str) -> Refused:
    return Refused(413, f"the request has {what}, and the limit is {limit} (send {remedy} at a time)")


async def body_of(request: Request, limits: Limits) -> bytes:
    """Return the body of a request. Raises Refused if it is not JSON, compressed, too large, or too slow to arrive."""
    from starlette.requests import ClientDisconnect  # the rest of this file needs no extra

    refuse_kind(request, "application/json")
    declared = request.headers.get("content-length", "")
    if declared.isascii() and declared.isdecimal() and (len(declared) > 18 or int(declared) > limits.body):
        raise too_large(limits)
    try:
        return await asyncio.wait_for(_collected(request, limits), limits.seconds)
    except asyncio.TimeoutError:
        raise Refused(408, f"the body did not come within {limits.seconds:g} seconds (send it faster)") from None
    except ClientDisconnect:
        raise Refused(408, "the client went away before the body was whole") from None


async def _collected(request: Request, limits: Limits) -> bytes:
    pieces, size = [], 0
    async for piece in request.stream():
        size += len(piece)
        if size > limits.body:
            raise too_large(limits)
        pieces.append(piece)
    return b"".join(pieces)


def refuse_kind(request: Request, wanted: str) -> None:
    """Raise Refused for a body whose content type is not the wanted one, or that is compressed."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != wanted:
        # A browser sends these kinds to another site only after that site has allowed it, which this one never does.
        raise Refused(415, f"the body has to be JSON (send Content-Type: {wanted})")
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise Refused(415, "the body is compressed (send it as it is)")


def too_large(limits: Limits) -> Refused:
    """Return the refusal of a body that is larger than the limit."""
    return Refused(413, f"the body is larger than {limits.body} bytes (send fewer rows at a time)")
