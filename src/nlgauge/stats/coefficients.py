"""Coefficients of agreement between a metric and people, as functions of samples: [samples, n] -> [samples].

x always has the metric's scores and y people's ratings. In both, larger is better and NaN is a missing value. Where one
of two values is missing, both are left out. Kendall's coefficients count pairs, in the notation of `Pairs`.

    kendall      tau-b: (C - D) / sqrt((C + D + T_m) (C + D + T_h))
    kendall_c    tau-c: 2 (C - D) / (n^2 (k - 1) / k), k the smaller number of distinct values (Stuart 1953)
    kendall_10   (C - D - T_m) / (C + D + T_m): a tie of the metric is an error (WMT 2010)
    kendall_13   (C - D) / (C + D): ties do not count (WMT 2013)
    kendall_14   (C - D) / (C + D + T_m): a tie of the metric is half an error (WMT 2014)
    kendall_eq   (C + T_hm - D - T_m - T_h) / all
    accuracy     (C + T_hm) / all: the share of pairs that both judge alike; over systems that of Kocmi et al. 2021
    accuracy_calibrated  the accuracy where differences of the metric up to a threshold are ties. The threshold is the
                 one with the largest accuracy, the same for all items (`nlgauge.stats.correlation.calibrated`)
    soft_accuracy  over systems: 1 minus the mean of |p - q| over pairs of systems. p and q are the p-values of the
                 test that the first system is better than the second: p by the metric, q by people (`soft_accuracy`)
    pairwise_difference  at item level: Pearson's correlation of the differences between two outputs for one item, over
                 the pairs of all items (PDP; DiIanni and Deutsch, EMNLP 2025, arXiv:2509.25546). Each pair is taken in
                 both orders, so that the mean difference is 0 and the order of systems does not matter
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from nlgauge.stats.arrays import Codes, Float, Integers, Mask, Values, together

_BLOCK = 16


class Pairs(NamedTuple):
    """Numbers of pairs of a sample, by whether metric and people order them in the same way: each [samples].

    In the notation of Deutsch, Foster and Freitag, *Ties Matter*, EMNLP 2023, table 1, C are concordant, D discordant,
    T_m tied by the metric alone, T_h by the people alone, T_hm by both.
    """

    concordant: Float
    discordant: Float
    metric_tied: Float
    people_tied: Float
    both_tied: Float

    @property
    def all(self) -> Float:
        """The number of all pairs: [samples]."""
        return self.concordant + self.discordant + self.metric_tied + self.people_tied + self.both_tied


def dense(x: Values) -> Codes:
    """Return codes for the values of x [..., n] along its last axis. Equal values have equal codes."""
    order = np.argsort(x, axis=-1)
    ordered = np.take_along_axis(x, order, -1)
    steps = np.zeros(x.shape, np.int32)
    np.cumsum(ordered[..., 1:] != ordered[..., :-1], axis=-1, out=steps[..., 1:])
    codes = np.empty_like(steps)
    np.put_along_axis(codes, order, steps, -1)
    codes[np.isnan(x)] = -1
    return codes


def histogram(codes: Codes, valued: Mask) -> Integers:
    """Return how often each code occurs in each sample.

    Args:
        codes: the codes: [samples, n].
        valued: which of them count: [samples, n].

    Returns:
        The counts: [samples, codes].
    """
    size = int(codes.max(initial=0)) + 1
    flat = (codes + size * np.arange(len(codes))[:, None])[valued]
    return np.bincount(flat, minlength=len(codes) * size).reshape(len(codes), size)


def count_pairs(x: Codes, y: Codes, ids: Codes | None) -> Pairs:
    """Return the counts of all pairs, without pairs of a cell with a copy of itself.

    Args:
        x: codes of the metric: [samples, n].
        y: codes of the people: [samples, n].
        ids: numbers of cells, equal for copies of the same cell: [samples, n]; None without copies.

    Returns:
        The counts of each sample.
    """
    valued = (x >= 0) & (y >= 0)
    n, missing = valued.sum(-1), (~valued).sum(-1)
    base = int(y.max(initial=0)) + 2
    end = (int(x.max(initial=0)) + 1) * base + base - 1
    # What is missing sorts behind everything else by x and by y, and is in no inversion there.
    wide: Codes | Integers = x if end < 2**31 else x.astype(np.int64)
    key = np.where(valued, wide * base + y, end)
    key.sort(axis=-1)
    alone = missing * (missing - 1) / 2
    by_x, both = _repeats(key // base) - alone, _repeats(key) - alone
    by_y, discordant = _alike(y, valued), _inversions(key % base)
    copies = 0.0 if ids is None else _alike(ids, valued)
    concordant = n * (n - 1) / 2 - discordant - by_x - by_y + both
    return Pairs(
        concordant=concordant,
        discordant=discordant,
        metric_tied=by_x - both,
        people_tied=by_y - both,
        both_tied=both - copies,
    )


def close_pairs(x: Float, y: Float, ids: Codes | None, epsilon: float) -> Pairs:
    """Return the counts of all pairs, where small differences of the metric count as ties. It takes O(n^2).

    Args:
        x: numbers of the metric: [samples, n].
        y: numbers of the people: [samples, n].
        ids: numbers of cells, equal for copies of the same cell: [samples, n]; None without copies.
        epsilon: the largest difference of the metric that is a tie.

    Returns:
        The counts of each sample.
    """
    counts = np.zeros((5, len(x)))
    for step in range(1, x.shape[1]):
        with np.errstate(invalid="ignore"):
            dx, dy = x[:, step:] - x[:, :-step], y[:, step:] - y[:, :-step]
        valued = ~(np.isnan(dx) | np.isnan(dy))
        if ids is not None:
            valued &= ids[:, step:] != ids[:, :-step]
        x_tied, y_tied = np.abs(dx) <= epsilon, dy == 0
        same = np.sign(dx) == np.sign(dy)
        for count, kind in zip(
            counts,
            (~x_tied & same, ~x_tied & ~same & ~y_tied, x_tied & ~y_tied, ~x_tied & y_tied, x_tied & y_tied),
            strict=True,
        ):
            count += (kind & valued).sum(-1)
    return Pairs(*counts)


def _alike(codes: Codes, valued: Mask) -> Float:
    """Return how many pairs of each sample have equal codes: [samples].

    Args:
        codes: the codes: [samples, n].
        valued: which of them count: [samples, n].
    """
    counts = histogram(codes, valued)
    return np.asarray((counts * (counts - 1)).sum(-1) / 2)


def _repeats(ordered: Codes | Integers) -> Float:
    """Return how many pairs of each row [rows, n] are equal. Equal elements have to be next to each other."""
    n = ordered.shape[1]
    begins = np.zeros(ordered.shape, np.int32)
    np.multiply(ordered[:, 1:] != ordered[:, :-1], np.arange(1, n, dtype=np.int32), out=begins[:, 1:])
    np.maximum.accumulate(begins, axis=1, out=begins)
    return np.asarray(n * (n - 1) / 2 - begins.sum(1))


def _inversions(sequence: Codes | Integers) -> Float:
    """Return how many pairs of each row [rows, n] are in falling order.

    Pairs within a block are compared one by one, and pairs across blocks are counted in a merge sort.
    """
    rows, n = sequence.shape
    size = 1 << max(n - 1, _BLOCK - 1).bit_length()
    top = int(sequence.max(initial=0)) + 1
    key = np.full((rows, size), top, np.int32 if (top + 1) * size < 2**31 else np.int64)
    key[:, :n] = sequence
    # Sorting a great many short rows costs far more than comparing within them.
    short = np.ascontiguousarray(key.reshape(-1, _BLOCK).T, np.int16 if top < 2**15 else key.dtype)
    wrong = np.zeros(short.shape[1], np.int16)
    for i in range(_BLOCK - 1):
        for j in range(i + 1, _BLOCK):
            wrong += short[i] > short[j]
    inverted: Float = wrong.reshape(rows, -1).sum(1, dtype=np.float64)
    key *= size
    key += np.arange(size, dtype=key.dtype)
    width = _BLOCK
    while width < size:
        blocks = key.reshape(rows, -1, 2 * width)
        blocks.sort(axis=-1)
        # The lower bits of a key are the place it came from; bit `width` says from which half of its block. Where a
        # right element has come to place j with r right ones before it, width - (j - r) left ones stand behind it.
        places = ((blocks & width != 0) * np.arange(2 * width, dtype=np.int32)).sum((1, 2), dtype=np.int64)
        inverted += blocks.shape[1] * (width**2 + width * (width - 1) / 2) - places
        width *= 2
    return inverted


Formula: TypeAlias = Callable[[Any, Any, Codes | None], Float]
"""A function from x and y [samples, n], and from numbers of cells that are equal for copies of the same cell, to the
coefficient [samples]. x and y are codes if only their order is used"""


class Coefficient(NamedTuple):
    """A measure of how well a metric and people agree, as a function of samples."""

    of: Formula
    by_order: bool = True
    """Whether only the order of the values counts. If so, `of` takes integers in this order (`dense`), and
    else the values"""
    chance: float | None = 0.0
    """The value without any agreement; None where it depends on the data"""
    least: float = -1.0
    """The value for perfect disagreement; it is 1 for perfect agreement"""
    epsilon: float = 0.0
    """The largest difference of the metric that counts as a tie"""
    counts_copies: bool = False
    """Whether a pair of two copies of a cell would change the value, so that such pairs have to be left out. It does
    not where the coefficient leaves out all pairs that both metric and people tie"""
    together: Callable[[Any, Any], Float] | None = None
    """At item level: a function from all items at once to the coefficient, [stack, items, systems] -> [stack]. None if
    the coefficient is the mean over items"""

    def of_numbers(self, x: Float, y: Float, ids: Codes | None = None) -> Float:
        """Return the coefficient of samples [samples, n] of numbers, which are turned into codes if necessary."""
        return self.of(dense(x), dense(y), ids) if self.by_order else self.of(x, y, ids)


def correlation(x: Float, y: Float, name: str = "pearson") -> Float:
    """Return a coefficient by its name along the last axis: x, y [..., n] -> [...]. NaN where it is undefined."""
    x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
    rows = (-1, x.shape[-1])
    return COEFFICIENTS[name].of_numbers(x.reshape(rows), y.reshape(rows)).reshape(x.shape[:-1])


def share(part: Float, whole: Float) -> Float:
    """Return part / whole, NaN where the whole is not above 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(whole > 0, part / whole, np.nan))


