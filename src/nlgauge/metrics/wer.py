"""WER and CER: the rates of inserted, deleted and replaced words or characters, as in speech recognition.

Levenshtein, "Binary codes capable of correcting deletions, insertions and reversals", Soviet Physics Doklady 1966.
Edits are counted by rapidfuzz. The scores equal jiwer's, times 100.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from nlgauge.data.corpus import Row
from nlgauge.engine.features.request import Features
from nlgauge.errors import MissingExtraError
from nlgauge.metrics.base import Prepared, RowMetric, Setup, Value
from nlgauge.metrics.evidence import Evidence, shared_with_references
from nlgauge.metrics.parameters import param
from nlgauge.metrics.references import EMPTY
from nlgauge.metrics.translation_counts import Pair, counted_values

_FORMULA: Mapping[str, object] = {"name": "rate"}
_MOST_CELLS = 10**12
"""Symbols of a candidate times symbols of a reference (a million each take about ten seconds)"""


@dataclass(frozen=True)
class WER(RowMetric):
    """WER: word edits, in percent of the reference's words; 0 is best.

    Words are separated by spaces and include punctuation.
    """

    higher_is_better: ClassVar[bool] = False
    citation: ClassVar[str] = "Levenshtein 1966, Soviet Physics Doklady"
    libraries: ClassVar[tuple[str, ...]] = ("rapidfuzz",)

    references: str = param(
        "joint", choices=("joint", "mean"),
        help="'joint' uses the reference with the lowest rate. With 'mean', references are scored one by one, and "
        "the corpus score is the mean over rows.",
    )  # fmt: skip
    empty: str = param("undefined", choices=("undefined", "worst"), help=EMPTY)
    lowercase: bool = param(False, help="compare texts in lower case")

    @property
    def formula(self) -> Mapping[str, object] | None:
        return _FORMULA if self.references == "joint" else None

    def prepare(self, setup: Setup) -> Prepared:
        try:
            import rapidfuzz
        except ImportError:
            raise MissingExtraError(self.name, "strings") from None
        facts = {"library": f"rapidfuzz-{rapidfuzz.__version__}", "case": "lc" if self.lowercase else "mixed"}
        return Prepared(facts=facts)

    def score_rows(self, rows: Sequence[Row], prepared: Prepared, features: Features) -> list[Value]:
        from rapidfuzz.distance.Levenshtein import distance

        numbers: dict[str, int] = {}

        def edits(candidate: Sequence[Hashable], reference: Sequence[Hashable]) -> float:
            return math.nan if len(candidate) * len(reference) > _MOST_CELLS else distance(candidate, reference)

        def count(pairs: Sequence[Pair]) -> list[tuple[float, float]]:
            counts = []
            for text, references in pairs:
                own = self._symbols(text, numbers)
                others = [self._symbols(reference, numbers) for reference in references]
                found = [(edits(own, other), float(len(other))) for other in others]
                # Equal rates may be of unlike counts, which the corpus score sums: their order must not decide.
                counts.append(min(found, key=lambda one: (one[0] / one[1], one[1])))
            return counts

        return counted_values(self, rows, count, lambda counts: 100 * counts[0] / counts[1])

    def evidence(self, row: Row, prepared: Prepared, features: Features) -> Evidence:
        """The words that the candidate shares with its references."""
        return shared_with_references(row)

    def _symbols(self, text: str, numbers: dict[str, int]) -> Sequence[Hashable]:
        """The symbols that are compared: a number for each word, because rapidfuzz compares strings by their hash."""
        words = (text.lower() if self.lowercase else text).split()
        return [numbers.setdefault(word, len(numbers)) for word in words]


@dataclass(frozen=True)
class CER(WER):
    """CER: character edits, in percent of the reference's characters; 0 is best.

    A run of spaces counts as one character, and spaces at the ends do not count.
    """

    def _symbols(self, text: str, numbers: dict[str, int]) -> Sequence[Hashable]:
        return " ".join((text.lower() if self.lowercase else text).split())
