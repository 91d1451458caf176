"""Accuracy with calibrated ties: differences of the metric up to a threshold are ties, as people's equal ratings are.

Deutsch, Foster and Freitag, *Ties Matter: Meta-Evaluating Modern Metrics with Pairwise Accuracy and Tie Calibration*,
EMNLP 2023, section 6.
"""

from __future__ import annotations

import numpy as np

from nlgauge.meta.arrays import Codes, Float
from nlgauge.meta.coefficients import COEFFICIENTS, Coefficient, share
from nlgauge.meta.correlation import samples
from nlgauge.meta.pairs import close_pairs


def coefficient(name: str, x: Float, y: Float, level: str) -> Coefficient:
    """The coefficient of that name, its threshold calibrated on this table [items, systems] where it has one."""
    if name in COEFFICIENTS:
        return COEFFICIENTS[name]
    epsilon = calibrated(*samples(x, y, level))

    def accuracy(x: Float, y: Float, ids: Codes | None) -> Float:
        pairs = close_pairs(x, y, ids, epsilon)
        return share(pairs.concordant + pairs.both_tied, pairs.all)

    return Coefficient(accuracy, by_order=False, chance=None, epsilon=epsilon, counts_copies=True)


def calibrated(x: Float, y: Float) -> float:
    """The smallest difference of the metric, among those that occur, under which pairs have to count as ties to make
    the mean accuracy of the samples [samples, n] largest. All pairs, O(P log P)."""
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
