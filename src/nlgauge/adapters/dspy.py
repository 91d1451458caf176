"""A DSPy metric: ``dspy.Evaluate(devset=..., metric=ExampleMetric("BERTScore", references="answer"))``.

DSPy calls it with an example and a prediction, and takes the mean of the numbers; optimisers call it with a `trace`
too, and then want to be told whether the prediction is good enough to learn from.
"""

from __future__ import annotations

import math
from typing import Any

from nlgauge.adapters.scorer import RowScorer, fields_of
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
        if not self._rows.higher_is_better:
            raise SpecError(
                f"of {self._rows.label}, more is not better, and DSPy looks for more: choose another metric"
            )
        self._fields = fields_of([self._rows.metric], references=references, source=source, context=context)
        self._candidate, self._at_least = candidate, at_least

    def __call__(self, example: Any, prediction: Any, trace: Any = None) -> float | bool:
        """The number; with a trace, whether it is at least `at_least`.

        Raises InputError for a field that is not there, and for a row without a score, which DSPy counts as it counts
        every failure (`failure_score`).
        """
        record = {ours: _field(example, theirs, "example") for ours, theirs in self._fields.items()}
        record["candidate"] = _field(prediction, self._candidate, "prediction")
        value, reason = self._rows.score(record)
        if math.isnan(value):
            raise InputError(f"{self._rows.label} has no value: {reason}")
        if trace is None:
            return value
        if self._at_least is None:
            raise SpecError("an optimiser asks which predictions are good: give at_least")
        return value >= self._at_least


def _field(thing: Any, name: str, what: str) -> Any:
    if name not in thing:
        raise InputError(f"the {what} has no field {name!r}", remedy=f"it has {', '.join(thing.keys()) or 'none'}")
    return thing[name]
