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
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.corpus import Corpus, Row
from nlgauge.engine.engine import Features
from nlgauge.engine.features import TokenVectors, VectorsRequest
from nlgauge.engine.words import is_word, words
from nlgauge.maths.sentences import sentence_ends
from nlgauge.maths.transport import plans
from nlgauge.maths.vectors import distances, flows, run_means, runs, unit
from nlgauge.metrics.base import Pair, ReferenceMetric, ReferenceScorer, Texts

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SentenceMovers(ReferenceMetric):
    """exp(-cost of moving one text onto the other); 1 is best.

    variant: 's+wms' moves sentences and words, 'sms' sentences alone.
    unit: bring word vectors to length 1 first. As they come, as in the paper, those of a language model are so long
        that only nearly equal texts stay far from 0; the order of texts is about the same.
    """

    citation: ClassVar[str] = "Clark et al. 2019, ACL"
    choices: ClassVar[Mapping[str, Sequence[object]]] = {
        **ReferenceMetric.choices,
        "variant": ("s+wms", "sms"),
        "unit": (True, False),
    }

    variant: str = "s+wms"
    unit: bool = True

    def scorer(self, corpus: Corpus, texts: Texts) -> SentenceMoversScorer:
        return SentenceMoversScorer(self, texts.model.layers)


class Parts(NamedTuple):
    """What is moved of a text."""

    vectors: Array
    """[parts, width]"""
    weights: Array
    """[parts]"""
    spans: NDArray[np.int32]
    """[parts, 2]: places in the text"""


class SentenceMoversScorer(ReferenceScorer):
    """Sentence mover's similarity on the model's last layer."""

    metric: SentenceMovers

    def __init__(self, metric: SentenceMovers, layer: int) -> None:
        super().__init__(metric, VectorsRequest((layer,)), VectorsRequest((layer,)))

    def unusable(self, feature: TokenVectors) -> str | None:
        inner = feature.offsets[~feature.special]
        _, spans = runs(words(feature.text, inner), inner)
        return None if any(is_word(feature.text[begin:end]) for begin, end in spans) else "nothing but punctuation"

    def compare(self, pairs: Sequence[Pair]) -> list[tuple[float]]:
        known = {id(feature): self._parts(feature) for pair in pairs for feature in pair}
        sides = [(known[id(candidate)], known[id(reference)]) for candidate, reference in pairs]
        return [(float(np.exp(-(cost * plan).sum())),) for cost, plan in _moved(sides)]

    def _parts(self, feature: TokenVectors) -> Parts:
        inner = ~feature.special
        offsets = feature.offsets[inner]
        starts, spans = runs(words(feature.text, offsets), offsets)
        kept = [i for i, (begin, end) in enumerate(spans) if is_word(feature.text[begin:end])]
        vectors, spans = run_means(feature.vectors[0, inner], starts)[kept], spans[kept]
        if self.metric.unit:
            vectors = unit(vectors)
        sentence = np.searchsorted(sentence_ends(feature.text), spans[:, 0], side="right")
        first, places = runs(sentence, spans)
        found = Parts(run_means(vectors, first), np.diff(first, append=len(vectors)).astype(np.float64), places)
        if self.metric.variant == "sms":
            return found
        return Parts(
            np.concatenate([found.vectors, vectors]),
            np.concatenate([found.weights, np.ones(len(vectors))]),
            np.concatenate([found.spans, spans]),
        )

    def evidence(self, row: Row, features: Features) -> dict[str, Any]:
        """Which sentences and words were moved where, most first: shares of the whole and how far they went."""
        chosen = self.chosen(row, features)
        if chosen is None:
            return {}
        which, (candidate, reference) = chosen
        one, other = self._parts(candidate), self._parts(reference)
        ((cost, plan),) = _moved([(one, other)])
        moved = [
            {
                "candidate": candidate.text[slice(*one.spans[i])],
                "candidate_offsets": one.spans[i].tolist(),
                "reference": reference.text[slice(*other.spans[j])],
                "reference_offsets": other.spans[j].tolist(),
                "share": share,
                "distance": distance,
            }
            for i, j, share, distance in flows(cost, plan)
        ]
        return {"reference": which, "flows": moved}


def _moved(pairs: Sequence[tuple[Parts, Parts]]) -> list[tuple[Array, Array]]:
    """Distances and optimal plan of each pair."""
    costs = [distances(one.vectors, other.vectors) for one, other in pairs]
    found = plans(costs, [one.weights for one, _ in pairs], [other.weights for _, other in pairs])
    return list(zip(costs, found, strict=True))
