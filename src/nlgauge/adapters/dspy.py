"""A DSPy metric: ``dspy.Evaluate(devset=..., metric=ExampleMetric("BERTScore", references="answer"))``.

DSPy calls it with an example and a prediction, and takes the mean of the numbers; optimisers call it with a `trace`
too, and then want to be told whether the prediction is good enough to learn from.
"""

from __future__ import annotations

import math
from typing import Any

from nlgauge.adapters.scorer import RowScorer, fields_of, held
from nlgauge.errors import InputError, SpecError
from nlgauge.metrics.base import Metric


class ExampleMetric:
    """One part of one metric, of a field of the prediction against fields of the example.

    metric: a spec or a Metric; part: its first where none is named. candidate: the field of the prediction that is
    scored. references, source, context: fields of the example. at_least: what a prediction has to score to be learned
    from. options: as `nlgauge.evaluate` takes them. A distance, or a part that has no better direction, is refused,
    because DSPy looks for more. Raises SpecError for these, for a metric whose scores depend on other rows, and for a
    column that the metric reads and that has no name here.
    """

    def __init__(
        self,
        metric: str | Metric,
        *,
        part: str | None = None,
        candidate: str = "answer",
        references: str | None = None,
        source: str | None = None,
        context: str | None = None,
        at_least: float | None = None,
        **options: Any,
    ) -> None:
        self._rows = RowScorer(metric, part=part, **options)
        self._rows.refuse_distance("DSPy")
        self._fields = fields_of([self._rows.metric], references=references, source=source, context=context)
        self._candidate, self._at_least = candidate, at_least

    def __call__(self, example: Any, prediction: Any, trace: Any = None) -> float | bool:
        """The number; with a trace, whether it is at least `at_least`.

        Raises InputError for a field that is not there, and for a row without a score, which DSPy counts as it counts
        every failure (`failure_score`).
        """
        value, reason = self._rows.score(self._record(example, prediction))
        if math.isnan(value):
            raise InputError(f"{self._rows.label} has no value: {reason}")
        if trace is None:
            return value
        if self._at_least is None:
            raise SpecError("an optimiser asks which predictions are good: give at_least")
        return value >= self._at_least

    def _record(self, example: Any, prediction: Any) -> dict[str, Any]:
        record = {ours: held(example, theirs, "the example has no field") for ours, theirs in self._fields.items()}
        return {**record, "candidate": held(prediction, self._candidate, "the prediction has no field")}


class FeedbackMetric(ExampleMetric):
    """The metric for ``dspy.GEPA(metric=FeedbackMetric("Consistency(aligner='D')", source="document"))``.

    GEPA calls it with five arguments, and reads beside the number, in words, what is wrong with a prediction: the words
    that nothing supports, where the metric shows them, or why there is no number. A prediction without one scores 0,
    since GEPA has no place for a missing number, and the feedback says so. Parameters as of `ExampleMetric`.
    """

    def __call__(
        self, example: Any, prediction: Any, trace: Any = None, pred_name: str | None = None, pred_trace: Any = None
    ) -> Any:
        """dspy.Prediction(score=..., feedback=...). Raises InputError for a field that is not there."""
        from dspy import Prediction

        value, said = self._rows.told(self._record(example, prediction))
        if math.isnan(value):
            return Prediction(score=0.0, feedback=f"{self._rows.label} has no value: {said}")
        return Prediction(
            score=value, feedback=f"{self._rows.label} is {value:.4f}." + (f" The {said}." if said else "")
        )
