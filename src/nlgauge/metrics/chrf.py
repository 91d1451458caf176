"""ChrF: Popović, "chrF: character n-gram F-score for automatic MT evaluation", WMT 2015; chrF++: WMT 2017.

N-grams are counted here, with the same results as sacrebleu.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge.data.corpus import Row
from nlgauge.engine.features.request import Features
from nlgauge.maths.ngrams import code_points, numbered, shared_ngrams
from nlgauge.maths.totals import total
from nlgauge.metrics.base import Prepared, RowMetric, Setup, Value
from nlgauge.metrics.evidence import Evidence, shared_with_references
from nlgauge.metrics.translation_counts import Pair, counted_values, sacrebleu_facts, sacrebleu_metric

_MARKS = frozenset(string.punctuation)


@dataclass(frozen=True)
class ChrF(RowMetric):
    """chrF: F-score of character n-grams, with more weight on recall; 0 to 100.

    lowercase: compare texts in lower case. characters: maximum length of character n-grams.
    words: also use word n-grams up to this length; 2 is chrF++. beta: weight of recall.
    eps_smoothing: the mean of F over all orders, as in chrF++.py, Moses and NLTK, instead of F of the means over orders
    that both texts have.
    references: 'joint' uses the best reference, as in sacrebleu. With 'mean', references are scored one by one, and the
    corpus score is the mean over rows.
    """

    citation: ClassVar[str] = "Popović 2015, WMT"
    libraries: ClassVar[tuple[str, ...]] = ("sacrebleu",)
    choices: ClassVar[Mapping[str, Sequence[object]]] = {
        "references": ("joint", "mean"),
        "empty": ("undefined", "worst"),
    }
    least: ClassVar[Mapping[str, float]] = {"characters": 1, "words": 0, "beta": 1}

    references: str = "joint"
    empty: str = "undefined"
    """As in BLEU"""
    lowercase: bool = False
    characters: int = 6
    words: int = 0
    beta: int = 2
    eps_smoothing: bool = False

    @property
    def formula(self) -> Mapping[str, object] | None:
        return self._formula if self.references == "joint" else None

    def prepare(self, setup: Setup) -> Prepared:
        settings = {"char_order": self.characters, "word_order": self.words, "beta": self.beta}
        settings["eps_smoothing"] = self.eps_smoothing
        metric = sacrebleu_metric("ChrF", "CHRF", lowercase=self.lowercase, **settings)
        return Prepared(facts=sacrebleu_facts(metric, setup.corpus))

    def score_rows(self, rows: Sequence[Row], prepared: Prepared, features: Features) -> list[Value]:
        return counted_values(self, rows, self._count, self._formula)

    def evidence(self, row: Row, prepared: Prepared, features: Features) -> Evidence:
        """The words that the candidate shares with its references."""
        return shared_with_references(row)

    def _count(self, pairs: Sequence[Pair]) -> Sequence[Sequence[float]]:
        """N-grams of the candidate, of the best reference, and shared ones, for each order."""
        numbers: dict[str, int] = {}
        for candidate, references in pairs:
            for text in (candidate, *references):
                numbers.setdefault(text, len(numbers))
        couples = [(numbers[one], numbers[text]) for one, references in pairs for text in references]
        texts = [text.lower() if self.lowercase else text for text in numbers]
        shared = [shared_ngrams([code_points("".join(text.split())) for text in texts], couples, self.characters)]
        if self.words:
            shared.append(shared_ngrams(numbered([words_and_marks(text) for text in texts]), couples, self.words))
        counts = np.concatenate(shared, axis=1)
        counts[..., 0][counts[..., 1] == 0] = 0  # orders for which the reference is too short do not count
        flat = counts.reshape(len(couples), -1).astype(np.float64)
        scores, ends = total(self._formula, flat)[:, 0], np.cumsum([len(references) for _, references in pairs])
        starts = [0, *ends[:-1].tolist()]
        best = [start + int(scores[start:end].argmax()) for start, end in zip(starts, ends.tolist(), strict=True)]
        chosen: list[list[float]] = flat[best].tolist()
        return chosen

    @property
    def _formula(self) -> Mapping[str, object]:
        return {"name": "chrf", "beta": self.beta, **({"smooth": True} if self.eps_smoothing else {})}


def words_and_marks(text: str) -> list[str]:
    """Words between spaces. A punctuation mark at a word's end, or else at its start, is a separate word."""
    words: list[str] = []
    for word in text.split():
        if len(word) > 1 and word[-1] in _MARKS:
            words += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in _MARKS:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return words
