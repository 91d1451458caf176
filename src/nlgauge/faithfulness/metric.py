"""Faithfulness: is all that an answer claims supported by its source? The metric that the gate decides by.

Links, citation marks, greetings and layout are taken off the answer (`claims`). A trained aligner reads what is left
beside the source. Exact checks lower its probability where a number, a date, a name or an opposite differs from the
source (`exact_checks`). What says that something is not in the source is judged by a search (`refusals`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from nlgauge.contract.base import QUESTION, SHARE, Cost, Limits, Prepared, RowMetric, Setup, Value
from nlgauge.contract.parameters import param
from nlgauge.data.corpus import Row
from nlgauge.data.evidence import Evidence
from nlgauge.engine.aligners import Aligned, Direction, answered_by, asked_of, shown, trained_aligner
from nlgauge.engine.features.alignment import Reading
from nlgauge.engine.features.request import AnyRequest, Features
from nlgauge.engine.models.capabilities import Model
from nlgauge.engine.models.packing import SENTENCES
from nlgauge.errors import SpecError
from nlgauge.faithfulness.aligner import DOUBT, VerdictAligner
from nlgauge.maths.alignment import least_mean, mean_alignment, unsupported_share

_PARTS = ("probability", "score", "least_stretch", "unsupported")


@dataclass(frozen=True, kw_only=True)
class FaithfulnessPrepared(Prepared):
    """The aligner that reads each row, and the one that reads what the first cannot decide."""

    aligner: VerdictAligner
    second: VerdictAligner | None = None
    unsure: tuple[float, float] = (0.0, 0.0)
    """From which probability on, and below which, the first aligner cannot decide"""


@dataclass(frozen=True)
class Faithfulness(RowMetric):
    """Does the source support all that the candidate claims? The probability that it does.

    A number, date, name or opposite that differs from the source lowers it. There are three more parts: `score`, the
    mean over the words; `least_stretch`, the mean over the worst stretch (a few sentences); and `unsupported`, the
    share of words below the aligner's threshold.
    """

    citation: ClassVar[str] = "Deng et al. 2021, EMNLP, arXiv:2109.06379 (the aligner)"

    reading: Reading = param(
        "search",
        choices=("search", "windows"),
        help="of a long source, 'search' reads for each stretch the sentences that share most with it, 'windows' reads "
        "all of it, part by part",
    )
    then: str | None = param(
        None,
        help="a second model for the rows that the first cannot decide: `probability` is then what the second says of "
        "them, and the part `decided` is 1 where the first model decided, and 2 where the second did",
    )
    unsure: tuple[float, ...] | None = param(
        None,
        help="with `then`, two probabilities (LOW, HIGH): the first model cannot decide from LOW on and below HIGH; by "
        "default these are the thresholds of its card",
    )
    model: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.then == "":
            raise SpecError(f"{self.name}: then='' is not a model's name")
        if self.unsure is not None and self.then is None:
            raise SpecError(f"{self.name}: unsure is for a second model: name it (then), or leave unsure out")
        if self.unsure is not None and not (len(self.unsure) == 2 and 0 <= self.unsure[0] < self.unsure[1] <= 1):
            raise SpecError(f"{self.name}: unsure={self.unsure} is not two probabilities in ascending order")

    @property
    def parts(self) -> tuple[str, ...]:  # type: ignore[override]  # depends on the parameters
        return _PARTS if self.then is None else (*_PARTS, "decided")

    @property
    def details(self) -> tuple[str, ...]:  # type: ignore[override]
        # Of the words that nothing supports, less is better.
        return ("unsupported",) if self.then is None else ("unsupported", "decided")

    @property
    def limits(self) -> Mapping[str, Limits]:
        of_parts = dict.fromkeys(_PARTS, SHARE)
        return of_parts if self.then is None else {**of_parts, "decided": (1.0, 2.0)}

    @property
    def columns(self) -> tuple[str, ...]:
        return ("candidate", "source")

    @property
    def cost(self) -> Cost:
        return "pairs"

    @property
    def other_models(self) -> tuple[str, ...]:
        return () if self.then is None else (self.then,)

    def prepare(self, setup: Setup) -> FaithfulnessPrepared:
        first, facts = self._aligner(setup.model)
        if self.then is None:
            return FaithfulnessPrepared(aligner=first, facts=facts)
        limits = setup.model.card.grounded if self.unsure is None else (self.unsure[0], self.unsure[1])
        if limits is None or limits[0] == limits[1]:
            between = "has no measured thresholds" if limits is None else f"decides every row (at {limits[0]:g})"
            remedy = "say where it is unsure, as in unsure=(0.2, 0.8)"
            raise SpecError(f"{self.name}: model {setup.model.name!r} {between}; {remedy}")
        second, known = self._aligner(setup.other_model(self.then))
        facts = {**facts, "unsure": list(limits), **{f"then_{name}": fact for name, fact in known.items()}}
        return FaithfulnessPrepared(aligner=first, second=second, unsure=limits, facts=facts)

    def _aligner(self, model: Model) -> tuple[VerdictAligner, dict[str, object]]:
        """The aligner of a model, and what its numbers depend on."""
        reader, facts = trained_aligner(model, reading=self.reading)
        if reader.packing is not None and reader.packing.regression:
            why = f"model {model.name!r} predicts one number for a text, and no probability"
            raise SpecError(f"{self.name}: {why}: take Consistency(aligner='R')")
        card = model.card
        # The claims are read with the question, by any model.
        facts[QUESTION] = "apart" if card.aligner_asks else "in the claims"
        facts |= {"exact_checks": DOUBT} if reader.english else {}
        # Verdicts on a saved table use the thresholds of its model.
        facts |= {"grounded": list(card.grounded)} if card.grounded is not None else {}
        facts |= {"grounded_from": card.origins["grounded"]} if "grounded" in card.origins else {}
        if card.grounded is not None and card.strict is not None:
            facts |= {"strict": card.strict, "right_answers": {kind: [*of] for kind, of in card.right_answers.items()}}
        return VerdictAligner(reader, card.aligner_asks), facts

    def requests(self, row: Row, prepared: FaithfulnessPrepared) -> list[AnyRequest]:
        return [] if row.source is None else [*prepared.aligner.requests(_answer(row))]

    def followup_requests(self, row: Row, prepared: FaithfulnessPrepared, features: Features) -> list[AnyRequest]:
        if row.source is None or self.then is None or prepared.second is None:
            return []
        if _decides(_read(row, prepared.aligner, features), prepared.unsure):
            return []
        return asked_of(self.then, prepared.second, _answer(row))

    def score_rows(self, rows: Sequence[Row], prepared: FaithfulnessPrepared, features: Features) -> list[Value]:
        return [self._value(row, prepared, features) for row in rows]

    def _value(self, row: Row, prepared: FaithfulnessPrepared, features: Features) -> Value:
        first = _read(row, prepared.aligner, features)
        value = _value(first, prepared.aligner)
        if self.then is None:
            return value
        if row.source is None:
            return replace(value, parts=(*value.parts, np.nan))
        if _decides(first, prepared.unsure):
            return replace(value, parts=(*value.parts, 1.0))
        assert prepared.second is not None
        second = _value(self._second(row, prepared.second, features), prepared.second)
        probability = second.parts[0]
        decided = np.nan if np.isnan(probability) else 2.0
        # A row that the second model cannot read either has its reason; else the reason is that of the first one's NaN.
        reason = second.reason if np.isnan(decided) else value.reason
        return replace(value, parts=(probability, *value.parts[1:], decided), reason=reason)

    def _second(self, row: Row, second: VerdictAligner, features: Features) -> Aligned | str:
        """A row as the second model reads it."""
        assert self.then is not None
        return _read(row, second, answered_by(self.then, second, _answer(row), features))

    def evidence(self, row: Row, prepared: FaithfulnessPrepared, features: Features) -> Evidence:
        """The words of the candidate, with position and alignment, as the model reads them that decides."""
        aligner, aligned = prepared.aligner, _read(row, prepared.aligner, features)
        if row.source is not None and prepared.second is not None and not _decides(aligned, prepared.unsure):
            aligner, aligned = prepared.second, self._second(row, prepared.second, features)
        if isinstance(aligned, str):
            return Evidence()
        return Evidence(texts=[shown(_answer(row), aligned, aligner.weak, not aligner.reader.judges_words)])


def _answer(row: Row) -> Direction:
    return Direction(
        name="candidate", text=row.candidate, against="source", others=(row.source or "",), question=row.question or ""
    )


def _read(row: Row, aligner: VerdictAligner, features: Features) -> Aligned | str:
    """The alignment of a row's claims, or the reason why there is none."""
    return "no source" if row.source is None else aligner.align(_answer(row), features)


