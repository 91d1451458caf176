"""DepthScore: the distance between the central regions of two texts' clouds of token vectors.

Staerman, Mozharovskyi, Colombo, Clémençon and d'Alché-Buc, "A Pseudo-Metric between Probability Distributions based on
Depth-Trimmed Regions", arXiv:2103.12711.

The region R(a) of a cloud is the convex hull of the tokens whose depth is at least the a-quantile. With the Hausdorff
distance d and levels a in [eps, 1], the distance of two clouds is

    ( mean over a of d(R(a), R'(a))^p )^(1/p)

The published program approximates d by the largest difference of the support functions over random directions. In
hundreds of dimensions the approximation is a seventh of the true distance and mostly random (two seeds of 10,000
directions rank texts with a correlation of 0.5 to 0.6). The program omits the absolute value, so its result depends on
the order of the two texts. Here d is computed to 0.1 %.

The published depth (integrated rank-weighted) is the mean over random directions u of min(F(t), 1 - F(t-)). Here F is
the distribution of the cloud's projections on u, and t is the token's projection. In so many dimensions projections are
nearly normal, and this mean decreases with the distance from the cloud's centre. The order of tokens by this mean and
the order by that distance have a correlation of 0.99. Two sets of 4,000 directions agree less. So the depth here is
minus the distance from the centre, without randomness.

As published, vectors have length 1 and special tokens belong to the cloud.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nlgauge.contract.base import Cost, Limits, Prepared, Setup
from nlgauge.contract.parameters import param
from nlgauge.data.corpus.place import shown
from nlgauge.engine.features.vectors import TokenVectors, VectorsRequest
from nlgauge.errors import SpecError
from nlgauge.maths.vectors import unit
from nlgauge.metrics.model_settings import layer_read
from nlgauge.metrics.references import ReferenceMetric, each_once
from nlgauge_lab.maths.hulls import hausdorff

Array = NDArray[np.float64]
Marks = NDArray[np.bool_]

_SAME = 1e-12
"""Depths with a smaller difference are equal except for rounding"""


@dataclass(frozen=True, kw_only=True)
class DepthScorePrepared(Prepared):
    """The layer that is read."""

    layer: int


@dataclass(frozen=True)
class DepthScore(ReferenceMetric[TokenVectors]):
    """Distance between the depth-trimmed regions of two clouds of token vectors; 0 is best."""

    cost: ClassVar[Cost] = "encoding"
    higher_is_better: ClassVar[bool] = False
    limits: ClassVar[Mapping[str, Limits]] = {"score": (0.0, 2.0)}  # vectors of length 1 are at most 2 apart
    citation: ClassVar[str] = "Staerman et al. 2021, arXiv:2103.12711"

    layer: int | None = param(
        None,
        minimum=0,
        help="the layer whose hidden states are compared (0: the embeddings). None is the layer in the model's card, "
        "which agrees best with human ratings, or else the last one. (The published choice, at three quarters of the "
        "layers, agrees far worse with the embedded model.)",
    )
    p: float = param(5, minimum=1, help="exponent of the mean over levels")
    eps: float = param(0.3, minimum=0, help="the lowest level, at least 0 and below 1")
    levels: int = param(5, minimum=1, help="number of levels, from eps to 1")
    special: bool = param(True, help="include the special tokens around a text")
    model: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.eps >= 1:
            raise SpecError(f"DepthScore: eps={shown(self.eps)} is not below 1")

    def prepare(self, setup: Setup) -> DepthScorePrepared:
        layer, named = layer_read(self.layer, ("DepthScore",), setup.model, -1)
        return DepthScorePrepared(layer=layer, facts=named)

    def request(self, text: str, prepared: DepthScorePrepared, reference: bool) -> VectorsRequest:
        return VectorsRequest(text, (prepared.layer,))

    def compare(
        self, pairs: Sequence[tuple[TokenVectors, TokenVectors]], prepared: DepthScorePrepared
    ) -> list[tuple[float]]:
        sides = each_once(self._regions, pairs)
        return [(self._distance(*one, *other),) for one, other in sides]

    def _distance(self, x: Array, one: Marks, y: Array, other: Marks) -> float:
        apart = hausdorff(x, y, one, other)
        most = float(apart.max())
        # Divided by the largest to avoid underflow of powers.
        return most * float(((apart / most) ** self.p).mean()) ** (1 / self.p) if most else 0.0

    def _regions(self, feature: TokenVectors) -> tuple[Array, Marks]:
        """Return the cloud's points [points, width], and which of them are in each level's region [levels, points]."""
        vectors = unit(feature.vectors[0, ~feature.special | self.special])
        depth = -np.linalg.norm(vectors - vectors.mean(axis=0), axis=1)
        least = np.quantile(depth, np.linspace(self.eps, 1, self.levels))
        # Two tokens are equally deep, but for rounding, which must not choose one of them.
        return vectors, depth >= least[:, None] - _SAME
