"""Coefficients of agreement between a metric and people, and the levels at which they are taken.

Everywhere x is the metric and y are the people, bigger is better in both, and NaN is a missing value; pairs with a
missing value are left out together. Tables are [items, systems], stacks of tables [stack, items, systems].

Levels (Deutsch, Dror and Roth, *A Statistical Analysis of Summarization Evaluation Metrics Using Resampling Methods*,
TACL 2021): 'pooled' takes all cells as one sample; 'item' takes each item's systems as a sample and the mean over the
items; 'system' takes the systems' means, over the cells that both have.

Kendall's coefficients count pairs; in the notation of Deutsch, Foster and Freitag, *Ties Matter*, EMNLP 2023, table 1,
C are concordant, D discordant, T_m tied by the metric alone, T_h by the people alone, T_hm by both.

    kendall      tau-b: (C - D) / sqrt((C + D + T_m) (C + D + T_h))
    kendall_c    tau-c: 2 (C - D) / (n^2 (k - 1) / k), k the smaller number of distinct values (Stuart 1953)
    kendall_10   (C - D - T_m) / (C + D + T_m): a tie of the metric is an error (WMT 2010)
    kendall_13   (C - D) / (C + D): ties do not count (WMT 2013)
    kendall_14   (C - D) / (C + D + T_m): a tie of the metric is half an error (WMT 2014)
    kendall_eq   (C + T_hm - D - T_m - T_h) / all
    accuracy     (C + T_hm) / all: the share of pairs that both judge alike; over systems that of Kocmi et al. 2021
    accuracy_calibrated  the same, differences of the metric up to a threshold being ties; the threshold is the one
                 that makes the value largest (tie calibration, section 6 there), one for all items
    soft_accuracy  over systems: how alike metric and people are sure, see `soft_accuracy`
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
Codes = NDArray[np.int32]
"""Ranks without gaps along the last axis, from 0; -1 is a missing value"""
Values = NDArray[Any]
"""What a coefficient reads: numbers, or codes where it looks at order alone"""

LEVELS = ("item", "system", "pooled")
# Two means that differ by less, as a share of the largest, differ in the order of summation only.
_DIGITS = 12
_BLOCK = 16


class Pairs(NamedTuple):
    """How many pairs of a sample are what: each [samples]."""

    concordant: Float
    discordant: Float
    metric_tied: Float
    people_tied: Float
    both_tied: Float


class Estimate(NamedTuple):
    """A coefficient at a level: of how many (cells, items or systems), and what it could not be said of and why."""

    value: float
    n: int
    undefined: int
    """Items without a value of their own; 0 at the other levels"""
    reason: str | None


# ---- Samples: [samples, n] -> [samples]


def dense(x: Float) -> Codes:
    """x [..., n] as codes along its last axis: equal values have equal codes."""
    order = np.argsort(x, axis=-1)
    ordered = np.take_along_axis(x, order, -1)
    steps = np.zeros(x.shape, np.int32)
    np.cumsum(ordered[..., 1:] != ordered[..., :-1], axis=-1, out=steps[..., 1:])
    codes = np.empty_like(steps)
    np.put_along_axis(codes, order, steps, -1)
    codes[np.isnan(x)] = -1
    return codes


def _histogram(codes: Codes, known: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How often each code stands in each sample: [samples, codes]."""
    size = int(codes.max(initial=0)) + 1
    flat = (codes + size * np.arange(len(codes))[:, None])[known]
    return np.bincount(flat, minlength=len(codes) * size).reshape(len(codes), size)


def _alike(codes: Codes, known: NDArray[np.bool_]) -> Float:
    """Pairs with equal codes."""
    counts = _histogram(codes, known)
    return np.asarray((counts * (counts - 1)).sum(-1) / 2)


def _repeats(ordered: NDArray[Any]) -> Float:
    """Pairs of equal elements of each row [rows, n], in which equal ones stand together."""
    n = ordered.shape[1]
    begins = np.zeros(ordered.shape, np.int32)
    np.multiply(ordered[:, 1:] != ordered[:, :-1], np.arange(1, n, dtype=np.int32), out=begins[:, 1:])
    np.maximum.accumulate(begins, axis=1, out=begins)
    return np.asarray(n * (n - 1) / 2 - begins.sum(1))


def _direction(x: Float, known: NDArray[np.bool_]) -> Float:
    """x centred and of length 1, 0 where it is not known; NaN where all that is known is one value."""
    whole = bool(known.all())

    def filled(a: Float, value: float) -> Float:
        return a if whole else np.where(known, a, value)

    spread = filled(x, -np.inf).max(-1, initial=-np.inf) > filled(x, np.inf).min(-1, initial=np.inf)
    with np.errstate(all="ignore"):
        mean = filled(x, 0).sum(-1) / known.sum(-1)
        centred = filled(x - mean[:, None], 0)
        # Squares of large or small numbers leave float's range.
        centred /= np.maximum(centred.max(-1, initial=0), -centred.min(-1, initial=0))[:, None]
        length = np.sqrt(np.einsum("ij,ij->i", centred, centred))
        centred *= np.where(spread, 1 / length, np.nan)[:, None]
    return centred


