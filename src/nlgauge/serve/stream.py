"""Checking of an answer while it is sent: a line goes back after each of its sentences.

The first line of the request has the source and the question, and each further line has a piece of the answer. Each
line of the reply is the verdict on a sentence, and the last line says whether all sentences passed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from nlgauge.gate.guard import cut
from nlgauge.serve.answers import Refused, encoded, refusal
from nlgauge.serve.asking import Limits, refuse_kind, too_large
from nlgauge.serve.worker import tell

LINES = "application/x-ndjson"
"""The content type of both bodies: a JSON object per line"""
Record = dict[str, Any]


class Lines:
    """The lines of a request's body, as they arrive. The event `gone` is set when the client has left."""

    def __init__(self, request: Request, limits: Limits) -> None:
        refuse_kind(request, LINES)
        self._receive, self._limits = request.receive, limits
        self._queue: asyncio.Queue[bytes | Refused | None] = asyncio.Queue()  # a body at most
        self.gone = asyncio.Event()
        self._reading = asyncio.ensure_future(self._read())

    async def _read(self) -> None:
        held, size = b"", 0
        while (message := await self._receive())["type"] != "http.disconnect":
            piece = message.get("body", b"")
            size += len(piece)
            if size > self._limits.body:
                self._queue.put_nowait(too_large(self._limits))
                return
            *whole, held = (held + piece).split(b"\n")
            for line in whole:
                self._queue.put_nowait(line)
            if not message.get("more_body", False):
                self._queue.put_nowait(held)
                self._queue.put_nowait(None)
        self.gone.set()
        self._queue.put_nowait(Refused(408, "the client went away before the body was whole"))

    async def next(self) -> bytes | None:
        """Return the next line that is not empty; None after the last one.

        Returns:
            The line without its end, or None.

        Raises:
            Refused: the body is too large, or a line does not arrive in time.
        """
        line: bytes | Refused | None = b""
        while line is not None and not isinstance(line, Refused) and not line.strip():
            try:
                line = await asyncio.wait_for(self._queue.get(), self._limits.seconds)
            except asyncio.TimeoutError:
                raise Refused(408, f"no line came within {self._limits.seconds:g} seconds (send it faster)") from None
        if isinstance(line, Refused):
            raise line
        return line

    def close(self) -> None:
        """Stop reading the body."""
        self._reading.cancel()


class Verdicts(Response):
    """The response whose lines are verdicts on sentences. Each line is sent as soon as it is ready.

    Args:
        lines: the lines of the request.
        said: returns the piece of the answer that a line holds.
        record_of: returns the record of the verdict on a sentence.
    """

    def __init__(
        self, lines: Lines, said: Callable[[bytes], str], record_of: Callable[[str], Awaitable[Record]]
    ) -> None:
        super().__init__(media_type=LINES)
        del self.headers["content-length"]
        self._lines, self._said, self._record_of = lines, said, record_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the lines. An error is sent as the last line, because the status was already sent before it."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        try:
            async for record in self._records():
                await send({"type": "http.response.body", "body": encoded(record) + b"\n", "more_body": True})
        except Exception as error:
            refused = refusal(error)
            if refused.status == 500:
                tell(error)
            await send({"type": "http.response.body", "body": encoded(refused.record) + b"\n", "more_body": True})
        finally:
            self._lines.close()
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _records(self) -> AsyncIterator[Record]:
        held, number, passed = "", 0, True
        line: bytes | None = b""
        while line is not None:
            line = await self._lines.next()
            ended, held = cut(held + self._said(line)) if line is not None else ([held.strip()], "")
            for sentence in filter(None, ended):
                number += 1
                record = {**await self._record_of(sentence), "row": number}
                passed = passed and record["state"] not in ("failed", "missing")
                yield record
        yield {"passed": passed, "sentences": number}
