"""Reliability of systems that are run several times on each item: `trials` counts the trials that pass.

It estimates the chance that at least one of k trials passes (pass@k), and that all k pass (pass^k), with intervals for
other items. It also says how often the trials of an item differ, which system is more reliable, and whether more items
or more trials would shorten the interval more.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from nlgauge.answers.compare import compare
from nlgauge.data.table import Column, ScoreTable
from nlgauge.data.table.frame import Records
from nlgauge.data.table.selection import label, meant
from nlgauge.errors import InputError, SpecError
from nlgauge.maths.inference import NOTHING, Measured, mean_of
from nlgauge.maths.intervals import unequal
from nlgauge.show.answer import Answer, Answered
from nlgauge.show.environment import number, p_value
from nlgauge.show.tables import Cell, Chance, Number
from nlgauge.stats.arrays import Float, Integers, Mask
from nlgauge.stats.corrections import holm
from nlgauge.stats.trials import Chances, all_of, all_pass, designs, one_passes

SIGNIFICANCE = 0.05
"""A difference with a p below this is called significant"""
SPREAD = "spread"
"""The sub-score of a judge that is asked several times: the standard deviation of its answers about one row"""


@dataclass(frozen=True, kw_only=True)
class Passes:
    """The chances that all of k trials of a system on an item pass, and that at least one passes."""

    system: str
    k: int
    items: int
    trials: int
    """The number of trials, of all items together"""
    pass_at_k: Measured
    """The chance that at least one of k trials of an item passes"""
    pass_hat_k: Measured
    """pass^k: the chance that all k trials of an item pass"""
    clusters: int | None = None
    """How many clusters the items belong to; None where the table has no clusters"""


@dataclass(frozen=True, kw_only=True)
class Spread:
    """The spread of a system's scores, between the trials of an item and between items."""

    system: str
    items: int
    fewest: int
    """The least number of trials of an item, as `most` is the largest"""
    most: int
    flips: Measured
    """The share of items of which some trials pass and others do not"""
    between_items: float
    """The variance between items of their mean scores, minus the part that comes from trials. It is 0 if trials explain
    all of it, and NaN if no item has two trials"""
    between_trials: float
    """The variance of the scores of one item's trials, averaged over items"""
    judge: float = math.nan
    """The variance of a judge's answers about one row, averaged over rows. NaN where no judge was asked several
    times"""


