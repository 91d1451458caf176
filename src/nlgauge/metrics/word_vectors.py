"""Metrics over static word vectors: the model's vocabulary table, read without a pass through the model.

EmbeddingAverage: cosine of the mean word vectors; see Liu et al., "How NOT To Evaluate Your Dialogue System", EMNLP
    2016.
GreedyMatching: Rus and Lintean, "A Comparison of Greedy and Optimal Assessment of Natural Language Student Input Using
    Word-to-Word Similarity Metrics", BEA 2012: each word with the most similar one of the other text, mean of the two
    directions.
VectorExtrema: Forgues, Pineau, Larchevêque and Tremblay, "Bootstrapping Dialog Systems with Word Embeddings", 2014:
    cosine of the vectors that hold the value farthest from 0 in each dimension.
WordMovers: Kusner, Sun, Kolkin and Weinberger, "From Word Embeddings to Document Distances", ICML 2015: the optimal
    transport cost between normalised bags of words, with Euclidean distance between words.
RougeWE: Ng and Abrecht, "Better Summarization Evaluation with Word Embeddings for ROUGE", EMNLP 2015.

A word's vector is the mean of those of its pieces. Punctuation is left out. Words are the same where they are equal up
to case, however the model's vocabulary splits or cases them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.corpus import Corpus, Row
from nlgauge.engine.engine import Features
from nlgauge.engine.features import StaticRequest, TokenVectors
from nlgauge.engine.words import is_word, words
from nlgauge.maths.transport import plans
from nlgauge.maths.vectors import cosine, distances, flows, run_means, runs, unit
from nlgauge.metrics.base import Pair, ReferenceMetric, ReferenceScorer, Texts

Array = NDArray[np.float64]


class Words(NamedTuple):
    """The words of a text, punctuation left out."""

    names: NDArray[np.str_]
    """[words], without case"""
    vectors: Array
    """[words, width]"""


@dataclass(frozen=True)
class _WordMetric(ReferenceMetric):
    @property
    def shortest(self) -> int:
        """Words that a text needs."""
        return 1

    @abstractmethod
    def compare(self, pairs: Sequence[tuple[Words, Words]]) -> list[tuple[float, ...]]:
        """For each (candidate, reference) a number for each part."""

    def scorer(self, corpus: Corpus, texts: Texts) -> WordScorer:
        return WordScorer(self)


class WordScorer(ReferenceScorer):
    """Turns the pieces of texts into words."""

    metric: _WordMetric
    undefined = "the vectors of a text add up to nothing, which has no direction"

    def __init__(self, metric: _WordMetric) -> None:
        super().__init__(metric, StaticRequest(), StaticRequest())

    def unusable(self, feature: TokenVectors) -> str | None:
        number = sum(map(is_word, _names(feature)[1]))
        if not number:
            return "nothing but punctuation"
        return None if number >= self.metric.shortest else f"fewer than {self.metric.shortest} words"

    def compare(self, pairs: Sequence[Pair]) -> list[tuple[float, ...]]:
        known = {id(feature): _words(feature) for pair in pairs for feature in pair}
        return self.metric.compare([(known[id(candidate)], known[id(reference)]) for candidate, reference in pairs])


@dataclass(frozen=True)
class EmbeddingAverage(_WordMetric):
    """Cosine of the mean word vectors of the two texts."""

    citation: ClassVar[str] = "Liu et al. 2016, EMNLP, arXiv:1603.08023"

    def compare(self, pairs: Sequence[tuple[Words, Words]]) -> list[tuple[float, ...]]:
        return [(cosine(one.vectors.mean(axis=0), other.vectors.mean(axis=0)),) for one, other in pairs]


@dataclass(frozen=True)
class GreedyMatching(_WordMetric):
    """Each word with the most similar one of the other text: mean cosine, mean of the two directions."""

    citation: ClassVar[str] = "Rus and Lintean 2012, BEA"

    def compare(self, pairs: Sequence[tuple[Words, Words]]) -> list[tuple[float, ...]]:
        found = [_similarity(one, other) for one, other in pairs]
        return [(float(s.max(axis=1).mean() + s.max(axis=0).mean()) / 2,) for s in found]


@dataclass(frozen=True)
class VectorExtrema(_WordMetric):
    """Cosine of the vectors that hold, in each dimension, the value of a text's words that is farthest from 0."""

    citation: ClassVar[str] = "Forgues et al. 2014, NIPS workshop on modern ML and NLP"

    def compare(self, pairs: Sequence[tuple[Words, Words]]) -> list[tuple[float, ...]]:
        return [(cosine(_extrema(one.vectors), _extrema(other.vectors)),) for one, other in pairs]


