"""Is one system better than another, or is that noise: `compare` two systems of a table, metric by metric."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from nlgauge.data.table import Column, ScoreTable
from nlgauge.data.table.frame import Records
from nlgauge.data.table.intervals import formula_of, without_draws
from nlgauge.errors import InputError
from nlgauge.maths.inference import ALIKE, FEWEST, Inference, Limits, mean_of, statistic_of
from nlgauge.maths.intervals import unequal
from nlgauge.ratings.join import Grid, grid
from nlgauge.ratings.matching import questions_of, refuse_other_order
from nlgauge.show.answer import Answer, Answered
from nlgauge.show.environment import number, p_value
from nlgauge.show.tables import Cell, Chance, Number
from nlgauge.stats.arrays import Float, Integers, Mask
from nlgauge.stats.corrections import holm

SIGNIFICANCE = 0.05
"""p under which a difference is called significant"""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """The difference of systems A and B by one sub-score of a metric, on the items that both have."""

    metric: str
    part: str
    a: float
    """The mean of A, as `b` is that of B; if `whole`, the value of all items of the system together"""
    b: float
    difference: float
    """`a` minus `b`, without a change of sign: where lower is better, a difference above 0 says that A is worse"""
    low: float
    high: float
    p: float
    """The two-sided p of the hypothesis that the true difference is 0, by the same distribution as the interval"""
    adjusted: float = math.nan
    """The same p, corrected by Holm for all sub-scores of the comparison that have a better direction"""
    effect: float = math.nan
    """The difference, in standard deviations of the items' differences; NaN where these are all equal"""
    n: int
    """The number of items on which both systems have a value"""
    undefined: int
    """The number of items that both systems have, and for which at least one of them has no value"""
    needed: float = math.nan
    """The number of items with which a study finds such a difference with the wanted power (by default in 80 % of
    studies). With a margin: the number of items with which it shows, with this power, that one of two equal systems is
    no worse than the other by the margin"""
    detectable: float = math.nan
    """The smallest true difference that a study finds with the wanted power. The study has as many items as this one,
    or the number `items` that was given to `compare`"""
    better: str | None = None
    """The system with the better number, whether or not the difference is significant; None where the numbers are equal
    or missing, and for an informational sub-score"""
    reason: str | None = None
    """Why a number is missing, or that the two are equal on every item"""
    whole: bool = False
    """Whether `a` and `b` are values of all items together, as a corpus BLEU is, and not means"""
    clusters: int | None = None
    """How many clusters the items belong to; None where the table has no clusters"""
    effective: float = math.nan
    """The effective number of clusters: how many of equal size would be as informative. Below 2 there is neither
    interval nor test; NaN without clusters"""
    no_worse: float = math.nan
    """The p of the hypothesis that A is worse than B by the margin or more; NaN without a margin"""
    alike: float = math.nan
    """The p of the hypothesis that the two differ by the margin or more in either direction; NaN without a margin"""

    def interval(self, confidence: float) -> str:
        """Return the interval of the difference in words; "" where there is none."""
        if math.isnan(self.low):
            return ""
        return f", {100 * confidence:g} % interval {number(self.low)} to {number(self.high)}"


