"""The levels at which a metric's scores and people's ratings are compared, and coefficients at each level.

x has the metric's scores and y people's ratings. In both, larger is better and NaN is a missing value. Tables are
[items, systems], stacks of tables [stack, items, systems]. `nlgauge.stats.coefficients` defines the coefficients.

The levels are those of Deutsch, Dror and Roth, *A Statistical Analysis of Summarization Evaluation Metrics Using
Resampling Methods*, TACL 2021. 'pooled' takes all cells as one sample. 'item' takes the systems of each item as a
sample, and the mean of the coefficients over items. 'system' takes the systems' means as one sample; a mean is over the
cells with both a score and a rating.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nlgauge.stats.arrays import Codes, Float, Mask, Values
from nlgauge.stats.coefficients import COEFFICIENTS, Coefficient, close_pairs, dense, mean_known, share

LEVELS = ("item", "system", "pooled")
# Two means that differ by less, as a share of the largest, differ in the order of summation only.
_DIGITS = 12


class Estimate(NamedTuple):
    """A coefficient at a level, with the number of cells, items or systems that it is computed over."""

    value: float
    n: int
    undefined: int
    """The number of items within which the coefficient is undefined; 0 at the other levels"""
    reason: str | None


def means(x: Float, y: Float) -> tuple[Float, Float]:
    """Return the systems' means [..., systems] of x and y [..., items, systems], over the cells that both have."""
    valued = ~(np.isnan(x) | np.isnan(y))
    n = valued.sum(-2)

    def mean(a: Float) -> Float:
        with np.errstate(invalid="ignore", divide="ignore"):
            return rounded(np.where(valued, a, 0).sum(-2) / n)

    return mean(x), mean(y)


def rounded(exact: Float) -> Float:
    """Return means [..., systems] rounded, so that means which differ only by rounding errors become equal."""
    size = np.abs(np.where(np.isfinite(exact), exact, 0)).max(-1, initial=0, keepdims=True)
    size[size == 0] = 1
    return np.asarray(np.round(exact / size, _DIGITS) * size)


def prepared(x: Float, kind: Coefficient, level: str) -> Values:
    """Return a table, or a stack, as `measured` takes it: as codes if a coefficient uses only the order of cells."""
    if level == "system" or not kind.by_order:
        return x
    return dense(x.reshape(*x.shape[:-2], -1)).reshape(x.shape) if level == "pooled" else dense(x)


def measured(x: Values, y: Values, kind: Coefficient, level: str, ids: Codes | None = None) -> Float:
    """Return a coefficient of each table in a stack of prepared tables.

    Args:
        x: the metric's tables: [stack, items, systems].
        y: the people's tables: [stack, items, systems].
        kind: the coefficient.
        level: one of `LEVELS`.
        ids: numbers of cells, equal for copies of the same cell: [stack, items, systems], or [stack, systems] at system
            level. None without copies.

    Returns:
        The coefficient of each table: [stack].
    """
    if level == "system":
        return kind.of_numbers(*means(np.asarray(x, float), np.asarray(y, float)), ids)
    if kind.together is not None:
        return kind.together(x, y)
    shape = (len(x), -1) if level == "pooled" else (-1, x.shape[-1])
    each = kind.of(x.reshape(shape), y.reshape(shape), None if ids is None else ids.reshape(shape))
    return each if level == "pooled" else mean_known(each.reshape(x.shape[:-1]))


def samples(x: Float, y: Float, level: str) -> tuple[Float, Float]:
    """Return the samples of a table [items, systems] that a coefficient is computed on at a level: [samples, n]."""
    if level == "item":
        rated = (~(np.isnan(x) | np.isnan(y))).any(-1)
        return x[rated], y[rated]
    x, y = means(x, y) if level == "system" else (x, y)
    return x.reshape(1, -1), y.reshape(1, -1)


