"""A table that all plots can draw."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nlgauge import ScoreTable
from nlgauge.data.table import Column

N = 20
SYSTEMS = ("Top", "Near", "Far")


@pytest.fixture
def table() -> ScoreTable:
    """Top and Near are alike, Far is worse; a distance, two parts with a detail, and a corpus-level metric."""
    rng = np.random.default_rng(7)
    item = rng.normal(size=N)
    noise = rng.normal(0, 0.3, N)
    values = np.concatenate([item + 3.02, item + 3 + noise - noise.mean(), item + noise])
    missing = values.copy()
    missing[0], missing[1] = math.nan, math.inf
    columns = {
        "Score": Column(("score",), values[:, None]),
        "Distance(k=1)": Column(("score",), 9 - values[:, None], higher_is_better=False),
        "Parts": Column(("f", "words"), np.stack([missing, values], 1), {0: "empty"}, details=("words",)),
        "Set": Column(("score",), np.array([[0.5], [0.25], [0.75]]), level="system"),
    }
    return ScoreTable([(system, str(i)) for system in SYSTEMS for i in range(N)], columns, {}, {"rows": 3 * N}, "0")


@pytest.fixture
def ratings(table: ScoreTable) -> dict[str, dict[tuple[str, str], float]]:
    """One aspect that is Score, and one that is noise."""
    noise = np.random.default_rng(1).normal(size=len(table.rows))
    score = table.values("Score")
    return {
        "good": dict(zip(table.rows, score.tolist(), strict=True)),
        "loud": dict(zip(table.rows, noise.tolist(), strict=True)),
    }
