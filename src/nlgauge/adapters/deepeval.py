"""A DeepEval metric, without a judge model: ``assert_test(case, [CaseMetric("TokenF1", at_least=0.5)])``.

DeepEval calls `measure`, or awaits `a_measure`, with an `LLMTestCase` and reads score, reason and success off the
metric. It makes a metric anew for each case, from the attributes that have the names of the parameters. The actual
output of a case is the candidate, the expected output the reference, the input the question; the retrieval context,
else the context, one passage after the other, is the source and the context.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from typing import Any

from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase

from nlgauge.adapters.scorer import RowScorer
from nlgauge.errors import InputError
from nlgauge.metrics.base import Metric


class CaseMetric(BaseMetric):  # type: ignore[misc]  # DeepEval is not installed where types are checked
    """One part of one metric, which a case passes by scoring at least so much.

    metric: a spec or a Metric; part: its first where none is named. options: as `nlgauge.evaluate` takes them, such as
    {"model": "base"}. rows: what scores; the metrics that DeepEval makes of this one share it. Raises SpecError for a
    distance, for a part that has no better direction, and for a metric whose scores depend on other cases.
    """

    def __init__(
        self,
        metric: str | Metric,
        *,
        at_least: float,
        part: str | None = None,
        options: Mapping[str, Any] | None = None,
        rows: RowScorer | None = None,
    ) -> None:
        self.metric, self.at_least, self.part, self.options = metric, at_least, part, options
        self.rows = rows or RowScorer(metric, part=part, **(options or {}))
        self.rows.refuse_distance("DeepEval")
        self.threshold, self.async_mode, self.include_reason = at_least, True, True
        self.score: float | None = None
        self.reason: str | None = None
        self.success: bool | None = None
        self.error: str | None = None
        self.evaluation_model: str | None = None

    def measure(self, test_case: LLMTestCase, *args: object, **more: object) -> float:
        """The score. Raises InputError for a case that has none, which DeepEval counts as an error of the case."""
        passages = test_case.retrieval_context or test_case.context
        record = {
            "candidate": test_case.actual_output, "references": test_case.expected_output, "source": passages,
            "context": passages, "question": test_case.input,
        }  # fmt: skip
        value, said = self.rows.told(record)
        if math.isnan(value):
            problem = f"{self.rows.label} has no value: {said}"
            self.success, self.error = False, problem
            raise InputError(problem)
        self.score, self.reason, self.success = value, said, value >= self.at_least
        return value

    async def a_measure(self, test_case: LLMTestCase, *args: object, **more: object) -> float:
        """The same, on a thread of its own: DeepEval keeps many cases under way."""
        return await asyncio.to_thread(self.measure, test_case)

    def is_successful(self) -> bool:
        """Whether the last case passed."""
        return bool(self.success)

    @property
    def __name__(self) -> str:
        return self.rows.label
