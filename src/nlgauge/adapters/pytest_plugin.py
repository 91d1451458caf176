"""A pytest plugin: the fixture `assert_grounded`, which can also be imported as a function.

pytest imports this file at every start, through the entry point group ``pytest11``. The file imports nothing large
before a test calls the function.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, Protocol

import pytest

if TYPE_CHECKING:
    from nlgauge.adapters.scorer import Scorer
    from nlgauge.gate import Verdict

GROUNDED = "Faithfulness"
"""The metric that decides whether a source supports an answer"""


class AssertGrounded(Protocol):
    """The type of the fixture `assert_grounded`."""

    def __call__(
        self,
        answer: str,
        source: Any,
        *,
        at_least: float | None = None,
        question: str | None = None,
        metric: str = GROUNDED,
        part: str | None = None,
        model: str | None = None,
        strict: Literal["fails", "doubtful"] = "fails",
    ) -> None: ...


def assert_grounded(
    answer: str,
    source: Any,
    *,
    at_least: float | None = None,
    question: str | None = None,
    metric: str = GROUNDED,
    part: str | None = None,
    model: str | None = None,
    strict: Literal["fails", "doubtful"] = "fails",
) -> None:
    """Fail the test if the source does not support the answer.

    The failure shows the answer, the finding, and the reasons: differences from the source, or words that the source
    does not support. An answer without a score fails too.

    Args:
        answer: the answer.
        source: a text, or a list of passages or documents (with `page_content`, `text` or `content`).
        at_least: the least score that passes. Without it, the model's thresholds decide, as in
            `nlgauge.check(grounded=True, strict=strict)`.
        question: the question that the answer answers. It does not support claims of the answer.
        metric: another metric that reads a source.
        part: a sub-score of the metric, by default its deciding sub-score. It is used with `at_least`.
        model: as `nlgauge.evaluate` takes it. It is loaded once for all tests.
        strict: with 'fails', only an answer that is almost certainly wrong fails. With 'doubtful', an answer that may
            be wrong fails too: for the embedded model, a fifth or more of right answers are doubtful.

    Raises:
        AssertionError: the source does not support the answer.
        SpecError: for a metric, sub-score or threshold that does not exist.
        InputError: for a model without thresholds, an answer that is no text, and a source without texts.
    """
    __tracebackhide__ = True
    from nlgauge.gate import check
    from nlgauge.gate.guard import refuse_no_source

    refuse_no_source(source)
    table = _scorer(metric, model).table([{"candidate": answer, "source": source, "question": question}], evidence=True)
    verdict = (
        check(table, grounded=True, strict=strict) if at_least is None else check(table, part=part, at_least=at_least)
    )
    if not verdict.passed:
        raise AssertionError(_told(verdict, question))


@pytest.fixture(scope="session", name="assert_grounded")
def _assert_grounded() -> AssertGrounded:
    """Return the function that fails a test unless a source supports an answer: assert_grounded(answer, source)."""
    return assert_grounded


@lru_cache(maxsize=8)
def _scorer(metric: str, model: str | None) -> Scorer:
    from nlgauge.adapters.scorer import Scorer

    return Scorer(metric, model=model)


def _told(verdict: Verdict, question: str | None) -> str:
    from nlgauge.gate.verdict import SAID

    (outcome,) = verdict.outcomes
    lines = [f"{verdict.metric} {verdict.part}: {outcome.problem or 'nothing was checked'}"]
    if outcome.finding is not None and outcome.finding not in ("cannot say", "doubtful"):
        lines.insert(0, f"{outcome.finding}: {SAID[outcome.finding]}")
    lines += [f"  question: {question}"] if question else []
    lines += [f"  answer: {outcome.answer}"] if outcome.answer else []
    lines += [f"  difference: {reason}" for reason in outcome.reasons]
    lines += [f"  not supported: {word}" for text in outcome.unsupported for word in text.words]
    return "\n".join([*lines, *(f"  compared with: {quote}" for quote in outcome.quotes)])
