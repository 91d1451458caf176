"""Perplexity: how surprised a language model is by a text, token by token.

Of a masked language model the pseudo-perplexity (Salazar, Liang, Nguyen and Kirchhoff, "Masked Language Model Scoring",
ACL 2020): each token is masked in turn and its probability read where the rest of the text is seen. Of a causal one the
ordinary perplexity: each token's probability is read where those before it are seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nlgauge.corpus import Corpus, Row
from nlgauge.engine.engine import Features, Need
from nlgauge.engine.features import Likelihood, LikelihoodRequest, WrittenRequest
from nlgauge.errors import SpecError
from nlgauge.metrics.base import RowMetric, Scorer, Texts, Value


@dataclass(frozen=True)
class Perplexity(RowMetric):
    """Perplexity of the candidate under a language model; 1 is best.

    exp(-mean log p(token | what is seen)), over sub-words, at temperature 1. A masked model sees the rest of the text
    (pseudo-perplexity), a causal one what stands before the token, of the first one nothing but the text's beginning.
    No reference and no source are read: it says how usual a text is, not whether it is right. Two models' values do
    not compare, and a rare name costs as much as a mistake.

    stride: of a masked model, how many tokens, far apart, are masked in one pass; 1 is exact.
    """

    higher_is_better: ClassVar[bool] = False
    citation: ClassVar[str] = "Salazar et al. 2020, ACL, arXiv:1910.14659"

    stride: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_whole(stride=1)

    def scorer(self, corpus: Corpus, texts: Texts) -> PerplexityScorer:
        writes = texts.model.writes
        if writes == "from another text":
            raise SpecError(f"Perplexity: {texts.model.name!r} writes one text from another: ask it for BARTScore")
        if writes is not None and self.stride > 1:
            raise SpecError(f"Perplexity: {texts.model.name!r} masks no tokens: leave stride out")
        return PerplexityScorer(LikelihoodRequest(self.stride) if writes is None else WrittenRequest())


class PerplexityScorer(Scorer):
    """Perplexity by masked tokens or from left to right."""

    def __init__(self, request: LikelihoodRequest | WrittenRequest) -> None:
        self._request = request
        if isinstance(request, WrittenRequest):
            self.signature = {"read": "left-to-right"}

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
        return {"tokens": found.evidence()}
