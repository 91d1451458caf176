import numpy as np
import pytest

from nlgauge.metrics.frechet_distance import frechet


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
