"""Intervals and tests of means, shares and differences: one function gives both, so that they cannot disagree.

An estimated variance near 0 is not certainty: twelve equal values do not say that a thirteenth is equal. So where at
least half of the values are alike, two more values are added, one on each side of the common value. Each is as far from
it as the root mean square of the values seen on that side and of the end of the scale, so that seen values do not say
at once that there are no others: four small losses may hide a large one that was not drawn. Where the scale has no end,
it is taken to be as far away as the values are large, or as the furthest value if that is further. Yes and no always
have them, at both ends. Student's t of all these values is the interval, and the same Student's t is the test. For
values of which a scale has two ends alone (yes and no, and their differences) this is the adjusted interval of Agresti
and Coull (1998) and of Bonett and Price (2012); an independent share has Wilson's interval (1927), whose test is the
score test, and the exact one (Clopper and Pearson 1934) where all values are at an end.

Groups of values (clusters) are not independent: the error is that of a jackknife that leaves each group out once (CR3
of Bell and McCaffrey 2002), with the degrees of freedom of Satterthwaite, and the two more values are two more groups
of mean size. The interval is the union of this one and of the one without groups, so that groups never make it shorter.

What this assumes: values (groups) are drawn independently from those that the question is about. Where they are very
skewed, as lognormal values are, or where larger groups differ from smaller ones, the interval covers too seldom
(docs/statistics.md has the figures). Tests hold what is always so, and it stops here:

- One more error among independent yes and no never makes the interval shorter, up to half of them and from four on. In
  groups it may, where errors come to be spread evenly, because such groups differ less; but it is then still longer
  than without any error. A value on a side may too where it is nearer than the end of the scale.
- The same items twice never make it longer, but for single yes and no that become pairs: Wilson's interval has the
  normal quantile, and groups have Student's.
- A constant that is added to values without limits shifts the interval where less than half are alike. Where more are,
  their magnitude stands for the end of the scale, and the constant is a part of it.
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
"""The least and the greatest value that there can be; infinite where there is no such value"""

UNLIMITED: Limits = (-math.inf, math.inf)
ALIKE = 1e-5
"""Values are alike that differ by less than this share of their magnitude: a model's score of a text differs in its
sixth digit from batch to batch"""
FEWEST = 2.0
"""Below this effective number of groups there is neither interval nor test: almost all values are of one group"""


class Measured(NamedTuple):
    """A number with its interval; NaN where there is none."""

    value: float = math.nan
    low: float = math.nan
    high: float = math.nan


NOTHING = Measured()
"""What stands where there is no number"""


class Student(NamedTuple):
    """Student's t around a centre."""

    centre: float
    error: float
    freedom: float

    def ends(self, level: float) -> tuple[float, float]:
        """Return the ends of the interval."""
        half = student_quantile((1 + level) / 2, self.freedom) * self.error
        return self.centre - half, self.centre + half

    def above(self, bound: float) -> float:
        """Return p of the test that the true value is not above a bound, one-sided."""
        return student_tail((self.centre - bound) / self.error, self.freedom)

    def below(self, bound: float) -> float:
        """Return p of the test that the true value is not below a bound, one-sided."""
        return student_tail((bound - self.centre) / self.error, self.freedom)


