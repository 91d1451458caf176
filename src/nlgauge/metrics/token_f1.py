"""TokenF1: words that candidate and reference share, as questions with short answers are scored.

Rajpurkar, Zhang, Lopyrev and Liang, "SQuAD: 100,000+ Questions for Machine Comprehension of Text", EMNLP 2016.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from nlgauge.corpus import Corpus
from nlgauge.maths.words import words
from nlgauge.metrics.base import Pair, TextPairScorer, TextReferenceMetric

_MARKS = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


@dataclass(frozen=True)
class TokenF1(TextReferenceMetric):
    """F1, precision and recall of the words of an answer, and whether it is the same; SQuAD's.

    words: 'squad' takes text in lower case without ASCII punctuation and English articles, split at spaces; 'any' takes
        the words of any script, Chinese and Japanese ones a character each.
    """

    parts: ClassVar[tuple[str, ...]] = ("f1", "precision", "recall", "exact")
    citation: ClassVar[str] = "Rajpurkar et al. 2016, EMNLP, arXiv:1606.05250"
    choices: ClassVar[Mapping[str, Sequence[object]]] = {**TextReferenceMetric.choices, "words": ("squad", "any")}

    words: str = "squad"

    def scorer(self, corpus: Corpus) -> TokenF1Scorer:
        return TokenF1Scorer(self)


class TokenF1Scorer(TextPairScorer):
    """Reads words, in order, and counts them."""

    metric: TokenF1

    def read(self, text: str) -> tuple[list[str], Counter[str]] | None:
        if self.metric.words == "any":
            found = words(text)
        else:
            found = _ARTICLES.sub(" ", text.lower().translate(_MARKS)).split()
        return (found, Counter(found)) if found else None

    def measure(self, pairs: Sequence[Pair]) -> list[tuple[float, ...]]:
        out: list[tuple[float, ...]] = []
        for (candidate, ours), (reference, theirs) in pairs:
            shared = sum(min(ours[word], theirs[word]) for word in ours.keys() & theirs.keys())
            n, m = len(candidate), len(reference)
            out.append((2 * shared / (n + m), shared / n, shared / m, float(candidate == reference)))
        return out