@dataclass(frozen=True)
class RougeWE(_WordMetric):
    """ROUGE-N in which n-grams match as far as they are similar, by the cosine of their vectors.

    The paper puts a similarity where ROUGE has 0 or 1, and multiplies the words of an n-gram dimension by dimension. It
    leaves open how matches are clipped; here each n-gram of a text takes part in one match, the most similar pairs
    first, and a negative cosine is no match. With words of which no two are alike this is ROUGE-N.

    ngram: 1 or 2 words. A text of fewer has no value.
    """

    parts: ClassVar[tuple[str, ...]] = ("f1", "precision", "recall")
    citation: ClassVar[str] = "Ng and Abrecht 2015, EMNLP, arXiv:1508.06034"
    choices: ClassVar[Mapping[str, Sequence[object]]] = {**ReferenceMetric.choices, "ngram": (1, 2)}

    ngram: int = 1

    @property
    def shortest(self) -> int:
        return self.ngram

    def compare(self, pairs: Sequence[tuple[Words, Words]]) -> list[tuple[float, ...]]:
        found = [_similarity(*(_grams(side, self.ngram) for side in pair)) for pair in pairs]
        hits = [(_hits(similarity), *similarity.shape) for similarity in found]
        return [(2 * hit / (n + m), hit / n, hit / m) for hit, n, m in hits]


@dataclass(frozen=True)
class WordMovers(_WordMetric):
    """Word mover's distance: the cost of moving the words of one text onto those of the other; 0 is best."""

    higher_is_better: ClassVar[bool] = False
    citation: ClassVar[str] = "Kusner et al. 2015, ICML"

    def compare(self, pairs: Sequence[tuple[Words, Words]]) -> list[tuple[float, ...]]:
        return [(float((cost * plan).sum()),) for cost, plan in _moved(pairs)]

    def scorer(self, corpus: Corpus, texts: Texts) -> WordScorer:
        return WordMoversScorer(self)


class WordMoversScorer(WordScorer):
    """Shows which words were moved where."""

    def evidence(self, row: Row, features: Features) -> dict[str, Any]:
        """Most first: shares of the whole and how far they went. Words are in lower case, each named once."""
        chosen = self.chosen(row, features)
        if chosen is None:
            return {}
        which, (candidate, reference) = chosen
        one, other = _words(candidate), _words(reference)
        ((cost, plan),) = _moved([(one, other)])
        names = _bag(one)[0].names.tolist(), _bag(other)[0].names.tolist()
        moved = [
            {"candidate": names[0][i], "reference": names[1][j], "share": share, "distance": distance}
            for i, j, share, distance in flows(cost, plan)
        ]
        return {"reference": which, "flows": moved}


def _names(feature: TokenVectors) -> tuple[NDArray[np.intp], list[str]]:
    """First piece and name of every word and punctuation mark."""
    starts, spans = runs(words(feature.text, feature.offsets), feature.offsets)
    return starts, [feature.text[begin:end].casefold() for begin, end in spans.tolist()]


def _words(feature: TokenVectors) -> Words:
    starts, names = _names(feature)
    kept = [i for i, name in enumerate(names) if is_word(name)]
    return Words(np.array([names[i] for i in kept]), run_means(feature.vectors[0], starts)[kept])


def _grams(text: Words, size: int) -> Words:
    if size == 1:
        return text
    names = np.array([f"{one} {other}" for one, other in pairwise(text.names)])
    return Words(names, text.vectors[:-1] * text.vectors[1:])


def _similarity(one: Words, other: Words) -> Array:
    """Cosines [n, m], 1 between the same words."""
    same = one.names[:, None] == other.names
    return np.where(same, 1.0, unit(one.vectors) @ unit(other.vectors).T)


def _extrema(vectors: Array) -> Array:
    farthest: Array = vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])]
    return farthest


def _hits(similarity: Array) -> float:
    """Sum of the similarities of pairs matched one to one, the most similar pairs first."""
    left, total = similarity.copy(), 0.0
    for _ in range(min(left.shape)):
        i, j = np.unravel_index(left.argmax(), left.shape)
        if left[i, j] <= 0:
            break
        total += float(left[i, j])
        left[i], left[:, j] = -np.inf, -np.inf
    return total


def _bag(text: Words) -> tuple[Words, Array]:
    """Distinct words and how often each occurs."""
    names, first, counts = np.unique(text.names, return_index=True, return_counts=True)
    return Words(names, text.vectors[first]), counts.astype(np.float64)


def _moved(pairs: Sequence[tuple[Words, Words]]) -> list[tuple[Array, Array]]:
    """Distances between the distinct words of each pair, and the optimal plan."""
    bags = [(_bag(one), _bag(other)) for one, other in pairs]
    costs = [
        np.where(one.names[:, None] == other.names, 0.0, distances(one.vectors, other.vectors))
        for (one, _), (other, _) in bags
    ]
    found = plans(costs, [a for (_, a), _ in bags], [b for _, (_, b) in bags])
    return list(zip(costs, found, strict=True))
