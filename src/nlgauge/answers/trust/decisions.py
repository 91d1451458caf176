"""By what a scorer decides about a row: a threshold that was given, its own, or the best on ratings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nlgauge.data.table import Column
from nlgauge.data.table.column import DECIDED, PROBABILITY
from nlgauge.ratings.join import turned
from nlgauge.stats.arrays import Float, Mask

GIVEN, OWN = "given", "its own"
HALF = "0.5, as it has one score alone"
"""Where a threshold comes from of a scorer that says yes of every row, or no"""
FITTED = "its own, fitted to these ratings"
"""Where the threshold of a panel comes from that was fitted to some of the ratings: intervals hold for any threshold"""
CHOSEN = "chosen on these ratings"
"""Where a threshold comes from that the ratings chose"""


class Rule(NamedTuple):
    """What scores have to reach, larger ones being better."""

    threshold: float
    """Infinite where every row passes"""
    origin: str
    second: float = math.nan
    """The threshold of the rows that a second model decided; NaN where there is one threshold for all rows"""

    def passes(self, scores: Float, models: Float | None = None) -> Mask:
        """Return which scores [rows] reach the threshold of the model that decided; models: as `models_of` has them."""
        with np.errstate(invalid="ignore"):
            return np.asarray(scores >= _limits(self.threshold, self.second, models))


def _limits(first: float, second: float, models: Float | None) -> float | Float:
    """Return the threshold of each row: of a mean of scores that both models decided, the mean of both thresholds."""
    return first if models is None or math.isnan(second) else first + (models - 1) * (second - first)


def models_of(column: Column) -> Float | None:
    """Return for each row 1 where the first model of a cascade decided and 2 where the second did; None without one."""
    return column.values[:, column.parts.index(DECIDED)] if DECIDED in column.parts else None


def passing(column: Column, threshold: float, second: float = math.nan) -> Mask:
    """Return which rows of a scorer's column pass thresholds in its own direction; with NaN every score passes."""
    sign = 1 if column.higher_is_better else -1
    first = -math.inf if math.isnan(threshold) else sign * threshold
    return Rule(first, "", sign * second).passes(turned(column, 0), models_of(column))


def rule_of(column: Column, facts: Mapping[str, Any], threshold: float | None, probable: bool) -> Rule | None:
    """Return the rule that was given, or that a scorer has of its own.

    A scorer's own rule is the lower threshold of `nlgauge check --grounded`, for each model of a cascade if both have
    such a threshold; the larger score of a scorer that has two; and 0.5 where it has a single score that is 0 or 1,
    or a probability.

    Args:
        column: the scorer's, its score being the first sub-score.
        facts: those of its signature.
        threshold: a threshold in the scorer's own direction.
        probable: whether its scores are read as probabilities.

    Returns:
        The rule; None where none was given and the scorer has none.
    """
    sign = 1 if column.higher_is_better else -1
    if threshold is not None:
        return Rule(sign * threshold, GIVEN)
    if column.parts[0] == PROBABILITY:
        if DECIDED in column.parts or "then_grounded" in facts:
            first, second = _pair(facts.get("unsure")), _pair(facts.get("then_grounded"))
            if DECIDED in column.parts and first is not None and second is not None:
                return Rule(first, OWN, second)
        elif (pair := _pair(facts.get("grounded"))) is not None:
            return Rule(pair, OWN)
    values = np.unique(column.values[np.isfinite(column.values[:, 0]), 0])
    if len(values) == 2:
        return Rule(float((sign * values).max()), OWN)
    if len(values) == 1 and (values[0] in (0, 1) or (probable and 0 <= values[0] <= 1)) and from_0_to_1(column):
        return Rule(sign * 0.5, HALF)
    return None


def from_0_to_1(column: Column) -> bool:
    """Return whether a scorer does not say that its scores can be below 0 or above 1."""
    low, high = column.limits.get(column.parts[0], (0.0, 1.0))
    return low >= 0 and high <= 1


def _pair(thresholds: object) -> float | None:
    """Return the lower one of two thresholds in a signature; None where there are none."""
    return float(thresholds[0]) if isinstance(thresholds, Sequence) and len(thresholds) == 2 else None
