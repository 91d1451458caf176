"""The agreement of raters with each other: Cohen's kappa of two, Krippendorff's alpha of any number.

Cohen, "A coefficient of agreement for nominal scales", 1960, and "Weighted kappa", 1968. Krippendorff, "Computing
Krippendorff's alpha-reliability", 2011: coincidences of the ratings of a row, of rows that two raters or more rated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from nlgauge.stats.arrays import Float

LEVELS = ("nominal", "ordinal", "interval")


@dataclass(frozen=True)
class RaterAgreement:
    """The agreement of the raters of one aspect."""

    aspect: str
    raters: tuple[str, ...]
    rows: int
    """Rows that two raters or more rated"""
    level: str
    """The level of measurement: 'nominal' (two labels), 'ordinal' (whole numbers, a longer scale), else 'interval'"""
    alpha: float
    """Krippendorff's; NaN where all ratings are alike"""
    kappa: float
    """Cohen's, with quadratic weights unless the level is nominal; NaN for more than two raters"""

    def __str__(self) -> str:
        numbers = [f"Krippendorff's alpha {_shown(self.alpha)} ({self.level})"]
        if len(self.raters) == 2:
            weights = "" if self.level == "nominal" else " with quadratic weights"
            numbers.insert(0, f"Cohen's kappa{weights} {_shown(self.kappa)}")
        raters = ", ".join(self.raters)
        return f"{self.aspect}: raters {raters}; {self.rows} rows rated by two or more: {', '.join(numbers)}"


def rater_agreement(aspect: str, ratings: Mapping[str, Mapping[str, float]], labels: int) -> RaterAgreement:
    """Return the agreement of raters.

    Args:
        aspect: what they rated.
        ratings: by rater, then by row.
        labels: how many ratings the scale has.
    """
    rows = sorted({row for of in ratings.values() for row in of})
    given = np.array([[of.get(row, math.nan) for row in rows] for of in ratings.values()])
    whole = bool((given[~np.isnan(given)] % 1 == 0).all())
    level = "interval" if not whole else "nominal" if labels == 2 else "ordinal"
    shared = int(((~np.isnan(given)).sum(0) >= 2).sum())
    kappa = math.nan
    if len(given) == 2:
        both = ~np.isnan(given).any(0)
        kappa = cohen_kappa(given[0, both], given[1, both], quadratic=level != "nominal")
    return RaterAgreement(aspect, tuple(ratings), shared, level, krippendorff_alpha(given, level), kappa)


def cohen_kappa(one: Float, other: Float, *, quadratic: bool = False) -> float:
    """Return Cohen's kappa of two raters' ratings [rows].

    quadratic: disagreements count by the square of their distance, else all alike. NaN where chance alone explains no
    disagreement, as where both gave one label to every row.
    """

    def disagreement(x: Float, y: Float) -> Float:
        return np.asarray((x - y) ** 2 if quadratic else x != y, float)

    if not len(one):
        return math.nan
    (a, of_a), (b, of_b) = np.unique(one, return_counts=True), np.unique(other, return_counts=True)
    expected = float(of_a @ disagreement(a[:, None], b[None, :]) @ of_b) / len(one) ** 2
    return 1 - float(disagreement(one, other).mean()) / expected if expected else math.nan


def krippendorff_alpha(ratings: Float, level: str) -> float:
    """Return Krippendorff's alpha of ratings [raters, rows], NaN for a missing one.

    Rows with fewer than two ratings do not count. NaN where no ratings differ, or where no row has two.
    """
    values = np.unique(ratings[~np.isnan(ratings)])
    counts = (ratings[:, :, None] == values).sum(0).astype(float)  # [rows, values]
    of_row = counts.sum(1)
    counts, of_row = counts[of_row >= 2], of_row[of_row >= 2]
    if not len(counts):
        return math.nan
    # Each pair of ratings of a row counts 1 / (ratings of the row - 1), so that each rating counts once.
    pairs = np.einsum("rv,rw,r->vw", counts, counts, 1 / (of_row - 1)) - np.diag(
        (counts / (of_row[:, None] - 1)).sum(0)
    )
    totals = counts.sum(0)
    away = _distances(values, totals, level)
    expected = float(totals @ away @ totals) / (totals.sum() - 1)
    return 1 - float((pairs * away).sum()) / expected if expected else math.nan


def _distances(values: Float, totals: Float, level: str) -> Float:
    """The squared distance of every two values."""
    if level == "nominal":
        return np.asarray(values[:, None] != values, float)
    if level == "interval":
        return np.asarray((values[:, None] - values) ** 2)
    # Ordinal: the number of ratings from the one to the other, the two ends counting half.
    middle = np.cumsum(totals) - totals / 2
    return np.asarray((middle[:, None] - middle) ** 2)


def _shown(value: float) -> str:
    return "undefined, as all ratings are alike" if math.isnan(value) else f"{value:.3f}"
