"""What a body asks for, rows and metrics, and what it may ask for: checked before anything is computed."""

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
    """Bytes of a request's body: 413"""
    rows: int = 256
    """Rows of a request: 413"""
    characters: int = 200_000
    """Characters of all texts of a request: 413"""
    short: int = 10_000
    """Characters of a request that does not wait for longer ones: they have a worker of their own"""
    metrics: int = 16
    """Metrics of a request: 413"""
    work: float = 2.0
    """Blocks of work that a request asks one model for: 413"""
    seconds: float = 60.0
    """From the moment a request is read to its answer, waiting included: 503; and for the reading of its body: 408"""
    waiting: int = 64
    """Requests that wait for the worker; one more is sent away: 429"""
    connections: int = 1000
    """Open connections; one more is sent away: 503"""
    batch_rows: int = 256
    """Rows of one evaluation that several requests share; a request of more rows is an evaluation of its own"""


@dataclass(frozen=True)
class Asking:
    """Makes a job from the body of a request."""

    allowed: AllowList
    limits: Limits

    def corpus(self, records: Sequence[Any]) -> Corpus:
        """Return the rows of a body. Raises InputError for wrong rows, Refused for too many rows."""
        if len(records) > self.limits.rows:
            raise _over(f"{len(records)} rows", self.limits.rows, "fewer rows")
        return self.held(Corpus.from_records(records))

    def held(self, corpus: Corpus) -> Corpus:
        """Return the rows if they keep to the limits. Raises InputError for repeated rows, Refused for too many."""
        if len(corpus) > self.limits.rows:
            raise _over(f"{len(corpus)} rows", self.limits.rows, "fewer rows")
        refuse_repeats([row.key for row in corpus], {}, "give each output of a system its own item, or its trial")
        if (characters := characters_of(corpus)) > self.limits.characters:
            raise _over(f"{characters} characters in its rows", self.limits.characters, "fewer rows, or shorter texts")
        return corpus

    def metrics(self, specs: Sequence[str] | None) -> tuple[dict[str, Metric], dict[str, str]]:
        """Return the metrics of some specs.

        Args:
            specs: what was asked; None for all metrics that are named.

        Returns:
            The metrics by canonical spec, and canonical specs by what was asked.
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
        """Return a job of rows and metrics. Without `wanted`, its answer is the table alone."""
        corpus = self.corpus(records)
        return Job(corpus, *self.metrics(specs), evidence, wanted)


def characters_of(corpus: Corpus) -> int:
    """Return how many characters the texts of some rows have."""
    read = ("candidate", "references", "source", "context", "question")
    return sum(len(text) for row in corpus for text in texts_of(row, read))


def content_of(body: bytes) -> dict[str, Any]:
    """Return the JSON object of a body, before its fields are checked.

    Args:
        body: what a request sent.

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
    """Return the body. Raises Refused if it is not JSON, is compressed, is too large, or arrives too slowly."""
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
    """Raise Refused for a body that is not JSON or that is compressed."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != wanted:
        # A browser sends these kinds to another site only after that site has allowed it, which this one never does.
        raise Refused(415, f"the body has to be JSON (send Content-Type: {wanted})")
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise Refused(415, "the body is compressed (send it as it is)")


def too_large(limits: Limits) -> Refused:
    """Return the answer to a body that is too large."""
    return Refused(413, f"the body is larger than {limits.body} bytes (send fewer rows at a time)")