def mean_known(x: Float) -> Float:
    """Return the mean over the last axis, leaving out NaN."""
    valued = ~np.isnan(x)
    return share(np.where(valued, x, 0).sum(-1), valued.sum(-1))


_SHORT = 8
"""Rows of fewer numbers are reduced column by column, which gives the same digits and is much faster"""


def _reduced(of: np.ufunc, x: Float) -> Float:
    """Return the reduction of x [samples, n] by a ufunc along the last axis, with the same digits as numpy's."""
    return np.asarray(reduce(of, x.T) if 0 < x.shape[1] < _SHORT else of.reduce(x, axis=-1))


def direction(x: Float, valued: Mask) -> Float:
    """Return samples that are centred and scaled to length 1.

    Args:
        x: the samples: [samples, n].
        valued: which of their numbers count: [samples, n].

    Returns:
        The samples, with 0 for a number that does not count, and NaN for a sample whose numbers that count are all
        equal.
    """
    if not x.shape[1]:
        return np.zeros(x.shape)
    whole = bool(valued.all())

    def filled(a: Float, value: float) -> Float:
        return a if whole else np.where(valued, a, value)

    spread = _reduced(np.maximum, filled(x, -np.inf)) > _reduced(np.minimum, filled(x, np.inf))
    with np.errstate(all="ignore"):
        mean = _reduced(np.add, filled(x, 0)) / (x.shape[1] if whole else valued.sum(-1))
        centred = filled(x - mean[:, None], 0)
        # Squares of large or small numbers leave float's range.
        farthest = np.maximum(np.maximum(_reduced(np.maximum, centred), 0), -_reduced(np.minimum, centred))
        centred /= farthest[:, None]
        length = np.sqrt(np.einsum("ij,ij->i", centred, centred))
        centred *= np.where(spread, 1 / length, np.nan)[:, None]
    return centred


