"""Least squares: against scipy, closed forms, and the conditions that tell a best solution without knowing it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from nlgauge.stats.fitting import nonnegative, ridge

SMALL = st.floats(-3, 3).map(lambda x: round(x, 2))


@pytest.mark.parametrize("seed", range(30))
def test_the_solution_is_scipys(seed: int) -> None:
    optimize = pytest.importorskip("scipy.optimize", reason="needs the dependency group parity")
    rng = np.random.default_rng(seed)
    n, size = int(rng.integers(20, 200)), int(rng.integers(1, 15))
    A = rng.normal(size=(n, size)) + rng.normal(size=(n, 1))  # features have much in common, as metrics have
    b = A @ rng.normal(size=size) + rng.normal(size=n)
    found = nonnegative(A, b)
    assert_allclose(found.coefficients, optimize.nnls(A, b)[0], atol=1e-9)
    assert found.violation < 1e-10
    assert (found.coefficients >= 0).all()


ODD_FEATURES = arrays(float, st.tuples(st.integers(1, 12), st.integers(1, 6)), elements=SMALL)
"""Copies, zeros and fewer rows than features included"""


@settings(max_examples=200, deadline=None)
@given(ODD_FEATURES, st.integers(0, 5))
def test_optimal_whatever_the_features(A: np.ndarray, seed: int) -> None:
    optimize = pytest.importorskip("scipy.optimize", reason="needs the dependency group parity")
    b = np.random.default_rng(seed).normal(size=len(A))
    found = nonnegative(A, b)
    assert found.violation < 1e-8
    assert (found.coefficients >= 0).all()
    assert_allclose(np.linalg.norm(b - A @ found.coefficients), optimize.nnls(A, b)[1], atol=1e-8)


def test_ridge_is_its_normal_equation() -> None:
    rng = np.random.default_rng(1)
    A, b = rng.normal(size=(40, 5)), rng.normal(size=40)
    for penalty, x in zip((1e-6, 0.1, 10.0), ridge(A, b, (1e-6, 0.1, 10.0)), strict=True):
        assert_allclose((A.T @ A / 40 + penalty * np.eye(5)) @ x, A.T @ b / 40, atol=1e-12)