def _pearson(x: Float, y: Float, ids: Codes | None) -> Float:
    known = ~(np.isnan(x) | np.isnan(y))
    products = np.einsum("ij,ij->i", _direction(x, known), _direction(y, known))
    return np.asarray(np.clip(products, -1, 1))


def _spearman(x: Codes, y: Codes, ids: Codes | None) -> Float:
    known = (x >= 0) & (y >= 0)

    def ranks(codes: Codes) -> Float:
        counts = _histogram(codes, known)
        found = np.take_along_axis(counts.cumsum(-1) - (counts - 1) / 2, np.maximum(codes, 0), -1)
        return np.where(known, found, np.nan)

    return _pearson(ranks(x), ranks(y), None)


def _inversions(sequence: NDArray[Any]) -> Float:
    """Pairs of each row [rows, n] that stand the wrong way round: blocks by trying all pairs, then a merge sort."""
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
    found: Float = wrong.reshape(rows, -1).sum(1, dtype=np.float64)
    key *= size
    key += np.arange(size, dtype=key.dtype)
    width = _BLOCK
    while width < size:
        blocks = key.reshape(rows, -1, 2 * width)
        blocks.sort(axis=-1)
        # The lower bits of a key are the place it came from; bit `width` says from which half of its block. Of a
        # right element at place j with r right ones before it, width - (j - r) left ones stand behind it.
        places = ((blocks & width != 0) * np.arange(2 * width, dtype=np.int32)).sum((1, 2), dtype=np.int64)
        found += blocks.shape[1] * (width**2 + width * (width - 1) / 2) - places
        width *= 2
    return found


def _pairs(x: Codes, y: Codes, ids: Codes | None) -> Pairs:
    """Counts of all pairs but those of a cell with a copy of itself, which `ids` tells where cells were drawn twice."""
    known = (x >= 0) & (y >= 0)
    n, missing = known.sum(-1), (~known).sum(-1)
    base = int(y.max(initial=0)) + 2
    end = (int(x.max(initial=0)) + 1) * base + base - 1
    # What is missing sorts behind everything else by x and by y, and is in no inversion there.
    wide: NDArray[Any] = x.astype(np.int32 if end < 2**31 else np.int64)
    key = np.where(known, wide * base + y, end)
    key.sort(axis=-1)
    alone = missing * (missing - 1) / 2
    by_x, both = _repeats(key // base) - alone, _repeats(key) - alone
    by_y, discordant = _alike(y, known), _inversions(key % base)
    copies = 0.0 if ids is None else _alike(ids, known)
    concordant = n * (n - 1) / 2 - discordant - by_x - by_y + both
    return Pairs(concordant, discordant, by_x - both, by_y - both, both - copies)


def _close_pairs(x: Float, y: Float, ids: Codes | None, epsilon: float) -> Pairs:
    """The same by trying all pairs, with differences of the metric up to epsilon as ties: O(n^2)."""
    counts = np.zeros((5, len(x)))
    for step in range(1, x.shape[1]):
        with np.errstate(invalid="ignore"):
            dx, dy = x[:, step:] - x[:, :-step], y[:, step:] - y[:, :-step]
        known = ~(np.isnan(dx) | np.isnan(dy))
        if ids is not None:
            known &= ids[:, step:] != ids[:, :-step]
        x_tied, y_tied = np.abs(dx) <= epsilon, dy == 0
        same = np.sign(dx) == np.sign(dy)
        for count, kind in zip(
            counts, (~x_tied & same, ~x_tied & ~same & ~y_tied, x_tied & ~y_tied, ~x_tied & y_tied, x_tied & y_tied),
            strict=True,
        ):  # fmt: skip
            count += (kind & known).sum(-1)
    return Pairs(*counts)


def _kendall(x: Codes, y: Codes, ids: Codes | None) -> Float:
    c, d, metric, people, _ = _pairs(x, y, ids)
    return _share(c - d, np.sqrt((c + d + metric) * (c + d + people)))


def _kendall_c(x: Codes, y: Codes, ids: Codes | None) -> Float:
    known = (x >= 0) & (y >= 0)
    n, pairs = known.sum(-1), _pairs(x, y, ids)
    k = np.minimum(*((_histogram(codes, known) > 0).sum(-1) for codes in (x, y)))
    return _share(2 * (pairs.concordant - pairs.discordant), n**2 * (k - 1) / np.maximum(k, 1))


def _share(part: Float, whole: Float) -> Float:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(whole > 0, part / whole, np.nan))


