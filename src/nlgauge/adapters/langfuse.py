"""An evaluator for Langfuse: ``run_experiment(..., evaluators=[evaluator("Consistency", source="input")])``.

Langfuse calls it for each item with `input`, `output`, `expected_output` and `metadata`, and keeps the `Evaluation`,
or the list of them, that comes back.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from langfuse import Evaluation

from nlgauge.adapters.scorer import RowScorer, fields_of, value_at
from nlgauge.metrics.base import Metric


def evaluator(
    metric: str | Metric,
    *,
    part: str | None = None,
    candidate: str = "output",
    references: str | None = None,
    source: str | None = None,
    context: str | None = None,
    **options: Any,
) -> Callable[..., list[Evaluation]]:
    """One part of one metric as an evaluator; the comment says which words are not supported, where the metric does.

    metric: a spec or a Metric; part: its first where none is named. candidate, references, source, context: "output",
    "expected_output", "input" or "metadata", or a key in one of them ("input.document"). An item without a finite score
    gets no evaluation. options: as `nlgauge.evaluate` takes them. Raises SpecError for a metric whose scores depend on
    other rows, and for a column that it reads and that has no name here; InputError for a key that is not there.
    """
    rows = RowScorer(metric, part=part, **options)
    fields = {"candidate": candidate, **fields_of([rows.metric], references=references, source=source, context=context)}

    def nlgauge_evaluator(**item: Any) -> list[Evaluation]:
        value, said = rows.told({ours: value_at(item, theirs) for ours, theirs in fields.items()})
        return [Evaluation(name=rows.label, value=value, comment=said)] if math.isfinite(value) else []

    return nlgauge_evaluator
