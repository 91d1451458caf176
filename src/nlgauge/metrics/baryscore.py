"""BaryScore: the layers of each text are merged into one point cloud, and two clouds are compared by optimal transport.

Colombo, Staerman, Clavel and Piantanida, "Automatic Text Evaluation through the Lens of Wasserstein Barycenters",
EMNLP 2021, algorithm 1. Each layer of the encoder is a cloud of unit vectors, one per token. The text's cloud is the
Wasserstein barycenter of its layers. The score is the transport cost between the clouds of candidate and reference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from nlgauge.contract.base import Cost, Limits, Prepared, Setup
from nlgauge.contract.parameters import param
from nlgauge.data.corpus import Row
from nlgauge.data.evidence import Evidence, Flow
from nlgauge.engine.english import is_stopword
from nlgauge.engine.features.masked import TokenWeights
from nlgauge.engine.features.request import Features
from nlgauge.engine.features.vectors import TokenVectors, VectorsRequest
from nlgauge.engine.words import is_word, words
from nlgauge.maths.barycenters import Barycenter, layer_barycenters
from nlgauge.maths.transport import divergence, entropic, plans
from nlgauge.maths.vectors import flows, runs, shares, squared_distances, unit
from nlgauge.metrics.evidence import token_pieces
from nlgauge.metrics.model_settings import OF_THE_CORPUS, UNWEIGHTED, check_layers, idf_fact, idf_tables, layers_read
from nlgauge.metrics.references import ReferenceMetric

Array = NDArray[np.float64]

ITERATED = "a barycenter is not the token-wise mean and was found by iteration"
_EVIDENCE_FLOWS = 200
_MARGIN = 1e-6


class Cloud(NamedTuple):
    """The barycenter of a text's layers."""

    points: Array
    """The vectors of the points: [points, width]"""
    weights: Array
    """The weights of the points: [points], with sum 1"""
    tokens: NDArray[np.intp]
    """The index of the token that each point belongs to: [points]"""
    unweighted: bool
    certified: bool


class Clouds(WeakKeyDictionary[TokenVectors, Cloud]):
    """A cache of the clouds of texts whose features are in memory. A copy for another process is empty."""

    def __reduce__(self) -> tuple[type[Clouds], tuple[()]]:
        return Clouds, ()


class CloudSide(NamedTuple):
    """The weights and clouds of candidates or of references."""

    table: TokenWeights | None
    clouds: Clouds


@dataclass(frozen=True, kw_only=True)
class BaryScorePrepared(Prepared):
    """The layers that are read, and the weights of tokens for candidates and references."""

    layers: tuple[int, ...]
    sides: tuple[CloudSide, CloudSide]
    """The weights of tokens and the clouds by text: of candidates, and of references. Both are one object
    unless `idf` is 'separate'"""


