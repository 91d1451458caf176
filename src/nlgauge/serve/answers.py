"""The bodies of answers: a table of scores, evidence by row, or a verdict, each as the command writes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from nlgauge._version import __version__
from nlgauge.contract.base import Metric
from nlgauge.data.corpus import Corpus
from nlgauge.data.jsonable import jsonable
from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError, NlgaugeError
from nlgauge.explanation import of_rows
from nlgauge.gate import Verdict, check
from nlgauge.run.results import RowResult

if TYPE_CHECKING:
    from starlette.responses import Response

Record = dict[str, Any]


class TooMuchWorkError(InputError):
    """An error for a request that needs more work than the limit allows."""


class Wanted(NamedTuple):
    """The kind of answer that a request wants: the scores, explanations or a verdict."""

    kind: Literal["scores", "explanations", "verdict"]
    options: Mapping[str, Any] = {}
    """The arguments of `nlgauge.gate.check` for a verdict"""


SCORES = Wanted("scores")


def made(
    wanted: Wanted,
    table: ScoreTable,
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    scored: Mapping[str, Mapping[int, RowResult]],
) -> bytes:
    """Return the body of the answer to a request.

    Args:
        wanted: the kind of answer that the request wants.
        table: the scores of the request's rows.
        corpus: the rows of the request.
        metrics: the metrics of the request, by canonical spec.
        scored: the results that the table was made from, by canonical spec of the metric and index of the row.

    Returns:
        JSON in UTF-8.

    Raises:
        InputError: the gate cannot decide by these scores.
    """
    if wanted.kind == "scores":
        return encoded(scores(table))
    if wanted.kind == "explanations":
        return encoded(explanations(corpus, metrics, scored))
    return encoded(verdict(table, check(table, **wanted.options)))


def encoded(record: Record) -> bytes:
    """Return a record as JSON in UTF-8."""
    text = json.dumps(jsonable(record), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "backslashreplace")  # which is JSON's own escape of half a character


def scores(table: ScoreTable) -> Record:
    """Return the content of a scores file as one record: its header, and its records under "scores"."""
    return {**table.header(), "scores": list(table.records())}


def explanations(
    corpus: Corpus, metrics: Mapping[str, Metric], scored: Mapping[str, Mapping[int, RowResult]]
) -> Record:
    """Return the record that `nlgauge explain --format json` prints, with all rows."""
    explained = [of_rows(corpus, metrics[spec], sorted(by_row.items())) for spec, by_row in scored.items()]
    return {
        "nlgauge": __version__,
        "rows": [explanation.record for of_metric in explained for explanation in of_metric],
    }


def verdict(table: ScoreTable, decided: Verdict) -> Record:
    """Return the record that `nlgauge check --format json` prints without a baseline."""
    return {"nlgauge": __version__, **decided.record, "signature": str(table.signatures[decided.metric])}


RETRY_SECONDS = 1
"""The seconds that a client is asked to wait before it tries again"""
DOCUMENTED: Mapping[int, str] = {
    400: "Two headers say the same thing: two lengths of the body, or a header that may stand once stands twice.",
    401: "There is no API key, or not a right one.",
    408: "The body did not come in time, or the client went away.",
    413: "The request is over a limit: bytes, rows, characters, metrics or work.",
    415: "The body is not application/json, or it is compressed.",
    421: "The request was sent to another host's name.",
    422: "The rows or the metrics cannot be scored as they were given.",
    429: "Too many requests wait already.",
    431: "The headers are larger than 16 KiB.",
    500: "An error of the service itself.",
    503: "The answer was not there in time, or the service is about to stop.",
}
"""When each status is sent. An answer that is not a score has one of these statuses, or 404 or 405"""


class Refused(Exception):  # noqa: N818  # it is an answer, and most often no error of the service
    """An answer that refuses a request.

    Args:
        status: the HTTP status.
        line: why the request is refused, and what to do.
        row: the number of the wrong row in the request, counted from 1; None if no row is wrong.
    """

    def __init__(self, status: int, line: str, row: int | None = None) -> None:
        super().__init__(line)
        self.status, self.row = status, row
        self.line = " ".join(line.split())

    @property
    def record(self) -> dict[str, object]:
        """The body of the answer, as a record."""
        return {"error": self.line} | ({} if self.row is None else {"row": self.row})

    @property
    def headers(self) -> dict[str, str]:
        """The headers that this status needs."""
        if self.status in (400, 431):
            return {"connection": "close"}  # what follows on it is not to be trusted
        if self.status == 401:
            return {"www-authenticate": "Bearer"}
        return {"retry-after": str(RETRY_SECONDS)} if self.status in (429, 503) else {}


def refusal(error: Exception) -> Refused:
    """Return the answer to an error. An error that nlgauge did not raise on purpose has status 500 and no details."""
    if isinstance(error, Refused):
        return error
    if isinstance(error, NlgaugeError):
        status = 413 if isinstance(error, TooMuchWorkError) else 422
        return Refused(status, str(error), error.row if isinstance(error, InputError) else None)
    if isinstance(error, MemoryError):
        return Refused(413, "the request needs more memory than one may have (send fewer or shorter texts at a time)")
    return Refused(500, "the service failed on this request; its log names the place")


def response(refused: Refused) -> Response:
    """Return the HTTP response of a refusal."""
    from starlette.responses import Response  # the rest of this file needs no extra

    return Response(encoded(refused.record), refused.status, refused.headers, "application/json")