@dataclass(frozen=True, kw_only=True)
class Reliability:
    """The comparison of two systems by pass^k, on the items that both have."""

    a: str
    b: str
    k: int
    items: int
    of_a: float
    """The pass^k of the first system on these items, as `of_b` is that of the second"""
    of_b: float
    difference: Measured
    """`of_a` minus `of_b`"""
    p: float
    """The two-sided p of the hypothesis that the true difference is 0"""
    adjusted: float
    """The same p, corrected by Holm for all pairs"""
    better: str | None
    """The more reliable system if the corrected p is below 0.05; else None"""
    detectable: float
    """The smallest true difference that is found in 80 % of studies with these items"""
    reason: str | None = None
    """The reason for a missing number; None where none is missing"""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A design with some number of items and of trials: its cost, and the length of the interval of pass^k with it."""

    system: str
    change: str
    """What the plan changes in the present design: 'now' is the present design itself; 'more items', 'more trials' and
    'best' cost twice as much"""
    k: int
    items: int
    trials: int
    """The number of trials of each item"""
    cost: float
    half: float
    """Half of the length of the interval of pass^k"""


@dataclass(frozen=True, repr=False)
class Trials(Answered, Records[Passes]):
    """What `trials` returns: a record for each system and k."""

    kind = Passes
    metric: str
    rule: str
    """The score with which a trial passes, in words"""
    records: list[Passes]
    spreads: list[Spread]
    pairs: list[Reliability]
    plans: list[Plan]
    table: ScoreTable
    """A table with one row for each item of a system, with its pass^k for the largest k, for `compare` and `check`"""
    passed: Mapping[tuple[str, str], Sequence[tuple[str, float, bool]]]
    """By (system, item): for each trial its name, its score, and whether it passes"""
    notes: list[str] = field(default_factory=list)

    @property
    def answers(self) -> list[str]:
        """Return a sentence for each system, one for each pair of systems, and one for each system's plan."""
        most = max(record.k for record in self.records)
        return [
            *(_said(record) for record in self.records if record.k == most),
            *(_compared(pair) for pair in self.pairs),
            *_planned(self.plans),
        ]

    def to_answer(self) -> Answer:
        """Return the answer: the sentences, and tables of systems by k, of spread, of pairs, and of plans."""
        return Answer(
            command="trials",
            record={
                "answers": self.answers,
                "metric": self.metric,
                "passes": self.rule,
                "systems": self.records,
                "spread": self.spreads,
                "pairs": self.pairs,
                "plans": self.plans,
            },
            sentences=self.answers,
            tables=self.tables,
            legend=list(self.legend),
            notes=self.notes,
        )

    @property
    def tables(self) -> list[list[list[Cell]]]:
        """Return a table of each system's pass@k and pass^k, and a table of the spread of its scores.

        Where they exist, the tables of the pairs of systems and of the plans follow.
        """
        made: list[list[list[Cell]]] = [_chances(self.records), _spreads(self.spreads)]
        made += [_pairs(self.pairs)] if self.pairs else []
        return made + ([_plans(self.plans)] if self.plans else [])

    @property
    def legend(self) -> Iterator[str]:
        """Yield the meanings of the columns."""
        yield f"a trial passes with {self.rule}"
        yield "pass@k: at least one of k trials passes; pass^k: all k pass; intervals of 95 %, of items"
        yield "flips: the share of items whose trials differ; variances are of the scores"
        if any(not math.isnan(spread.judge) for spread in self.spreads):
            yield "judge: the variance of its answers about one row, a part of that between trials"
        if len(self.pairs) > 1:
            yield f"p: corrected by Holm for {len(self.pairs)} pairs"
        if self.plans:
            yield "± half of the interval's length, if the items' chances have a beta distribution"
        if groups := {record.clusters for record in self.records if record.clusters is not None}:
            yield f"items in {min(groups)} clusters, each of which counts as a whole"


class Counted(NamedTuple):
    """The trials of one system, counted for each item: all fields are by item."""

    items: list[str]
    passed: Integers
    trials: Integers
    values: list[Float]
    """The scores of each item's trials"""
    clusters: Integers | None


