"""Sentence mover's similarity: the cost of moving the sentences (and words) of one text to those of another.

Clark, Celikyilmaz and Smith, "Sentence Mover's Similarity: Automatic Evaluation for Multi-Sentence Texts", ACL 2019.

The vector of a sentence is the mean of its words' vectors, and its weight is its number of words (section 3). In the
second variant words are moved too, each with weight 1, also between words and sentences. The similarity is exp(-cost),
with Euclidean distance. The vector of a word is the mean over its sub-words at the last layer. Punctuation is left out;
the authors also leave out stopwords.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.features.vectors import TokenVectors, VectorsRequest
from nlgauge.maths.sentences import sentence_ends
from nlgauge.maths.vectors import run_means, runs, unit
from nlgauge.metrics.base import Cost, Prepared, Setup
from nlgauge.metrics.model_settings import layer_read
from nlgauge.metrics.moving import Moved, MovingMetric, word_pieces
from nlgauge.metrics.parameters import param

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class SentenceMoversPrepared(Prepared):
    """The layer."""

    layer: int


@dataclass(frozen=True)
class SentenceMovers(MovingMetric):
    """exp(-cost of moving one text to the other); 1 is best."""

    cost: ClassVar[Cost] = "encoding"
    citation: ClassVar[str] = "Clark et al. 2019, ACL"

    variant: str = param(
        "s+wms", choices=("s+wms", "sms"), help="'s+wms' moves sentences and words, 'sms' only sentences"
    )
    layer: int | None = param(
        None, minimum=0,
        help="the layer of the words' vectors (0: the embeddings). None is the layer in the model's card, or else "
        "the last one.",
    )  # fmt: skip
    unit: bool = param(
        True,
        help="scale word vectors to length 1 first. Without scaling, as in the paper, a language model's vectors are "
        "so long that only nearly equal texts score well above 0; the order of texts is about the same.",
    )  # fmt: skip
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
