"""InfoLM: masked-LM distributions of two texts, compared by an information measure.

Colombo, Clavel and Piantanida, "InfoLM: A New Metric to Evaluate Summarization & Data2Text Generation", AAAI 2022.

Each token of a text is masked in turn and predicted from the rest; the weighted mean of the predictions is the text's
bag of distributions p (section 3). The score is I[p(reference), p(candidate)]. Where the paper's Table 1 is wrong
(the sign of alpha, the factor of AB, "JS" for Jeffreys), the right formula is computed: see maths/divergences.py.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from nlgauge.corpus import Corpus, Row
from nlgauge.engine.engine import Features
from nlgauge.engine.features import Bag, BagRequest
from nlgauge.errors import SpecError
from nlgauge.maths.divergences import DIRECTIONS, MEASURES, Measure, symmetrised, symmetrised_contributions
from nlgauge.metrics.base import Pair, ReferenceMetric, ReferenceScorer, Texts, Value, idf_table

_PAPER = {"temperature": 1.0, "idf": "references", "direction": "jeffreys"}
PRESETS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    # The paper's appendix B.5: settings for all measures, then those of each.
    "summarisation": {
        "*": _PAPER,
        "alpha": {"alpha": 3.0},
        "gamma": {"beta": 0.5},
        "ab": {"alpha": 3.0, "beta": 0.25},
    },
    "summarisation-extractive": {
        "*": _PAPER,
        "alpha": {"alpha": 0.75},
        "gamma": {"beta": 0.5},
        "ab": {"alpha": 0.5, "beta": 0.25},
    },
    "data-to-text": {
        "*": _PAPER,
        "alpha": {"alpha": 0.75},
        "gamma": {"beta": 3.0},
        "ab": {"alpha": 3.0, "beta": 0.25},
    },
    "published-code": {"*": {"temperature": 0.25, "idf": "separate", "published": True, "undefined": "zero"}},
}
_EVIDENCE_ITEMS = 12


@dataclass(frozen=True)
class InfoLM(ReferenceMetric):
    """Distance between the masked-LM distributions of candidate and reference; 0 is best.

    measure: fisher_rao (0 to 1), kl, alpha, gamma, ab, renyi, l1, l2, linf or jensen_shannon.
    alpha, beta: parameters of alpha and renyi (alpha), gamma (beta), ab (both).
    temperature: of the softmax; None is the one measured for the model, 1 where nobody measured.
    idf: weights of the tokens. 'references' counts on the run's distinct references, as in the paper; 'general' on a
        large text, once, so that a row's score depends on that row alone; 'none'; or 'candidates', 'union', and
        'separate' (each side by its own table, as the published code does).
    direction: for asymmetric measures, 'jeffreys' (mean of both), 'forward' D(reference || candidate) or 'reverse'.
    stride: masks per pass; 1 is exact, more is faster and nearly the same (docs/infolm.md).
    published: signs, scale and argument order of the published code: kl and alpha negated, Fisher-Rao in [0, pi],
        'forward' meaning D(candidate || reference).
    undefined: 'nan', or 'zero' as in the published code, which calls an empty candidate perfect.
    preset: 'summarisation', 'summarisation-extractive', 'data-to-text' (the paper's settings for a measure), or
        'published-code'. What is given beside a preset goes before it.
    """

    higher_is_better: ClassVar[bool] = False
    citation: ClassVar[str] = "Colombo et al. 2022, AAAI, arXiv:2112.01589"
    choices: ClassVar[Mapping[str, Sequence[object]]] = {
        **ReferenceMetric.choices,
        "measure": MEASURES,
        "idf": ("references", "general", "none", "candidates", "union", "separate"),
        "direction": DIRECTIONS,
        "undefined": ("nan", "zero"),
        "published": (False, True),
    }

    measure: str = "fisher_rao"
    alpha: float | None = None
    beta: float | None = None
    temperature: float | None = None
    idf: str = "general"
    direction: str = "jeffreys"
    stride: int = 1
    published: bool = False
    undefined: str = "nan"
    preset: InitVar[str | None] = None

    def __new__(cls, *values: Any, **given: Any) -> InfoLM:
        """Remember which parameters were given: those go before a preset's, even where they equal the default."""
        self = super().__new__(cls)
        object.__setattr__(self, "_given", {*list(cls.__dataclass_fields__)[: len(values)], *given})
        return self

    def __post_init__(self, preset: str | None) -> None:
        if preset is not None:
            self._fill(preset)
        object.__delattr__(self, "_given")
        super().__post_init__()
        try:
            made = Measure(self.measure, self.alpha, self.beta)
        except ValueError as error:
            raise SpecError(f"InfoLM: {error}") from None
        object.__setattr__(self, "alpha", made.alpha)
        object.__setattr__(self, "beta", made.beta)
        number = isinstance(self.temperature, Real) and not isinstance(self.temperature, bool)
        if self.temperature is not None and not (number and 0 < self.temperature <= sys.float_info.max):
            raise SpecError(f"InfoLM: temperature={self.temperature!r} is not a positive number")
        if isinstance(self.stride, bool) or not isinstance(self.stride, int) or self.stride < 1:
            raise SpecError(f"InfoLM: stride={self.stride!r} is not a whole number of at least 1")

    def _fill(self, preset: str) -> None:
        if preset not in PRESETS:
            raise SpecError(f"InfoLM: preset={preset!r} is not one of {', '.join(map(repr, PRESETS))}")
        known = PRESETS[preset]
        given: set[str] = self._given  # type: ignore[attr-defined]
        for name, value in {**known["*"], **known.get(self.measure, {})}.items():
            if name not in given:
                object.__setattr__(self, name, value)

    @property
    def larger_is_better(self) -> bool:
        return self.published and self.measure in ("kl", "alpha")

    def scorer(self, corpus: Corpus, texts: Texts) -> InfoLMScorer:
        return InfoLMScorer(self, corpus, texts)


class InfoLMScorer(ReferenceScorer):
    """InfoLM with its idf tables counted."""

    metric: InfoLM
    undefined = "a probability is 0, where alpha + beta <= 0 needs them above: raise the temperature"

    def __init__(self, metric: InfoLM, corpus: Corpus, texts: Texts) -> None:
        temperature = metric.temperature if metric.temperature is not None else texts.model.temperature
        self._measure = Measure(metric.measure, metric.alpha, metric.beta)
        self._piece = texts.model.tokenizer.piece
        sides = {"separate": ("candidates", "references")}.get(metric.idf, (metric.idf, metric.idf))
        weights = [idf_table(side, corpus, texts) for side in sides]
        self.signature = {
            "temperature": temperature,
            "idf": metric.idf + "".join(f"@{w.digest[:8]}" for w in dict.fromkeys(weights) if w),
        }
        candidate, reference = (BagRequest(temperature, table, metric.stride) for table in weights)
        super().__init__(metric, candidate, reference)

    def compare(self, pairs: Sequence[Pair]) -> list[tuple[float]]:
        return [(self._distance(candidate, reference),) for candidate, reference in pairs]

    def _distance(self, candidate: Bag, reference: Bag) -> float:
        metric, p, q = self.metric, reference.log_probabilities, candidate.log_probabilities
        if self._measure.needs_support and not np.isfinite([p.min(), q.min()]).all():
            return math.nan
        if not metric.published:
            return symmetrised(self._measure, p, q, metric.direction)
        value = symmetrised(self._measure, q, p, metric.direction)
        if metric.measure == "fisher_rao":
            return math.pi * value
        return -value if metric.larger_is_better else value

    def pair_note(self, candidate: Bag, reference: Bag) -> str | None:
        alike = candidate.unweighted or reference.unweighted
        return "all idf weights of a text are 0: its tokens weighed alike" if alike else None

    def score(self, rows: Sequence[Row], features: Features) -> list[Value]:
        values = super().score(rows, features)
        if self.metric.undefined == "nan":
            return values
        told = "called 0 as in the published code"
        return [Value((0.0,), None, (f"{v.reason}: {told}",)) if v.reason else v for v in values]

    def evidence(self, row: Row, features: Features) -> dict[str, Any]:
        """The vocabulary items that drive the distance to the chosen reference: both probabilities and their share."""
        chosen = self.chosen(row, features)
        if chosen is None or math.isnan(self._distance(*chosen[1])):
            return {}
        which, (candidate, reference) = chosen
        p, q = reference.log_probabilities, candidate.log_probabilities
        parts = symmetrised_contributions(self._measure, p, q, self.metric.direction)
        total = parts.sum()
        top = np.argsort(-parts, kind="stable")[:_EVIDENCE_ITEMS]
        return {
            "reference": which,
            "items": [
                {
                    "token": self._piece(int(i)),
                    "reference": float(np.exp(p[i])),
                    "candidate": float(np.exp(q[i])),
                    "share": float(parts[i] / total) if 0 < total < math.inf else None,
                }
                for i in top
                if parts[i] > 0
            ],
        }
