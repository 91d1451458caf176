"""Length: how long an output is. It does not measure quality, but is the first baseline for metrics that do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from nlgauge.data.corpus import Row
from nlgauge.engine.features.request import Features
from nlgauge.maths.text import sentence_ends
from nlgauge.metrics.base import Prepared, RowMetric, Setup, Value
from nlgauge.metrics.parameters import param


@dataclass(frozen=True)
class Length(RowMetric):
    """Length of the output; 0 for an empty one. Longer is not necessarily better."""

    columns: ClassVar[tuple[str, ...]] = ("candidate",)
    details: ClassVar[tuple[str, ...]] = ("score",)

    unit: str = param(
        "words", choices=("words", "characters", "sentences"),
        help="what is counted: 'words' between spaces, 'characters' (code points), or 'sentences'",
    )  # fmt: skip

    def prepare(self, setup: Setup) -> Prepared:
        return Prepared(facts={"unit": self.unit})

    def score_rows(self, rows: Sequence[Row], prepared: Prepared, features: Features) -> list[Value]:
        return [Value((float(self._count(row.candidate)),)) for row in rows]

    def _count(self, text: str) -> int:
        if self.unit == "words":
            return len(text.split())
        if self.unit == "characters":
            return len(text)
        return len(sentence_ends(text.strip())) + 1 if text.strip() else 0
