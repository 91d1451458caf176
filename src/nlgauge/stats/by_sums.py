"""Coefficients of resampled and permuted tables, from sums over the original table that are computed once.

A resampled table holds the cells of the original table, each some number of times. So Pearson's correlation of it
follows from weighted sums over the original cells, which are products of matrices. This avoids a copy of the cells for
each draw. Where such sums would lose too many digits, the correlation is computed from the cells.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from nlgauge.stats.arrays import Float, Integers, Mask
from nlgauge.stats.coefficients import COEFFICIENTS, Coefficient, dense, direction, mean_known
from nlgauge.stats.correlation import rounded

OfDraws: TypeAlias = Callable[[Integers, Integers], Float]
"""A function from the items [draws, n] and the systems [draws, m] of some draws to the coefficients [draws]"""
_LOST = 1e-4
"""Sums of squares have lost too many digits if less than this share of them is left after the mean is subtracted"""
_MOST_SYSTEMS = 64
"""With more systems, products of whole tables take longer than sums over the cells"""


def of_resamples(x: Float, y: Float, kind: Coefficient, level: str) -> OfDraws | None:
    """Return a function from draws with replacement to the coefficients of the resampled tables.

    Args:
        x: the metric's table: [items, systems].
        y: the people's table: [items, systems].
        kind: the coefficient.
        level: one of `nlgauge.stats.correlation.LEVELS`.

    Returns:
        The function. It is None if sums do not give the coefficient: for infinite numbers, and for any coefficient but
        Pearson's at another level than 'system'.
    """
    valued = ~(np.isnan(x) | np.isnan(y))
    if not (np.isfinite(x[valued]).all() and np.isfinite(y[valued]).all()):
        return None
    if level == "system":
        return _of_means(x, y, valued, kind)
    if kind != COEFFICIENTS["pearson"]:
        return None
    return _pooled(x, y, valued) if level == "pooled" else _of_items(x, y, valued)


def _centred(x: Float, valued: Mask, axes: tuple[int, ...]) -> Float:
    """Return numbers minus their mean over `axes`, divided so that the largest has the size 1.

    Only the numbers where `valued` is True count; the others become 0.
    """
    x = np.where(valued, x, 0.0)
    n = np.maximum(valued.sum(axes, keepdims=True), 1)
    # The scale first: sums of large numbers leave the range too.
    size = np.abs(x).max(axes, initial=0.0, keepdims=True)
    x = x / np.where(size > 0, size, 1.0)
    x = np.where(valued, x - x.sum(axes, keepdims=True) / n, 0.0)
    farthest = np.abs(x).max(axes, initial=0.0, keepdims=True)
    return np.asarray(x / np.where(farthest > 0, farthest, 1.0))


def _correlations(sums: list[Float]) -> tuple[Float, Mask]:
    """Return correlations from the sums of 1, x, y, xx, yy and xy, and which of them are too inexact."""
    n, x, y, xx, yy, xy = sums
    counts = np.maximum(n, 1)
    left, right = xx - x * x / counts, yy - y * y / counts
    inexact = (left <= _LOST * xx) | (right <= _LOST * yy)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = (xy - x * y / counts) / np.sqrt(left * right)
    return np.clip(np.where(inexact, np.nan, values), -1, 1), inexact & (n > 1)


def _sums(x: Float, y: Float, valued: Mask) -> list[Float]:
    return [valued.astype(float), x, y, x * x, y * y, x * y]


def _counts(drawn: Integers, size: int) -> Float:
    """Return how often each number was drawn: [draws, n] -> [draws, size]."""
    flat = drawn + size * np.arange(len(drawn))[:, None]
    return np.bincount(flat.ravel(), minlength=len(drawn) * size).reshape(len(drawn), size).astype(float)


def _of_items(x: Float, y: Float, valued: Mask) -> OfDraws:
    """Return a function from draws to the mean, over the drawn items, of the correlation over the drawn systems.

    Args:
        x: the metric's table: [items, systems].
        y: the people's table: [items, systems].
        valued: the cells where both tables have a number: [items, systems].
    """
    cells = _sums(_centred(x, valued, (1,)), _centred(y, valued, (1,)), valued)
    codes = [np.where(valued, dense(np.where(valued, table, np.nan)), 0).astype(float) for table in (x, y)]
    pearson = COEFFICIENTS["pearson"].of

    def constant(weights: Float, n: Float) -> Mask:
        """Return which samples are constant in x or in y: [draws, items]. Sums of whole numbers decide this exactly.

        Args:
            weights: how often each system was drawn: [draws, systems].
            n: the number of drawn cells of each item: [draws, items].
        """
        of = [n * (weights @ (code * code).T) == (weights @ code.T) ** 2 for code in codes]
        return np.asarray(of[0] | of[1])

    def values(items: Integers, systems: Integers) -> Float:
        alike = bool((systems == systems[:1]).all())
        weights = _counts(systems[:1] if alike else systems, x.shape[1])
        each, inexact = _correlations([weights @ cell.T for cell in cells])
        if inexact.any():
            at, item = np.nonzero(inexact & ~constant(weights, weights @ cells[0].T))
            drawn = systems[at]
            each[at, item] = pearson(x[item[:, None], drawn], y[item[:, None], drawn], None)
        return mean_known(each[0][items] if alike else np.take_along_axis(each, items % len(x), 1))

    return values


def _pooled(x: Float, y: Float, valued: Mask) -> OfDraws:
    """Return a function from draws to the correlation over all drawn cells.

    Args:
        x: the metric's table: [items, systems].
        y: the people's table: [items, systems].
        valued: the cells where both tables have a number: [items, systems].
    """
    cells = _sums(_centred(x, valued, (0, 1)), _centred(y, valued, (0, 1)), valued)
    pearson = COEFFICIENTS["pearson"].of

    def values(items: Integers, systems: Integers) -> Float:
        rows, columns = _counts(items % len(x), len(x)), _counts(systems, x.shape[1])
        correlations, inexact = _correlations([np.einsum("rs,rs->r", rows @ cell, columns) for cell in cells])
        for at in np.flatnonzero(inexact).tolist():
            cut = np.ix_(items[at], systems[at])
            correlations[at] = pearson(x[cut].reshape(1, -1), y[cut].reshape(1, -1), None)[0]
        return correlations

    return values


def _of_means(x: Float, y: Float, valued: Mask, kind: Coefficient) -> OfDraws:
    """Return a function from draws to the coefficient of the drawn systems' means over the drawn items.

    Args:
        x: the metric's table: [items, systems].
        y: the people's table: [items, systems].
        valued: the cells where both tables have a number: [items, systems].
        kind: the coefficient.
    """
    n, totals = valued.astype(float), [np.where(valued, table, 0.0) for table in (x, y)]

    def values(items: Integers, systems: Integers) -> Float:
        rows = _counts(items % len(x), len(x))
        with np.errstate(invalid="ignore", divide="ignore"):
            every = [(rows @ total) / (rows @ n) for total in totals]
        of_x, of_y = (rounded(np.take_along_axis(weighted, systems, 1)) for weighted in every)
        return kind.of_numbers(of_x, of_y, systems.astype(np.int32) if kind.counts_copies else None)

    return values


def of_shuffles(x: Float, y: Float, kind: Coefficient, level: str) -> OfDraws | None:
    """Return a function from orders of the items and systems of x to the coefficients, with y unchanged.

    Args:
        x: the metric's table: [items, systems].
        y: the people's table: [items, systems].
        kind: the coefficient.
        level: 'item' or 'pooled'.

    Returns:
        The function. It is None if sums do not give the coefficient: for any coefficient but Pearson's, and for tables
        with missing or infinite cells. At pooled level, each order has to contain every item exactly once.
    """
    complete = np.isfinite(x).all() and np.isfinite(y).all() and x.size
    if kind != COEFFICIENTS["pearson"] or not complete:
        return None
    shape = (1, -1) if level == "pooled" else x.shape
    whole = np.ones(x.shape, bool).reshape(shape)
    a, b = (direction(table.reshape(shape), whole).reshape(x.shape) for table in (x, y))
    # The order of a sample's cells changes neither their mean nor their length.
    undefined = [np.isnan(table[:, 0]) for table in (a, b)]
    a, b = (np.nan_to_num(table) for table in (a, b))

    def values(items: Integers, systems: Integers) -> Float:
        if x.shape[1] > _MOST_SYSTEMS:
            sums = np.einsum("ris,is->r", a[items[:, :, None], systems[:, None, :]], b)
        else:
            products = a[items].transpose(0, 2, 1) @ b  # [draws, systems of x, systems of y]
            sums = np.take_along_axis(products, systems[:, :, None], 1).diagonal(axis1=1, axis2=2).sum(-1)
        if level == "pooled":
            return np.full(len(items), np.nan) if undefined[0].any() or undefined[1].any() else np.clip(sums, -1, 1)
        defined = (~(undefined[0][items] | undefined[1])).sum(1)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.where(defined > 0, sums / defined, np.nan))

    return values
