"""CopyRate: how much of an output is copied from its source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from nlgauge.corpus import Corpus, Row
from nlgauge.maths.words import words
from nlgauge.metrics.base import TextMetric, TextScorer, Value


@dataclass(frozen=True)
class CopyRate(TextMetric):
    """Share of the output's n-grams that stand in its source; one less the share of novel n-grams. 0 to 1.

    Each n-gram of the output counts as often as it stands there, and is copied if the source has it anywhere, however
    often. Words are without case and punctuation, in any script. Whether copying is good is not said.
    side: the 'source', or the 'context'.
    """

    citation: ClassVar[str] = "See et al. 2017, ACL, arXiv:1704.04368 (novel n-grams)"
    choices: ClassVar[Mapping[str, Sequence[object]]] = {"side": ("source", "context")}

    ngram: int = 1
    side: str = "source"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_whole(ngram=1)

    def scorer(self, corpus: Corpus) -> CopyRateScorer:
        return CopyRateScorer(self)


class CopyRateScorer(TextScorer):
    """Reads each distinct source once."""

    def __init__(self, metric: CopyRate) -> None:
        self._metric = metric
        self._known = cache(lambda text: frozenset(self._grams(text)))

    def score(self, rows: Sequence[Row]) -> list[Value]:
        return [self._value(row, row.source if self._metric.side == "source" else row.context) for row in rows]

    def _value(self, row: Row, other: str | None) -> Value:
        grams, side = self._grams(row.candidate), self._metric.side
        if not grams:
            few = f"has fewer than {self._metric.ngram} words" if words(row.candidate) else "has no words"
            return Value((np.nan,), f"the candidate {few}")
        if other is None or not words(other):
            return Value((np.nan,), f"no {side}" if other is None else f"the {side} has no words")
        known = self._known(other)
        return Value((sum(gram in known for gram in grams) / len(grams),))

    def _grams(self, text: str) -> list[tuple[str, ...]]:
        found = words(text)
        return list(zip(*(found[at:] for at in range(self._metric.ngram)), strict=False))
