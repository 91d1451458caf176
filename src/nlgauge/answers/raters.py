"""Agreement among raters, which is the ceiling for metrics, and tests of whether a metric may stand in for a rater.

One rater after the other is left out. The ceiling is the agreement of this rater with the mean rating of the others,
averaged over raters. For a metric, the scores take the place of the ratings of the rater who is left out.

The alternative-annotator test (Calderon, Reichart and Dror, *The Alternative Annotator Test for LLM-as-a-Judge*, ACL
2025, arXiv:2501.10970) also leaves out one rater after the other. On each row it asks whether the metric or this rater
is nearer to the remaining raters, by the root mean squared difference. The metric's share is that of the rows on which
it is at least as near as the rater, and the rater's share is that of the rows on which the rater is at least as near as
the metric. The metric wins against the rater if a paired t-test shows that the metric's share is less than epsilon
below the rater's share. The p of these tests are corrected by Benjamini and Yekutieli over the raters. The metric
passes if it wins against at least half of the raters.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from nlgauge.answers.sentinels import is_sentinel
from nlgauge.data.table import Column, ScoreTable
from nlgauge.errors import InputError
from nlgauge.maths.inference import NOTHING, Measured, mean_of
from nlgauge.ratings.join import Grid, Source
from nlgauge.ratings.rated import Measurement, by_row, joined
from nlgauge.show.answer import Answer, Answered
from nlgauge.show.tables import NONE, Cell, Number
from nlgauge.stats.arrays import Float
from nlgauge.stats.corrections import benjamini_yekutieli
from nlgauge.stats.correlation import coefficient as coefficient_of
from nlgauge.stats.correlation import estimate
from nlgauge.stats.fitting import cross_fitted
from nlgauge.stats.interrater import are_copies
from nlgauge.stats.resampling import bootstrap, interval

LEAST_ROWS = 30
"""Rows of a rater that the test needs, as the paper has it"""
_FOLDS = 5


@dataclass(frozen=True)
class StandIn:
    """The agreement of a metric with raters, and the tests of whether it may stand in for a rater.

    One record is of the raters themselves: it has their agreement with each other, and no test.
    """

    metric: str = ""
    """The metric's spec; '' for the raters themselves"""
    part: str = ""
    value: float = math.nan
    """The agreement with the mean rating of all raters but one, averaged over raters"""
    low: float = math.nan
    high: float = math.nan
    advantage: float = math.nan
    """The share of rows on which the metric is at least as near to the other raters as the rater left out, averaged
    over raters"""
    won: int = 0
    """The number of raters that the metric wins against"""
    raters: int = 0
    """The number of raters with enough rows to be tested against"""
    p: tuple[float, ...] = ()
    """The p of each test against a rater, before the correction"""

    @property
    def passed(self) -> bool:
        """Whether the metric may stand in for a rater."""
        return self.raters > 0 and 2 * self.won >= self.raters


@dataclass(frozen=True, kw_only=True, repr=False)
class StandIns(Answered):
    """The results of `raters` with its settings."""

    lines: Sequence[StandIn]
    names: Sequence[str]
    """The names of the raters"""
    columns: Mapping[str, Column]
    """The scores of the metrics, by spec"""
    level: str
    coefficient: str
    epsilon: float

    def to_answer(self) -> Answer:
        """Return the answer: a table of agreement and tests, with a line for the raters and one for each metric."""
        cells: list[list[Cell]] = [["", "agreement", "advantage", "wins against", "may stand in"]]
        passes = self.lines[-1].passed
        for line in self.lines:
            agreement = Number(line.value, line.low, line.high)
            if not line.metric:
                cells.append(["a rater, with the others", agreement, Number(math.nan), NONE, NONE])
                continue
            several = line.metric in self.columns and len(self.columns[line.metric].parts) > 1
            name = line.metric + (f" {line.part}" if several else "")
            told = "not told" if passes and line.passed else "yes" if line.passed else "no"
            cells.append([name, agreement, Number(line.advantage), f"{line.won} of {line.raters}", told])
        legend = [
            f"agreement with the mean of all raters but one; wins: no worse than that one by {self.epsilon} of the "
            "rows (p < 0.05, one-sided, corrected by Benjamini and Yekutieli)"
        ]
        if passes:
            legend.append("a constant passes too, so these ratings do not tell which metric may stand in for a rater")
        asked = {"raters": list(self.names), "level": self.level, "coefficient": self.coefficient}
        lines = [{**vars(line), "passed": line.passed} for line in self.lines]
        return Answer(
            command="correlate",
            record={**asked, "epsilon": self.epsilon, "lines": lines},
            tables=[cells],
            legend=legend,
        )


