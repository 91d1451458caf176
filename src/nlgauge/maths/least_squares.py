"""Least squares with non-negative coefficients, and ridge regression, for small problems.

A [n, features], b [n]. With identical features the solution is not unique: `nonnegative` uses the first of them, and
`ridge` weighs them equally.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_SLACK = 1e-12


class Solution(NamedTuple):
    """Coefficients [features], and how far they are from optimal."""

    coefficients: Array
    violation: float
    """The largest violation of the Karush-Kuhn-Tucker conditions: no coefficient is negative, no feature with
    coefficient 0 has a positive product with the residual b - Ax, all others are orthogonal to it. As a cosine; 0 is
    exact"""


def nonnegative(A: Array, b: Array) -> Solution:
    """The x >= 0 for which |b - Ax| is smallest: Lawson and Hanson, *Solving Least Squares Problems*, 1974, chapter 23.

    Features enter one after another, the one with the largest product with the residual first, and leave if they would
    become negative. The residual gets smaller with every step, so that no set of features occurs twice.
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
    """Least squares over some of the features, 0 for the others."""
    out = np.zeros(A.shape[1])
    out[used] = np.linalg.lstsq(A[:, used], b, rcond=None)[0]
    return out


def _violation(A: Array, b: Array, x: Array, scale: Array) -> float:
    along = A.T @ (b - A @ x) / scale
    return float(max(np.where(x > 0, np.abs(along), along).max(initial=0.0), -x.min(initial=0.0), 0.0))


def ridge(A: Array, b: Array, penalties: Sequence[float]) -> Array:
    """The x for which |b - Ax|^2 / n + penalty |x|^2 is smallest, for each penalty > 0: [penalties, features]."""
    left, values, right = np.linalg.svd(A, full_matrices=False)
    shrunk = values / (values**2 + len(A) * np.asarray(penalties, float)[:, None])
    return np.asarray((shrunk * (left.T @ b)) @ right)
