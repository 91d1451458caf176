"""CIDEr: how far a candidate's n-grams are those of its references, by tf-idf over the references of the corpus.

Vedantam, Zitnick and Parikh, "CIDEr: Consensus-based Image Description Evaluation", CVPR 2015.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np

from nlgauge.corpus import Corpus, Row
from nlgauge.metrics.base import SPLITTERS, TextMetric, TextScorer, Value, splitter

Gram: TypeAlias = tuple[str, ...]
_SIGMA = 6.0


@dataclass(frozen=True)
class CIDEr(TextMetric):
    """CIDEr: cosine of n-grams weighted by tf-idf, mean over n and over references; 0 to 10.

    An n-gram weighs by how few items have it in their references: a row's value depends on the references of all rows.
    variant: 'd' is CIDEr-D, which clips repeated n-grams and lowers the score of a length that differs by d words by
        exp(-d²/72), and what the COCO program prints as CIDEr; 'plain' is the cosine alone.
    tokenizer: how words are found: 'unicode' (any script, no punctuation), '13a', 'intl', 'zh' or 'char' of sacrebleu,
        or 'spaces'. All in lower case. The COCO program has a tokenizer in Java, whose words are close to 'unicode'.
    """

    citation: ClassVar[str] = "Vedantam et al. 2015, CVPR, arXiv:1411.5726"
    choices: ClassVar[Mapping[str, Sequence[object]]] = {"variant": ("d", "plain"), "tokenizer": SPLITTERS}

    variant: str = "d"
    ngram: int = 4
    tokenizer: str = "unicode"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_whole(ngram=1)

    def scorer(self, corpus: Corpus) -> CIDErScorer:
        return CIDErScorer(self, corpus)


class _Vectors(NamedTuple):
    """A text: for each n the weights of its n-grams and their length."""

    weights: list[dict[Gram, float]]
    norms: list[float]
    words: int


class CIDErScorer(TextScorer):
    """Knows in how many items' references each n-gram stands."""

    def __init__(self, metric: CIDEr, corpus: Corpus) -> None:
        self._metric, self._split = metric, splitter(metric.tokenizer)
        self._grams: dict[str, list[Counter[Gram]]] = {}
        self._vectors: dict[str, _Vectors | None] = {}
        items = dict.fromkeys(
            (row.item, row.references) for row in corpus if any(self._counted(text)[0] for text in row.references)
        )
        self._items = len(items)
        frequencies = Counter(
            gram
            for _, references in items
            for gram in set().union(*(counts for text in references for counts in self._counted(text)))
        )
        self._idf = {gram: math.log(self._items / count) for gram, count in frequencies.items()}
        self.signature = {"items": self._items}

    def score(self, rows: Sequence[Row]) -> list[Value]:
        return [self._value(row) for row in rows]

    def _value(self, row: Row) -> Value:
        candidate, references = self._vector(row.candidate), [self._vector(text) for text in row.references]
        usable = [reference for reference in references if reference is not None]
        if candidate is None or not usable:
            without = "no reference has words" if references else "no reference"
            return Value((np.nan,), "the candidate has no words" if candidate is None else without)
        if self._items < 2:
            return Value((np.nan,), "n-grams are weighted by how few items have them: there is one item only")
        notes = ("references without words left out",) if len(usable) < len(references) else ()
        return Value((10 * sum(self._similarity(candidate, one) for one in usable) / len(usable),), notes=notes)

    def _similarity(self, candidate: _Vectors, reference: _Vectors) -> float:
        clipped = self._metric.variant == "d"
        total = 0.0
        for ours, theirs, a, b in zip(
            candidate.weights, reference.weights, candidate.norms, reference.norms, strict=True
        ):
            # In the candidate's order: that of a set would be another in every run, and sums with it.
            shared = [(one, other) for gram, one in ours.items() if (other := theirs.get(gram)) is not None]
            if not shared:
                break  # nor do they share longer ones
            product = sum([(min(pair) if clipped else pair[0]) * pair[1] for pair in shared])
            total += product / (a * b) if a and b else 0.0
        mean = total / self._metric.ngram
        return mean * math.exp(-((candidate.words - reference.words) ** 2) / (2 * _SIGMA**2)) if clipped else mean

    def _counted(self, text: str) -> list[Counter[Gram]]:
        """Its n-grams by n; none for a text without words."""
        if text not in self._grams:
            words = self._split(text)
            self._grams[text] = [
                Counter(zip(*(words[i:] for i in range(n)), strict=False)) for n in range(1, self._metric.ngram + 1)
            ]
        return self._grams[text]

    def _vector(self, text: str) -> _Vectors | None:
        if text not in self._vectors:
            counted = self._counted(text)
            self._vectors[text] = self._weighted(counted) if counted[0] else None
        return self._vectors[text]

    def _weighted(self, counts: Sequence[Counter[Gram]]) -> _Vectors:
        # An n-gram that no reference has weighs as one that a single item has.
        idf, unseen = self._idf.get, math.log(max(1, self._items))
        weights = [{gram: count * idf(gram, unseen) for gram, count in each.items()} for each in counts]
        return _Vectors(weights, [math.sqrt(sum(w * w for w in each.values())) for each in weights], counts[0].total())
