"""Length: how long an output is. No measure of quality, but the first thing to compare one with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from nlgauge.corpus import Corpus, Row
from nlgauge.maths.sentences import sentence_ends
from nlgauge.metrics.base import TextMetric, TextScorer, Value


@dataclass(frozen=True)
class Length(TextMetric):
    """Length of the output; 0 for an empty one. That longer is better is not said.

    unit: 'words' between spaces, 'characters' (code points), or 'sentences'.
    """

    choices: ClassVar[Mapping[str, Sequence[object]]] = {"unit": ("words", "characters", "sentences")}

    unit: str = "words"

    def scorer(self, corpus: Corpus) -> LengthScorer:
        return LengthScorer(self)


class LengthScorer(TextScorer):
    """Counts."""

    def __init__(self, metric: Length) -> None:
        self._unit = metric.unit

    def score(self, rows: Sequence[Row]) -> list[Value]:
        return [Value((float(self._count(row.candidate)),)) for row in rows]

    def _count(self, text: str) -> int:
        if self._unit == "words":
            return len(text.split())
        if self._unit == "characters":
            return len(text)
        return len(sentence_ends(text.strip())) + 1 if text.strip() else 0
