"""WordMovers: the cost of moving the words of one text to those of another.

Kusner, Sun, Kolkin and Weinberger, "From Word Embeddings to Document Distances", ICML 2015: optimal transport between
normalised bags of words, with Euclidean distance between words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge.engine.features.vectors import TokenVectors
from nlgauge.metrics.base import Prepared
from nlgauge.metrics.moving import Moved, MovingMetric
from nlgauge.metrics.word_vectors import Array, WordVectorMetric, words_of


@dataclass(frozen=True)
class WordMovers(MovingMetric, WordVectorMetric):
    """Word mover's distance: the cost of moving the words of one text to those of the other; 0 is best."""

    higher_is_better: ClassVar[bool] = False
    citation: ClassVar[str] = "Kusner et al. 2015, ICML"

    def moved(self, feature: TokenVectors, prepared: Prepared) -> Moved:
        """The distinct words of a text in lower case, without positions, because a word may occur several times."""
        text = words_of(feature)
        names, first, counts = np.unique(text.names, return_index=True, return_counts=True)
        return Moved(text.vectors[first], counts.astype(np.float64), names)

    def distances(self, one: Moved, other: Moved) -> Array:
        return np.where(one.places[:, None] == other.places, 0.0, super().distances(one, other))
