"""Pairs counted quickly are those of a literal count."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.testing import assert_allclose

from nlgauge.stats.coefficients import close_pairs, count_pairs, dense


def test_all_ways_of_counting_agree_on_samples_with_ties_missing_values_and_copies() -> None:
    rng = np.random.default_rng(0)
    for n in (2, 5, 17, 40):
        x, y = rng.integers(0, 4, (3, n)).astype(float), rng.integers(0, 3, (3, n)).astype(float)
        x[rng.random(x.shape) < 0.1] = np.nan
        ids = rng.integers(0, n, (3, n)).astype(np.int32)
        # Cells that were drawn twice hold the same numbers.
        x, y = np.take_along_axis(x, ids, -1), np.take_along_axis(y, ids, -1)
        quick, slow = count_pairs(dense(x), dense(y), ids), close_pairs(x, y, ids, 0.0)
        assert_allclose(quick, slow)
        for sample, (row, copies) in enumerate(zip(x.tolist(), ids.tolist(), strict=True)):
            cells = [(value, cell) for value, cell in zip(row, copies, strict=True) if value == value]
            expected = sum(one[1] != other[1] for one, other in itertools.combinations(cells, 2))
            assert quick.all[sample] == expected


def test_differences_up_to_a_threshold_are_ties() -> None:
    x, y = np.array([[0.0, 0.5, 1.0, 2.0]]), np.array([[1.0, 1.0, 2.0, 0.0]])
    strict, loose = close_pairs(x, y, None, 0.0), close_pairs(x, y, None, 0.5)
    assert [float(count[0]) for count in strict] == [2, 3, 0, 1, 0]
    assert [float(count[0]) for count in loose] == [1, 3, 1, 0, 1]
