"""Combination: a weighted sum of metrics, with weights fitted to human ratings (`nlgauge train combination`)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.contract.base import (
    ANY,
    COSTS,
    POCKET,
    Cost,
    Limits,
    Prepared,
    Reading,
    RowMetric,
    Scored,
    ScoredRows,
    Setup,
    Value,
    model_of,
)
from nlgauge.contract.parameters import param
from nlgauge.data.corpus import Row
from nlgauge.data.evidence import Evidence, Item
from nlgauge.engine.features.request import AnyRequest, Features
from nlgauge.errors import InputError, SpecError
from nlgauge_lab.combination_file import CombinationFile, Member


class PreparedMember(NamedTuple):
    """A member and its result of `prepare`."""

    metric: RowMetric
    prepared: Prepared


@dataclass(frozen=True, kw_only=True)
class CombinationPrepared(Prepared):
    file: CombinationFile
    members: Mapping[str, PreparedMember]
    """By spec"""
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Combination(RowMetric):
    """A weighted sum of metrics, in the unit of the ratings to which its weights were fitted.

    Members with weight 0 are not computed. If a member has no score for a row, the combination has none.
    """

    limits: ClassVar[Mapping[str, Limits]] = {"score": ANY}
    short: ClassVar[str] = "weights"

    weights: str = param("", help="a file from `nlgauge train combination`")
    model: str | None = param(
        None, help="the model of its members. It need not be given, and no other model is allowed."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.weights:
            raise SpecError(f"{self.name}: give weights='FILE', which nlgauge train combination writes")
        models = {name for made in self.members.values() if (name := model_of(made)) is not None}
        if len(models) > 1:
            names = ", ".join(sorted(models))
            raise SpecError(f"{self.name}: its members read {names}: score each, and use meta.combination.applied")
        fitted = models.pop() if models else POCKET
        if self.model not in (None, fitted):
            raise SpecError(f"{self.name}: its weights were fitted to scores of model {fitted!r}, not {self.model!r}")
        if fitted != POCKET:
            object.__setattr__(self, "model", fitted)

    @property
    def members(self) -> Mapping[str, RowMetric]:
        """The metrics whose weights are not 0, by spec. Raises SpecError for a file that cannot be used."""
        return self._loaded[1]

    @property
    def _loaded(self) -> tuple[CombinationFile, Mapping[str, RowMetric]]:
        try:
            changed = Path(self.weights).stat().st_mtime_ns
        except OSError:
            changed = None  # the error is raised when the file is read
        try:
            return _load(self.weights, changed)
        except InputError as error:
            raise SpecError(f"{self.name}: {error}") from None

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(column for made in self.members.values() for column in made.columns))

    @property
    def other_models(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(dict.fromkeys(name for made in self.members.values() for name in made.other_models))

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

    def prepare(self, setup: Setup) -> CombinationPrepared:
        file, members = self._loaded
        bound = {spec: PreparedMember(made, made.prepare(setup)) for spec, made in members.items()}
        name, digest = model_of(self) or POCKET, setup.model.digest
        fitted = file.models.get(name)
        changed = fitted is not None and not digest.startswith(fitted)
        notes = (f"the weights were fitted to scores of {name}@{fitted[:8]}",) if changed and fitted else ()
        named = "+".join(_named(spec, one.prepared, file) for spec, one in bound.items())
        facts = {"weights": file.digest[:8], "members": named}
        return CombinationPrepared(file=file, members=bound, notes=notes, facts=facts)

    def read_row(self, row: Row, prepared: CombinationPrepared) -> Reading:
        return _CombinedReading(row, prepared)


class _CombinedReading(Reading):
    """A row as each member reads it."""

    def __init__(self, row: Row, prepared: CombinationPrepared) -> None:
        self._prepared = prepared
        self._members = {spec: one.metric.read_row(row, one.prepared) for spec, one in prepared.members.items()}
        self.requests = _all_of(one.requests for one in self._members.values())

    def followup(self, features: Features) -> list[AnyRequest]:
        return _all_of(one.followup(features) for one in self._members.values())

    def score(self, features: Features) -> Scored:
        values, evidence = self.score_all([self], features)
        return Scored(values[0], lambda: evidence(0))

    @classmethod
    def score_all(cls, readings: Sequence[_CombinedReading], features: Features) -> ScoredRows:
        prepared, columns = readings[0]._prepared, dict[str, Sequence[Value]]()
        for spec in readings[0]._members:
            of_member = [one._members[spec] for one in readings]
            columns[spec] = type(of_member[0]).score_all(of_member, features).values
        rows = [{spec: values[at] for spec, values in columns.items()} for at in range(len(readings))]
        return ScoredRows([_combined(row, prepared) for row in rows], lambda at: _shown(rows[at], prepared))


def _all_of(some: Iterable[Sequence[AnyRequest]]) -> list[AnyRequest]:
    return list(dict.fromkeys(request for requests in some for request in requests))


def _shown(values: Mapping[str, Value], prepared: CombinationPrepared) -> Evidence:
    """What each member adds: its value, its standardised value, its weight, and the product of the last two."""
    if _combined(values, prepared).reason is not None:
        return Evidence()
    numbers = _numbers(values, prepared)
    entries = zip(prepared.file.used, numbers.tolist(), prepared.file.standardised(numbers), strict=True)
    members = [_added(member, value, deviation) for member, value, deviation in entries]
    return Evidence(items=[*members, Item("intercept", {"adds": prepared.file.intercept})])


@lru_cache(maxsize=16)
def _load(path: str, changed: int | None) -> tuple[CombinationFile, Mapping[str, RowMetric]]:
    """A file and its members by spec; it is read again if its modification time changes."""
    file = CombinationFile.load(path)
    return file, {member.metric: _member(member) for member in file.used}


def _member(member: Member) -> RowMetric:
    from nlgauge import registry

    own = Combination.__name__
    if member.metric.partition("(")[0].strip() == own:
        raise SpecError(f"{own}: {member.metric} is a Combination itself: fit all members together")
    made = registry.metric(member.metric, model=POCKET)  # whatever the environment says: the weights are for it
    if not isinstance(made, RowMetric) or member.part not in made.parts:
        raise SpecError(f"{own}: {member.name} is not a row score")
    return made


def _named(spec: str, prepared: Prepared, file: CombinationFile) -> str:
    """A member in the signature: its spec, the parts that are used, and its facts."""
    parts = ",".join(member.part for member in file.used if member.metric == spec)
    return f"{spec} {parts}" + "".join(f";{name}={fact}" for name, fact in prepared.facts.items())


def _numbers(values: Mapping[str, Value], prepared: CombinationPrepared) -> NDArray[np.float64]:
    """The scores of the used members for a row, from their values by spec: [used]."""
    parts = {spec: one.metric.parts for spec, one in prepared.members.items()}
    used = prepared.file.used
    return np.array([values[one.metric].parts[parts[one.metric].index(one.part)] for one in used], np.float64)


def _combined(values: Mapping[str, Value], prepared: CombinationPrepared) -> Value:
    numbers = _numbers(values, prepared)
    for member, number in zip(prepared.file.used, numbers.tolist(), strict=True):
        if not math.isfinite(number):
            why = values[member.metric].reason or "it is infinite"
            return Value((math.nan,), f"no value of {member.name}: {why}")
    notes = [f"{spec}: {note}" for spec, value in values.items() for note in value.notes]
    return Value((float(prepared.file.combined(numbers)),), None, (*notes, *prepared.notes))


def _added(member: Member, value: float, deviations: float) -> Item:
    facts: dict[str, object] = {
        "metric": member.metric,
        "part": member.part,
        "value": value,
        "standardised": deviations,
        "weight": member.weight,
        "adds": member.weight * deviations,
    }
    return Item(member.name, facts)
