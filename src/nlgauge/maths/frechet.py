"""Frechet distance between the Gaussians fitted to two sets of points.

Heusel et al., "GANs Trained by a Two Time-Scale Update Rule...", NeurIPS 2017 (FID), after Dowson and Landau 1982:
d^2 = |m1 - m2|^2 + tr C1 + tr C2 - 2 tr (C1 C2)^(1/2).

Let the rows of A1 and A2 be the centred points over sqrt(n - 1). Then C = A'A, and the last trace is the sum of the
singular values of A1 A2' (its nuclear norm). No matrix square root is needed, so nothing becomes complex or infinite
with fewer points than dimensions, and the distance of equal sets is 0 up to rounding.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.floating[Any]]

_AT_ONCE = 4096


class Frechet(NamedTuple):
    """The squared distance and the two terms that add up to it; none is negative."""

    distance: float
    means: float
    """|m1 - m2|^2"""
    spreads: float
    """tr (C1 + C2 - 2 (C1 C2)^(1/2))"""


def frechet(first: Points, second: Points) -> Frechet:
    """Distance of [n, width] and [m, width], n and m at least 1. Covariances divide by n - 1, and are 0 for one
    point."""
    roots, averages = zip(*(_root(points) for points in (first, second)), strict=True)
    means = float(np.square(averages[0] - averages[1]).sum())
    overlap = np.linalg.svd(roots[0] @ roots[1].T, compute_uv=False).sum()
    traces = sum(np.square(root).sum() for root in roots)
    spreads = max(0.0, float(traces - 2 * overlap))
    return Frechet(means + spreads, means, spreads)


def _root(points: Points) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A matrix R of at most width rows with R'R the covariance, and the mean: [rows, width], [width]."""
    mean = points.mean(axis=0, dtype=np.float64)
    root = np.empty((0, len(mean)))
    for at in range(0, len(points), _AT_ONCE):
        root = np.concatenate([root, points[at : at + _AT_ONCE] - mean])
        if len(root) > len(mean):
            root = np.asarray(np.linalg.qr(root, mode="r"))
    return root / np.sqrt(max(len(points) - 1, 1)), mean
