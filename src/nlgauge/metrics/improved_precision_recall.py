"""Improved precision and recall, density and coverage, from balls around the points of two sets.

Kynkaanniemi et al., "Improved Precision and Recall Metric for Assessing Generative Models", NeurIPS 2019; density and
coverage: Naeem et al., "Reliable Fidelity and Diversity Metrics for Generative Models", ICML 2020. The ball of a point
reaches to its k-th nearest other point of its own set.

A point exactly at the radius counts as inside. For Naeem et al. it does not, so that two equal sets in which every text
occurs twice get 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nlgauge.data.evidence import Evidence
from nlgauge.maths.neighbours import coverage
from nlgauge.metrics.base import Value
from nlgauge.metrics.parameters import param
from nlgauge.metrics.sets import SetMetric, SetText, covered_texts


@dataclass(frozen=True)
class ImprovedPrecisionRecall(SetMetric):
    """The share of a system's outputs that are close to references, and the share of references close to outputs.

    precision: the share of outputs in a reference's ball. recall: the share of references in an output's ball. density:
    the mean number of reference balls that contain an output, divided by k; it may exceed 1. coverage: the share of
    references whose ball contains an output. A single reference has no neighbour, so density is undefined.
    """

    parts: ClassVar[tuple[str, ...]] = ("precision", "recall", "density", "coverage")
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
        """Texts that are not fully covered by balls of the other side, farthest first, and covered texts."""
        return covered_texts(evaluated, reference, self.k)
