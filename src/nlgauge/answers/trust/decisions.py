"""The rule by which a scorer decides about a row: a threshold that was given, its own, or the best on ratings."""

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
"""The origin of a threshold for a scorer that gives all rows the same score of yes or no"""
FITTED = "its own, fitted to these ratings"
"""The origin of a panel's threshold, if the panel was fitted to some of the ratings. Intervals then hold for any
threshold"""
CHOSEN = "chosen on these ratings"
"""The origin of a threshold that was chosen on the ratings"""


class Rule(NamedTuple):
    """The threshold that scores have to reach, larger scores being better."""

    threshold: float
    """The threshold; a row passes with this score or a larger one. Infinite if every row passes"""
    origin: str
    second: float = math.nan
    """The threshold of rows that the second model of a cascade decided; NaN if one threshold holds for all rows"""

    def passes(self, scores: Float, models: Float | None = None) -> Mask:
        """Return which scores reach the threshold: [rows].

        Args:
            scores: the scores, larger ones being better: [rows].
            models: the number of the model that decided each row, from `models_of`; None where one threshold holds for
                all.

        Returns:
            Which rows pass.
        """
        with np.errstate(invalid="ignore"):
            return np.asarray(scores >= _limits(self.threshold, self.second, models))


def _limits(first: float, second: float, models: Float | None) -> float | Float:
    """Return the threshold of each row. For a mean of scores that both models decided, it lies between the two."""
    return first if models is None or math.isnan(second) else first + (models - 1) * (second - first)


def models_of(column: Column) -> Float | None:
    """Return the number of the cascade's model, 1 or 2, that decided each row [rows]; None without a cascade."""
    return column.values[:, column.parts.index(DECIDED)] if DECIDED in column.parts else None


def passing(column: Column, threshold: float, second: float = math.nan) -> Mask:
    """Return which rows of a column pass a threshold.

    Args:
        column: the scores, of which the first sub-score decides.
        threshold: the threshold, on the scale of the scores; with NaN every row with a score passes.
        second: the threshold of rows that the second model of a cascade decided; NaN if one threshold holds for all
            rows.

    Returns:
        Which rows pass: [rows]. A row without a score does not pass.
    """
    sign = 1 if column.higher_is_better else -1
    first = -math.inf if math.isnan(threshold) else sign * threshold
    return Rule(first, "", sign * second).passes(turned(column, 0), models_of(column))


def rule_of(column: Column, facts: Mapping[str, Any], threshold: float | None, probable: bool) -> Rule | None:
    """Return the rule with a given threshold, or else the scorer's own rule.

    A scorer's own rule has the lower threshold of `nlgauge check --grounded`; in a cascade, each model has its
    threshold, and both must have one. A scorer with only two different scores has the better score as threshold. A
    scorer with a single score has the threshold 0.5, if this score is 0 or 1 or a probability.

    Args:
        column: the scorer's column, whose first sub-score is the score.
        facts: the facts of the scorer's signature.
        threshold: the given threshold, on the scale of the scorer's scores; None if none was given.
        probable: whether the scores are read as probabilities.

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
    """Return whether the declared limits of a scorer, if any, lie within 0 and 1."""
    low, high = column.limits.get(column.parts[0], (0.0, 1.0))
    return low >= 0 and high <= 1


def _pair(thresholds: object) -> float | None:
    """Return the lower of two thresholds in a signature; None if the signature has no two thresholds."""
    return float(thresholds[0]) if isinstance(thresholds, Sequence) and len(thresholds) == 2 else None
