"""Which metric agrees better with people than another: `contrast` tests every pair of metrics, `williams` one pair."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np

from nlgauge.data.table import Column, ScoreTable
from nlgauge.data.table.frame import Records
from nlgauge.errors import InputError
from nlgauge.maths.intervals import student_tail
from nlgauge.ratings.join import Source
from nlgauge.ratings.rated import Joined, Measurement, joined, rated_items, rated_part
from nlgauge.show.answer import Answer, Answered
from nlgauge.show.tables import Cell, Chance, Number
from nlgauge.stats.arrays import Float, Integers, Mask
from nlgauge.stats.coefficients import COEFFICIENTS, SPECIAL, correlation
from nlgauge.stats.corrections import CORRECTIONS, LEAST_DRAWS, clusters, draws_for, too_few_draws
from nlgauge.stats.correlation import estimate, means
from nlgauge.stats.of_items import difference_of_items
from nlgauge.stats.resampling import bootstrap, exchanged, interval


class Williams(NamedTuple):
    """Williams' test: t, its degrees of freedom, and the one-sided p of the claim that the first metric is better."""

    t: float
    df: int
    p: float

    @property
    def two_sided(self) -> float:
        """The two-sided p of the hypothesis that the two metrics agree equally well."""
        return 2 * min(self.p, 1 - self.p)


def williams(r12: float, r13: float, r23: float, n: int, df: str = "n-3") -> Williams:
    """Return Williams' test of whether r12 is larger than r13.

    Both are Pearson correlations of a metric with the same ratings. The formula (Williams 1959; Steiger, *Tests for
    comparing elements of a correlation matrix*, 1980, equation 7, with n - 3 degrees of freedom) is

    t = (r12 - r13) sqrt((n - 1) (1 + r23) / (2 K (n - 1) / (n - 3) + (r12 + r13)^2 / 4 (1 - r23)^3)),
    K = 1 - r12^2 - r13^2 - r23^2 + 2 r12 r13 r23.

    Args:
        r12: the correlation of the first metric with the ratings.
        r13: the correlation of the other metric with the ratings.
        r23: the correlation of the two metrics.
        n: the number of points of each correlation, at least 4.
        df: the degrees of freedom: 'n-3', or 'n-2' for the number that R's psych::r.test prints.

    Returns:
        t, its degrees of freedom, and the one-sided p. Equal correlations, and metrics with r23 = 1, have p = 0.5. A
        NaN in the arguments gives NaN.

    Raises:
        InputError: n < 4, no three variables have these correlations, or `df` is neither of the two.
    """
    if df not in ("n-3", "n-2"):
        raise InputError(f"df is {df!r}", remedy="give 'n-3', or 'n-2' for the number of R's psych::r.test")
    if n < 4:
        raise InputError(f"Williams' test needs four points, there are {n}")
    freedom = n - int(df[-1])
    k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    if k < -1e-9 or max(abs(r12), abs(r13), abs(r23)) > 1 + 1e-9:
        raise InputError(f"no three variables have the correlations {r12:g}, {r13:g} and {r23:g}")
    spread = 2 * max(k, 0.0) * (n - 1) / (n - 3) + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
    if math.isnan(spread):
        return Williams(math.nan, freedom, math.nan)
    if r12 == r13 or 1 - r23 < 1e-12:
        return Williams(0.0, freedom, 0.5)
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / spread) if spread > 0 else math.copysign(math.inf, r12 - r13)
    return Williams(t, freedom, student_tail(t, freedom))


Part: TypeAlias = tuple[str, str]
"""A sub-score of a metric: (metric, part)"""


@dataclass(frozen=True)
class Contrast:
    """The difference of how well two metrics agree with an aspect of the ratings."""

    first: Part
    second: Part
    aspect: str
    difference: float = math.nan
    """The coefficient of the first minus that of the second, on the cells (item, system) where both scores and the
    rating exist"""
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    """The two-sided p of the hypothesis that the two agree equally well"""
    adjusted: float = math.nan
    """The same p, corrected for all pairs of the aspect"""


