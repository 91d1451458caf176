"""Perplexity: how surprised a masked language model is by a text, token by token.

Salazar, Liang, Nguyen and Kirchhoff, "Masked Language Model Scoring", ACL 2020: each token is masked in turn and its
probability read where the rest of the text is seen; the pseudo-perplexity is the exponential of their mean surprise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nlgauge.corpus import Corpus, Row
from nlgauge.engine.engine import Features, Need
from nlgauge.engine.features import Likelihood, LikelihoodRequest
from nlgauge.metrics.base import RowMetric, Scorer, Texts, Value


@dataclass(frozen=True)
class Perplexity(RowMetric):
    """Pseudo-perplexity of the candidate under a masked language model; 1 is best.

    exp(-mean log p(token | the rest of the text)), over sub-words, at temperature 1. No reference and no source are
    read: it says how usual a text is, not whether it is right. Two models' values do not compare, and a rare name costs
    as much as a mistake.

    stride: how many tokens, far apart, are masked in one pass; 1 is exact.
    """

    higher_is_better: ClassVar[bool] = False
    citation: ClassVar[str] = "Salazar et al. 2020, ACL, arXiv:1910.14659"

    stride: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_whole(stride=1)

    def scorer(self, corpus: Corpus, texts: Texts) -> PerplexityScorer:
        return PerplexityScorer(self)


class PerplexityScorer(Scorer):
    """Perplexity with its stride."""

    def __init__(self, metric: Perplexity) -> None:
        self._request = LikelihoodRequest(metric.stride)

    def needs(self, row: Row) -> list[Need]:
        return [(row.candidate, self._request)]

    def score(self, rows: Sequence[Row], features: Features) -> list[Value]:
        return [self._value(features[row.candidate, self._request]) for row in rows]

    def _value(self, found: Any) -> Value:
        if not isinstance(found, Likelihood):
            return Value((np.nan,), "the candidate has no words")
        return Value((float(np.exp(-found.log_probabilities.mean())),))

    def evidence(self, row: Row, features: Features) -> dict[str, Any]:
        """The log-probability of each token, with its place."""
        found = features[row.candidate, self._request]
        if not isinstance(found, Likelihood):
            return {}
        tokens = zip(found.offsets.tolist(), found.log_probabilities.tolist(), strict=True)
        return {
            "tokens": [
                {"text": row.candidate[begin:end], "begin": begin, "end": end, "log_probability": value}
                for (begin, end), value in tokens
            ]
        }
