"""Is one system better than another, or is that noise: `compare` two systems of a table, metric by metric."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias, TypedDict

import numpy as np

from nlgauge.data.table import Column, ScoreTable, Sums
from nlgauge.data.table.frame import Records
from nlgauge.errors import InputError
from nlgauge.maths.intervals import FEWEST, paired_shares
from nlgauge.render.environment import number, p_value, small
from nlgauge.render.tables import terminal
from nlgauge.stats.arrays import Float, Integers, Mask
from nlgauge.stats.corrections import holm
from nlgauge.stats.join import Grid, grid
from nlgauge.stats.matching import refuse_other_order
from nlgauge.stats.paired import Paired, paired, paired_totals

SIGNIFICANCE = 0.05
"""p under which a difference is called significant"""


@dataclass(frozen=True)
class Difference:
    """What one sub-score of a metric says of systems A and B, on the items that both have."""

    metric: str
    part: str
    a: float
    """Mean of A, or its value of all items together (`whole`)"""
    b: float
    difference: float
    """A's minus B's, in the metric's own direction"""
    low: float
    high: float
    p: float
    """That the two are alike, two-sided: they are exchanged within items, up to 12 items in all ways, else at random"""
    adjusted: float
    """p, corrected by Holm for all scores of the comparison that have a direction"""
    effect: float
    """The difference in standard deviations of the items' differences"""
    n: int
    """Items with a number for both"""
    undefined: int
    """Items of both without"""
    needed: float
    """Items at which such a difference would be found in 80 % of studies, by normal approximation; with a margin, at
    which two equal systems would be shown to be no worse than each other by it"""
    detectable: float
    """The smallest true difference that these items, or as many as were asked for, show in 80 % of studies"""
    better: str | None
    """The system that the difference favours, however small; None where there is none, and for an informational
    sub-score
    """
    reason: str | None
    """Why a number is missing"""
    whole: bool = False
    """a and b are values of all items together, as a corpus BLEU is, and not means"""
    clusters: int | None = None
    """How many clusters the items are of, where the table has clusters"""
    effective: float = math.nan
    """How many clusters of equal size say as much; below 2 there is neither interval nor test"""
    no_worse: float = math.nan
    """With a margin: p that A is worse than B by the margin or more"""
    alike: float = math.nan
    """With a margin: p that the two differ by the margin or more, in whichever direction"""


@dataclass(frozen=True, repr=False)
class Comparison(Records[Difference]):
    """What `compare` found: a record per metric and score."""

    kind = Difference
    a: str
    b: str
    records: list[Difference]
    notes: list[str] = field(default_factory=list)
    margin: float | None = None
    """The loss that would not matter, where one was given"""

    @property
    def answer(self) -> str:
        """One sentence that says which system is better, by each metric's first score that has a direction."""
        first: dict[str, Difference] = {}
        for one in self.records:
            if not math.isnan(one.adjusted):
                first.setdefault(one.metric, one)
        if not first:
            return f"No metric can tell whether {self.a} is better than {self.b}."
        if self.margin is not None and len(first) > 1:
            count = sum(one.no_worse < SIGNIFICANCE for one in first.values())
            return f"{self.a} is shown to be no worse than {self.b} by {count} of {len(first)} metrics."
        better: dict[str, list[Difference]] = {self.a: [], self.b: [], "": []}
        for one in first.values():
            better[(one.better or "") if one.adjusted < SIGNIFICANCE else ""].append(one)
        if len(first) == 1:
            (one,) = first.values()
            return self._of_one(one)
        said = [
            f"{name} is better than {self.b if name == self.a else self.a} by {len(own)} of {len(first)} metrics"
            for name, own in better.items()
            if name and own
        ]
        rest = len(better[""])
        if rest == len(first):
            return f"No metric of {rest} shows a significant difference between {self.a} and {self.b}."
        if rest:
            said.append(f"{rest} show{'s' * (rest == 1)} no significant difference")
        return "; ".join(said) + "."

    def _of_one(self, one: Difference) -> str:
        name = one.metric if one.part == "score" else f"{one.metric} {one.part}"
        means, p = f"{number(one.a)} against {number(one.b)} on {one.n:,} items", f"p {p_value(one.adjusted)}"
        if self.margin is not None:
            shown = "is no worse than" if one.no_worse < SIGNIFICANCE else "is not shown to be no worse than"
            return f"{self.a} {shown} {self.b} by {name}, up to {self.margin:g}: {means} (p {p_value(one.no_worse)})."
        if one.better is None or one.adjusted >= SIGNIFICANCE:
            return f"{self.a} and {self.b} do not differ significantly by {name}: {means} ({p})."
        if one.better == self.b:
            means = f"{number(one.b)} against {number(one.a)} on {one.n:,} items"
        return f"{one.better} is better than {self.a if one.better == self.b else self.b} by {name}: {means} ({p})."

    def __repr__(self) -> str:
        return "\n".join([self.answer, *terminal([self._head, *map(_cells, self.records)]), *self.notes])

    def _repr_html_(self) -> str:
        return small(self.answer, self._head, [_cells(one) for one in self.records], self.notes)

    @property
    def _head(self) -> list[str]:
        return ["metric", self.a, self.b, "difference", "p", "better"]


