"""VectorExtrema: compares the extreme values of two texts' word vectors.

Forgues, Pineau, Larchevêque and Tremblay, "Bootstrapping Dialog Systems with Word Embeddings", 2014.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge.contract.base import COSINE, Limits, Prepared
from nlgauge.engine.features.vectors import TokenVectors
from nlgauge.maths.vectors import cosine
from nlgauge.metrics.references import each_once
from nlgauge.metrics.word_vectors import NO_DIRECTION, Array, WordVectorMetric, words_of


@dataclass(frozen=True)
class VectorExtrema(WordVectorMetric):
    """Cosine of the extreme vectors of the two texts.

    In each dimension, the extreme vector of a text has the value of its words that is farthest from 0.
    """

    limits: ClassVar[Mapping[str, Limits]] = {"score": COSINE}
    citation: ClassVar[str] = "Forgues et al. 2014, NIPS workshop on modern ML and NLP"
    undefined: ClassVar[str] = NO_DIRECTION

    def compare(self, pairs: Sequence[tuple[TokenVectors, TokenVectors]], prepared: Prepared) -> list[tuple[float]]:
        extrema = each_once(lambda feature: _extrema(words_of(feature).vectors), pairs)
        return [(cosine(one, other),) for one, other in extrema]


def _extrema(vectors: Array) -> Array:
    farthest: Array = vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])]
    return farthest
