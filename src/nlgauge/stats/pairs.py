"""Pairs of a sample, counted by whether metric and people order them alike: [samples, n] -> [samples].

In the notation of Deutsch, Foster and Freitag, *Ties Matter*, EMNLP 2023, table 1, C are concordant, D discordant, T_m
tied by the metric alone, T_h by the people alone, T_hm by both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nlgauge.stats.arrays import Codes, Float, Integers, Mask, Values

_BLOCK = 16


class Pairs(NamedTuple):
    """How many pairs of a sample are what: each [samples]."""

    concordant: Float
    discordant: Float
    metric_tied: Float
    people_tied: Float
    both_tied: Float

    @property
    def all(self) -> Float:
        """Every pair."""
        return self.concordant + self.discordant + self.metric_tied + self.people_tied + self.both_tied


def dense(x: Values) -> Codes:
    """x [..., n] as codes along its last axis: equal values have equal codes."""
    order = np.argsort(x, axis=-1)
    ordered = np.take_along_axis(x, order, -1)
    steps = np.zeros(x.shape, np.int32)
    np.cumsum(ordered[..., 1:] != ordered[..., :-1], axis=-1, out=steps[..., 1:])
    codes = np.empty_like(steps)
    np.put_along_axis(codes, order, steps, -1)
    codes[np.isnan(x)] = -1
    return codes


def histogram(codes: Codes, known: Mask) -> Integers:
    """How often each code stands in each sample: [samples, codes]."""
    size = int(codes.max(initial=0)) + 1
    flat = (codes + size * np.arange(len(codes))[:, None])[known]
    return np.bincount(flat, minlength=len(codes) * size).reshape(len(codes), size)


def count_pairs(x: Codes, y: Codes, ids: Codes | None) -> Pairs:
    """Counts of all pairs but those of a cell with a copy of itself, which `ids` tells where cells were drawn twice."""
    known = (x >= 0) & (y >= 0)
    n, missing = known.sum(-1), (~known).sum(-1)
    base = int(y.max(initial=0)) + 2
    end = (int(x.max(initial=0)) + 1) * base + base - 1
    # What is missing sorts behind everything else by x and by y, and is in no inversion there.
    wide: Codes | Integers = x if end < 2**31 else x.astype(np.int64)
    key = np.where(known, wide * base + y, end)
    key.sort(axis=-1)
    alone = missing * (missing - 1) / 2
    by_x, both = _repeats(key // base) - alone, _repeats(key) - alone
    by_y, discordant = _alike(y, known), _inversions(key % base)
    copies = 0.0 if ids is None else _alike(ids, known)
    concordant = n * (n - 1) / 2 - discordant - by_x - by_y + both
    return Pairs(concordant, discordant, by_x - both, by_y - both, both - copies)


def close_pairs(x: Float, y: Float, ids: Codes | None, epsilon: float) -> Pairs:
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


def _alike(codes: Codes, known: Mask) -> Float:
    """Pairs with equal codes."""
    counts = histogram(codes, known)
    return np.asarray((counts * (counts - 1)).sum(-1) / 2)


def _repeats(ordered: Codes | Integers) -> Float:
    """Pairs of equal elements of each row [rows, n], in which equal ones stand together."""
    n = ordered.shape[1]
    begins = np.zeros(ordered.shape, np.int32)
    np.multiply(ordered[:, 1:] != ordered[:, :-1], np.arange(1, n, dtype=np.int32), out=begins[:, 1:])
    np.maximum.accumulate(begins, axis=1, out=begins)
    return np.asarray(n * (n - 1) / 2 - begins.sum(1))


def _inversions(sequence: Codes | Integers) -> Float:
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
