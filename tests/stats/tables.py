"""Tables of scores and ratings that the tests share."""

from __future__ import annotations

import numpy as np

SYSTEMS, ITEMS = "ABCDE", 20
"""Of the fixtures `table` and `ratings`"""


def table(seed: int, items: int = 12, systems: int = 5, missing: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Scores and ratings with ties that have something in common, as do outputs of one item and of one system."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(items, 1)) + rng.normal(size=systems)
    x, y = (np.round(shared + rng.normal(size=(items, systems)), 1) for _ in range(2))
    x[rng.random(x.shape) < missing] = np.nan
    return x, y
