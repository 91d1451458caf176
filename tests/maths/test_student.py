"""Student's tail and quantile against scipy and closed forms."""

from __future__ import annotations

import math

import pytest
from numpy.testing import assert_allclose

from nlgauge.maths.intervals import student_quantile, student_tail


def test_students_tail_as_scipy() -> None:
    stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
    for df in (1, 2, 3, 13, 47, 500, 10_000):
        for t in (0, 1e-3, 0.4, 0.8160781865, 1.6, 3, 12, 60, -0.7, -5):
            assert_allclose(student_tail(t, df), stats.t.sf(t, df), rtol=1e-10)


def test_students_tail_in_closed_form() -> None:
    for t in (1e-9, 0.3, 7.0, 1e5):
        assert_allclose(student_tail(t, 1), math.atan2(1, t) / math.pi, rtol=1e-12)
        assert_allclose(student_tail(t, 2), 1 / (2 + t * t + t * math.sqrt(2 + t * t)), rtol=1e-12)
    assert (student_tail(math.inf, 5), student_tail(-math.inf, 5)) == (0, 1)


def test_the_quantile_gives_the_tail_back() -> None:
    for df in (1, 2, 3.5, 19, 98, 5000):
        for p in (0.001, 0.025, 0.3, 0.5, 0.6, 0.975, 0.99999):
            assert_allclose(student_tail(student_quantile(p, df), df), 1 - p, rtol=1e-9)
    assert_allclose(student_quantile(0.975, 2), 0.95 * math.sqrt(2 / (1 - 0.95**2)), rtol=1e-12)
    assert_allclose(student_quantile(0.025, 1), -math.tan(math.pi * 0.475), rtol=1e-12)
