"""Panel: several scorers combined into one, with weights fitted to people's ratings (`nlgauge trust --save`)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np

from nlgauge.answers.fitted_panel import UNSEEN, FittedPanel, PanelMember
from nlgauge.contract.base import (
    QUESTION,
    SHARE,
    Limits,
    RowMetric,
    Setup,
    Value,
)
from nlgauge.contract.parameters import param
from nlgauge.contract.together import OfMembers, PreparedMember, PreparedTogether, Together, Values
from nlgauge.data.corpus import Row
from nlgauge.data.corpus.row import same_texts
from nlgauge.data.evidence import Evidence, Item
from nlgauge.data.signature import fact_text, other_facts
from nlgauge.data.table.column import PROBABILITY, UNSEEN_PROBABILITY
from nlgauge.errors import InputError, SpecError
from nlgauge.stats.arrays import Float


@dataclass(frozen=True)
class Panel(OfMembers):
    """The probability that a row is good, by several scorers together, with weights that people's ratings have chosen.

    `nlgauge trust --save` writes the file. It has the scorers, the scale and weight of each, the thresholds, and the
    digests of the rated rows to which the weights were fitted. Scorers with weight 0 are not computed. A row without
    the score of one of the scorers has no probability. A file that was changed is refused. A scorer is refused if its
    numbers now depend on something else than when the weights were fitted, such as another model. The second sub-score
    comes from weights that were fitted without the row's own rating. Commands use it to measure the panel on the
    ratings to which it was fitted.
    """

    subject: ClassVar[str] = "file"
    example: ClassVar[str] = "panel.json"
    parts: ClassVar[tuple[str, ...]] = (PROBABILITY, UNSEEN_PROBABILITY)
    details: ClassVar[tuple[str, ...]] = (UNSEEN_PROBABILITY,)
    limits: ClassVar[Mapping[str, Limits]] = {PROBABILITY: SHARE, UNSEEN_PROBABILITY: SHARE}
    cached: ClassVar[bool] = False  # its members' features and answers are

    file: str = param(help="a file that nlgauge trust --save wrote")

    def __post_init__(self) -> None:
        super().__post_init__()
        for spec, made in self.members.items():
            if made.reads not in (None, self.reads) and made.other_models:
                raise SpecError(f"{self.name}: {spec} asks two models, and no member has room for a third one")

    @property
    def fitted(self) -> FittedPanel:
        """The panel that the file holds. Raises SpecError for a file that cannot be used."""
        return self._loaded[0]

    @property
    def members(self) -> Mapping[str, RowMetric]:
        """The scorers that have a weight, by spec. Raises SpecError for a file that cannot be used."""
        return self._loaded[1]

    @property
    def _loaded(self) -> tuple[FittedPanel, Mapping[str, RowMetric]]:
        try:
            changed = Path(self.file).stat().st_mtime_ns
        except OSError:
            changed = None  # the error is raised when the file is read
        try:
            return _load(self.file, changed)
        except InputError as error:
            raise SpecError(f"{self.name}: {error}") from None

    @property
    def reads(self) -> str | None:
        return next((name for made in self.members.values() if (name := made.reads) is not None), None)

    @property
    def other_models(self) -> tuple[str, ...]:  # type: ignore[override]
        first = self.reads
        others = [name for made in self.members.values() for name in (made.reads, *made.other_models)]
        return tuple(dict.fromkeys(name for name in others if name not in (None, first)))

    @property
    def remote(self) -> bool:  # type: ignore[override]
        return any(made.remote for made in self.members.values())

    def prepare(self, setup: Setup) -> PreparedTogether:
        """Prepare each scorer, and check that it is the scorer to which the weights were fitted.

        Args:
            setup: the corpus and the model of the run.

        Returns:
            The prepared scorers, and the facts about the panel for the signature.

        Raises:
            SpecError: the numbers of a scorer depend on something else than when the weights were fitted.
            InputError: a scorer cannot score these rows, for example because they lack its column.
        """
        fitted, prepared = self.fitted, dict[str, PreparedMember]()
        facts: dict[str, object] = {"panel": {"name": Path(self.file).name, "digest": fitted.digest}}
        for spec, made in self.members.items():
            name = made.reads
            other = None if name == self.reads else name
            of_member = setup if other is None or setup.engine is None else setup.of_model(other)
            try:
                done = made.prepare(of_member)
            except InputError as error:
                raise InputError(f"{self.name}: {spec}: {error.problem}", remedy=error.remedy) from None
            prepared[spec] = PreparedMember(made, done, other)
            now = dict(done.facts)
            if name is not None:
                now["model"] = {"name": name, "digest": of_member.model.digest}
            self._refuse_other(spec, now)
            if QUESTION in now:
                facts[QUESTION] = now[QUESTION]
            if "numbers" in now:
                facts["numbers"] = now["numbers"]
        facts["members"] = " + ".join(f"{member.weight:.3g} {member.name}" for member in fitted.used)
        upper = fitted.threshold if fitted.certified is None else max(fitted.threshold, fitted.certified)
        facts["grounded"] = [fitted.threshold, upper]
        promise = "" if fitted.certified is None else f", the upper one at a risk of {fitted.risk:g}"
        facts["grounded_from"] = f"{fitted.ratings} ratings of {fitted.aspect}{promise}"
        together = Together(prepared, len(self.parts), self._value, self._evidence)
        return PreparedTogether(facts=facts, together=together)

    def _refuse_other(self, spec: str, now: Mapping[str, object]) -> None:
        """Raise SpecError if the numbers of a scorer depend on something else than when the weights were fitted.

        Args:
            spec: the scorer.
            now: the facts that the scorer's numbers depend on in this run.
        """
        (before, *_) = (member.facts for member in self.fitted.used if member.metric == spec)
        # What the run adds (versions, window, backend) is not known yet, and stands in the panel's own signature.
        names = [name for name in now if name in before or name == "model"]
        if other := other_facts({name: now[name] for name in names}, {name: before.get(name) for name in names}):
            said = "; ".join(
                f"{name} is {fact_text(now[name])}, was {fact_text(before.get(name, 'not there'))}" for name in other
            )
            remedy = "score with it and with the others again, and fit the panel again (nlgauge trust --save)"
            raise SpecError(f"{self.name}: {spec} is not the scorer that the panel was fitted to: {said}: {remedy}")

    def _numbers(self, values: Values) -> Float:
        """Return the scores of a row by the scorers with weight: [1, scorers]."""
        parts = {spec: made.parts for spec, made in self.members.items()}
        return np.array(
            [[values[member.metric].parts[parts[member.metric].index(member.part)] for member in self.fitted.used]]
        )

    def _value(self, row: Row, values: Values) -> Value:
        numbers = self._numbers(values)
        for member, number in zip(self.fitted.used, numbers[0].tolist(), strict=True):
            if not math.isfinite(number):
                said = values[member.metric]
                why = said.reason or "it is infinite"
                return Value((math.nan, math.nan), f"no value of {member.name}: {why}", temporary=said.temporary)
        notes = tuple(f"{spec}: {note}" for spec, value in values.items() for note in value.notes)
        folds = np.array([UNSEEN, _fold_of(row.fingerprint, self.fitted.rows)])
        both = self.fitted.probabilities(np.repeat(numbers, 2, 0), folds)
        return Value(tuple(both.tolist()), None, notes)

    def _evidence(self, row: Row, values: Values) -> Evidence:
        """Return the part of the logit that each scorer adds: its weight times its standardised value."""
        if self._value(row, values).reason is not None:
            return Evidence()
        numbers = self._numbers(values)
        every = zip(self.fitted.used, numbers[0].tolist(), self.fitted.standardised(numbers)[0].tolist(), strict=True)
        items = [_added(member, value, deviations) for member, value, deviations in every]
        return Evidence(items=[*items, Item("intercept", {"adds": self.fitted.intercept})])


def _added(member: PanelMember, value: float, deviations: float) -> Item:
    facts: dict[str, object] = {
        "value": value,
        "standardised": deviations,
        "weight": member.weight,
        "adds": member.weight * deviations,
    }
    return Item(member.name, facts)


def _fold_of(fingerprint: str, rows: Mapping[str, int]) -> int:
    """Return the number of the fold of the rated row that has the same texts; `UNSEEN` if no rated row has them.

    Args:
        fingerprint: the digests of the texts of the row that is scored.
        rows: the fold of each rated row, by the digests of its texts.
    """
    if fingerprint in rows:
        return rows[fingerprint]
    begin = fingerprint.partition(".")[0] + "."
    alike: Sequence[str] = [row for row in rows if row.startswith(begin) and same_texts(row, fingerprint)]
    return rows[alike[0]] if alike else UNSEEN


@lru_cache(maxsize=16)
def _load(path: str, changed: int | None) -> tuple[FittedPanel, Mapping[str, RowMetric]]:
    """Return the panel in a file, and its scorers by spec.

    The result is cached for a path and its modification time `changed`, so a file that was rewritten is read again.
    """
    fitted = FittedPanel.load(path)
    return fitted, {member.metric: _member(member) for member in fitted.used}


def _member(member: PanelMember) -> RowMetric:
    from nlgauge import registry

    if member.metric.partition("(")[0].strip() == Panel.__name__:
        raise SpecError(f"{Panel.__name__}: {member.metric} is a panel itself")
    made = registry.metric(member.metric, model="pocket")  # whatever the environment says: the weights are for it
    if not isinstance(made, RowMetric) or member.part not in made.parts:
        raise SpecError(f"{Panel.__name__}: {member.name} is not a score of rows")
    return made
