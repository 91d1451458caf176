"""The results of reading a judge's answer: a number with the judge's reason, or a failure with its reason."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from nlgauge.data.evidence import Evidence, Item
from nlgauge.metrics.replies import Numbers

YES_NO: Numbers = {"yes": 1.0, "no": 0.0}
_LONGEST_FINGERPRINT = 80


class Failure(NamedTuple):
    """The reason why an answer has no number."""

    reason: str
    temporary: bool = False
    """Whether another request may succeed, so that the failure is not cached"""
    abstains: bool = False
    """Whether the judge said that it cannot answer"""
    date: str = ""
    """The day of the answer by UTC, as in 2026-11-28; empty for answers that were cached by a version without dates"""
    fingerprint: str = ""
    """The server's name for the running model: `system_fingerprint` of the reply, or else the name of the model"""


class Read(NamedTuple):
    """A number that was read from an answer."""

    number: float
    by_probability: bool
    """Whether the number comes from the probabilities of the labels, and not from the written label"""
    label: str = ""
    """The written label; empty if there is none"""
    said: str = ""
    """The reason of the judge: its words beside the label"""
    date: str = ""
    """The day of the answer, as in `Failure`"""
    fingerprint: str = ""
    """The server's name for the running model, as in `Failure`"""


Answer: TypeAlias = Read | Failure


def evidence_of(answers: Iterable[Answer]) -> Evidence:
    """Return the evidence of a row: the label, the number and the judge's reason of each answer that has a reason."""
    with_reason = [answer for answer in answers if isinstance(answer, Read) and answer.said]
    return Evidence(
        items=[Item(answer.label, {"number": answer.number, "reason": answer.said}) for answer in with_reason]
    )


def dated(answers: Iterable[Answer], content: Mapping[str, object], served: str) -> list[Answer]:
    """Return the answers of a reply with today's date and the fingerprint of the model that gave them.

    Args:
        answers: the answers of one reply.
        content: the reply.
        served: the name of the model, which is the fingerprint if the server gives none.

    Returns:
        The answers.
    """
    named = content.get("system_fingerprint")
    plain = "".join(filter(str.isprintable, named))[:_LONGEST_FINGERPRINT] if isinstance(named, str) else ""
    today = time.strftime("%Y-%m-%d", time.gmtime())
    return [answer._replace(date=today, fingerprint=plain or served) for answer in answers]


def mixed(answers: Iterable[Answer]) -> dict[str, int]:
    """Return how many answers there are of each day and fingerprint; empty if all have the same day and fingerprint.

    Args:
        answers: the answers that a run used, those from the cache included. Failed requests are not counted.

    Returns:
        The counts, by a text that names the day and the fingerprint for the user.
    """
    used = Counter(
        (answer.date, answer.fingerprint) for answer in answers if isinstance(answer, Read) or not answer.temporary
    )
    if len(used) < 2:
        return {}
    return {
        f"answers of {date} by {fingerprint}" if date else "answers without a date": count
        for (date, fingerprint), count in sorted(used.items())
    }


def tally(answer: Answer) -> Iterator[str]:
    """Yield the name under which an answer is counted in the cost of a run; nothing for a request that failed."""
    if isinstance(answer, Read):
        yield "answers by probability" if answer.by_probability else "answers by word"
    elif not answer.temporary:
        yield "abstentions" if answer.abstains else "answers without a number"
