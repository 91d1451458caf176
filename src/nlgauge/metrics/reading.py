"""What an answer of a judge becomes: a number with its reason, or why there is none."""

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
    """Why there is no number."""

    reason: str
    temporary: bool = False
    abstains: bool = False
    """Whether the judge said that it cannot answer"""
    date: str = ""
    """The day of the answer, as in 2026-11-28, by UTC; empty where the cache has it from a version that wrote none"""
    fingerprint: str = ""
    """What the server calls what it runs, `system_fingerprint` of the reply, or the name of the model"""


class Read(NamedTuple):
    """A number that was read from an answer."""

    number: float
    by_probability: bool
    """Whether it comes from the probabilities of the labels, and not from the label that was written"""
    label: str = ""
    """The label that was written, where there is one"""
    said: str = ""
    """What was said beside it, the judge's reason"""
    date: str = ""
    """As in `Failure`"""
    fingerprint: str = ""
    """As in `Failure`"""


Answer: TypeAlias = Read | Failure


def evidence_of(answers: Iterable[Answer]) -> Evidence:
    """Return the reasons of a row's answers: the label that was written, its number, and what was said beside it."""
    with_reason = [answer for answer in answers if isinstance(answer, Read) and answer.said]
    return Evidence(
        items=[Item(answer.label, {"number": answer.number, "reason": answer.said}) for answer in with_reason]
    )


def dated(answers: Iterable[Answer], content: Mapping[str, object], served: str) -> list[Answer]:
    """Return answers with the day of today and the fingerprint of what gave them.

    Args:
        answers: those of one reply.
        content: the reply.
        served: the name of the model, which stands for a fingerprint where the server gives none.

    Returns:
        The answers.
    """
    named = content.get("system_fingerprint")
    plain = "".join(filter(str.isprintable, named))[:_LONGEST_FINGERPRINT] if isinstance(named, str) else ""
    today = time.strftime("%Y-%m-%d", time.gmtime())
    return [answer._replace(date=today, fingerprint=plain or served) for answer in answers]


def mixed(answers: Iterable[Answer]) -> dict[str, int]:
    """Return how many answers are of each day and fingerprint; empty where all are of one day and one fingerprint.

    Args:
        answers: those that a run used, also those of the cache. Those of failed requests do not count.

    Returns:
        The numbers, by the words in which a run tells them.
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
    """Yield what an answer counts as where a run tells what it has cost; nothing for a request that failed."""
    if isinstance(answer, Read):
        yield "answers by probability" if answer.by_probability else "answers by word"
    elif not answer.temporary:
        yield "abstentions" if answer.abstains else "answers without a number"
