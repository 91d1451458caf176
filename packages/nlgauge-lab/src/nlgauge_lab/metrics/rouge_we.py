"""RougeWE: ROUGE-N with word vectors.

Ng and Abrecht, "Better Summarization Evaluation with Word Embeddings for ROUGE", EMNLP 2015.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from nlgauge.contract.base import SHARE, Limits, Prepared
from nlgauge.contract.parameters import param
from nlgauge.engine.features.vectors import TokenVectors
from nlgauge.metrics.references import each_once
from nlgauge.metrics.word_vectors import Array, WordTable, WordVectorMetric, similarity, too_short, words_of


@dataclass(frozen=True)
class RougeWE(WordVectorMetric):
    """ROUGE-N with soft matches of n-grams, by the cosine of their vectors.

    The paper replaces ROUGE's 0 or 1 by a similarity, and multiplies the vectors of an n-gram's words elementwise. It
    does not say how matches are clipped. Here each n-gram is matched at most once, the most similar pairs first, and a
    negative cosine is not a match. If no two words are similar, this is ROUGE-N.
    """

    parts: ClassVar[tuple[str, ...]] = ("f1", "precision", "recall")
    limits: ClassVar[Mapping[str, Limits]] = dict.fromkeys(parts, SHARE)
    citation: ClassVar[str] = "Ng and Abrecht 2015, EMNLP, arXiv:1508.06034"

    ngram: int = param(1, choices=(1, 2), help="1 or 2 words. A shorter text has no score.")

    def unusable(self, side: TokenVectors) -> str | None:
        return too_short(side, self.ngram)

    def compare(
        self, pairs: Sequence[tuple[TokenVectors, TokenVectors]], prepared: Prepared
    ) -> list[tuple[float, float, float]]:
        grams = each_once(lambda feature: _grams(words_of(feature), self.ngram), pairs)
        matched = [(_matched(cosines), *cosines.shape) for cosines in (similarity(*pair) for pair in grams)]
        return [(2 * total / (n + m), total / n, total / m) for total, n, m in matched]


def _grams(text: WordTable, size: int) -> WordTable:
    if size == 1:
        return text
    names = np.array([f"{one} {other}" for one, other in pairwise(text.names)])
    spans = np.stack([text.spans[:-1, 0], text.spans[1:, 1]], axis=1)
    return WordTable(names, text.vectors[:-1] * text.vectors[1:], spans)


def _matched(cosines: Array) -> float:
    """Return the sum of the cosines of pairs that are matched one to one, the most similar pairs first."""
    left, total = cosines.copy(), 0.0
    for _ in range(min(left.shape)):
        i, j = np.unravel_index(left.argmax(), left.shape)
        if left[i, j] <= 0:
            break
        total += float(left[i, j])
        left[i], left[:, j] = -np.inf, -np.inf
    return total
