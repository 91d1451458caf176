"""Corrections against worked numbers and scipy; clusters."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge.stats.corrections import CORRECTIONS, benjamini_hochberg, benjamini_yekutieli, clusters, holm


def test_corrections() -> None:
    p = [0.01, 0.04, math.nan, 0.03, 0.6]
    assert_allclose(holm(p), [0.04, 0.09, math.nan, 0.09, 0.6])
    assert_allclose(benjamini_hochberg(p), [0.04, 0.16 / 3, math.nan, 0.16 / 3, 0.6])
    assert holm([0.7, 0.9]).max() == 1
    assert len(holm([])) == len(benjamini_hochberg([])) == 0
    assert_allclose(CORRECTIONS["none"](p), p)


def test_false_discoveries_as_scipy() -> None:
    stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
    p = np.random.default_rng(1).random(40) ** 2
    assert_allclose(benjamini_hochberg(p), stats.false_discovery_control(p))
    assert_allclose(benjamini_yekutieli(p), stats.false_discovery_control(p, method="by"))
    assert math.isnan(benjamini_yekutieli([math.nan, 0.01])[0])


def test_clusters() -> None:
    values = [0.2, 0.9, 0.8, math.nan, 0.5]
    different = np.zeros((5, 5), bool)
    for i, j in ((1, 4), (1, 0), (2, 0), (4, 0)):
        different[i, j] = different[j, i] = True
    assert clusters(values, different) == [3, 1, 1, 4, 2]
    assert clusters([0.1, 0.2], np.zeros((2, 2), bool)) == [1, 1]
    assert clusters([], np.zeros((0, 0), bool)) == []
