"""Agreement of raters with each other: Cohen's kappa for two raters, Krippendorff's alpha for any number.

The sources are Cohen, "A coefficient of agreement for nominal scales", 1960, and "Weighted kappa", 1968; and
Krippendorff, "Computing Krippendorff's alpha-reliability", 2011. Alpha uses the rows that at least two raters rated.

The intervals are of Student's t with a jackknife over rows. Two rows are added to the rated ones, and divided equally
among all pairs of ratings that occur. Without these rows, the interval for raters who never disagree would have the
length 0, and the intervals for skewed labels would hold the truth far too seldom. `tests/stats/test_interrater.py`
tests how often the intervals hold it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from nlgauge.maths.inference import NOTHING, Measured
from nlgauge.maths.intervals import student_quantile
from nlgauge.stats.arrays import Float

LEVELS = ("nominal", "ordinal", "interval")
_MORE = 2.0
"""The number of rows that are added for an interval, in which every pair of ratings has the same share"""
_PAIRED = 10
"""The largest number of values that are paired in the added rows. If more values occur, these are spread from the least
to the greatest"""
ALIKE = 30
"""The least number of common ratings, not all equal, with which two raters who never differ count as copies"""


@dataclass(frozen=True)
class RaterAgreement:
    """The agreement of an aspect's raters with each other."""

    aspect: str
    raters: tuple[str, ...]
    rows: int
    """The number of rows that at least two raters rated"""
    level: str
    """The level of measurement: 'nominal' (two labels), 'ordinal' (whole numbers on a longer scale) or else
    'interval'"""
    alpha: Measured
    """Krippendorff's alpha with its interval; NaN where all ratings are equal"""
    kappa: Measured
    """Cohen's kappa with its interval, with quadratic weights unless the level is nominal; NaN for more than two
    raters"""

    def __str__(self) -> str:
        numbers = [f"Krippendorff's alpha {_shown(self.alpha)} ({self.level})"]
        if len(self.raters) == 2:
            weights = "" if self.level == "nominal" else " with quadratic weights"
            numbers.insert(0, f"Cohen's kappa{weights} {_shown(self.kappa)}")
        raters = ", ".join(self.raters)
        if not self.rows:
            return f"{self.aspect}: raters {raters}; no row is rated by two, so their agreement is not known"
        return f"{self.aspect}: raters {raters}; {self.rows} rows rated by two or more: {', '.join(numbers)}"


def rater_agreement(aspect: str, ratings: Mapping[str, Mapping[str, float]], labels: int) -> RaterAgreement:
    """Return the agreement of an aspect's raters with each other.

    Args:
        aspect: the aspect that they rated.
        ratings: the ratings by rater, and then by row.
        labels: the number of ratings on the scale.

    Returns:
        The agreement, with alpha for any number of raters, and kappa if there are two raters.
    """
    rows = sorted({row for of in ratings.values() for row in of})
    by_rater = np.array([[of.get(row, math.nan) for row in rows] for of in ratings.values()])
    whole = bool((by_rater[~np.isnan(by_rater)] % 1 == 0).all())
    level = "interval" if not whole else "nominal" if labels == 2 else "ordinal"
    shared = int(((~np.isnan(by_rater)).sum(0) >= 2).sum())
    kappa = NOTHING
    if len(by_rater) == 2:
        both = ~np.isnan(by_rater).any(0)
        kappa = kappa_interval(by_rater[0, both], by_rater[1, both], quadratic=level != "nominal")
    return RaterAgreement(
        aspect=aspect,
        raters=tuple(ratings),
        rows=shared,
        level=level,
        alpha=alpha_interval(by_rater, level),
        kappa=kappa,
    )


def are_copies(pairs: Sequence[tuple[float, float]]) -> bool:
    """Return whether two raters' ratings of the same rows never differ, in so many rows that one must be a copy."""
    return len(pairs) >= ALIKE and all(first == second for first, second in pairs) and len(set(pairs)) > 1


def cohen_kappa(first: Float, second: Float, *, quadratic: bool = False) -> float:
    """Return Cohen's kappa of two raters' ratings.

    Args:
        first: the ratings of one rater: [rows].
        second: the ratings of the other rater: [rows].
        quadratic: whether a disagreement counts by the square of its distance. Else all disagreements count the same.

    Returns:
        Kappa; NaN where no disagreement is expected by chance, because both gave the same label to every row.
    """
    values = np.unique(np.concatenate([first, second]))
    return _kappa(_crossed(first, second, values).sum(0), _squares(values) if quadratic else _unlike(values))


def kappa_interval(first: Float, second: Float, *, quadratic: bool = False, confidence: float = 0.95) -> Measured:
    """Return Cohen's kappa (`cohen_kappa`) with its interval, which treats the rows as independent."""
    values = np.unique(np.concatenate([first, second]))
    away = _squares(values) if quadratic else _unlike(values)
    more = _crossed(*_pairs(values), values)
    return _with_interval(lambda total: _kappa(total, away), _crossed(first, second, values), more, confidence)


