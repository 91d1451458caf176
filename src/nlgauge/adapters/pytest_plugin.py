"""A pytest plugin: the fixture `assert_grounded`, which may be imported as a function too.

pytest imports this file at every start, through the entry point group ``pytest11``: it loads nothing beyond itself
until a test asks for a score.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

import pytest

if TYPE_CHECKING:
    from nlgauge.adapters.scorer import Scorer
    from nlgauge.meta.gate import Verdict

GROUNDED = "Consistency(aligner='D')"
"""A trained aligner that reads answer and source together and labels every word of the answer"""
_PART = "probability"
"""That the source supports all of the answer. The metric's score, a mean over the words, forgives one invented word
among many right ones"""


class AssertGrounded(Protocol):
    """The type of the fixture."""

    def __call__(
        self,
        answer: str,
        source: str | Sequence[str],
        *,
        at_least: float,
        question: str | None = None,
        metric: str = GROUNDED,
        part: str | None = None,
        model: str | None = None,
    ) -> None: ...


def assert_grounded(
    answer: str,
    source: str | Sequence[str],
    *,
    at_least: float,
    question: str | None = None,
    metric: str = GROUNDED,
    part: str | None = None,
    model: str | None = None,
) -> None:
    """Fail the test unless the source supports the answer, with a probability of at least so much.

    The failure names the words that nothing supports. source: a text, or several passages. question: what the
    answer answers, which supports nothing of it. metric: another one that
    reads a source; part: its first where none is named. model: as `nlgauge.evaluate` takes it; it is loaded once for
    all tests. An answer that has no score fails too. Raises AssertionError, which is the failure, and SpecError for a
    metric, a part or a bar that cannot be meant.
    """
    __tracebackhide__ = True
    from nlgauge.meta.gate import check

    text = source if isinstance(source, str) else "\n".join(source)
    table = _scorer(metric, model).table([{"candidate": answer, "source": text, "question": question}], evidence=True)
    if part is None and metric == GROUNDED:
        part = _PART
    verdict = check(table, part=part, at_least=at_least)
    if not verdict.passed:
        raise AssertionError(_told(verdict))


@pytest.fixture(scope="session", name="assert_grounded")
def _assert_grounded() -> AssertGrounded:
    """Fail unless a source supports an answer: assert_grounded(answer, source, at_least=0.5)."""
    return assert_grounded


@lru_cache(maxsize=8)
def _scorer(metric: str, model: str | None) -> Scorer:
    from nlgauge.adapters.scorer import Scorer

    return Scorer(metric, model=model)


def _told(verdict: Verdict) -> str:
    (outcome,) = verdict.outcomes
    words = [word for text in outcome.unsupported for word in text.words]
    first = f"{verdict.metric} {verdict.part}: {outcome.problem}"
    return "\n".join([first, *(f"  not supported: {word}" for word in words)])
