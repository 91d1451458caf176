"""BLEU: Papineni, Roukos, Ward and Zhu, "Bleu: a Method for Automatic Evaluation of Machine Translation", ACL 2002.

sacrebleu splits the texts into words. N-grams are counted here, with the same results.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from itertools import chain
from operator import or_
from typing import ClassVar

from nlgauge.data.corpus import Row
from nlgauge.engine.features.request import Features
from nlgauge.errors import SpecError
from nlgauge.maths.ngrams import ngrams
from nlgauge.metrics.base import Prepared, RowMetric, Setup, Value
from nlgauge.metrics.evidence import Evidence, shared_with_references
from nlgauge.metrics.translation_counts import Pair, Sacrebleu, counted_values, sacrebleu_facts, sacrebleu_metric

_CONSTANTS = {"floor": 0.1, "add-k": 1.0}


@dataclass(frozen=True)
class BLEU(RowMetric):
    """BLEU: precision of word n-grams, with a brevity penalty; 0 to 100.

    lowercase: compare texts in lower case. ngram: maximum length of n-grams.

    A row score leaves out orders for which the candidate is too short (sacrebleu's effective order); the corpus score
    does not. smooth: 'exp', 'floor', 'add-k' or 'none', for orders without a match. smooth_value: the matches that
    'floor' uses (by default 0.1) or that 'add-k' adds (1). tokenizer: '13a', 'intl', 'zh', 'char' or 'none' of
    sacrebleu. references: with 'joint', n-grams of all references count; with 'best' or 'mean', references are scored
    one by one, and the corpus score is the mean over rows.
    """

    citation: ClassVar[str] = "Papineni et al. 2002, ACL"
    libraries: ClassVar[tuple[str, ...]] = ("sacrebleu",)
    choices: ClassVar[Mapping[str, Sequence[object]]] = {
        "references": ("joint", "best", "mean"),
        "empty": ("undefined", "worst"),
        "tokenizer": ("13a", "intl", "zh", "char", "none"),
        "smooth": ("exp", "floor", "add-k", "none"),
    }
    least: ClassVar[Mapping[str, float]] = {"ngram": 1}

    references: str = "joint"
    empty: str = "undefined"
    """The score of a row with references but words on one side only: 'undefined', or the 'worst' score, as in
    sacrebleu. The corpus score counts such a row in any case"""
    lowercase: bool = False
    tokenizer: str = "13a"
    smooth: str = "exp"
    smooth_value: float | None = None
    ngram: int = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.smooth_value is not None and (self.smooth not in _CONSTANTS or not 0 < self.smooth_value < math.inf):
            raise SpecError("BLEU: smooth_value is a number above 0, for smooth='floor' or 'add-k'")

    @property
    def formula(self) -> Mapping[str, object] | None:
        return self._formula(effective=False) if self.references == "joint" else None

    def prepare(self, setup: Setup) -> Prepared:
        return Prepared(facts=sacrebleu_facts(self._sacrebleu(), setup.corpus))

    def score_rows(self, rows: Sequence[Row], prepared: Prepared, features: Features) -> list[Value]:
        tokenize = _tokenizer(self.tokenizer)

        def words(text: str) -> list[str]:
            return tokenize((text.lower() if self.lowercase else text).rstrip()).split()

        @cache
        def most(references: tuple[str, ...]) -> tuple[Mapping[str, int], Sequence[int]]:
            split = [words(text) for text in references]
            counts = reduce(or_, (grams(each, self.ngram) for each in split))
            return counts, sorted({len(each) for each in split})

        def count(pairs: Sequence[Pair]) -> list[list[int]]:
            return [clipped_counts(words(text), *most(references), self.ngram) for text, references in pairs]

        return counted_values(self, rows, count, self._formula(effective=True))

    def evidence(self, row: Row, prepared: Prepared, features: Features) -> Evidence:
        """The words that the candidate shares with its references."""
        return shared_with_references(row)

    def _formula(self, effective: bool) -> dict[str, object]:
        constant = _CONSTANTS.get(self.smooth, 0.0) if self.smooth_value is None else float(self.smooth_value)
        return {"name": "bleu", "smooth": self.smooth, "constant": constant, "effective": effective}

    def _sacrebleu(self) -> Sacrebleu:
        return sacrebleu_metric(
            "BLEU",
            "BLEU",
            lowercase=self.lowercase,
            tokenize=self.tokenizer,
            smooth_method=self.smooth,
            smooth_value=self.smooth_value,
            max_ngram_order=self.ngram,
            effective_order=self.references != "joint",
        )


@cache
def _tokenizer(name: str) -> Callable[[str], str]:
    """sacrebleu's, which remembers texts as long as it is the same one: systems share their references."""
    return sacrebleu_metric("BLEU", "BLEU", tokenize=name).tokenizer


def grams(words: Sequence[str], longest: int) -> Counter[str]:
    """The count of each n-gram of a text, for all n up to `longest`."""
    return Counter(chain.from_iterable(ngrams(words, n) for n in range(1, longest + 1)))


def clipped_counts(words: Sequence[str], most: Mapping[str, int], lengths: Sequence[int], longest: int) -> list[int]:
    """Counts of a candidate: its words, words of the reference nearest in length, clipped matches, all n-grams.

    The last two are for each n up to `longest`. most: the maximum count of each n-gram in a reference. lengths: words
    of the references, shortest first.
    """
    size, own = len(words), grams(words, longest)
    matches = [0] * longest
    for gram in own.keys() & most.keys():
        matches[gram.count(" ")] += min(own[gram], most[gram])
    nearest = min(lengths, key=lambda length: abs(length - size))  # the shorter of two equally near
    return [size, nearest, *matches, *(max(0, size - n) for n in range(longest))]
