"""The best system by a score, and which systems do not differ significantly from it, on the items that they share.

A star, a tilde and the headline of a page come from the paired tests alone. The means in a table are of each system's
own items. So if a system leaves out hard items, the worse system may have the better mean. A system is therefore called
best only if it has the best mean, if no other system is better on the items that the two share, and if every such pair
could be tested.

Where ratings are at hand, `people` estimates what people would say of all outputs of each system.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from nlgauge.answers.compare import Difference, Systems
from nlgauge.answers.estimate import estimated, worst_cases
from nlgauge.answers.estimated_means import Estimate
from nlgauge.data.corpus import Corpus
from nlgauge.data.table import Column, ScoreTable, SystemScore
from nlgauge.data.table.selection import label, selected
from nlgauge.errors import InputError
from nlgauge.ratings.join import Source, ratings
from nlgauge.ratings.project import ProjectRatings
from nlgauge.ratings.rated import rated_rows, unseen
from nlgauge.show.tables import Number, words
from nlgauge.stats.arrays import Float
from nlgauge.stats.corrections import holm

OTHER_ITEMS = "not comparable: different items"


class PairTest(NamedTuple):
    """The paired test of two systems on the items that both have: their difference, and its p."""

    ahead: float
    """By how much the first system is better in the mean; below 0 where it is worse, and NaN where this cannot be
    computed"""
    p: float
    """The p of the hypothesis that the true difference is 0; NaN where there is no test"""
    reason: str = ""
    """Why there is no test"""


PairTests: TypeAlias = "Callable[[str, str, str, str], PairTest]"
"""A function from two systems, a metric and its sub-score to the paired test of the two systems"""


class Best(NamedTuple):
    """The best system by one sub-score of a metric, and how the other systems compare with it."""

    systems: tuple[str, ...]
    """The best system; several where their numbers are equal, and none where nothing can be concluded"""
    alike: tuple[str, ...]
    """Systems that do not differ significantly from the best"""
    behind: tuple[str, ...]
    """Systems that are significantly worse than the best"""
    reason: str = ""
    """Why no system is called best"""

    def mark(self, system: str) -> Mark:
        """Return the mark of a system in a table: 'best', 'alike' (no significant difference from the best) or ''."""
        return "best" if system in self.systems else "alike" if system in self.alike else ""


Mark: TypeAlias = Literal["", "best", "alike"]


def pair_test(table: ScoreTable, record: Difference, turned: bool = False) -> PairTest:
    """Return the paired test that a comparison of two systems holds.

    Args:
        table: the scores, which say whether lower is better.
        record: the comparison of a first system with a second one.
        turned: whether to return the test of the second system against the first.

    Returns:
        The test of the first system against the second; reversed if `turned`.
    """
    upwards = table.columns[record.metric].higher_is_better != turned
    return PairTest(record.difference if upwards else -record.difference, record.p, record.reason or "")


def compared(table: ScoreTable) -> PairTests:
    """Return a function that tests two systems of a table as `nlgauge.compare` does."""
    systems = Systems(table)

    def test(a: str, b: str, metric: str, part: str) -> PairTest:
        try:
            (record,) = systems.compared(a, b, label(table, metric, part))
        except InputError as error:  # no item in common
            return PairTest(math.nan, math.nan, error.problem)
        return pair_test(table, record)

    return test


def by_part(table: ScoreTable, scores: Iterable[SystemScore], tests: PairTests) -> dict[tuple[str, str], Best]:
    """Return the best system of each (metric, sub-score), without informational sub-scores."""
    groups: dict[tuple[str, str], list[SystemScore]] = {}
    for score in scores:
        groups.setdefault((score.metric, score.part), []).append(score)
    results = {key: best(table, of_part, tests) for key, of_part in groups.items()}
    return {key: result for key, result in results.items() if result is not None}


def best(table: ScoreTable, scores: Iterable[SystemScore], tests: PairTests, significance: float = 0.05) -> Best | None:
    """Return the best system by one sub-score of a metric.

    The system with the best mean is tested against every other system. A system counts as alike if its p, corrected by
    Holm for all of these tests, is not below `significance`.

    Args:
        table: the scores.
        scores: the mean of each system by the sub-score.
        tests: the test of two systems.
        significance: the significance level.

    Returns:
        The best system. None for an informational sub-score, and for fewer than two systems with a value.
    """
    there = [score for score in scores if not math.isnan(score.mean)]
    if len(there) < 2 or there[0].part in table.columns[there[0].metric].details:
        return None
    top = (max if table.columns[there[0].metric].higher_is_better else min)(score.mean for score in there)
    first = next(score for score in there if score.mean == top)
    others = [score for score in there if score is not first]
    tested = [tests(first.system, other.system, first.metric, first.part) for other in others]
    if reasons := [outcome.reason for outcome in tested if math.isnan(outcome.p)]:
        return Best((), (), (), reasons[0] or "not tested")
    # The same sum in another order differs in its last digits.
    rounding = 1e-12 * max(abs(score.mean) for score in there)
    ahead = [outcome.ahead if abs(outcome.ahead) > rounding else 0.0 for outcome in tested]
    equal = [score.mean == top for score in others]
    if any(gain < 0 or (gain and same) for same, gain in zip(equal, ahead, strict=True)):
        return Best((), (), (), OTHER_ITEMS)
    adjusted = holm([math.nan if same else outcome.p for outcome, same in zip(tested, equal, strict=True)]).tolist()
    names = [score.system for score in others]
    return Best(
        (first.system, *(name for name, same in zip(names, equal, strict=True) if same)),
        tuple(name for name, p in zip(names, adjusted, strict=True) if p >= significance),
        tuple(name for name, p in zip(names, adjusted, strict=True) if p < significance),
    )


def other_items(table: ScoreTable) -> Iterator[str]:
    """Yield a note on the metrics by which the systems have values on different items."""
    said: dict[str, list[str]] = {}
    for spec, column in table.columns.items():
        if column.level != "item" or len(table.systems) < 2:
            continue
        has_value = ~np.isnan(column.values[:, 0] if column.sums is None else column.sums.counts.sum(1))
        items: dict[str, set[str]] = {system: set() for system in table.systems}
        for (system, item), valued in zip(table.rows, has_value.tolist(), strict=True):
            if valued:
                items[system].add(item)
        shared, union = set.intersection(*items.values()), set.union(*items.values())
        if len(shared) < len(union):
            counts = ", ".join(f"{system} {len(names)}" for system, names in list(items.items())[:_NAMED])
            more = f" and {len(items) - _NAMED} more systems" if len(items) > _NAMED else ""
            said.setdefault(f"({counts}{more}; all share {len(shared)})", []).append(spec)
    for counts, specs in said.items():
        yield (
            f"{', '.join(specs)}: the systems have values on different items {counts}; the means are of each "
            "system's items, and the tests are of the items that two systems share"
        )


_NAMED = 6


LED = "people: "
"""The prefix of an aspect's name where it stands among metrics"""