@dataclass(frozen=True, repr=False)
class Comparison(Answered, Records[Difference]):
    """What `compare` returns: a record for each metric and sub-score."""

    kind = Difference
    a: str
    b: str
    records: list[Difference]
    notes: list[str] = field(default_factory=list)
    margin: float | None = None
    """The largest loss that would not matter; None where no margin was given"""
    confidence: float = 0.95
    """The confidence of the intervals"""
    items: int | None = None
    """The number of items of a planned study, for `detectable`; None for as many items as here"""
    columns: Mapping[str, Column] = field(default_factory=dict)
    """The scores of the compared metrics, by spec"""

    @property
    def answer(self) -> str:
        """Return one or two sentences that say which system is better, by the deciding sub-score of each metric.

        With several metrics, the second sentence has the numbers of the first metric, because a count of metrics has no
        interval.
        """
        first: dict[str, Difference] = {}
        for record in self.records:
            if not math.isnan(record.adjusted):
                first.setdefault(record.metric, record)
        if not first:
            return f"No metric can tell whether {self.a} is better than {self.b}."
        (record, *others) = first.values()
        if not others:
            return f"{self._verdict(record)}: {self._numbers(record)}."
        name = _name(record)
        return (
            f"{self._counted(list(first.values()))}. By {name}, the first of them: {self._numbers(record, named=True)}."
        )

    def _counted(self, first: Sequence[Difference]) -> str:
        """Return the sentence that says by how many metrics each system is significantly better.

        With a margin it says by how many metrics A is shown to be no worse than B.

        Args:
            first: the difference by the deciding sub-score of each metric.
        """
        if self.margin is not None:
            count = sum(record.no_worse < SIGNIFICANCE for record in first)
            shown = f"{self.a} is shown to be no worse than {self.b}, up to {self.margin:g},"
            return f"{shown} by {count} of {len(first)} metrics"
        better: dict[str, int] = {self.a: 0, self.b: 0, "": 0}
        for record in first:
            better[(record.better or "") if record.adjusted < SIGNIFICANCE else ""] += 1
        rest = better.pop("")
        if rest == len(first):
            return f"No metric of {rest} shows a significant difference between {self.a} and {self.b}"
        said = [
            f"{name} is better than {self.b if name == self.a else self.a} by {count} of {len(first)} metrics"
            for name, count in better.items()
            if count
        ]
        if rest:
            said.append(f"{rest} show{'s' * (rest == 1)} no significant difference")
        return "; ".join(said)

    def _verdict(self, record: Difference) -> str:
        """Return a clause that says which system is better by one metric."""
        a, b = (self.b, self.a) if self._turned(record) else (self.a, self.b)
        if self.margin is not None:
            shown = "is no worse than" if record.no_worse < SIGNIFICANCE else "is not shown to be no worse than"
            return f"{a} {shown} {b} by {_name(record)}, up to {self.margin:g}"
        if not record.difference:
            return f"{a} and {b} are equal by {_name(record)}"
        if record.better is None or record.adjusted >= SIGNIFICANCE:
            return f"{a} and {b} do not differ significantly by {_name(record)}"
        return f"{a} is better than {b} by {_name(record)}"

    def _numbers(self, record: Difference, *, named: bool = False) -> str:
        """Return both values, and their difference with its interval and p. The better system comes first.

        Args:
            record: the difference by one metric.
            named: whether the name of each system stands before its value.
        """
        values, difference, p = [(self.a, record.a), (self.b, record.b)], record, record.adjusted
        if self.margin is not None:
            p = record.no_worse
        if self._turned(record):
            values.reverse()
            difference = replace(record, difference=-record.difference, low=-record.high, high=-record.low)
        first, second = (f"{name} {number(value)}" if named else number(value) for name, value in values)
        means = f"{first} against {second} on {record.n:,} items"
        p_said = f"; p {p_value(p)}" if record.difference else ""
        return f"{means} (difference {number(difference.difference)}{difference.interval(self.confidence)}{p_said})"

    def _turned(self, record: Difference) -> bool:
        """Return whether the second system is named first, because it is better and there is no margin."""
        return record.better == self.b and self.margin is None

    def to_answer(self) -> Answer:
        """Return the answer: the sentence, and a table with a line for each metric."""
        return Answer(
            command="compare",
            record={
                "answer": self.answer,
                "a": self.a,
                "b": self.b,
                "cluster": None,
                "margin": self.margin,
                "items": self.items,
                "differences": self.records,
            },
            sentences=[self.answer],
            tables=[_table(self)],
            legend=list(_legend(self)),
            notes=[*_notes(self.records), *self.notes],
        )


def _name(record: Difference) -> str:
    return record.metric if record.part == "score" else f"{record.metric} {record.part}"


class _Plan(NamedTuple):
    """The settings that hold for every difference of a comparison."""

    confidence: float = 0.95
    power: float = 0.8
    margin: float | None = None
    items: int | None = None


def compare(
    table: ScoreTable,
    a: str,
    b: str,
    metric: object = None,
    *,
    confidence: float = 0.95,
    power: float = 0.8,
    margin: float | None = None,
    items: int | None = None,
    replicates: int | None = None,
    seed: int | None = None,
) -> Comparison:
    """Return the differences of two systems by every metric of a table, or by one metric.

    The two systems are compared on the items of the same name. Interval and p are those of `nlgauge.maths.inference`.
    They are for the mean of the items' differences. For a metric such as corpus BLEU, whose value is computed from all
    items of a system together, they are for the difference of the two values. Where the table is `clustered`, whole
    clusters are the units. A corpus-level metric has a difference, but neither interval nor p.

    Args:
        table: the scores of both systems.
        a: the name of the first system.
        b: the name of the other system.
        metric: a spec or a name, which a sub-score may follow ("MarkEvaluate n"); all metrics by default. An
            informational sub-score, which has no better direction, is compared only if it is named, or if its metric
            has no other sub-score, as Length.
        confidence: the confidence of the intervals.
        power: the share of studies that find a difference, for `needed` and `detectable`.
        margin: the largest loss that would not matter, above 0. With it, `no_worse` is the p of the hypothesis that A
            is worse than B by the margin or more (a test of non-inferiority). `alike` is the p of the hypothesis that
            the two differ by the margin or more (a test of equivalence, the larger p of two one-sided tests, Schuirmann
            1987). Both are uncorrected, because the claim that A is no worse by every metric needs no correction.
        items: the number of items of a planned study, for `detectable`; by default as many as here.
        replicates: without effect since version 0.2, and accepted for one version more.
        seed: without effect since version 0.2, and accepted for one version more.

    Returns:
        A record for each metric and sub-score.

    Raises:
        SpecError: the metric is unknown.
        InputError: a system is unknown, both names are of one system, an output is there twice, the two have no item in
            common, or the margin is not above 0.
    """
    without_draws(replicates, seed)
    plan = _Plan(confidence, power, margin, items)
    return Systems(table).compared(a, b, metric, plan)


