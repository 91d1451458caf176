"""Intervals and tests of means, shares and differences: one function gives both, so that they cannot disagree.

An estimated variance near 0 is not certainty: after twelve equal values a thirteenth may differ. So if at least half of
the values are alike, two values are added, one on each side of the common value. Each added value has a distance from
the common value that is a root mean square: of the distances of the values seen on its side, and of the distance of the
end of the scale. So a few small losses do not exclude a large one that was not drawn. A scale without an end is taken
to end at the magnitude of the values, or at the furthest value if that is further. To values of yes and no the two ends
are always added. The interval is that of Student's t for all these values, and the test is the same Student's t. For
values that lie only at the ends of a scale (yes and no, and their differences) this is the adjusted interval of Agresti
and Coull (1998) and of Bonett and Price (2012). An independent share has Wilson's interval (1927) with the score test,
and the exact interval (Clopper and Pearson 1934) if all values are at one end.

Values of one group (cluster) are not independent. Their error comes from a jackknife that leaves out each group once
(CR3 of Bell and McCaffrey 2002), with Satterthwaite's degrees of freedom. The two added values become two groups of
mean size. The interval is the union with the interval without groups, so that groups never make it shorter.

This assumes that values (or groups) are drawn independently from those that the question is about. If they are very
skewed, as lognormal values are, or if larger groups differ from smaller ones, the interval covers too seldom
(docs/statistics.md has the figures). Tests check these properties, with their exceptions:

- One more error among four or more independent values of yes and no, up to half of them, never makes the interval
  shorter. In groups it may, if the errors are then spread more evenly, but the interval stays longer than without any
  error. On other scales a value may make it shorter if it is nearer to the common value than the end of the scale.
- Two copies of the same items never make the interval longer than one. There is one exception: independent values of
  yes and no that become groups of two, because Wilson's interval has the normal quantile, and groups have Student's.
- If less than half of the values are alike and there are no limits, a constant that is added to all values shifts the
  interval by it. If more are alike, the end of the scale is at the magnitude of the values, which the constant changes.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nlgauge.maths.intervals import effective_groups, share_interval, student_quantile, student_tail

Float: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.intp]
Mask: TypeAlias = NDArray[np.bool_]
Limits: TypeAlias = "tuple[float, float]"
"""The least and the greatest possible value; infinite where there is none"""

UNLIMITED: Limits = (-math.inf, math.inf)
ALIKE = 1e-5
"""Values are alike if they differ by less than this share of their magnitude: the score of a text by a model differs in
its sixth digit from batch to batch"""
FEWEST = 2.0
"""The least effective number of groups for an interval and a test. Below it almost all values are of one group"""


class Measured(NamedTuple):
    """A number with the ends of its interval. The ends are NaN without an interval, all three without a number."""

    value: float = math.nan
    low: float = math.nan
    high: float = math.nan


NOTHING = Measured()
"""The value where there is no number: NaN, without an interval"""


class Student(NamedTuple):
    """Student's t distribution around a centre, with its standard error and degrees of freedom."""

    centre: float
    error: float
    freedom: float

    def ends(self, level: float) -> tuple[float, float]:
        """Return the two ends of the interval of a confidence level."""
        half = student_quantile((1 + level) / 2, self.freedom) * self.error
        return self.centre - half, self.centre + half

    def above(self, bound: float) -> float:
        """Return the one-sided p of the hypothesis that the true value is at most a bound."""
        return student_tail((self.centre - bound) / self.error, self.freedom)

    def below(self, bound: float) -> float:
        """Return the one-sided p of the hypothesis that the true value is at least a bound."""
        return student_tail((bound - self.centre) / self.error, self.freedom)


