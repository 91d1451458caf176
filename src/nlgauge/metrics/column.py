"""Column: the scores of another tool, which stand in a column of the rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from nlgauge.data.corpus import Row
from nlgauge.data.corpus.numbers import labels_of, number_in, numbers_in, provenance
from nlgauge.engine.features.request import Features
from nlgauge.metrics.base import Prepared, RowMetric, Setup, Value
from nlgauge.metrics.parameters import param


@dataclass(frozen=True)
class Column(RowMetric):
    """The number that another tool or a judge gave each row, as it stands in a column of the rows.

    Numbers are read as they are, True and False as 1 and 0, and so are yes and no, pass and fail. A row without a value
    has no score. Any other text is an error that names its row.
    """

    columns: ClassVar[tuple[str, ...]] = ("candidate",)
    subject: ClassVar[str] = "column"
    example: ClassVar[str] = "verdict"
    cached: ClassVar[bool] = False

    column: str = param(
        help="the name of the column; a path leads into a record, as in 'verdict.score'; 'scores.NAME' is a rating"
    )
    values: Mapping[str, float | None] | None = param(
        None, hash=False, help="numbers by label, as in {'pass': 1, 'fail': 0}; None for a label without a value"
    )
    # Only here it is a parameter; in the base class it stands before all fields.
    higher_is_better: bool = param(True, kw_only=True, help="whether a higher number is better")  # type: ignore[misc]

    def __post_init__(self) -> None:
        if self.values is not None:
            object.__setattr__(self, "values", labels_of(self.name, self.values))
        super().__post_init__()

    def prepare(self, setup: Setup) -> Prepared:
        numbers = numbers_in(setup.corpus, self.column, self.values)
        return Prepared(facts=provenance(setup.corpus, self.column, numbers))

    def score_rows(self, rows: Sequence[Row], prepared: Prepared, features: Features) -> list[Value]:
        numbers = [number_in(row, self.column, self.values) for row in rows]
        return [Value((n,), f"no score in {self.column}" if math.isnan(n) else None) for n in numbers]
