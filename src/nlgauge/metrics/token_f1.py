"""TokenF1: words that candidate and reference share, as in the scoring of short answers to questions.

Rajpurkar, Zhang, Lopyrev and Liang, "SQuAD: 100,000+ Questions for Machine Comprehension of Text", EMNLP 2016.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from nlgauge.contract.base import SHARE, Limits, Prepared, Setup
from nlgauge.contract.parameters import param
from nlgauge.maths.text import words
from nlgauge.metrics.references import StringReferenceMetric

_MARKS = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


class Answer(NamedTuple):
    """The words of a text in order, and their counts."""

    words: list[str]
    counts: Counter[str]


@dataclass(frozen=True)
class TokenF1(StringReferenceMetric[Answer]):
    """F1, precision and recall of the words of an answer, and exact match, as in SQuAD.

    With several references and references='best', F1 and exact match are each the highest over all references, as in
    SQuAD. Precision and recall are those of the reference with the highest F1.
    """

    parts: ClassVar[tuple[str, ...]] = ("f1", "precision", "recall", "exact")
    limits: ClassVar[Mapping[str, Limits]] = dict.fromkeys(parts, SHARE)
    of_any_reference: ClassVar[tuple[str, ...]] = ("exact",)
    citation: ClassVar[str] = "Rajpurkar et al. 2016, EMNLP, arXiv:1606.05250"

    words: str = param(
        "squad",
        choices=("squad", "any"),
        help="how words are found: 'squad' uses lower case, removes ASCII punctuation and English articles, and "
        "splits at spaces; 'any' finds words in any script, with one character per word in Chinese and Japanese",
    )

    def prepare(self, setup: Setup) -> Prepared:
        return Prepared(facts={"words": self.words})

    def read(self, text: str, prepared: Prepared) -> Answer | None:
        split = words(text) if self.words == "any" else _ARTICLES.sub(" ", text.lower().translate(_MARKS)).split()
        return Answer(split, Counter(split)) if split else None

    def compare(self, pairs: Sequence[tuple[Answer, Answer]], prepared: Prepared) -> list[tuple[float, ...]]:
        values: list[tuple[float, ...]] = []
        for candidate, reference in pairs:
            counts = reference.counts
            shared = sum([min(times, counts[word]) for word, times in candidate.counts.items() if word in counts])
            n, m = len(candidate.words), len(reference.words)
            exact = float(candidate.words == reference.words)
            values.append((2 * shared / (n + m), shared / n, shared / m, exact))
        return values
