"""Why a request has no scores: a status and one line."""

from __future__ import annotations

from collections.abc import Mapping

from nlgauge.errors import InputError, NlgaugeError
from nlgauge.run.executors.together import TooMuchWorkError

RETRY_SECONDS = 1
"""What a client is told to wait before it tries again"""
DOCUMENTED: Mapping[int, str] = {
    400: "Content-Length and Transfer-Encoding both say how long the body is.",
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
"""By status, when it is given; all that is not a score has one of these, or 404 or 405"""


class Refused(Exception):  # noqa: N818  # it is an answer, and most often no error of the service
    """An answer that is not a score. row: of the request, counted from 1, where one is at fault."""

    def __init__(self, status: int, line: str, row: int | None = None) -> None:
        super().__init__(line)
        self.status, self.row = status, row
        self.line = " ".join(line.split())

    @property
    def record(self) -> dict[str, object]:
        """The body of the answer."""
        return {"error": self.line} | ({} if self.row is None else {"row": self.row})

    @property
    def headers(self) -> dict[str, str]:
        """What the status asks for."""
        if self.status in (400, 431):
            return {"connection": "close"}  # what follows on it is not to be trusted
        if self.status == 401:
            return {"www-authenticate": "Bearer"}
        return {"retry-after": str(RETRY_SECONDS)} if self.status in (429, 503) else {}


def refusal(error: Exception) -> Refused:
    """The answer to an error. What nlgauge did not raise on purpose is the service's own fault, and keeps its text."""
    if isinstance(error, Refused):
        return error
    if isinstance(error, NlgaugeError):
        status = 413 if isinstance(error, TooMuchWorkError) else 422
        return Refused(status, str(error), error.row if isinstance(error, InputError) else None)
    return Refused(500, "the service failed on this request; its log names the place")
