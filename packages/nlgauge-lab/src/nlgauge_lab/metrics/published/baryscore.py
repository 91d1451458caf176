"""BaryScore as in its published code, and as it would be if the idf of that code worked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nlgauge.contract.parameters import param
from nlgauge.maths.barycenters import Barycenter, layer_barycenters
from nlgauge.metrics import baryscore
from nlgauge.metrics.baryscore import Array


@dataclass(frozen=True)
class BaryScore(baryscore.BaryScore):
    """BaryScore with the defaults of the published code, where all tokens have the same weight."""

    idf: str = "none"
    barycenter_weights: str = param(
        "uniform",
        choices=("uniform", "same"),
        help="weights of a barycenter's points: 'uniform', as in the published code if its idf worked, or the 'same' "
        "as the tokens'",
    )
    start: str = param(
        "token_mean",
        choices=("token_mean", "last_layer"),
        help="start of the barycenter's iteration, 'token_mean' or 'last_layer'. The published code starts at the "
        "origin, where every pairing is optimal, so the solver's choice decides. With uniform weights it ends at the "
        "token-wise mean, up to the order of points, like 'token_mean'.",
    )

    def barycenters(self, layers: Sequence[Array], weights: Sequence[Array]) -> list[tuple[Barycenter, Array]]:
        targets = weights
        if self.barycenter_weights == "uniform":
            targets = [np.full(len(mass), 1 / len(mass)) for mass in weights]
        return list(zip(layer_barycenters(layers, weights, targets, self.start), targets, strict=True))
