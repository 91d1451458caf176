"""A Python assertion of promptfoo, which calls ``get_assert(output, context)`` of a file for each test case.

Beside promptfooconfig.yaml, in ``grounded.py``::

    from nlgauge.adapters.promptfoo import assertion

    get_assert = assertion("Consistency(aligner='D')", part="probability", source="document", at_least=0.5)

and in the YAML ``assert: [{type: python, value: file://grounded.py}]``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from nlgauge.adapters.scorer import RowScorer, fields_of, held
from nlgauge.metrics.base import Metric

Assertion = Callable[[str, Mapping[str, Any]], dict[str, Any]]


def assertion(
    metric: str | Metric,
    *,
    at_least: float,
    part: str | None = None,
    references: str | None = None,
    source: str | None = None,
    context: str | None = None,
    **options: Any,
) -> Assertion:
    """One part of one metric as an assertion: {"pass", "score", "reason"}.

    metric: a spec or a Metric; part: its first where none is named. references, source, context: variables of the test
    case. at_least: what an output has to score. An output without a score fails, and the reason says why. options: as
    `nlgauge.evaluate` takes them. Raises SpecError for a distance, for a metric whose scores depend on other rows, and
    for a column that it reads and that has no name here; InputError for a variable that a test case does not have.
    """
    rows = RowScorer(metric, part=part, **options)
    rows.refuse_distance("promptfoo")
    fields = fields_of([rows.metric], references=references, source=source, context=context)

    def get_assert(output: str, context: Mapping[str, Any]) -> dict[str, Any]:
        given, lacking = context.get("vars", {}), "the test case has no variable"
        record = {ours: held(given, theirs, lacking) for ours, theirs in fields.items()}
        value, said = rows.told({"candidate": output, **record})
        if math.isnan(value):
            return {"pass": False, "score": 0.0, "reason": f"{rows.label} has no value: {said}"}
        reason = f"{rows.label} is {value:.4f}" + (f"; {said}" if said else "")
        return {"pass": value >= at_least, "score": value, "reason": reason}

    return get_assert