def _pearson(x: Float, y: Float, ids: Codes | None) -> Float:
    valued = ~(np.isnan(x) | np.isnan(y))
    products = np.einsum("ij,ij->i", direction(x, valued), direction(y, valued))
    return np.asarray(np.clip(products, -1, 1))


def _spearman(x: Codes, y: Codes, ids: Codes | None) -> Float:
    valued = (x >= 0) & (y >= 0)

    def ranks(codes: Codes) -> Float:
        counts = histogram(codes, valued)
        middles = np.take_along_axis(counts.cumsum(-1) - (counts - 1) / 2, np.maximum(codes, 0), -1)
        return np.where(valued, middles, np.nan)

    return _pearson(ranks(x), ranks(y), None)


def _kendall(x: Codes, y: Codes, ids: Codes | None) -> Float:
    c, d, metric, people, _ = count_pairs(x, y, ids)
    return share(c - d, np.sqrt((c + d + metric) * (c + d + people)))


def _kendall_c(x: Codes, y: Codes, ids: Codes | None) -> Float:
    valued = (x >= 0) & (y >= 0)
    n, pairs = valued.sum(-1), count_pairs(x, y, ids)
    k = np.minimum(*((histogram(codes, valued) > 0).sum(-1) for codes in (x, y)))
    return share(2 * (pairs.concordant - pairs.discordant), n**2 * (k - 1) / np.maximum(k, 1))


