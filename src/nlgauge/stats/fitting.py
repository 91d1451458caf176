"""Weights fitted to ratings, and predictions of rows whose items they were not fitted to.

x [rows, members] are values, larger better; y [rows] ratings; items [rows] says which rows are of one item.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nlgauge.maths.least_squares import nonnegative, ridge
from nlgauge.stats.arrays import Float, Integers, Mask

METHODS = ("nnls", "ridge")
FOLDS = 5
PENALTIES = tuple(float(10**exponent) for exponent in np.arange(-4, 2.5, 0.5))
"""What 'ridge' chooses from: of squared weights, beside the mean squared error, features having deviation 1"""


class Fit(NamedTuple):
    """Weights of standardised values, and what standardises them: each [members]."""

    means: Float
    deviations: Float
    weights: Float
    intercept: float
    penalty: float | None

    def of(self, x: Float) -> Float:
        """[rows, members] -> [rows]"""
        return np.asarray(self.intercept + (x - self.means) / self.deviations @ self.weights)


class CrossFitted(NamedTuple):
    """Each row as predicted by weights that were fitted to the rows of other folds."""

    predicted: Float
    """[rows]"""
    penalties: list[float]
    """For 'ridge': the one chosen for each fold"""
    folds: int


def cross_fitted(x: Float, y: Float, items: Integers, method: str, folds: int, seed: int) -> CrossFitted:
    """Predict each fold by weights fitted, standardisation and penalty included, to all others."""
    fold = folds_of(items, folds, seed)
    count = int(fold.max()) + 1
    predicted, penalties = np.full(len(y), np.nan), []
    for number in range(count):
        out = fold == number
        fitted = fit(x[~out], y[~out], items[~out], method, folds, seed)
        predicted[out] = fitted.of(x[out])
        penalties += [] if fitted.penalty is None else [fitted.penalty]
    return CrossFitted(predicted, penalties, count)


def combined(x: Float, y: Float, rated: Mask, items: Integers, seed: int) -> Float:
    """Several values as one [rows], by weights that are not negative: of a rated row by weights fitted to other items,
    of the others by the mean of all fits.

    It is the slope alone that is fitted. A constant of each fold would hold the mean of the other folds' ratings: it is
    low where a fold's own ratings are high, and a weight that is tuned to this finds an error that is too small.
    """
    rows = np.flatnonzero(rated)
    fold = folds_of(items[rows], FOLDS, seed)
    centred, one = x - x.mean(0), np.zeros(len(y))
    for number in range(int(fold.max()) + 1):
        out = fold == number
        fitted = fit(x[rows[~out]], y[rows[~out]], items[rows[~out]], "nnls", FOLDS, seed)
        slopes = fitted.weights / fitted.deviations
        one[rows[out]] = centred[rows[out]] @ slopes
        one[~rated] += centred[~rated] @ slopes / (int(fold.max()) + 1)
    return one


def folds_of(items: Integers, folds: int, seed: int) -> Integers:
    """The fold of each row: rows of one item share one, and folds have nearly equally many items."""
    distinct, place = np.unique(items, return_inverse=True)
    count = min(folds, len(distinct))
    dealt = np.random.default_rng([seed, len(distinct)]).permutation(np.arange(len(distinct)) % count)
    return np.asarray(dealt[place])


def fit(x: Float, y: Float, items: Integers, method: str, folds: int, seed: int) -> Fit:
    """Weights of one method; `folds` and `seed` are of the choice of a penalty."""
    means, spread = x.mean(0), x.std(0)
    deviations = np.where(np.ptp(x, 0) > 0, spread, 1.0)
    level = float(y.mean())
    z, rest = (x - means) / deviations, y - level
    if method == "nnls":
        return Fit(means, deviations, nonnegative(z, rest).coefficients, level, None)
    penalty = _penalty(x, y, items, folds, seed)
    return Fit(means, deviations, ridge(z, rest, [penalty])[0], level, penalty)


def _penalty(x: Float, y: Float, items: Integers, folds: int, seed: int) -> float:
    """The penalty whose predictions of items that were not fitted to are nearest to the ratings."""
    fold = folds_of(items, folds, seed)
    errors = np.zeros(len(PENALTIES))
    for number in range(int(fold.max()) + 1):
        out = fold == number
        means, deviations, level = x[~out].mean(0), x[~out].std(0), y[~out].mean()
        deviations = np.where(np.ptp(x[~out], 0) > 0, deviations, 1.0)
        weights = ridge((x[~out] - means) / deviations, y[~out] - level, PENALTIES)
        errors += ((level + (x[out] - means) / deviations @ weights.T - y[out, None]) ** 2).sum(0)
    return PENALTIES[int(errors.argmin())]
