"""Precision and recall for distributions (PRD): a curve from the histograms of two sets over clusters.

Sajjadi et al., "Assessing Generative Models via Precision and Recall", NeurIPS 2018. For a slope l, precision(l) =
sum min(l ref, eval) and recall(l) = precision(l) / l; the summary of a curve is its largest F_b. We use full k-means,
not mini-batches, so that a seed gives the same curve on every machine.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
Points = NDArray[np.floating[Any]]

_ANGLES = 1001
_EPSILON = 1e-10
_STEPS = 50


class PRDCurve(NamedTuple):
    """Precision and recall at slopes of increasing angle: precision rises from 0, and recall falls to 0."""

    precision: Reals
    """[angles]"""
    recall: Reals
    """[angles]"""

    def f_score(self, beta: float) -> float:
        """The largest F_beta on the curve; beta > 1 favours recall, beta < 1 precision."""
        precision, recall, square = self.precision, self.recall, beta * beta
        return float(((1 + square) * precision * recall / (square * precision + recall + _EPSILON)).max())

    @property
    def even(self) -> tuple[float, float]:
        """Precision and recall at slope 1: both are the mass that the two histograms share."""
        middle = len(self.precision) // 2
        return float(self.precision[middle]), float(self.recall[middle])


def curve(evaluated: Reals, reference: Reals) -> PRDCurve:
    """The curve of two histograms over the same clusters, each with sum 1: [clusters], [clusters]."""
    slopes = np.tan(np.linspace(_EPSILON, np.pi / 2 - _EPSILON, _ANGLES))
    precision = np.minimum(slopes[:, None] * reference, evaluated).sum(axis=1)
    return PRDCurve(precision.clip(0, 1), (precision / slopes).clip(0, 1))


def mean_curve(evaluated: Points, reference: Points, clusters: int, runs: int, seed: int) -> PRDCurve:
    """The mean curve of `runs` clusterings of the union of both sets: [n, width], [m, width].

    It does not depend on the order of the points, because they are sorted by their coordinates.
    """
    union = np.concatenate([evaluated, reference]).astype(np.float64)
    order = np.lexsort(union.T[::-1])
    own = np.arange(len(union)) < len(evaluated)
    generator = np.random.default_rng(seed)
    curves = []
    for _ in range(runs):
        labels = np.empty(len(union), np.int64)
        labels[order] = k_means(union[order], clusters, generator)
        shares = [np.bincount(labels[side], minlength=clusters) / side.sum() for side in (own, ~own)]
        curves.append(curve(shares[0], shares[1]))
    return PRDCurve(*(np.mean(part, axis=0) for part in zip(*curves, strict=True)))


def k_means(points: Reals, clusters: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """The cluster of each point: [n, width] -> [n]. With fewer distinct points than `clusters`, fewer are used.

    k-means++ start (Arthur and Vassilvitskii 2007), then Lloyd's algorithm (1982) until convergence, at most 50 steps.
    """
    points = points - points.mean(axis=0)
    centres = _start(points, clusters, generator)
    labels = _closest(points, centres)
    for _ in range(_STEPS):
        members = (labels == np.arange(len(centres))[:, None]).astype(np.float64)
        counts = members.sum(axis=1, keepdims=True)
        centres = np.where(counts > 0, members @ points / np.maximum(counts, 1), centres)
        before, labels = labels, _closest(points, centres)
        if (labels == before).all():
            break
    return labels


def _start(points: Reals, clusters: int, generator: np.random.Generator) -> Reals:
    """k-means++: each centre is drawn with the squared distance from earlier centres as weight."""
    chosen = [int(generator.integers(len(points)))]
    squares = np.full(len(points), np.inf)
    while len(chosen) < clusters:
        squares = np.minimum(squares, np.square(points - points[chosen[-1]]).sum(axis=1))
        sums = squares.cumsum()
        if not sums[-1] > 0:
            break
        chosen.append(int(np.searchsorted(sums, generator.random() * sums[-1], side="right")))
    return points[chosen]


def _closest(points: Reals, centres: Reals) -> NDArray[np.int64]:
    closest: NDArray[np.int64] = (np.square(centres).sum(axis=1) - 2 * points @ centres.T).argmin(axis=1)
    return closest