@dataclass(frozen=True)
class BaryScore(ReferenceMetric[TokenVectors]):
    """Transport cost between the barycenters of the encoder's layers for candidate and reference; 0 is best."""

    cost: ClassVar[Cost] = "encoding"
    higher_is_better: ClassVar[bool] = False
    citation: ClassVar[str] = "Colombo et al. 2021, EMNLP, arXiv:2108.12463"
    undefined: ClassVar[str] = "Sinkhorn did not converge: raise the regularisation"

    layers: int | tuple[int, ...] = param(
        5,
        help="how many layers are used, up to the one that the model's card names for BaryScore, else the last one; "
        "or a tuple of layers (0: the embeddings)",
    )
    idf: str = param(
        "general",
        choices=("general", "none", "references", "candidates", "union", "separate"),
        help="weights of the tokens, used in all three steps. 'general' (from a large general text), 'none' (equal "
        "weights, which the published code always computes), or counted on 'references', 'candidates', their 'union', "
        "or 'separate' for each side.",
    )
    distance: str = param(
        "w2_squared",
        choices=("w2_squared", "w2", "w1", "sinkhorn", "sinkhorn_divergence"),
        help="distance of two clouds: 'w2_squared' (exact, the published code's W), 'w2' (its root), 'w1' (Euclidean "
        "ground distance), 'sinkhorn' (cost of the entropic plan, the published code's SD) or 'sinkhorn_divergence' "
        "(debiased)",
    )
    regularisation: float = param(
        0.01, minimum=1e-6, maximum=1e6, help="of the two Sinkhorn distances, in units of squared distance"
    )
    special_tokens: bool = param(
        True,
        help="keep the model's special tokens, as published. They are in every text, so with idf their weight is 0.",
    )
    punctuation: bool = param(True, help="keep tokens without a letter or digit")
    stopwords: bool = param(True, help="keep the tokens of English stopwords")
    model: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_layers(self)

    @property
    def limits(self) -> Mapping[str, Limits]:
        # A barycenter's points are means of vectors of length 1, and so at most 2 apart.
        return {"score": (0.0, 2.0 if self.distance in ("w1", "w2") else 4.0)}

    @property
    def uses_corpus(self) -> bool:
        return self.idf in OF_THE_CORPUS

    def prepare(self, setup: Setup) -> BaryScorePrepared:
        layers, named = layers_read(self.layers, "BaryScore", setup.model)
        tables = idf_tables(self.idf, setup)
        facts = {**named, "idf": idf_fact(self.idf, setup, *tables)}
        first = CloudSide(tables[0], Clouds())
        second = CloudSide(tables[1], Clouds()) if self.idf == "separate" else first
        return BaryScorePrepared(layers=layers, sides=(first, second), facts=facts)

    def request(self, text: str, prepared: BaryScorePrepared, reference: bool) -> VectorsRequest:
        return VectorsRequest(text, prepared.layers)

    def unusable(self, side: TokenVectors) -> str | None:
        if len(self._counting(side)):
            return None
        return "nothing but punctuation" if self.stopwords else "nothing but stop-words and punctuation"

    def compare(
        self, pairs: Sequence[tuple[TokenVectors, TokenVectors]], prepared: BaryScorePrepared
    ) -> list[tuple[float]]:
        clouds = self._clouds(pairs, prepared)
        if self.distance.startswith("sinkhorn"):
            return [(self._entropic(cloud, other),) for cloud, other in clouds]
        totals = [max(float((cost * plan).sum()), 0.0) for cost, plan in self._moved(clouds)]
        return [(float(np.sqrt(total)) if self.distance == "w2" else total,) for total in totals]

    def _moved(self, clouds: Sequence[tuple[Cloud, Cloud]]) -> list[tuple[Array, Array]]:
        """Return the ground distances [n, m] and the optimal plan [n, m] of each pair of clouds."""
        costs = [squared_distances(cloud.points, other.points) for cloud, other in clouds]
        if self.distance == "w1":
            costs = [np.sqrt(cost) for cost in costs]
        optimal = plans(costs, [cloud.weights for cloud, _ in clouds], [other.weights for _, other in clouds])
        return list(zip(costs, optimal, strict=True))

    def _entropic(self, first: Cloud, second: Cloud) -> float:
        (x, a), (y, b) = (
            (cloud.points[cloud.weights > 0], cloud.weights[cloud.weights > 0]) for cloud in (first, second)
        )
        cost = squared_distances(x, y)
        if self.distance == "sinkhorn":
            solved = entropic(cost, a, b, self.regularisation)
            value, error = solved.plan_cost, solved.error
        else:
            within_a, within_b = squared_distances(x, x), squared_distances(y, y)
            value, error = divergence(
                cost, a, b, within_a=within_a, within_b=within_b, regularisation=self.regularisation
            )
        return value if error < _MARGIN else np.nan

    def pair_note(self, candidate: TokenVectors, reference: TokenVectors, prepared: BaryScorePrepared) -> str | None:
        (clouds,) = self._clouds([(candidate, reference)], prepared)
        if any(cloud.unweighted for cloud in clouds):
            return UNWEIGHTED
        return None if all(cloud.certified for cloud in clouds) else ITERATED

    def evidence(self, row: Row, prepared: BaryScorePrepared, features: Features) -> Evidence:
        """Return the transport plan to the chosen reference: the mass that moves between tokens, and its distance.

        The ground distance is squared, except with 'w1'. The plan is the exact one, even if the score uses an entropic
        plan.

        Args:
            row: the row.
            prepared: the layers and weights of the metric.
            features: the features of the row's texts.

        Returns:
            The flows.
        """
        if (chosen := self.chosen(row, prepared, features)) is None:
            return Evidence()
        number, pair = chosen
        clouds = self._clouds([pair], prepared)
        ((cost, plan),) = self._moved(clouds)
        costliest = sorted(flows(cost, plan), key=lambda moved: -moved[2] * moved[3])
        candidate, reference = (token_pieces(text, cloud.tokens) for text, cloud in zip(pair, clouds[0], strict=True))
        shown = [
            Flow(candidate[i], reference[j], share, distance) for i, j, share, distance in costliest[:_EVIDENCE_FLOWS]
        ]
        return Evidence(reference=number, flows=shown, left_out=len(costliest) - len(shown))

    def barycenters(self, layers: Sequence[Array], weights: Sequence[Array]) -> list[tuple[Barycenter, Array]]:
        """Return each text's barycenter, and the weights of its points.

        Args:
            layers: the vectors of each text: [layers, tokens, width] each.
            weights: the weights of the tokens of each text: [tokens] each, with sum 1.

        Returns:
            The barycenter of each text, with the weights of its points: [points].
        """
        return list(zip(layer_barycenters(layers, weights), weights, strict=True))

    def _clouds(
        self, pairs: Sequence[tuple[TokenVectors, TokenVectors]], prepared: BaryScorePrepared
    ) -> list[tuple[Cloud, Cloud]]:
        """Return the clouds of pairs of texts. Each is computed once while the features of its text are in memory."""
        first, second = prepared.sides
        for side, texts in zip(prepared.sides, zip(*pairs, strict=True), strict=False):
            new = [text for text in dict.fromkeys(texts) if text not in side.clouds]
            side.clouds.update(zip(new, self._made(new, side.table), strict=True))
        return [(first.clouds[candidate], second.clouds[reference]) for candidate, reference in pairs]

    def _made(self, features: Sequence[TokenVectors], table: TokenWeights | None) -> list[Cloud]:
        counting = [self._counting(feature) for feature in features]
        masses = [self.masses(feature, tokens, table) for feature, tokens in zip(features, counting, strict=True)]
        layers = [unit(feature.vectors[:, tokens]) for feature, tokens in zip(features, counting, strict=True)]
        made = self.barycenters(layers, [shares(mass) for mass in masses])
        return [
            Cloud(
                points=center.points,
                weights=weights,
                tokens=tokens,
                unweighted=not mass.sum() > 0,
                certified=center.certified,
            )
            for (center, weights), tokens, mass in zip(made, counting, masses, strict=True)
        ]

    def _counting(self, feature: TokenVectors) -> NDArray[np.intp]:
        """Return the indices of the tokens that are used: [used], by the parameters of the metric."""
        keep = np.full(len(feature.ids), True) if self.special_tokens else ~feature.special
        if not self.punctuation:
            wordlike = [is_word(feature.text[begin:end]) for begin, end in feature.offsets]
            keep &= feature.special | np.array(wordlike)
        if not self.stopwords:
            offsets = feature.offsets[~feature.special]
            numbers = words(feature.text, offsets)
            _, spans = runs(numbers, offsets)
            content = np.array([not is_stopword(feature.text[begin:end]) for begin, end in spans.tolist()], np.bool_)
            keep[~feature.special] &= content[numbers]
        return np.flatnonzero(keep)

    def masses(self, feature: TokenVectors, tokens: NDArray[np.intp], table: TokenWeights | None) -> Array:
        """Return the weights of the tokens with the given indices: [tokens]. With idf, special tokens have weight 0."""
        return np.ones(len(tokens)) if table is None else table.values[feature.ids[tokens]] * ~feature.special[tokens]
