import numpy as np
import pytest

from nlgauge.metrics.frechet_distance import FrechetDistance, frechet


def test_the_distance_and_its_two_terms():
    x, y = np.array([[0.0], [2.0], [7.0]]), np.array([[4.0], [8.0]])
    found = FrechetDistance().compare(x, y)
    assert found.parts == tuple(frechet(x, y)) and found.notes == ()
    assert found.parts[1] == pytest.approx(9)
    assert found.parts[2] == pytest.approx((x.std(ddof=1) - y.std(ddof=1)) ** 2)
    assert not FrechetDistance().higher_is_better
