"""GreedyMatching: matches each word of a text with the most similar word of another.

Rus and Lintean, "A Comparison of Greedy and Optimal Assessment of Natural Language Student Input Using Word-to-Word
Similarity Metrics", BEA 2012.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from nlgauge.contract.base import COSINE, Limits, Prepared
from nlgauge.data.corpus import Row
from nlgauge.data.evidence import Evidence, Match, TextPiece
from nlgauge.engine.features.request import Features
from nlgauge.engine.features.vectors import TokenVectors
from nlgauge.metrics.references import each_once
from nlgauge.metrics.word_vectors import Array, WordVectorMetric, similarity, words_of


@dataclass(frozen=True)
class GreedyMatching(WordVectorMetric):
    """Mean cosine of each word with the most similar word of the other text, averaged over both directions."""

    limits: ClassVar[Mapping[str, Limits]] = {"score": COSINE}
    citation: ClassVar[str] = "Rus and Lintean 2012, BEA"

    def compare(self, pairs: Sequence[tuple[TokenVectors, TokenVectors]], prepared: Prepared) -> list[tuple[float]]:
        similarities = [similarity(one, other) for one, other in each_once(words_of, pairs)]
        return [(float(s.max(axis=1).mean() + s.max(axis=0).mean()) / 2,) for s in similarities]

    def evidence(self, row: Row, prepared: Prepared, features: Features) -> Evidence:
        """Return the most similar word for each word of the candidate, and of the chosen reference."""
        if (chosen := self.chosen(row, prepared, features)) is None:
            return Evidence()
        number, (candidate, reference) = chosen
        cosines = similarity(words_of(candidate), words_of(reference))
        matches = [
            *_matches("candidate", candidate, reference, cosines),
            *_matches("reference", reference, candidate, cosines.T),
        ]
        return Evidence(reference=number, matches=matches)


def _matches(side: str, one: TokenVectors, other: TokenVectors, cosines: Array) -> Iterator[Match]:
    places, others = (
        [TextPiece(feature.text[begin:end], begin, end) for begin, end in words_of(feature).spans.tolist()]
        for feature in (one, other)
    )
    for i, j in enumerate(cosines.argmax(axis=1).tolist()):
        yield Match(
            side=side, token=places[i], match=others[j], similarity=float(cosines[i, j]), weight=1 / len(places)
        )
