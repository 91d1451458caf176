"""SARI: what a simplification adds, keeps and deletes of its source, and whether references do so too.

Xu, Napoles, Pavlick, Chen and Callison-Burch, "Optimizing Statistical Machine Translation for Text Simplification",
TACL 2016; values of all rows together as in EASSE: Alva-Manchego et al., EMNLP 2019 (system demonstrations).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np

from nlgauge.corpus import Corpus, Row
from nlgauge.metrics.base import SPLITTERS, TextMetric, TextScorer, Value, splitter

Counts: TypeAlias = dict[str, int]
_ORDERS = 4


@dataclass(frozen=True)
class SARI(TextMetric):
    """SARI: F of what is added, F of what is kept and precision of what is deleted, n-grams of 1 to 4 words; 0 to 100.

    Needs a source. All references are taken together: an n-gram is kept or deleted as far as references do so. The
    value of all rows together is that of their summed counts, and takes F for what is deleted too, as EASSE does.
    variant: of rows: 'fixed', as the programs of Google and Hugging Face have it: a share of nothing is 1, and recall
        of what is kept counts every time an n-gram stands there; or 'original', the authors' program: a share of
        nothing is 0 (the deletions of a copy, say), and recall of what is kept is a mean over n-grams.
    tokenizer: how words are found: '13a', 'intl', 'zh' or 'char' of sacrebleu, 'unicode' (any script, no punctuation)
        or 'spaces'. All in lower case.
    """

    parts: ClassVar[tuple[str, ...]] = ("sari", "add", "keep", "delete")
    citation: ClassVar[str] = "Xu et al. 2016, TACL"
    choices: ClassVar[Mapping[str, Sequence[object]]] = {"variant": ("fixed", "original"), "tokenizer": SPLITTERS}

    variant: str = "fixed"
    tokenizer: str = "13a"

    def scorer(self, corpus: Corpus) -> SARIScorer:
        return SARIScorer(self)


class _Asked(NamedTuple):
    """What source and references ask of one order of n-grams; counts are times the number of references."""

    source: Counts
    references: Counts
    keep: Counts
    """Of the source, in references"""
    add: int
    """N-grams of references that are not in the source"""
    kept: int
    deleted: int
    """How many times n-grams of the source are to be kept, to be deleted"""
    all_deleted: tuple[float, int, int, int]
    """`_deleted` of all n-grams of the source, summed"""


class SARIScorer(TextScorer):
    """Reads each distinct text, and each distinct pair of source and references, once."""

    formula: Mapping[str, object] | None = {"name": "sari"}

    def __init__(self, metric: SARI) -> None:
        self._fixed, self._split = metric.variant == "fixed", splitter(metric.tokenizer)
        self._grams: dict[str, list[Counts]] = {}
        self._asked: dict[tuple[str, tuple[str, ...]], list[_Asked]] = {}

    def score(self, rows: Sequence[Row]) -> list[Value]:
        found: dict[tuple[str, str | None, tuple[str, ...]], Value] = {}
        for row in rows:
            key = row.candidate, row.source, row.references
            if key not in found:
                found[key] = self._value(row)
        return [found[row.candidate, row.source, row.references] for row in rows]

    def _value(self, row: Row) -> Value:
        usable = tuple(text for text in row.references if self._counted(text)[0])
        reason = None
        if not self._counted(row.source or "")[0]:
            reason = "no source" if row.source is None else "the source has no words"
        elif not usable:
            reason = "no reference has words" if row.references else "no reference"
        if reason:
            return Value((np.nan,) * 4, reason)
        asked = self._asked.get((row.source or "", usable))
        if asked is None:
            asked = self._asked[row.source or "", usable] = self._asks(row.source or "", usable)
        orders = [
            self._order(ours, one, len(usable)) for ours, one in zip(self._counted(row.candidate), asked, strict=True)
        ]
        counts = tuple(count for at in range(9) for count in (float(found[1][at]) for found in orders))
        if not self._counted(row.candidate)[0]:
            return Value((np.nan,) * 4, "the candidate has no words", counts=counts)
        shares = [100 * sum(found[0][at] for found in orders) / _ORDERS for at in range(3)]
        notes = ("references without words left out",) if len(usable) < len(row.references) else ()
        return Value((sum(shares) / 3, *shares), None, notes, counts)

    def _counted(self, text: str) -> list[Counts]:
        """How often each n-gram stands in a text, by order."""
        if text not in self._grams:
            words = self._split(text)
            self._grams[text] = [
                dict(Counter(map(" ".join, zip(*(words[i:] for i in range(n)), strict=False))))
                for n in range(1, _ORDERS + 1)
            ]
        return self._grams[text]

    def _asks(self, source: str, references: tuple[str, ...]) -> list[_Asked]:
        asked = []
        for order, counts in enumerate(self._counted(source)):
            theirs: Counts = dict(sum((Counter(self._counted(text)[order]) for text in references), Counter()))
            ours = {gram: count * len(references) for gram, count in counts.items()}
            keep = {gram: min(count, theirs[gram]) for gram, count in ours.items() if gram in theirs}
            delete = sum(max(0, count - theirs.get(gram, 0)) for gram, count in ours.items())
            add = len(theirs.keys() - ours.keys())
            gone = [_deleted(count, count, theirs.get(gram, 0)) for gram, count in ours.items()]
            right, grams, good, times = (sum(each) for each in zip(*gone, strict=True)) if gone else (0.0, 0, 0, 0)
            asked.append(_Asked(ours, theirs, keep, add, sum(keep.values()), delete, (right, grams, good, times)))
        return asked

    def _order(self, candidate: Counts, asked: _Asked, references: int) -> tuple[tuple[float, ...], list[int]]:
        """Of one order: scores of adding, keeping and deleting, and of each the counts: good, candidate's, asked."""
        right, grams, good, times = asked.all_deleted
        kept = kept_good = 0
        kept_right = kept_all = 0.0
        shared = [gram for gram in candidate if gram in asked.source]  # in an order that is the same in every run
        for gram in shared:
            ours, theirs, wanted = asked.source[gram], asked.references.get(gram, 0), asked.keep.get(gram, 0)
            stays = min(ours, candidate[gram] * references)
            kept, kept_good = kept + stays, kept_good + min(stays, wanted)
            kept_right += min(stays, wanted) / stays
            kept_all += min(stays, wanted) / wanted if wanted else 0.0
            before, now = _deleted(ours, ours, theirs), _deleted(ours - stays, ours, theirs)
            right, grams = right + now[0] - before[0], grams + now[1] - before[1]
            good, times = good + now[2] - before[2], times + now[3] - before[3]
        added = len(candidate) - len(shared)
        added_good = sum(gram in asked.references and gram not in asked.source for gram in candidate)
        recall = self._share(kept_good, asked.kept) if self._fixed else self._share(kept_all, len(asked.keep))
        scores = (
            _f(self._share(added_good, added), self._share(added_good, asked.add)),
            _f(self._share(kept_right, len(shared)), recall),
            self._share(right, grams),
        )
        return scores, [added_good, added, asked.add, kept_good, kept, asked.kept, good, times, asked.deleted]

    def _share(self, good: float, of: int) -> float:
        return good / of if of else float(self._fixed)


def _f(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _deleted(times: int, source: int, references: int) -> tuple[float, int, int, int]:
    """Of an n-gram of the source that is deleted so many times: share deleted rightly, 1 if any, times rightly, times.

    The authors' share is of the times beyond those in references; the summed counts take all that may be deleted.
    """
    if times <= 0:
        return 0.0, 0, 0, 0
    return max(0, times - references) / times, 1, min(times, max(0, source - references)), times
