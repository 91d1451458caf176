"""CIDEr: similarity of the n-grams of candidate and references, weighted by tf-idf over the corpus's references.

Vedantam, Zitnick and Parikh, "CIDEr: Consensus-based Image Description Evaluation", CVPR 2015.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, NamedTuple

from nlgauge.contract.base import Limits, Prepared, RowMetric, Setup, Value
from nlgauge.contract.parameters import param
from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.evidence import Evidence
from nlgauge.engine.features.request import Features
from nlgauge.maths.text import ngrams
from nlgauge.metrics.evidence import shared_with_references
from nlgauge.metrics.references import LEFT_OUT, RowPairs, paired, splitter, splitter_library, splitter_param

_SIGMA = 6.0


class Vectors(NamedTuple):
    """The tf-idf vectors of a text: for each n, the weights of its n-grams and their norm."""

    weights: list[dict[str, float]]
    norms: list[float]
    words: int


@dataclass(frozen=True, kw_only=True)
class CIDErPrepared(Prepared):
    """The weights of n-grams.

    `idf` has, for each n-gram, ln(all items / items with the n-gram in a reference). `items` is the number of items.
    """

    items: int
    idf: Mapping[str, float]


@dataclass(frozen=True)
class CIDEr(RowMetric):
    """CIDEr: tf-idf cosine of n-grams, averaged over n and over references; 0 to 10.

    The weight of an n-gram depends on how many items have it in their references, so a row's score depends on all rows.
    The Java tokenizer of the COCO program is close to 'unicode'.
    """

    uses_corpus: ClassVar[bool] = True
    limits: ClassVar[Mapping[str, Limits]] = {"score": (0.0, 10.0)}
    citation: ClassVar[str] = "Vedantam et al. 2015, CVPR, arXiv:1411.5726"

    variant: str = param(
        "d",
        choices=("d", "plain"),
        help="'d' is CIDEr-D, which the COCO program prints as CIDEr. It clips repeated n-grams and multiplies the "
        "score by exp(-d²/72) if the lengths differ by d words. 'plain' is only the cosine.",
    )
    ngram: int = param(4, minimum=1, help="maximum length of n-grams, in words")
    tokenizer: str = splitter_param("unicode")

    @property
    def libraries(self) -> tuple[str, ...]:  # type: ignore[override]
        return splitter_library(self.tokenizer)

    def prepare(self, setup: Setup) -> CIDErPrepared:
        items, frequencies = self._frequencies(setup.corpus)
        facts = {"variant": self.variant, "case": "lc", "tok": self.tokenizer, "items": items}
        facts["frequencies"] = {"name": "references", "digest": _digest(frequencies)}
        idf = {gram: math.log(items / count) for gram, count in frequencies.items()}
        return CIDErPrepared(items=items, idf=idf, facts=facts)

    def score_rows(self, rows: Sequence[Row], prepared: CIDErPrepared, features: Features) -> list[Value]:
        @cache
        def vectors(text: str) -> Vectors | None:
            return self._vectors(splitter(self.tokenizer)(text), prepared)

        sides = [paired(vectors(row.candidate), [vectors(text) for text in row.references]) for row in rows]
        return [self._value(row, pairs, prepared) for row, pairs in zip(rows, sides, strict=True)]

    def evidence(self, row: Row, prepared: CIDErPrepared, features: Features) -> Evidence:
        """Return the words that the candidate shares with its references."""
        return shared_with_references(row)

    def _frequencies(self, corpus: Corpus) -> tuple[int, Counter[str]]:
        """Return the number of items that have references with words, and the number of them that have each n-gram."""

        @cache
        def grams(text: str) -> frozenset[str]:
            words = splitter(self.tokenizer)(text)
            return frozenset().union(*(ngrams(words, n) for n in range(1, self.ngram + 1)))

        items = dict.fromkeys((row.item, row.references) for row in corpus)
        of_items = [frozenset().union(*map(grams, references)) for _, references in items]
        return sum(map(bool, of_items)), Counter(gram for item in of_items for gram in item)

    def _vectors(self, words: Sequence[str], prepared: CIDErPrepared) -> Vectors | None:
        if not words:
            return None
        # An n-gram that no reference has gets the weight of one that a single item has.
        idf, unseen = prepared.idf.get, math.log(max(1, prepared.items))
        weights = [
            {gram: count * idf(gram, unseen) for gram, count in Counter(ngrams(words, n)).items()}
            for n in range(1, self.ngram + 1)
        ]
        return Vectors(weights, [math.sqrt(sum([w * w for w in each.values()])) for each in weights], len(words))

    def _value(self, row: Row, sides: RowPairs[Vectors], prepared: CIDErPrepared) -> Value:
        if not sides.pairs:
            return Value((math.nan,), sides.reason)
        if prepared.items < 2:
            return Value((math.nan,), "idf needs more than one item")
        if not any(norm for _, reference in sides.pairs for norm in reference.norms):
            return Value((math.nan,), "all items have each word of the reference, so that no word has a weight")
        notes = (LEFT_OUT,) if len(sides.pairs) < len(row.references) else ()
        return Value((10 * sum(self._similarity(*pair) for pair in sides.pairs) / len(sides.pairs),), None, notes)

    def _similarity(self, candidate: Vectors, reference: Vectors) -> float:
        clipped = self.variant == "d"
        total = 0.0
        for weights, others, norm, other_norm in zip(
            candidate.weights, reference.weights, candidate.norms, reference.norms, strict=True
        ):
            # In the candidate's order: the order of a set, and so the rounding of sums, would differ between runs.
            shared = [(weights[gram], others[gram]) for gram in weights if gram in others]
            if not shared:
                break  # then no longer ones are shared
            product = sum([(other if clipped and other < weight else weight) * other for weight, other in shared])
            total += product / (norm * other_norm) if norm and other_norm else 0.0
        mean = total / self.ngram
        return mean * math.exp(-((candidate.words - reference.words) ** 2) / (2 * _SIGMA**2)) if clipped else mean


def _digest(frequencies: Mapping[str, int]) -> str:
    lines = sorted([f"{gram}\t{count}\n" for gram, count in frequencies.items()])
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogatepass")).hexdigest()