def trials(
    table: ScoreTable,
    metric: object = None,
    *,
    pass_at: float | None = None,
    k: Sequence[int] | None = None,
    costs: tuple[float, float] | None = None,
    allow_missing: bool = False,
) -> Trials:
    """Return each system's pass@k and pass^k: the chance that one, or that all, of k trials of an item pass.

    Args:
        table: the scores. Its rows name their trials, or were numbered by `evaluate(repeats='mean')`.
        metric: the spec or the name of a metric, which a sub-score may follow; it may be left out if the table has only
            one metric.
        pass_at: a trial passes with this score or a better one. It may be left out for scores of 0 and 1.
        k: one or several numbers of trials. By default they are 1, 2, 4 and so on up to the fewest trials that an item
            has, and this number itself. Pairs of systems are tested by the largest k.
        costs: the cost of an item without its trials, and the cost of a trial. If given, the answer has a plan, which
            says whether more items or more trials shorten the interval more.
        allow_missing: whether to leave out trials without a score, with a note of their number. Else such a trial is an
            error.

    Returns:
        A record for each system and k.

    Raises:
        SpecError: the metric is unknown or has no scores of rows; `pass_at` is missing for scores other than 0 and 1;
            or `pass_at`, `k` or `costs` is not possible.
        InputError: the rows are no trials, a trial has no score, or an item has fewer trials than k.
    """
    spec, parts = meant(table, metric)
    column, part = table.columns[spec], parts[0]
    if column.level != "item":
        raise SpecError(f"{spec} is of a whole system and not of rows: take a metric of rows")
    if table.trials is None:
        problem = "no item has several trials: rows name none"
        remedy = "give rows a column trial and the same item, or --map trial=COLUMN, or number them (--repeats mean)"
        raise InputError(problem, remedy=remedy)
    if costs is not None and not (0 <= costs[0] < math.inf and 0 < costs[1] < math.inf):
        raise SpecError(f"costs {costs[0]:g} and {costs[1]:g}: an item costs 0 or more, and a trial more than 0")
    values = column.values[:, column.parts.index(part)]
    passes, rule = _rule(column, part, values, label(table, spec, part), pass_at=pass_at)
    notes = _missing(table, values, allow_missing)
    counted = {system: _counted(table, system, values, passes=passes) for system in table.systems}
    asked = _asked(counted, k)
    most = asked[-1]
    records = [_passes(system, counts, count) for system, counts in counted.items() for count in asked]
    notes += list(_unequal(counted))
    judged = column.parts.index(SPREAD) if SPREAD in column.parts and part == column.parts[0] else None
    per_item = _per_item(table, spec, counted, most)
    pairs = _tested(per_item, counted, most)
    return Trials(
        metric=label(table, spec, part),
        rule=rule,
        records=records,
        spreads=[_spread(table, system, counts, column=column, judged=judged) for system, counts in counted.items()],
        pairs=pairs,
        plans=[]
        if costs is None
        else [plan for system, counts in counted.items() for plan in _plan(system, counts, most, costs)],
        table=per_item,
        passed=_by_item(table, values, passes),
        notes=notes,
    )


def _rule(column: Column, part: str, values: Float, name: str, *, pass_at: float | None) -> tuple[Mask, str]:
    """Return which trials pass [rows], and in words the score with which a trial passes.

    Args:
        column: the metric's column, which says whether lower is better.
        part: the sub-score.
        values: the score of each trial: [rows]; NaN for a missing one.
        name: the name of the sub-score, for the words and for errors.
        pass_at: a trial passes with this score or a better one; None for scores of 0 and 1.
    """
    valued = values[~np.isnan(values)]
    upwards = column.higher_is_better or part in column.details
    if pass_at is None:
        if not np.isin(valued, (0, 1)).all():
            odd = valued[~np.isin(valued, (0, 1))][0]
            problem = f"the scores of {name} are not 0 and 1 alone, as {odd:g} is not"
            raise SpecError(f"{problem}: say from which score on a trial passes, --pass-at X (in Python pass_at=X)")
        pass_at = 1.0 if upwards else 0.0
    elif not math.isfinite(pass_at):
        raise SpecError(f"pass at {pass_at!r} is no threshold: give a finite number")
    with np.errstate(invalid="ignore"):
        passes = values >= pass_at if upwards else values <= pass_at
    return passes, f"{name} {pass_at:g} or {'more' if upwards else 'less'}"


def _missing(table: ScoreTable, values: Float, allowed: bool) -> list[str]:
    """Return a note on trials without a score. Raise InputError if such trials exist and are not allowed."""
    gone = np.flatnonzero(np.isnan(values)).tolist()
    if not gone:
        return []
    system, item = table.rows[gone[0]]
    trial = (table.trials or ())[gone[0]]
    first = f"trial {trial!r} of system {system!r}, item {item!r}"
    if not allowed:
        problem = f"{len(gone)} of {len(values)} trials have no score, the first is {first}"
        remedy = "score them, with 0 where a run that broke off has failed; or leave them out with --allow-missing"
        raise InputError(problem, row=gone[0] + 1, remedy=remedy)
    return [f"{len(gone)} of {len(values)} trials have no score and are left out, the first is {first}"]


