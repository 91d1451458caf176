"""The base class of metrics that move the parts of one text to those of another by optimal transport."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.data.corpus import Row
from nlgauge.engine.features.request import Features
from nlgauge.engine.features.vectors import TokenVectors
from nlgauge.engine.words import is_word, words
from nlgauge.maths.transport import plans
from nlgauge.maths.vectors import distances, flows, runs
from nlgauge.metrics.evidence import Evidence, Flow, TextPiece
from nlgauge.metrics.references import ReferenceMetric, each_once

Array = NDArray[np.float64]


class Moved(NamedTuple):
    """The parts of a text that are moved."""

    vectors: Array
    """[parts, width]"""
    weights: Array
    """[parts]"""
    places: NDArray[np.int32] | NDArray[np.str_]
    """[parts, 2], characters of the text; or [parts], the name of each, for parts without a position"""


@dataclass(frozen=True)
class MovingMetric(ReferenceMetric[TokenVectors]):
    """Scores by the Euclidean cost of moving one text to the other."""

    @abstractmethod
    def moved(self, feature: TokenVectors, prepared: Any) -> Moved:
        """The parts of a text."""

    def from_cost(self, cost: float) -> float:
        """The score."""
        return cost

    def distances(self, one: Moved, other: Moved) -> Array:
        """Distances from each part of one text to each part of the other."""
        return distances(one.vectors, other.vectors)

    def compare(self, pairs: Sequence[tuple[TokenVectors, TokenVectors]], prepared: Any) -> list[tuple[float]]:
        sides = each_once(lambda feature: self.moved(feature, prepared), pairs)
        return [(self.from_cost(float((cost * plan).sum())),) for cost, plan in self._plans(sides)]

    def _plans(self, pairs: Sequence[tuple[Moved, Moved]]) -> list[tuple[Array, Array]]:
        costs = [self.distances(one, other) for one, other in pairs]
        optimal = plans(costs, [one.weights for one, _ in pairs], [other.weights for _, other in pairs])
        return list(zip(costs, optimal, strict=True))

    def evidence(self, row: Row, prepared: Any, features: Features) -> Evidence:
        """The flows, largest first, with shares of the mass and distances."""
        if (chosen := self.chosen(row, prepared, features)) is None:
            return Evidence()
        number, pair = chosen
        one, other = (self.moved(feature, prepared) for feature in pair)
        ((cost, plan),) = self._plans([(one, other)])
        first, second = (_places(feature.text, moved) for feature, moved in zip(pair, (one, other), strict=True))
        moved = [Flow(first[i], second[j], share, distance) for i, j, share, distance in flows(cost, plan)]
        return Evidence(reference=number, flows=moved)


def word_pieces(feature: TokenVectors) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int32]]:
    """Indexes of words that are not punctuation, the first sub-word of every word, and positions of the former.

    Sub-words are counted without special tokens.
    """
    offsets = feature.offsets[~feature.special]
    starts, spans = runs(words(feature.text, offsets), offsets)
    kept = np.flatnonzero([is_word(feature.text[begin:end]) for begin, end in spans.tolist()])
    return kept, starts, spans[kept]


def _places(text: str, moved: Moved) -> list[TextPiece]:
    if moved.places.ndim == 1:
        return [TextPiece(str(name)) for name in moved.places]
    return [TextPiece(text[begin:end], begin, end) for begin, end in moved.places.tolist()]
