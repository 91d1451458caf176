"""PRD, precision and recall for distributions: compares histograms of two sets over clusters of all texts.

Sajjadi et al., "Assessing Generative Models via Precision and Recall", NeurIPS 2018. maths/prd.py has the curve and the
clustering.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nlgauge.maths.prd import PRDCurve, mean_curve
from nlgauge.metrics.base import Value
from nlgauge.metrics.evidence import Evidence, Item
from nlgauge.metrics.parameters import param
from nlgauge.metrics.sets import SetMetric, SetText

_EVERY = 20


@dataclass(frozen=True)
class PRD(SetMetric):
    """How much of the distributions of outputs and references overlaps, as precision and recall.

    f8: the largest F_8 on the curve, mostly recall. f1_8: the largest F_1/8, mostly precision. precision and recall: at
    slope 1, where both are the mass that the two histograms share. Sets may differ in size.
    """

    parts: ClassVar[tuple[str, ...]] = ("f8", "f1_8", "precision", "recall")
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
        """The curve at some angles, from low precision and high recall to the opposite."""
        curve = self._curve(*(np.concatenate([text.points for text in side]) for side in (evaluated, reference)))
        points = {"precision": curve.precision, "recall": curve.recall}
        return Evidence(items=[Item("curve", {name: some[::_EVERY].tolist() for name, some in points.items()})])

    def _curve(self, evaluated: NDArray[np.float32], reference: NDArray[np.float32]) -> PRDCurve:
        return mean_curve(evaluated, reference, self.clusters, self.runs, self.seed)
