"""The differences that exact checks find, added to the evidence of metrics that do not use exact checks."""

from __future__ import annotations

from dataclasses import replace

from nlgauge.data.corpus import Row
from nlgauge.data.evidence import Evidence
from nlgauge.engine.aligners import BOTH, Direction
from nlgauge.faithfulness.aligner import differences


def with_differences(evidence: Evidence, row: Row) -> Evidence:
    """Return evidence whose candidate has its differences from the other texts as `reasons`.

    Args:
        evidence: the evidence of a metric that aligns the candidate with columns of the row.
        row: the row that was scored.

    Returns:
        The evidence with the new `reasons`. Nothing else is changed.
    """
    texts = []
    for text in evidence.texts:
        if text.name == "candidate":
            others = tuple(getattr(row, column) or "" for column in text.against.split(BOTH))
            # Without the question, which the scores of these metrics, and so their places in the cache, do not know.
            text = replace(text, reasons=differences(Direction(text.name, text.text, text.against, others)) or None)
        texts.append(text)
    return replace(evidence, texts=texts)
