"""ChrF: Popović, "chrF: character n-gram F-score for automatic MT evaluation", WMT 2015; chrF++: WMT 2017."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from nlgauge.metrics.parameters import param
from nlgauge.metrics.translation_counts import SacrebleuMetric


@dataclass(frozen=True)
class ChrF(SacrebleuMetric):
    """chrF: F-score of character n-grams, with more weight on recall; 0 to 100."""

    citation: ClassVar[str] = "Popović 2015, WMT"
    library: ClassVar[str] = "CHRF"

    references: str = param(
        "joint", choices=("joint", "mean"),
        help="'joint' uses the best reference, as in sacrebleu. With 'mean', references are scored one by one, and "
        "the corpus score is the mean over rows.",
    )  # fmt: skip
    lowercase: bool = param(False, help="compare texts in lower case")
    characters: int = param(6, minimum=1, help="maximum length of character n-grams")
    words: int = param(0, minimum=0, help="also use word n-grams up to this length; 2 is chrF++")
    beta: int = param(2, minimum=1, help="weight of recall")
    eps_smoothing: bool = param(
        False,
        help="the mean of F over all orders, as in chrF++.py, Moses and NLTK, instead of F of the means over orders "
        "that both texts have",
    )  # fmt: skip

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