class Systems:
    """The systems of a table, any two of which can be compared. Work that all pairs share is done once.

    Args:
        table: the scores.
    """

    def __init__(self, table: ScoreTable) -> None:
        self.table = table.per_item()
        self._systems = self.table.systems
        self._cells: dict[tuple[str, str], Float] = {}

    @cached_property
    def _place(self) -> Grid:
        return grid(self.table)

    @cached_property
    def _there(self) -> Mask:
        """Return which systems have an output for which items: [items, systems]."""
        return ~np.isnan(self._place.of(np.zeros(len(self.table.rows))))

    @cached_property
    def _questions(self) -> Mapping[str, Mapping[str, str]]:
        return questions_of(self.table)

    def compared(self, a: str, b: str, metric: object = None, plan: _Plan | None = None) -> Comparison:
        """Return the differences of two systems by every metric of the table, or by one metric.

        Args:
            a: the name of the first system.
            b: the name of the other system.
            metric: as `compare` takes it.
            plan: the settings of all differences; those of `compare` by default.

        Returns:
            A record for each metric and sub-score.

        Raises:
            SpecError: as `compare`.
            InputError: as `compare`.
        """
        table, plan = self.table, plan or _Plan()
        if unknown := [system for system in (a, b) if system not in self._systems]:
            raise InputError(f"there is no system {unknown[0]!r}", remedy=f"there are {', '.join(self._systems)}")
        if a == b:
            raise InputError(f"{a!r} is one system", remedy="name two")
        if plan.margin is not None and not plan.margin > 0:
            raise InputError(
                f"the margin {plan.margin!r} is not above 0", remedy="give the largest loss that would not matter"
            )
        named = [table.named(name) for name in (table.columns if metric is None else [str(metric)])]
        parts = [(spec, part) for spec, names in named for part in names]
        refuse_other_order(self._questions[a], a, self._questions[b], b)
        two = [self._systems.index(system) for system in (a, b)]
        there = self._there[:, two]
        shared, alone = int(there.all(1).sum()), int((there.sum(1) == 1).sum())
        if not shared and any(table.columns[spec].level == "item" for spec, _ in parts):
            raise InputError(
                f"{a!r} and {b!r} have no item in common", remedy="give outputs for the same items one name"
            )
        made = [self._difference((a, b), spec, part=part, two=two, shared=shared, plan=plan) for spec, part in parts]
        adjusted = holm(
            [record.p if _directed(table, record.metric, record.part) else math.nan for record in made]
        ).tolist()
        records = [
            record if math.isnan(p) else replace(record, adjusted=p) for record, p in zip(made, adjusted, strict=True)
        ]
        notes = [f"{alone} items have an output of one of the two only, and are left out"] if alone else []
        notes += self._told_trials
        return Comparison(
            a=a,
            b=b,
            records=records,
            notes=notes,
            margin=plan.margin,
            confidence=plan.confidence,
            items=plan.items,
            columns={spec: table.columns[spec] for spec, _ in named},
        )

    @cached_property
    def _told_trials(self) -> list[str]:
        return self.table.told_trials()

    def _of(self, spec: str, part: str) -> Float:
        """Return what a sub-score is computed from, for each output; NaN where a system has no output for an item.

        It is the value [items, systems]. For a metric whose value comes from counts summed over all items, such as
        corpus BLEU, it is the counts [items, systems, counts].
        """
        if (spec, part) not in self._cells:
            column = self.table.columns[spec]
            if column.sums is not None:
                self._cells[spec, part] = np.stack([self._place.of(count) for count in column.sums.counts.T], -1)
            else:
                self._cells[spec, part] = self._place.of(column.values[:, column.parts.index(part)])
        return self._cells[spec, part]

    def _difference(
        self, names: tuple[str, str], spec: str, *, part: str, two: list[int], shared: int, plan: _Plan
    ) -> Difference:
        column, clusters = self.table.columns[spec], self._place.clusters
        at = column.parts.index(part)
        if column.level == "system":
            compared = _of_sets(column, at, two)
        elif column.sums is not None:
            formula = formula_of(column.sums, at)
            compared = _of_totals(self._of(spec, part)[:, two], formula, column.range(part), clusters)
        else:
            compared = _of_means(self._of(spec, part)[:, two], column.range(part), clusters)
        said = compared.said
        directed = _directed(self.table, spec, part)
        no_worse = alike = math.nan
        if plan.margin is not None and directed:
            tests = said.above(-plan.margin), said.below(plan.margin)
            no_worse, alike = tests[0 if column.higher_is_better else 1], max(tests)
        better = None
        if directed and said.value and not math.isnan(said.value):
            better = names[(said.value > 0) != column.higher_is_better]
        low, high = said.interval(plan.confidence)
        sides, size = (2, said.value) if plan.margin is None else (1, plan.margin)
        clustered = clusters is not None
        return Difference(
            metric=spec,
            part=part,
            a=compared.a,
            b=compared.b,
            difference=said.value,
            low=low,
            high=high,
            p=said.p(),
            effect=compared.effect,
            n=said.n,
            undefined=0 if column.level == "system" else shared - said.n,
            needed=said.needed(plan.confidence, plan.power, size, sides),
            detectable=said.detectable(plan.confidence, plan.power, plan.items),
            better=better,
            reason=compared.reason,
            whole=column.sums is not None,
            clusters=said.groups if clustered else None,
            effective=said.effective if clustered else math.nan,
            no_worse=no_worse,
            alike=alike,
        )