@dataclass(frozen=True)
class People:
    """The ratings of a table's rows, and from these ratings the estimated mean ratings of all rows."""

    table: ScoreTable
    """A table of the same rows with a column of ratings for each aspect; a row that nobody rated is NaN"""
    estimates: Mapping[str, Mapping[str, Estimate]]
    """By aspect, and then by system or by difference "A - B": the estimated mean rating of all rows. An aspect is
    missing where all rows are rated, and where no valid interval exists"""
    notes: Mapping[str, str]
    """By aspect: how the estimates were made, or why there are none. An aspect whose rows are all rated has no note"""

    def by_system(self) -> list[SystemScore]:
        """Return the estimated mean rating of each system with its interval, or else the mean of its ratings."""
        scores = self.table.by_system()
        estimates = [self.estimates.get(score.metric, {}).get(score.system) for score in scores]
        return [
            score if estimate is None else replace(score, mean=estimate.estimate, low=estimate.low, high=estimate.high)
            for score, estimate in zip(scores, estimates, strict=True)
        ]

    def test(self, a: str, b: str, aspect: str, part: str) -> PairTest:
        """Return the test of whether people would rate two systems alike, with NaN where nothing is estimated."""
        of_aspect = self.estimates.get(aspect, {})
        for name, sign in ((f"{a} - {b}", 1), (f"{b} - {a}", -1)):
            if name in of_aspect:
                return PairTest(sign * of_aspect[name].estimate, of_aspect[name].p)
        return PairTest(math.nan, math.nan, "not estimated")


