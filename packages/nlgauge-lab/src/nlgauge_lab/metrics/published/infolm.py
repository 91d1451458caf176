"""InfoLM as in its published code."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nlgauge.contract.base import Limits, Value
from nlgauge.data.corpus import Row
from nlgauge.engine.features.masked import Bag
from nlgauge.engine.features.request import Features
from nlgauge.metrics import infolm
from nlgauge.metrics.infolm import Array, InfoLMPrepared


@dataclass(frozen=True)
class InfoLM(infolm.InfoLM):
    """InfoLM with the signs, scale, argument order and defaults of the published code.

    The measures kl and alpha are negated, so that higher is better for them. Fisher-Rao is between 0 and pi. 'forward'
    means D(candidate || reference). If a row has nothing to compare, its score is 0 with a note. So an empty candidate
    counts as perfect.
    """

    temperature: float | None = 0.25
    idf: str = "separate"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "higher_is_better", self.measure in ("kl", "alpha"))

    @property
    def limits(self) -> Mapping[str, Limits]:
        most = math.pi if self.measure == "fisher_rao" else super().limits["score"][1]
        return {"score": (-most, 0.0) if self.higher_is_better else (0.0, most)}

    def distance(self, candidate: Bag, reference: Bag, prepared: InfoLMPrepared) -> float:
        value = super().distance(candidate, reference, prepared)
        if self.measure == "fisher_rao":
            return math.pi * value
        return -value if self.higher_is_better else value

    def logs(self, candidate: Bag, reference: Bag) -> tuple[Array, Array]:
        return super().logs(reference, candidate)

    def score_rows(self, rows: Sequence[Row], prepared: InfoLMPrepared, features: Features) -> list[Value]:
        values = super().score_rows(rows, prepared, features)
        told = "0 as in the published code"
        return [Value((0.0,), None, (f"{v.reason}: {told}",)) if v.reason else v for v in values]