def _table(comparison: Comparison) -> list[list[Cell]]:
    """Return a line for each metric. With a margin it has the tests against the margin; without one it has p."""
    heads: list[Cell] = ["metric", "n", comparison.a, comparison.b, "difference"]
    if comparison.margin is None:
        shows = "shows" if comparison.items is None else f"{comparison.items:,} show"
        heads += ["p", "items needed", shows]
    else:
        heads += ["p, no worse", "p, alike", f"{comparison.a} is", "items needed"]
    return [heads, *(_cells(comparison, record) for record in comparison)]


def _cells(comparison: Comparison, record: Difference) -> list[Cell]:
    column, margin = comparison.columns[record.metric], comparison.margin
    upwards = (record.difference > 0) == column.higher_is_better
    told = record.better is not None and record.adjusted < SIGNIFICANCE and margin is None
    needed = Number(record.needed if math.isfinite(record.needed) else math.nan, digits=0)
    cells: list[Cell] = [
        column.label(record.metric, record.part) + column.arrow(record.part),
        Number(record.n if column.level == "item" else math.nan, digits=0),
        Number(record.a, mark="best" if told and upwards else ""),
        Number(record.b, mark="best" if told and not upwards else ""),
        Number(record.difference, record.low, record.high),
    ]
    if margin is not None:
        return [*cells, Chance(record.no_worse), Chance(record.alike), _said(record), needed]
    p = record.p if math.isnan(record.adjusted) else record.adjusted
    return [*cells, Chance(p), needed, Number(record.detectable)]


def _said(record: Difference) -> str:
    """Return the verdict of the tests against a margin: 'equivalent', 'no worse', 'not shown' or '-' (untested)."""
    if math.isnan(record.no_worse):
        return "-"
    if record.alike < SIGNIFICANCE:
        return "equivalent"
    return "no worse" if record.no_worse < SIGNIFICANCE else "not shown"


def _legend(comparison: Comparison) -> Iterator[str]:
    margin = comparison.margin
    family = [record for record in comparison if not math.isnan(record.adjusted)]
    corrected = f", corrected by Holm for {len(family)} scores" if len(family) > 1 else ""
    if any(record.better is not None and record.adjusted < SIGNIFICANCE for record in family) and margin is None:
        yield f"* better, p < {SIGNIFICANCE}{corrected}"
    elif corrected and margin is None:
        yield f"p: {corrected[2:]}"
    if margin is not None:
        yield f"no worse: no loss of {margin:g} or more (one-sided p < {SIGNIFICANCE}); equivalent: no such gain either"
        yield "each metric is tested alone, and the margin is in its own unit"
    if groups := {record.clusters for record in comparison if record.clusters is not None}:
        said = unequal(min(groups), min(record.effective for record in comparison if record.clusters is not None))
        yield f"items in {min(groups)} clusters, each of which counts as a whole" + (f"; {said}" if said else "")


