"""Combination: several metrics as one, by weights fitted to people's ratings (`nlgauge train combination`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nlgauge.corpus import Corpus, Row
from nlgauge.engine.engine import Features, Need
from nlgauge.errors import InputError, SpecError
from nlgauge.metrics.base import Metric, RowMetric, Scorer, TextMetric, Texts, TextScorer, Value
from nlgauge.weights import Member, Weights


@dataclass(frozen=True)
class Combination(RowMetric):
    """A weighted sum of metrics, in the unit of the ratings that its weights were fitted to.

    weights: the file that `nlgauge train combination` wrote. Its members are computed in the same pass over the texts
        as all other metrics of the run; those with weight 0 are not. Where one has no number, the combination has none.
    model: as its members'; it need not be given, and no other fits the weights.
    """

    weights: str = ""

    def __post_init__(self) -> None:
        if not (isinstance(self.weights, str) and self.weights):
            raise SpecError("Combination: give weights='FILE', which nlgauge train combination writes")
        try:
            loaded = Weights.load(self.weights)
        except InputError as error:
            raise SpecError(f"Combination: {error}") from None
        object.__setattr__(self, "_loaded", loaded)
        models = {made.model for made in self.members.values() if isinstance(made, RowMetric)}
        if len(models) > 1:
            names = ", ".join(sorted(models))
            raise SpecError(f"Combination: its members read {names}: score each, and use meta.combination.applied")
        theirs = models.pop() if models else "pocket"
        if self.model not in ("pocket", theirs):
            raise SpecError(f"Combination: its weights were fitted to scores of model {theirs!r}, not {self.model!r}")
        object.__setattr__(self, "model", theirs)
        super().__post_init__()

    @property
    def members(self) -> dict[str, Metric]:
        """The metrics whose weights are not 0, by spec."""
        from nlgauge import registry

        loaded: Weights = self._loaded  # type: ignore[attr-defined]
        found: dict[str, Metric] = {}
        for member in loaded.used:
            if member.metric.partition("(")[0].strip() == type(self).__name__:
                raise SpecError(f"Combination: {member.metric} is one itself: fit all members together")
            made = registry.metric(member.metric)
            if not isinstance(made, RowMetric | TextMetric) or member.part not in made.parts:
                raise SpecError(f"Combination: {member.name} is no number of a row")
            found[member.metric] = made
        return found

    def scorer(self, corpus: Corpus, texts: Texts) -> CombinationScorer:
        return CombinationScorer(self, corpus, texts)


class CombinationScorer(Scorer):
    """The members bound to one corpus and one engine."""

    def __init__(self, metric: Combination, corpus: Corpus, texts: Texts) -> None:
        self._weights: Weights = metric._loaded  # type: ignore[attr-defined]
        self._readers: dict[str, Scorer] = {}
        self._others: dict[str, TextScorer] = {}
        self._parts = {spec: made.parts for spec, made in metric.members.items()}
        for spec, made in metric.members.items():
            if isinstance(made, RowMetric):
                self._readers[spec] = made.scorer(corpus, texts)
            else:
                self._others[spec] = made.scorer(corpus)
        own, fitted = texts.model.digest[:8], self._weights.models.get(metric.model)
        changed = fitted is not None and fitted != own
        self._notes = (f"the weights were fitted to scores of {metric.model}@{fitted}",) if changed else ()
        self.signature = {"weights": self._weights.digest[:8], "members": "+".join(map(self._named, self._parts))}

    def _named(self, spec: str) -> str:
        parts = ",".join(member.part for member in self._weights.used if member.metric == spec)
        facts = (self._readers.get(spec) or self._others[spec]).signature
        return f"{spec} {parts}" + "".join(f";{name}={value}" for name, value in facts.items())

    def needs(self, row: Row) -> list[Need]:
        return list(dict.fromkeys(need for scorer in self._readers.values() for need in scorer.needs(row)))

    def score(self, rows: Sequence[Row], features: Features) -> list[Value]:
        found = self._members(rows, features)
        return [self._value({spec: values[at] for spec, values in found.items()}) for at in range(len(rows))]

    def _members(self, rows: Sequence[Row], features: Features) -> dict[str, list[Value]]:
        found = {spec: scorer.score(rows, features) for spec, scorer in self._readers.items()}
        return {**found, **{spec: scorer.score(rows) for spec, scorer in self._others.items()}}

    def _number(self, member: Member, found: Mapping[str, Value]) -> float:
        return found[member.metric].parts[self._parts[member.metric].index(member.part)]

    def _value(self, found: Mapping[str, Value]) -> Value:
        members = self._weights.used
        values = np.array([self._number(member, found) for member in members])
        for member, value in zip(members, values.tolist(), strict=True):
            if not np.isfinite(value):
                why = found[member.metric].reason or "it is infinite"
                return Value((np.nan,), f"no value of {member.name}: {why}")
        notes = [f"{spec}: {note}" for spec, value in found.items() for note in value.notes]
        return Value((float(self._weights.combined(values)),), None, (*notes, *self._notes))

    def evidence(self, row: Row, features: Features) -> dict[str, Any]:
        """What each member adds: its value, how many deviations that is above the mean, and times which weight."""
        found = {spec: values[0] for spec, values in self._members([row], features).items()}
        if self._value(found).reason is not None:
            return {}
        members = self._weights.used
        values = np.array([self._number(member, found) for member in members])
        return {
            "intercept": self._weights.intercept,
            "members": [
                {
                    "metric": member.metric,
                    "part": member.part,
                    "value": float(value),
                    "standardised": float(deviations),
                    "weight": member.weight,
                    "adds": member.weight * float(deviations),
                }
                for member, value, deviations in zip(
                    members, values, self._weights.standardised(values).tolist(), strict=True
                )
            ],
        }