def _crossed(first: Float, second: Float, values: Float) -> Float:
    """Return for each row which two values the raters gave, as a table of 0 and 1: [rows, values, values]."""
    return np.asarray((first[:, None, None] == values[:, None]) & (second[:, None, None] == values), float)


def _kappa(crossed: Float, away: Float) -> float:
    """Return kappa from the counts of each pair of values, with the distances `away`: [values, values]."""
    rows = float(crossed.sum())
    expected = float(crossed.sum(1) @ away @ crossed.sum(0))
    return 1 - float((crossed * away).sum()) * rows / expected if expected else math.nan


def krippendorff_alpha(ratings: Float, level: str) -> float:
    """Return Krippendorff's alpha.

    Args:
        ratings: the ratings: [raters, rows]; NaN for a missing one. Rows with fewer than two ratings are left out.
        level: one of `LEVELS`.

    Returns:
        Alpha; NaN where no ratings differ, or where no row has two ratings.
    """
    values = np.unique(ratings[~np.isnan(ratings)])
    return _alpha(_coincidences(ratings, values).sum(0), values, level)


def alpha_interval(ratings: Float, level: str, confidence: float = 0.95) -> Measured:
    """Return Krippendorff's alpha (`krippendorff_alpha`) with its interval, which treats the rows as independent."""
    values = np.unique(ratings[~np.isnan(ratings)])
    more = _coincidences(np.array(_pairs(values)), values)
    return _with_interval(lambda total: _alpha(total, values, level), _coincidences(ratings, values), more, confidence)


def _coincidences(ratings: Float, values: Float) -> Float:
    """Return how often each pair of values occurs in each row with several ratings: [rows, values, values].

    A pair of ratings counts 1 / (the number of the row's ratings - 1), so that each rating counts once.
    """
    counts = (ratings[:, :, None] == values).sum(0).astype(float)  # [rows, values]
    counts = counts[counts.sum(1) >= 2]
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(len(values))
    return np.asarray(pairs / (counts.sum(1) - 1)[:, None, None])


def _alpha(coincidences: Float, values: Float, level: str) -> float:
    """Return alpha from how often each pair of values coincides: [values, values]."""
    totals = coincidences.sum(1)
    away = _distances(values, totals, level)
    expected = float(totals @ away @ totals)
    return 1 - float((coincidences * away).sum()) * (float(totals.sum()) - 1) / expected if expected else math.nan


def _distances(values: Float, totals: Float, level: str) -> Float:
    """Return the squared distance of each pair of values: [values, values].

    Args:
        values: the different ratings, in rising order: [values].
        totals: how often each value occurs: [values]. Distances on the ordinal level are counted in ratings.
        level: the level of measurement, one of `LEVELS`.
    """
    if level == "nominal":
        return _unlike(values)
    # Ordinal: the number of ratings from the one to the other, the two ends counting half.
    return _squares(values if level == "interval" else np.cumsum(totals) - totals / 2)


def _unlike(values: Float) -> Float:
    return np.asarray(values[:, None] != values, float)


def _squares(places: Float) -> Float:
    return np.asarray((places[:, None] - places) ** 2)


def _pairs(values: Float) -> tuple[Float, Float]:
    """Return the first and the second values of all pairs of values. At most `_PAIRED` of the values are used."""
    spread = values[np.unique(np.linspace(0, max(0, len(values) - 1), min(len(values), _PAIRED)).round().astype(int))]
    pairs = np.array(list(product(spread, spread))).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _with_interval(value_of: Callable[[Float], float], rows: Float, more: Float, confidence: float) -> Measured:
    """Return a coefficient with the interval of this module's docstring; NaN where it is undefined.

    Args:
        value_of: a function from a sum over rows [values, values] to the coefficient.
        rows: the term that each row adds to the sum: [rows, values, values].
        more: the term of each pair of values, which together count as `_MORE` rows: [pairs, values, values].
        confidence: the confidence of the interval.
    """
    value = value_of(rows.sum(0))
    if math.isnan(value):
        return NOTHING
    kinds, counts = np.unique(rows, axis=0, return_counts=True)
    kinds, weights = np.concatenate([kinds, more]), np.concatenate([counts, np.full(len(more), _MORE / len(more))])
    total, n = np.tensordot(weights, kinds, 1), float(weights.sum())
    middle, out = value_of(total), np.minimum(weights, 1.0)
    away = np.array([value_of(total - part * kind) - middle for kind, part in zip(kinds, out, strict=True)]) / out
    error = math.sqrt((n - 1) / n * float(weights @ away**2))
    half = student_quantile((1 + confidence) / 2, n - 1) * error
    return Measured(value, max(-1.0, min(value, middle - half)), min(1.0, max(value, middle + half)))


def _shown(measured: Measured) -> str:
    if math.isnan(measured.value):
        return "undefined, as all ratings are alike"
    return f"{measured.value:.3f} [{measured.low:.3f}, {measured.high:.3f}]"
