"""A function for `datasets.Dataset.map`: a new column for each metric.

``dataset.map(Scores("BERTScore"), batched=True)`` calls a `Scores` with {column: list} of each batch and adds what it
gives back. Before that it hashes the function, to find what it computed earlier: a `Scores` hashes by metrics, options,
nlgauge's version and the digest of the models, and never by what is loaded.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from nlgauge.adapters.scorer import Scorer, columns_of
from nlgauge.data.corpus import Corpus
from nlgauge.errors import InputError
from nlgauge.metrics.base import Metric, refuse_corpus_metrics

_OURS = ("candidate", "references", "source", "context", "question")


class Scores:
    """Scores of the rows of a batch, by metric, or by "metric part" where it has several parts. No number is None.

    metrics: specs or Metric objects. columns: theirs by ours, {"candidate": "prediction"}. options: as
    `nlgauge.evaluate` takes them. Raises SpecError for a metric whose scores depend on the other rows: `map` hands over
    a batch at a time.
    """

    def __init__(
        self,
        metrics: Sequence[str | Metric] | str | Metric,
        *,
        columns: Mapping[str, str] | None = None,
        **options: Any,
    ) -> None:
        self._scorer = Scorer(metrics, **options)
        refuse_corpus_metrics(self._scorer.metrics)
        self._columns = dict(columns or {})

    def __call__(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, list[float | None]]:
        """The new columns of a batch. Raises InputError where `map` was not told ``batched=True``."""
        named = {ours: self._columns.get(ours, ours) for ours in _OURS}
        given = {ours: batch[theirs] for ours, theirs in named.items() if theirs in batch}
        if isinstance(given.get("candidate"), str):
            raise InputError("the rows come one by one", remedy="map(..., batched=True)")
        if missing := [theirs for theirs in self._columns.values() if theirs not in batch]:
            raise InputError(f"there is no column {missing[0]!r}", remedy=f"the columns are {', '.join(batch)}")
        if "candidate" not in given:
            raise InputError("there is no column 'candidate'", remedy="columns={'candidate': 'THEIRS'}")
        records = [dict(zip(given, row, strict=True)) for row in zip(*given.values(), strict=True)]
        table = self._scorer.table(Corpus.from_records(records))
        return {
            name: [None if math.isnan(value) else value for value in table.values(metric, part).tolist()]
            for name, metric, part in columns_of(table)
        }
