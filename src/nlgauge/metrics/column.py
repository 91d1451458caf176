"""Column: the scores of another tool, which stand in a column of the rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import ClassVar

from nlgauge.data.corpus import Row
from nlgauge.data.corpus.numbers import Labels, label_key, number_in, numbers_in, provenance
from nlgauge.data.corpus.place import shown
from nlgauge.engine.features.request import Features
from nlgauge.errors import SpecError
from nlgauge.metrics.base import Prepared, RowMetric, Setup, Value


@dataclass(frozen=True)
class Column(RowMetric):
    """The number that another tool or a judge gave each row, as it stands in a column of the rows.

    Numbers are read as they are, True and False as 1 and 0, and so are yes and no, pass and fail. A row without a value
    has no score. Any other text is an error that names its row.
    column: the name of the column; a path leads into a record, as in 'verdict.score'; 'scores.NAME' is a rating.
    values: numbers by label, as in {'pass': 1, 'fail': 0}; None for a label that stands for no value.
    higher_is_better: whether a higher number is better.
    """

    columns: ClassVar[tuple[str, ...]] = ("candidate",)
    subject: ClassVar[str] = "column"
    cached: ClassVar[bool] = False

    column: str
    values: Mapping[str, float | None] | None = field(default=None, hash=False)
    # Only here it is a parameter; in the base class it stands before all fields.
    higher_is_better: bool = field(default=True, kw_only=True)  # type: ignore[misc]

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


def labels_of(metric: str, values: object) -> Labels:
    """Return numbers by label in a fixed order. Raises SpecError for what are none, and for a label given twice."""
    wrong = SpecError(f"{metric}: values={shown(values)} are not numbers by label; write {{'pass': 1, 'fail': 0}}")
    if not isinstance(values, Mapping) or not values:
        raise wrong
    numbers: dict[str, float | None] = {}
    for label, number in values.items():
        if not (number is None or (isinstance(number, Real) and math.isfinite(number))):
            raise wrong
        if (key := label_key(label)) in numbers:
            raise SpecError(f"{metric}: values={shown(values)} has the label {key!r} twice")
        exact = None if number is None else float(number)
        numbers[key] = int(exact) if exact is not None and exact.is_integer() else exact
    return dict(sorted(numbers.items()))
