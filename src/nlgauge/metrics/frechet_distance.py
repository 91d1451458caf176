"""Frechet distance: how far the Gaussian of a system's outputs is from that of the references.

Heusel et al., "GANs Trained by a Two Time-Scale Update Rule Converge to a Local Nash Equilibrium", NeurIPS 2017 (FID);
for texts Semeniuta, Severyn and Gelly 2018. The formula and how it is computed: maths/frechet.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nlgauge.corpus import Corpus
from nlgauge.maths.frechet import frechet
from nlgauge.metrics.base import SetMetric, SetScorer, SetText, Texts, Value


@dataclass(frozen=True)
class FrechetDistance(SetMetric):
    """Squared distance between Gaussians fitted to a system's outputs and to the references, as FID; 0 is best.

    Small sets are farther apart than large ones of the same kind: compare systems over sets of equal size only. The
    parts say how much is due to the means and how much to the covariances.

    unit, layers, normalize: as in MarkEvaluate. With normalize=False the distance has the scale of the model's vectors.
    """

    higher_is_better: ClassVar[bool] = False
    parts: ClassVar[tuple[str, ...]] = ("score", "means", "covariances")
    citation: ClassVar[str] = "Heusel et al. 2017, NeurIPS, arXiv:1706.08500"

    def scorer(self, corpus: Corpus, texts: Texts) -> FrechetDistanceScorer:
        return FrechetDistanceScorer(self, texts)


class FrechetDistanceScorer(SetScorer):
    """Frechet distance with the layers of its model known."""

    def compare(self, evaluated: NDArray[np.float32], reference: NDArray[np.float32]) -> Value:
        few = min(len(evaluated), len(reference)) <= evaluated.shape[1]
        notes = ("a set has no more points than dimensions: the distance depends on how many",) if few else ()
        return Value(tuple(frechet(evaluated, reference)), None, notes)

    def evidence(self, evaluated: Sequence[SetText], reference: Sequence[SetText]) -> dict[str, Any]:
        """The sizes that the distance depends on."""
        outputs, references = (sum(len(text.points) for text in side) for side in (evaluated, reference))
        return {"outputs": outputs, "references": references, "dimensions": evaluated[0].points.shape[1]}
