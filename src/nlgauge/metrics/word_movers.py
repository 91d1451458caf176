"""WordMovers: the cost of moving the words of one text onto those of another.

Kusner, Sun, Kolkin and Weinberger, "From Word Embeddings to Document Distances", ICML 2015: optimal transport between
normalised bags of words, with Euclidean distance between words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.data.corpus import Row
from nlgauge.engine.features.request import Features
from nlgauge.engine.features.vectors import TokenVectors
from nlgauge.maths.transport import plans
from nlgauge.maths.vectors import distances, flows
from nlgauge.metrics.base import Prepared
from nlgauge.metrics.evidence import Evidence, Flow, Place
from nlgauge.metrics.references import each_once
from nlgauge.metrics.word_vectors import Array, WordVectorMetric, words_of


class WordBag(NamedTuple):
    """The distinct words of a text."""

    names: NDArray[np.str_]
    """[words], without case"""
    vectors: Array
    """[words, width], each where the word stands first"""
    counts: Array
    """[words]"""


@dataclass(frozen=True)
class WordMovers(WordVectorMetric):
    """Word mover's distance: the cost of moving the words of one text onto those of the other; 0 is best."""

    higher_is_better: ClassVar[bool] = False
    citation: ClassVar[str] = "Kusner et al. 2015, ICML"

    def compare(self, pairs: Sequence[tuple[TokenVectors, TokenVectors]], prepared: Prepared) -> list[tuple[float]]:
        return [(float((cost * plan).sum()),) for cost, plan in _moved(each_once(_bag, pairs))]

    def evidence(self, row: Row, prepared: Prepared, features: Features) -> Evidence:
        """What was moved where, most first: shares of the whole and how far they went.

        Words are in lower case, each named once and without a place, for it may stand in several.
        """
        if (chosen := self.chosen(row, prepared, features)) is None:
            return Evidence()
        number, pair = chosen
        one, other = map(_bag, pair)
        ((cost, plan),) = _moved([(one, other)])
        moved = [
            Flow(Place(str(one.names[i])), Place(str(other.names[j])), share, distance)
            for i, j, share, distance in flows(cost, plan)
        ]
        return Evidence(reference=number, flows=moved)


def _bag(feature: TokenVectors) -> WordBag:
    text = words_of(feature)
    names, first, counts = np.unique(text.names, return_index=True, return_counts=True)
    return WordBag(names, text.vectors[first], counts.astype(np.float64))


def _moved(pairs: Sequence[tuple[WordBag, WordBag]]) -> list[tuple[Array, Array]]:
    """Distances between the distinct words of each pair, and the optimal plan."""
    costs = [
        np.where(one.names[:, None] == other.names, 0.0, distances(one.vectors, other.vectors)) for one, other in pairs
    ]
    optimal = plans(costs, [one.counts for one, _ in pairs], [other.counts for _, other in pairs])
    return list(zip(costs, optimal, strict=True))
