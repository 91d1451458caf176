"""EmbeddingAverage: compares the mean word vectors of two texts.

See Liu, Lowe, Serban, Noseworthy, Charlin and Pineau, "How NOT To Evaluate Your Dialogue System", EMNLP 2016.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from nlgauge.contract.base import COSINE, Limits, Prepared
from nlgauge.engine.features.vectors import TokenVectors
from nlgauge.maths.vectors import cosine
from nlgauge.metrics.references import each_once
from nlgauge.metrics.word_vectors import NO_DIRECTION, WordVectorMetric, words_of


@dataclass(frozen=True)
class EmbeddingAverage(WordVectorMetric):
    """Cosine of the mean word vectors of the two texts."""

    limits: ClassVar[Mapping[str, Limits]] = {"score": COSINE}
    citation: ClassVar[str] = "Liu et al. 2016, EMNLP, arXiv:1603.08023"
    undefined: ClassVar[str] = NO_DIRECTION

    def compare(self, pairs: Sequence[tuple[TokenVectors, TokenVectors]], prepared: Prepared) -> list[tuple[float]]:
        means = each_once(lambda feature: words_of(feature).vectors.mean(axis=0), pairs)
        return [(cosine(one, other),) for one, other in means]