class Share(NamedTuple):
    """The law of a share of independent items: Wilson's score interval, on the scale of the items' values."""

    share: float
    """The share, from 0 to 1"""
    items: float
    """The number of independent items that would give the same precision; it may be a fraction"""
    limits: Limits
    """The two values of an item, such as (0, 1)"""
    seen: float = math.inf
    """The degrees of freedom of the variance that `items` was computed from; infinite for values of yes and no"""

    @property
    def centre(self) -> float:
        """The share after one more item with each of the two values is added, on the scale of the values."""
        return self._placed((self.share * self.items + 1) / (self.items + 2))

    @property
    def error(self) -> float:
        """The standard error of `centre`, on the scale of the values."""
        share = (self.share * self.items + 1) / (self.items + 2)
        return math.sqrt(share * (1 - share) / (self.items + 1)) * (self.limits[1] - self.limits[0])

    @property
    def freedom(self) -> float:
        return min(self.seen, self.items + 1.0)

    def ends(self, level: float) -> tuple[float, float]:
        """Return the two ends of Wilson's interval, or of the exact interval if the share is 0 or 1."""
        low, high = share_interval(self.share, self.items, level, self.seen)
        return self._placed(low), self._placed(high)

    def above(self, bound: float) -> float:
        """Return the one-sided p of the hypothesis that the true value is at most a bound."""
        return self._p(bound, 1)

    def below(self, bound: float) -> float:
        """Return the one-sided p of the hypothesis that the true value is at least a bound."""
        return self._p(bound, -1)

    def _placed(self, share: float) -> float:
        return self.limits[0] + share * (self.limits[1] - self.limits[0])

    def _p(self, bound: float, side: int) -> float:
        true = (bound - self.limits[0]) / (self.limits[1] - self.limits[0])
        gap = side * (self.share - true)
        if not 0 < true < 1:
            return 0.0 if gap > 0 else 1.0
        if self.share in (0, 1) and gap > 0:
            return float((true if side > 0 else 1 - true) ** self.items)
        z = gap / math.sqrt(true * (1 - true) / self.items)
        return NormalDist().cdf(-z) if math.isinf(self.seen) else student_tail(z, self.seen)


Law: TypeAlias = "Student | Share"


