"""CDER and EED: edit distances that let blocks move for one cost, of words and of characters.

CDER: Leusch, Ueffing and Ney, "CDer: Efficient MT Evaluation Using Block Movements", EACL 2006.
EED: Stanchev, Wang and Ney, "EED: Extended Edit Distance Measure for Machine Translation", WMT 2019.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nlgauge.corpus import Corpus
from nlgauge.maths.jumps import Costs, Symbols, jump_distances
from nlgauge.metrics.base import SPLITTERS, Pair, TextPairScorer, TextReferenceMetric, splitter


@dataclass(frozen=True)
class CDER(TextReferenceMetric):
    """CDER: edits of words and jumps, in hundredths of the reference's words; 0 is best.

    Each word of the reference is covered once; of the candidate words may be passed over, at a cost, or read twice, and
    a jump to any place costs as much as an edit.
    tokenizer: how words are found: '13a', 'intl', 'zh' or 'char' of sacrebleu, 'unicode' (any script, no punctuation)
        or 'spaces'. All in lower case.
    """

    higher_is_better: ClassVar[bool] = False
    citation: ClassVar[str] = "Leusch et al. 2006, EACL"
    worst: ClassVar[float] = 100.0
    choices: ClassVar[Mapping[str, Sequence[object]]] = {**TextReferenceMetric.choices, "tokenizer": SPLITTERS}

    tokenizer: str = "13a"

    def scorer(self, corpus: Corpus) -> CDERScorer:
        return CDERScorer(self)


class CDERScorer(TextPairScorer):
    """Numbers words and compares many texts at a time."""

    metric: CDER

    def __init__(self, metric: CDER) -> None:
        super().__init__(metric)
        self._split = splitter(metric.tokenizer)
        self._numbers: dict[str, int] = {}

    def read(self, text: str) -> Symbols | None:
        numbers = self._numbers
        words = [numbers.setdefault(word, len(numbers)) for word in self._split(text)]
        return np.array(words, np.int32) if words else None

    def measure(self, pairs: Sequence[Pair]) -> list[tuple[float]]:
        found = jump_distances(pairs, Costs(1, 1, 1, 1))
        return [(100 * cost / len(reference),) for (_, reference), (cost, _) in zip(pairs, found, strict=True)]


@dataclass(frozen=True)
class EED(TextReferenceMetric):
    """EED: edits of characters and jumps between words, with a cost for reading a place again; 0 is best, 1 worst.

    Punctuation marks are set apart first, and texts end and start with a space. Case counts.
    """

    higher_is_better: ClassVar[bool] = False
    citation: ClassVar[str] = "Stanchev et al. 2019, WMT"
    worst: ClassVar[float] = 1.0

    def scorer(self, corpus: Corpus) -> EEDScorer:
        return EEDScorer(self)


class EEDScorer(TextPairScorer):
    """Compares many texts at a time."""

    def read(self, text: str) -> Symbols | None:
        prepared = prepare(text)
        if not prepared.strip():
            return None
        return np.frombuffer(prepared.encode("utf-32-le", "surrogatepass"), "<i4").astype(np.int32)

    def measure(self, pairs: Sequence[Pair]) -> list[tuple[float]]:
        found = jump_distances(pairs, Costs(0.2, 1, 1, 2), jumps_after=ord(" "))
        out: list[tuple[Any]] = []
        for (_, reference), (cost, visits) in zip(pairs, found, strict=True):
            coverage = 0.3 * np.where(visits > 0, visits - 1, 1).sum()
            out.append((float(min(1.0, (cost + coverage) / (len(reference) + coverage))),))
        return out


# Where a text comes with its marks set apart already, those of numbers and abbreviations are joined again.
_JOINED = [
    (re.compile(r"(\d) ([.,]) (\d)"), r"\1\2\3"),
    (re.compile(r"(Dr|Jr|Prof|Rev|Gen|Mr|Mt|Mrs|Ms) \."), r"\1."),
    (re.compile(r"e \. g \."), "e.g."),
    (re.compile(r"i \. e \."), "i.e."),
    (re.compile(r"U \. S \."), "U.S."),
]


def prepare(text: str) -> str:
    """The text with a space before each of . , ! ? and at both ends, as the authors' program has it for English."""
    text = re.sub(r"\s+", " ", re.sub(r"([.!?,])", r" \1", text.rstrip()))
    for apart, together in _JOINED:
        text = apart.sub(together, text)
    return f" {text} "