class _Draws(TypedDict):
    confidence: float
    replicates: int
    seed: int


class _Plan(NamedTuple):
    power: float
    margin: float | None
    items: int | None


def compare(
    table: ScoreTable,
    a: str,
    b: str,
    metric: object = None,
    *,
    confidence: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
    power: float = 0.8,
    margin: float | None = None,
    items: int | None = None,
) -> Comparison:
    """The systems a and b by every score of the table, or by those of one metric.

    metric: its spec or name, or either with a sub-score ("MarkEvaluate n"), which may be an informational sub-score:
    informational sub-scores have no better direction, and are compared where they are named only; so is a metric
    without one, such as Length, but where it is asked for among all. Items join by name. Interval and p are those of
    `nlgauge.stats.paired.paired`, or `paired_totals` for a metric that has a value of all items together; `adjusted` is
    p corrected by Holm for all scores. Scores that are all 0 or 1 have the interval of
    `nlgauge.maths.intervals.paired_shares`. Where the table is `clustered`, clusters are drawn and exchanged. A
    corpus-level metric has a difference, and no more.

    margin: the loss that would not matter, above 0: `no_worse` is p of the test that A is worse than B by so much
    (non-inferiority), `alike` that the two differ by so much (equivalence, the larger p of two one-sided tests,
    Schuirmann 1987). Both are of each metric alone: that A is no worse by every metric needs no correction.
    items: how many a study that is planned will have, for `detectable`; by default as many as here.

    Raises SpecError for an unknown metric, InputError for an unknown system, duplicates, no item in common, or a margin
    that is not above 0.
    """
    table = table.per_item()
    if unknown := [system for system in (a, b) if system not in table.systems]:
        raise InputError(f"there is no system {unknown[0]!r}", remedy=f"there are {', '.join(table.systems)}")
    if a == b:
        raise InputError(f"{a!r} is one system", remedy="name two")
    if margin is not None and not margin > 0:
        raise InputError(f"the margin {margin!r} is not above 0", remedy="give the largest loss that would not matter")
    named = [table.named(name) for name in (table.columns if metric is None else [str(metric)])]
    parts = [(spec, part) for spec, own in named for part in own]
    refuse_other_order(table, a, table, b)
    two = _Two(table, a, b)
    shared, alone = int(two.there.all(1).sum()), int((two.there.sum(1) == 1).sum())
    if not shared and any(table.columns[spec].level == "item" for spec, _ in parts):
        raise InputError(f"{a!r} and {b!r} have no item in common", remedy="give outputs for the same items one name")
    draws, plan = _Draws(confidence=confidence, replicates=replicates, seed=seed), _Plan(power, margin, items)
    made = [_difference(two, spec, part, shared, draws, plan) for spec, part in parts]
    adjusted = holm([one.p if _directed(table, one.metric, one.part) else math.nan for one in made]).tolist()
    records = [one if math.isnan(p) else replace(one, adjusted=p) for one, p in zip(made, adjusted, strict=True)]
    notes = [f"{alone} items have an output of one of the two only, and are left out"] if alone else []
    return Comparison(a, b, records, notes, margin)


def _cells(one: Difference) -> list[str]:
    """For a notebook."""
    name = one.metric if one.part == "score" else f"{one.metric} {one.part}"
    interval = "" if math.isnan(one.low) else f" [{number(one.low)}, {number(one.high)}]"
    difference = number(one.difference) + interval
    return [name, number(one.a), number(one.b), difference, p_value(one.p), one.better or one.reason or "–"]


def _directed(table: ScoreTable, spec: str, part: str) -> bool:
    return part not in table.columns[spec].details


