"""Frechet distance between the Gaussians of a system's outputs and of the references.

Heusel et al., "GANs Trained by a Two Time-Scale Update Rule Converge to a Local Nash Equilibrium", NeurIPS 2017 (FID);
for texts Semeniuta, Severyn and Gelly 2018. The formula is in maths/frechet.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nlgauge.maths.frechet import frechet
from nlgauge.metrics.base import Value
from nlgauge.metrics.evidence import Evidence, Item
from nlgauge.metrics.sets import SetMetric, SetText


@dataclass(frozen=True)
class FrechetDistance(SetMetric):
    """Squared distance between Gaussians fitted to a system's outputs and to the references, as FID; 0 is best.

    Small sets have larger distances than large sets of the same kind, so compare systems only on sets of equal size.
    The parts are the contributions of the means and of the covariances. With normalize=False the distance has the
    scale of the model's vectors.
    """

    higher_is_better: ClassVar[bool] = False
    parts: ClassVar[tuple[str, ...]] = ("score", "means", "covariances")
    citation: ClassVar[str] = "Heusel et al. 2017, NeurIPS, arXiv:1706.08500"

    def compare(self, evaluated: NDArray[np.float32], reference: NDArray[np.float32]) -> Value:
        few = min(len(evaluated), len(reference)) <= evaluated.shape[1]
        notes = ("a set has at most as many points as dimensions: the distance depends on their number",) if few else ()
        return Value(tuple(frechet(evaluated, reference)), None, notes)

    def evidence(self, evaluated: Sequence[SetText], reference: Sequence[SetText]) -> Evidence:
        """The sizes that the distance depends on."""
        dimensions = evaluated[0].points.shape[1]
        sides = {"outputs": evaluated, "references": reference}
        return Evidence(
            items=[
                Item(name, {"points": sum(len(text.points) for text in side), "dimensions": dimensions})
                for name, side in sides.items()
            ]
        )
