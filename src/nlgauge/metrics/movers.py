"""Word mover's distance and its relatives: the cost of moving the parts of one text to those of another.

WordMovers: Kusner, Sun, Kolkin and Weinberger, "From Word Embeddings to Document Distances", ICML 2015: optimal
transport between normalised bags of words, with Euclidean distance between words.

MoverScore, with contextual vectors: Zhao, Peyrard, Liu, Gao, Meyer and Eger, "MoverScore: Text Generation Evaluating
with Contextualized Embeddings and Earth Mover Distance", EMNLP 2019.

The vector of a word comes from the vectors of its first sub-word in several layers. These are scaled to length 1. Then
either their minimum, mean and maximum are concatenated (power means, section 3.2), or they are averaged. The vector of
an n-gram is the idf-weighted mean of the vectors of its words, scaled to length 1. Its weight is the sum of their idf
(section 3.1).
The score is 1 minus the transport cost with Euclidean distance between n-grams, as in the paper and the authors' second
program; their first program squares the distance. Special tokens, punctuation and further sub-words are left out.

SentenceMovers, of sentences and words: Clark, Celikyilmaz and Smith, "Sentence Mover's Similarity: Automatic Evaluation
for Multi-Sentence Texts", ACL 2019.

The vector of a sentence is the mean of its words' vectors, and its weight is its number of words (section 3). In the
second variant words are moved too, each with weight 1, also between words and sentences. The similarity is exp(-cost),
with Euclidean distance. The vector of a word is the mean over its sub-words at the last layer. Punctuation is left out;
the authors also leave out stopwords.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.contract.base import AMOUNT, COSINE, SHARE, Cost, Limits, Prepared, Setup
from nlgauge.contract.parameters import param
from nlgauge.data.corpus import Row
from nlgauge.data.evidence import Evidence, Flow, TextPiece
from nlgauge.engine.english import is_stopword
from nlgauge.engine.features.masked import TokenWeights
from nlgauge.engine.features.request import Features
from nlgauge.engine.features.vectors import TokenVectors, VectorsRequest
from nlgauge.engine.words import is_word, words
from nlgauge.maths.text import sentence_ends
from nlgauge.maths.transport import plans
from nlgauge.maths.vectors import distances, flows, run_means, runs, unit
from nlgauge.metrics.model_settings import OF_THE_CORPUS, check_layers, idf_fact, idf_table, layer_read, layers_read
from nlgauge.metrics.references import ReferenceMetric, each_once
from nlgauge.metrics.word_vectors import Array, WordVectorMetric, words_of


class Moved(NamedTuple):
    """The parts of a text that are moved: n-grams, words or sentences."""

    vectors: Array
    """The vectors of the parts: [parts, width]"""
    weights: Array
    """The weights of the parts: [parts]"""
    places: NDArray[np.int32] | NDArray[np.str_]
    """The position of each part in the text, in characters: [parts, 2]. For parts without a position, their names:
    [parts]
    """


@dataclass(frozen=True)
class MovingMetric(ReferenceMetric[TokenVectors]):
    """The base class of metrics that score by the Euclidean cost of moving one text to the other."""

    @abstractmethod
    def moved(self, feature: TokenVectors, prepared: Any) -> Moved:
        """Return the parts of a text that are moved."""

    def from_cost(self, cost: float) -> float:
        """Return the score for a transport cost."""
        return cost

    def distances(self, first: Moved, second: Moved) -> Array:
        """Return the distance from each part of one text to each part of the other: [parts, parts]."""
        return distances(first.vectors, second.vectors)

    def compare(self, pairs: Sequence[tuple[TokenVectors, TokenVectors]], prepared: Any) -> list[tuple[float]]:
        sides = each_once(lambda feature: self.moved(feature, prepared), pairs)
        return [(self.from_cost(float((cost * plan).sum())),) for cost, plan in self._plans(sides)]

    def _plans(self, pairs: Sequence[tuple[Moved, Moved]]) -> list[tuple[Array, Array]]:
        costs = [self.distances(first, other) for first, other in pairs]
        optimal = plans(costs, [moved.weights for moved, _ in pairs], [other.weights for _, other in pairs])
        return list(zip(costs, optimal, strict=True))

    def evidence(self, row: Row, prepared: Any, features: Features) -> Evidence:
        """Return the flows to the chosen reference, largest first, each with its share of the mass and its distance."""
        if (chosen := self.chosen(row, prepared, features)) is None:
            return Evidence()
        number, pair = chosen
        candidate, reference = (self.moved(feature, prepared) for feature in pair)
        ((cost, plan),) = self._plans([(candidate, reference)])
        first, second = (
            _places(feature.text, moved) for feature, moved in zip(pair, (candidate, reference), strict=True)
        )
        moved = [Flow(first[i], second[j], share, distance) for i, j, share, distance in flows(cost, plan)]
        return Evidence(reference=number, flows=moved)


def word_pieces(feature: TokenVectors) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int32]]:
    """Return the places of the words of a text that are not punctuation.

    Args:
        feature: the vectors of the text.

    Returns:
        The indexes of these words among all words: [n]; the first sub-word of every word, counted without special
        tokens: [words]; and the positions of these words, in characters: [n, 2].
    """
    offsets = feature.offsets[~feature.special]
    starts, spans = runs(words(feature.text, offsets), offsets)
    kept = np.flatnonzero([is_word(feature.text[begin:end]) for begin, end in spans.tolist()])
    return kept, starts, spans[kept]


def _places(text: str, moved: Moved) -> list[TextPiece]:
    if moved.places.ndim == 1:
        return [TextPiece(str(name)) for name in moved.places]
    return [TextPiece(text[begin:end], begin, end) for begin, end in moved.places.tolist()]


@dataclass(frozen=True, kw_only=True)
class MoverScorePrepared(Prepared):
    """The layers that are read, and the weights of the tokens."""

    layers: tuple[int, ...]
    table: TokenWeights | None


@dataclass(frozen=True)
class MoverScore(MovingMetric):
    """1 minus the word mover's distance with contextual vectors; 1 is best, -1 is worst."""

    cost: ClassVar[Cost] = "encoding"
    limits: ClassVar[Mapping[str, Limits]] = {"score": COSINE}  # vectors of length 1 are at most 2 apart
    citation: ClassVar[str] = "Zhao et al. 2019, EMNLP, arXiv:1909.02622"

    ngram: int = param(
        1, choices=(1, 2), help="1 or 2 adjacent words are moved together. A shorter text is moved as a whole."
    )
    layers: int | tuple[int, ...] = param(
        5,
        help="how many layers are used, up to the one that the model's card names for MoverScore, else the last one; "
        "or a tuple of layers (0: the embeddings)",
    )
    aggregate: str = param(
        "power_means",
        choices=("power_means", "mean"),
        help="how layers are joined: 'power_means' (minimum, mean and maximum of the layers, concatenated) or 'mean'",
    )
    idf: str = param(
        "general",
        choices=("general", "references", "none"),
        help="weights of the words. 'general' (from a large general text), 'references' (from the run's distinct "
        "references) or 'none'.",
    )
    stopwords: bool = param(True, help="keep English stopwords, which the authors leave out in their experiments")
    model: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_layers(self)

    @property
    def uses_corpus(self) -> bool:
        return self.idf in OF_THE_CORPUS

    def prepare(self, setup: Setup) -> MoverScorePrepared:
        layers, named = layers_read(self.layers, "MoverScore", setup.model)
        table = idf_table(self.idf, setup)
        facts = {**named, "idf": idf_fact(self.idf, setup, table)}
        return MoverScorePrepared(layers=layers, table=table, facts=facts)

    def request(self, text: str, prepared: MoverScorePrepared, reference: bool) -> VectorsRequest:
        return VectorsRequest(text, prepared.layers)

    def unusable(self, side: TokenVectors) -> str | None:
        if len(self._words(side)[0]):
            return None
        return "nothing but punctuation" if self.stopwords else "nothing but stop-words and punctuation"

    def pair_note(self, candidate: TokenVectors, reference: TokenVectors, prepared: MoverScorePrepared) -> str | None:
        alike = any(not _weights(text, self._words(text)[0], prepared.table).any() for text in (candidate, reference))
        return "all idf weights of a text are 0: its words have equal weights" if alike else None

    def from_cost(self, cost: float) -> float:
        return 1.0 - cost

    def moved(self, feature: TokenVectors, prepared: MoverScorePrepared) -> Moved:
        first, spans = self._words(feature)
        layers = unit(feature.vectors[:, first])
        means = [layers.min(axis=0), layers.mean(axis=0), layers.max(axis=0)]
        vectors = np.concatenate(means, axis=1) if self.aggregate == "power_means" else means[1]
        weights = _weights(feature, first, prepared.table)
        if not weights.any():
            weights = np.ones(len(first))
        size = min(self.ngram, len(first))
        within = np.arange(len(first) - size + 1)[:, None] + np.arange(size)
        sums = weights[within].sum(axis=1)
        # The mean's denominator is not needed, because vectors are scaled to length 1.
        joined = unit((weights[within][..., None] * vectors[within]).sum(axis=1))
        return Moved(joined, sums, np.stack([spans[: len(sums), 0], spans[size - 1 :, 1]], axis=1))

    def _words(self, feature: TokenVectors) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        """Return the index of the first sub-word [words] and the position [words, 2] of each word that is moved."""
        kept, starts, spans = word_pieces(feature)
        if not self.stopwords:
            content = np.array([not is_stopword(feature.text[a:b]) for a, b in spans.tolist()], np.bool_)
            kept, spans = kept[content], spans[content]
        return np.flatnonzero(~feature.special)[starts[kept]], spans


