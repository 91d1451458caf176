"""A table of metrics that agree with people well, badly and not at all, and the ratings."""

from __future__ import annotations

import numpy as np
import pytest

from nlgauge import ScoreTable
from nlgauge.data.table import Column

SYSTEMS, ITEMS = "ABCDE", 20
"""Of the fixtures `table` and `ratings`"""


@pytest.fixture
def ratings() -> dict[str, dict[tuple[str, str], float]]:
    rng = np.random.default_rng(0)
    drawn = rng.normal(size=(ITEMS, len(SYSTEMS))) + np.arange(len(SYSTEMS)) / 2
    cells = {(s, str(i)): float(drawn[i, n]) for i in range(ITEMS) for n, s in enumerate(SYSTEMS)}
    return {"good": cells, "loud": {key: float(rng.normal()) for key in cells}}


@pytest.fixture
def table(ratings: dict[str, dict[tuple[str, str], float]]) -> ScoreTable:
    """A good metric, a distance that is as good, one of noise with two parts, one of sets."""
    rng = np.random.default_rng(1)
    rows = list(ratings["good"])
    truth = np.array(list(ratings["good"].values()))
    near = truth + rng.normal(size=len(truth)) / 2
    columns = {
        "Near": Column(("score",), near[:, None]),
        "Far": Column(("score",), -near[:, None], higher_is_better=False),
        "Noise": Column(("p", "r"), rng.normal(size=(len(rows), 2))),
        "Set": Column(("score",), np.arange(5.0)[:, None], level="system"),
    }
    return ScoreTable(rows, columns, {}, {}, "9.9")


def made(seed: int, items: int = 12, systems: int = 5, missing: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Scores and ratings with ties that have something in common, as do outputs of one item and of one system."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(items, 1)) + rng.normal(size=systems)
    x, y = (np.round(shared + rng.normal(size=(items, systems)), 1) for _ in range(2))
    x[rng.random(x.shape) < missing] = np.nan
    return x, y