@dataclass(frozen=True, repr=False)
class Contrasts(Answered, Records[Contrast]):
    """The differences of how well metrics agree with people: a record for each pair, and the clusters of metrics."""

    kind = Contrast
    records: list[Contrast]
    clusters: dict[str, dict[Part, int]]
    """By aspect and (metric, part): the number of the metric's cluster, from 1 for the best. Metrics of one cluster do
    not differ significantly"""
    values: dict[str, dict[Part, float]] = field(default_factory=dict)
    """By aspect and (metric, part): the coefficient, on all cells that have both a score of this metric and a rating"""
    notes: list[str] = field(default_factory=list)
    draws: int = 0
    """The largest number of random exchanges from which a p was computed"""
    coefficient: str = "pearson"
    columns: Mapping[str, Column] = field(default_factory=dict)
    """The scores of the compared metrics, by spec"""

    def to_answer(self) -> Answer:
        """Return the answer: a table of each aspect's metrics with their clusters, and a table of the pairs."""
        ranked: list[list[Cell]] = [["aspect", "metric", self.coefficient, "cluster"]]
        for aspect, values in self.values.items():
            clusters = self.clusters[aspect]
            for key in sorted(values, key=lambda key: (clusters[key], -values[key])):
                ranked.append([aspect, self._label(key), Number(values[key]), Number(clusters[key], digits=0)])
        pairs: list[list[Cell]] = [["aspect", "metric", "against", "difference", "p", "corrected"]]
        for pair in self:
            numbers = [Number(pair.difference, pair.low, pair.high), Chance(pair.p), Chance(pair.adjusted)]
            pairs.append([pair.aspect, self._label(pair.first), self._label(pair.second), *numbers])
        metrics = [
            {"metric": spec, "part": part, "aspect": aspect, "value": value, "cluster": cluster[spec, part]}
            for aspect, cluster in self.clusters.items()
            for (spec, part), value in self.values[aspect].items()
        ]
        return Answer(
            command="correlate",
            record={"metrics": metrics, "contrasts": self.records},
            tables=[ranked, pairs],
            keys=2,
            notes=self.notes,
        )

    def _label(self, key: Part) -> str:
        return self.columns[key[0]].label(*key)


def contrast(
    table: ScoreTable,
    ratings: Source,
    *,
    level: str = "item",
    coefficient: str = "pearson",
    aspects: Sequence[str] | None = None,
    test: str = "permutation",
    df: str = "n-3",
    correction: str = "holm",
    resample: str = "both",
    confidence: float = 0.95,
    replicates: int | None = None,
    seed: int = 0,
    intervals: bool = True,
) -> Contrasts:
    """Return tests of which metrics agree better with people, for every pair of scores, and clusters of metrics.

    The interval and p answer different questions. p is about these outputs: it is the probability of so large a
    difference if the two metrics are exchanged at random. The interval also covers other items, other systems, or both
    (`resample`). So it may hold 0 where p is small; `notes` then say so.

    Args:
        table: the scores. All sub-scores with a better direction are compared.
        ratings: as `nlgauge.correlate` takes them.
        level: as `nlgauge.correlate` takes it.
        coefficient: as `nlgauge.correlate` takes it.
        aspects: as `nlgauge.correlate` takes them.
        test: 'permutation' (Perm-Both of Deutsch et al. 2021), or 'williams', which needs Pearson at the level of
            systems or of pooled rows.
        df: the degrees of freedom of Williams' test, as in `williams`.
        correction: the correction of p for all pairs of an aspect: 'holm', 'benjamini_hochberg' or 'none'.
        resample: what the interval generalises to: other 'items', other 'systems' or 'both'. For items it is an
            interval of Student's t, computed from the differences within items or by a jackknife over items. Else it is
            the percentile interval of a bootstrap that resamples the scores of both metrics together.
        confidence: the confidence of the intervals. Two metrics are in different clusters only if some corrected p is
            below 1 - confidence.
        replicates: the number of exchanges and of resamples; by default 1,000 resamples, and as many exchanges as
            `nlgauge.stats.corrections.draws_for` gives for the number of pairs. Exchanges end early where p is clearly
            large.
        seed: the seed of the random draws.
        intervals: whether to compute intervals.

    Returns:
        A record for each aspect and pair of scores, and for each aspect the agreement and the cluster of each score.

    Raises:
        InputError: as `nlgauge.correlate`; the test or the correction is unknown; or the test does not suit the
            coefficient and the level.
    """
    resamples = LEAST_DRAWS if replicates is None else replicates
    how = Measurement(
        level=level, coefficient=coefficient, resample=resample, confidence=confidence, replicates=resamples, seed=seed
    )
    _check(test, correction, how)
    table = table.per_item()
    compared = {spec: column for spec, column in table.columns.items() if column.level == "item" or level == "system"}
    both = joined(replace(table, columns=compared), ratings, aspects)
    parts = list(both.scores)
    pairs = list(combinations(parts, 2))
    corrected_for = 1 if correction == "none" else len(pairs)
    draws = 0 if test == "williams" else replicates
    if draws is None:
        draws = draws_for(corrected_for, 1 - confidence)
    few = too_few_draws(draws, corrected_for, 1 - confidence)
    contrasts = Contrasts(
        records=[],
        clusters={},
        values={},
        notes=[few] if few else [],
        draws=draws,
        coefficient=coefficient,
        columns=table.columns,
    )
    for aspect in both.aspects:
        tests = _Tests(
            both,
            aspect,
            how=how,
            draws=draws,
            df=df if test == "williams" else None,
            intervals=intervals,
        )
        made = [tests.difference(Contrast(*pair, aspect)) for pair in pairs]
        corrected = CORRECTIONS[correction]([pair.p for pair in made]).tolist()
        different: Mask = np.zeros((len(parts), len(parts)), bool)
        for pair, adjusted in zip(made, corrected, strict=True):
            contrasts.records.append(replace(pair, adjusted=adjusted))
            i, j = parts.index(pair.first), parts.index(pair.second)
            different[i, j] = different[j, i] = adjusted < 1 - confidence
        values = [tests.agreement(part) for part in parts]
        contrasts.clusters[aspect] = dict(zip(parts, clusters(values, different), strict=True))
        contrasts.values[aspect] = dict(zip(parts, values, strict=True))
    contrasts.notes.extend(_on_intervals(contrasts.records, how, *both.fewest_rated))
    return contrasts