def _weights(feature: TokenVectors, first: NDArray[np.intp], table: TokenWeights | None) -> Array:
    """Return the weights of words [words], which are the weights of their first sub-words; 1 without a table."""
    return table.values[feature.ids[first]] if table else np.ones(len(first))


@dataclass(frozen=True, kw_only=True)
class SentenceMoversPrepared(Prepared):
    """The layer that is read."""

    layer: int


@dataclass(frozen=True)
class SentenceMovers(MovingMetric):
    """exp(-cost of moving one text to the other); 1 is best."""

    cost: ClassVar[Cost] = "encoding"
    limits: ClassVar[Mapping[str, Limits]] = {"score": SHARE}
    citation: ClassVar[str] = "Clark et al. 2019, ACL"

    variant: str = param(
        "s+wms", choices=("s+wms", "sms"), help="'s+wms' moves sentences and words, 'sms' only sentences"
    )
    layer: int | None = param(
        None,
        minimum=0,
        help="the layer of the words' vectors (0: the embeddings). None is the layer in the model's card, or else "
        "the last one.",
    )
    unit: bool = param(
        True,
        help="scale word vectors to length 1 first. Without scaling, as in the paper, a language model's vectors are "
        "so long that only nearly equal texts score well above 0; the order of texts is about the same.",
    )
    model: str | None = None

    def prepare(self, setup: Setup) -> SentenceMoversPrepared:
        layer, named = layer_read(self.layer, ("SentenceMovers",), setup.model, -1)
        return SentenceMoversPrepared(layer=layer, facts=named)

    def request(self, text: str, prepared: SentenceMoversPrepared, reference: bool) -> VectorsRequest:
        return VectorsRequest(text, (prepared.layer,))

    def unusable(self, side: TokenVectors) -> str | None:
        return None if len(word_pieces(side)[0]) else "nothing but punctuation"

    def from_cost(self, cost: float) -> float:
        return float(np.exp(-cost))

    def moved(self, feature: TokenVectors, prepared: SentenceMoversPrepared) -> Moved:
        kept, starts, spans = word_pieces(feature)
        vectors = run_means(feature.vectors[0, ~feature.special], starts)[kept]
        if self.unit:
            vectors = unit(vectors)
        sentence = np.searchsorted(sentence_ends(feature.text), spans[:, 0], side="right")
        first, places = runs(sentence, spans)
        weights = np.diff(first, append=len(vectors)).astype(np.float64)
        sentences = Moved(run_means(vectors, first), weights, places)
        if self.variant == "sms":
            return sentences
        return Moved(
            np.concatenate([sentences.vectors, vectors]),
            np.concatenate([weights, np.ones(len(vectors))]),
            np.concatenate([places, spans]),
        )


@dataclass(frozen=True)
class WordMovers(MovingMetric, WordVectorMetric):
    """Word mover's distance: the cost of moving the words of one text to those of the other; 0 is best."""

    higher_is_better: ClassVar[bool] = False
    limits: ClassVar[Mapping[str, Limits]] = {"score": AMOUNT}
    citation: ClassVar[str] = "Kusner et al. 2015, ICML"

    def moved(self, feature: TokenVectors, prepared: Prepared) -> Moved:
        """Return the distinct words of a text in lower case, weighted by how often they occur, without positions."""
        text = words_of(feature)
        names, first, counts = np.unique(text.names, return_index=True, return_counts=True)
        return Moved(text.vectors[first], counts.astype(np.float64), names)

    def distances(self, first: Moved, second: Moved) -> Array:
        return np.where(first.places[:, None] == second.places, 0.0, super().distances(first, second))
