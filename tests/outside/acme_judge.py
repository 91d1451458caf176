"""A language model as judge, in one file: it stands behind HTTP and is asked for a mark from 1 to 10.

``--model acme-judge/server:http://127.0.0.1:8000``. The server answers GET with ``{"model": its name}``, and POST of
``{"prompt": ...}`` with ``{"answer": ...}``. Few requests go at a time, a failed one is tried again, and an answer is
kept where scores are, so that no question is paid for twice.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, ClassVar, NamedTuple, Protocol
from urllib.error import HTTPError
from urllib.request import Request as Call
from urllib.request import urlopen

from nlgauge import SpecError
from nlgauge.metrics import Cost, Features, Prepared, Reader, Request, Row, RowMetric, Value
from nlgauge.models import Capability, Model, TextBlock

AT_ONCE = 4
WAITS = (0.05, 0.2)
"""Seconds before a failed request is sent again"""
PROMPT = "Mark from 1 to 10 how well the summary fits the text. Answer with the number.\n\nText: {}\n\nSummary: {}"


class Answer(NamedTuple):
    """What the judge said, or why it said nothing."""

    text: str
    failure: str | None = None


class Judge(Protocol):
    """Answers a question in its own words."""

    def answer(self, prompt: str) -> Answer: ...


JUDGE = Capability[Judge]("acme-judge/judge", "answers no questions; choose model='acme-judge/server:http://HOST:PORT'")


def read_answers(requests: Sequence[AnswerRequest], block: TextBlock) -> Iterator[tuple[AnswerRequest, Answer]]:
    """Ask a few questions at a time; what was answered is kept, whatever happens afterwards."""
    judge = block.model[JUDGE]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        asked = {pool.submit(judge.answer, request.prompt): request for request in requests}
        for number, answered in enumerate(as_completed(asked), 1):
            yield asked[answered], answered.result()
            block.done(number / len(requests))


@dataclass(frozen=True)
class AnswerRequest(Request[Answer]):
    """The answer to a question."""

    capability: ClassVar[Capability[Any]] = JUDGE
    reader: ClassVar[Reader] = staticmethod(read_answers)

    prompt: str

    @property
    def texts(self) -> tuple[str]:
        return (self.prompt,)

    def size(self, model: Model) -> int:
        return 64

    @property
    def key(self) -> str:
        return f"answer|{self.prompt}"

    def pack(self, feature: Answer) -> bytes | None:
        return None if feature.failure else feature.text.encode()

    def unpack(self, content: bytes, model: Model) -> Answer:
        return Answer(content.decode())


@dataclass(frozen=True)
class Judged(RowMetric):
    """How well the candidate fits its source, as a language model says; 1 to 10."""

    columns: ClassVar[tuple[str, ...]] = ("candidate", "source")
    cost: ClassVar[Cost] = "pairs"

    model: str | None = None

    def requests(self, row: Row, prepared: Prepared) -> list[AnswerRequest]:
        return [AnswerRequest(PROMPT.format(row.source, row.candidate))] if row.source else []

    def score_rows(self, rows: Sequence[Row], prepared: Prepared, features: Features) -> list[Value]:
        return [self._value(self.requests(row, prepared), features) for row in rows]

    def _value(self, asked: Sequence[AnswerRequest], features: Features) -> Value:
        answer = features[asked[0]] if asked else None
        if answer is None:
            return Value((math.nan,), "no source")
        if answer.failure:
            return Value((math.nan,), f"the judge did not answer: {answer.failure}", temporary=True)
        if (mark := answer.text.strip()) not in map(str, range(1, 11)):
            return Value((math.nan,), f"the judge said {mark[:40]!r}, which is no number from 1 to 10")
        return Value((float(mark),))


class HttpJudge:
    """`Judge` at an address."""

    def __init__(self, address: str) -> None:
        self._address = address

    def answer(self, prompt: str) -> Answer:
        for wait in (*WAITS, None):
            try:
                return Answer(str(told(self._address, {"prompt": prompt})["answer"]))
            except (OSError, ValueError, KeyError) as error:
                failure = f"HTTP {error.code}" if isinstance(error, HTTPError) else type(error).__name__
                refused = isinstance(error, HTTPError) and error.code < 500 and error.code != 429
            if wait is None or refused:
                return Answer("", failure)
            time.sleep(wait)
        raise AssertionError


def told(address: str, asked: object = None) -> dict[str, Any]:
    """What the server says. Raises OSError, ValueError."""
    content = None if asked is None else json.dumps(asked).encode()
    with urlopen(Call(address, content, {"Content-Type": "application/json"}), timeout=30) as reply:
        said: dict[str, Any] = json.load(reply)
    return said


def server(precision: str, of: str | None = None) -> Model:
    """The model behind an address. Raises SpecError where nobody answers, and for a precision that it cannot choose."""
    if of is None or not of.startswith(("http://", "https://")):
        raise SpecError("name the judge's address: acme-judge/server:http://HOST:PORT")
    if precision != "float32":
        raise SpecError(f"the judge at {of} chooses its precision itself; leave precision out")
    try:
        name = str(told(of)["model"])
    except (OSError, ValueError, KeyError) as error:
        raise SpecError(f"no judge answers at {of}: {error}") from None
    digest = sha256(name.encode()).hexdigest()
    return Model(f"acme-judge/server:{of}", digest, f"http {name}", precision, {JUDGE: HttpJudge(of)})
