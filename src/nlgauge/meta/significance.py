"""How sure a correlation, a difference of two correlations or of two systems is: resampling, tests, corrections.

Tables are [items, systems], as in `nlgauge.meta.correlation`. All random draws come from a seed and the table's shape
alone, so that a number does not depend on what else was asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.errors import InputError
from nlgauge.meta.correlation import Codes, Coefficient, Float, Values, dense, means, measured, prepared

RESAMPLED = ("both", "items", "systems")
Draw = NDArray[np.int64]
_AT_ONCE = 2_000_000
"""Cells of the tables that are drawn at a time"""


# ---- Resampling of tables


def drawn(shape: tuple[int, int], replicates: int, seed: int, resample: str = "both") -> Iterator[tuple[Draw, Draw]]:
    """Items and systems drawn with replacement: (items [r, items], systems [r, systems]), `replicates` in all.

    What is not resampled is there once each. 'both' is Boot-Both of Deutsch, Dror and Roth 2021: it asks what other
    texts and other systems would have given.
    """
    yield from _chunks(shape, replicates, [seed, *shape, 0], [resample != "systems", resample != "items"], replace=True)


def permuted(shape: tuple[int, int], replicates: int, seed: int) -> Iterator[tuple[Draw, Draw]]:
    """Items and systems in another order each, as `drawn` gives them."""
    yield from _chunks(shape, replicates, [seed, *shape, 1], [True, True], replace=False)


def _chunks(
    shape: tuple[int, int], replicates: int, seed: list[int], changed: Sequence[bool], replace: bool
) -> Iterator[tuple[Draw, Draw]]:
    generator = np.random.default_rng(seed)
    size = max(1, _AT_ONCE // max(1, shape[0] * shape[1]))
    for start in range(0, replicates, size):
        count = min(size, replicates - start)
        indices = []
        for n, change in zip(shape, changed, strict=True):
            index = np.broadcast_to(np.arange(n), (count, n))
            if change:
                index = generator.integers(0, n, (count, n)) if replace else generator.permuted(index, axis=1)
            indices.append(index)
        yield indices[0], indices[1]


def _at(x: Values, items: Draw, systems: Draw) -> Values:
    return x[items[:, :, None], systems[:, None, :]]


def _copies(items: Draw, systems: Draw, level: str, columns: int) -> Codes:
    """Equal numbers for cells, or systems, that were drawn twice and can meet in a pair."""
    if level == "pooled":
        return (items[:, :, None] * columns + systems[:, None, :]).astype(np.int32)
    if level == "system":
        return systems.astype(np.int32)
    return np.broadcast_to(systems[:, None, :], (*items.shape, systems.shape[1])).astype(np.int32)


def bootstrap(
    x: Float, y: Float, kind: Coefficient, level: str, *, resample: str = "both", replicates: int = 1000, seed: int = 0
) -> Float:
    """The coefficient of resampled tables: [replicates], NaN where a resample has none.

    A cell that is drawn twice makes no pair with itself, so that accuracies do not rise with the number of copies.
    """
    a, b = prepared(x, kind, level), prepared(y, kind, level)
    found = [np.empty(0)]
    for items, systems in drawn((len(x), x.shape[1]), replicates, seed, resample):
        copies = _copies(items, systems, level, x.shape[1]) if kind.counts_copies else None
        found.append(measured(_at(a, items, systems), _at(b, items, systems), kind, level, copies))
    return np.concatenate(found)


def interval(values: Float, confidence: float = 0.95) -> tuple[float, float]:
    """The middle `confidence` of bootstrap values (percentile method); NaN where less than half of them are defined."""
    values = values[~np.isnan(values)] if 2 * np.isnan(values).sum() <= len(values) else values[:0]
    if not len(values):
        return math.nan, math.nan
    low, high = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def crossed(x: Float, y: Float) -> bool:
    """Whether at least half of the cells have both, so that whole items and whole systems can change place."""
    known = ~(np.isnan(x) | np.isnan(y))
    return bool(2 * known.sum() >= known.size)


def shuffled(x: Float, y: Float, kind: Coefficient, level: str, *, replicates: int = 1000, seed: int = 0) -> Float:
    """The coefficient where metric and people have nothing to do with each other: [replicates].

    Items and systems of the metric's table change place as wholes, so that what outputs of one system, or of one item,
    have in common stays in common: shuffled one by one, outputs would look like far more evidence than they are. At
    system level the systems' means change place. Where items and systems are not `crossed`, rows are shuffled one by
    one at pooled level; an item has then nothing to be exchanged with, and at item level all is NaN.
    """
    if level == "system":
        x, y = (a[None] for a in means(x, y))
        known = ~(np.isnan(x) | np.isnan(y))
        x, y, level = x[known][None], y[known][None], "pooled"
    elif not crossed(x, y):
        if level == "item":
            return np.full(replicates, np.nan)
        known = ~(np.isnan(x) | np.isnan(y))
        x, y = x[known][None], y[known][None]
    a, b = prepared(x, kind, level), prepared(y, kind, level)
    shape = (len(x), x.shape[1])
    found = [np.empty(0)]
    for items, systems in permuted(shape, replicates, seed):
        found.append(measured(_at(a, items, systems), np.broadcast_to(b, (len(items), *shape)), kind, level))
    return np.concatenate(found)


def p_value(value: float, null: Float, chance: float | None = 0.0) -> float:
    """Share of `null` (and the value itself, so that it is never 0) at least as far from `chance`, on either side.

    Without a chance level, as accuracies have none that is known, the share at least as large: one-sided. NaN where
    the value is, or less than half of the null values are defined.
    """
    null = null[~np.isnan(null)] if 2 * np.isnan(null).sum() <= len(null) else null[:0]
    if math.isnan(value) or not len(null):
        return math.nan
    far = null - value if chance is None else np.abs(null - chance) - abs(value - chance)
    return float((1 + (far >= -1e-12).sum()) / (1 + len(null)))


# ---- Two metrics against the same ratings


def exchanged(
    x: Float, other: Float, y: Float, kind: Coefficient, level: str, *, replicates: int = 1000, seed: int = 0
) -> tuple[float, float]:
    """(difference of the two metrics' correlations with people, two-sided p that it is 0).

    Perm-Both of Deutsch, Dror and Roth 2021: both metrics are brought to mean 0 and variance 1 over the cells that all
    three have, and exchanged in every cell with probability 1/2.
    """
    known = ~(np.isnan(x) | np.isnan(other) | np.isnan(y))
    y = np.where(known, y, np.nan)
    pair: Values = np.stack(
        [np.where(known, _standardised(a, known), np.nan) for a in (x, other)], axis=-1
    )  # [N, S, 2]
    rows, columns = known.shape
    if kind.by_order and level != "system":
        # One scale of codes for both, because their cells change place.
        flat = pair.reshape(1, -1) if level == "pooled" else pair.reshape(rows, -1)
        pair = dense(flat).reshape(pair.shape)
    b = prepared(y, kind, level)

    def differences(swap: NDArray[np.bool_]) -> Float:
        rated = np.broadcast_to(b, swap.shape)
        one, two = (measured(np.where(s, pair[..., 1], pair[..., 0]), rated, kind, level) for s in (swap, ~swap))
        return one - two

    observed = float(differences(np.zeros((1, rows, columns), bool))[0])
    generator = np.random.default_rng([seed, rows, columns, 2])
    size = max(1, _AT_ONCE // max(1, rows * columns))
    null = [np.empty(0)]
    for start in range(0, replicates, size):
        null.append(differences(generator.random((min(size, replicates - start), rows, columns)) < 0.5))
    return observed, p_value(observed, np.concatenate(null))


def _standardised(x: Float, known: NDArray[np.bool_]) -> Float:
    values = x[known]
    spread = values.std() if len(values) else 0.0
    return (x - values.mean()) / spread if spread > 0 else x


class Williams(NamedTuple):
    """Williams' test: t, its degrees of freedom, and one-sided p that the first metric is the better one."""

    t: float
    df: int
    p: float

    @property
    def two_sided(self) -> float:
        """p that the two differ."""
        return 2 * min(self.p, 1 - self.p)


def williams(r12: float, r13: float, r23: float, n: int, df: str = "n-3") -> Williams:
    """Is r12 larger than r13, Pearson correlations of two metrics with the same ratings over n points? r23: of the two.

    K = 1 - r12^2 - r13^2 - r23^2 + 2 r12 r13 r23,
    t = (r12 - r13) sqrt((n - 1) (1 + r23) / (2 K (n - 1) / (n - 3) + (r12 + r13)^2 / 4 (1 - r23)^3)):
    Williams 1959; Steiger, *Tests for comparing elements of a correlation matrix*, 1980, equation 7, with n - 3 degrees
    of freedom; `df="n-2"` gives the number that R's psych::r.test prints. Two metrics that are one get p = 0.5.
    Raises InputError where n < 4 or where no three variables have these correlations; NaN in, NaN out.
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


def student_tail(t: float, df: float) -> float:
    """P(T > t) of Student's t with df degrees of freedom: half of I_x(df / 2, 1 / 2) with x = df / (df + t^2)."""
    if math.isinf(t):
        return 0.0 if t > 0 else 1.0
    half = _incomplete_beta(df / 2, 0.5, df / (df + t * t), t * t / (df + t * t)) / 2
    return half if t >= 0 else 1 - half


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """I_x(a, b), rest = 1 - x given apart for its digits; Lentz's way through the continued fraction (DLMF 8.17.22)."""
    if x <= 0 or rest <= 0:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, rest, x)
    tiny = 1e-300
    c, d = 1.0, 1 / ((1 - (a + b) * x / (a + 1)) or tiny)
    fraction = d
    for m in range(1, 1000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            c, d = (1 + numerator / c) or tiny, 1 / ((1 + numerator * d) or tiny)
            fraction *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    log_front = a * math.log(x) + b * math.log(rest) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return math.exp(log_front) * fraction / a


# ---- Several tests at once


def holm(p: Sequence[float]) -> Float:
    """p-values adjusted so that the chance of any false finding stays below the level (Holm 1979). NaN stays NaN."""
    values, order = _ranked(p)
    factor = len(order) - np.arange(len(order))
    return _placed(values, order, np.maximum.accumulate(values[order] * factor))


def benjamini_hochberg(p: Sequence[float]) -> Float:
    """p-values adjusted so that the share of false findings among the findings stays below the level (1995)."""
    values, order = _ranked(p)
    factor = len(order) / (1 + np.arange(len(order)))
    return _placed(values, order, np.minimum.accumulate((values[order] * factor)[::-1])[::-1])


def _ranked(p: Sequence[float]) -> tuple[Float, Draw]:
    values = np.asarray(p, float)
    known = np.flatnonzero(~np.isnan(values))
    return values, known[np.argsort(values[known], kind="stable")]


def _placed(values: Float, order: Draw, adjusted: Float) -> Float:
    out = values.copy()
    out[order] = np.minimum(adjusted, 1)
    return out


CORRECTIONS = {"holm": holm, "benjamini_hochberg": benjamini_hochberg}


def clusters(values: Sequence[float], different: NDArray[np.bool_]) -> list[int]:
    """The cluster of each metric, from 1: metrics of one cluster cannot be told apart.

    From the best value down, a new cluster begins where a metric differs (`different`, [metrics, metrics]) from one of
    the cluster so far, as in the WMT metrics tasks. Metrics without a value come last, in a cluster of their own.
    """
    order = sorted(range(len(values)), key=lambda i: (math.isnan(values[i]), -values[i], i))
    out, members = [0] * len(values), list[int]()
    for i in order:
        alone = math.isnan(values[i]) and not all(math.isnan(values[j]) for j in members)
        if not members or alone or any(different[i, j] for j in members):
            cluster = max(out) + 1
            members = []
        members.append(i)
        out[i] = cluster
    return out


# ---- Two systems on the same items


class Paired(NamedTuple):
    """A mean difference over n items: its interval, its p-value, its size, and how many items would tell."""

    n: int
    difference: float = math.nan
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    effect: float = math.nan
    """Cohen's d of paired values: the mean difference in standard deviations of the differences"""
    needed: float = math.nan
    """Items at which a difference of this size is found with the wanted power"""


def paired(
    differences: Float, *, confidence: float = 0.95, replicates: int = 1000, seed: int = 0, power: float = 0.8
) -> Paired:
    """What the differences [n] of two systems on the same items tell; NaN are left out.

    Interval: percentile bootstrap of the mean. p, two-sided: approximate randomisation, the systems exchanged at random
    within items (Noreen 1989). needed: by normal approximation n = ((z_{(1 + confidence) / 2} + z_power) / effect)^2,
    which is a few items too few where it is small; infinite where there is no difference of the means.
    """
    values = differences[~np.isnan(differences)]
    n = len(values)
    if n < 2 or not np.isfinite(values).all():
        with np.errstate(invalid="ignore"):
            return Paired(n, float(values.mean())) if n else Paired(0)
    mean, spread, scale = float(values.mean()), float(values.std(ddof=1)), float(np.abs(values).mean())
    generator = np.random.default_rng([seed, n])
    size = max(1, _AT_ONCE // n)
    means, null = [np.empty(0)], [np.empty(0)]
    for start in range(0, replicates, size):
        count = min(size, replicates - start)
        means.append(values[generator.integers(0, n, (count, n))].mean(1))
        null.append((generator.choice([-1.0, 1.0], (count, n)) * values).mean(1))
    low, high = interval(np.concatenate(means), confidence)
    # In units of the values, because p_value forgives rounding on a scale of 1.
    p = p_value(mean / (scale or 1), np.concatenate(null) / (scale or 1))
    if not scale:
        return Paired(n, mean, low, high, p)
    effect = mean / spread if spread > 1e-12 * scale else math.copysign(math.inf, mean)
    return Paired(n, mean, low, high, p, effect, _needed(effect, confidence, power))


def paired_totals(
    one: Float,
    other: Float,
    value: Callable[[Float], Float],
    *,
    confidence: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
    power: float = 0.8,
) -> Paired:
    """`paired`, of a value that is no mean but is computed from counts summed over the items, a corpus BLEU for one.

    one, other [items, counts]; value [..., counts] -> [...]. Items are drawn again, or exchanged, with their counts.
    The effect is the difference in standard deviations of one item: that of the resamples times sqrt(n).
    """
    n, totals = len(one), (one.sum(0), other.sum(0))
    first, second = (float(value(counts)) for counts in totals)
    difference = first - second if n else math.nan
    if n < 2 or not math.isfinite(difference):
        return Paired(n, difference)
    generator = np.random.default_rng([seed, n, 3])
    size = max(1, _AT_ONCE // n)
    again, null = [np.empty(0)], [np.empty(0)]
    for start in range(0, replicates, size):
        count = min(size, replicates - start)
        times = generator.multinomial(n, np.full(n, 1 / n), count).astype(float)
        again.append(value(times @ one) - value(times @ other))
        moved = generator.integers(0, 2, (count, n)).astype(float) @ (other - one)
        null.append(value(totals[0] + moved) - value(totals[1] - moved))
    drawn_again = np.concatenate(again)
    low, high = interval(drawn_again, confidence)
    # In units of the values, because p_value forgives rounding on a scale of 1.
    scale = max(abs(first), abs(second)) or 1.0
    p = p_value(difference / scale, np.concatenate(null) / scale)
    known = drawn_again[~np.isnan(drawn_again)]
    spread = float(known.std(ddof=1)) * math.sqrt(n) if len(known) > 1 else math.nan
    if not difference or math.isnan(spread):
        return Paired(n, difference, low, high, p)
    effect = difference / spread if spread > 1e-12 * scale else math.copysign(math.inf, difference)
    return Paired(n, difference, low, high, p, effect, _needed(effect, confidence, power))


def _needed(effect: float, confidence: float, power: float) -> float:
    z = NormalDist().inv_cdf((1 + confidence) / 2) + NormalDist().inv_cdf(power)
    return max(2.0, float(math.ceil((z / effect) ** 2))) if effect else math.inf
