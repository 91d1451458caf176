"""Precision and recall of two sets of texts, as points: PRD and ImprovedPrecisionRecall.

PRD means precision and recall for distributions. It is a curve from the histograms of two sets over clusters.

Sajjadi et al., "Assessing Generative Models via Precision and Recall", NeurIPS 2018. For a slope l, precision(l) =
sum min(l ref, eval) and recall(l) = precision(l) / l; the summary of a curve is its largest F_b. We use full k-means,
not mini-batches, so that a seed gives the same curve on every machine.

ImprovedPrecisionRecall, density and coverage use balls around the points of two sets. Kynkaanniemi et al.,
"Improved Precision and Recall Metric for Assessing Generative Models", NeurIPS 2019; density and coverage: Naeem et
al., "Reliable Fidelity and Diversity Metrics for Generative Models", ICML 2020. The ball of a point reaches to its k-th
nearest other point of its own set. A point exactly at the radius counts as inside. For Naeem et al. it does not, so
that two equal sets in which every text occurs twice get 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.contract.base import AMOUNT, SHARE, Limits, Value
from nlgauge.contract.parameters import param
from nlgauge.data.evidence import Evidence, Item
from nlgauge.maths.neighbours import coverage
from nlgauge.metrics.sets import SetMetric, SetText, covered_texts

Reals = NDArray[np.float64]
Points = NDArray[np.floating[Any]]

_ANGLES = 1001
_EPSILON = 1e-10
_STEPS = 50


class PRDCurve(NamedTuple):
    """Precision and recall at slopes of increasing angle: precision rises from 0, and recall falls to 0."""

    precision: Reals
    """The precision at each angle: [angles]"""
    recall: Reals
    """The recall at each angle: [angles]"""

    def f_score(self, beta: float) -> float:
        """Return the largest F_beta on the curve; beta > 1 favours recall, beta < 1 precision."""
        precision, recall, square = self.precision, self.recall, beta * beta
        return float(((1 + square) * precision * recall / (square * precision + recall + _EPSILON)).max())

    @property
    def even(self) -> tuple[float, float]:
        """Precision and recall at slope 1, which are both the mass that the two histograms share."""
        middle = len(self.precision) // 2
        return float(self.precision[middle]), float(self.recall[middle])


def curve(evaluated: Reals, reference: Reals) -> PRDCurve:
    """Return the curve of two histograms over the same clusters, each with sum 1: [clusters], [clusters]."""
    slopes = np.tan(np.linspace(_EPSILON, np.pi / 2 - _EPSILON, _ANGLES))
    precision = np.minimum(slopes[:, None] * reference, evaluated).sum(axis=1)
    return PRDCurve(precision.clip(0, 1), (precision / slopes).clip(0, 1))


def mean_curve(evaluated: Points, reference: Points, clusters: int, runs: int, seed: int) -> PRDCurve:
    """Return the mean curve of several clusterings of the union of both sets.

    It does not depend on the order of the points, because they are sorted by their coordinates.

    Args:
        evaluated: points of the outputs [n, width].
        reference: points of the references [m, width].
        clusters: the number of clusters of a clustering.
        runs: the number of clusterings.
        seed: the seed of the clusterings.

    Returns:
        The mean curve.
    """
    union = np.concatenate([evaluated, reference]).astype(np.float64)
    order = np.lexsort(union.T[::-1])
    is_evaluated = np.arange(len(union)) < len(evaluated)
    generator = np.random.default_rng(seed)
    curves = []
    for _ in range(runs):
        labels = np.empty(len(union), np.int64)
        labels[order] = k_means(union[order], clusters, generator)
        shares = [np.bincount(labels[side], minlength=clusters) / side.sum() for side in (is_evaluated, ~is_evaluated)]
        curves.append(curve(shares[0], shares[1]))
    return PRDCurve(*(np.mean(part, axis=0) for part in zip(*curves, strict=True)))


def k_means(points: Reals, clusters: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """Return the cluster of each point. If there are fewer distinct points than `clusters`, there are fewer clusters.

    It begins with k-means++ (Arthur and Vassilvitskii 2007). Then come at most 50 steps of Lloyd's algorithm (1982).

    Args:
        points: [n, width].
        clusters: the number of clusters.
        generator: the random generator of the start.

    Returns:
        The number of a cluster for each point: [n].
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
    """Return the first centres by k-means++: each is drawn with the squared distance from earlier centres as weight."""
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


