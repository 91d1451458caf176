"""The symmetric measures between two distributions: l1, l2, linf, Fisher-Rao and Jensen-Shannon.

Each is a sum or maximum of one term per vocabulary item, from log-probabilities. `divergences.py` has the formulas.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def log_ratio(log_p: Vector, log_q: Vector) -> Vector:
    """ln(p/q) of each item, 0 where both are 0."""
    ratio = log_p - log_q
    ratio[np.isneginf(log_p) & np.isneginf(log_q)] = 0.0
    return ratio


class Distance(NamedTuple):
    """A symmetric measure without parameters. ``total`` computes the distance from the summands."""

    summands: Callable[[Vector, Vector], Vector]
    total: Callable[[Vector], float]
    maximum: float


def _gaps(log_p: Vector, log_q: Vector) -> Vector:
    gaps: Vector = np.exp(log_p) - np.exp(log_q)
    return np.abs(gaps, out=gaps)


def _arc(squared_root_gaps: Vector) -> float:
    # With arccos, an overlap one float32 ulp below 1 would give a distance of 2e-4; the half chord does not.
    return 4 / math.pi * math.asin(min(math.sqrt(squared_root_gaps.sum()) / 2, 1.0))


def _jensen_shannon_summands(log_p: Vector, log_q: Vector) -> Vector:
    gap = np.minimum(np.abs(log_ratio(log_p, log_q)), 800.0)  # exp(-800) is 0, and 0 * inf must not arise
    decay = np.exp(-gap)
    shape: Vector = np.maximum(-gap * decay / (1 + decay) - np.log1p(np.expm1(-gap) / 2), 0.0)
    return (np.exp(log_p) + np.exp(log_q)) / 2 * shape


DISTANCES = {
    "l1": Distance(_gaps, np.sum, 2.0),
    "l2": Distance(lambda log_p, log_q: _gaps(log_p, log_q) ** 2, lambda squares: math.sqrt(squares.sum()), 2**0.5),
    "linf": Distance(_gaps, np.max, 1.0),
    "fisher_rao": Distance(lambda log_p, log_q: _gaps(log_p / 2, log_q / 2) ** 2, _arc, 1.0),
    "jensen_shannon": Distance(_jensen_shannon_summands, np.sum, math.log(2)),
}
