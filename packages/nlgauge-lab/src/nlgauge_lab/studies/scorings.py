"""The four scorings of a masked word that MaskEval's authors tried (footnote 5 of the paper), by agreement with people.

`hit`, which the metric uses, is 1 where the word itself is predicted, whatever its capitals. `bertscore` is BERTScore's
F1 of the predicted and the true word. `predicted` and `true` are the reciprocals of the perplexity of the predicted and
of the true word. So larger is better, and no word outweighs the others.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nlgauge import registry
from nlgauge.contract.base import Reading, Scored, Setup, Value
from nlgauge.data.corpus import Corpus, Row
from nlgauge.engine.features.masked_words import MaskedWords, MaskedWordsRequest
from nlgauge.engine.features.request import AnyRequest, Features
from nlgauge.engine.features.vectors import VectorsRequest
from nlgauge.errors import SpecError
from nlgauge.metrics.bertscore import BERTScore, BERTScorePrepared
from nlgauge.metrics.maskeval import MaskedTexts, MaskEval, MaskEvalPrepared, MaskEvalReading, weighted_score
from nlgauge_lab.studies.sweep import Setting, Sweep, sweep

_BERTSCORE = BERTScore()


@dataclass(frozen=True, kw_only=True)
class _Prepared(MaskEvalPrepared):
    words: BERTScorePrepared
    """What BERTScore of two words needs"""


@dataclass(frozen=True)
class MaskEvalScorings(MaskEval):
    """MaskEval with uniform weights, whose sub-scores are the four scorings."""

    parts: ClassVar[tuple[str, ...]] = ("hit", "bertscore", "predicted", "true")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self._learned or self.scoring != "hit":
            raise SpecError(f"{self.name}: the scorings are compared with weights='uniform' or 'candidate' alone")

    def prepare(self, setup: Setup) -> MaskEvalPrepared:
        prepared, words = super().prepare(setup), _BERTSCORE.prepare(setup)
        return _Prepared(share=prepared.share, facts={**prepared.facts, **words.facts}, words=words)

    def masked(self, row: Row, side: int, words: tuple[int, ...] | None = None) -> MaskedWordsRequest:
        return replace(super().masked(row, side, words), likeliest=True)

    def read_row(self, row: Row, prepared: MaskEvalPrepared) -> Reading:
        return _FourReading(self, row, prepared)


class _FourReading(MaskEvalReading):
    def followup(self, features: Features) -> list[AnyRequest]:
        plan = self.plan(features)
        if not isinstance(plan, MaskedTexts):
            return []
        pairs = [pair for request in plan.requests if request for pair in _pairs(features[request])]
        words = dict.fromkeys(word for predicted, true in pairs for word in (predicted, true) if predicted != true)
        return [_vectors(word, self.prepared) for word in words if word]

    def score(self, features: Features) -> Scored:
        plan, prepared = self.plan(features), self.prepared
        if isinstance(plan, str):
            return Scored(Value((np.nan,) * len(self.metric.parts), plan))
        sides = [None if request is None else features[request] for request in plan.requests]
        scores = [np.empty((0, 4)) if one is None else _scores(one, prepared, features) for one in sides]
        values = [
            weighted_score([side[:, part] for side in scores], plan.weights, prepared.share)
            for part in range(len(self.metric.parts))
        ]
        undefined = "BERTScore of two words is undefined: precision and recall are not above 0 together"
        return Scored(Value(tuple(values), undefined if np.isnan(values).any() else None))


def _pairs(answer: MaskedWords | None) -> list[tuple[str, str]]:
    """Return (predicted word, true word) for each masked word."""
    if answer is None:
        return []
    return [
        (predicted, answer.text[begin:end])
        for predicted, (begin, end) in zip(answer.predicted, answer.spans.tolist(), strict=True)
    ]


def _vectors(word: str, prepared: MaskEvalPrepared) -> VectorsRequest:
    assert isinstance(prepared, _Prepared)
    return _BERTSCORE.request(word, prepared.words, False)


def _scores(answer: MaskedWords, prepared: MaskEvalPrepared, features: Features) -> NDArray[np.float64]:
    """Return the four scores of each masked word: [words, 4]."""
    alike = [_alike(predicted, true, prepared, features) for predicted, true in _pairs(answer)]
    true, predicted = np.exp(answer.per_piece).T
    return np.stack([answer.hits.astype(np.float64), np.array(alike, np.float64), predicted, true], axis=1)


def _alike(predicted: str, true: str, prepared: MaskEvalPrepared, features: Features) -> float:
    """Return BERTScore's F1 of two words; 0 where nothing is predicted."""
    if predicted == true:
        return 1.0
    one, other = (features[_vectors(word, prepared)] if word else None for word in (predicted, true))
    if one is None or other is None or one.special.all():
        return 0.0
    assert isinstance(prepared, _Prepared)
    return _BERTSCORE.compare([(one, other)], prepared.words)[0][0]


def scorings(
    corpus: Corpus,
    metric: str | MaskEval = "MaskEval(stride=8)",
    *,
    model: str | None = None,
    level: str = "pooled",
    **how: Any,
) -> Sweep:
    """Return the agreement of MaskEval with people with each of the four scorings of a word.

    Args:
        corpus: rated outputs.
        metric: MaskEval with weights 'uniform', or with 'candidate', which masks the candidate alone.
        model: for a metric that names none.
        level: the paper's is 'pooled'.
        how: what `nlgauge_lab.studies.sweep.sweep` takes.

    Raises:
        SpecError: another metric, or learned weights.
    """
    base = registry.metric(metric, model=model)
    if not isinstance(base, MaskEval):
        raise SpecError(f"{base} is not MaskEval")
    varied = MaskEvalScorings(**{field.name: getattr(base, field.name) for field in fields(base)})
    settings = [Setting(str(base), {"scoring": part}, varied, part) for part in varied.parts]
    return sweep(corpus, settings, ("scoring",), level=level, **how)