def _counted(table: ScoreTable, system: str, values: Float, *, passes: Mask) -> Counted:
    rows: dict[str, list[int]] = {}
    for row in table.rows_of(system).tolist():
        rows_of_item = rows.setdefault(table.rows[row][1], [])
        rows_of_item += [] if np.isnan(values[row]) else [row]
    clusters = None
    if table.clusters is not None:
        of = {item: name for (name_of, item), name in zip(table.rows, table.clusters, strict=True) if name_of == system}
        clusters = np.unique([of[item] for item in rows], return_inverse=True)[1]
    return Counted(
        items=list(rows),
        passed=np.array([int(passes[rows_of_item].sum()) for rows_of_item in rows.values()], np.intp),
        trials=np.array([len(rows_of_item) for rows_of_item in rows.values()], np.intp),
        values=[values[rows_of_item] for rows_of_item in rows.values()],
        clusters=clusters,
    )


def _asked(counted: Mapping[str, Counted], k: Sequence[int] | None) -> list[int]:
    """Return the numbers of trials k to compute, in rising order."""
    fewest, system, item = min(
        (count, system, item)
        for system, counts in counted.items()
        for count, item in zip(counts.trials.tolist(), counts.items, strict=True)
    )
    if k is None:
        asked = sorted({1, *(2**power for power in range(1, fewest.bit_length()) if 2**power <= fewest), fewest})
    elif not k or any(number != int(number) or number < 1 for number in k):
        raise SpecError(f"k {', '.join(map(str, k)) or 'nothing'} is no number of trials: give whole numbers from 1 on")
    else:
        asked = sorted({int(number) for number in k})
    if asked[-1] > fewest:
        problem = f"item {item!r} of system {system!r} has {fewest} trial{'s' * (fewest != 1)}, and k is {asked[-1]}"
        remedy = f"give a k of {fewest} or less, run the item more often, or leave it out" if fewest else "leave it out"
        raise InputError(f"fewer trials than k: {problem}", remedy=remedy)
    return asked


def _passes(system: str, counts: Counted, k: int) -> Passes:
    everything = all_pass(counts.passed, counts.trials, k, counts.clusters)
    return Passes(
        system=system,
        k=k,
        items=len(counts.items),
        trials=int(counts.trials.sum()),
        pass_at_k=one_passes(counts.passed, counts.trials, k, counts.clusters),
        pass_hat_k=everything.measured(),
        clusters=None if counts.clusters is None else everything.groups,
    )


def _unequal(counted: Mapping[str, Counted]) -> Iterator[str]:
    """Yield notes on items with unequal numbers of trials, and on clusters of unequal size."""
    for system, counts in counted.items():
        low, high = int(counts.trials.min()), int(counts.trials.max())
        if low < high:
            few = np.flatnonzero(counts.trials == low).tolist()
            first = (
                f"{len(few)} item{'s have' if len(few) > 1 else ' has'} {low}, the first is {counts.items[few[0]]!r}"
            )
            yield f"{system}: items have {low} to {high} trials, and each counts as one item ({first})"
        if counts.clusters is not None:
            said = all_pass(counts.passed, counts.trials, 1, counts.clusters)
            if note := unequal(said.groups, said.effective):
                yield f"{system}: {note}"


def _spread(table: ScoreTable, system: str, counts: Counted, *, column: Column, judged: int | None) -> Spread:
    differs = (counts.passed > 0) & (counts.passed < counts.trials)
    several = [values for values in counts.values if len(values) > 1]
    between_items = between_trials = math.nan
    if several and len(counts.values) > 1:
        means = np.array([values.mean() for values in counts.values])
        between_trials = float(np.mean([values.var(ddof=1) for values in several]))
        between_items = max(0.0, float(means.var(ddof=1)) - between_trials * float((1 / counts.trials).mean()))
    judge = math.nan
    if judged is not None:
        spreads = column.values[table.rows_of(system), judged]
        judge = float((spreads[~np.isnan(spreads)] ** 2).mean()) if not np.isnan(spreads).all() else math.nan
    return Spread(
        system=system,
        items=len(counts.items),
        fewest=int(counts.trials.min()),
        most=int(counts.trials.max()),
        flips=mean_of(np.asarray(differs, np.float64), (0.0, 1.0), counts.clusters).measured() if several else NOTHING,
        between_items=between_items,
        between_trials=between_trials,
        judge=judge,
    )