def _of_pairs(formula: Callable[[Pairs], tuple[Float, Float]]) -> Callable[[Codes, Codes, Codes | None], Float]:
    return lambda x, y, ids: _share(*formula(_pairs(x, y, ids)))


def _all(pairs: Pairs) -> Float:
    return np.asarray(sum(pairs))


class Coefficient(NamedTuple):
    """One number for how a metric and people agree, as a function of samples."""

    of: Callable[[Any, Any, Codes | None], Float]
    by_order: bool = True
    """Reads codes: the order of the values alone"""
    chance: float | None = 0.0
    """What no agreement gives; None where that depends on the data"""
    epsilon: float = 0.0
    """Metrics' differences that are ties"""
    counts_copies: bool = False
    """Two copies of one cell would change it; the others leave pairs that both call a tie out"""


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
        _of_pairs(lambda p: (2 * (p.concordant + p.both_tied) - _all(p), _all(p))),
        chance=None,
        counts_copies=True,
    ),
    "accuracy": Coefficient(
        _of_pairs(lambda p: (p.concordant + p.both_tied, _all(p))), chance=None, counts_copies=True
    ),
}
SPECIAL = ("accuracy_calibrated", "soft_accuracy")
"""Coefficients that read a whole table before they are one: `coefficient` makes the first, `soft_accuracy` is one"""


def correlation(x: Float, y: Float, name: str = "pearson") -> Float:
    """A coefficient along the last axis: x, y [..., n] -> [...]. NaN where it is undefined."""
    kind = COEFFICIENTS[name]
    x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
    flat = (a.reshape(-1, x.shape[-1]) for a in (x, y))
    return kind.of(*_read(kind, *flat), None).reshape(x.shape[:-1])


def _read(kind: Coefficient, x: Float, y: Float) -> tuple[Values, Values]:
    return (dense(x), dense(y)) if kind.by_order else (x, y)


# ---- Tables


def means(x: Float, y: Float) -> tuple[Float, Float]:
    """[..., items, systems] -> the systems' means over the cells that both have, [..., systems] each."""
    known = ~(np.isnan(x) | np.isnan(y))
    n = known.sum(-2)

    def mean(a: Float) -> Float:
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Float = np.where(known, a, 0).sum(-2) / n
        size = np.abs(np.where(np.isfinite(found), found, 0)).max(-1, initial=0, keepdims=True)
        size[size == 0] = 1
        return np.asarray(np.round(found / size, _DIGITS) * size)

    return mean(x), mean(y)


def prepared(x: Float, kind: Coefficient, level: str) -> Values:
    """A table, or a stack of them, as `measured` reads it: codes, if they can be given before cells are drawn."""
    if level == "system" or not kind.by_order:
        return x
    return dense(x.reshape(*x.shape[:-2], -1)).reshape(x.shape) if level == "pooled" else dense(x)


def measured(x: Values, y: Values, kind: Coefficient, level: str, ids: Codes | None = None) -> Float:
    """A coefficient of each of a stack of prepared tables [stack, items, systems] -> [stack].

    ids tells cells that are copies of each other: as x; at system level [stack, systems].
    """
    if level == "system":
        x, y = means(x, y)
        return kind.of(*_read(kind, x, y), ids)
    shape = (len(x), -1) if level == "pooled" else (-1, x.shape[-1])
    found = kind.of(x.reshape(shape), y.reshape(shape), None if ids is None else ids.reshape(shape))
    return found if level == "pooled" else _mean(found.reshape(x.shape[:-1]))


def _mean(x: Float) -> Float:
    """Over the last axis, of what is not NaN."""
    known = ~np.isnan(x)
    return _share(np.where(known, x, 0).sum(-1), known.sum(-1))


def coefficient(name: str, x: Float, y: Float, level: str) -> Coefficient:
    """The coefficient of that name, its threshold calibrated on this table [items, systems] where it has one."""
    if name in COEFFICIENTS:
        return COEFFICIENTS[name]
    epsilon = calibrated(*_samples(x, y, level))

    def accuracy(x: Float, y: Float, ids: Codes | None) -> Float:
        pairs = _close_pairs(x, y, ids, epsilon)
        return _share(pairs.concordant + pairs.both_tied, _all(pairs))

    return Coefficient(accuracy, by_order=False, chance=None, epsilon=epsilon, counts_copies=True)


