import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.maths.transport import entropic, plans
from nlgauge.maths.vectors import squared_distances

COST = np.array(
    [
        [0.032267761994233514, 1.38469928886787, 1.2449088324613111, 0.4057219270470465],
        [1.1796955107680334, 0.0748974143430238, 1.5397713173741034, 0.3404511532025572],
    ]
)


def problem(seed: int, n: int, m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    x, y = generator.normal(size=(n, 3)), generator.normal(size=(m, 3))
    a, b = generator.random(n) + 0.05, generator.random(m) + 0.05
    return x, y, a / a.sum(), b / b.sum(), squared_distances(x, y)


@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(1, 6), st.sampled_from([10.0, 1.0, 0.1]))
@settings(max_examples=40, deadline=None)
def test_margins_hold_and_the_objective_is_the_plans(seed, n, m, regularisation):
    _, _, a, b, cost = problem(seed, n, m)
    found = entropic(cost, a, b, regularisation)
    assert found.error < 1e-9
    np.testing.assert_allclose(found.plan.sum(axis=1), a, atol=1e-9)
    np.testing.assert_allclose(found.plan.sum(axis=0), b, atol=1e-9)
    kl = (found.plan * np.log(found.plan / np.outer(a, b))).sum()
    assert found.plan_cost == pytest.approx((found.plan * cost).sum(), abs=1e-12)
    assert found.objective == pytest.approx(found.plan_cost + regularisation * kl, abs=1e-8)


def test_from_the_independent_plan_to_the_exact_one():
    a, b = np.array([0.4, 0.6]), np.array([0.3, 0.2, 0.1, 0.4])
    assert entropic(COST, a, b, 1e6).plan_cost == pytest.approx(a @ COST @ b, rel=1e-5)
    (exact,) = plans([COST], [a], [b])
    assert entropic(COST, a, b, 1e-3).plan_cost == pytest.approx((exact * COST).sum(), abs=1e-4)
    assert np.isfinite(entropic(COST, a, b, 1e-6).plan).all()
