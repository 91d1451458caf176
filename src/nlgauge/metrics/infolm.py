"""InfoLM: the masked-LM distributions of two texts are compared by an information measure.

Colombo, Clavel and Piantanida, "InfoLM: A New Metric to Evaluate Summarization & Data2Text Generation", AAAI 2022.

Each token of a text is masked in turn and predicted from the rest. The weighted mean of the predictions is the text's
distribution p (section 3). The score is I[p(reference), p(candidate)]. Errors of the paper's Table 1 (the sign of
alpha, the factor of AB, "JS" for Jeffreys) are corrected: see maths/divergences.py.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nlgauge.contract.base import Cost, Limits, Prepared, Setup
from nlgauge.contract.parameters import param
from nlgauge.data.corpus import Row
from nlgauge.data.corpus.place import shown
from nlgauge.data.evidence import Evidence, Item
from nlgauge.engine.features.masked import Bag, BagRequest, TokenWeights
from nlgauge.engine.features.request import Features
from nlgauge.engine.models.capabilities import MASKED_LM, TOKENIZER
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.errors import SpecError
from nlgauge.maths.divergences import DIRECTIONS, MEASURES, Measure, symmetrised, symmetrised_contributions
from nlgauge.metrics.model_settings import OF_THE_CORPUS, UNWEIGHTED, idf_fact, idf_tables
from nlgauge.metrics.references import ReferenceMetric

Array = NDArray[np.float64]

# The paper's appendix B.5: settings for all measures, then settings for each.
_PAPER: Mapping[str, object] = {"temperature": 1.0, "idf": "references", "direction": "jeffreys"}
_OF_MEASURES: Mapping[str, Mapping[object, Mapping[str, object]]] = {
    "summarisation": {"alpha": {"alpha": 3.0}, "gamma": {"beta": 0.5}, "ab": {"alpha": 3.0, "beta": 0.25}},
    "summarisation-extractive": {"alpha": {"alpha": 0.75}, "gamma": {"beta": 0.5}, "ab": {"alpha": 0.5, "beta": 0.25}},
    "data-to-text": {"alpha": {"alpha": 0.75}, "gamma": {"beta": 3.0}, "ab": {"alpha": 3.0, "beta": 0.25}},
}
_EVIDENCE_ITEMS = 12


@dataclass(frozen=True, kw_only=True)
class InfoLMPrepared(Prepared):
    """The settings by which distributions are computed and compared."""

    measure: Measure
    temperature: float
    weights: tuple[TokenWeights | None, TokenWeights | None]
    """The weights of tokens for candidates, and those for references; None for equal weights"""
    tokenizer: SubwordTokenizer


@dataclass(frozen=True)
class InfoLM(ReferenceMetric[Bag]):
    """Distance between the masked-LM distributions of candidate and reference; 0 is best.

    Presets are the paper's settings for a measure: 'summarisation', 'summarisation-extractive' and 'data-to-text'. In a
    spec, write InfoLM(preset='summarisation', measure='ab'); in Python, InfoLM.preset('summarisation', measure='ab').
    Other parameters override the preset.
    """

    cost: ClassVar[Cost] = "masking"
    higher_is_better: ClassVar[bool] = False
    short: ClassVar[str] = "measure"
    citation: ClassVar[str] = "Colombo et al. 2022, AAAI, arXiv:2112.01589"
    presets: ClassVar[Mapping[str, Mapping[str, object]]] = dict.fromkeys(_OF_MEASURES, _PAPER)
    undefined: ClassVar[str] = "a probability is 0, but alpha + beta <= 0 needs positive ones: raise the temperature"

    measure: str = param(
        "fisher_rao",
        choices=MEASURES,
        help="information measure of the two distributions; fisher_rao is from 0 to 1",
    )
    alpha: float | None = param(None, help="parameter of the measures alpha, renyi and ab")
    beta: float | None = param(None, help="parameter of the measures gamma and ab")
    temperature: float | None = param(
        None, help="temperature of the softmax. None is the value in the model's card, or else 1, as in the paper."
    )
    language: str | None = param(
        None, help="take the temperature that the model's card has for this language (`nlgauge train temperature`)"
    )
    idf: str = param(
        "general",
        choices=("references", "general", "none", "candidates", "union", "separate"),
        help="weights of the tokens. 'references' counts on the run's distinct references, as in the paper. "
        "'general' comes from a large general text, so that a row's score does not depend on other rows. 'none'; "
        "'candidates'; 'union'; or 'separate', a table for each side, as in the published code.",
    )
    direction: str = param(
        "jeffreys",
        choices=DIRECTIONS,
        help="for asymmetric measures: 'forward' D(reference || candidate), 'reverse', or 'jeffreys', their mean",
    )
    stride: int = param(
        1, minimum=1, help="masks per pass. 1 is exact; more is faster with nearly the same scores (docs/infolm.md)."
    )
    model: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            made = Measure(self.measure, self.alpha, self.beta)
        except ValueError as error:
            raise SpecError(f"{self.name}: {error}") from None
        object.__setattr__(self, "alpha", made.alpha)
        object.__setattr__(self, "beta", made.beta)
        if self.temperature is not None and self.language is not None:
            raise SpecError(f"{self.name}: language chooses a temperature; leave one of the two out")
        if self.temperature is not None and not 0 < self.temperature <= sys.float_info.max:
            raise SpecError(f"{self.name}: temperature={shown(self.temperature)} is not a positive number")

    @classmethod
    def preset_settings(cls, preset: str, given: Mapping[str, object]) -> Mapping[str, object]:
        """Return the paper's settings of a preset, with the alpha and beta that the paper gives for a measure.

        Args:
            preset: the name of the preset.
            given: the parameters that the user chose. Their measure counts, or else the default measure.

        Returns:
            The settings by parameter.
        """
        of_measure = _OF_MEASURES[preset].get(given.get("measure", cls.measure), {})
        return {**cls.presets[preset], **of_measure}

    @property
    def limits(self) -> Mapping[str, Limits]:
        return {"score": (0.0, Measure(self.measure, self.alpha, self.beta).maximum)}

    @property
    def uses_corpus(self) -> bool:
        return self.idf in OF_THE_CORPUS

    def prepare(self, setup: Setup) -> InfoLMPrepared:
        setup.model[MASKED_LM]
        temperature = setup.model.card.temperature if self.temperature is None else self.temperature
        if self.language is not None:
            if self.language not in (temperatures := setup.model.card.temperatures):
                there = (
                    f"it has {', '.join(temperatures)}"
                    if temperatures
                    else "measure one with nlgauge train temperature"
                )
                problem = f"model {setup.model.name!r} has no temperature for the language {self.language!r}"
                raise SpecError(f"{self.name}: {problem}: {there}")
            temperature = temperatures[self.language]
        facts: dict[str, object] = {"temperature": temperature}
        if (
            self.temperature is None
            and self.language is None
            and (origin := setup.model.card.origins.get("temperature")) is not None
        ):
            facts["temperature_from"] = origin
        weights = idf_tables(self.idf, setup)
        return InfoLMPrepared(
            measure=Measure(self.measure, self.alpha, self.beta),
            temperature=float(temperature),
            weights=weights,
            tokenizer=setup.model[TOKENIZER],
            facts=facts | {"idf": idf_fact(self.idf, setup, *weights)},
        )

    def request(self, text: str, prepared: InfoLMPrepared, reference: bool) -> BagRequest:
        return BagRequest(text, prepared.temperature, prepared.weights[reference], self.stride)

    def compare(self, pairs: Sequence[tuple[Bag, Bag]], prepared: InfoLMPrepared) -> list[tuple[float]]:
        return [(self.distance(candidate, reference, prepared),) for candidate, reference in pairs]

    def distance(self, candidate: Bag, reference: Bag, prepared: InfoLMPrepared) -> float:
        """Return the measure of two distributions; NaN if a probability of 0 makes it undefined."""
        p, q = self.logs(candidate, reference)
        if prepared.measure.needs_support and not np.isfinite([p.min(), q.min()]).all():
            return math.nan
        return symmetrised(prepared.measure, p, q, self.direction)

    def logs(self, candidate: Bag, reference: Bag) -> tuple[Array, Array]:
        """Return the log-probabilities [vocabulary] of the reference, and then those of the candidate."""
        return reference.log_probabilities.astype(np.float64), candidate.log_probabilities.astype(np.float64)

    def pair_note(self, candidate: Bag, reference: Bag, prepared: InfoLMPrepared) -> str | None:
        return UNWEIGHTED if candidate.unweighted or reference.unweighted else None

    def evidence(self, row: Row, prepared: InfoLMPrepared, features: Features) -> Evidence:
        """Return the vocabulary items with the largest shares of the distance, and their probabilities."""
        chosen = self.chosen(row, prepared, features)
        if chosen is None or math.isnan(self.distance(*chosen[1], prepared)):
            return Evidence()
        number, (candidate, reference) = chosen
        parts = symmetrised_contributions(prepared.measure, *self.logs(candidate, reference), self.direction)
        total = float(parts.sum())
        driving = int((parts > 0).sum())
        items = [
            Item(
                prepared.tokenizer.piece(token),
                {
                    "reference": math.exp(reference.log_probabilities[token]),
                    "candidate": math.exp(candidate.log_probabilities[token]),
                    "share": float(parts[token]) / total if 0 < total < math.inf else None,
                },
            )
            for token in np.argsort(-parts, kind="stable")[: min(driving, _EVIDENCE_ITEMS)].tolist()
        ]
        return Evidence(reference=number, items=items, left_out=driving - len(items))
