"""Resampling of tables: bootstraps, and permutation tests of one metric, or of two with the same ratings.

Tables are [items, systems], as in `nlgauge.stats.correlation`. All random draws depend on a seed and the shape of the
table alone, so that a number does not depend on other results of the same call. If items belong to clusters [items],
whole clusters are resampled and permuted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np

from nlgauge.stats.arrays import Codes, Float, Integers, Mask, Values
from nlgauge.stats.by_sums import of_resamples, of_shuffles
from nlgauge.stats.coefficients import COEFFICIENTS, Coefficient, dense, direction, mean_known
from nlgauge.stats.correlation import means, measured, prepared, rounded

RESAMPLED = ("both", "items", "systems")
_CELLS_AT_ONCE = 2_000_000


def batches(replicates: int, cells: int) -> Iterator[int]:
    """Yield how many replicates to draw at a time, so that all their cells fit in memory.

    Args:
        replicates: the number of all replicates, which is the sum of the yielded numbers.
        cells: the number of cells of each replicate.

    Returns:
        The numbers of replicates.
    """
    size = max(1, _CELLS_AT_ONCE // max(1, cells))
    for start in range(0, replicates, size):
        yield min(size, replicates - start)


class _Members:
    """The items of each cluster, and the position of each item within its cluster."""

    def __init__(self, clusters: Integers) -> None:
        self.of = np.unique(clusters, return_inverse=True)[1]
        self.sizes = np.bincount(self.of)
        order = np.argsort(self.of, kind="stable")
        self.place = np.empty(len(order), int)
        self.place[order] = np.arange(len(order)) - np.repeat(np.cumsum(self.sizes) - self.sizes, self.sizes)
        self.items = np.full((len(self.sizes), int(self.sizes.max(initial=0))), -1)
        self.items[self.of, self.place] = np.arange(len(order))

    def drawn(self, generator: np.random.Generator, count: int) -> Integers:
        """Return the items of resampled clusters: [r, items]. Shorter draws are padded with -1."""
        picks = generator.integers(0, len(self.sizes), (count, len(self.sizes)))
        items = np.sort(self.items[picks].reshape(count, -1), axis=1)[:, ::-1]
        return items[:, : int((items >= 0).sum(1).max(initial=0))]

    def permuted(self, generator: np.random.Generator, count: int) -> Integers:
        """Return for each item the item that replaces it when clusters are permuted: [r, items].

        The items of the new cluster begin with a random one. A longer cluster is cut, and a shorter one is repeated;
        clusters of equal size are exchanged exactly.
        """
        order = generator.permuted(np.broadcast_to(np.arange(len(self.sizes)), (count, len(self.sizes))), axis=1)
        start = generator.integers(0, self.items.shape[1], order.shape)
        there = order[:, self.of]
        return np.asarray(self.items[there, (self.place + start[:, self.of]) % self.sizes[there]])


def drawn(
    shape: tuple[int, int], replicates: int, seed: int, resample: str = "both", clusters: Integers | None = None
) -> Iterator[tuple[Integers, Integers]]:
    """Yield items and systems that are drawn with replacement.

    Args:
        shape: the number of items and the number of systems in the table.
        replicates: the total number of draws.
        seed: the seed of the draws.
        resample: one of `RESAMPLED`. With 'items', each draw has all systems once, and with 'systems', all items once.
            'both' is Boot-Both of Deutsch, Dror and Roth 2021, which generalises to other texts and other systems.
        clusters: the number of each item's cluster: [items]. If given, whole clusters are drawn. If clusters differ in
            size, draws are padded with the item -1, which is no item.

    Returns:
        Batches of draws: their items [r, items] and their systems [r, systems].
    """
    members = None if clusters is None or resample == "systems" else _Members(clusters)
    generator = np.random.default_rng([seed, *shape, 0])
    for count in batches(replicates, shape[1] * (shape[0] if members is None else members.items.size)):
        items, systems = _in_order(shape, count)
        if members is not None:
            items = members.drawn(generator, count)
        elif resample != "systems":
            items = generator.integers(0, shape[0], items.shape)
        if resample != "items":
            systems = generator.integers(0, shape[1], systems.shape)
        yield items, systems


def permuted(
    shape: tuple[int, int], replicates: int, seed: int, clusters: Integers | None = None
) -> Iterator[tuple[Integers, Integers]]:
    """Yield random orders of all items and of all systems, in batches as of `drawn`."""
    members = None if clusters is None else _Members(clusters)
    generator = np.random.default_rng([seed, *shape, 1])
    for count in batches(replicates, shape[0] * shape[1]):
        items, systems = _in_order(shape, count)
        items = generator.permuted(items, axis=1) if members is None else members.permuted(generator, count)
        yield items, generator.permuted(systems, axis=1)


def _in_order(shape: tuple[int, int], count: int) -> tuple[Integers, Integers]:
    """Return the numbers of all items [count, items] and of all systems [count, systems], in order."""
    items, systems = (np.broadcast_to(np.arange(n), (count, n)) for n in shape)
    return items, systems


def cells_at(x: Values, items: Integers, systems: Integers) -> Values:
    """Return the drawn cells of a prepared table [items, systems], for r resamples: [r, items, systems]."""
    return x[items[:, :, None], systems[:, None, :]]


def _copies(items: Integers, systems: Integers, level: str, columns: int) -> Codes:
    """Return a number for each drawn cell (for each drawn system at system level), equal for copies within a sample.

    Args:
        items: the drawn items: [r, items].
        systems: the drawn systems: [r, systems].
        level: one of `nlgauge.stats.correlation.LEVELS`.
        columns: the number of systems in the table.
    """
    if level == "pooled":
        return (items[:, :, None] * columns + systems[:, None, :]).astype(np.int32)
    if level == "system":
        return systems.astype(np.int32)
    return np.broadcast_to(systems[:, None, :], (*items.shape, systems.shape[1])).astype(np.int32)


def bootstrap(
    x: Float,
    y: Float,
    kind: Coefficient,
    level: str,
    *,
    resample: str = "both",
    replicates: int = 1000,
    seed: int = 0,
    clusters: Integers | None = None,
) -> Float:
    """Return the coefficients of resampled tables.

    A cell that is drawn twice does not form a pair with its copy, so that accuracies do not rise with the number of
    copies.

    Args:
        x: the metric's table: [items, systems].
        y: the people's table: [items, systems].
        kind: the coefficient.
        level: one of `nlgauge.stats.correlation.LEVELS`.
        resample: as `drawn` takes it.
        replicates: the number of resampled tables.
        seed: the seed of the draws.
        clusters: the number of each item's cluster: [items]. If given, whole clusters are drawn.

    Returns:
        The coefficients: [replicates]. NaN where a resample has none, and if items are drawn from a single cluster.
    """
    shape = (len(x), x.shape[1])
    if clusters is not None and resample != "systems":
        if len(np.unique(clusters)) < 2:
            return np.full(replicates, np.nan)
        x, y = (np.concatenate([table, np.full((1, shape[1]), np.nan)]) for table in (x, y))
    values = [np.empty(0)]
    if of_draws := of_resamples(x, y, kind, level):
        draws = drawn(shape, replicates, seed=seed, resample=resample, clusters=clusters)
        return np.concatenate([*values, *(of_draws(items, systems) for items, systems in draws)])
    a, b = prepared(x, kind, level), prepared(y, kind, level)
    for items, systems in drawn(shape, replicates, seed=seed, resample=resample, clusters=clusters):
        copies = _copies(items, systems, level, x.shape[1]) if kind.counts_copies else None
        values.append(
            measured(cells_at(a, items, systems), cells_at(b, items, systems), kind=kind, level=level, ids=copies)
        )
    return np.concatenate(values)


def interval(values: Float, confidence: float = 0.95) -> tuple[float, float]:
    """Return the percentile interval of bootstrap values.

    Args:
        values: the values of `bootstrap`: [replicates].
        confidence: the share of the values that the interval holds.

    Returns:
        The ends of the interval. NaN where less than half of the values are defined, and where all are equal, because
        these tell nothing about the error.
    """
    values = values[~np.isnan(values)] if 2 * np.isnan(values).sum() <= len(values) else values[:0]
    if not len(values) or np.ptp(values) <= 1e-12:
        return math.nan, math.nan
    low, high = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def crossed(x: Float, y: Float) -> bool:
    """Return whether at least half of the cells have score and rating, so that whole items can be permuted."""
    valued = ~(np.isnan(x) | np.isnan(y))
    return bool(2 * valued.sum() >= valued.size)


def shuffled(
    x: Float,
    y: Float,
    kind: Coefficient,
    level: str,
    *,
    replicates: int = 1000,
    seed: int = 0,
    clusters: Integers | None = None,
) -> Float:
    """Return the coefficients of tables that are shuffled, so that metric and people are unrelated.

    Whole items and whole systems of the metric's table are permuted. So outputs of the same system, or for the same
    item, still have in common what they share. If outputs were shuffled one by one, they would look like far more
    evidence than they are. At system level the systems' means are permuted. Where items and systems are not `crossed`,
    single cells are shuffled at pooled level. At item level all values are then NaN, because an item has no complete
    item to be exchanged with.

    Args:
        x: the metric's table: [items, systems].
        y: the people's table: [items, systems].
        kind: the coefficient.
        level: one of `nlgauge.stats.correlation.LEVELS`.
        replicates: the number of shuffled tables.
        seed: the seed of the draws.
        clusters: the number of each item's cluster: [items]. If given, whole clusters are permuted.

    Returns:
        The coefficients: [replicates].
    """
    if level == "system":
        x, y = (a[None] for a in means(x, y))
        valued = ~(np.isnan(x) | np.isnan(y))
        x, y, level, clusters = x[valued][None], y[valued][None], "pooled", None
    elif not crossed(x, y):
        if level == "item":
            return np.full(replicates, np.nan)
        valued = ~(np.isnan(x) | np.isnan(y))
        clusters = None if clusters is None else clusters[np.nonzero(valued)[0]]
        # Rows change place along the axis of systems, and with their clusters along that of items.
        x, y = (a[valued][None] if clusters is None else a[valued][:, None] for a in (x, y))
    shape = (len(x), x.shape[1])
    values = [np.empty(0)]
    each_once = clusters is None or level == "item"
    if each_once and (of_draws := of_shuffles(x, y, kind, level)):
        draws = permuted(shape, replicates, seed, clusters)
        return np.concatenate([*values, *(of_draws(items, systems) for items, systems in draws)])
    a, b = prepared(x, kind, level), prepared(y, kind, level)
    for items, systems in permuted(shape, replicates, seed, clusters):
        values.append(measured(cells_at(a, items, systems), np.broadcast_to(b, (len(items), *shape)), kind, level))
    return np.concatenate(values)


def p_value(value: float, null: Float, chance: float | None = 0.0, rounding: float = 1e-12) -> float:
    """Return the share of null values at least as far from chance as a value, on either side.

    The tested value counts as one of the null values, so that the share is never 0.

    Args:
        value: the value that is tested.
        null: values under the null hypothesis: [replicates].
        chance: the value without any agreement. It is None where this depends on the data, as for accuracies. The
            result is then one-sided: the share of null values that are at least as large.
        rounding: a null value counts as at least as far if it is nearer by less than this, because sums in another
            order differ in their last digits.

    Returns:
        p; NaN where the value is NaN, or where less than half of the null values are defined.
    """
    null = null[~np.isnan(null)] if 2 * np.isnan(null).sum() <= len(null) else null[:0]
    if math.isnan(value) or not len(null):
        return math.nan
    far = null - value if chance is None else np.abs(null - chance) - abs(value - chance)
    return float((1 + (far >= -rounding).sum()) / (1 + len(null)))


STAGE, ENOUGH = 1000, 50
"""The number of draws of the first stage, and the number of draws as far as the value with which p is clearly large"""


def sequential_p(value: float, draw: Callable[[int], Float], replicates: int, rounding: float = 1e-12) -> float:
    """Return the `p_value` from random draws, which end early where it is clearly large.

    The draws come in stages: 1,000, 1,000, 2,000, 4,000 and so on. They end with the first stage after which at least
    `ENOUGH` of all draws are as far as the value, and p is computed from all draws so far. This p is valid, as the p of
    Besag and Clifford, *Sequential Monte Carlo p-values*, Biometrika 1991, who may stop after each draw. The proof: let
    u be a level, and k the first stage after which (ENOUGH + 1) / (draws + 1) is at most u. If the draws end before
    stage k, p is above u. If they go on after stage k, fewer than ENOUGH draws are as far, so the p after stage k is
    below u. So p is at most u only if the p after stage k is at most u. The number of draws after stage k is fixed in
    advance, so the probability of this is at most u.

    Args:
        value: the value that is tested.
        draw: a function from a number of draws to that many further values under the null hypothesis.
        replicates: the largest number of draws.
        rounding: as `p_value` takes it.

    Returns:
        p; NaN without draws, and where `p_value` is NaN.
    """
    null, p = np.empty(0), math.nan
    while len(null) < replicates:
        null = np.concatenate([null, draw(min(max(len(null), STAGE), replicates - len(null)))])
        p = p_value(value, null, rounding=rounding)
        if not p * (1 + len(null)) <= ENOUGH:
            break
    return p


def exchanged(
    x: Float,
    other: Float,
    y: Float,
    kind: Coefficient,
    level: str,
    *,
    replicates: int = 1000,
    seed: int = 0,
    clusters: Integers | None = None,
) -> tuple[float, float]:
    """Return the difference of two metrics' correlations with people, and its permutation test.

    The test is Perm-Both of Deutsch, Dror and Roth 2021. Both metrics are scaled to mean 0 and variance 1 over the
    cells where all three tables have numbers. In every cell they are exchanged with probability 1/2; with clusters of
    items, they are exchanged in all cells of a system and a cluster at once. p comes from at most `replicates`
    exchanges (`sequential_p`).

    Args:
        x: the first metric's table: [items, systems].
        other: the other metric's table: [items, systems].
        y: the people's table: [items, systems].
        kind: the coefficient.
        level: one of `nlgauge.stats.correlation.LEVELS`.
        replicates: the largest number of exchanges.
        seed: the seed of the exchanges.
        clusters: the number of each item's cluster: [items]; None without clusters.

    Returns:
        The first metric's correlation minus the other's, and the two-sided p of the hypothesis that this is 0.
    """
    valued = ~(np.isnan(x) | np.isnan(other) | np.isnan(y))
    x, other = (np.where(valued, _standardised(a, valued), np.nan) for a in (x, other))
    y = np.where(valued, y, np.nan)
    rows, columns = valued.shape
    of_cells = by_cells(x, other, y=y, kind=kind, level=level)
    if level == "system":
        differences = by_means(x, other, y, kind)
    else:
        differences = by_moments(x, other, y, level) if kind == COEFFICIENTS["pearson"] else of_cells
    observed = float(of_cells(np.zeros((1, rows, columns), bool))[0])
    generator = np.random.default_rng([seed, rows, columns, 2])
    of = np.arange(rows) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    groups = int(of.max(initial=-1)) + 1

    def draw(count: int) -> Float:
        null = [np.empty(0)]
        for size in batches(count, rows * columns):
            swap = _coins(generator, size, groups * columns).reshape(size, groups, columns)
            null.append(differences(swap if clusters is None else swap[:, of]))
        return np.concatenate(null)

    # Moments and cells give the same numbers but for their last digits.
    return observed, sequential_p(observed, draw, replicates, rounding=1e-9)


def _coins(generator: np.random.Generator, count: int, n: int) -> Mask:
    """Return random yes or no, each with the probability 1/2: [count, n].

    The random bits of a row do not depend on the number of rows that are made at a time.
    """
    words = generator.integers(0, 2**64, (count, -(-n // 64)), np.uint64)
    return np.unpackbits(words.astype("<u8").view(np.uint8), axis=1, count=n).view(bool)


_Differences: TypeAlias = Callable[[Mask], Float]
"""A function from the cells to exchange [draws, items, systems] to the first coefficient minus the second one
[draws]"""


def by_cells(x: Float, other: Float, y: Float, kind: Coefficient, level: str) -> _Differences:
    """Return a function from exchanged cells to the difference of two metrics' coefficients, for any coefficient.

    Both coefficients are computed anew from all cells for each draw.

    Args:
        x: the first metric's table: [items, systems].
        other: the other metric's table: [items, systems].
        y: the people's table: [items, systems].
        kind: the coefficient.
        level: one of `nlgauge.stats.correlation.LEVELS`.

    Returns:
        The function.
    """
    pair: Values = np.stack([x, other], axis=-1)  # [items, systems, 2]
    if kind.by_order and level != "system":
        # The two have codes of the same scale, because their cells change place.
        flat = pair.reshape(1, -1) if level == "pooled" else pair.reshape(len(pair), -1)
        pair = dense(flat).reshape(pair.shape)
    b = prepared(y, kind, level)

    def differences(swap: Mask) -> Float:
        rated = np.broadcast_to(b, swap.shape)
        after, before = (measured(np.where(s, pair[..., 1], pair[..., 0]), rated, kind, level) for s in (swap, ~swap))
        return after - before

    return differences


def by_means(x: Float, other: Float, y: Float, kind: Coefficient) -> _Differences:
    """Return a function from exchanged cells to the difference of two metrics' coefficients of systems' means.

    The systems' means are not computed anew for each draw: an exchanged cell adds a term to the mean of its system.

    Args:
        x: the first metric's table: [items, systems].
        other: the other metric's table: [items, systems].
        y: the people's table: [items, systems].
        kind: the coefficient.

    Returns:
        The function.
    """
    n = np.where(np.isnan(x).all(0), np.nan, (~np.isnan(x)).sum(0))
    begin, end, step = np.nansum(x, 0), np.nansum(other, 0), np.nan_to_num(other - x)
    _, rated = means(x, y)

    def differences(swap: Mask) -> Float:
        moved = np.einsum("ris,is->rs", swap.astype(float), step)
        people = np.broadcast_to(rated, moved.shape)
        of_first, of_second = (kind.of_numbers(rounded(sums / n), people) for sums in (begin + moved, end - moved))
        return of_first - of_second

    return differences


def by_moments(x: Float, other: Float, y: Float, level: str) -> _Differences:
    """Return a function from exchanged cells to the difference of two metrics' Pearson correlations, by sums.

    The sums over the cells of a sample are not computed anew for each draw: an exchanged cell adds a term to each of
    them.

    Args:
        x: the first metric's table: [items, systems].
        other: the other metric's table: [items, systems].
        y: the people's table: [items, systems].
        level: 'item' or 'pooled'.

    Returns:
        The function.
    """
    shape = (1, -1) if level == "pooled" else x.shape
    first, second, people = (a.reshape(shape) for a in (x, other, y))
    rated = ~np.isnan(people)
    n = rated.sum(-1)
    middle = np.where(rated, first + second, 0).sum(-1) / (2 * np.maximum(n, 1))
    first, second = (np.where(rated, a - middle[:, None], 0) for a in (first, second))
    away = direction(people, rated)
    of_first, of_second = (np.stack([away * a, a, a * a], -1) for a in (first, second))  # [samples, n, 3]
    begin, end, step = of_first.sum(1)[:, None], of_second.sum(1)[:, None], of_second - of_first

    def correlations(sums: Float) -> Float:
        product, total, squares = np.moveaxis(sums, -1, 0)  # [samples, draws]
        spread = squares - total**2 / np.maximum(n, 1)[:, None]
        with np.errstate(invalid="ignore", divide="ignore"):
            # What rounding leaves of equal values is no spread.
            return mean_known(np.where(spread > 1e-12 * squares, product / np.sqrt(spread), np.nan).T)

    def differences(swap: Mask) -> Float:
        moved = swap.reshape(len(swap), *first.shape).transpose(1, 0, 2).astype(float) @ step
        return correlations(begin + moved) - correlations(end - moved)

    return differences


def _standardised(x: Float, valued: Mask) -> Float:
    values = x[valued]
    spread = values.std() if len(values) else 0.0
    return (x - values.mean()) / spread if spread > 0 else x