@dataclass(frozen=True)
class Inference:
    """The mean of n values, or another number computed from them, with its interval, tests and sample sizes.

    Without `laws` there is neither an interval nor a test.
    """

    value: float
    n: int
    groups: int = 0
    """The number of groups (clusters) of the values; n if the values have no groups"""
    effective: float = math.nan
    """The number of groups of equal size that would give the same precision. Below `FEWEST` there are no laws"""
    laws: tuple[Law, ...] = ()
    """The distributions of the number. The interval is the union of their intervals, and p the largest of their p"""
    limits: Limits = UNLIMITED

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the two ends of the interval, within the limits; NaN without laws."""
        if not self.laws:
            return math.nan, math.nan
        low, high = zip(*(law.ends(level) for law in self.laws), strict=True)
        return max(self.limits[0], min(*low, self.value)), min(self.limits[1], max(*high, self.value))

    def measured(self, level: float = 0.95) -> Measured:
        """Return the value with its interval."""
        return Measured(self.value, *self.interval(level))

    def above(self, bound: float = 0.0) -> float:
        """Return the one-sided p of the hypothesis that the true value is at most a bound.

        Args:
            bound: the bound, in the unit of the value.

        Returns:
            p, or NaN without laws. It is below (1 - level) / 2 exactly if the bound is below the interval of this
            level. It is 0 if the bound is below the limits, and at least 0.5 if the value is not above the bound.
        """
        return self._beyond(bound < self.limits[0], self.value > bound, [law.above(bound) for law in self.laws])

    def below(self, bound: float = 0.0) -> float:
        """Return the one-sided p of the hypothesis that the true value is at least a bound, as in `above`."""
        return self._beyond(bound > self.limits[1], self.value < bound, [law.below(bound) for law in self.laws])

    @staticmethod
    def _beyond(certain: bool, seen: bool, p: list[float]) -> float:
        if not p:
            return math.nan
        return 0.0 if certain else max(0.0 if seen else 0.5, *p)

    def p(self, bound: float = 0.0) -> float:
        """Return the two-sided p of the hypothesis that the true value is the bound.

        Args:
            bound: the bound, in the unit of the value.

        Returns:
            p, or NaN without laws. It is below 1 - level exactly if the interval of this level lacks the bound.
        """
        return min(1.0, 2 * min(self.above(bound), self.below(bound))) if self.laws else math.nan

    @property
    def error(self) -> float:
        """The standard error of the number: the largest of its `laws`; NaN without laws.

        Where the two values of the module's text are added, it includes them.
        """
        return max((law.error for law in self.laws), default=math.nan)

    def detectable(self, confidence: float, power: float, items: float | None = None, sides: int = 2) -> float:
        """Return the smallest true difference that the test finds significant with the wanted power.

        It is (t_{1 - (1 - confidence) / sides} + t_power) error sqrt(n / items), where t has the degrees of freedom of
        `items` items (Bloom, *Minimum Detectable Effects*, Evaluation Review 1995).

        Args:
            confidence: 1 minus the error probability of the test, such as 0.95.
            power: the probability that the test finds the difference significant, such as 0.8.
            items: the number of items; by default the number of this inference.
            sides: the number of sides of the test, 1 or 2.

        Returns:
            The difference, in the unit of the value.
        """
        if not self.laws:
            return math.nan
        items = self.n if items is None else items
        freedom = max(1.0, (min(law.freedom for law in self.laws) + 1) * items / self.n - 1)
        t = student_quantile(1 - (1 - confidence) / sides, freedom) + student_quantile(power, freedom)
        return t * self.error * math.sqrt(self.n / items)

    def needed(self, confidence: float, power: float, size: float, sides: int = 2) -> float:
        """Return the number of items with which a difference is found significant, if groups stay as large as they are.

        With `sides` 1, the same number of items shows that two equal systems differ by less than `size`.

        Args:
            confidence: 1 minus the error probability of the test, such as 0.95.
            power: the probability that the test finds the difference significant, such as 0.8.
            size: the difference, in the unit of the value.
            sides: the number of sides of the test, 1 or 2.

        Returns:
            The least number of items for which `detectable` is at most the size; infinite for a size of 0; NaN without
            laws.
        """
        if not self.laws:
            return math.nan
        size = abs(size)
        normal = NormalDist()
        z = max(0.0, normal.inv_cdf(1 - (1 - confidence) / sides) + normal.inv_cdf(power))
        ratio = z * self.error / size if size else math.inf
        if not self.n * ratio * ratio < sys.maxsize:
            return math.inf
        # Student's quantiles are above the normal ones, so at least so many are needed; with more items they are
        # smaller, so at most so many as this number of items asks for.
        least = max(2, math.ceil(self.n * ratio * ratio))
        shown = self.detectable(confidence, power, least, sides)
        if shown <= size:
            return float(least)
        most = math.ceil(least * (shown / size) ** 2) + 1
        while most - least > 1:
            middle = (least + most) // 2
            enough = self.detectable(confidence, power, middle, sides) <= size
            least, most = (least, middle) if enough else (middle, most)
        return float(most)


def mean_of(
    values: Float,
    limits: Limits = UNLIMITED,
    clusters: Integers | None = None,
    *,
    magnitude: float | None = None,
    ends: bool = False,
) -> Inference:
    """Return the mean of values, with the interval and tests for the mean of the population that they come from.

    Args:
        values: [n], without NaN. With an infinite value there are no laws.
        limits: the least and the greatest possible value. Values that are all equal to one of the two are taken for yes
            and no; differences (limits -d and d) may also be 0.
        clusters: the number of each value's group: [n]; None if the values are independent.
        magnitude: for differences, the magnitude of the numbers that were subtracted; by default the largest absolute
            value. Values are alike if they differ little in comparison with it. On a side without a limit, it is the
            distance of the end of the scale.
        ends: whether the values are yes and no, or means of several raters' yes and no. Then the two ends of the scale
            are always added.

    Returns:
        The mean, with its intervals and tests.
    """
    n = len(values)
    value = float(values.mean()) if n else math.nan
    if n and (values == values[0]).all():
        value = float(values[0])  # a mean of equal values differs from them in its last digit
    if magnitude is None:
        magnitude = float(np.abs(values).max(initial=0.0)) if np.isfinite(values).all() else math.nan
    yes_no = _yes_no(values, limits)
    share = None
    if yes_no and limits[0] != -limits[1]:
        share = Share((value - limits[0]) / (limits[1] - limits[0]), n, limits)
    return _inference(value, values, clusters, _Kind(limits, magnitude, ends or yes_no), items=share)


def chance_of(values: Float, variance: float, clusters: Integers | None = None) -> Inference:
    """Return the mean of estimated probabilities, one for each item, with its interval and tests.

    The interval is Wilson's, for the number of yes and no values that would have the variance of the mean, with
    Student's quantile (Korn and Graubard 1998 do the same for surveys). If only rare items have a large probability, a
    small sample often has none of them, and then its probabilities vary less than those of all items. So a least
    variance is given, which follows from other facts about the items.

    Args:
        values: the estimated probability of each item: [n], from 0 to 1.
        variance: the least variance of one value.
        clusters: the number of each item's group: [n]; None if the items are independent.

    Returns:
        The mean, with its intervals and tests. Values that are all 0 or 1 are treated as yes and no (`mean_of`).
    """
    n = len(values)
    if n < 2 or _yes_no(values, (0.0, 1.0)):
        return mean_of(values, (0.0, 1.0), clusters)
    value = float(values.mean())
    spread = max(float(values.var(ddof=1)), variance)
    items = n * max(1.0, value * (1 - value) / spread) if spread > 0 else float(n)
    share = Share(value, items, (0.0, 1.0), n - 1.0)
    return _inference(value, values, clusters, _Kind((0.0, 1.0), 1.0, False), items=share)


def statistic_of(
    counts: Float,
    formula: Callable[[Float], Float],
    limits: Limits = UNLIMITED,
    clusters: Integers | None = None,
    *,
    magnitude: float | None = None,
    alike: Mask | None = None,
) -> Inference:
    """Return a number that is computed from summed counts of all items, such as corpus BLEU, with interval and tests.

    By the jackknife, the value of an item is n times the number computed from all items, less n - 1 times the number
    computed without this item (Tukey 1958). These values are then treated as in `mean_of`.

    Args:
        counts: the counts of each item: [n, counts].
        formula: the function from summed counts to the number: [..., counts] -> [...].
        limits: the least and the greatest possible number.
        clusters: the number of each item's group: [n]; None if the items are independent.
        magnitude: for a difference, the magnitude of the numbers that were subtracted; by default the number's own.
        alike: the items that cannot change the number: [n]. For a difference of two systems, these are the items whose
            two outputs are equal.

    Returns:
        The number computed from all items, with its intervals and tests.
    """
    n, total = len(counts), counts.sum(0)
    value = float(formula(total)) if n else math.nan
    pseudo = np.full(n, math.nan)
    if n > 1 and math.isfinite(value):
        pseudo = n * value - (n - 1) * formula(total - counts)
        pseudo += value - pseudo.mean()
    if alike is not None:
        pseudo[alike] = pseudo[alike].mean() if alike.any() else 0.0
    kind = _Kind(limits, abs(value) if magnitude is None else magnitude, False)
    return _inference(value, pseudo, clusters, kind, formula=formula, counts=counts)


def two_more(values: Float, limits: Limits, *, ends: bool) -> tuple[float, float] | None:
    """Return the two values that are added to values [n] of independent items; None if less than half are alike.

    Args:
        values: [n].
        limits: the least and the greatest possible value.
        ends: whether the two ends of the scale are always added, as for yes and no.

    Returns:
        The lower and the higher added value, or None.
    """
    return _Kind(limits, float(np.abs(values).max(initial=0.0)), ends).added(values, np.ones(len(values)))


class _Kind(NamedTuple):
    """The scale of values: its limits, the magnitude of the values, and whether its ends are always added."""

    limits: Limits
    magnitude: float
    ends: bool

    def added(self, values: Float, weights: Float) -> tuple[float, float] | None:
        """Return the two values that are added to others; None if less than half of the values are alike.

        The ends of the scale are always added to yes and no, so that more errors do not make an interval shorter.

        Args:
            values: [n].
            weights: the number of items of each value: [n].

        Returns:
            The lower and the higher added value, or None.
        """
        if self.ends:
            return self.limits
        common = _common(values, ALIKE * self.magnitude)
        if common is None:
            return None
        made = []
        for side, limit in ((-1, self.limits[0]), (1, self.limits[1])):
            away = side * (values - common)
            seen = away > ALIKE * self.magnitude
            end = side * (limit - common)
            if math.isinf(end):
                end = max(float(np.abs(values - common).max()), self.magnitude)
            squares = np.append(away[seen], max(end, 0.0)) ** 2
            distance = math.sqrt(float(np.average(squares, weights=np.append(weights[seen], weights.mean()))))
            made.append(common + side * distance)
        return made[0], made[1]


def _yes_no(values: Float, limits: Limits) -> bool:
    """Return whether all values are at an end of their scale. Differences may also be 0, the middle of theirs."""
    if not np.isfinite(limits).all() or not len(values):
        return False
    return bool(np.isin(values, (*limits, 0.0) if limits[0] == -limits[1] else limits).all())


def _common(values: Float, tolerance: float) -> float | None:
    """Return the value that at least half of the values have within a tolerance; None if there is none, or two."""
    ordered = np.sort(values)
    counts = np.searchsorted(ordered, ordered + tolerance, "right") - np.arange(len(ordered))
    most = int(counts.max())
    first, last = np.flatnonzero(counts == most)[[0, -1]].tolist()
    low, high = (float(ordered[at : at + most].mean()) for at in (first, last))
    return (low + high) / 2 if 2 * most >= len(ordered) and high - low <= tolerance else None


def _inference(
    value: float,
    values: Float,
    clusters: Integers | None,
    kind: _Kind,
    *,
    items: Law | None = None,
    formula: Callable[[Float], Float] | None = None,
    counts: Float | None = None,
) -> Inference:
    """Return the inference of a number, with a law for its groups and a law for its items.

    Args:
        value: the number.
        values: the value of each item: [n].
        clusters: the number of each item's group: [n]; None if the items are independent.
        kind: the scale of the values.
        items: the law of the items without groups, if it is known; by default Student's t.
        formula: with `counts`, the function that computes the number from summed counts.
        counts: the counts of each item: [n, counts].

    Returns:
        The inference; without laws if there are too few groups, no spread, or a value that is not finite.
    """
    n = len(values)
    sizes = np.ones(n)
    if clusters is not None:
        of = np.unique(clusters, return_inverse=True)[1]
        sizes = np.bincount(of).astype(float)
        clusters = None if len(sizes) == n else of
    effective = effective_groups(sizes)
    made = Inference(value, n, len(sizes), effective, limits=kind.limits)
    if len(sizes) < 2 or not effective >= FEWEST or not np.isfinite(values).all():
        return made
    items = items or _student(values, np.ones(n), kind)
    if clusters is None:
        laws = [items]
    else:
        sums = np.bincount(clusters, values).astype(float)
        if formula is not None and counts is not None:
            whole = np.stack([np.bincount(clusters, column) for column in counts.T], 1)
            sums = n * value - (n - sizes) * formula(counts.sum(0) - whole)
            sums += (n * value - sums.sum()) / n * sizes
        if not np.isfinite(sums).all():
            return made
        laws = [_student(sums, sizes, kind), items]
    return (
        Inference(
            value=value,
            n=n,
            groups=len(sizes),
            effective=effective,
            laws=tuple(law for law in laws if law is not None),
            limits=kind.limits,
        )
        if all(law is not None for law in laws)
        else made
    )


def _student(sums: Float, sizes: Float, kind: _Kind) -> Student | None:
    """Return Student's t of the mean of groups, from their sums and sizes, both [groups]; None without any spread.

    Groups of unequal size have at most the degrees of freedom of `tail_freedom`, because large groups may differ from
    the others. The two added groups were not seen, so they are left out of `tail_freedom`, and each of them adds one
    degree of freedom.
    """
    seen = len(sizes)
    added = kind.added(sums / sizes, sizes)
    if added is not None:
        size = float(sizes.mean())
        sums, sizes = np.append(sums, np.multiply(added, size)), np.append(sizes, (size, size))
    total, items, groups = float(sums.sum()), float(sizes.sum()), len(sizes)
    centre = total / items
    without = (total - sums) / (items - sizes) - centre
    error = math.sqrt((groups - 1) / groups * float(without @ without))
    if not error > 1e-12 * kind.magnitude:
        return None
    freedom = effective_groups(sizes) - 1
    if np.ptp(sizes) > 0:
        freedom = min(freedom, tail_freedom(without[:seen]) + groups - seen)
    return Student(centre, error, max(1.0, freedom))


def tail_freedom(influence: Float) -> float:
    """Return the degrees of freedom of a variance that is estimated as the sum of squared influences.

    They are 2 / (sum phi^4 / (sum phi^2)^2 - 1 / groups) for influences phi, from the variance of a sum of squares
    (Satterthwaite 1946).

    Args:
        influence: the influence of each group on the estimate: [groups].

    Returns:
        The degrees of freedom, at least 1: about the number of groups for normal values, and fewer if a few rare values
        make up most of the variance. For influences that are all alike they are practically infinite.
    """
    squares = influence**2
    noise = float(squares @ squares) / (float(squares.sum()) ** 2 or math.inf) - 1 / len(influence)
    return max(1.0, 2 / noise) if 2 / sys.maxsize < noise else float(sys.maxsize)