def people(table: ScoreTable, source: Source, led: str = "", seed: int = 0) -> People:
    """Return the ratings of a table's rows, and estimates of the mean rating of all rows.

    The estimates use all metrics together, cross-fitted. Where this is refused, they use the first metric that has a
    better direction. They do not use the metric that gives the shortest interval, because such an interval would hold
    the truth too seldom.

    Args:
        table: the scores.
        source: where ratings come from, as `nlgauge.ratings.join.ratings` takes it.
        led: a prefix for the names of the aspects.
        seed: as `nlgauge.estimate` takes it.

    Returns:
        The ratings of each aspect, and the estimates.

    Raises:
        InputError: as `nlgauge.ratings.join.ratings`.
    """
    table = table.per_item()
    columns, estimates, notes = {}, {}, {}
    for aspect, values in ratings(table, source).values.items():
        missing = np.flatnonzero(np.isnan(values)).tolist()
        name = f"{led}{aspect}"
        columns[name] = Column(
            parts=("score",),
            values=values[:, None],
            reasons=dict.fromkeys(missing, "unrated"),
            limits=_limits(values, source, aspect),
        )
        if missing:
            by_system, notes[name] = _estimated(table, source, aspect, seed)
            estimates.update({name: by_system} if by_system else {})
    return People(ScoreTable(table.rows, columns, {}, clusters=table.clusters), estimates, notes)


def _limits(values: Float, source: Source, aspect: str) -> dict[str, tuple[float, float]]:
    """Return the least and the greatest possible rating, as the limits of a column with the sub-score 'score'.

    They are known for the ratings of a project, and for ratings of 0 and 1; else the result is empty. The least and the
    greatest rating that was given are not the ends of a scale: with 15 ratings that go from 1 to 5, intervals which end
    there hold the true mean in .86 to .92 of draws.
    """
    scale = source.scales.get(aspect) if isinstance(source, ProjectRatings) else None
    if scale is None and set(values[np.isfinite(values)].tolist()) == {0.0, 1.0}:
        scale = (0.0, 1.0)
    return {} if scale is None else {"score": scale}


def _estimated(table: ScoreTable, source: Source, aspect: str, seed: int) -> tuple[dict[str, Estimate], str]:
    """Return estimates by system and difference, and a note on them; no estimates where some system has none."""
    metrics = [spec for spec, column in table.columns.items() if column.level == "item"]
    first = [spec for spec in metrics if table.columns[spec].scores] or metrics
    alone = "ratings alone, and no estimate for all rows: "
    if not metrics:
        return {}, f"{alone}there is no score of single rows"
    try:
        rated = rated_rows(table, source, [aspect])
    except InputError as error:
        return {}, f"{alone}{error}"
    table, _ = unseen(table, rated.values, rated.notes)
    why = ""
    for chosen in (metrics, first[:1]) if len(metrics) > 1 else (metrics,):
        try:
            every = estimated(selected(table, chosen), rated, seed=seed)
        except InputError as error:
            why = str(error)
            continue
        by_system = {estimate.system: estimate for estimate in every if estimate.metric == every[-1].metric}
        of = [by_system[system] for system in table.systems]
        if not (reasons := [estimate.reason for estimate in of if estimate.reason]):
            return by_system, "; ".join([_made(of), *worst_cases(of), *every.notes])
        why = reasons[0]
    return {}, f"{alone}{why}"


def _made(of: list[Estimate]) -> str:
    rated, rows = sum(estimate.ratings for estimate in of), sum(estimate.rows for estimate in of)
    alone = ", ".join(f"{estimate.system} {words(Number(*estimate.alone))}" for estimate in of)
    made = f"estimated for all {rows:,} rows from {rated:,} ratings and the scores by {of[0].metric}"
    return f"{made}; the ratings alone: {alone}"


def of_outputs(table: ScoreTable, outputs: Corpus) -> People | None:
    """Return the ratings that outputs hold, with aspects named as `LED` says; None where no output is rated."""
    return people(table, outputs, LED) if any(row.scores for row in outputs) else None
