"""A metric for a lighteval task: ``LightevalTaskConfig(..., metrics=[task_metric("BERTScore")])``.

lighteval hands over all documents of a task with the model's responses, keeps a number for each of them, and shows the
mean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from lighteval.metrics.metrics_sample import SampleLevelComputation
from lighteval.metrics.utils.metric_utils import SampleLevelMetric
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc, SamplingMethod

from nlgauge.adapters.scorer import RowScorer, fields_of, plain_name
from nlgauge.errors import InputError
from nlgauge.metrics.base import Metric

QUERY = "query"


def task_metric(
    metric: str | Metric,
    *,
    part: str | None = None,
    source: str | None = None,
    context: str | None = None,
    **options: Any,
) -> SampleLevelMetric:
    """One part of one metric as a metric of a generative task; the gold answers of a document are its references.

    metric: a spec or a Metric; part: its first where none is named. source, context: "query" for the query of a
    document, or a key of its `specific`. If a document has several generations, the first is scored. A document without
    a score has NaN, and the mean is of the others. options: as `nlgauge.evaluate` takes them. Raises SpecError for a
    metric whose scores depend on other documents, and for a column that it reads and that has no name here; InputError
    for a document that has no such key.
    """
    rows = RowScorer(metric, part=part, **options)
    fields_of([rows.metric], references="golds", source=source, context=context)
    return SampleLevelMetric(
        metric_name=plain_name(rows.label),
        higher_is_better=rows.higher_is_better is not False,
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=_Scores(rows, source, context),
        corpus_level_fn=mean_of_scored,
        batched_compute=True,
    )


def mean_of_scored(values: Sequence[float]) -> float:
    """The mean of the numbers that are there; NaN where there is none. lighteval asks its name for "mean"."""
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan


class _Scores(SampleLevelComputation):  # type: ignore[misc]  # lighteval is not installed where types are checked
    """The numbers of all documents of a task, computed together."""

    def __init__(self, rows: RowScorer, source: str | None, context: str | None) -> None:
        self.rows, self.source, self.context = rows, source, context

    def compute(self, responses: Sequence[ModelResponse], docs: Sequence[Doc], **more: object) -> list[float]:
        records = [
            {
                "candidate": response.final_text[0],
                "references": doc.get_golds(),
                "source": _text(doc, self.source),
                "context": _text(doc, self.context),
            }
            for response, doc in zip(responses, docs, strict=True)
        ]
        return [found.value for found in self.rows.scores(records)]


def _text(doc: Doc, key: str | None) -> Any:
    if key is None or key == QUERY:
        return None if key is None else doc.query
    given = doc.specific or {}
    if key not in given:
        known = ", ".join(given) or "none"
        raise InputError(f"the document {doc.id} has no {key!r} in its specific", remedy=f"it has {known}")
    return given[key]
