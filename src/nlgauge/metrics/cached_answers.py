"""The answers of a judge in the cache. Each is stored when it arrives, since a run may stop between a row's answers."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from nlgauge.contract.base import AnswerCache
from nlgauge.metrics.reading import Answer, Failure, Read

Job: TypeAlias = tuple[bytes, int]
"""The digest of a prompt, and the number of the repeat"""
_OFTEN_S = 0.2
"""Seconds between two commits. A process that is killed loses at most the answers of this time"""


@dataclass
class CachedAnswers:
    """The cached answers of one judge.

    Args:
        cache: the cache; None for a run without one.
        judge: a text that names all that an answer depends on, except the prompt and the number of the repeat.
        count: the number of answers in a reply.
    """

    cache: AnswerCache | None
    judge: str
    count: int
    _committed: float = 0.0

    def look_up(self, jobs: Iterable[Job]) -> dict[Job, Sequence[Answer]]:
        """Return the cached answers by job. A job of which an answer is missing is left out."""
        if self.cache is None:
            return {}
        keys = {self._key(job): job for job in jobs}
        cached = {keys[key]: _read(content) for key, content in self.cache.get(list(keys)).items()}
        return {job: answers for job, answers in cached.items() if len(answers) == self.count}

    def add(self, job: Job, answers: Sequence[Answer]) -> None:
        """Cache the answers to a job, unless one of them is a temporary failure."""
        if self.cache is None or any(isinstance(answer, Failure) and answer.temporary for answer in answers):
            return
        self.cache.put({self._key(job): json.dumps([_written(answer) for answer in answers]).encode()})
        if time.monotonic() > self._committed + _OFTEN_S:
            self.commit()

    def commit(self) -> None:
        """Write the answers that were added."""
        if self.cache is not None:
            self.cache.commit()
            self._committed = time.monotonic()

    def _key(self, job: Job) -> str:
        return f"answer|{self.judge}|{job[0].hex()}|{job[1]}"


def _written(answer: Answer) -> dict[str, object]:
    return {("number" if isinstance(answer, Read) else "none"): list(answer)}


def _read(content: bytes) -> list[Answer]:
    """Return the answers in JSON that `_written` made; an empty list for other content."""
    import msgspec  # where there is a cache

    try:
        made = msgspec.json.decode(content, type=list[dict[str, object]])
        return [_answer(record) for record in made]
    except (ValueError, RecursionError):
        return []


def _answer(record: Mapping[str, object]) -> Answer:
    """Return the answer in a record that `_written` made. Raises ValueError for other records."""
    import msgspec

    if set(record) == {"number"}:
        return msgspec.convert(record["number"], Read)
    return msgspec.convert(record["none"], Failure) if set(record) == {"none"} else _answer({"none": []})
