"""Coefficients and levels against scipy, literal pair counts and worked numbers, with ties and missing values."""

from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge.stats.coefficients import COEFFICIENTS, correlation, direction, soft_accuracy, superiority
from nlgauge.stats.correlation import LEVELS, calibrated, coefficient, estimate, means

SCIPY: dict[str, tuple[str, dict[str, str]]] = {
    "pearson": ("pearsonr", {}),
    "spearman": ("spearmanr", {}),
    "kendall": ("kendalltau", {}),
    "kendall_c": ("kendalltau", {"variant": "c"}),
}
"""The functions of scipy.stats and their options"""
OF_PAIRS = ["kendall", "kendall_10", "kendall_13", "kendall_14", "kendall_eq", "accuracy"]


def sample(seed: int, n: int, missing: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    """Two vectors with ties and missing values, each of its own."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, rng.integers(2, n + 2), n) / 7
    y = rng.integers(0, rng.integers(2, 9), n).astype(float)
    x[rng.random(n) < missing], y[rng.random(n) < missing] = np.nan, np.nan
    return x, y


def by_scipy(name: str, x: np.ndarray, y: np.ndarray) -> float:
    stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
    function, options = SCIPY[name]
    known = ~(np.isnan(x) | np.isnan(y))
    if known.sum() < 2:
        return math.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(getattr(stats, function)(x[known], y[known], **options)[0])


@pytest.mark.parametrize("name", SCIPY)
def test_as_scipy_with_ties_and_missing_values(name: str) -> None:
    for seed in range(150):
        x, y = sample(seed, 2 + seed % 45)
        assert_allclose(correlation(x, y, name), by_scipy(name, x, y), atol=1e-12, err_msg=f"seed {seed}")


@pytest.mark.parametrize("name", OF_PAIRS)
def test_as_a_count_of_all_pairs(name: str) -> None:
    for seed in range(40):
        x, y = sample(seed, 2 + seed % 23)
        assert_allclose(correlation(x, y, name), by_pairs(name, x, y), atol=1e-12, err_msg=f"seed {seed}")


def test_superiority_is_a_paired_test() -> None:
    stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
    rng = np.random.default_rng(2)
    x = rng.normal([0, 0.5, 3], size=(12, 3))
    p = superiority(x, 4000)
    for i, j in itertools.combinations(range(3), 2):
        exact = stats.permutation_test(
            (x[:, i], x[:, j]),
            lambda a, b, axis: (a - b).mean(axis),
            vectorized=True,
            permutation_type="samples",
            alternative="greater",
            n_resamples=np.inf,
        ).pvalue
        assert_allclose(p[i, j], exact, atol=0.03)
        assert p[i, j] + p[j, i] == pytest.approx(1)
    assert superiority(np.ones((5, 2)))[0, 1] == 0.5
    assert np.isnan(superiority(np.array([[1, np.nan], [np.nan, 2]]))).all()


def test_soft_accuracy() -> None:
    p, q = np.full((3, 3), np.nan), np.full((3, 3), np.nan)
    for (i, j), (a, b) in {(0, 1): (0.1, 0.3), (0, 2): (0.5, 0.5), (1, 2): (1.0, 0.0)}.items():
        p[i, j], q[i, j] = a, b
    assert soft_accuracy(p, q) == pytest.approx((0.8 + 1 + 0) / 3)
    assert soft_accuracy(p, q, np.array([0, 0, 1])) == pytest.approx(0.5)
    x = superiority(np.random.default_rng(0).normal(size=(3, 4)))
    assert soft_accuracy(x, x) == 1


def by_pairs(name: str, x: np.ndarray, y: np.ndarray, epsilon: float = 0.0) -> float:
    """A coefficient of pairs as it is written: every pair looked at."""
    c = d = m = h = both = 0
    known = [(a, b) for a, b in zip(x, y, strict=True) if a == a and b == b]
    for (a, p), (b, q) in itertools.combinations(known, 2):
        x_tied, y_tied = abs(a - b) <= epsilon, p == q
        both += x_tied and y_tied
        m += x_tied and not y_tied
        h += y_tied and not x_tied
        c += not x_tied and not y_tied and (a > b) == (p > q)
        d += not x_tied and not y_tied and (a > b) != (p > q)
    part, whole = {
        "kendall": (c - d, math.sqrt((c + d + m) * (c + d + h))),
        "kendall_10": (c - d - m, c + d + m),
        "kendall_13": (c - d, c + d),
        "kendall_14": (c - d, c + d + m),
        "kendall_eq": (c + both - d - m - h, c + d + m + h + both),
        "accuracy": (c + both, c + d + m + h + both),
    }[name]
    return part / whole if whole else math.nan


# The toy of the reference specification, section 8.6: three texts, four systems.
F = np.array([[0.9, 0.7, 0.4, 0.6], [0.8, 0.75, 0.5, 0.3], [0.2, 0.9, 0.1, 0.4]])
H = np.array([[5.0, 4, 2, 2], [4, 4, 3, 1], [2, 5, 1, 3]])
TOY = {
    "pooled": (0.9135538545489752, 0.9214074437168107, 0.8278327231656524),
    "item": (0.9528287054251353, 0.9657888653670094, 0.941913952783518),
    "system": (0.975821049500252, 0.9486832980505139, 0.9128709291752769),
}


@pytest.mark.parametrize("level", LEVELS)
def test_the_worked_numbers(level: str) -> None:
    found = [estimate(F, H, COEFFICIENTS[name], level) for name in ("pearson", "spearman", "kendall")]
    assert_allclose([one.value for one in found], TOY[level], atol=1e-12)
    assert {(one.n, one.undefined, one.reason) for one in found} == {
        ({"pooled": 12, "item": 3, "system": 4}[level], 0, None)
    }


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall", "kendall_c"])
def test_constant_vectors_have_no_correlation_but_a_reason(name: str) -> None:
    constant, y = np.full((4, 3), 0.1), np.arange(12.0).reshape(4, 3)
    for level in LEVELS:
        where = " within every item" if level == "item" else ""
        for x, rated, reason in ((constant, y, "the metric is"), (y, constant, "the ratings are")):
            found = estimate(x, rated, COEFFICIENTS[name], level)
            assert math.isnan(found.value)
            assert found.reason == f"{reason} constant{where}"


def test_system_means_are_over_the_cells_that_both_have() -> None:
    x, y = F.copy(), H.copy()
    x[0, 0], y[1, 2] = np.nan, np.nan
    one, two = means(x, y)
    assert_allclose(one, [0.5, np.mean(F[:, 1]), (0.4 + 0.1) / 2, np.mean(F[:, 3])])
    assert_allclose(two, [3, H[:, 1].mean(), 1.5, 2])


def test_tie_calibration_finds_the_best_threshold_of_all() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 3, (4, 6)).astype(float)
        x = np.round(y + rng.normal(size=y.shape), 2)
        x[rng.random(x.shape) < 0.1] = np.nan
        steps = [abs(a - b) for row in x for a, b in itertools.combinations(row, 2) if a == a and b == b]
        tried = {
            epsilon: np.nanmean([by_pairs("accuracy", a, b, epsilon) for a, b in zip(x, y, strict=True)])
            for epsilon in [0.0, *sorted(steps)]
        }
        best = max(tried.values())
        kind = coefficient("accuracy_calibrated", x, y, "item")
        assert_allclose(estimate(x, y, kind, "item").value, best, atol=1e-12)
        assert kind.epsilon == min(epsilon for epsilon, value in tried.items() if value > best - 1e-12)
        assert best >= estimate(x, y, COEFFICIENTS["accuracy"], "item").value - 1e-12


def test_no_pair_no_threshold() -> None:
    assert calibrated(np.array([[1.0]]), np.array([[1.0]])) == 0


def plain_direction(x: np.ndarray, known: np.ndarray) -> np.ndarray:
    """The definition, with numpy's own reductions along rows."""
    spread = np.where(known, x, -np.inf).max(-1, initial=-np.inf) > np.where(known, x, np.inf).min(-1, initial=np.inf)
    with np.errstate(all="ignore"):
        mean = np.where(known, x, 0).sum(-1) / known.sum(-1)
        centred = np.where(known, x - mean[:, None], 0)
        centred /= np.maximum(centred.max(-1, initial=0), -centred.min(-1, initial=0))[:, None]
        return centred * np.where(spread, 1 / np.sqrt(np.einsum("ij,ij->i", centred, centred)), np.nan)[:, None]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7, 8, 9, 40])
def test_short_rows_have_the_digits_of_long_ones(n):
    generator = np.random.default_rng(n)
    wide = generator.standard_normal((500, n)) * 10 ** generator.uniform(-150, 150, (500, n))
    for x in (wide, generator.integers(0, 3, (500, n)).astype(float)):
        for known in (np.ones(x.shape, bool), generator.random(x.shape) < 0.7):
            given = np.where(known, x, np.nan)
            np.testing.assert_array_equal(direction(given, known), plain_direction(given, known))
