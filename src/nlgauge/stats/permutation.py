"""Permutation tests of one metric against none, and of two metrics against the same ratings.

Tables are [items, systems], as in `nlgauge.stats.correlation`.
"""

from __future__ import annotations

import math

import numpy as np

from nlgauge.stats.arrays import Float, Integers, Mask, Values
from nlgauge.stats.coefficients import Coefficient
from nlgauge.stats.correlation import means, measured, prepared
from nlgauge.stats.pairs import dense
from nlgauge.stats.resampling import batches, cells_at, permuted


def crossed(x: Float, y: Float) -> bool:
    """Whether at least half of the cells have both, so that whole items and whole systems can change place."""
    known = ~(np.isnan(x) | np.isnan(y))
    return bool(2 * known.sum() >= known.size)


def shuffled(
    x: Float, y: Float, kind: Coefficient, level: str, *, replicates: int = 1000, seed: int = 0,
    clusters: Integers | None = None,
) -> Float:  # fmt: skip
    """The coefficient where metric and people have nothing to do with each other: [replicates].

    Items and systems of the metric's table change place as wholes, so that what outputs of one system, or of one item,
    have in common stays in common: shuffled one by one, outputs would look like far more evidence than they are. At
    system level the systems' means change place. Where items and systems are not `crossed`, rows are shuffled one by
    one at pooled level; an item has then nothing to be exchanged with, and at item level all is NaN. clusters [items]:
    of items, which change place together.
    """
    if level == "system":
        x, y = (a[None] for a in means(x, y))
        known = ~(np.isnan(x) | np.isnan(y))
        x, y, level, clusters = x[known][None], y[known][None], "pooled", None
    elif not crossed(x, y):
        if level == "item":
            return np.full(replicates, np.nan)
        known = ~(np.isnan(x) | np.isnan(y))
        clusters = None if clusters is None else clusters[np.nonzero(known)[0]]
        # Rows change place along the axis of systems, and with their clusters along that of items.
        x, y = (a[known][None] if clusters is None else a[known][:, None] for a in (x, y))
    a, b = prepared(x, kind, level), prepared(y, kind, level)
    shape = (len(x), x.shape[1])
    values = [np.empty(0)]
    for items, systems in permuted(shape, replicates, seed, clusters):
        values.append(measured(cells_at(a, items, systems), np.broadcast_to(b, (len(items), *shape)), kind, level))
    return np.concatenate(values)


def p_value(value: float, null: Float, chance: float | None = 0.0, rounding: float = 1e-12) -> float:
    """Share of `null` (and the value itself, so that it is never 0) at least as far from `chance`, on either side.

    rounding: how much less than as far counts as as far, because sums in another order differ in their last digits.

    Without a chance level, as accuracies have none that is known, the share at least as large: one-sided. NaN where
    the value is, or less than half of the null values are defined.
    """
    null = null[~np.isnan(null)] if 2 * np.isnan(null).sum() <= len(null) else null[:0]
    if math.isnan(value) or not len(null):
        return math.nan
    far = null - value if chance is None else np.abs(null - chance) - abs(value - chance)
    return float((1 + (far >= -rounding).sum()) / (1 + len(null)))


def exchanged(
    x: Float, other: Float, y: Float, kind: Coefficient, level: str, *, replicates: int = 1000, seed: int = 0,
    clusters: Integers | None = None,
) -> tuple[float, float]:  # fmt: skip
    """(difference of the two metrics' correlations with people, two-sided p that it is 0).

    Perm-Both of Deutsch, Dror and Roth 2021: both metrics are brought to mean 0 and variance 1 over the cells that all
    three have, and exchanged in every cell with probability 1/2; with clusters of items, in all cells of a system and a
    cluster at once.
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

    def differences(swap: Mask) -> Float:
        rated = np.broadcast_to(b, swap.shape)
        one, two = (measured(np.where(s, pair[..., 1], pair[..., 0]), rated, kind, level) for s in (swap, ~swap))
        return one - two

    observed = float(differences(np.zeros((1, rows, columns), bool))[0])
    generator = np.random.default_rng([seed, rows, columns, 2])
    null = [np.empty(0)]
    of = np.arange(rows) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    groups = int(of.max(initial=-1)) + 1
    for count in batches(replicates, rows * columns):
        null.append(differences(generator.random((count, groups, columns))[:, of] < 0.5))
    return observed, p_value(observed, np.concatenate(null))


def _standardised(x: Float, known: Mask) -> Float:
    values = x[known]
    spread = values.std() if len(values) else 0.0
    return (x - values.mean()) / spread if spread > 0 else x
