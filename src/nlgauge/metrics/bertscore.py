"""BERTScore: tokens of two texts matched greedily by the cosine of their contextual vectors.

Zhang, Kishore, Wu, Weinberger and Artzi, "BERTScore: Evaluating Text Generation with BERT", ICLR 2020.

Precision is the mean over the candidate's tokens of their similarity with the most similar token of the reference,
recall the same from the reference's side, F1 their harmonic mean (section 3); the means may be weighted by idf. Special
tokens count in no mean; the published code still lets tokens match them, which `special=True` does too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nlgauge.corpus import Corpus, Row
from nlgauge.engine.engine import Features
from nlgauge.engine.features import TokenVectors, VectorsRequest
from nlgauge.errors import SpecError
from nlgauge.maths.vectors import greedy_match, shares, unit
from nlgauge.metrics.base import Pair, ReferenceMetric, ReferenceScorer, Texts, idf_table

Array = NDArray[np.float64]


@dataclass(frozen=True)
class BERTScore(ReferenceMetric):
    """Greedy matching of contextual token vectors; 1 is best, and unrelated texts stay well above 0.

    layer: whose hidden states are compared, 0 being the embeddings; None is the last but one.
    idf: weights of the tokens. 'none', 'general' (counted on a large text, once) or 'references' (on the run's distinct
        references, as in the paper).
    rescale: subtract what unrelated sentences score, (x - b) / (1 - b) for each part, so that they get 0 (section 3).
    special: let tokens match the special tokens around the other text, as the published code does.
    """

    parts: ClassVar[tuple[str, ...]] = ("f1", "precision", "recall")
    citation: ClassVar[str] = "Zhang et al. 2020, ICLR, arXiv:1904.09675"
    choices: ClassVar[Mapping[str, Sequence[object]]] = {
        **ReferenceMetric.choices,
        "idf": ("none", "general", "references"),
        "rescale": (False, True),
        "special": (False, True),
    }

    layer: int | None = None
    idf: str = "none"
    rescale: bool = False
    special: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.layer is not None and (isinstance(self.layer, bool) or not isinstance(self.layer, int)):
            raise SpecError(f"BERTScore: layer={self.layer!r} is not a layer's number")

    def scorer(self, corpus: Corpus, texts: Texts) -> BERTScoreScorer:
        return BERTScoreScorer(self, corpus, texts)


class BERTScoreScorer(ReferenceScorer):
    """BERTScore with its idf table counted and its baseline read."""

    metric: BERTScore
    undefined = "precision or recall is below 0, or both are 0, where F1 is not defined"

    def __init__(self, metric: BERTScore, corpus: Corpus, texts: Texts) -> None:
        layer = texts.model.layers - 1 if metric.layer is None else metric.layer
        self._table = idf_table(metric.idf, corpus, texts)
        self._baseline = _baseline(layer, texts.model) if metric.rescale else (0.0, 0.0, 0.0)
        self.signature = {
            "layer": layer,
            "idf": metric.idf + (f"@{self._table.digest[:8]}" if self._table else ""),
            **({"baseline": ",".join(f"{value:.6f}" for value in self._baseline)} if metric.rescale else {}),
        }
        super().__init__(metric, VectorsRequest((layer,)), VectorsRequest((layer,)))

    def compare(self, pairs: Sequence[Pair]) -> list[tuple[float, float, float]]:
        return [self._score(candidate, reference) for candidate, reference in pairs]

    def _score(self, candidate: TokenVectors, reference: TokenVectors) -> tuple[float, float, float]:
        (x, a), (y, b) = self._side(candidate), self._side(reference)
        found = greedy_match(x @ y.T, shares(a), shares(b))
        precision, recall, f1 = ((value - base) / (1 - base) for value, base in zip(found, self._baseline, strict=True))
        return f1, precision, recall

    def _side(self, feature: TokenVectors) -> tuple[Array, Array]:
        """Vectors at length 1 and weights of the tokens that take part."""
        used = np.flatnonzero(~feature.special | self.metric.special)
        words = np.where(feature.special[used], 0.0, 1.0)
        weights = words * self._table.values[feature.ids[used]] if self._table else words
        return unit(feature.vectors[0, used]), weights if weights.any() else words

    def pair_note(self, candidate: TokenVectors, reference: TokenVectors) -> str | None:
        if self._table is None or all(self._table.values[f.ids[~f.special]].any() for f in (candidate, reference)):
            return None
        return "all idf weights of a text are 0: its tokens weighed alike"

    def evidence(self, row: Row, features: Features) -> dict[str, Any]:
        """Which token each one was matched with, from both sides of the chosen reference."""
        chosen = self.chosen(row, features)
        if chosen is None:
            return {}
        which, (candidate, reference) = chosen
        (x, a), (y, b) = self._side(candidate), self._side(reference)
        similarity = x @ y.T
        return {
            "reference": which,
            "precision": self._matches(candidate, reference, similarity, shares(a)),
            "recall": self._matches(reference, candidate, similarity.T, shares(b)),
        }

    def _matches(
        self, one: TokenVectors, other: TokenVectors, similarity: Array, weights: Array
    ) -> list[dict[str, Any]]:
        places, others = (f.offsets[~f.special | self.metric.special].tolist() for f in (one, other))
        return [
            {
                "token": one.text[slice(*places[i])],
                "offsets": places[i],
                "match": other.text[slice(*others[j])],
                "match_offsets": others[j],
                "similarity": float(similarity[i, j]),
                "weight": float(weights[i]),
            }
            for i, j in enumerate(similarity.argmax(axis=1))
            if weights[i] > 0
        ]


def _baseline(layer: int, model: Any) -> tuple[float, float, float]:
    """Precision, recall and F1 of unrelated sentences at a layer."""
    known = model.bertscore_baseline
    if known is None or layer not in known:
        raise SpecError(
            f"BERTScore: model {model.name!r} has no baseline for layer {layer}: choose rescale=False, or measure one "
            "with nlgauge.training.baseline"
        )
    precision, recall, f1 = known[layer]
    return precision, recall, f1
