import numpy as np
import pytest

from nlgauge.maths.barycenters import layer_barycenters
from nlgauge.maths.transport import plans
from nlgauge.maths.vectors import squared_distances

# Three layers of four and three tokens (the reference specification's worked example), and what came out of it.
CANDIDATE = [
    [[1.0, 0.2, 0.1], [0.1, 1.0, 0.3], [0.0, 0.2, 1.0], [0.7, 0.7, 0.1]],
    [[0.9, 0.3, 0.0], [0.2, 0.9, 0.2], [0.1, 0.1, 0.8], [0.6, 0.8, 0.2]],
    [[1.1, 0.1, 0.2], [0.0, 0.8, 0.5], [0.2, 0.0, 0.9], [0.9, 0.6, 0.0]],
]
REFERENCE = [
    [[0.9, 0.1, 0.3], [0.2, 1.0, 0.1], [0.3, 0.3, 0.9]],
    [[1.0, 0.0, 0.2], [0.3, 0.9, 0.0], [0.2, 0.4, 0.8]],
    [[0.8, 0.2, 0.2], [0.1, 1.1, 0.2], [0.4, 0.1, 1.0]],
]


def unit(cloud) -> np.ndarray:
    cloud = np.array(cloud, float)
    return cloud / np.linalg.norm(cloud, axis=2, keepdims=True)


def objective(points: np.ndarray, a: np.ndarray, cloud: np.ndarray, b: np.ndarray) -> float:
    """Mean squared Wasserstein distance to the layers."""
    costs = [squared_distances(points, layer) for layer in cloud]
    found = plans(costs, [a] * len(costs), [b] * len(costs))
    return float(np.mean([(plan * cost).sum() for plan, cost in zip(found, costs, strict=True)]))


def alike(size: int) -> np.ndarray:
    return np.full(size, 1 / size)


def test_the_worked_example():
    clouds = [unit(CANDIDATE), unit(REFERENCE)]
    found = layer_barycenters(clouds, [alike(4), alike(3)])
    for one, cloud, expected in zip(found, clouds, (0.0205990608, 0.0168202064), strict=True):
        assert one.certified and one.steps == 0
        np.testing.assert_allclose(one.points, cloud.mean(axis=0))
        weights = alike(len(one.points))
        assert objective(one.points, weights, cloud, weights) == pytest.approx(expected, abs=1e-10)
    np.testing.assert_allclose(found[0].points[0], [0.9681804, 0.2001650, 0.0919214], atol=1e-7)


def test_uniform_points_of_weighted_layers_as_in_the_worked_example():
    clouds = [unit(CANDIDATE), unit(REFERENCE)]
    weights = [np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.5, 0.3, 0.2])]
    found = layer_barycenters(clouds, weights, [alike(4), alike(3)])
    values = [
        objective(one.points, alike(len(one.points)), cloud, mass)
        for one, cloud, mass in zip(found, clouds, weights, strict=True)
    ]
    np.testing.assert_allclose(values, [0.0821763612, 0.1194838349], atol=1e-8)
    assert not any(one.certified for one in found)


def test_layers_that_swap_two_tokens_are_not_certified():
    one = np.array([[0.0, 1.0], [1.0, 0.0]])
    cloud = np.stack([one, one, one[::-1] + 1e-3])
    (found,) = layer_barycenters([cloud], [alike(2)])
    assert not found.certified and found.steps >= 1
    assert objective(found.points, alike(2), cloud, alike(2)) < 1e-5
