"""Metrics of a task of the lm-evaluation-harness, of output type `generate_until`.

The harness calls `process_results` with each document and its generated texts, and when all are there the `aggregation`
of each metric with what that gave: the rows are gathered and scored at once, so that metrics that count on the corpus
and metrics of sets are as in a run. Beside a task's YAML, in ``utils.py``::

    metrics = HarnessMetrics(["BERTScore", "ROUGE(variant='L')"], references="answers")
    process_results, metric_list = metrics.process_results, metrics.metric_list

and in the YAML ``process_results: !function utils.process_results`` and ``metric_list: !function utils.metric_list``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nlgauge.adapters.scorer import Scorer, fields_of, held, labels, means, plain_name
from nlgauge.errors import SpecError
from nlgauge.metrics.base import Metric


class HarnessMetrics:
    """Any metrics of nlgauge for one task.

    references, source, context: the keys of a document that hold them. options: as `nlgauge.evaluate` takes them.
    The harness has no standard error of these numbers; `nlgauge score` of the logged samples has intervals.
    Raises SpecError for a metric that cannot be had or is given twice, and for a column that a metric reads and that
    has no name here.
    """

    def __init__(
        self,
        metrics: Sequence[str | Metric] | str | Metric,
        *,
        references: str | None = None,
        source: str | None = None,
        context: str | None = None,
        **options: Any,
    ) -> None:
        self._scorer = Scorer(metrics, **options)
        self._keys = fields_of(self._scorer.metrics, references=references, source=source, context=context)
        self._parts = {
            plain_name(name): (metric, part, name)
            for metric in self._scorer.metrics
            for part, name in zip(metric.parts, labels(metric), strict=True)
        }
        if len(self._parts) < sum(len(metric.parts) for metric in self._scorer.metrics):
            raise SpecError("two numbers would have the same name: give each metric once")
        self._kept: tuple[list[Any], dict[str, float]] = ([], {})

    @property
    def metric_list(self) -> list[dict[str, Any]]:
        """The task's metrics: a name for each part of each metric, its aggregation, and which way is better."""
        return [
            {
                "metric": name,
                "aggregation": self._aggregation(label),
                "higher_is_better": None if part in metric.details else metric.higher_is_better,
            }
            for name, (metric, part, label) in self._parts.items()
        ]

    def process_results(self, doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, dict[str, Any]]:
        """The row of a document, by the name of each metric. Raises InputError for a document that lacks a key."""
        record = {ours: held(doc, theirs, "a document has no") for ours, theirs in self._keys.items()}
        row = {"candidate": results[0], **record}
        return dict.fromkeys(self._parts, row)

    def _aggregation(self, label: str) -> Callable[[Sequence[Any]], float]:
        def aggregate(rows: Sequence[Any]) -> float:
            # All metrics are scored in one pass; the harness asks for them one after the other, with the same rows.
            if not self._kept[1] or self._kept[0] != list(rows):
                self._kept = list(rows), means(self._scorer.table(rows))
            return self._kept[1][label]

        return aggregate
