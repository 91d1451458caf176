"""How well unsupported words are found, by hand and against all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge_lab.maths.detection import detection, resampled_area


def test_detection_by_hand():
    found = detection(np.array([0.1, 0.2, 0.6, 0.9]), np.array([0, 1, 0, 1]))
    assert found == {"auc": 0.75, "f1": 0.5, "best_f1": 0.8, "threshold": 0.75}
    assert np.isnan(detection(np.array([0.1]), np.array([1]))["auc"])
    # As minus the share of unsupported words: more than none of them is too many.
    found = detection(np.array([-0.5, 0.0, -0.1, 0.0]), np.array([0, 1, 1, 0]), threshold=0.0)
    assert found == {"auc": 0.625, "f1": 0.5, "best_f1": 0.6667, "threshold": -0.3}
    assert detection(np.array([2.0, 3.0]), np.array([1, 0]))["threshold"] == 3.0
    assert detection(np.array([0.2, 0.6, 0.4]), np.array([0, 0, 1]))["threshold"] == pytest.approx(0.8)


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.2, 0.5, 0.7, 1.0]), st.booleans()), min_size=2, max_size=40))
def test_the_area_is_the_share_of_pairs_in_the_right_order(some):
    values, truth = np.array([v for v, _ in some]), np.array([int(t) for _, t in some])
    found = detection(values, truth)
    wrong, right = values[truth == 0], values[truth == 1]
    if not len(wrong) or not len(right):
        assert np.isnan(found["auc"])
        return
    pairs = (wrong[:, None] < right).mean() + (wrong[:, None] == right).mean() / 2
    assert found["auc"] == pytest.approx(pairs, abs=1e-4)
    hit = ((values < 0.5) & (truth == 0)).sum()
    assert found["f1"] == pytest.approx(2 * hit / ((values < 0.5).sum() + len(wrong)), abs=1e-4)


def test_the_area_of_resampled_sources():
    rng = np.random.default_rng(0)
    truth = np.tile([0, 1], 40)
    values, sources = truth + rng.normal(0, 1, 80), np.repeat(np.arange(40), 2)
    low, high = resampled_area(values, truth, sources, 200, rng)
    assert low < detection(values, truth)["auc"] < high
    assert np.isnan(resampled_area(values, truth, np.zeros(80, int), 200, rng)).all()
    assert np.isnan(resampled_area(values, np.ones(80, int), sources, 5, rng)).all()
