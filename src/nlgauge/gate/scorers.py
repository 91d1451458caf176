"""Which metrics can decide whether a source supports an answer, told before any row is scored."""

from __future__ import annotations

from nlgauge.contract.base import Metric, gives_no_probability
from nlgauge.errors import SpecError
from nlgauge.gate.thresholds import METRIC, PART


def refuse_unfit(metric: Metric) -> None:
    """Raise SpecError for a metric that cannot say how likely it is that a source supports an answer.

    Args:
        metric: a metric that is going to score outputs for `nlgauge.check(grounded=True)`.

    Raises:
        SpecError: its numbers are no probabilities, or less of them is better.
    """
    if PART not in metric.parts and gives_no_probability(metric):
        remedy = f"take {METRIC}, a Judge that is asked for yes or no, or a Column from 0 to 1"
        raise SpecError(f"{metric} gives no probability that the source supports an answer: {remedy}")
