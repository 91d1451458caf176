"""Williams' test against the numbers of R."""

from __future__ import annotations

import math

import pytest
from numpy.testing import assert_allclose

from nlgauge.errors import InputError
from nlgauge.stats.contrast import williams

# t, p with n - 3 and n - 2 degrees of freedom: the specification's numbers, the first of which R's package prints.
WILLIAMS = [
    ((0.65, 0.55, 0.3, 50), 0.8160781865467162, 0.20928617286753579, 0.20924348296400863),
    ((0.888, 0.776, 0.80, 16), 1.4062061300401407, 0.09155691355501504, 0.09073467800179279),
    (
        (0.832697365507166, 0.600862600673365, 0.558064291449148, 16),
        1.6031162432689385, 0.06645889264879408, 0.06561205335088006,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("given", "t", "p", "p_of_r"), WILLIAMS)
def test_williams(given: tuple[float, float, float, int], t: float, p: float, p_of_r: float) -> None:
    found = williams(*given)
    assert_allclose((found.t, found.p, found.two_sided), (t, p, 2 * p), rtol=1e-10)
    assert found.df == given[3] - 3
    assert_allclose(williams(*given, df="n-2").p, p_of_r, rtol=1e-10)
    r12, r13, r23, n = given
    assert_allclose(williams(r13, r12, r23, n).p, 1 - p, rtol=1e-10)
    assert_allclose(williams(r13, r12, r23, n).two_sided, 2 * p, rtol=1e-10)


def test_williams_at_its_edges() -> None:
    assert williams(0.5, 0.5, 1, 20).p == 0.5
    assert math.isnan(williams(math.nan, 0.5, 0.5, 20).p)
    for bad in ((0.9, -0.9, 0.9, 20), (1.5, 0, 0, 20), (0.5, 0.4, 0.3, 3)):
        with pytest.raises(InputError):
            williams(*bad)
    with pytest.raises(InputError, match="n-2"):
        williams(0.5, 0.4, 0.3, 9, df="n")
