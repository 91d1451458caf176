"""Combination: a weighted sum of metrics, with weights fitted to human ratings (`nlgauge train combination`)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nlgauge.contract.base import (
    ANY,
    POCKET,
    Limits,
    Prepared,
    RowMetric,
    Setup,
    Value,
)
from nlgauge.contract.parameters import param
from nlgauge.contract.together import OfMembers, PreparedMember, PreparedTogether, Together, Values
from nlgauge.data.corpus import Row
from nlgauge.data.evidence import Evidence, Item
from nlgauge.errors import InputError, SpecError
from nlgauge_lab.combination_file import CombinationFile, Member


@dataclass(frozen=True)
class Combination(OfMembers):
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
        models = {name for made in self.members.values() if (name := made.reads) is not None}
        if len(models) > 1:
            names = ", ".join(sorted(models))
            raise SpecError(
                f"{self.name}: its members read {names}: score each, and use nlgauge_lab.combination.applied"
            )
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
    def other_models(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(dict.fromkeys(name for made in self.members.values() for name in made.other_models))

    def prepare(self, setup: Setup) -> PreparedTogether:
        file, members = self._loaded
        bound = {spec: PreparedMember(made, made.prepare(setup)) for spec, made in members.items()}
        name, digest = self.reads or POCKET, setup.model.digest
        fitted = file.models.get(name)
        changed = fitted is not None and not digest.startswith(fitted)
        notes = (f"the weights were fitted to scores of {name}@{fitted[:8]}",) if changed and fitted else ()
        named = "+".join(_named(spec, one.prepared, file) for spec, one in bound.items())
        facts = {"weights": file.digest[:8], "members": named}
        parts = {spec: one.metric.parts for spec, one in bound.items()}
        together = Together(
            members=bound,
            parts=len(self.parts),
            value=partial(_combined, file=file, parts=parts, notes=notes),
            evidence=partial(_shown, file=file, parts=parts),
        )
        return PreparedTogether(together=together, facts=facts)


def _shown(row: Row, values: Values, file: CombinationFile, parts: Mapping[str, Sequence[str]]) -> Evidence:
    """Return what each member adds to the score, as evidence; empty if the row has no score.

    The evidence of a member has its score, its standardised score, its weight, and the product of the last two.

    Args:
        row: the row.
        values: the members' values for the row, by spec.
        file: the combination.
        parts: the names of each member's sub-scores, by spec.
    """
    if _combined(row, values, file, parts=parts, notes=()).reason is not None:
        return Evidence()
    numbers = _numbers(values, file, parts)
    entries = zip(file.used, numbers.tolist(), file.standardised(numbers), strict=True)
    members = [_added(member, value, deviation) for member, value, deviation in entries]
    return Evidence(items=[*members, Item("intercept", {"adds": file.intercept})])


@lru_cache(maxsize=16)
def _load(path: str, changed: int | None) -> tuple[CombinationFile, Mapping[str, RowMetric]]:
    """Return a combination file, and its used members by spec.

    The result is cached for a path and its modification time `changed`, so a file that was rewritten is read again.
    """
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
    """Return how a member appears in the signature: its spec, the parts that are used, and its facts."""
    parts = ",".join(member.part for member in file.used if member.metric == spec)
    return f"{spec} {parts}" + "".join(f";{name}={fact}" for name, fact in prepared.facts.items())


def _numbers(values: Values, file: CombinationFile, parts: Mapping[str, Sequence[str]]) -> NDArray[np.float64]:
    """Return the scores of the used members for one row: [used].

    Args:
        values: the members' values for the row, by spec.
        file: the combination, which says which sub-score of a member is used.
        parts: the names of each member's sub-scores, by spec.
    """
    return np.array([values[one.metric].parts[parts[one.metric].index(one.part)] for one in file.used], np.float64)


def _combined(
    row: Row, values: Values, file: CombinationFile, *, parts: Mapping[str, Sequence[str]], notes: Sequence[str]
) -> Value:
    numbers = _numbers(values, file, parts)
    for member, number in zip(file.used, numbers.tolist(), strict=True):
        if not math.isfinite(number):
            why = values[member.metric].reason or "it is infinite"
            return Value((math.nan,), f"no value of {member.name}: {why}")
    of_members = [f"{spec}: {note}" for spec, value in values.items() for note in value.notes]
    return Value((float(file.combined(numbers)),), None, (*of_members, *notes))


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
