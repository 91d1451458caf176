"""CopyRate: how much of an output is copied from its source."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from nlgauge.data.corpus import Row
from nlgauge.data.evidence import Evidence
from nlgauge.engine.features.request import Features
from nlgauge.maths.text import ngrams, words
from nlgauge.metrics.base import Prepared, RowMetric, Setup, Value
from nlgauge.metrics.evidence import shared_words
from nlgauge.metrics.parameters import param


@dataclass(frozen=True)
class CopyRate(RowMetric):
    """Share of the output's n-grams that are in its source, 1 minus the share of novel n-grams; 0 to 1.

    Each occurrence of an n-gram in the output counts. It is copied if it is anywhere in the source. Case and
    punctuation are ignored, in any script. Copying is not necessarily good or bad.
    """

    details: ClassVar[tuple[str, ...]] = ("score",)
    citation: ClassVar[str] = "See et al. 2017, ACL, arXiv:1704.04368 (novel n-grams)"

    ngram: int = param(1, minimum=1, help="the number of words of an n-gram")
    side: str = param("source", choices=("source", "context"), help="the text that may have been copied")

    @property
    def columns(self) -> tuple[str, ...]:
        return ("candidate", self.side)

    def prepare(self, setup: Setup) -> Prepared:
        return Prepared(facts={"ngram": self.ngram, "side": self.side})

    def score_rows(self, rows: Sequence[Row], prepared: Prepared, features: Features) -> list[Value]:
        @cache
        def grams_of(other: str) -> frozenset[str] | None:
            split = words(other)
            return frozenset(ngrams(split, self.ngram)) if split else None

        sides = [row.source if self.side == "source" else row.context for row in rows]
        return [
            self._value(row.candidate, side, None if side is None else grams_of(side))
            for row, side in zip(rows, sides, strict=True)
        ]

    def evidence(self, row: Row, prepared: Prepared, features: Features) -> Evidence:
        """The words of the output that are in its source."""
        side = row.source if self.side == "source" else row.context
        return Evidence() if not side else shared_words(row.candidate, {self.side: side})

    def _value(self, candidate: str, side: str | None, grams: frozenset[str] | None) -> Value:
        split = words(candidate)
        candidate_grams = [*ngrams(split, self.ngram)]
        if not candidate_grams:
            few = f"has fewer than {self.ngram} words" if split else "has no words"
            return Value((math.nan,), f"the candidate {few}")
        if grams is None:
            return Value((math.nan,), f"no {self.side}" if side is None else f"the {self.side} has no words")
        return Value((sum(gram in grams for gram in candidate_grams) / len(candidate_grams),))
