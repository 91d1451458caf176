"""Coefficients of pairs as they are written."""

from __future__ import annotations

import itertools
import math

import numpy as np


def by_pairs(name: str, x: np.ndarray, y: np.ndarray, epsilon: float = 0.0) -> float:
    """A coefficient of pairs as it is written: every pair looked at."""
    c = d = m = h = both = 0
    known = [(a, b) for a, b in zip(x, y, strict=True) if a == a and b == b]
    for (a, p), (b, q) in itertools.combinations(known, 2):
        x_tied, y_tied = abs(a - b) <= epsilon, p == q
        both += x_tied and y_tied
        m += x_tied and not y_tied
        h += y_tied and not x_tied
        c += not x_tied and not y_tied and (a > b) == (p > q)
        d += not x_tied and not y_tied and (a > b) != (p > q)
    part, whole = {
        "kendall": (c - d, math.sqrt((c + d + m) * (c + d + h))),
        "kendall_10": (c - d - m, c + d + m),
        "kendall_13": (c - d, c + d),
        "kendall_14": (c - d, c + d + m),
        "kendall_eq": (c + both - d - m - h, c + d + m + h + both),
        "accuracy": (c + both, c + d + m + h + both),
    }[name]
    return part / whole if whole else math.nan
