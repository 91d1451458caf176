"""CDER: a word edit distance in which moving a block has the cost of one edit.

Leusch, Ueffing and Ney, "CDer: Efficient MT Evaluation Using Block Movements", EACL 2006.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from nlgauge.contract.base import Limits, Prepared, Setup
from nlgauge.metrics.references import StringReferenceMetric, splitter, splitter_library, splitter_param
from nlgauge_lab.maths.jumps import MOST_CELLS, Costs, Symbols, jump_distances


@dataclass(frozen=True, kw_only=True)
class CDERPrepared(Prepared):
    """A number for each word, assigned in order of appearance. Scores do not depend on which number a word has."""

    numbers: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class CDER(StringReferenceMetric[Symbols]):
    """CDER: word edits and jumps, in percent of the reference's words; 0 is best.

    Each word of the reference is read once. Words of the candidate may be skipped, at a cost, or read twice. A jump to
    any position costs as much as an edit.
    """

    higher_is_better: ClassVar[bool] = False
    # One edit for each word of the reference, and a jump to the candidate's end: twice a reference of one word.
    limits: ClassVar[Mapping[str, Limits]] = {"score": (0.0, 200.0)}
    citation: ClassVar[str] = "Leusch et al. 2006, EACL"
    worst: ClassVar[float] = 100.0
    undefined: ClassVar[str] = f"the texts are too long: over {MOST_CELLS:,} pairs of words"
    too_long: ClassVar[str | None] = undefined

    tokenizer: str = splitter_param("13a")

    @property
    def libraries(self) -> tuple[str, ...]:  # type: ignore[override]
        return splitter_library(self.tokenizer)

    def prepare(self, setup: Setup) -> CDERPrepared:
        splitter(self.tokenizer)
        return CDERPrepared(facts={"case": "lc", "tok": self.tokenizer})

    def read(self, text: str, prepared: CDERPrepared) -> Symbols | None:
        numbers = prepared.numbers
        words = [numbers.setdefault(word, len(numbers)) for word in splitter(self.tokenizer)(text)]
        return np.array(words, np.int32) if words else None

    def compare(self, pairs: Sequence[tuple[Symbols, Symbols]], prepared: CDERPrepared) -> list[tuple[float]]:
        distances = jump_distances(pairs, Costs(1, 1, 1, 1))
        return [(100 * cost / len(reference),) for (_, reference), (cost, _) in zip(pairs, distances, strict=True)]
