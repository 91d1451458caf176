"""Sentence mover's similarity: the cost of moving the sentences, and words, of one text onto those of another.

Clark, Celikyilmaz and Smith, "Sentence Mover's Similarity: Automatic Evaluation for Multi-Sentence Texts", ACL 2019.

A sentence is the mean of its words' vectors and weighs as many as it has words (section 3); in the second variant the
words are there too, each of weight 1, and may be moved onto sentences and sentences onto them. The similarity is
exp(-cost), with Euclidean distance. A word's vector is the mean of its pieces' at the last layer. Punctuation is left
out; the authors leave out stop words too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.data.corpus import Row
from nlgauge.engine.features.request import Features
from nlgauge.engine.features.vectors import TokenVectors, VectorsRequest
from nlgauge.engine.models.capabilities import ENCODER
from nlgauge.engine.words import is_word, words
from nlgauge.maths.sentences import sentence_ends
from nlgauge.maths.transport import plans
from nlgauge.maths.vectors import distances, flows, run_means, runs, unit
from nlgauge.metrics.base import Cost, Prepared, Setup
from nlgauge.metrics.evidence import Evidence, Flow, Place
from nlgauge.metrics.references import ReferenceMetric, each_once

Array = NDArray[np.float64]


class SentenceParts(NamedTuple):
    """What is moved of a text."""

    vectors: Array
    """[parts, width]"""
    weights: Array
    """[parts]"""
    spans: NDArray[np.int32]
    """[parts, 2]: places in the text"""


@dataclass(frozen=True, kw_only=True)
class SentenceMoversPrepared(Prepared):
    """The layer that is read."""

    layer: int


@dataclass(frozen=True)
class SentenceMovers(ReferenceMetric[TokenVectors]):
    """exp(-cost of moving one text onto the other); 1 is best.

    variant: 's+wms' moves sentences and words, 'sms' sentences alone.
    layer: whose hidden states are the words' vectors, 0 being the embeddings; None is the one that the model's card
        names for SentenceMovers, else the last.
    unit: bring word vectors to length 1 first. As they come, as in the paper, those of a language model are so long
        that only nearly equal texts stay far from 0; the order of texts is about the same.
    """

    least: ClassVar[Mapping[str, float]] = {"layer": 0}
    cost: ClassVar[Cost] = "encoding"
    citation: ClassVar[str] = "Clark et al. 2019, ACL"
    choices: ClassVar[Mapping[str, Sequence[object]]] = {
        **ReferenceMetric.choices,
        "variant": ("s+wms", "sms"),
        "unit": (True, False),
    }

    variant: str = "s+wms"
    layer: int | None = None
    unit: bool = True
    model: str | None = None

    def prepare(self, setup: Setup) -> SentenceMoversPrepared:
        last = setup.model[ENCODER].layers
        layer = setup.model.card.layers.get("SentenceMovers", last) if self.layer is None else self.layer
        return SentenceMoversPrepared(layer=layer, facts={"layer": layer})

    def request(self, text: str, prepared: SentenceMoversPrepared, reference: bool) -> VectorsRequest:
        return VectorsRequest(text, (prepared.layer,))

    def unusable(self, side: TokenVectors) -> str | None:
        return None if len(_words(side)[0]) else "nothing but punctuation"

    def compare(
        self, pairs: Sequence[tuple[TokenVectors, TokenVectors]], prepared: SentenceMoversPrepared
    ) -> list[tuple[float]]:
        return [(float(np.exp(-(cost * plan).sum())),) for cost, plan in _moved(each_once(self._parts, pairs))]

    def _parts(self, feature: TokenVectors) -> SentenceParts:
        kept, starts, spans = _words(feature)
        vectors = run_means(feature.vectors[0, ~feature.special], starts)[kept]
        if self.unit:
            vectors = unit(vectors)
        sentence = np.searchsorted(sentence_ends(feature.text), spans[:, 0], side="right")
        first, places = runs(sentence, spans)
        sentences = SentenceParts(
            run_means(vectors, first), np.diff(first, append=len(vectors)).astype(np.float64), places
        )
        if self.variant == "sms":
            return sentences
        return SentenceParts(
            np.concatenate([sentences.vectors, vectors]),
            np.concatenate([sentences.weights, np.ones(len(vectors))]),
            np.concatenate([sentences.spans, spans]),
        )

    def evidence(self, row: Row, prepared: SentenceMoversPrepared, features: Features) -> Evidence:
        """Which sentences and words were moved where, most first: shares of the whole and how far they went."""
        if (chosen := self.chosen(row, prepared, features)) is None:
            return Evidence()
        number, pair = chosen
        one, other = map(self._parts, pair)
        ((cost, plan),) = _moved([(one, other)])
        first, second = (
            [Place(feature.text[begin:end], begin, end) for begin, end in parts.spans.tolist()]
            for feature, parts in zip(pair, (one, other), strict=True)
        )
        moved = [Flow(first[i], second[j], share, distance) for i, j, share, distance in flows(cost, plan)]
        return Evidence(reference=number, flows=moved)


def _words(feature: TokenVectors) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int32]]:
    """Numbers of a text's words that are no punctuation, the first piece of every word, and the places of the former.

    Pieces are counted without special tokens.
    """
    offsets = feature.offsets[~feature.special]
    starts, spans = runs(words(feature.text, offsets), offsets)
    kept = np.flatnonzero([is_word(feature.text[begin:end]) for begin, end in spans.tolist()])
    return kept, starts, spans[kept]


def _moved(pairs: Sequence[tuple[SentenceParts, SentenceParts]]) -> list[tuple[Array, Array]]:
    """Distances and optimal plan of each pair."""
    costs = [distances(one.vectors, other.vectors) for one, other in pairs]
    optimal = plans(costs, [one.weights for one, _ in pairs], [other.weights for _, other in pairs])
    return list(zip(costs, optimal, strict=True))