def raters(
    table: ScoreTable,
    ratings: Source,
    names: Sequence[str],
    *,
    epsilon: float = 0.2,
    level: str = "item",
    coefficient: str = "pearson",
    resample: str = "both",
    confidence: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
) -> list[StandIn]:
    """Return tests of whether each metric of a table may stand in for a rater.

    A metric's scale differs from that of the ratings. So its scores are turned into predicted ratings by a straight
    line that was fitted to other items, as `nlgauge train combination` does. A constant is tested as well: its
    predicted rating is the mean rating of other items. Where all ratings are 0 or 1, predictions are rounded to 0 or 1.
    If the constant passes, the test is too easy on these ratings. Where the table is `clustered`, the intervals
    resample clusters, and the t-test is robust to them.

    Args:
        table: the scores.
        ratings: as `nlgauge.correlate` takes them.
        names: the aspects of the ratings that each hold the ratings of one rater, all for the same question.
        epsilon: how much lower the metric's share of rows may be than the rater's, because a metric costs less. The
            paper takes 0.2 for experts, 0.15 for skilled raters and 0.1 for the crowd.
        level: the level of the agreement, as `nlgauge.correlate` takes it.
        coefficient: the coefficient of the agreement, as `nlgauge.correlate` takes it.
        resample: as `nlgauge.correlate` takes it.
        confidence: the confidence of the intervals.
        replicates: the number of resamples.
        seed: the seed of the resamples and of the folds.

    Returns:
        A record for the raters themselves, then one for each sub-score of the table, and then one for a constant.

    Raises:
        InputError: there are fewer than two raters, the ratings of two are copies (`are_copies`), no rater has 30 rows
            that another rated too, or epsilon is not from 0 to 1.
    """
    table = table.per_item()
    if len(set(names)) < 2:
        raise InputError("one rater has nobody to be compared with", remedy="name at least two, better three")
    if not 0 <= epsilon < 1:
        raise InputError(f"epsilon {epsilon!r} is not between 0 and 1", remedy="0.2 for experts, 0.1 for the crowd")
    how = Measurement(
        level=level, coefficient=coefficient, resample=resample, confidence=confidence, replicates=replicates, seed=seed
    )
    both = joined(table, ratings, list(dict.fromkeys(names)))
    chosen = both.aspects
    by_rater = np.stack([both.ratings.values[name] for name in chosen])
    for first, second in combinations(range(len(chosen)), 2):
        twice = ~np.isnan(by_rater[[first, second]]).any(0)
        if are_copies(list(zip(by_rater[first, twice].tolist(), by_rater[second, twice].tolist(), strict=True))):
            problem = f"{chosen[first]} and {chosen[second]} give the same rating to each of {int(twice.sum())} rows"
            raise InputError(f"{problem}, which is rare of two people", remedy="name one of the two")
    people = _Raters(by_rater, both.place, how, epsilon)
    ceiling = people.ceiling()
    lines = [StandIn(value=ceiling.value, low=ceiling.low, high=ceiling.high)]
    for spec, column in table.columns.items():
        if column.level == "item" and not is_sentinel(spec):
            for part in column.shown:
                values = by_row(table, column, column.parts.index(part))
                lines.append(people.stand_in(spec, part, values, people.agreement(values)))
    constant = Column(("score",), np.zeros((len(table.rows), 1)))
    values = by_row(table, constant, 0)
    return [*lines, people.stand_in("Constant", "score", values, NOTHING)]


