"""Weights that are fitted to ratings, and predictions for rows of items that the weights were not fitted to.

x [rows, members] are values, larger being better; y [rows] are ratings; items [rows] are the numbers of the rows'
items.

The fits are least squares with coefficients of at least 0, and ridge regression, for small problems: A [n, features], b
[n]. With identical features the solution is not unique. `nonnegative` then uses the first of them, and `ridge` gives
them equal weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.stats.arrays import Float, Integers, Mask

Array = NDArray[np.float64]

_SLACK = 1e-12


class Solution(NamedTuple):
    """Coefficients [features], and a measure of how far they are from optimal."""

    coefficients: Array
    violation: float
    """The largest violation of the Karush-Kuhn-Tucker conditions, as a cosine; 0 is exact. The conditions: no
    coefficient is negative; a feature with coefficient 0 has no positive product with the residual b - Ax; any other
    feature is orthogonal to the residual"""


def nonnegative(A: Array, b: Array) -> Solution:
    """Return the x >= 0 for which |b - Ax| is smallest.

    The method is that of Lawson and Hanson, *Solving Least Squares Problems*, 1974, chapter 23. Features are added one
    by one, beginning with the one that has the largest product with the residual. A feature is removed if its
    coefficient would become negative. Each step makes the residual smaller, so no set of features occurs twice.

    Args:
        A: the features: [n, features].
        b: the values that they are fitted to: [n].

    Returns:
        The coefficients x, and how far they are from optimal.
    """
    size = A.shape[1]
    norms = np.sqrt((A**2).sum(0))
    scale = np.where(norms > 0, norms, 1.0) * (float(np.sqrt(b @ b)) or 1.0)
    x, used, barred = np.zeros(size), np.zeros(size, np.bool_), np.zeros(size, np.bool_)
    while True:
        along = A.T @ (b - A @ x) / scale
        along[used | barred] = -np.inf
        if used.all() or along.max(initial=-np.inf) <= _SLACK:
            return Solution(x, _violation(A, b, x, scale))
        new = int(along.argmax())
        used[new] = True
        tried = _solved(A, b, used)
        if tried[new] <= 0:  # due to rounding: it would not reduce the residual
            used[new], barred[new] = False, True
            continue
        while (tried[used] <= 0).any():
            falling = used & (tried <= 0)
            step = float((x[falling] / (x[falling] - tried[falling])).min())
            x += step * (tried - x)
            used &= x > _SLACK * np.abs(x).max()
            x[~used] = 0
            tried = _solved(A, b, used)
        x = tried
        barred[:] = False


def _solved(A: Array, b: Array, used: NDArray[np.bool_]) -> Array:
    """Return the least squares solution with the used features alone; the others have the coefficient 0."""
    out = np.zeros(A.shape[1])
    out[used] = np.linalg.lstsq(A[:, used], b, rcond=None)[0]
    return out


def _violation(A: Array, b: Array, x: Array, scale: Array) -> float:
    along = A.T @ (b - A @ x) / scale
    return float(max(np.where(x > 0, np.abs(along), along).max(initial=0.0), -x.min(initial=0.0), 0.0))


def ridge(A: Array, b: Array, penalties: Sequence[float]) -> Array:
    """Return the x for which |b - Ax|^2 / n + penalty |x|^2 is smallest, for each penalty.

    Args:
        A: the features: [n, features].
        b: the values that they are fitted to: [n].
        penalties: the penalties, above 0.

    Returns:
        The coefficients x for each penalty: [penalties, features].
    """
    left, values, right = np.linalg.svd(A, full_matrices=False)
    shrunk = values / (values**2 + len(A) * np.asarray(penalties, float)[:, None])
    return np.asarray((shrunk * (left.T @ b)) @ right)


METHODS = ("nnls", "ridge")
FOLDS = 5
PENALTIES = tuple(float(10**exponent) for exponent in np.arange(-4, 2.5, 0.5))
"""The penalties that 'ridge' chooses from, as factors of squared weights beside the mean squared error, for features
with deviation 1"""


class Fit(NamedTuple):
    """Weights of standardised values, with the means and deviations that standardise them: each [members]."""

    means: Float
    deviations: Float
    weights: Float
    intercept: float
    penalty: float | None

    def of(self, x: Float) -> Float:
        """Return the predictions [rows] for values [rows, members]."""
        return np.asarray(self.intercept + (x - self.means) / self.deviations @ self.weights)


class CrossFitted(NamedTuple):
    """Predictions for each row by weights that were fitted to the rows of other folds."""

    predicted: Float
    """The predictions: [rows]"""
    penalties: list[float]
    """The penalty that was chosen for each fold, if the method is 'ridge'; else empty"""
    folds: int


def cross_fitted(x: Float, y: Float, items: Integers, method: str, folds: int, seed: int) -> CrossFitted:
    """Return a prediction for each row, by weights that were fitted to the rows of other folds.

    The standardisation and the penalty, if there is one, come from these other rows too.

    Args:
        x: the values, larger being better: [rows, members].
        y: the ratings: [rows].
        items: the item of each row: [rows]. Rows of an item are in one fold.
        method: one of `METHODS`.
        folds: the number of folds.
        seed: the seed of the folds.

    Returns:
        The predictions, with the penalties and the number of folds.
    """
    fold = folds_of(items, folds, seed)
    count = int(fold.max()) + 1
    predicted, penalties = np.full(len(y), np.nan), []
    for number in range(count):
        out = fold == number
        fitted = fit(x[~out], y[~out], items=items[~out], method=method, folds=folds, seed=seed)
        predicted[out] = fitted.of(x[out])
        penalties += [] if fitted.penalty is None else [fitted.penalty]
    return CrossFitted(predicted, penalties, count)


class FoldWeights(NamedTuple):
    """Weights of at least 0 for centred values, with one set of weights for each fold of the rated rows.

    Only the slopes are fitted. A constant for each fold would be the mean rating of the other folds, which is low if
    the ratings of the fold itself are high. Weights that are tuned to such constants give errors that are too small.
    """

    means: Float
    """The means of the values over all rows: [members]"""
    slopes: Float
    """The weights that were fitted to the rated rows of all other folds: [folds, members]"""
    fold: Integers
    """The fold of each rated row, -1 for rows without a rating: [rows]"""

    def of(self, x: Float) -> Float:
        """Return the weighted sum of the centred values x [rows, members] of each row: [rows].

        A rated row gets the weights of its fold, which were fitted to other folds. All other rows get the mean of the
        weights.
        """
        slopes = np.where((self.fold >= 0)[:, None], self.slopes[self.fold], self.slopes.mean(0))
        return np.asarray(((x - self.means) * slopes).sum(1))


def fold_weights(x: Float, y: Float, rated: Mask, items: Integers, seed: int) -> FoldWeights:
    """Return weights that combine several values into one. For a rated row they are fitted to other items.

    Args:
        x: the values, larger being better: [rows, members].
        y: the ratings: [rows].
        rated: which rows are rated: [rows].
        items: the item of each row: [rows].
        seed: the seed of the folds.

    Returns:
        The weights of each fold.
    """
    rows = np.flatnonzero(rated)
    fold = folds_of(items[rows], FOLDS, seed)
    slopes = []
    for number in range(int(fold.max()) + 1):
        others = rows[fold != number]
        fitted = fit(x[others], y[others], items=items[others], method="nnls", folds=FOLDS, seed=seed)
        slopes.append(fitted.weights / fitted.deviations)
    of_row = np.full(len(y), -1, np.intp)
    of_row[rows] = fold
    return FoldWeights(x.mean(0), np.stack(slopes), of_row)


def combined(x: Float, y: Float, rated: Mask, items: Integers, seed: int) -> Float:
    """Return the weighted sum of several values for each row.

    Args:
        x: the values, larger being better: [rows, members].
        y: the ratings: [rows].
        rated: which rows are rated: [rows].
        items: the item of each row: [rows].
        seed: the seed of the folds.

    Returns:
        The sums by the weights of `fold_weights`: [rows].
    """
    return fold_weights(x, y, rated=rated, items=items, seed=seed).of(x)


class Curve(NamedTuple):
    """The probability that a row is good, as a function of its value: 1 / (1 + exp(-(intercept + slope * value)))."""

    intercept: float
    slope: float


def logistic(values: Float, good: Mask) -> Curve:
    """Return a logistic curve that is fitted to ratings of good and bad.

    The method is that of Platt, "Probabilistic outputs for support vector machines", 1999. A good rating counts as
    (goods + 1) / (goods + 2) and a bad one as 1 / (bads + 2). So the curve stays finite if the values separate good
    from bad rows completely.

    Args:
        values: the values, larger being better: [rows].
        good: which rows are rated good, with at least one row of each kind: [rows].

    Returns:
        The curve of maximum likelihood; its slope is 0 if all values are equal.
    """
    goods, bads = int(good.sum()), int((~good).sum())
    wanted = np.where(good, (goods + 1) / (goods + 2), 1 / (bads + 2))
    level, deviation = float(values.mean()), float(values.std())
    if not np.ptp(values) > 0:
        share = float(wanted.mean())
        return Curve(float(np.log(share / (1 - share))), 0.0)
    design = np.stack([np.ones(len(values)), (values - level) / deviation], 1)
    at = np.zeros(2)

    def loss(point: Float) -> float:
        logit = design @ point
        return float((np.logaddexp(0, logit) - wanted * logit).sum())

    for _ in range(100):  # Newton's method, with shorter steps where a whole one goes too far
        chance = 1 / (1 + np.exp(-design @ at))
        gradient = design.T @ (chance - wanted)
        if np.abs(gradient).max() < 1e-10 * len(values):
            break
        step = np.linalg.solve(design.T @ (design * (chance * (1 - chance))[:, None]) + 1e-12 * np.eye(2), gradient)
        size = 1.0
        while loss(at - size * step) > loss(at) and size > 1e-6:
            size /= 2
        at = at - size * step
    slope = float(at[1]) / deviation
    return Curve(float(at[0]) - slope * level, slope)


def folds_of(items: Integers, folds: int, seed: int) -> Integers:
    """Return the fold of each row. Rows of an item are in one fold, and folds have nearly equal numbers of items."""
    distinct, place = np.unique(items, return_inverse=True)
    count = min(folds, len(distinct))
    dealt = np.random.default_rng([seed, len(distinct)]).permutation(np.arange(len(distinct)) % count)
    return np.asarray(dealt[place])


def fit(x: Float, y: Float, items: Integers, method: str, folds: int, seed: int) -> Fit:
    """Return weights that are fitted to ratings.

    Args:
        x: the values, larger being better: [rows, members].
        y: the ratings: [rows].
        items: the item of each row: [rows].
        method: one of `METHODS`.
        folds: the number of folds for the choice of a penalty, with 'ridge'.
        seed: the seed of these folds.

    Returns:
        The weights, with means and deviations of the values.
    """
    means, spread = x.mean(0), x.std(0)
    deviations = np.where(np.ptp(x, 0) > 0, spread, 1.0)
    level = float(y.mean())
    z, rest = (x - means) / deviations, y - level
    if method == "nnls":
        return Fit(
            means=means, deviations=deviations, weights=nonnegative(z, rest).coefficients, intercept=level, penalty=None
        )
    penalty = _penalty(x, y, items=items, folds=folds, seed=seed)
    return Fit(
        means=means, deviations=deviations, weights=ridge(z, rest, [penalty])[0], intercept=level, penalty=penalty
    )


def _penalty(x: Float, y: Float, items: Integers, folds: int, seed: int) -> float:
    """Return the penalty with the best predictions for items that the weights were not fitted to."""
    fold = folds_of(items, folds, seed)
    errors = np.zeros(len(PENALTIES))
    for number in range(int(fold.max()) + 1):
        out = fold == number
        means, deviations, level = x[~out].mean(0), x[~out].std(0), y[~out].mean()
        deviations = np.where(np.ptp(x[~out], 0) > 0, deviations, 1.0)
        weights = ridge((x[~out] - means) / deviations, y[~out] - level, PENALTIES)
        errors += ((level + (x[out] - means) / deviations @ weights.T - y[out, None]) ** 2).sum(0)
    return PENALTIES[int(errors.argmin())]
