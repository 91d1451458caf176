"""ChrF: Popović, "chrF: character n-gram F-score for automatic MT evaluation", WMT 2015; chrF++: WMT 2017."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from nlgauge.metrics.translation_counts import SacrebleuMetric


@dataclass(frozen=True)
class ChrF(SacrebleuMetric):
    """chrF: F-score of character n-grams, with more weight on recall; 0 to 100.

    lowercase: compare texts in lower case. characters: maximum length of character n-grams.
    words: also use word n-grams up to this length; 2 is chrF++. beta: weight of recall.
    eps_smoothing: the mean of F over all orders, as in chrF++.py, Moses and NLTK, instead of F of the means over orders
    that both texts have.
    references: 'joint' uses the best reference, as in sacrebleu. With 'mean', references are scored one by one, and the
    corpus score is the mean over rows.
    """

    citation: ClassVar[str] = "Popović 2015, WMT"
    library: ClassVar[str] = "CHRF"
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
        formula = {"name": "chrf", "beta": self.beta, **({"smooth": True} if self.eps_smoothing else {})}
        return formula if self.references == "joint" else None

    @property
    def settings(self) -> Mapping[str, object]:
        return {
            "char_order": self.characters,
            "word_order": self.words,
            "beta": self.beta,
            "lowercase": self.lowercase,
            "eps_smoothing": self.eps_smoothing,
        }
