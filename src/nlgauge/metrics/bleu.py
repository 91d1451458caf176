"""BLEU: Papineni, Roukos, Ward and Zhu, "Bleu: a Method for Automatic Evaluation of Machine Translation", ACL 2002."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from nlgauge.errors import SpecError
from nlgauge.metrics.parameters import param
from nlgauge.metrics.translation_counts import SacrebleuMetric

_CONSTANTS = {"floor": 0.1, "add-k": 1.0}


@dataclass(frozen=True)
class BLEU(SacrebleuMetric):
    """BLEU: precision of word n-grams, with a brevity penalty; 0 to 100.

    A row score leaves out orders for which the candidate is too short (sacrebleu's effective order); the corpus score
    does not.
    """

    citation: ClassVar[str] = "Papineni et al. 2002, ACL"
    library: ClassVar[str] = "BLEU"

    references: str = param(
        "joint", choices=("joint", "best", "mean"),
        help="with 'joint', n-grams of all references count; with 'best' or 'mean', references are scored one by "
        "one, and the corpus score is the mean over rows",
    )  # fmt: skip
    lowercase: bool = param(False, help="compare texts in lower case")
    tokenizer: str = param("13a", choices=("13a", "intl", "zh", "char", "none"), help="sacrebleu's tokenizer")
    smooth: str = param(
        "exp", choices=("exp", "floor", "add-k", "none"),
        help="smoothing of orders without a match",
    )  # fmt: skip
    smooth_value: float | None = param(
        None, help="the matches that 'floor' uses (by default 0.1) or that 'add-k' adds (1)"
    )
    ngram: int = param(4, minimum=1, help="maximum length of n-grams")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.smooth_value is not None and (self.smooth not in _CONSTANTS or not 0 < self.smooth_value < math.inf):
            raise SpecError("BLEU: smooth_value is a number above 0, for smooth='floor' or 'add-k'")

    @property
    def formula(self) -> Mapping[str, object] | None:
        constant = _CONSTANTS.get(self.smooth, 0.0) if self.smooth_value is None else float(self.smooth_value)
        formula = {"name": "bleu", "smooth": self.smooth, "constant": constant, "effective": False}
        return formula if self.references == "joint" else None

    @property
    def settings(self) -> Mapping[str, object]:
        return {
            "lowercase": self.lowercase,
            "tokenize": self.tokenizer,
            "smooth_method": self.smooth,
            "smooth_value": self.smooth_value,
            "max_ngram_order": self.ngram,
            "effective_order": self.references != "joint",
        }

    @property
    def row_settings(self) -> Mapping[str, object]:
        return {**self.settings, "effective_order": True}
