"""MoverScore: the cost of moving the words of one text onto those of another, in a space of contextual vectors.

Zhao, Peyrard, Liu, Gao, Meyer and Eger, "MoverScore: Text Generation Evaluating with Contextualized Embeddings and
Earth Mover Distance", EMNLP 2019.

A word is the vector of its first piece, from several layers: each at length 1, then joined to their minimum, mean and
maximum (power means, section 3.2) or averaged. An n-gram is the idf-weighted mean of the vectors of adjacent words, at
length 1, and weighs the sum of their idf (section 3.1). The score is 1 minus the transport cost with Euclidean distance
between n-grams, as in the paper and the authors' second program; their first squares the distance. Special tokens,
punctuation and the further pieces of words are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.corpus import Corpus, Row
from nlgauge.engine.engine import Features
from nlgauge.engine.features import TokenVectors, VectorsRequest
from nlgauge.engine.words import is_word, words
from nlgauge.errors import SpecError
from nlgauge.maths.transport import plans
from nlgauge.maths.vectors import distances, flows, runs, unit
from nlgauge.metrics.base import Pair, ReferenceMetric, ReferenceScorer, Texts, idf_table

Array = NDArray[np.float64]


@dataclass(frozen=True)
class MoverScore(ReferenceMetric):
    """1 minus the word mover's distance over contextual vectors; 1 is best, -1 the least.

    ngram: 1 or 2 adjacent words are moved together. A text of fewer words is moved as one.
    layers: how many of the last layers make a word's vector; all, where the model has fewer.
    aggregate: how: 'power_means' (minimum, mean and maximum, joined) or 'mean'.
    idf: weights of the words. 'general' (counted on a large text, once), 'references' (on the run's distinct
        references) or 'none'.
    """

    citation: ClassVar[str] = "Zhao et al. 2019, EMNLP, arXiv:1909.02622"
    choices: ClassVar[Mapping[str, Sequence[object]]] = {
        **ReferenceMetric.choices,
        "ngram": (1, 2),
        "aggregate": ("power_means", "mean"),
        "idf": ("general", "references", "none"),
    }

    ngram: int = 1
    layers: int = 5
    aggregate: str = "power_means"
    idf: str = "general"

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.layers, bool) or not isinstance(self.layers, int) or self.layers < 1:
            raise SpecError(f"MoverScore: layers={self.layers!r} is not a whole number of at least 1")

    def scorer(self, corpus: Corpus, texts: Texts) -> MoverScoreScorer:
        return MoverScoreScorer(self, corpus, texts)


class Grams(NamedTuple):
    """The n-grams of a text."""

    vectors: Array
    """[n-grams, width], at length 1"""
    weights: Array
    """[n-grams]"""
    spans: list[list[int]]
    """[n-grams, 2]: places in the text"""


class MoverScoreScorer(ReferenceScorer):
    """MoverScore with its idf table counted."""

    metric: MoverScore

    def __init__(self, metric: MoverScore, corpus: Corpus, texts: Texts) -> None:
        last = texts.model.layers
        self._table = idf_table(metric.idf, corpus, texts)
        self.signature = {"idf": metric.idf + (f"@{self._table.digest[:8]}" if self._table else "")}
        request = VectorsRequest(tuple(range(max(0, last - metric.layers + 1), last + 1)))
        super().__init__(metric, request, request)

    def unusable(self, feature: TokenVectors) -> str | None:
        return None if len(_words(feature)[0]) else "nothing but punctuation"

    def pair_note(self, candidate: TokenVectors, reference: TokenVectors) -> str | None:
        alike = any(not self._weights(feature, _words(feature)[0]).any() for feature in (candidate, reference))
        return "all idf weights of a text are 0: its words weighed alike" if alike else None

    def compare(self, pairs: Sequence[Pair]) -> list[tuple[float]]:
        grams = {id(feature): self._grams(feature) for pair in pairs for feature in pair}
        sides = [(grams[id(candidate)], grams[id(reference)]) for candidate, reference in pairs]
        return [(1.0 - float((cost * plan).sum()),) for cost, plan in _moved(sides)]

    def _grams(self, feature: TokenVectors) -> Grams:
        first, spans = _words(feature)
        layers = unit(feature.vectors[:, first])
        means = [layers.min(axis=0), layers.mean(axis=0), layers.max(axis=0)]
        vectors = np.concatenate(means, axis=1) if self.metric.aggregate == "power_means" else means[1]
        weights = self._weights(feature, first)
        if not weights.any():
            weights = np.ones(len(first))
        size = min(self.metric.ngram, len(first))
        within = np.arange(len(first) - size + 1)[:, None] + np.arange(size)
        sums = weights[within].sum(axis=1)
        # The mean's denominator is left out: the length becomes 1 anyhow.
        joined = unit((weights[within][..., None] * vectors[within]).sum(axis=1))
        return Grams(joined, sums, [[spans[i][0], spans[i + size - 1][1]] for i in range(len(sums))])

    def _weights(self, feature: TokenVectors, first: NDArray[np.intp]) -> Array:
        return self._table.values[feature.ids[first]] if self._table else np.ones(len(first))

    def evidence(self, row: Row, features: Features) -> dict[str, Any]:
        """What was moved where, most first: shares of the whole and how far they went."""
        chosen = self.chosen(row, features)
        if chosen is None:
            return {}
        which, (candidate, reference) = chosen
        one, other = self._grams(candidate), self._grams(reference)
        ((cost, plan),) = _moved([(one, other)])
        moved = [
            {
                "candidate": candidate.text[slice(*one.spans[i])],
                "candidate_offsets": one.spans[i],
                "reference": reference.text[slice(*other.spans[j])],
                "reference_offsets": other.spans[j],
                "share": share,
                "distance": distance,
            }
            for i, j, share, distance in flows(cost, plan)
        ]
        return {"reference": which, "flows": moved}


def _words(feature: TokenVectors) -> tuple[NDArray[np.intp], list[list[int]]]:
    """First piece and place of each word of a text, punctuation left out."""
    inner = np.flatnonzero(~feature.special)
    offsets = feature.offsets[inner]
    starts, spans = runs(words(feature.text, offsets), offsets)
    kept = [i for i, (begin, end) in enumerate(spans) if is_word(feature.text[begin:end])]
    return inner[starts[kept]], spans[kept].tolist()


def _moved(pairs: Sequence[tuple[Grams, Grams]]) -> list[tuple[Array, Array]]:
    """Distances and optimal plan of each pair."""
    costs = [distances(one.vectors, other.vectors) for one, other in pairs]
    found = plans(costs, [one.weights for one, _ in pairs], [other.weights for _, other in pairs])
    return list(zip(costs, found, strict=True))
