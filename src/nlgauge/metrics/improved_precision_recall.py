"""Improved precision and recall, density and coverage: what the balls of one set hold of the other.

Kynkaanniemi et al., "Improved Precision and Recall Metric for Assessing Generative Models", NeurIPS 2019; density and
coverage: Naeem et al., "Reliable Fidelity and Diversity Metrics for Generative Models", ICML 2020. The ball of a point
reaches to its k-th nearest other point of its own set.

All four take a point at the radius itself as inside. Naeem et al. do not, and give two equal sets of texts that each
stand there twice a 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nlgauge.maths.neighbours import coverage
from nlgauge.metrics.base import Value
from nlgauge.metrics.evidence import Evidence
from nlgauge.metrics.sets import SetMetric, SetText, covered_texts


@dataclass(frozen=True)
class ImprovedPrecisionRecall(SetMetric):
    """The share of a system's outputs among the references, and of the references among its outputs.

    precision: the share of outputs in a reference's ball. recall: the share of references in an output's ball.
    density: how many references' balls hold an output on average, over k; it may exceed 1. coverage: the share of
    references whose ball holds an output. Where there is one reference it has no neighbour, and density is undefined.

    k: the neighbour that a ball reaches to.
    unit, pooling, layers, normalize: as in MarkEvaluate.
    """

    least: ClassVar[Mapping[str, float]] = {**SetMetric.least, "k": 1}
    parts: ClassVar[tuple[str, ...]] = ("precision", "recall", "density", "coverage")
    citation: ClassVar[str] = "Kynkaanniemi et al. 2019, NeurIPS, arXiv:1904.06991"

    k: int = 3

    def compare(self, evaluated: NDArray[np.float32], reference: NDArray[np.float32]) -> Value:
        k, n, m = self.k, len(reference), len(evaluated)
        by_reference, by_output = coverage(reference, evaluated, (k,))
        reach = min(k, n - 1)
        density = float(by_reference.pairs[0]) / (reach * m) if reach else np.nan
        parts = (by_reference.covered[0] / m, by_output.covered[0] / n, density, by_reference.occupied[0] / n)
        notes = (f"k={k} is more than a set has other points: their number was taken",) if k >= min(n, m) else ()
        reason = None if reach else "one reference has no neighbour, so density is not defined"
        return Value(tuple(map(float, parts)), reason, notes)

    def evidence(self, evaluated: Sequence[SetText], reference: Sequence[SetText]) -> Evidence:
        """Texts that no ball of the other side holds (all the points of), farthest first, and those that one does."""
        outputs, references = (np.concatenate([text.points for text in texts]) for texts in (evaluated, reference))
        by_reference, by_output = coverage(references, outputs, (self.k,))
        return covered_texts(evaluated, reference, by_reference.points == 0, by_output.points == 0)
