import numpy as np
import pytest

from nlgauge.maths.vectors import distances, greedy_match, run_means, runs, unit

RNG = np.random.default_rng(3)


def test_unit_vectors_have_length_1_and_nothing_stays_nothing():
    vectors = RNG.normal(size=(2, 4, 5)).astype(np.float32)
    vectors[1, 2] = 0
    got = unit(vectors)
    lengths = np.linalg.norm(got, axis=-1)
    assert got.dtype == np.float64 and lengths[1, 2] == 0
    assert np.delete(lengths.ravel(), 6) == pytest.approx(1, abs=1e-15)


def test_distances_are_euclidean_even_where_points_nearly_fall_together():
    x = RNG.normal(size=(6, 9)) + 1e3
    y = np.concatenate([x[:2], x[2:4] + 1e-5 * RNG.normal(size=(2, 9)), RNG.normal(size=(3, 9))])
    literal = np.array([[np.sqrt(((a - b) ** 2).sum()) for b in y] for a in x])
    np.testing.assert_allclose(distances(x, y), literal, rtol=1e-9)
    assert distances(x, y)[0, 0] == distances(x, y)[1, 1] == 0
    assert distances(np.zeros((1, 3)), np.zeros((1, 3))) == 0


def test_runs_and_their_means():
    numbers = np.array([0, 0, 1, 4, 4])
    offsets = np.array([[0, 2], [2, 5], [6, 7], [8, 9], [9, 12]], np.int32)
    starts, places = runs(numbers, offsets)
    assert starts.tolist() == [0, 2, 3]
    assert places.tolist() == [[0, 5], [6, 7], [8, 12]]
    vectors = np.arange(10, dtype=np.float32).reshape(5, 2)
    np.testing.assert_allclose(run_means(vectors, starts), [[1, 2], [4, 5], [7, 8]])


def test_greedy_match_by_hand():
    similarity = np.array([[0.9, 0.1, 0.2], [0.4, 0.3, 0.8]])
    precision, recall, f1 = greedy_match(similarity, np.array([0.25, 0.75]), np.array([0.5, 0.5, 0.0]))
    assert precision == pytest.approx(0.25 * 0.9 + 0.75 * 0.8)
    assert recall == pytest.approx((0.9 + 0.3) / 2)
    assert f1 == pytest.approx(2 / (1 / precision + 1 / recall))
