"""An evaluator for LangSmith, which is how LangChain evaluates: ``evaluate(..., evaluators=[evaluator("BERTScore")])``.

LangSmith calls it for each example with the dictionaries `inputs`, `outputs` (what the target returned) and
`reference_outputs`, and keeps the {"key", "score", "comment"} that comes back.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from nlgauge.adapters.scorer import RowScorer, fields_of
from nlgauge.errors import InputError
from nlgauge.metrics.base import Metric

Evaluator = Callable[[dict[str, Any], dict[str, Any], dict[str, Any]], dict[str, Any]]


def evaluator(
    metric: str | Metric,
    *,
    part: str | None = None,
    candidate: str = "output",
    references: str | None = None,
    source: str | None = None,
    context: str | None = None,
    **options: Any,
) -> Evaluator:
    """One part of one metric as an evaluator; a row without a finite score has none, and the comment says why.

    metric: a spec or a Metric; part: its first where none is named. candidate: the key of the outputs that is scored.
    references: a key of the reference outputs. source, context: keys of the inputs. options: as `nlgauge.evaluate`
    takes them. Raises SpecError for a metric whose scores depend on other rows, and for a column that it reads
    and that has no name here.
    """
    rows = RowScorer(metric, part=part, **options)
    fields = fields_of([rows.metric], references=references, source=source, context=context)

    def nlgauge_evaluator(
        inputs: dict[str, Any], outputs: dict[str, Any], reference_outputs: dict[str, Any]
    ) -> dict[str, Any]:
        record = {"candidate": _value(outputs, candidate, "outputs")}
        for ours, theirs in fields.items():
            place = (reference_outputs, "reference outputs") if ours == "references" else (inputs, "inputs")
            record[ours] = _value(place[0], theirs, place[1])
        value, reason = rows.score(record)
        if math.isfinite(value):
            return {"key": rows.label, "score": value}
        return {"key": rows.label, "score": None, "comment": reason or f"the score is {value}"}

    return nlgauge_evaluator


def _value(values: Mapping[str, Any], key: str, what: str) -> Any:
    if key not in values:
        raise InputError(f"the {what} have no {key!r}", remedy=f"they have {', '.join(values) or 'nothing'}")
    return values[key]
