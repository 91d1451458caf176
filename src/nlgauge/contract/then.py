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
    """What reads a row, or something else that was made of a row, to score it."""

    def read(self, row: T_contra, /) -> Reading: ...


class HasRow(Protocol):
    """What was made of a row, and has it."""

    @property
    def row(self) -> Row: ...


@dataclass(frozen=True)
class OfModel(Generic[T]):
    """A scorer whose features are of another model than that of the metric.

    Args:
        model: its name, as in the metric's `other_models`.
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
        prepared: what it prepared.
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
        """Return the features of the other model, as if it were the metric's."""
        return Features({request: features[asked] for request, asked in self._asked.items() if asked in features})

    def followup(self, features: Features) -> list[AnyRequest]:
        return self._by_model(self._reading.followup(self._answers(features)))

    def score(self, features: Features) -> Scored:
        return self._reading.score(self._answers(features))


@dataclass(frozen=True)
class Then(Generic[T]):
    """Two scorers, of which the second reads what the first cannot decide.

    The first sub-score is that of the second scorer if this was asked, and the other sub-scores are those of the first.
    One sub-score more says who decided: 1 for the first scorer, 2 for the second, NaN for neither. The evidence is that
    of the scorer that decided.

    Args:
        first: the scorer that reads every row.
        second: the scorer that reads what the first cannot decide.
        decides: whether the first decides about a row, by what it says of it.
    """

    first: Scorer[T]
    second: Scorer[T]
    decides: Callable[[Scored], bool]

    def read(self, row: T, /) -> Reading:
        """Return the row as the first reads it; the second reads it when that is needed."""
        return _Cascade(self.first.read(row), partial(self.second.read, row), self.decides)


class _Cascade(Reading):
    def __init__(self, first: Reading, second: Callable[[], Reading], decides: Callable[[Scored], bool]) -> None:
        self._first, self._read_again, self._decides = first, second, decides
        self._scored: Scored | None = None
        """By the first"""
        self._second: Reading | None = None
        """None where the first decides"""
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
    """Return the value of a row that the second scorer was asked about."""
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
