"""Frechet distance between the Gaussians of a system's outputs and of the references.

Heusel et al., "GANs Trained by a Two Time-Scale Update Rule Converge to a Local Nash Equilibrium", NeurIPS 2017 (FID);
for texts Semeniuta, Severyn and Gelly 2018. After Dowson and Landau 1982:
d^2 = |m1 - m2|^2 + tr C1 + tr C2 - 2 tr (C1 C2)^(1/2).

Let the rows of A1 and A2 be the centred points over sqrt(n - 1). Then C = A'A, and the last trace is the sum of the
singular values of A1 A2' (its nuclear norm). No matrix square root is needed, so nothing becomes complex or infinite
with fewer points than dimensions, and the distance of equal sets is 0 up to rounding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.contract.base import AMOUNT, Limits, Value
from nlgauge.data.evidence import Evidence, Item
from nlgauge.metrics.sets import SetMetric, SetText

Points = NDArray[np.floating[Any]]

_AT_ONCE = 4096


class Frechet(NamedTuple):
    """The squared distance, and two terms. The distance is their sum. None of the three is negative."""

    distance: float
    means: float
    """The term of the means: |m1 - m2|^2"""
    spreads: float
    """The term of the covariances: tr (C1 + C2 - 2 (C1 C2)^(1/2))"""


def frechet(first: Points, second: Points) -> Frechet:
    """Return the squared Fréchet distance of two sets of points. Covariances divide by n - 1, and are 0 for one point.

    Args:
        first: points [n, width], n at least 1.
        second: points [m, width], m at least 1.

    Returns:
        The squared distance and its two terms.
    """
    roots, averages = zip(*(_root(points) for points in (first, second)), strict=True)
    means = float(np.square(averages[0] - averages[1]).sum())
    overlap = np.linalg.svd(roots[0] @ roots[1].T, compute_uv=False).sum()
    traces = sum(np.square(root).sum() for root in roots)
    spreads = max(0.0, float(traces - 2 * overlap))
    return Frechet(means + spreads, means, spreads)


def _root(points: Points) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a matrix R of at most width rows with R'R the covariance, and the mean: [rows, width], [width]."""
    mean = points.mean(axis=0, dtype=np.float64)
    root = np.empty((0, len(mean)))
    for at in range(0, len(points), _AT_ONCE):
        root = np.concatenate([root, points[at : at + _AT_ONCE] - mean])
        if len(root) > len(mean):
            root = np.asarray(np.linalg.qr(root, mode="r"))
    return root / np.sqrt(max(len(points) - 1, 1)), mean


@dataclass(frozen=True)
class FrechetDistance(SetMetric):
    """Squared distance between Gaussians fitted to a system's outputs and to the references, as FID; 0 is best.

    Small sets have larger distances than large sets of the same kind, so compare systems only on sets of equal size.
    The sub-scores are the contributions of the means and of the covariances. With normalize=False the distance has the
    scale of the model's vectors.
    """

    higher_is_better: ClassVar[bool] = False
    parts: ClassVar[tuple[str, ...]] = ("score", "means", "covariances")
    limits: ClassVar[Mapping[str, Limits]] = dict.fromkeys(parts, AMOUNT)
    citation: ClassVar[str] = "Heusel et al. 2017, NeurIPS, arXiv:1706.08500"

    def compare(self, evaluated: NDArray[np.float32], reference: NDArray[np.float32]) -> Value:
        few = min(len(evaluated), len(reference)) <= evaluated.shape[1]
        notes = ("a set has at most as many points as dimensions: the distance depends on their number",) if few else ()
        return Value(tuple(frechet(evaluated, reference)), None, notes)

    def evidence(self, evaluated: Sequence[SetText], reference: Sequence[SetText]) -> Evidence:
        """Return the numbers of points of both sets and their width, on which the size of the distance depends."""
        dimensions = evaluated[0].points.shape[1]
        sides = {"outputs": evaluated, "references": reference}
        return Evidence(
            items=[
                Item(name, {"points": sum(len(text.points) for text in side), "dimensions": dimensions})
                for name, side in sides.items()
            ]
        )
