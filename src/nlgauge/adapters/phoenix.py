"""An evaluator for Arize Phoenix: ``evaluate_dataframe(frame, evaluators=[MetricEvaluator("TokenF1", ...)])``.

Phoenix calls `evaluate` with each record, and keeps the `Score` that comes back: name, number, explanation, direction.
"""

from __future__ import annotations

import math
from typing import Any

from phoenix.evals import Evaluator, Score
from pydantic import create_model

from nlgauge.adapters.scorer import RowScorer, fields_of
from nlgauge.metrics.base import Metric


class MetricEvaluator(Evaluator):  # type: ignore[misc]  # Phoenix is not installed where types are checked
    """One part of one metric; the explanation says which words are not supported, where the metric does.

    metric: a spec or a Metric; part: its first where none is named. candidate, references, source, context: keys of a
    record, or paths in it ("input.document"). A record without a score has None as its score, and the reason as the
    explanation. options: as `nlgauge.evaluate` takes them. Raises SpecError for a metric whose scores depend on other
    records, and for a column that it reads and that has no name here.
    """

    def __init__(
        self,
        metric: str | Metric,
        *,
        part: str | None = None,
        candidate: str = "output",
        references: str | None = None,
        source: str | None = None,
        context: str | None = None,
        **options: Any,
    ) -> None:
        self.rows = RowScorer(metric, part=part, **options)
        named = fields_of([self.rows.metric], references=references, source=source, context=context)
        fields = {"candidate": candidate, **named}
        columns: dict[str, Any] = dict.fromkeys(fields, (Any, None))
        super().__init__(
            name=self.rows.label,
            kind="code",
            direction="minimize" if self.rows.higher_is_better is False else "maximize",
            # Phoenix refuses a record in which a required field is empty; here such a record has no score.
            input_schema=create_model("Row", **columns),
        )
        self.bind(fields)

    def _evaluate(self, eval_input: dict[str, Any]) -> list[Score]:
        value, said = self.rows.told(eval_input)
        score = value if math.isfinite(value) else None
        return [Score(name=self.name, score=score, explanation=said, kind=self.kind, direction=self.direction)]
