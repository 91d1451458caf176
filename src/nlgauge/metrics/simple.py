"""Metrics that need neither a reference nor a model: Column, CopyRate and Length.

Column has the scores of another tool. CopyRate is the share of an output that is copied from its source. Length does
not measure quality, but it is the first baseline for metrics that do.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from nlgauge.contract.base import AMOUNT, SHARE, Limits, Prepared, RowMetric, Setup, Value
from nlgauge.contract.parameters import param
from nlgauge.data.corpus import Row
from nlgauge.data.corpus.numbers import labels_of, number_in, numbers_in, provenance
from nlgauge.data.evidence import Evidence
from nlgauge.engine.features.request import Features
from nlgauge.maths.text import ngrams, sentence_ends, words
from nlgauge.metrics.evidence import shared_words


@dataclass(frozen=True)
class Column(RowMetric):
    """The number that another tool or a judge gave each row, as it stands in a column of the rows.

    Numbers are read as they are. True, yes and pass are read as 1, and False, no and fail as 0. A row without a value
    has no score. Any other text is an error that names its row.
    """

    columns: ClassVar[tuple[str, ...]] = ("candidate",)
    subject: ClassVar[str] = "column"
    example: ClassVar[str] = "verdict"
    cached: ClassVar[bool] = False

    column: str = param(
        help="the name of the column; a path leads into a record, as in 'verdict.score'; 'scores.NAME' is a rating"
    )
    values: Mapping[str, float | None] | None = param(
        None, hash=False, help="numbers by label, as in {'pass': 1, 'fail': 0}; None for a label without a value"
    )
    # Only here it is a parameter; in the base class it stands before all fields.
    higher_is_better: bool = param(True, kw_only=True, help="whether a higher number is better")  # type: ignore[misc]

    def __post_init__(self) -> None:
        if self.values is not None:
            object.__setattr__(self, "values", labels_of(self.name, self.values))
        super().__post_init__()

    @property
    def limits(self) -> Mapping[str, Limits]:
        """The least and the greatest number of the labels; empty if the column has no labels."""
        numbers = [number for number in (self.values or {}).values() if number is not None]
        return {"score": (min(numbers), max(numbers))} if numbers else {}

    def prepare(self, setup: Setup) -> Prepared:
        numbers = numbers_in(setup.corpus, self.column, self.values)
        return Prepared(facts=provenance(setup.corpus, self.column, numbers))

    def score_rows(self, rows: Sequence[Row], prepared: Prepared, features: Features) -> list[Value]:
        numbers = [number_in(row, self.column, self.values) for row in rows]
        return [Value((n,), f"no score in {self.column}" if math.isnan(n) else None) for n in numbers]


@dataclass(frozen=True)
class Length(RowMetric):
    """Length of the output; 0 for an empty one. Longer is not necessarily better."""

    columns: ClassVar[tuple[str, ...]] = ("candidate",)
    details: ClassVar[tuple[str, ...]] = ("score",)
    limits: ClassVar[Mapping[str, Limits]] = {"score": AMOUNT}

    unit: str = param(
        "words",
        choices=("words", "characters", "sentences"),
        help="what is counted: 'words' between spaces, 'characters' (code points), or 'sentences'",
    )

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


@dataclass(frozen=True)
class CopyRate(RowMetric):
    """Share of the output's n-grams that are in its source, 1 minus the share of novel n-grams; 0 to 1.

    Each occurrence of an n-gram in the output counts. It is copied if it is anywhere in the source. Case and
    punctuation are ignored, in any script. Copying is not necessarily good or bad.
    """

    details: ClassVar[tuple[str, ...]] = ("score",)
    limits: ClassVar[Mapping[str, Limits]] = {"score": SHARE}
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
        """Return the words of the output that are in its source."""
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
