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


def test_one_dimension_is_the_means_and_the_deviations():
    x, y = np.array([[0.0], [2.0], [7.0]]), np.array([[1.0], [5.0]])
    found = frechet(x, y)
    assert found.means == pytest.approx(0)
    assert found.spreads == pytest.approx((x.std(ddof=1) - y.std(ddof=1)) ** 2)
    assert found.distance == found.means + found.spreads


@pytest.mark.parametrize(("n", "m"), [(50, 80), (9, 40)])
def test_as_the_root_of_the_product_of_covariances(n, m):
    x, y = clouds(n, m)
    assert frechet(x, y).distance == pytest.approx(plain(x, y), rel=1e-8)


def test_covariances_that_commute():
    """Of orthogonal directions, the difference of deviations in each."""
    x = np.array([[1.0, 0], [-1, 0], [0, 3], [0, -3]])
    assert frechet(x, 2 * x).spreads == pytest.approx(np.square(x.std(0, ddof=1)).sum(), rel=1e-12)


def test_fewer_points_than_dimensions_is_finite_and_equal_sets_are_at_zero():
    generator = np.random.default_rng(1)
    x, y = generator.normal(size=(5, 384)).astype(np.float32), generator.normal(size=(7, 384)).astype(np.float32)
    assert np.isfinite(frechet(x, y)).all() and min(frechet(x, y)) >= 0
    assert frechet(x, x).distance == pytest.approx(0, abs=1e-10)
    assert frechet(x, x[::-1]).distance == pytest.approx(0, abs=1e-10)
