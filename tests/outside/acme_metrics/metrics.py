"""A metric that has the name of one of ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from acme_metrics.features import SpreadRequest
from nlgauge.metrics import Cost, Features, Prepared, Row, RowMetric, Setup, Value, param


@dataclass(frozen=True)
class Length(RowMetric):
    """How wide the candidate's tokens are spread, times a factor."""

    columns: ClassVar[tuple[str, ...]] = ("candidate",)
    cost: ClassVar[Cost] = "encoding"

    factor: float = param(1.0, minimum=0, help="what the distance is multiplied by")
    model: str | None = None

    def prepare(self, setup: Setup) -> Prepared:
        return Prepared(facts={"layer": "last"})

    def requests(self, row: Row, prepared: Prepared) -> list[SpreadRequest]:
        return [SpreadRequest(row.candidate)]

    def score_rows(self, rows: Sequence[Row], prepared: Prepared, features: Features) -> list[Value]:
        spreads = [features[SpreadRequest(row.candidate)] for row in rows]
        return [
            Value((np.nan,), "the candidate has no words")
            if spread is None
            else Value((self.factor * spread.distance,))
            for spread in spreads
        ]
