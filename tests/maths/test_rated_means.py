"""Intervals of rated means: which formula stands where, against the pieces that they are made of."""

from __future__ import annotations

import numpy as np
import pytest

from nlgauge.maths import prediction_powered as ppi
from nlgauge.maths.intervals import effective_groups, share_interval, student_quantile
from nlgauge.maths.prediction_powered import Design, interval
from nlgauge.maths.rated_means import MeanInterval, rated_means

SIZES = np.array([1, 2, 9, 3, 1, 4, 12, 2, 5, 1, 3, 7] * 2)
CLUSTERS = np.repeat(np.arange(len(SIZES)), SIZES)


def drawn(shares: bool) -> tuple[np.ndarray, np.ndarray, Design]:
    """Ratings, scores and the design of a set of which the first twelve clusters are rated."""
    rng = np.random.default_rng(4)
    y = rng.normal(size=len(CLUSTERS)) + rng.normal(size=len(SIZES))[CLUSTERS]
    y = (y > 0).astype(float) if shares else y
    return y, y + rng.normal(size=len(y)), Design(CLUSTERS < 12, np.zeros(len(y), np.intp), None, CLUSTERS)


@pytest.mark.parametrize("shares", [True, False])
def test_clusters_of_unequal_size_leave_their_degrees_of_freedom(shares: bool) -> None:
    y, x, design = drawn(shares)
    scale = (0.0, 1.0) if shares else None
    mean, alone = rated_means(y, x, design, scale)
    sizes = SIZES[:12].astype(float)
    freedom = effective_groups(sizes) - 1
    assert freedom < 7 and mean.weight != 0 and alone.weight == 0
    for one in (mean, alone):
        found = MeanInterval([one], sizes, 1, CLUSTERS, True, scale, shares).ends(0.9)
        if shares:
            assert found == pytest.approx(share_interval(one.mean, one.items, 0.9, freedom))
        else:
            moved, cautious = ppi.totals(one.moved, CLUSTERS), ppi.totals(one.cautious, CLUSTERS)
            assert found == interval(one.mean, moved, cautious, 12, 11, 0.9, most=freedom)
            assert found != interval(one.mean, moved, cautious, 12, 11, 0.9)
    assert mean.items / alone.items == pytest.approx(
        float((ppi.totals(alone.cautious, CLUSTERS) ** 2).sum() / (ppi.totals(mean.cautious, CLUSTERS) ** 2).sum())
    )


def test_the_most_degrees_of_freedom_are_those_of_the_quantile() -> None:
    influence = np.array([1.0, -1.0] * 6)
    low, high = interval(0.0, influence, influence, 12, 11, 0.95, most=3.5)
    assert high == -low == pytest.approx(student_quantile(0.975, 3.5) * np.sqrt(12 * 11 / 12))
