"""Transport: exact plans against a linear programme, and entropic ones against their definition."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.maths import transport
from nlgauge.maths.transport import entropic, plans
from nlgauge.maths.vectors import squared_distances


def least_cost(cost: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    """By a general linear programme."""
    optimize = pytest.importorskip("scipy.optimize", reason="needs the dependency group parity")
    n, m = cost.shape
    rows = np.kron(np.eye(n), np.ones(m)), np.kron(np.ones(n), np.eye(m))
    return float(optimize.linprog(cost.ravel(), A_eq=np.vstack(rows), b_eq=np.concatenate([a, b])).fun)


def weights(generator: np.random.Generator, size: int, kind: str) -> np.ndarray:
    if kind == "alike":
        return np.full(size, 1 / size)
    some = generator.integers(0, 4, size).astype(float) if kind == "zeros" else generator.random(size) + 1e-3
    some[0] += 1
    return some / some.sum()


def problems(seed: int, count: int, most: int) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    generator = np.random.default_rng(seed)
    out = []
    for _ in range(count):
        n, m = generator.integers(1, most + 1, 2)
        kinds = generator.choice(["alike", "zeros", "any"], 2)
        # Whole numbers make ties, where a careless pivot goes round for ever.
        cost = generator.integers(0, 4, (n, m)).astype(float) if generator.random() < 0.4 else generator.random((n, m))
        out.append((cost, weights(generator, n, kinds[0]), weights(generator, m, kinds[1])))
    return out


@given(st.integers(0, 100_000))
@settings(max_examples=40, deadline=None)
def test_plans_have_the_margins_and_cost_the_least(seed):
    batch = problems(seed, 8, 7)
    for plan, (cost, a, b) in zip(plans(*zip(*batch, strict=True)), batch, strict=True):
        assert plan.shape == cost.shape and (plan >= 0).all()
        np.testing.assert_allclose(plan.sum(axis=1), a, atol=1e-11)
        np.testing.assert_allclose(plan.sum(axis=0), b, atol=1e-11)
        assert np.count_nonzero(plan) <= sum(cost.shape) - 1
        assert (plan * cost).sum() == pytest.approx(least_cost(cost, a, b), abs=1e-9)


def test_batches_of_any_size_give_the_same(monkeypatch):
    batch = problems(3, 40, 6)
    expected = [(plan * cost).sum() for plan, (cost, *_) in zip(plans(*zip(*batch, strict=True)), batch, strict=True)]
    monkeypatch.setattr(transport, "_CELLS", 30)
    found = [(plan * cost).sum() for plan, (cost, *_) in zip(plans(*zip(*batch, strict=True)), batch, strict=True)]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def with_weights(seed: int, size: int, alike: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random costs have one optimal plan, with probability 1."""
    generator = np.random.default_rng(seed)
    kind = "alike" if alike else "any"
    cost = generator.random((size, size + seed % 3))
    return cost, weights(generator, size, kind), weights(generator, cost.shape[1], kind)


@pytest.mark.parametrize("alike", [True, False])
def test_pot_and_numpy_give_the_same_plan_to_the_last_digit(monkeypatch, alike):
    pytest.importorskip("ot", reason="needs nlgauge[transport]")
    batch = [with_weights(seed, size, alike) for seed, size in enumerate([1, 2, 5, 9, 25, 40])]
    by_pot = plans(*zip(*batch, strict=True))
    for found, problem in zip(by_pot, batch, strict=True):
        (alone,) = plans(*([one] for one in problem))
        np.testing.assert_array_equal(alone, found)
    monkeypatch.setattr(transport, "find_spec", lambda name: None)
    for found, expected in zip(plans(*zip(*batch, strict=True)), by_pot, strict=True):
        np.testing.assert_array_equal(found, expected)


class PotThatErrs:
    """A solver in POT's place, whose flow or prices are wrong in one way; scipy finds what it should have found."""

    def __init__(self, error: str) -> None:
        self.error, self.asked = error, 0

    def emd(self, a: np.ndarray, b: np.ndarray, cost: np.ndarray, **_: object) -> tuple[np.ndarray, dict]:
        self.asked += 1
        optimize = pytest.importorskip("scipy.optimize", reason="needs the dependency group parity")
        n, m = cost.shape
        rows = np.vstack([np.kron(np.eye(n), np.ones(m)), np.kron(np.ones(n), np.eye(m))])
        found = optimize.linprog(cost.ravel(), A_eq=rows, b_eq=np.concatenate([a, b]), method="highs-ds")
        flow, prices = found.x.reshape(n, m), found.eqlin.marginals
        if self.error == "sums":
            flow[0, flow[0].argmax()] += 1
        if self.error == "cost":  # the sums are right, and the plan is not the best
            flow = np.outer(a, b) / a.sum()
        if self.error == "sign":
            flow[:2, :2] += [[-50, 50], [50, -50]]
        if self.error == "prices":
            prices[0] += 1
        return flow, {"u": prices[:n], "v": prices[n:]}


@pytest.mark.parametrize("error", ["none", "sums", "cost", "sign", "prices"])
def test_a_plan_of_pot_is_taken_only_with_its_proof(monkeypatch, error):
    generator = np.random.default_rng(8)
    cost, even = generator.random((4, 4)), np.full(4, 0.25)
    monkeypatch.setattr(transport, "find_spec", lambda name: None)
    (expected,) = plans([cost], [even], [even])
    pot, solved = PotThatErrs(error), []
    monkeypatch.setitem(sys.modules, "ot", pot)
    monkeypatch.setattr(transport, "find_spec", lambda name: name)
    solve = transport._Batch.solve
    monkeypatch.setattr(transport._Batch, "solve", lambda batch: (solved.append(batch), solve(batch))[1])
    (found,) = plans([cost], [even], [even])
    np.testing.assert_array_equal(found, expected)
    assert pot.asked == 1 and len(solved) == (error != "none")


@pytest.mark.parametrize(
    ("cost", "a", "b"),
    [
        (np.ones((2, 3)), [1, 1], [1, 1]),
        (np.full((1, 1), np.nan), [1], [1]),
        (np.ones((1, 2)), [1], [1, -1]),
        (np.ones((1, 2)), [1], [0, 0]),
        (np.ones((1, 2)), [np.inf], [1, 1]),
        (np.ones((0, 2)), [], [1, 1]),
    ],
)
def test_what_is_no_problem_is_refused(cost, a, b):
    with pytest.raises(ValueError, match=r"cost|weights"):
        plans([cost], [np.array(a, float)], [np.array(b, float)])


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