_EVERY = 20


@dataclass(frozen=True)
class PRD(SetMetric):
    """How much of the distributions of outputs and references overlaps, as precision and recall.

    f8: the largest F_8 on the curve, mostly recall. f1_8: the largest F_1/8, mostly precision. precision and recall: at
    slope 1, where both are the mass that the two histograms share. Sets may differ in size.
    """

    parts: ClassVar[tuple[str, ...]] = ("f8", "f1_8", "precision", "recall")
    limits: ClassVar[Mapping[str, Limits]] = dict.fromkeys(parts, SHARE)
    citation: ClassVar[str] = "Sajjadi et al. 2018, NeurIPS, arXiv:1806.00035"

    clusters: int = param(20, minimum=1, help="number of clusters of k-means")
    runs: int = param(10, minimum=1, help="runs of k-means. The curve is the mean over them.")
    seed: int = param(0, minimum=0, help="seed of k-means")

    def compare(self, evaluated: NDArray[np.float32], reference: NDArray[np.float32]) -> Value:
        curve = self._curve(evaluated, reference)
        few = min(len(evaluated), len(reference)) < self.clusters
        notes = ("a set has fewer points than there are clusters",) if few else ()
        return Value((curve.f_score(8), curve.f_score(1 / 8), *curve.even), None, notes)

    def evidence(self, evaluated: Sequence[SetText], reference: Sequence[SetText]) -> Evidence:
        """Return the curve at some angles, from low precision and high recall to the opposite."""
        curve = self._curve(*(np.concatenate([text.points for text in side]) for side in (evaluated, reference)))
        points = {"precision": curve.precision, "recall": curve.recall}
        return Evidence(items=[Item("curve", {name: numbers[::_EVERY].tolist() for name, numbers in points.items()})])

    def _curve(self, evaluated: NDArray[np.float32], reference: NDArray[np.float32]) -> PRDCurve:
        return mean_curve(evaluated, reference, clusters=self.clusters, runs=self.runs, seed=self.seed)


@dataclass(frozen=True)
class ImprovedPrecisionRecall(SetMetric):
    """The share of a system's outputs that are close to references, and the share of references close to outputs.

    precision: the share of outputs in a reference's ball. recall: the share of references in an output's ball. density:
    the mean number of reference balls that contain an output, divided by k; it may exceed 1. coverage: the share of
    references whose ball contains an output. A single reference has no neighbour, so density is undefined.
    """

    parts: ClassVar[tuple[str, ...]] = ("precision", "recall", "density", "coverage")
    limits: ClassVar[Mapping[str, Limits]] = {**dict.fromkeys(parts, SHARE), "density": AMOUNT}
    citation: ClassVar[str] = "Kynkaanniemi et al. 2019, NeurIPS, arXiv:1904.06991"

    k: int = param(3, minimum=1, help="a ball reaches to the k-th neighbour")

    def compare(self, evaluated: NDArray[np.float32], reference: NDArray[np.float32]) -> Value:
        k, n, m = self.k, len(reference), len(evaluated)
        by_reference, by_output = coverage(reference, evaluated, (k,))
        reach = min(k, n - 1)
        density = float(by_reference.pairs[0]) / (reach * m) if reach else np.nan
        parts = (by_reference.covered[0] / m, by_output.covered[0] / n, density, by_reference.occupied[0] / n)
        beyond = f"k={k} is more than the number of other points in a set: that number was used"
        notes = (beyond,) if k >= min(n, m) else ()
        reason = None if reach else "a single reference has no neighbour, so density is undefined"
        return Value(tuple(map(float, parts)), reason, notes)

    def evidence(self, evaluated: Sequence[SetText], reference: Sequence[SetText]) -> Evidence:
        """Return the texts that are not fully covered by balls of the other side, farthest first, and covered texts."""
        return covered_texts(evaluated, reference, self.k)
