"""A cascade of two scorers: the second reads what the first cannot decide."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from nlgauge.contract.base import Prepared, Reading, RowMetric, Scored, ScoredRows, Value
from nlgauge.data.corpus import Row
from nlgauge.engine.features.request import AnyRequest, ByModel, Features

T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)


class Scorer(Protocol[T_contra]):
    """An object that reads a row, or something that was made from a row, so that it can be scored."""

    def read(self, row: T_contra, /) -> Reading: ...


class HasRow(Protocol):
    """An object that was made from a row, and holds that row."""

    @property
    def row(self) -> Row: ...


@dataclass(frozen=True)
class OfModel(Generic[T]):
    """A scorer that takes its features from another model than the metric does.

    Args:
        model: the name of that model, one of the metric's `other_models`.
        scorer: the scorer.
    """

    model: str
    scorer: Scorer[T]

    def read(self, row: T, /) -> Reading:
        """Return the row as the scorer reads it."""
        return _OfModelReading(self.model, self.scorer.read(row))


@dataclass(frozen=True)
class OfMetric:
    """A scorer of rows that is another metric.

    Args:
        metric: the metric.
        prepared: the metric's result of `prepare`.
    """

    metric: RowMetric
    prepared: Prepared

    def read(self, row: HasRow, /) -> Reading:
        """Return the row as the metric reads it."""
        return self.metric.read_row(row.row, self.prepared)


class _OfModelReading(Reading):
    def __init__(self, model: str, reading: Reading) -> None:
        self._model, self._reading = model, reading
        self._asked: dict[AnyRequest, ByModel[Any]] = {}
        self.requests = self._by_model(reading.requests)

    def _by_model(self, requests: Sequence[AnyRequest]) -> list[AnyRequest]:
        return [self._asked.setdefault(request, ByModel(self._model, request)) for request in requests]

    def _answers(self, features: Features) -> Features:
        """Return the features of the other model, by the scorer's requests, which do not name this model."""
        return Features({request: features[asked] for request, asked in self._asked.items() if asked in features})

    def followup(self, features: Features) -> list[AnyRequest]:
        return self._by_model(self._reading.followup(self._answers(features)))

    def score(self, features: Features) -> Scored:
        return self._reading.score(self._answers(features))


@dataclass(frozen=True)
class Then(Generic[T]):
    """Two scorers, of which the second reads what the first cannot decide.

    The first sub-score comes from the second scorer if that had to read the row. The other sub-scores come from the
    first scorer. A last sub-score is added, which says who decided: 1 for the first scorer, 2 for the second, NaN for
    neither. The evidence comes from the scorer that read the row last.

    Args:
        first: the scorer that reads every row.
        second: the scorer that reads the rows that the first cannot decide.
        decides: returns whether the result of the first scorer for a row is final.
    """

    first: Scorer[T]
    second: Scorer[T]
    decides: Callable[[Scored], bool]

    def read(self, row: T, /) -> Reading:
        """Return the row as the first scorer reads it. The second scorer reads the row only where it is needed."""
        return _Cascade(self.first.read(row), partial(self.second.read, row), self.decides)


class _Cascade(Reading):
    def __init__(self, first: Reading, second: Callable[[], Reading], decides: Callable[[Scored], bool]) -> None:
        self._first, self._read_again, self._decides = first, second, decides
        self._scored: Scored | None = None
        """The result of the first scorer; None before it has scored the row"""
        self._second: Reading | None = None
        """The row as the second scorer reads it; None where the first scorer decides"""
        self.requests = first.requests

    def followup(self, features: Features) -> Sequence[AnyRequest]:
        if self._scored is None:
            if further := [request for request in self._first.followup(features) if request not in features]:
                return further
            self._scored = self._first.score(features)
            if not self._decides(self._scored):
                self._second = self._read_again()
        if self._second is None:
            return ()
        return [request for request in self._second.requests if request not in features] or self._second.followup(
            features
        )

    def score(self, features: Features) -> Scored:
        values, evidence = self.score_all([self], features)
        return Scored(values[0], lambda: evidence(0))

    @classmethod
    def score_all(cls, readings: Sequence[_Cascade], features: Features) -> ScoredRows:
        firsts = [reading._scored for reading in readings if reading._scored is not None]
        assert len(firsts) == len(readings)  # a run asks for follow-ups before it scores
        again = {at: reading._second for at, reading in enumerate(readings) if reading._second is not None}
        joined = [replace(first.value, parts=(*first.value.parts, 1.0)) for first in firsts]
        if not again:
            return ScoredRows(joined, lambda at: firsts[at].evidence())
        seconds = list(again.values())
        values, evidence = type(seconds[0]).score_all(seconds, features)
        for at, value in zip(again, values, strict=True):
            joined[at] = _joined(firsts[at].value, value)
        places = {at: place for place, at in enumerate(again)}
        return ScoredRows(joined, lambda at: evidence(places[at]) if at in places else firsts[at].evidence())


def _joined(first: Value, second: Value) -> Value:
    """Return the value of a row that both scorers have scored."""
    number = second.parts[0]
    decided = math.nan if math.isnan(number) else 2.0
    return replace(
        first,
        parts=(number, *first.parts[1:], decided),
        # A row that the second cannot read either has its reason; else the reason is that of the first one's NaN.
        reason=second.reason if math.isnan(decided) else first.reason,
        notes=(*first.notes, *second.notes),
        temporary=first.temporary or second.temporary,
    )