def estimate(x: Float, y: Float, kind: Coefficient, level: str) -> Estimate:
    """Return a coefficient of a table [items, systems] at a level, with the reason if it is undefined."""
    x, y = samples(x, y, level)
    valued = ~(np.isnan(x) | np.isnan(y))
    if not valued.any():
        return Estimate(np.nan, 0, 0, "no row has both a score and a rating")
    if kind.together is not None:
        value, pairs = float(kind.together(x[None], y[None])[0]), int((valued.sum(-1) > 1).sum())
        return Estimate(value, pairs, len(x) - pairs, _why(x, y, valued) if np.isnan(value) else None)
    each = kind.of_numbers(x, y)
    defined = int((~np.isnan(each)).sum())
    n, undefined = (defined, len(each) - defined) if level == "item" else (int(valued.sum()), 0)
    return Estimate(float(mean_known(each)), n, undefined, None if defined else _why(x, y, valued))


def _why(x: Float, y: Float, valued: Mask) -> str:
    """Return the reason why a coefficient is undefined in every sample.

    Args:
        x: the metric's scores: [samples, n].
        y: the ratings: [samples, n].
        valued: where there are both a score and a rating: [samples, n].
    """
    where = " within every item" if len(x) > 1 else ""
    if (valued.sum(-1) < 2).all():
        return f"fewer than two values to compare{where}"
    for name, a in (("the metric is", x), ("the ratings are", y)):
        if all(len(set(row[shown])) < 2 for row, shown in zip(a, valued, strict=True)):
            return f"{name} constant{where}"
    finite = np.isfinite(x[valued]).all() and np.isfinite(y[valued]).all()
    return f"metric or ratings are {'constant' if finite else 'constant or infinite'}{where}"


def coefficient(name: str, x: Float, y: Float, level: str) -> Coefficient:
    """Return the coefficient with a name.

    Args:
        name: one of `COEFFICIENTS`, or 'accuracy_calibrated'.
        x: the metric's table: [items, systems].
        y: the people's table: [items, systems].
        level: one of `LEVELS`.

    Returns:
        The coefficient. 'accuracy_calibrated' has the threshold that `calibrated` finds for this table.
    """
    if name in COEFFICIENTS:
        return COEFFICIENTS[name]
    epsilon = calibrated(*samples(x, y, level))

    def accuracy(x: Float, y: Float, ids: Codes | None) -> Float:
        pairs = close_pairs(x, y, ids, epsilon)
        return share(pairs.concordant + pairs.both_tied, pairs.all)

    return Coefficient(accuracy, by_order=False, chance=None, least=0.0, epsilon=epsilon, counts_copies=True)


def calibrated(x: Float, y: Float) -> float:
    """Return the largest difference of a metric's scores that should count as a tie.

    Among the differences that occur, it is the smallest one with the largest mean accuracy of the samples. The search
    among all P pairs takes O(P log P): Deutsch, Foster and Freitag, *Ties Matter: Meta-Evaluating Modern Metrics with
    Pairwise Accuracy and Tie Calibration*, EMNLP 2023, section 6.

    Args:
        x: the metric's scores: [samples, n].
        y: the people's ratings: [samples, n].

    Returns:
        The threshold, in the unit of the metric; 0 without pairs.
    """
    first, second = np.triu_indices(x.shape[1], 1)
    with np.errstate(invalid="ignore"):
        dx, dy = x[:, first] - x[:, second], y[:, first] - y[:, second]
    valued = ~(np.isnan(dx) | np.isnan(dy))
    # A tie more is worth this much: right where people tie, lost where metric and people had agreed.
    gain = (dy == 0).astype(float) - ((dy != 0) & (np.sign(dx) == np.sign(dy)))
    gain /= np.maximum(valued.sum(-1), 1)[:, None]
    sizes, gains = np.abs(dx[valued]), gain[valued]
    if not len(sizes):
        return 0.0
    order = np.argsort(sizes, kind="stable")
    sizes, total = sizes[order], np.cumsum(gains[order])
    last = np.append(sizes[1:] != sizes[:-1], True)
    sizes, total = sizes[last], total[last]
    if sizes[0] > 0:
        sizes, total = np.insert(sizes, 0, 0.0), np.insert(total, 0, 0.0)
    # Sums of the same gains in another order differ in the last digits; the smallest of equals is wanted.
    return float(sizes[np.argmax(total >= total.max() - 1e-12)])