class Share(NamedTuple):
    """The score interval of a share of independent items, on the scale of its values."""

    share: float
    """From 0 to 1"""
    items: float
    """How many yes and no say as much"""
    limits: Limits
    seen: float = math.inf
    """The degrees of freedom of the variance that `items` was computed from; infinite where these are yes and no"""

    @property
    def centre(self) -> float:
        """The share with one more item of each kind, on the scale: the spread of raters lies around it."""
        return self._placed((self.share * self.items + 1) / (self.items + 2))

    @property
    def error(self) -> float:
        """The standard error, with one more item of each kind."""
        share = (self.share * self.items + 1) / (self.items + 2)
        return math.sqrt(share * (1 - share) / (self.items + 1)) * (self.limits[1] - self.limits[0])

    @property
    def freedom(self) -> float:
        return min(self.seen, self.items + 1.0)

    def ends(self, level: float) -> tuple[float, float]:
        """Return the ends of Wilson's interval; of the exact one where the share is 0 or 1."""
        low, high = share_interval(self.share, self.items, level, self.seen)
        return self._placed(low), self._placed(high)

    def above(self, bound: float) -> float:
        """Return p of the test that the true value is not above a bound, one-sided."""
        return self._p(bound, 1)

    def below(self, bound: float) -> float:
        """Return p of the test that the true value is not below a bound, one-sided."""
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
    """What n values say of their mean, or of another number: its interval, its tests, and what more values would say.

    Without `laws` nothing can be said beyond the number itself.
    """

    value: float
    n: int
    groups: int = 0
    """How many groups (clusters) the values are of; n where there are none"""
    effective: float = math.nan
    """How many groups of equal size say as much; below `FEWEST` nothing can be said"""
    laws: tuple[Law, ...] = ()
    """The interval is the union of theirs, and p the largest of theirs"""
    limits: Limits = UNLIMITED

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the ends of the interval, which lie within the limits; NaN where nothing can be said."""
        if not self.laws:
            return math.nan, math.nan
        low, high = zip(*(law.ends(level) for law in self.laws), strict=True)
        return max(self.limits[0], min(*low, self.value)), min(self.limits[1], max(*high, self.value))

    def measured(self, level: float = 0.95) -> Measured:
        """Return the value with its interval."""
        return Measured(self.value, *self.interval(level))

    def above(self, bound: float = 0.0) -> float:
        """Return p of the test that the true value is not above a bound, one-sided.

        Args:
            bound: the bound, in the unit of the value.

        Returns:
            p. It is below (1 - level) / 2 where the bound is below the interval of this level, and nowhere else: so it
            is 0 where the bound is below the limits, and at least a half where the value itself is not above the bound.
        """
        return self._beyond(bound < self.limits[0], self.value > bound, [law.above(bound) for law in self.laws])

    def below(self, bound: float = 0.0) -> float:
        """Return p of the test that the true value is not below a bound, one-sided, as `above`."""
        return self._beyond(bound > self.limits[1], self.value < bound, [law.below(bound) for law in self.laws])

    @staticmethod
    def _beyond(certain: bool, seen: bool, p: list[float]) -> float:
        if not p:
            return math.nan
        return 0.0 if certain else max(0.0 if seen else 0.5, *p)

    def p(self, bound: float = 0.0) -> float:
        """Return p of the two-sided test that the true value is the bound.

        Args:
            bound: the bound, in the unit of the value.

        Returns:
            p. It is below 1 - level where the interval of this level does not hold the bound, and nowhere else.
        """
        return min(1.0, 2 * min(self.above(bound), self.below(bound))) if self.laws else math.nan

    @property
    def error(self) -> float:
        """The standard error, the two more values included."""
        return max((law.error for law in self.laws), default=math.nan)

    def detectable(self, confidence: float, power: float, items: float | None = None, sides: int = 2) -> float:
        """Return the smallest true difference that so many items show with the wanted power.

        (t_{1 - (1 - confidence) / sides} + t_power) error sqrt(n / items), t with the degrees of freedom of so many
        items (Bloom, *Minimum Detectable Effects*, Evaluation Review 1995).

        Args:
            confidence: 1 minus the error probability of the test, such as 0.95.
            power: the probability that the test shows the difference, such as 0.8.
            items: how many items, by default those of this inference.
            sides: of the test, 1 or 2.

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
        """Return how many items, in groups as large as these, show a difference of a size with the wanted power.

        With one side it is the number of items by which two equal systems are shown to differ by less than the size.

        Args:
            confidence: 1 minus the error probability of the test, such as 0.95.
            power: the probability that the test shows the difference, such as 0.8.
            size: the difference, in the unit of the value.
            sides: of the test, 1 or 2.

        Returns:
            The least number of items for which `detectable` is at most the size; infinite for a size of 0.
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
    """Return what values say of the mean of all values like them.

    Args:
        values: [n], none of them NaN; with an infinite one nothing can be said.
        limits: the least and the greatest value that there can be. Values that are all at one of the two, or for
            differences (limits -d and d) also 0, are yes and no.
        clusters: the number of each value's group [n].
        magnitude: how large the numbers are that the values were made of, where the values are differences; by default
            the largest value. Beside it values are alike, and on a side without a limit it stands for the distance of
            the end of the scale.
        ends: whether the values are yes and no, or means of several raters' yes and no, so that the two more values
            are always at the ends of the scale.

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
    """Return what estimates of a chance, one of each item, say of its mean over all items like them.

    It is Wilson's interval of as many yes and no as have the variance of the mean, with Student's quantile (Korn and
    Graubard 1998 do the same for surveys). Few items seldom hold the rare ones on which a chance is large, and then
    differ less than all items do. So the variance is not taken to be smaller than another one, which is known of them.

    Args:
        values: [n], from 0 to 1.
        variance: that of one value, as it follows from what else is known of the items.
        clusters: the number of each item's group [n].

    Returns:
        The mean, with its intervals and tests. Values that are all 0 or 1 are an ordinary share.
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
    """Return what items say of a number that is no mean of theirs, but computed from their summed counts (corpus BLEU).

    By the jackknife: n times the number, less n - 1 times the number without an item, takes the place of the item's
    value (Tukey 1958), and the rest is as for a mean.

    Args:
        counts: [n, counts].
        formula: the number of summed counts, [..., counts] -> [...].
        limits: the least and the greatest number that there can be.
        clusters: the number of each item's group [n].
        magnitude: how large the numbers are that this one was made of, where it is a difference; by default itself.
        alike: which items do not make the number larger or smaller [n], as items whose two outputs are equal do not
            move a difference.

    Returns:
        The number of all items, with its intervals and tests.
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
    """Return the two values that stand beside single values [n]; None where less than half of them are alike."""
    return _Kind(limits, float(np.abs(values).max(initial=0.0)), ends).added(values, np.ones(len(values)))


