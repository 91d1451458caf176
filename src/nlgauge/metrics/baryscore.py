"""BaryScore: layers of a text merged into one cloud of points, two clouds compared by optimal transport.

Colombo, Staerman, Clavel and Piantanida, "Automatic Text Evaluation through the Lens of Wasserstein Barycenters",
EMNLP 2021, algorithm 1. Each layer of the encoder is a cloud of unit vectors, one a token; the Wasserstein barycenter
of the layers is the text's cloud; the score is the transport cost between the clouds of candidate and reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from nlgauge.corpus import Corpus, Row
from nlgauge.engine.engine import Features
from nlgauge.engine.features import TokenVectors, TokenWeights, VectorsRequest
from nlgauge.engine.words import is_word
from nlgauge.errors import SpecError
from nlgauge.maths.barycenters import layer_barycenters
from nlgauge.maths.sinkhorn import divergence, entropic
from nlgauge.maths.transport import plans
from nlgauge.maths.vectors import flows, squared_distances, unit
from nlgauge.metrics.base import Pair, ReferenceMetric, ReferenceScorer, Texts, idf_table

_EVIDENCE_FLOWS = 200
_MARGIN = 1e-6


@dataclass(frozen=True)
class BaryScore(ReferenceMetric):
    """Transport cost between the barycenters of the encoder's layers for candidate and reference; 0 is best.

    layers: how many of the last layers, or which ones as a tuple (0: the embeddings).
    idf: weights of the tokens, kept through all three steps. 'general' (counted on a large text, once), 'none' (all
        alike, which is what the published code computes, idf asked for or not), 'references', 'candidates', 'union',
        or 'separate' (each side by its own table).
    distance: 'w2_squared' (exact, the published code's W), 'w2' (its root), 'w1' (Euclidean ground distance),
        'sinkhorn' (cost of the entropic plan, the published code's SD) or 'sinkhorn_divergence' (debiased).
    regularisation: of the last two, in units of squared distance.
    barycenter_weights: 'same' as the tokens', or 'uniform' (as the published code would do if its idf worked).
    start: of the barycenter's iteration, 'token_mean' or 'last_layer'. The published code starts at the origin, where
        every pairing is optimal and the solver's choice among them decides; with uniform weights it ends, but for the
        order of the points, at the token-wise mean, which is where 'token_mean' ends.
    special_tokens: keep the model's own tokens, as published. They stand around every text, so that under idf they
        weigh nothing. punctuation: keep tokens without letter or digit.
    """

    higher_is_better: ClassVar[bool] = False
    citation: ClassVar[str] = "Colombo et al. 2021, EMNLP, arXiv:2108.12463"
    choices: ClassVar[dict[str, Sequence[object]]] = {
        **ReferenceMetric.choices,
        "idf": ("general", "none", "references", "candidates", "union", "separate"),
        "distance": ("w2_squared", "w2", "w1", "sinkhorn", "sinkhorn_divergence"),
        "barycenter_weights": ("same", "uniform"),
        "start": ("token_mean", "last_layer"),
        "special_tokens": (True, False),
        "punctuation": (True, False),
    }

    layers: int | tuple[int, ...] = 5
    idf: str = "general"
    distance: str = "w2_squared"
    regularisation: float = 0.01
    barycenter_weights: str = "same"
    start: str = "token_mean"
    special_tokens: bool = True
    punctuation: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        given = (self.layers,) if isinstance(self.layers, int) else self.layers
        whole = isinstance(given, tuple) and all(isinstance(n, int) and not isinstance(n, bool) for n in given)
        if not (whole and given and min(given) >= (1 if isinstance(self.layers, int) else 0)):
            raise SpecError(f"BaryScore: layers={self.layers!r} is neither a number of layers nor a tuple of them")
        number = isinstance(self.regularisation, Real) and not isinstance(self.regularisation, bool)
        if not (number and 1e-6 <= self.regularisation <= 1e6):
            raise SpecError(f"BaryScore: regularisation={self.regularisation!r} is not a number from 1e-6 to 1e6")

    def scorer(self, corpus: Corpus, texts: Texts) -> BaryScorer:
        return BaryScorer(self, corpus, texts)


class _Cloud(NamedTuple):
    points: NDArray[np.float64]
    weights: NDArray[np.float64]
    kept: NDArray[np.intp]
    """Which tokens the points stand for"""
    unweighted: bool
    certified: bool


class BaryScorer(ReferenceScorer):
    """BaryScore with its idf tables counted."""

    metric: BaryScore
    undefined = "Sinkhorn's margins did not settle: raise the regularisation"

    def __init__(self, metric: BaryScore, corpus: Corpus, texts: Texts) -> None:
        top = texts.model.layers
        layers = metric.layers
        if isinstance(layers, int):
            layers = tuple(range(max(0, top + 1 - layers), top + 1))
        tables = ("candidates", "references") if metric.idf == "separate" else (metric.idf,)
        self._tables: list[TokenWeights | None] = [idf_table(table, corpus, texts) for table in tables]
        self._sides = (0, len(tables) - 1)
        self._clouds: list[WeakKeyDictionary[TokenVectors, _Cloud]] = [WeakKeyDictionary() for _ in tables]
        self.signature = {
            "layers": ",".join(map(str, layers)),
            "idf": metric.idf + "".join(f"@{table.digest[:8]}" for table in self._tables if table),
        }
        super().__init__(metric, VectorsRequest(layers), VectorsRequest(layers))

    def unusable(self, feature: TokenVectors) -> str | None:
        return None if len(self._kept(feature)) else "nothing but punctuation"

    def compare(self, pairs: Sequence[Pair]) -> list[tuple[float]]:
        found, metric = self._made(pairs), self.metric
        if metric.distance.startswith("sinkhorn"):
            return [(self._entropic(one, other),) for one, other in found]
        costs = [squared_distances(one.points, other.points) for one, other in found]
        if metric.distance == "w1":
            costs = [np.sqrt(cost) for cost in costs]
        moved = plans(costs, [one.weights for one, _ in found], [other.weights for _, other in found])
        totals = [max(float((flow * cost).sum()), 0.0) for flow, cost in zip(moved, costs, strict=True)]
        return [(float(np.sqrt(total)) if metric.distance == "w2" else total,) for total in totals]

    def _entropic(self, one: _Cloud, other: _Cloud) -> float:
        (x, a), (y, b) = ((cloud.points[cloud.weights > 0], cloud.weights[cloud.weights > 0]) for cloud in (one, other))
        cost, regularisation = squared_distances(x, y), self.metric.regularisation
        if self.metric.distance == "sinkhorn":
            solved = entropic(cost, a, b, regularisation)
            value, error = solved.plan_cost, solved.error
        else:
            within = squared_distances(x, x), squared_distances(y, y)
            value, error = divergence(cost, a, b, *within, regularisation)
        return value if error < _MARGIN else np.nan

    def pair_note(self, candidate: TokenVectors, reference: TokenVectors) -> str | None:
        (clouds,) = self._made([(candidate, reference)])
        if any(cloud.unweighted for cloud in clouds):
            return "all idf weights of a text are 0: its tokens weighed alike"
        if not all(cloud.certified for cloud in clouds):
            return "a barycenter is not the token-wise mean and was found by iteration"
        return None

    def evidence(self, row: Row, features: Features) -> dict[str, Any]:
        """The transport plan to the chosen reference: which token's mass went where, at what squared distance."""
        chosen = self.chosen(row, features)
        if chosen is None:
            return {}
        which, (candidate, reference) = chosen
        ((one, other),) = self._made([(candidate, reference)])
        cost = squared_distances(one.points, other.points)
        (flow,) = plans([cost], [one.weights], [other.weights])
        dearest = sorted(flows(cost, flow), key=lambda moved: -moved[2] * moved[3])
        found = [
            {
                "candidate": _spot(candidate, one, i),
                "reference": _spot(reference, other, j),
                "mass": mass,
                "squared_distance": squared,
            }
            for i, j, mass, squared in dearest[:_EVIDENCE_FLOWS]
        ]
        return {"reference": which, "flows": found, "left_out": max(0, len(dearest) - _EVIDENCE_FLOWS)}

    def _made(self, pairs: Sequence[Pair]) -> list[tuple[_Cloud, _Cloud]]:
        """The barycenters of the texts of some pairs, each made once for as long as the engine holds its features."""
        wanted = {(side, feature): None for pair in pairs for side, feature in zip(self._sides, pair, strict=True)}
        new = [(side, feature) for side, feature in wanted if feature not in self._clouds[side]]
        made = self._barycenters([feature for _, feature in new], [side for side, _ in new])
        for (side, feature), cloud in zip(new, made, strict=True):
            self._clouds[side][feature] = cloud
        first, second = (self._clouds[side] for side in self._sides)
        return [(first[candidate], second[reference]) for candidate, reference in pairs]

    def _barycenters(self, features: Sequence[TokenVectors], sides: Sequence[int]) -> list[_Cloud]:
        kept = [self._kept(feature) for feature in features]
        weights, unweighted = [], []
        for feature, own, side in zip(features, kept, sides, strict=True):
            table = self._tables[side]
            mass = np.ones(len(own)) if table is None else table.values[feature.ids[own]] * ~feature.special[own]
            unweighted.append(not mass.sum() > 0)
            weights.append(np.full(len(own), 1 / len(own)) if unweighted[-1] else mass / mass.sum())
        clouds = [unit(feature.vectors[:, own]) for feature, own in zip(features, kept, strict=True)]
        target = None
        if self.metric.barycenter_weights == "uniform":
            target = [np.full(len(own), 1 / len(own)) for own in kept]
        found = layer_barycenters(clouds, weights, target, self.metric.start)
        return [
            _Cloud(one.points, own if target is None else target[i], kept[i], unweighted[i], one.certified)
            for i, (one, own) in enumerate(zip(found, weights, strict=True))
        ]

    def _kept(self, feature: TokenVectors) -> NDArray[np.intp]:
        """The tokens that count."""
        keep = np.full(len(feature.ids), True) if self.metric.special_tokens else ~feature.special
        if not self.metric.punctuation:
            words = [is_word(feature.text[begin:end]) for begin, end in feature.offsets]
            keep &= feature.special | np.array(words)
        return np.flatnonzero(keep)


def _spot(feature: TokenVectors, cloud: _Cloud, point: int) -> dict[str, Any]:
    token = cloud.kept[point]
    begin, end = map(int, feature.offsets[token])
    special = bool(feature.special[token])
    return {"token": None if special else feature.text[begin:end], "begin": begin, "end": end}
