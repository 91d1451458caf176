"""What an answer of a judge becomes: a number with its reason, or why there is none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from nlgauge.data.evidence import Evidence, Item
from nlgauge.metrics.replies import Numbers

YES_NO: Numbers = {"yes": 1.0, "no": 0.0}


class Failure(NamedTuple):
    """Why there is no number."""

    reason: str
    temporary: bool = False
    abstains: bool = False
    """Whether the judge said that it cannot answer"""


class Read(NamedTuple):
    """A number that was read from an answer."""

    number: float
    by_probability: bool
    """Whether it comes from the probabilities of the labels, and not from the label that was written"""
    label: str = ""
    """The label that was written, where there is one"""
    said: str = ""
    """What was said beside it, the judge's reason"""


Answer: TypeAlias = Read | Failure


def evidence_of(answers: Iterable[Answer]) -> Evidence:
    """Return the reasons of a row's answers: the label that was written, its number, and what was said beside it."""
    with_reason = [answer for answer in answers if isinstance(answer, Read) and answer.said]
    return Evidence(
        items=[Item(answer.label, {"number": answer.number, "reason": answer.said}) for answer in with_reason]
    )


def tally(answer: Answer) -> Iterator[str]:
    """Yield what an answer counts as where a run tells what it has cost; nothing for a request that failed."""
    if isinstance(answer, Read):
        yield "answers by probability" if answer.by_probability else "answers by word"
    elif not answer.temporary:
        yield "abstentions" if answer.abstains else "answers without a number"
