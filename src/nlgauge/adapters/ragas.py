"""A Ragas metric: ``ragas.evaluate(dataset, metrics=[SampleMetric("Consistency")])``, without a judge model.

Ragas awaits `_single_turn_ascore` for each `SingleTurnSample` and takes the mean of the numbers that are no NaN. The
response of a sample is the candidate, the reference the reference, the user's input the question, and the retrieved
contexts, one after the other, are the source and the context.
"""

from __future__ import annotations

import asyncio
from typing import Any

from ragas.dataset_schema import SingleTurnSample
from ragas.metrics.base import MetricType, SingleTurnMetric

from nlgauge.adapters.scorer import RowScorer, plain_name
from nlgauge.metrics.base import Metric

_THEIRS = {
    "candidate": "response",
    "references": "reference",
    "source": "retrieved_contexts",
    "context": "retrieved_contexts",
}


class SampleMetric(SingleTurnMetric):  # type: ignore[misc]  # Ragas is not installed where types are checked
    """One part of one metric, under its name with underscores. A sample without a score is NaN.

    metric: a spec or a Metric; part: its first where none is named. options: as `nlgauge.evaluate` takes them. Raises
    SpecError for a metric whose scores depend on other samples.
    """

    def __init__(self, metric: str | Metric, *, part: str | None = None, **options: Any) -> None:
        self.rows = RowScorer(metric, part=part, **options)
        required = {_THEIRS[column] for column in self.rows.metric.columns}
        super().__init__(_required_columns={MetricType.SINGLE_TURN: required}, name=plain_name(self.rows.label))

    def init(self, run_config: object) -> None:
        """Nothing: models are loaded when they are first needed."""

    async def _single_turn_ascore(self, sample: SingleTurnSample, callbacks: object) -> float:
        record = {ours: getattr(sample, _THEIRS[ours]) for ours in self.rows.metric.columns}
        record["question"] = getattr(sample, "user_input", None)
        # Ragas keeps many samples under way on one thread.
        return (await asyncio.to_thread(self.rows.score, record)).value
