"""Faithfulness: is all that an answer claims supported by its source? The metric that the gate decides by.

Links, citation marks, greetings and layout are removed from the answer (`claims`). A trained aligner judges the rest
beside the source. Exact checks lower the probability of a claim where a number, a date, a name or an opposite differs
from the source (`exact_checks`). Sentences that say that something is not in the source are judged by a search
(`refusals`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from nlgauge.contract.base import (
    QUESTION,
    SHARE,
    Cost,
    Limits,
    Prepared,
    Reading,
    RowMetric,
    Scored,
    Setup,
    gives_no_probability,
)
from nlgauge.contract.parameters import param
from nlgauge.contract.then import OfMetric, OfModel, Scorer, Then
from nlgauge.data.corpus import Row
from nlgauge.data.evidence import refuses_worst, surely_differs
from nlgauge.data.signature import FLOAT32
from nlgauge.data.table.column import CLAIMS, MIDDLE, WORDING
from nlgauge.engine.aligners import Direction, trained_aligner
from nlgauge.engine.features.alignment import CLAIM, LongSource
from nlgauge.engine.models.capabilities import Model
from nlgauge.errors import SpecError
from nlgauge.faithfulness.aligner import DOUBT, NO_CLAIM, PARTS, Answer, VerdictAligner
from nlgauge.maths.wording import Bands, readable

_METRIC = re.compile(r"[A-Z][A-Za-z]*\(.*\)", re.DOTALL)
"""The spec of a metric, in contrast to the name of a model"""


@dataclass(frozen=True, kw_only=True)
class FaithfulnessPrepared(Prepared):
    scorer: Scorer[Answer]
    """The scorer of the answers: an aligner, or a cascade of two scorers"""
    asked: OfMetric | None = None
    """The metric for rows that the model cannot decide; None without such a metric"""


@dataclass(frozen=True)
class Decides:
    """A test whether a first model decides about an answer: it must be sure, and able to read the answer's wording.

    Args:
        unsure: two probabilities. The model is sure below the first, and from the second on.
        bands: for each range of the share of words that the source has, how well the model reads such answers.
    """

    unsure: tuple[float, float]
    bands: Bands

    def __call__(self, scored: Scored) -> bool:
        """Return whether the model decides about an answer to which it gave the score `scored`."""
        value = scored.value
        probability, wording = value.parts[0], value.parts[PARTS.index(WORDING)]
        low, high = self.unsure
        if value.reason is not None and value.reason.endswith(NO_CLAIM):
            return True  # there is nothing to ask about
        if not (probability < low or probability >= high):  # neither, if it is NaN
            return False
        if readable(wording, self.bands):
            return True
        evidence = scored.evidence().record()  # what a search or an exact check judged needs no model
        return surely_differs(evidence) is not None or refuses_worst(evidence)


@dataclass(frozen=True)
class Faithfulness(RowMetric):
    """Does the source support all that the candidate claims? The probability that it does.

    Each claim (a sentence) is judged beside the sentences of the source that matter to it, and the odds against the
    claims add up (`nlgauge.maths.alignment.all_supported`). A number, date, name or opposite that differs from the
    source lowers the probability. There are five more parts:

    - `score`: the mean alignment of the words, from 0 to 1;
    - `least_stretch`: the mean alignment of the words of the worst claim;
    - `unsupported`: the share of words whose alignment is below the aligner's threshold;
    - `wording`: the share of the longer words whose beginning the source has;
    - `claims`: the number of claims.
    """

    citation: ClassVar[str] = "Deng et al. 2021, EMNLP, arXiv:2109.06379 (the aligner)"
    columns: ClassVar[tuple[str, ...]] = ("candidate", "source")
    cost: ClassVar[Cost] = "pairs"

    reading: LongSource = param(
        "search",
        choices=("search", "windows"),
        help="of a long source, 'search' reads for each claim the sentences that share most with it, 'windows' reads "
        "all of it, part by part",
    )
    then: str | None = param(
        None,
        help="a second model for the rows that the first cannot decide, or another metric from 0 to 1, such as "
        "\"Judge('http://127.0.0.1:8080/v1')\": `probability` is then what the second says of them, and the part "
        "`decided` is 1 where the first model decided, and 2 where the second did",
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
        return PARTS if self.then is None else (*PARTS, "decided")

    @property
    def details(self) -> tuple[str, ...]:  # type: ignore[override]
        # For the share of unsupported words, less is better.
        return ("unsupported", WORDING, CLAIMS) if self.then is None else ("unsupported", WORDING, CLAIMS, "decided")

    @property
    def limits(self) -> Mapping[str, Limits]:
        of_parts = {**dict.fromkeys(PARTS, SHARE), CLAIMS: (1.0, math.inf)}
        return of_parts if self.then is None else {**of_parts, "decided": (1.0, 2.0)}

    @property
    def _asks_metric(self) -> bool:
        """Whether the second scorer is a metric, and not a model."""
        return self.then is not None and _METRIC.fullmatch(self.then) is not None

    @property
    def other_models(self) -> tuple[str, ...]:  # type: ignore[override]
        return () if self.then is None or self._asks_metric else (self.then,)

    @property
    def cached(self) -> bool:  # type: ignore[override]
        # A second metric may depend on more than the row, such as a column, which is not known here.
        return not self._asks_metric

    def spent(self, prepared: FaithfulnessPrepared) -> Mapping[str, int]:
        """Return the cost of a second metric, such as the number of its requests, by name; empty without one."""
        asked = prepared.asked
        return {} if asked is None else asked.metric.spent(asked.prepared)

    def prepare(self, setup: Setup) -> FaithfulnessPrepared:
        first, facts = self._aligner(setup.model)
        if self.then is None:
            return FaithfulnessPrepared(scorer=first, facts=facts)
        limits = setup.model.card.grounded if self.unsure is None else (self.unsure[0], self.unsure[1])
        if limits is None or limits[0] == limits[1]:
            between = "has no measured thresholds" if limits is None else f"decides every row (at {limits[0]:g})"
            remedy = "say where it is unsure, as in unsure=(0.2, 0.8)"
            raise SpecError(f"{self.name}: model {setup.model.name!r} {between}; {remedy}")
        decides = Decides(limits, setup.model.card.bands)
        if self._asks_metric:
            asked, more = self._other(self.then, setup)
            facts = {**facts, "unsure": list(limits), "model_then": {"name": self.then}, **more}
            return FaithfulnessPrepared(scorer=Then(first, asked, decides), facts=facts, asked=asked)
        second, more = self._aligner(setup.other_model(self.then))
        facts = {**facts, "unsure": list(limits), **{f"then_{name}": fact for name, fact in more.items()}}
        return FaithfulnessPrepared(scorer=Then(first, OfModel(self.then, second), decides), facts=facts)

    def _other(self, spec: str, setup: Setup) -> tuple[OfMetric, dict[str, object]]:
        """Return another metric as the second scorer, and the facts that its numbers depend on."""
        metric, prepared = setup.prepared(spec)
        if not isinstance(metric, RowMetric) or gives_no_probability(metric) or metric.reads is not None:
            problem = f"{metric} gives no probability that the source supports an answer, or reads a model"
            raise SpecError(f"{self.name}: then={spec!r}: {problem}: name a model, a Judge or a Column from 0 to 1")
        facts = {f"then_{name}": fact for name, fact in prepared.facts.items()}
        facts |= {"then_grounded": [MIDDLE, MIDDLE], "then_grounded_from": "the middle of 0 and 1"}
        # This middle holds in any precision of the first model.
        facts |= {"then_grounded_in": setup.model.precision} if setup.model.precision != FLOAT32 else {}
        return OfMetric(metric, prepared), facts

    def _aligner(self, model: Model) -> tuple[VerdictAligner, dict[str, object]]:
        """Return the aligner of a model, and the facts that its numbers depend on."""
        reader, facts = trained_aligner(model, reading=self.reading)
        if reader.packing is not None and reader.packing.regression:
            why = f"model {model.name!r} predicts one number for a text, and no probability"
            raise SpecError(f"{self.name}: {why}: take Consistency(aligner='R')")
        if reader.packing is None:
            facts["rows"] = f"claims@{min(CLAIM.row, model.window)}"
        card = model.card
        # The claims are read with the question, by any model.
        facts[QUESTION] = "apart" if card.aligner_asks else "in the claims"
        facts |= {"exact_checks": DOUBT} if reader.english else {}
        # Verdicts on a saved table use the thresholds of its model.
        facts |= {"grounded": list(card.grounded)} if card.grounded is not None else {}
        facts |= {"grounded_in": card.grounded_in} if card.grounded_in != FLOAT32 else {}
        facts |= {"grounded_from": card.origins["grounded"]} if "grounded" in card.origins else {}
        if card.grounded is not None and card.strict is not None:
            facts |= {"strict": card.strict, "right_answers": {kind: [*of] for kind, of in card.right_answers.items()}}
        facts |= {"bands": [[*band] for band in card.bands]} if card.bands else {}
        return VerdictAligner(reader, card.aligner_asks), facts

    def read_row(self, row: Row, prepared: FaithfulnessPrepared) -> Reading:
        answer = Direction(
            name="candidate",
            text=row.candidate,
            against="source",
            others=(row.source or "",),
            question=row.question or "",
        )
        return prepared.scorer.read(Answer(answer, row, None if row.source is not None else "no source"))