def calibrated(x: Float, y: Float) -> float:
    """The smallest difference of the metric, among those that occur, under which pairs have to count as ties to make
    the mean accuracy of the samples [samples, n] largest: *Ties Matter*, section 6. All pairs, O(P log P)."""
    first, second = np.triu_indices(x.shape[1], 1)
    with np.errstate(invalid="ignore"):
        dx, dy = x[:, first] - x[:, second], y[:, first] - y[:, second]
    known = ~(np.isnan(dx) | np.isnan(dy))
    # A tie more is worth this much: right where people tie, lost where metric and people had agreed.
    gain = (dy == 0).astype(float) - ((dy != 0) & (np.sign(dx) == np.sign(dy)))
    gain /= np.maximum(known.sum(-1), 1)[:, None]
    sizes, gains = np.abs(dx[known]), gain[known]
    if not len(sizes):
        return 0.0
    order = np.argsort(sizes, kind="stable")
    sizes, total = sizes[order], np.cumsum(gains[order])
    last = np.append(sizes[1:] != sizes[:-1], True)
    sizes, total = sizes[last], total[last]
    if sizes[0] > 0:
        sizes, total = np.insert(sizes, 0, 0.0), np.insert(total, 0, 0.0)
    # Sums of the same gains in another order differ in the last digits; the smallest of equals is wanted.
    return float(sizes[np.argmax(total >= total.max() - 1e-12)])


def _samples(x: Float, y: Float, level: str) -> tuple[Float, Float]:
    """What a coefficient is taken of at a level: [items, systems] -> [samples, n]."""
    if level == "item":
        rated = (~(np.isnan(x) | np.isnan(y))).any(-1)
        return x[rated], y[rated]
    x, y = means(x, y) if level == "system" else (x, y)
    return x.reshape(1, -1), y.reshape(1, -1)


def estimate(x: Float, y: Float, kind: Coefficient, level: str) -> Estimate:
    """A coefficient of one table [items, systems], with what it rests on."""
    x, y = _samples(x, y, level)
    known = ~(np.isnan(x) | np.isnan(y))
    if not known.any():
        return Estimate(np.nan, 0, 0, "no row has both a score and a rating")
    each = kind.of(*_read(kind, x, y), None)
    defined = int((~np.isnan(each)).sum())
    n, undefined = (defined, len(each) - defined) if level == "item" else (int(known.sum()), 0)
    return Estimate(float(_mean(each)), n, undefined, None if defined else _why(x, y, known))


def _why(x: Float, y: Float, known: NDArray[np.bool_]) -> str:
    """What makes a coefficient undefined in all these samples [samples, n]."""
    where = " within every item" if len(x) > 1 else ""
    if (known.sum(-1) < 2).all():
        return f"fewer than two values to compare{where}"
    for name, a in (("the metric is", x), ("the ratings are", y)):
        if all(len(set(row[shown])) < 2 for row, shown in zip(a, known, strict=True)):
            return f"{name} constant{where}"
    return f"metric or ratings are {'constant' if np.isfinite(x[known]).all() else 'constant or infinite'}{where}"


# ---- Soft pairwise accuracy


def superiority(x: Float, replicates: int = 1000, seed: int = 0) -> Float:
    """How sure it is that one system is better than another: [items, systems] -> p [systems, systems].

    p[i, j] is the p-value of a paired permutation test of "i is better than j" on the items that both have: the share
    of random exchanges of the two systems' scores within items that favour i at least as much. An exchange that gives
    just the difference seen counts half, so that p[j, i] = 1 - p[i, j] and equal systems get 0.5. NaN without items.
    """
    first, second = np.triu_indices(x.shape[1], 1)
    differences = x[:, first] - x[:, second]
    shared = ~np.isnan(differences).all(0)
    differences = np.nan_to_num(differences, nan=0.0)
    signs = np.random.default_rng([seed, len(x)]).choice([-1.0, 1.0], (replicates, len(x)))
    beyond = signs @ differences - differences.sum(0)
    slack = 1e-12 * np.abs(differences).sum(0)
    p = ((beyond > slack).sum(0) + (np.abs(beyond) <= slack).sum(0) / 2) / replicates
    out = np.full((x.shape[1], x.shape[1]), np.nan)
    out[first, second], out[second, first] = np.where(shared, [p, 1 - p], np.nan)
    return out


def soft_accuracy(p: Float, q: Float, ids: Codes | None = None) -> Float:
    """1 - mean |p - q| over pairs of systems: p, q [..., systems, systems] of `superiority` -> [...].

    Soft pairwise accuracy: Thompson, Mathur, Deutsch and Khayrallah, *Improving Statistical Significance in Human
    Evaluation of Automatic Metrics via Soft Pairwise Accuracy*, WMT 2024, equation 4. ids [..., systems] tells systems
    that were drawn twice, whose pairs are left out.
    """
    first, second = np.triu_indices(p.shape[-1], 1)
    alike = 1 - np.abs(p - q)[..., first, second]
    if ids is not None:
        alike = np.where(ids[..., first] == ids[..., second], np.nan, alike)
    return _mean(alike)
