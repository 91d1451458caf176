"""Sets: the distance of Frechet as scipy has it, and curves of precision and recall."""

from __future__ import annotations

import numpy as np
import pytest

from nlgauge.metrics.frechet_distance import frechet
from nlgauge.metrics.prd import curve, k_means


def plain(x, y):
    linalg = pytest.importorskip("scipy.linalg", reason="needs the dependency group parity")
    root = linalg.sqrtm(np.cov(x.T) @ np.cov(y.T)).real
    return np.square(x.mean(0) - y.mean(0)).sum() + np.trace(np.cov(x.T) + np.cov(y.T) - 2 * root)


def clouds(n, m):
    generator = np.random.default_rng(n)
    return generator.normal(size=(n, 6)) @ generator.normal(size=(6, 6)), generator.normal(size=(m, 6)) + 0.3


@pytest.mark.parametrize(("n", "m"), [(50, 80), (9, 40)])
def test_as_the_root_of_the_product_of_covariances(n, m):
    x, y = clouds(n, m)
    assert frechet(x, y).distance == pytest.approx(plain(x, y), rel=1e-8)


def test_fewer_points_than_dimensions_is_finite_and_equal_sets_are_at_zero():
    generator = np.random.default_rng(1)
    x, y = generator.normal(size=(5, 384)).astype(np.float32), generator.normal(size=(7, 384)).astype(np.float32)
    assert np.isfinite(frechet(x, y)).all() and min(frechet(x, y)) >= 0
    assert frechet(x, x).distance == pytest.approx(0, abs=1e-10)
    assert frechet(x, x[::-1]).distance == pytest.approx(0, abs=1e-10)


UNIFORM = [0.25] * 4


@pytest.mark.parametrize(
    ("evaluated", "reference", "f8", "f1_8", "even", "most"),
    [
        ([0.5, 0.3, 0.2, 0], UNIFORM, 0.7471009030891966, 0.9848288753231104, 0.7, (1, 0.75)),
        ([0.5, 0.5, 0, 0], UNIFORM, 0.503863187265047, 0.9848288753231104, 0.5, (1, 0.5)),
        (UNIFORM, [0.5, 0.5, 0, 0], 0.9848288755112427, 0.5038631872156727, 0.5, (0.5, 1)),
        ([0.4, 0.6], [0.4, 0.6], 0.9999999999984613, 0.9999999999015382, 1, (1, 1)),
        ([1.0, 0], [0, 1.0], 0, 0, 0, (0, 0)),
    ],
)
def test_the_golden_curves(evaluated, reference, f8, f1_8, even, most):
    found = curve(np.array(evaluated, float), np.array(reference, float))
    assert found.f_score(8) == pytest.approx(f8, abs=1e-12)
    assert found.f_score(1 / 8) == pytest.approx(f1_8, abs=1e-12)
    assert found.even == pytest.approx((even, even), abs=1e-12)
    assert (found.precision.max(), found.recall.max()) == pytest.approx(most, abs=1e-12)


def test_clusters_far_apart_are_found():
    points = np.random.default_rng(0).normal(size=(35, 5)) + 30 * np.repeat([0, 1, 2], [10, 20, 5])[:, None]
    labels = k_means(points, 3, np.random.default_rng(0))
    assert len({*labels[:10]}) == len({*labels[10:30]}) == len({*labels[30:]}) == 1
    assert len({*labels}) == 3