class _Raters:
    """The ratings [raters, rows] of one question, with the settings of the agreement and of the test."""

    def __init__(self, ratings: Float, place: Grid, how: Measurement, epsilon: float) -> None:
        self._given, self._place, self._how, self._epsilon = ratings, place, how, epsilon
        self._items = np.array(place.place[0])
        has_rating = ~np.isnan(ratings)
        self._several = has_rating.sum(0) >= 2
        self._enough = [r for r in range(len(ratings)) if int((has_rating[r] & self._several).sum()) >= LEAST_ROWS]
        if not self._enough:
            most = max(int((of_rater & self._several).sum()) for of_rater in has_rating)
            problem = f"no rater has {LEAST_ROWS} rows that another rated too, the most is {most}"
            raise InputError(problem, remedy="rate more rows twice; 50 to 100 are enough for most tests")

    def _others(self, rater: int) -> Float:
        """Return the mean rating of all raters but one: [rows], NaN where no other rater rated."""
        others = np.delete(self._given, rater, axis=0)
        has_rating = ~np.isnan(others)
        with np.errstate(invalid="ignore"):
            return np.asarray(
                np.where(has_rating, others, 0).sum(0) / np.where(has_rating.any(0), has_rating.sum(0), np.nan)
            )

    def ceiling(self) -> Measured:
        """Return the agreement of a rater with the mean of the others, averaged over raters, with its interval."""
        return self._mean([(self._given[rater], self._others(rater)) for rater in range(len(self._given))])

    def agreement(self, values: Float) -> Measured:
        """Return a metric's agreement with the mean rating of all raters but one, averaged over raters.

        Args:
            values: the metric's values: [rows]. For each rater who is left out, the rows that this rater rated count.
        """
        replaced = (np.where(np.isnan(ratings), np.nan, values) for ratings in self._given)
        return self._mean([(ratings, self._others(rater)) for rater, ratings in enumerate(replaced)])

    def _mean(self, pairs: Sequence[tuple[Float, Float]]) -> Measured:
        how, clusters = self._how, self._place.clusters
        values, drawn = [], []
        for first, second in pairs:
            x, y = self._place.of(first), self._place.of(second)
            x, y = np.where(np.isnan(y), np.nan, x), np.where(np.isnan(x), np.nan, y)
            kind = coefficient_of(how.coefficient, x, y, how.level)
            values.append(estimate(x, y, kind, how.level).value)
            # Of one shape, so that all raters are drawn on the same items and systems.
            drawn.append(
                bootstrap(
                    x,
                    y,
                    kind,
                    how.level,
                    resample=how.resample,
                    replicates=how.replicates,
                    seed=how.seed,
                    clusters=clusters,
                )
            )
        low, high = interval(np.mean(drawn, axis=0), how.confidence)
        return Measured(float(np.mean(values)), low, high)

    def stand_in(self, metric: str, part: str, values: Float, agreement: Measured) -> StandIn:
        """Return the record of one metric, from its values [rows] and its agreement with raters."""
        predicted = self._predicted(values)
        shares, chances = [], []
        for rater in self._enough:
            ratings, others = self._given[rater], np.delete(self._given, rater, axis=0)
            rows = ~np.isnan(ratings) & self._several & ~np.isnan(predicted)
            away = [_away(values[rows], others[:, rows]) for values in (predicted, ratings)]
            nearer, farther = away[0] <= away[1], away[1] <= away[0]
            clusters = None if self._place.clusters is None else self._place.clusters[self._items[rows]]
            test = mean_of(nearer.astype(float) - farther, (-1.0, 1.0), clusters)
            shares.append(float(nearer.mean()) if rows.any() else math.nan)
            chances.append(test.above(-self._epsilon))
        won = int((benjamini_yekutieli(chances) <= 0.05).sum())
        return StandIn(
            metric=metric,
            part=part,
            value=agreement.value,
            low=agreement.low,
            high=agreement.high,
            advantage=float(np.mean(shares)),
            won=won,
            raters=len(shares),
            p=tuple(chances),
        )

    def _predicted(self, values: Float) -> Float:
        """Return the rating of each row predicted by a line that is fitted to other items: [rows], NaN if none."""
        has_rating = ~np.isnan(self._given)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(has_rating, self._given, 0).sum(0) / has_rating.sum(0)
        rows = np.isfinite(values) & ~np.isnan(mean)
        predicted = np.full(len(values), np.nan)
        groups = self._items if self._place.clusters is None else self._place.clusters[self._items]
        if len(np.unique(groups[rows])) > 1:
            fitted = cross_fitted(
                values[rows, None], mean[rows], items=groups[rows], method="nnls", folds=_FOLDS, seed=self._how.seed
            )
            predicted[rows] = fitted.predicted
            if np.isin(self._given[has_rating], (0, 1)).all():
                # A rater who agrees with the others has the distance 0, which no number between 0 and 1 has.
                predicted[rows] = predicted[rows] >= 0.5
        return predicted


def _away(values: Float, others: Float) -> Float:
    """Return the root mean squared difference of a rating [rows] from the ratings of others [raters, rows]."""
    squares = (values - others) ** 2
    has_rating = ~np.isnan(squares)
    return np.asarray(np.sqrt(np.where(has_rating, squares, 0).sum(0) / has_rating.sum(0)))
