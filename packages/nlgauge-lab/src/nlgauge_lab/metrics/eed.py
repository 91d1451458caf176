"""EED: a character edit distance in which moving a block has a fixed cost.

Stanchev, Wang and Ney, "EED: Extended Edit Distance Measure for Machine Translation", WMT 2019.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge.contract.base import SHARE, Limits, Prepared, Setup
from nlgauge.metrics.references import StringReferenceMetric
from nlgauge_lab.maths.jumps import MOST_CELLS, Costs, Symbols, jump_distances


@dataclass(frozen=True)
class EED(StringReferenceMetric[Symbols]):
    """EED: character edits and jumps between words, with a cost for reading a position again; 0 is best, 1 worst.

    Punctuation marks are separated by spaces first, and texts begin and end with a space. Case counts.
    """

    higher_is_better: ClassVar[bool] = False
    limits: ClassVar[Mapping[str, Limits]] = {"score": SHARE}
    citation: ClassVar[str] = "Stanchev et al. 2019, WMT"
    worst: ClassVar[float] = 1.0
    undefined: ClassVar[str] = f"the texts are too long: over {MOST_CELLS:,} pairs of characters"
    too_long: ClassVar[str | None] = undefined

    def prepare(self, setup: Setup) -> Prepared:
        return Prepared(facts={"case": "mixed"})

    def read(self, text: str, prepared: Prepared) -> Symbols | None:
        apart = with_marks_apart(text)
        if not apart.strip():
            return None
        return np.frombuffer(apart.encode("utf-32-le", "surrogatepass"), "<i4").astype(np.int32)

    def compare(self, pairs: Sequence[tuple[Symbols, Symbols]], prepared: Prepared) -> list[tuple[float]]:
        distances = jump_distances(pairs, Costs(0.2, 1, 1, 2), jumps_after=ord(" "))
        scores = []
        for (_, reference), (cost, visits) in zip(pairs, distances, strict=True):
            coverage = 0.3 * np.where(visits > 0, visits - 1, 1).sum()
            scores.append((float(np.minimum(1.0, (cost + coverage) / (len(reference) + coverage))),))  # keeps a NaN
        return scores


# Punctuation inside numbers and abbreviations is joined again.
_JOINED = [
    (re.compile(r"(\d) ([.,]) (\d)"), r"\1\2\3"),
    (re.compile(r"(Dr|Jr|Prof|Rev|Gen|Mr|Mt|Mrs|Ms) \."), r"\1."),
    (re.compile(r"e \. g \."), "e.g."),
    (re.compile(r"i \. e \."), "i.e."),
    (re.compile(r"U \. S \."), "U.S."),
]


def with_marks_apart(text: str) -> str:
    """Return the text with a space before each of . , ! ? and at both ends, as in the authors' program for English.

    Numbers such as 1.5 and some abbreviations are not split.
    """
    text = re.sub(r"\s+", " ", re.sub(r"([.!?,])", r" \1", text.rstrip()))
    for apart, together in _JOINED:
        text = apart.sub(together, text)
    return f" {text} "
