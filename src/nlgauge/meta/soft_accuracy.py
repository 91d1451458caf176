"""Soft pairwise accuracy: how alike a metric and people are sure that one system is better than another.

Thompson, Mathur, Deutsch and Khayrallah, *Improving Statistical Significance in Human Evaluation of Automatic Metrics
via Soft Pairwise Accuracy*, WMT 2024.
"""

from __future__ import annotations

import numpy as np

from nlgauge.data.table.intervals import together
from nlgauge.meta.arrays import Codes, Float, Integers
from nlgauge.meta.coefficients import mean_known


def superiority(x: Float, replicates: int = 1000, seed: int = 0, clusters: Integers | None = None) -> Float:
    """How sure it is that one system is better than another: [items, systems] -> p [systems, systems].

    p[i, j] is the p-value of a paired permutation test of "i is better than j" on the items that both have: the share
    of random exchanges of the two systems' scores within items that favour i at least as much. An exchange that gives
    just the difference seen counts half, so that p[j, i] = 1 - p[i, j] and equal systems get 0.5. NaN without items.
    clusters [items]: of items, whose scores are exchanged together.
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
    """1 - mean |p - q| over pairs of systems: p, q [..., systems, systems] of `superiority` -> [...].

    Equation 4 of the paper. ids [..., systems] tells systems that were drawn twice, whose pairs are left out.
    """
    first, second = np.triu_indices(p.shape[-1], 1)
    alike = 1 - np.abs(p - q)[..., first, second]
    if ids is not None:
        alike = np.where(ids[..., first] == ids[..., second], np.nan, alike)
    return mean_known(alike)