def _per_item(table: ScoreTable, spec: str, counted: Mapping[str, Counted], k: int) -> ScoreTable:
    """Return a table with one row for each item of a system, whose score is the item's estimate of pass^k."""
    items = table.per_item()
    of = {
        (system, item): value
        for system, counts in counted.items()
        for item, value in zip(counts.items, all_of(counts.passed, counts.trials, k).tolist(), strict=True)
    }
    part = f"pass^{k}"
    values = np.array([[of[row]] for row in items.rows], float)
    return replace(items, columns={spec: Column((part,), values, limits={part: (0.0, 1.0)})})


def _tested(per_item: ScoreTable, counted: Mapping[str, Counted], k: int) -> list[Reliability]:
    """Return the paired test of each pair of systems by pass^k, with p corrected by Holm."""
    made: list[Reliability] = []
    for a, b in combinations(counted, 2):
        if not set(counted[a].items) & set(counted[b].items):
            none = {"of_a": math.nan, "of_b": math.nan, "p": math.nan, "adjusted": math.nan, "detectable": math.nan}
            why = "the two have no item in common"
            made.append(Reliability(a=a, b=b, k=k, items=0, difference=NOTHING, better=None, reason=why, **none))
            continue
        (difference,) = compare(per_item, a, b)
        made.append(
            Reliability(
                a=a,
                b=b,
                k=k,
                items=difference.n,
                of_a=difference.a,
                of_b=difference.b,
                difference=Measured(difference.difference, difference.low, difference.high),
                p=difference.p,
                adjusted=math.nan,
                better=difference.better,
                detectable=difference.detectable,
                reason=difference.reason,
            )
        )
    adjusted = holm([pair.p for pair in made]).tolist()
    return [
        replace(pair, adjusted=p, better=pair.better if p < SIGNIFICANCE else None)
        for pair, p in zip(made, adjusted, strict=True)
    ]


def _plan(system: str, counts: Counted, k: int, costs: tuple[float, float]) -> Iterator[Plan]:
    chances = Chances.of(counts.passed, counts.trials)
    if math.isnan(chances.within):
        return
    trials_of_item = max(k, round(float(counts.trials.mean())))
    changes = ("now", "more items", "more trials", "best")
    made = designs(chances, k, items=len(counts.items), trials=trials_of_item, costs=costs)
    for change, design in zip(changes, made, strict=True):
        yield Plan(system=system, change=change, k=k, **design._asdict())


def _by_item(table: ScoreTable, values: Float, passes: Mask) -> dict[tuple[str, str], list[tuple[str, float, bool]]]:
    made: dict[tuple[str, str], list[tuple[str, float, bool]]] = {}
    rows = zip(table.rows, table.trials or (), values.tolist(), passes.tolist(), strict=True)
    for row, trial, value, passed in rows:
        made.setdefault(row, []).append((trial, value, passed))
    return made


# ---- How it is said


def _said(record: Passes) -> str:
    trials_of = f"{record.trials / record.items:.3g} trials each"
    where = f"on {record.items:,} items of {trials_of}"
    if record.k == 1:
        return f"{record.system}: a trial passes with a chance of {_interval(record.pass_hat_k)} (pass^1), {where}."
    everything = (
        f"all {record.k} trials of an item pass with a chance of {_interval(record.pass_hat_k)} (pass^{record.k})"
    )
    at_least_one = f"at least one with {number(record.pass_at_k.value, 3)} (pass@{record.k})"
    return f"{record.system}: {everything}, {at_least_one}, {where}."


def _interval(measured: Measured) -> str:
    ends = (
        "" if math.isnan(measured.low) else f" [95 % interval {number(measured.low, 3)} to {number(measured.high, 3)}]"
    )
    return f"{number(measured.value, 3)}{ends}"