def _notes(comparison: Sequence[Difference]) -> Iterator[str]:
    """Yield notes on values of all items together, on items that were left out, and on missing numbers."""
    if wholes := list(dict.fromkeys(difference.metric for difference in comparison if difference.whole)):
        yield f"of all items together, and not means of their values: {', '.join(wholes)}"
    parts: dict[tuple[str, str], list[str]] = {}  # by metric and what is to be said of them
    for record in comparison:
        left_out = (
            f"{record.undefined} of {record.n + record.undefined} items left out, where one of the two has no value"
        )
        for note in (left_out if record.undefined else None, record.reason):
            if note:
                parts.setdefault((record.metric, note), []).append(record.part)
    for (metric, note), names in parts.items():
        yield f"{metric} {', '.join(names)}: {note}"


def _directed(table: ScoreTable, spec: str, part: str) -> bool:
    return part not in table.columns[spec].details


class _Compared(NamedTuple):
    """The inference of a difference, the value of each of the two systems, and the reason for a missing number."""

    said: Inference
    a: float
    b: float
    reason: str | None
    effect: float = math.nan


def _of_means(values: Float, limits: Limits, clusters: Integers | None) -> _Compared:
    """Return the comparison of two means, from values [items, 2]."""
    with np.errstate(invalid="ignore"):
        differences = values[:, 0] - values[:, 1]
    valued = ~np.isnan(differences)
    differences, both = differences[valued], values[valued]
    a, b = (float(each.mean()) if valued.any() else math.nan for each in both.T)
    said = mean_of(
        differences,
        (limits[0] - limits[1], limits[1] - limits[0]),
        None if clusters is None else clusters[valued],
        magnitude=float(np.abs(both).max(initial=0.0)),
    )
    spread = float(differences.std(ddof=1)) if len(differences) > 1 and np.isfinite(differences).all() else math.nan
    even = not spread > ALIKE * float(np.abs(both).max(initial=0.0))
    return _Compared(
        said=said, a=a, b=b, reason=_why(differences, said), effect=math.nan if even else said.value / spread
    )


def _of_totals(counts: Float, value: Callable[[Float], Float], limits: Limits, clusters: Integers | None) -> _Compared:
    """Return the comparison of two values that are each computed from all items of a system together.

    Args:
        counts: the counts of each item of the two systems: [items, 2, counts].
        value: the function from summed counts to the value: [..., counts] -> [...].
        limits: the least and the greatest possible value.
        clusters: the number of each item's cluster: [items]; None without clusters.
    """
    valued = ~np.isnan(counts).any((1, 2))
    if not valued.any():
        return _Compared(Inference(math.nan, 0), math.nan, math.nan, "no item has a number for both")
    counts, width = counts[valued], counts.shape[2]
    a, b = (float(value(counts[:, at].sum(0))) for at in (0, 1))
    said = statistic_of(
        counts.reshape(len(counts), -1),
        lambda totals: value(totals[..., :width]) - value(totals[..., width:]),
        (limits[0] - limits[1], limits[1] - limits[0]),
        None if clusters is None else clusters[valued],
        magnitude=max(abs(a), abs(b)),
        alike=(counts[:, 0] == counts[:, 1]).all(1),
    )
    equal = "the two are equal on every item" if (counts[:, 0] == counts[:, 1]).all() else None
    effect = said.value / (said.error * math.sqrt(said.n)) if said.laws and not equal else math.nan
    return _Compared(said=said, a=a, b=b, reason=_few(said) or equal, effect=effect)


def _of_sets(column: Column, part: int, numbers: list[int]) -> _Compared:
    """Return the comparison of two values of whole systems; `numbers` are the positions of the two systems."""
    of_a, of_b = column.values[numbers, part].tolist()
    missing = [column.reasons.get(at, "no number") for at in numbers if np.isnan(column.values[at, part])]
    reason = missing[0] if missing else "a corpus-level metric has one number a system: neither interval nor p"
    return _Compared(Inference(of_a - of_b, 0), of_a, of_b, reason)


def _few(said: Inference) -> str | None:
    if said.groups >= 2 and not said.effective < FEWEST:
        return None
    if said.groups >= 2:
        return f"the clusters are too unequal: {said.groups} say as much as {said.effective:.1f} of equal size"
    return "one item only" if said.n < 2 else "all items are of one cluster"


def _why(differences: Float, said: Inference) -> str | None:
    if not said.n:
        return "no item has a number for both"
    if few := _few(said):
        return few
    if not np.isfinite(differences).all():
        return "a score is infinite"
    return None if differences.any() else "the two are equal on every item"
