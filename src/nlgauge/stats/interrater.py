"""The agreement of raters with each other: Cohen's kappa of two, Krippendorff's alpha of any number.

Cohen, "A coefficient of agreement for nominal scales", 1960, and "Weighted kappa", 1968. Krippendorff, "Computing
Krippendorff's alpha-reliability", 2011: coincidences of the ratings of a row, of rows that two raters or more rated.

Their intervals are Student's t by the jackknife over rows, with two rows more in which every pair of the ratings that
occur stands equally often. Without these rows an interval of raters who never disagree would have the length 0, and
those of skewed labels would hold far too seldom. `tests/stats/test_interrater.py` says how often they hold.
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
"""The rows that an interval counts more than there are, in which every pair of ratings stands equally often"""
_PAIRED = 10
"""The most values of which these rows have every pair; of more values, so many from the least to the greatest"""
ALIKE = 30
"""Ratings from which on two raters who never differ count as one, where not all these ratings are equal"""


@dataclass(frozen=True)
class RaterAgreement:
    """The agreement of the raters of one aspect."""

    aspect: str
    raters: tuple[str, ...]
    rows: int
    """Rows that two raters or more rated"""
    level: str
    """The level of measurement: 'nominal' (two labels), 'ordinal' (whole numbers, a longer scale), else 'interval'"""
    alpha: Measured
    """Krippendorff's; NaN where all ratings are alike"""
    kappa: Measured
    """Cohen's, with quadratic weights unless the level is nominal; NaN for more than two raters"""

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
    """Return the agreement of raters.

    Args:
        aspect: what they rated.
        ratings: by rater, then by row.
        labels: how many ratings the scale has.

    Returns:
        The agreement, with alpha of any number of raters, and kappa where there are two.
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
    """Return whether the ratings that two raters gave to the same rows are so alike that one was copied."""
    return len(pairs) >= ALIKE and all(first == second for first, second in pairs) and len(set(pairs)) > 1


def cohen_kappa(first: Float, second: Float, *, quadratic: bool = False) -> float:
    """Return Cohen's kappa of two raters' ratings.

    Args:
        first: the ratings of one rater: [rows].
        second: the ratings of the other rater: [rows].
        quadratic: whether disagreements count by the square of their distance, else all alike.

    Returns:
        Kappa; NaN where chance alone explains no disagreement, as where both gave one label to every row.
    """
    values = np.unique(np.concatenate([first, second]))
    return _kappa(_crossed(first, second, values).sum(0), _squares(values) if quadratic else _unlike(values))


def kappa_interval(first: Float, second: Float, *, quadratic: bool = False, confidence: float = 0.95) -> Measured:
    """Return Cohen's kappa with its interval, as if rows were independent; see `cohen_kappa`."""
    values = np.unique(np.concatenate([first, second]))
    away = _squares(values) if quadratic else _unlike(values)
    more = _crossed(*_pairs(values), values)
    return _with_interval(lambda total: _kappa(total, away), _crossed(first, second, values), more, confidence)


def _crossed(first: Float, second: Float, values: Float) -> Float:
    """Return which two of the values each row has: [rows, values, values]."""
    return np.asarray((first[:, None, None] == values[:, None]) & (second[:, None, None] == values), float)


def _kappa(crossed: Float, away: Float) -> float:
    """Return kappa of how often the raters gave every two values, whose distances are `away`: [values, values]."""
    rows = float(crossed.sum())
    expected = float(crossed.sum(1) @ away @ crossed.sum(0))
    return 1 - float((crossed * away).sum()) * rows / expected if expected else math.nan


def krippendorff_alpha(ratings: Float, level: str) -> float:
    """Return Krippendorff's alpha.

    Args:
        ratings: [raters, rows], NaN for a missing one. Rows with fewer than two ratings do not count.
        level: of `LEVELS`.

    Returns:
        Alpha; NaN where no ratings differ, or where no row has two.
    """
    values = np.unique(ratings[~np.isnan(ratings)])
    return _alpha(_coincidences(ratings, values).sum(0), values, level)


def alpha_interval(ratings: Float, level: str, confidence: float = 0.95) -> Measured:
    """Return Krippendorff's alpha with its interval, as if rows were independent; see `krippendorff_alpha`."""
    values = np.unique(ratings[~np.isnan(ratings)])
    more = _coincidences(np.array(_pairs(values)), values)
    return _with_interval(lambda total: _alpha(total, values, level), _coincidences(ratings, values), more, confidence)


def _coincidences(ratings: Float, values: Float) -> Float:
    """Return how often each row that counts has every two values: [rows, values, values].

    Each pair of ratings of a row counts 1 / (ratings of the row - 1), so that each rating counts once.
    """
    counts = (ratings[:, :, None] == values).sum(0).astype(float)  # [rows, values]
    counts = counts[counts.sum(1) >= 2]
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(len(values))
    return np.asarray(pairs / (counts.sum(1) - 1)[:, None, None])


def _alpha(coincidences: Float, values: Float, level: str) -> float:
    """Return alpha of how often every two values coincide: [values, values]."""
    totals = coincidences.sum(1)
    away = _distances(values, totals, level)
    expected = float(totals @ away @ totals)
    return 1 - float((coincidences * away).sum()) * (float(totals.sum()) - 1) / expected if expected else math.nan


def _distances(values: Float, totals: Float, level: str) -> Float:
    """Return the squared distance of every two values: [values, values]."""
    if level == "nominal":
        return _unlike(values)
    # Ordinal: the number of ratings from the one to the other, the two ends counting half.
    return _squares(values if level == "interval" else np.cumsum(totals) - totals / 2)


def _unlike(values: Float) -> Float:
    return np.asarray(values[:, None] != values, float)


def _squares(places: Float) -> Float:
    return np.asarray((places[:, None] - places) ** 2)


def _pairs(values: Float) -> tuple[Float, Float]:
    """Return every pair of the values, or of at most `_PAIRED` of them: the first and the second of each pair."""
    spread = values[np.unique(np.linspace(0, max(0, len(values) - 1), min(len(values), _PAIRED)).round().astype(int))]
    pairs = np.array(list(product(spread, spread))).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _with_interval(value_of: Callable[[Float], float], rows: Float, more: Float, confidence: float) -> Measured:
    """Return a coefficient with the interval that the head of this file describes; NaN where it is undefined.

    Args:
        value_of: the coefficient of a sum over rows [values, values].
        rows: what each row adds to the sum [rows, values, values].
        more: the same of the pairs of values, which are `_MORE` rows together.
        confidence: of the interval.
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