def chances(
    both: Joined, aspect: str, pairs: Sequence[tuple[Part, Part]], *, how: Measurement, draws: int
) -> list[float]:
    """Return the p of the permutation test of `contrast` for each pair of sub-scores.

    Args:
        both: the table joined with its ratings.
        aspect: the aspect of the ratings.
        pairs: the pairs of sub-scores.
        how: how the agreement is measured.
        draws: the number of random exchanges of each test.

    Returns:
        A p for each pair, uncorrected; NaN where no test is possible.
    """
    tests = _Tests(both, aspect, how=how, draws=draws, df=None, intervals=False)
    return [tests.difference(Contrast(*pair, aspect)).p for pair in pairs]


_EXCHANGED = 400_000_000
"""The largest number of cells that are exchanged in a minute"""


def takes_a_minute(cells: int, tests: int, level: str, coefficient: str, draws: int) -> bool:
    """Return whether `tests` tests of `cells` cells with `draws` exchanges each may take longer than a minute."""
    by_sums = level == "system" or coefficient == "pearson"
    return cells * tests * draws > _EXCHANGED * (10 if by_sums else 1)


def _on_intervals(records: Sequence[Contrast], how: Measurement, items: int, systems: int) -> Iterator[str]:
    """Yield notes on missing intervals, and on intervals that disagree with p or come from too few units.

    Args:
        records: the differences.
        how: how the agreement is measured.
        items: the least number of rated items of an aspect.
        systems: the least number of rated systems of an aspect.
    """
    with_interval = [record for record in records if not math.isnan(record.low)]
    if with_interval and (
        bare := sum(math.isnan(record.low) and not math.isnan(record.difference) for record in records)
    ):
        yield f"{bare} differences have no interval: they are alike in all resamples"
    if more := sum(record.adjusted < 1 - how.confidence and record.low <= 0 <= record.high for record in with_interval):
        what = {"items": "items", "systems": "systems", "both": "items and systems"}[how.resample]
        yield (
            f"{more} of {len(records)} differences are significant where the interval holds 0: the interval also speaks"
            f" about other {what}, and p about these outputs alone"
        )
    if with_interval:
        yield from how.too_few(items, systems)


