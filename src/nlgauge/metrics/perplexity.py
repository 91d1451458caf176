"""Perplexity of a text under a language model.

A masked language model gives the pseudo-perplexity (Salazar, Liang, Nguyen and Kirchhoff, "Masked Language Model
Scoring", ACL 2020): each token is masked in turn, and its probability depends on the rest of the text. A causal model
gives the ordinary perplexity: the probability of a token depends on the tokens before it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge.contract.base import Cost, Limits, Prepared, RowMetric, Setup, Value
from nlgauge.contract.parameters import param
from nlgauge.data.corpus import Row
from nlgauge.data.evidence import Evidence
from nlgauge.engine.features.likelihood import CausalRequest, Likelihood
from nlgauge.engine.features.masked import MaskedLikelihoodRequest
from nlgauge.engine.features.request import Features, Request
from nlgauge.engine.models.capabilities import CAUSAL_LM, MASKED_LM, SEQ2SEQ_LM
from nlgauge.errors import SpecError
from nlgauge.metrics.evidence import likely_words


@dataclass(frozen=True, kw_only=True)
class PerplexityPrepared(Prepared):
    causal: bool
    """Whether the model is a causal one, which reads from left to right"""


@dataclass(frozen=True)
class Perplexity(RowMetric):
    """Perplexity of the candidate under a language model; 1 is best.

    exp(-mean log p(token | context)), over sub-words, at temperature 1. The context is the rest of the text for a
    masked model (pseudo-perplexity), and the tokens before for a causal model. It uses neither reference nor source: it
    says how usual a text is, not whether it is right. Values of two models cannot be compared, and a rare name costs as
    much as a mistake.
    """

    columns: ClassVar[tuple[str, ...]] = ("candidate",)
    cost: ClassVar[Cost] = "masking"
    higher_is_better: ClassVar[bool] = False
    limits: ClassVar[Mapping[str, Limits]] = {"score": (1.0, math.inf)}
    citation: ClassVar[str] = "Salazar et al. 2020, ACL, arXiv:1910.14659"

    stride: int = param(
        1, minimum=1, help="for a masked model, how many tokens, far apart, are masked in one pass; 1 is exact"
    )
    model: str | None = None

    def prepare(self, setup: Setup) -> PerplexityPrepared:
        model = setup.model
        if CAUSAL_LM in model:
            if self.stride > 1:
                raise SpecError(f"{self.name}: {model.name!r} is a causal model: leave stride out")
            return PerplexityPrepared(causal=True, facts={"read": "left-to-right"})
        if MASKED_LM not in model and SEQ2SEQ_LM in model:
            raise SpecError(f"{self.name}: {model.name!r} is an encoder-decoder model: use BARTScore")
        model[MASKED_LM]
        return PerplexityPrepared(causal=False)

    def requests(self, row: Row, prepared: PerplexityPrepared) -> list[Request[Likelihood]]:
        return [self._request(row, prepared)]

    def _request(self, row: Row, prepared: PerplexityPrepared) -> Request[Likelihood]:
        text = row.candidate
        return CausalRequest(text) if prepared.causal else MaskedLikelihoodRequest(text, self.stride)

    def score_rows(self, rows: Sequence[Row], prepared: PerplexityPrepared, features: Features) -> list[Value]:
        return [_value(features[self._request(row, prepared)]) for row in rows]

    def evidence(self, row: Row, prepared: PerplexityPrepared, features: Features) -> Evidence:
        """Return the probability of each token, with its position."""
        likelihood = features[self._request(row, prepared)]
        if likelihood is None:
            return Evidence()
        seen = "words before each" if prepared.causal else "rest of it"
        return Evidence(texts=[likely_words("candidate", seen, likelihood)])


def _value(likelihood: Likelihood | None) -> Value:
    if likelihood is None:
        return Value((np.nan,), "the candidate has no words")
    return Value((float(np.exp(-likelihood.log_probabilities.mean())),))
