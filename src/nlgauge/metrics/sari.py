"""SARI: the n-grams that a simplification adds to its source, keeps and deletes, judged by the references.

Xu, Napoles, Pavlick, Chen and Callison-Burch, "Optimizing Statistical Machine Translation for Text Simplification",
TACL 2016; corpus scores as in EASSE: Alva-Manchego et al., EMNLP 2019 (system demonstrations).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, NamedTuple, TypeAlias

from nlgauge.contract.base import PERCENT, Limits, Prepared, RowMetric, Setup, Value
from nlgauge.contract.parameters import param
from nlgauge.data.corpus import Row
from nlgauge.data.evidence import Evidence
from nlgauge.engine.features.request import Features
from nlgauge.maths.text import ngrams
from nlgauge.metrics.evidence import shared_with_references
from nlgauge.metrics.references import LEFT_OUT, splitter, splitter_library, splitter_param

Counts: TypeAlias = dict[str, int]
Read: TypeAlias = Callable[[str], Sequence[Counts]]
"""A function from a text to the count of each of its n-grams, for each order"""
_ORDERS = 4


class Asked(NamedTuple):
    """The n-grams of one order in source and references.

    The source's counts are multiplied by the number of references, because the references' counts are sums over all of
    them.
    """

    source: Counts
    references: Counts
    keep: Counts
    """The n-grams of the source that should be kept, because references have them, with their counts"""
    add: int
    """The number of n-grams that should be added: references have them, and the source does not"""
    kept: int
    """The sum of the counts of the n-grams that should be kept"""
    deleted: int
    """The sum of the counts of the n-grams that should be deleted"""
    all_deleted: tuple[float, int, int, int]
    """The sums of the results of `_deleted` over all n-grams of the source, for a candidate that deletes all of them"""
    texts: int
    """The number of references"""


@dataclass(frozen=True)
class SARI(RowMetric):
    """SARI: F of added, F of kept and precision of deleted n-grams of 1 to 4 words; 0 to 100.

    It needs a source. All references are used together: an n-gram should be kept or deleted as far as references do so.
    The corpus score comes from summed counts and uses F for deletions too, as in EASSE.
    """

    columns: ClassVar[tuple[str, ...]] = ("candidate", "source", "references")
    parts: ClassVar[tuple[str, ...]] = ("sari", "add", "keep", "delete")
    limits: ClassVar[Mapping[str, Limits]] = dict.fromkeys(parts, PERCENT)
    citation: ClassVar[str] = "Xu et al. 2016, TACL"
    formula: ClassVar[Mapping[str, object]] = {"name": "sari"}

    variant: str = param(
        "fixed",
        choices=("fixed", "original"),
        help="for row scores. 'fixed', as in the programs of Google and Hugging Face: 0/0 is 1, and the recall of "
        "kept n-grams counts every occurrence. 'original', the authors' program: 0/0 is 0 (for example the deletions "
        "of a copy), and this recall is a mean over n-grams.",
    )
    tokenizer: str = splitter_param("13a")

    @property
    def libraries(self) -> tuple[str, ...]:  # type: ignore[override]
        return splitter_library(self.tokenizer)

    def prepare(self, setup: Setup) -> Prepared:
        splitter(self.tokenizer)
        return Prepared(facts={"variant": self.variant, "case": "lc", "tok": self.tokenizer})

    def score_rows(self, rows: Sequence[Row], prepared: Prepared, features: Features) -> list[Value]:
        read = cache(self._read)
        asked = cache(lambda source, references: _asked(read(source), [read(text) for text in references]))
        value = cache(
            lambda candidate, source, references: self._value(
                candidate, source, references=references, read=read, asked=asked
            )
        )
        return [value(row.candidate, row.source, row.references) for row in rows]

    def evidence(self, row: Row, prepared: Prepared, features: Features) -> Evidence:
        """Return the words that the candidate shares with its references."""
        return shared_with_references(row)

    def _read(self, text: str) -> Sequence[Counts]:
        words = splitter(self.tokenizer)(text)
        return [dict(Counter(ngrams(words, n))) for n in range(1, _ORDERS + 1)]

    def _value(
        self,
        candidate: str,
        source: str | None,
        references: tuple[str, ...],
        read: Read,
        asked: Callable[[str, tuple[str, ...]], Sequence[Asked]],
    ) -> Value:
        usable = tuple(text for text in references if read(text)[0])
        if source is None or not read(source)[0]:
            return Value((math.nan,) * 4, "no source" if source is None else "the source has no words")
        if not usable:
            return Value((math.nan,) * 4, "no reference has words" if references else "no reference")
        scores, kinds = zip(*map(self._order, read(candidate), asked(source, usable)), strict=True)
        counts = tuple(float(count) for of_orders in zip(*kinds, strict=True) for count in of_orders)
        if not read(candidate)[0]:
            return Value((math.nan,) * 4, "the candidate has no words", counts=counts)
        parts = [100 * sum(of_orders) / _ORDERS for of_orders in zip(*scores, strict=True)]
        notes = (LEFT_OUT,) if len(usable) < len(references) else ()
        return Value((sum(parts) / 3, *parts), None, notes, counts)

    def _order(self, candidate: Counts, asked: Asked) -> tuple[tuple[float, float, float], tuple[int, ...]]:
        """Return the scores and counts of a candidate for one order of n-grams.

        Args:
            candidate: the counts of the candidate's n-grams.
            asked: the n-grams of source and references.

        Returns:
            The scores of adding, keeping and deleting; and for each of the three: correct, all and required n-grams.
        """
        right, grams, good, times = asked.all_deleted
        kept = kept_good = 0
        kept_right = kept_all = 0.0
        shared = [gram for gram in candidate if gram in asked.source]  # in the same order in every run
        for gram in shared:
            in_source, in_references = asked.source[gram], asked.references.get(gram, 0)
            wanted = asked.keep.get(gram, 0)
            stays = min(in_source, candidate[gram] * asked.texts)
            kept, kept_good = kept + stays, kept_good + min(stays, wanted)
            kept_right += min(stays, wanted) / stays
            kept_all += min(stays, wanted) / wanted if wanted else 0.0
            before = _deleted(in_source, in_source, in_references)
            now = _deleted(in_source - stays, in_source, in_references)
            right, grams = right + now[0] - before[0], grams + now[1] - before[1]
            good, times = good + now[2] - before[2], times + now[3] - before[3]
        added = len(candidate) - len(shared)
        added_good = sum(gram in asked.references and gram not in asked.source for gram in candidate)
        recall = (
            self._share(kept_good, asked.kept) if self.variant == "fixed" else self._share(kept_all, len(asked.keep))
        )
        scores = (
            _f(self._share(added_good, added), self._share(added_good, asked.add)),
            _f(self._share(kept_right, len(shared)), recall),
            self._share(right, grams),
        )
        return scores, (added_good, added, asked.add, kept_good, kept, asked.kept, good, times, asked.deleted)

    def _share(self, good: float, of: int) -> float:
        return good / of if of else float(self.variant == "fixed")


def _asked(source: Sequence[Counts], references: Sequence[Sequence[Counts]]) -> list[Asked]:
    asked = []
    for order, counts in enumerate(source):
        in_references: Counts = dict(sum((Counter(reference[order]) for reference in references), Counter()))
        in_source = {gram: count * len(references) for gram, count in counts.items()}
        keep = {gram: min(count, in_references[gram]) for gram, count in in_source.items() if gram in in_references}
        delete = sum(max(0, count - in_references.get(gram, 0)) for gram, count in in_source.items())
        add = len(in_references.keys() - in_source.keys())
        gone = [_deleted(count, count, in_references.get(gram, 0)) for gram, count in in_source.items()]
        right, grams, good, times = (sum(each) for each in zip(*gone, strict=True)) if gone else (0.0, 0, 0, 0)
        deleted = (right, grams, good, times)
        asked.append(
            Asked(
                source=in_source,
                references=in_references,
                keep=keep,
                add=add,
                kept=sum(keep.values()),
                deleted=delete,
                all_deleted=deleted,
                texts=len(references),
            )
        )
    return asked


def _f(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _deleted(times: int, source: int, references: int) -> tuple[float, int, int, int]:
    """Return the parts of the score of an n-gram of the source that is deleted.

    The share counts the deletions beyond the n-gram's count in references, as in the authors' program.

    Args:
        times: how often the candidate deletes the n-gram.
        source: the count of the n-gram in the source.
        references: its count in all references.

    Returns:
        The share of deletions that are correct; 1 if there is a deletion, else 0; the number of correct deletions; and
        the number of deletions.
    """
    if times <= 0:
        return 0.0, 0, 0, 0
    return max(0, times - references) / times, 1, min(times, max(0, source - references)), times