def _check(test: str, correction: str, how: Measurement) -> None:
    if how.coefficient in SPECIAL:
        raise InputError(f"{how.coefficient} has no test of a difference", remedy=f"take {', '.join(COEFFICIENTS)}")
    if test not in ("permutation", "williams") or correction not in CORRECTIONS:
        raise InputError(
            f"test {test!r} with correction {correction!r}",
            remedy="permutation or williams; holm, benjamini_hochberg or none",
        )
    if test == "williams" and (how.coefficient != "pearson" or how.level == "item"):
        raise InputError("Williams' test is of Pearson over systems or pooled rows", remedy="take test='permutation'")


class _Tests:
    """The tests of metrics by the ratings of one aspect. Scores and ratings have the shape [items, systems]."""

    def __init__(
        self,
        both: Joined,
        aspect: str,
        *,
        how: Measurement,
        draws: int,
        df: str | None,
        intervals: bool,
    ) -> None:
        self.scores, self.how, self._clusters = both.scores, how, both.place.clusters
        self._sets = {spec for spec, column in both.table.columns.items() if column.level == "system"}
        self._ratings, self._df = both.rated[aspect], df
        self._kind = COEFFICIENTS[how.coefficient]
        self._exchanges, self._intervals = draws, intervals and how.replicates > 0
        # A part is resampled once for all others that have numbers for the same cells.
        self._resampled: dict[tuple[Part, bytes], Float] = {}

    def agreement(self, part: Part) -> float:
        """Return the coefficient of one sub-score, on all cells where it and the ratings have numbers."""
        x, y = rated_part(self.scores[part], self._ratings)
        return estimate(x, y, self._kind, self.how.level).value

    def difference(self, pair: Contrast) -> Contrast:
        """Return a pair's record with difference, interval and p, on the cells where all three have numbers."""
        first, second = pair.first, pair.second
        three = self.scores[first], self.scores[second], self._ratings
        x, other, y = rated_part(*three)
        if not x.size:
            return pair
        clusters = None if self._clusters is None else self._clusters[rated_items(*three)]
        value, p = self._tested(x, other, y, clusters, of_sets=bool(self._sets & {first[0], second[0]}))
        pair = replace(pair, difference=value, p=p)
        if not self._intervals or math.isnan(value):
            return pair
        how = self.how
        if how.resample == "items":
            low, high = difference_of_items(
                x, other, y=y, kind=self._kind, level=how.level, clusters=clusters, confidence=how.confidence
            )
        else:
            cells = np.any([np.isnan(a) for a in three], axis=0).tobytes()
            resampled = self._resample(first, x, y=y, clusters=clusters, cells=cells) - self._resample(
                second, other, y=y, clusters=clusters, cells=cells
            )
            low, high = interval(resampled, how.percentiles(x.shape[1]))
        return replace(pair, low=low, high=high)

    def _tested(
        self, x: Float, other: Float, y: Float, clusters: Integers | None, of_sets: bool
    ) -> tuple[float, float]:
        if self._df is not None:
            return _williams(x, other, y=y, level=self.how.level, df=self._df)
        if of_sets:
            # A corpus-level metric has no cells to exchange: whole systems change place (Perm-Systems there).
            (x, rated), (other, _) = means(x, y), means(other, y)
            x, other, y, clusters = x[None], other[None], rated[None], None
        how = self.how
        return exchanged(
            x,
            other,
            y=y,
            kind=self._kind,
            level=how.level,
            replicates=self._exchanges,
            seed=how.seed,
            clusters=clusters,
        )

    def _resample(self, part: Part, x: Float, y: Float, clusters: Integers | None, cells: bytes) -> Float:
        if (part, cells) not in self._resampled:
            how = self.how
            self._resampled[part, cells] = bootstrap(
                x,
                y,
                self._kind,
                how.level,
                resample=how.resample,
                replicates=how.replicates,
                seed=how.seed,
                clusters=clusters,
            )
        return self._resampled[part, cells]


def _williams(x: Float, other: Float, y: Float, level: str, df: str) -> tuple[float, float]:
    if level == "system":
        (x, rated), (other, _) = means(x, y), means(other, y)
    else:
        rated = y
    complete = ~(np.isnan(x) | np.isnan(other) | np.isnan(rated))
    n = int(complete.sum())
    if n < 4:
        return math.nan, math.nan
    first, second, between = (
        float(correlation(a[complete], b[complete])) for a, b in ((x, rated), (other, rated), (x, other))
    )
    return first - second, williams(first, second, r23=between, n=n, df=df).two_sided
