import numpy as np
import pytest

from nlgauge_lab.maths import hulls
from nlgauge_lab.maths.hulls import hausdorff


def all_of(points):
    return np.ones((1, len(points)), np.bool_)


def of_all(x, y, tolerance=1e-9):
    x, y = np.asarray(x, float), np.asarray(y, float)
    return float(hausdorff(x, y, all_of(x), all_of(y), tolerance)[0])


SQUARE = [[0, 0], [1, 0], [0, 1], [1, 1]]


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        ([[0.0, 0]], [[3.0, 4]], 5),
        ([[0.5, 2]], [[0, 0], [1, 0]], np.hypot(0.5, 2)),  # the farthest is an end of the segment
        ([[0.2, 3], [0.8, 3]], [[-9, 0], [9, 0]], np.hypot(9.2, 3)),
        (SQUARE, [[0.5, 0.5]], np.sqrt(0.5)),
        (SQUARE, [*SQUARE, [0.3, 0.6]], 0),  # a point inside changes no hull
        (SQUARE, [[2 * a, b] for a, b in SQUARE], 1),
        (SQUARE, [[0, 0], [1, 0], [0, 1]], np.sqrt(0.5)),
    ],
)
def test_distances_by_hand(x, y, expected):
    assert of_all(x, y) == pytest.approx(expected, abs=2e-6)
    assert of_all(y, x) == pytest.approx(expected, abs=2e-6)


def test_it_agrees_with_quadratic_programming_in_many_dimensions():
    optimize = pytest.importorskip("scipy.optimize", reason="needs the dependency group parity")

    def from_hull(point, vertices):
        """Weights >= 0 at sum 1, the sum held by a heavy row."""
        heavy = 1e4
        system = np.concatenate([vertices.T, heavy * np.ones((1, len(vertices)))])
        weights, _ = optimize.nnls(system, np.append(point, heavy), maxiter=1000)
        return np.linalg.norm(point - weights @ vertices / weights.sum())

    rng = np.random.default_rng(1)
    for n, m in ((9, 14), (14, 9), (1, 5)):
        x, y = rng.normal(size=(n, 40)) + 0.3, rng.normal(size=(m, 40))
        exact = max(max(from_hull(p, y) for p in x), max(from_hull(p, x) for p in y))
        assert of_all(x, y) == pytest.approx(exact, rel=1e-5)
        assert exact * (1 - 1e-2) <= of_all(x, y, tolerance=1e-2) <= exact * (1 + 1e-6)


@pytest.mark.parametrize("together", [1, 1000])
def test_each_hull_has_its_own_points(monkeypatch, together):
    monkeypatch.setattr(hulls, "_TOGETHER", together)
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(6, 8)), rng.normal(size=(9, 8))
    of_x, of_y = rng.random((4, 6)) < 0.6, rng.random((4, 9)) < 0.6
    of_x[:, 0] = of_y[:, 0] = True
    got = hausdorff(x, y, of_x, of_y, 1e-9)
    for i in range(4):
        assert got[i] == pytest.approx(of_all(x[of_x[i]], y[of_y[i]]), abs=2e-6)  # each within 1e-6 of the distance
    assert hausdorff(x, x, of_x, of_x) == pytest.approx(0, abs=1e-6)
