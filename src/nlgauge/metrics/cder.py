"""CDER: an edit distance of words that lets blocks move for one cost.

Leusch, Ueffing and Ney, "CDer: Efficient MT Evaluation Using Block Movements", EACL 2006.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from nlgauge.maths.jumps import Costs, jump_distances
from nlgauge.maths.ngrams import numbered
from nlgauge.metrics.base import Prepared, Setup
from nlgauge.metrics.references import StringReferenceMetric
from nlgauge.metrics.splitters import SPLITTERS, splitter, splitter_library

Words: TypeAlias = list[str]


@dataclass(frozen=True)
class CDER(StringReferenceMetric[Prepared, Words]):
    """CDER: edits of words and jumps, in hundredths of the reference's words; 0 is best.

    Each word of the reference is covered once; of the candidate words may be passed over, at a cost, or read twice, and
    a jump to any place costs as much as an edit.
    tokenizer: how words are found: '13a', 'intl', 'zh' or 'char' of sacrebleu, 'unicode' (any script, no punctuation)
        or 'spaces'. All in lower case.
    """

    higher_is_better: ClassVar[bool] = False
    citation: ClassVar[str] = "Leusch et al. 2006, EACL"
    worst: ClassVar[float] = 100.0
    choices: ClassVar[Mapping[str, Sequence[object]]] = {**StringReferenceMetric.choices, "tokenizer": SPLITTERS}

    tokenizer: str = "13a"

    @property
    def libraries(self) -> tuple[str, ...]:
        return splitter_library(self.tokenizer)

    def prepare(self, setup: Setup) -> Prepared:
        splitter(self.tokenizer)
        return Prepared(facts={"case": "lc", "tok": self.tokenizer})

    def read(self, text: str, prepared: Prepared) -> Words | None:
        return splitter(self.tokenizer)(text) or None

    def compare(self, pairs: Sequence[tuple[Words, Words]], prepared: Prepared) -> list[tuple[float]]:
        texts = {id(words): words for pair in pairs for words in pair}
        symbols = dict(zip(texts, (one.astype(np.int32) for one in numbered(list(texts.values()))), strict=True))
        distances = jump_distances([(symbols[id(one)], symbols[id(other)]) for one, other in pairs], Costs(1, 1, 1, 1))
        return [(100 * cost / len(reference),) for (_, reference), (cost, _) in zip(pairs, distances, strict=True)]
