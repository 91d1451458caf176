"""A metric that is made of several metrics: each of them reads the row, and their values give one value."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from nlgauge.contract.base import COSTS, Cost, Interrupted, Prepared, Reading, RowMetric, Scored, ScoredRows, Value
from nlgauge.contract.then import OfModel, Scorer
from nlgauge.data.corpus import Row
from nlgauge.data.evidence import Evidence
from nlgauge.engine.features.request import AnyRequest, Features

Values = Mapping[str, Value]
"""The value that each member gives to a row, by the spec of the member"""
_STOPPED = "the run was stopped before all members had scored the row"


class PreparedMember(NamedTuple):
    """One of the metrics that make up another metric (a member), with its result of `prepare`."""

    metric: RowMetric
    prepared: Prepared
    other_model: str | None = None
    """The name of the model that the member reads, where that is not the model of the whole metric"""

    def read(self, row: Row) -> Reading:
        """Return the row as the member reads it."""
        if self.other_model is None:
            return self.metric.read_row(row, self.prepared)
        scorer: Scorer[Row] = PreparedMember(self.metric, self.prepared)
        return OfModel(self.other_model, scorer).read(row)


class Together(NamedTuple):
    """The members of a metric, and the functions that make its value and its evidence from the members' values."""

    members: Mapping[str, PreparedMember]
    """The members by their specs"""
    parts: int
    """How many sub-scores the value has"""
    value: Callable[[Row, Values], Value]
    evidence: Callable[[Row, Values], Evidence]

    def read(self, row: Row) -> Reading:
        """Return the row as the members read it."""
        return _TogetherReading(row, self)


@dataclass(frozen=True, kw_only=True)
class PreparedTogether(Prepared):
    """The result of `prepare` of a metric that is made of several metrics."""

    together: Together


@dataclass(frozen=True)
class OfMembers(RowMetric):
    """A metric that makes its value from the values of other metrics, its members.

    It needs the columns, the corpus and the libraries that any of its members needs.
    """

    @property
    @abstractmethod
    def members(self) -> Mapping[str, RowMetric]:
        """The members by their specs."""

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(column for made in self.members.values() for column in made.columns))

    @property
    def cost(self) -> Cost:
        return max((made.cost for made in self.members.values()), key=COSTS.index)

    @property
    def uses_corpus(self) -> bool:
        return any(made.uses_corpus for made in self.members.values())

    @property
    def libraries(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(dict.fromkeys(name for made in self.members.values() for name in made.libraries))

    @property
    def scored_by(self) -> tuple[type, ...]:
        return (type(self), *(kind for made in self.members.values() for kind in made.scored_by))

    def read_row(self, row: Row, prepared: PreparedTogether) -> Reading:
        return prepared.together.read(row)

    def spent(self, prepared: PreparedTogether) -> Mapping[str, int]:
        """Return the costs of all members together, by name, as `Metric.spent` does for a single metric."""
        total: dict[str, int] = {}
        for member in prepared.together.members.values():
            for name, count in member.metric.spent(member.prepared).items():
                total[name] = total.get(name, 0) + count
        return total


class _TogetherReading(Reading):
    def __init__(self, row: Row, how: Together) -> None:
        self._row, self._how = row, how
        self._members = {spec: member.read(row) for spec, member in how.members.items()}
        self.requests = _all_of(reading.requests for reading in self._members.values())

    def followup(self, features: Features) -> list[AnyRequest]:
        return _all_of(reading.followup(features) for reading in self._members.values())

    def score(self, features: Features) -> Scored:
        values, evidence = self.score_all([self], features)
        return Scored(values[0], lambda: evidence(0))

    @classmethod
    def score_all(cls, readings: Sequence[_TogetherReading], features: Features) -> ScoredRows:
        how, columns = readings[0]._how, dict[str, Sequence[Value]]()
        for spec in readings[0]._members:
            of_member = [reading._members[spec] for reading in readings]
            try:
                columns[spec] = type(of_member[0]).score_all(of_member, features).values
            except Interrupted:
                none = Value((math.nan,) * how.parts, _STOPPED, temporary=True)
                raise Interrupted([none] * len(readings)) from None
        rows = [{spec: values[at] for spec, values in columns.items()} for at in range(len(readings))]
        made = [how.value(reading._row, row) for reading, row in zip(readings, rows, strict=True)]
        return ScoredRows(made, lambda at: how.evidence(readings[at]._row, rows[at]))


def _all_of(groups: Iterable[Sequence[AnyRequest]]) -> list[AnyRequest]:
    return list(dict.fromkeys(request for requests in groups for request in requests))