def _value(aligned: Aligned | str, aligner: VerdictAligner) -> Value:
    """The sub-scores, but for the one that says who decided."""
    if isinstance(aligned, str):
        return Value((np.nan,) * len(_PARTS), aligned)
    probability = _least_supported(aligned)
    if not aligner.reader.judges_words:
        return Value((probability, np.nan, np.nan, np.nan), SENTENCES)
    assert aligned.judged is not None  # by the aligner D
    stretches = [(one.begin, one.end) for one in aligned.judged.stretches]
    parts = (
        probability,
        mean_alignment(aligned.alignment),
        least_mean(aligned.alignment, aligned.spans, stretches),
        unsupported_share(aligned.alignment, aligner.weak),
    )
    return Value(parts, "the aligner was not trained to judge whole texts" if np.isnan(parts).any() else None)


def _least_supported(aligned: Aligned) -> float:
    """The probability that all of a text is supported: that of its worst stretch; NaN if the aligner gives none."""
    stretches = () if aligned.judged is None else aligned.judged.stretches
    return min((np.nan if one.supported is None else one.supported for one in stretches), default=np.nan)


def _decides(aligned: Aligned | str, unsure: tuple[float, float]) -> bool:
    """Return whether the first model decides about a row, by where it is unsure."""
    if isinstance(aligned, str):
        return False
    probability, (low, high) = _least_supported(aligned), unsure
    return probability < low or probability >= high  # neither, if it is NaN