def _compared(pair: Reliability) -> str:
    if pair.reason is not None and math.isnan(pair.p):
        return f"Whether {pair.a} or {pair.b} is more reliable cannot be told: {pair.reason}."
    a, b, difference = pair.a, pair.b, pair.difference
    values = (pair.of_a, pair.of_b)
    if pair.better == b:
        a, b, values = b, a, values[::-1]
        difference = Measured(-difference.value, -difference.high, -difference.low)
    said = f"{a} is more reliable than {b}" if pair.better else f"{a} and {b} do not differ significantly"
    numbers = f"{number(values[0], 3)} against {number(values[1], 3)} on {pair.items:,} items"
    chance = "" if math.isnan(pair.adjusted) else f"; p {p_value(pair.adjusted)}"
    return f"{said} by pass^{pair.k}: {numbers} (difference {_interval(difference)}{chance})."


def _planned(plans: Sequence[Plan]) -> Iterator[str]:
    by_system: dict[str, dict[str, Plan]] = {}
    for plan in plans:
        by_system.setdefault(plan.system, {})[plan.change] = plan
    for system, of in by_system.items():
        now, items, more, best = (of[change] for change in ("now", "more items", "more trials", "best"))
        first, other = ("items", "trials") if items.half <= more.half else ("trials", "items")
        halves = f"± {number(min(items.half, more.half), 3)} against ± {number(max(items.half, more.half), 3)}"
        yield (
            f"{system}: more {first} say more than more {other}: at twice the cost, {halves}, and ± "
            f"{number(now.half, 3)} now. Best at that cost are {best.items:,} items of {best.trials} trials "
            f"(± {number(best.half, 3)})."
        )


def _chances(records: Sequence[Passes]) -> list[list[Cell]]:
    cells: list[list[Cell]] = [["system", "k", "items", "trials", "pass@k", "pass^k"]]
    for record in records:
        whole = (Number(count, digits=0) for count in (record.k, record.items, record.trials))
        cells.append([record.system, *whole, Number(*record.pass_at_k), Number(*record.pass_hat_k)])
    return cells


def _spreads(spreads: Sequence[Spread]) -> list[list[Cell]]:
    judged = any(not math.isnan(spread.judge) for spread in spreads)
    heads: list[Cell] = ["system", "trials of an item", "flips", "variance of items", "of trials"]
    cells: list[list[Cell]] = [[*heads, *(["of the judge"] if judged else [])]]
    for spread in spreads:
        count = f"{spread.fewest}" if spread.fewest == spread.most else f"{spread.fewest} to {spread.most}"
        line: list[Cell] = [
            spread.system,
            count,
            Number(*spread.flips),
            Number(spread.between_items),
            Number(spread.between_trials),
        ]
        cells.append([*line, *([Number(spread.judge)] if judged else [])])
    return cells


def _pairs(pairs: Sequence[Reliability]) -> list[list[Cell]]:
    cells: list[list[Cell]] = [["pair", "items", "first", "second", "difference", "p", "shows"]]
    for record in pairs:
        values = [
            Number(value, mark="best" if record.better == system else "")
            for system, value in ((record.a, record.of_a), (record.b, record.of_b))
        ]
        chance, shows = Chance(record.adjusted), Number(record.detectable)
        pair = f"{record.a}, {record.b}: pass^{record.k}"
        cells.append([pair, Number(record.items, digits=0), *values, Number(*record.difference), chance, shows])
    return cells


def _plans(plans: Sequence[Plan]) -> list[list[Cell]]:
    cells: list[list[Cell]] = [["plan", "items", "trials of an item", "cost", "± of pass^k"]]
    for plan in plans:
        counts = (Number(count, digits=0) for count in (plan.items, plan.trials))
        cells.append([f"{plan.system}: {plan.change}", *counts, Number(plan.cost, digits=0), Number(plan.half)])
    return cells
