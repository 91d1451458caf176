"""Means with their intervals: a literal bootstrap, and what has no interval."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nlgauge.data.table import intervals as module
from nlgauge.maths.intervals import expanded
from tests.score_tables import one


def _ends(level: float, n: int) -> tuple[float, float]:
    return (1 - expanded(level, n)) / 2, (1 + expanded(level, n)) / 2


def test_the_interval_is_that_of_a_literal_bootstrap() -> None:
    values = np.random.default_rng(3).normal(size=23)
    got = one(values.tolist()).by_system(confidence=0.9, replicates=200, seed=7)[0]
    picks = np.random.default_rng([7, 23]).integers(0, 23, (200, 23), dtype=np.int32)
    means = sorted(sum(values[i] for i in pick) / 23 for pick in picks)

    def quantile(share: float) -> float:
        place = share * (len(means) - 1)
        below = math.floor(place)
        return means[below] + (place - below) * (means[min(below + 1, len(means) - 1)] - means[below])

    assert got.mean == pytest.approx(values.mean(), abs=1e-12)
    low, high = _ends(0.9, 23)
    assert 0.035 < low < 0.05
    assert (got.low, got.high) == pytest.approx((quantile(low), quantile(high)), abs=1e-12)


def test_the_interval_of_many_items_is_that_of_a_literal_bootstrap_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_DRAWN_AT_ONCE", 1)
    values = np.random.default_rng(4).normal(size=20)
    got = one(values.tolist()).by_system(replicates=50, seed=1)[0]
    generator = np.random.default_rng([1, 20])
    means = [values[generator.integers(0, 20, 20, dtype=np.int32)].mean() for _ in range(50)]
    assert (got.low, got.high) == pytest.approx(np.quantile(means, _ends(0.95, 20)), abs=1e-12)