class _Two:
    """Two systems of a table, and the place of each of their outputs."""

    def __init__(self, table: ScoreTable, a: str, b: str) -> None:
        self.table, self.names = table, (a, b)
        self._place: Grid = grid(table)
        self.numbers = [self._place.systems.index(system) for system in (a, b)]
        self.clusters = self._place.clusters
        self.there: Mask = ~np.isnan(self.of(np.zeros(len(table.rows))))

    def of(self, values: Float) -> Float:
        """[rows] -> [items, 2], NaN where a system has no output."""
        return self._place.of(values)[:, self.numbers]


_Measured: TypeAlias = tuple[Paired, float, float, str | None]
"""The test of a difference, the value of each of the two, and why a number is missing"""


def _difference(two: _Two, spec: str, part: str, shared: int, draws: _Draws, plan: _Plan) -> Difference:
    column = two.table.columns[spec]
    at = column.parts.index(part)
    if column.level == "system":
        found, a, b, reason = _of_sets(column, at, two.numbers)
    elif column.sums is not None:
        counts = np.stack([two.of(count) for count in column.sums.counts.T], -1)
        found, a, b, reason = _of_totals(counts, column.sums, at, two.clusters, draws)
    else:
        found, a, b, reason = _of_means(two.of(column.values[:, at]), two.clusters, draws)
    undefined = 0 if column.level == "system" else shared - found.n
    directed = _directed(two.table, spec, part)
    no_worse = alike = math.nan
    if plan.margin is not None and directed:
        gain = found if column.higher_is_better else found._replace(difference=-found.difference)
        no_worse = gain.above(-plan.margin)
        alike = max(no_worse, found._replace(difference=-gain.difference).above(-plan.margin))
    confidence, better = draws["confidence"], None
    if directed and found.difference and not math.isnan(found.difference):
        better = two.names[(found.difference > 0) != column.higher_is_better]
    return Difference(
        spec, part, a, b, found.difference, found.low, found.high, found.p, math.nan, found.effect, found.n, undefined,
        found.needed(confidence, plan.power, plan.margin), found.detectable(confidence, plan.power, plan.items),
        better, reason, whole=column.sums is not None, clusters=None if two.clusters is None else found.groups,
        no_worse=no_worse, alike=alike, effective=math.nan if two.clusters is None else found.effective,
    )  # fmt: skip


def _of_means(values: Float, clusters: Integers | None, draws: _Draws) -> _Measured:
    """For values [items, 2]."""
    one, other = values.T
    with np.errstate(invalid="ignore"):
        differences = one - other
        known = ~np.isnan(differences)
    a, b = (float(each[known].mean()) if known.any() else math.nan for each in (one, other))
    found = paired(differences, clusters, **draws)
    if clusters is None and not math.isnan(found.low) and np.isin(values[known], (0, 1)).all():
        up, down = (int((differences[known] == sign).sum()) for sign in (1, -1))
        low, high = paired_shares(up, down, found.n, draws["confidence"])
        found = found._replace(low=low, high=high)
    return found, a, b, _why(differences[known], found)


def _of_totals(counts: Float, sums: Sums, part: int, clusters: Integers | None, draws: _Draws) -> _Measured:
    """For counts [items, 2, counts]."""
    known = ~np.isnan(counts).any((1, 2))
    one, other = np.moveaxis(counts[known], 1, 0)

    def value(totals: Float) -> Float:
        return sums.value(totals[..., None, :])[..., part]

    measured = paired_totals(one, other, value, None if clusters is None else clusters[known], **draws)
    if not measured.n:
        return measured, math.nan, math.nan, "no item has a number for both"
    equal = "the two are equal on every item" if (one == other).all() else None
    return measured, float(value(one.sum(0))), float(value(other.sum(0))), _few(measured) or equal


def _of_sets(column: Column, part: int, numbers: list[int]) -> _Measured:
    """For the values of whole systems, by their numbers."""
    one, other = column.values[numbers, part].tolist()
    missing = [column.reasons.get(at, "no number") for at in numbers if np.isnan(column.values[at, part])]
    reason = missing[0] if missing else "a corpus-level metric has one number a system: neither interval nor p"
    return Paired(0, one - other), one, other, reason


def _few(found: Paired) -> str | None:
    if found.groups >= 2 and not found.effective < FEWEST:
        return None
    if found.groups >= 2:
        return f"the clusters are too unequal: {found.groups} say as much as {found.effective:.1f} of equal size"
    return "one item only" if found.n < 2 else "all items are of one cluster"


def _why(differences: Float, found: Paired) -> str | None:
    if not found.n:
        return "no item has a number for both"
    if few := _few(found):
        return few
    if not np.isfinite(differences).all():
        return "a score is infinite"
    return None if differences.any() else "the two are equal on every item"
