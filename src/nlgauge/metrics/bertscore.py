"""BERTScore: greedy matching of tokens of two texts by the cosine of their contextual vectors.

Zhang, Kishore, Wu, Weinberger and Artzi, "BERTScore: Evaluating Text Generation with BERT", ICLR 2020.

Each token of the candidate is matched with the most similar token of the reference, and precision is the mean of these
similarities. For recall, each token of the reference is matched with the most similar token of the candidate. F1 is the
harmonic mean of precision and recall (section 3). The means may be weighted by idf, and leave out special tokens. In
the published code tokens may still match special tokens, as with `special=True`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nlgauge.contract.base import COSINE, SHARE, Cost, Limits, Prepared, Setup
from nlgauge.contract.parameters import param
from nlgauge.data.corpus import Row
from nlgauge.data.evidence import Evidence, Match
from nlgauge.engine.features.masked import TokenWeights
from nlgauge.engine.features.request import Features
from nlgauge.engine.features.vectors import TokenVectors, VectorsRequest
from nlgauge.engine.models.capabilities import Model
from nlgauge.errors import SpecError
from nlgauge.maths.vectors import greedy_match, shares, unit
from nlgauge.metrics.evidence import token_pieces
from nlgauge.metrics.model_settings import OF_THE_CORPUS, UNWEIGHTED, idf_fact, idf_table, layer_read
from nlgauge.metrics.references import ReferenceMetric

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class BERTScorePrepared(Prepared):
    """The layer that is read, the weights of the tokens (None for equal ones), and the baseline."""

    layer: int
    table: TokenWeights | None
    baseline: tuple[float, float, float]
    """The baselines of precision, recall and F1; 0 without rescaling"""


@dataclass(frozen=True)
class BERTScore(ReferenceMetric[TokenVectors]):
    """Greedy matching of contextual token vectors; 1 is best, and unrelated texts score well above 0."""

    cost: ClassVar[Cost] = "encoding"
    parts: ClassVar[tuple[str, ...]] = ("f1", "precision", "recall")
    citation: ClassVar[str] = "Zhang et al. 2020, ICLR, arXiv:1904.09675"
    undefined: ClassVar[str] = "precision or recall is below 0, or both are 0, where F1 is not defined"

    layer: int | None = param(
        None,
        minimum=0,
        help="the layer whose hidden states are compared (0: the embeddings). None is the layer in the model's card, "
        "which agrees best with human ratings, else the one that the published code uses with the checkpoint, or else "
        "the last layer but one.",
    )
    idf: str = param(
        "none",
        choices=("none", "general", "references"),
        help="weights of the tokens. 'none', 'general' (from a large general text) or 'references' (from the run's "
        "distinct references, as in the paper).",
    )
    rescale: bool = param(
        False,
        help="(x - b) / (1 - b) for each part, where b is the score of unrelated sentences, which then get 0 "
        "(section 3)",
    )
    special: bool = param(
        False, help="let tokens match the special tokens around the other text, as the published code does"
    )
    model: str | None = None

    @property
    def limits(self) -> Mapping[str, Limits]:
        if self.rescale:  # the least value depends on the model's baseline
            return dict.fromkeys(self.parts, (-math.inf, 1.0))
        return {"f1": SHARE, "precision": COSINE, "recall": COSINE}  # F1 has no value where one of them is negative

    @property
    def uses_corpus(self) -> bool:
        return self.idf in OF_THE_CORPUS

    def prepare(self, setup: Setup) -> BERTScorePrepared:
        model = setup.model
        layer, named = layer_read(self.layer, ("BERTScore",), model, -2)
        table = idf_table(self.idf, setup)
        baseline = _baseline(layer, model) if self.rescale else (0.0, 0.0, 0.0)
        facts: dict[str, object] = {**named, "idf": idf_fact(self.idf, setup, table)}
        if self.rescale:
            facts["baseline"] = ",".join(f"{value:.6f}" for value in baseline)
            if (origin := model.card.origins.get("baseline")) is not None:
                facts["baseline_from"] = origin
        return BERTScorePrepared(layer=layer, table=table, baseline=baseline, facts=facts)

    def request(self, text: str, prepared: BERTScorePrepared, reference: bool) -> VectorsRequest:
        return VectorsRequest(text, (prepared.layer,))

    def compare(
        self, pairs: Sequence[tuple[TokenVectors, TokenVectors]], prepared: BERTScorePrepared
    ) -> list[tuple[float, float, float]]:
        scores = []
        for candidate, reference in pairs:
            (x, a), (y, b) = self._side(candidate, prepared), self._side(reference, prepared)
            raw = greedy_match(x @ y.T, shares(a), shares(b))
            precision, recall, f1 = (
                (value - base) / (1 - base) for value, base in zip(raw, prepared.baseline, strict=True)
            )
            scores.append((f1, precision, recall))
        return scores

    def _used(self, feature: TokenVectors) -> NDArray[np.intp]:
        return np.flatnonzero(~feature.special | self.special)

    def _side(self, feature: TokenVectors, prepared: BERTScorePrepared) -> tuple[Array, Array]:
        """Return the unit vectors [used, width] and the weights [used] of the tokens that are used."""
        used = self._used(feature)
        words = np.where(feature.special[used], 0.0, 1.0)
        weights = words * prepared.table.values[feature.ids[used]] if prepared.table else words
        return unit(feature.vectors[0, used]), weights if weights.any() else words

    def pair_note(self, candidate: TokenVectors, reference: TokenVectors, prepared: BERTScorePrepared) -> str | None:
        table = prepared.table
        if table is None or all(table.values[side.ids[~side.special]].any() for side in (candidate, reference)):
            return None
        return UNWEIGHTED

    def evidence(self, row: Row, prepared: BERTScorePrepared, features: Features) -> Evidence:
        """Return the match of each token of the candidate and of each token of the chosen reference."""
        if (chosen := self.chosen(row, prepared, features)) is None:
            return Evidence()
        number, (candidate, reference) = chosen
        (x, a), (y, b) = self._side(candidate, prepared), self._side(reference, prepared)
        similarity = x @ y.T
        matches = [
            *self._matches("candidate", candidate, other=reference, similarity=similarity, weights=shares(a)),
            *self._matches("reference", reference, other=candidate, similarity=similarity.T, weights=shares(b)),
        ]
        return Evidence(reference=number, matches=matches)

    def _matches(
        self, side: str, feature: TokenVectors, other: TokenVectors, similarity: Array, weights: Array
    ) -> Iterator[Match]:
        places, others = (token_pieces(vectors, self._used(vectors)) for vectors in (feature, other))
        for i, j in enumerate(similarity.argmax(axis=1)):
            if weights[i] > 0:
                yield Match(
                    side=side,
                    token=places[i],
                    match=others[j],
                    similarity=float(similarity[i, j]),
                    weight=float(weights[i]),
                )


def _baseline(layer: int, model: Model) -> tuple[float, float, float]:
    """Return precision, recall and F1 of unrelated sentences at a layer. Raises SpecError if they were not measured."""
    if layer not in model.card.bertscore_baseline:
        raise SpecError(
            f"BERTScore: model {model.name!r} has no baseline for layer {layer}: choose rescale=False, or measure one "
            "with nlgauge_lab.training.baseline"
        )
    return model.card.bertscore_baseline[layer]