class _Kind(NamedTuple):
    """What is known of values before they are seen."""

    limits: Limits
    magnitude: float
    ends: bool

    def added(self, values: Float, weights: Float) -> tuple[float, float] | None:
        """Return the two more values; None where less than half of the values are alike.

        Values of yes and no always have them, so that more errors do not make an interval shorter.

        weights: the number of items behind each value.
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
    """Return whether values are all at an end of their scale; differences also in its middle."""
    if not np.isfinite(limits).all() or not len(values):
        return False
    return bool(np.isin(values, (*limits, 0.0) if limits[0] == -limits[1] else limits).all())


def _common(values: Float, tolerance: float) -> float | None:
    """Return the value that at least half of the values have, to a tolerance; None where two values halve them."""
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
    """Return the laws of values, one of which, `items`, may be known: that of the values without their groups."""
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
    """Return Student's t of the mean of groups, from the sum and the number of their values; None without any spread.

    Groups of unequal size have no more degrees of freedom than the tails of their influence leave, because large groups
    may differ from the others. The two more groups add a degree each, and no tail: nobody saw them.
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
    """Return how well the squares of the influence say what the variance is, as degrees of freedom.

    2 / (sum phi^4 / (sum phi^2)^2 - 1 / groups), from the variance of a sum of squares (Satterthwaite 1946).

    Args:
        influence: of each group on the estimate: [groups].

    Returns:
        The degrees of freedom: the number of groups for normal values, and less where a few rare values make up the
        variance. Influences that are all alike, as those of equal values are, do not say that any is rare.
    """
    squares = influence**2
    noise = float(squares @ squares) / (float(squares.sum()) ** 2 or math.inf) - 1 / len(influence)
    return max(1.0, 2 / noise) if 2 / sys.maxsize < noise else float(sys.maxsize)