def _differences(x: Float, y: Float) -> Float:
    """Return the coefficient `pairwise_difference` (PDP).

    For an item with n outputs, the sum of dx dy over all ordered pairs is 2 n times the sum of centred products.
    """
    valued = ~(np.isnan(x) | np.isnan(y))
    n = valued.sum(-1, keepdims=True)

    def centred(a: Float) -> Float:
        a = np.where(valued, a, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            away = np.where(valued, a - a.sum(-1, keepdims=True) / n, 0.0)
        # What rounding leaves of equal values is no difference.
        size = np.abs(a).max((-2, -1), initial=0, keepdims=True)
        return np.where(np.abs(away) > 1e-12 * size, away, 0.0)

    a, b = centred(x), centred(y)
    products, squares, others = ((n * u * v).sum((-2, -1)) for u, v in ((a, b), (a, a), (b, b)))
    return np.asarray(np.clip(share(products, np.sqrt(squares * others)), -1, 1))


def _of_pairs(formula: Callable[[Pairs], tuple[Float, Float]]) -> Formula:
    return lambda x, y, ids: share(*formula(count_pairs(x, y, ids)))


COEFFICIENTS: dict[str, Coefficient] = {
    "pearson": Coefficient(_pearson, by_order=False),
    "spearman": Coefficient(_spearman),
    "kendall": Coefficient(_kendall),
    "kendall_c": Coefficient(_kendall_c),
    "kendall_10": Coefficient(
        _of_pairs(lambda p: (p.concordant - p.discordant - p.metric_tied, p.concordant + p.discordant + p.metric_tied)),
        chance=None,
    ),
    "kendall_13": Coefficient(
        _of_pairs(lambda p: (p.concordant - p.discordant, p.concordant + p.discordant)),
    ),
    "kendall_14": Coefficient(
        _of_pairs(lambda p: (p.concordant - p.discordant, p.concordant + p.discordant + p.metric_tied))
    ),
    "kendall_eq": Coefficient(
        _of_pairs(lambda p: (2 * (p.concordant + p.both_tied) - p.all, p.all)),
        chance=None,
        counts_copies=True,
    ),
    "accuracy": Coefficient(
        _of_pairs(lambda p: (p.concordant + p.both_tied, p.all)), chance=None, least=0.0, counts_copies=True
    ),
    "pairwise_difference": Coefficient(_pearson, by_order=False, together=_differences),
}
SPECIAL = ("accuracy_calibrated", "soft_accuracy")
"""Coefficients that need a whole table first. `nlgauge.stats.correlation.coefficient` makes 'accuracy_calibrated' for a
table, and `soft_accuracy` here is the other one"""


def superiority(x: Float, replicates: int = 1000, seed: int = 0, clusters: Integers | None = None) -> Float:
    """Return, for each pair of systems, the p of a test of whether the first is better than the second.

    p[i, j] is the p of a paired permutation test of "i is better than j" on the items that both have. The scores of the
    two systems are exchanged at random within items, and p is the share of exchanges that favour i at least as much as
    the data do. An exchange that gives exactly the observed difference counts half. So p[j, i] = 1 - p[i, j], and equal
    systems get 0.5.

    Args:
        x: the scores: [items, systems].
        replicates: the number of random exchanges.
        seed: the seed of the random exchanges.
        clusters: the cluster of each item: [items]. Scores of the items of a cluster are exchanged together.

    Returns:
        p: [systems, systems], NaN on the diagonal and where two systems have no item in common.
    """
    first, second = np.triu_indices(x.shape[1], 1)
    differences = x[:, first] - x[:, second]
    shared = ~np.isnan(differences).all(0)
    differences = np.nan_to_num(differences, nan=0.0)
    if clusters is not None:
        differences = together(differences, clusters)
    signs = np.random.default_rng([seed, len(x)]).choice([-1.0, 1.0], (replicates, len(differences)))
    beyond = signs @ differences - differences.sum(0)
    slack = 1e-12 * np.abs(differences).sum(0)
    p = ((beyond > slack).sum(0) + (np.abs(beyond) <= slack).sum(0) / 2) / replicates
    out = np.full((x.shape[1], x.shape[1]), np.nan)
    out[first, second], out[second, first] = np.where(shared, [p, 1 - p], np.nan)
    return out


def soft_accuracy(p: Float, q: Float, ids: Codes | None = None) -> Float:
    """Return 1 minus the mean |p - q| over pairs of systems (Thompson et al., WMT 2024).

    Args:
        p: the result of `superiority` for the metric: [..., systems, systems].
        q: the result of `superiority` for the people: [..., systems, systems].
        ids: numbers of systems, equal for copies of the same system, whose pairs are left out: [..., systems]. None
            without copies.

    Returns:
        The soft accuracy: [...].
    """
    first, second = np.triu_indices(p.shape[-1], 1)
    alike = 1 - np.abs(p - q)[..., first, second]
    if ids is not None:
        alike = np.where(ids[..., first] == ids[..., second], np.nan, alike)
    return mean_known(alike)
