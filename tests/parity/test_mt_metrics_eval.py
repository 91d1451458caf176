"""The numbers that mt-metrics-eval's own tests hold its coefficients to, and where ours differ on purpose.

Its tests write scores system by system, gold first; ours are tables [items, systems], metric first.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge.stats.coefficients import COEFFICIENTS, soft_accuracy, superiority
from nlgauge.stats.correlation import calibrated, coefficient, estimate

NONE = np.nan


def value(name: str, gold: list[float], metric: list[float], systems: int, level: str) -> float:
    y, x = (np.array(scores, float).reshape(systems, -1).T for scores in (gold, metric))
    return estimate(x, y, coefficient(name, x, y, level), level).value


def test_correlations() -> None:
    gold, metric = [1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 3, 7]
    assert_allclose(value("pearson", gold, metric, 2, "pooled"), 0.776, atol=5e-4)
    assert_allclose(value("pearson", gold, metric, 2, "item"), 1, atol=5e-4)
    assert_allclose(value("kendall", gold, metric, 2, "pooled"), 0.552, atol=5e-4)
    assert_allclose(value("kendall_c", gold, metric, 2, "pooled"), 0.556, atol=5e-4)
    assert_allclose(value("kendall", [1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3], 1, "pooled"), 0.316227766)
    assert value("kendall_eq", [1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3], 1, "pooled") == pytest.approx(0.2)
    assert value("accuracy", [1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3], 1, "pooled") == pytest.approx(0.6)


def test_tie_calibrated_accuracy() -> None:
    # Two examples by hand, and its example of tables, whose rows are samples: threshold 1 and .49166...
    for metric, human, epsilon, best in (
        ([[0, 2, 6, 8]], [[1, 2, 3, 4]], 0, 1.0),
        ([[0, 2, 6, 8]], [[1, 1, 1, 4]], 4, 4 / 6),
        (
            [[0, 5, 2, 3, 2], [NONE, 2, 1, 5, 3], [9, 1, 5, 3, 8], [9, 3, 4, 4, 1], [NONE] * 5],
            [[1, 5, 2, 1, 1], [4, 2, 2, 1, 4], [5, 9, 2, 8, 7], [7, 6, NONE, 3, 2], [NONE] * 5],
            1,
            0.4916666666666668,
        ),
    ):
        x, y = np.array(metric, float), np.array(human, float)
        assert calibrated(x, y) == epsilon
        assert estimate(x, y, coefficient("accuracy_calibrated", x, y, "item"), "item").value == pytest.approx(best)


def test_ties_opt_over_one_sample() -> None:
    # Its test takes all pairs of one vector (.7); ours takes pairs of an item's systems, so each value is a system.
    assert value("accuracy_calibrated", [1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3], 5, "item") == pytest.approx(0.7)


def one_minus_pce(gold: np.ndarray, metric: np.ndarray) -> float:
    """Soft pairwise accuracy as mt-metrics-eval computes it: exchanges that give just the difference count whole.

    By all exchanges there are, [systems, items], and not by a sample of them.
    """
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=gold.shape[1])))
    found = []
    for i, j in itertools.combinations(range(len(gold)), 2):
        p = [(signs @ (of[i] - of[j]) >= (of[i] - of[j]).sum() - 1e-9).mean() for of in (gold, metric)]
        found.append(abs(p[0] - p[1]))
    return 1 - float(np.mean(found))


def ours(gold: np.ndarray, metric: np.ndarray) -> float:
    return float(soft_accuracy(superiority(metric.T, 40_000), superiority(gold.T, 40_000)))


def test_soft_pairwise_accuracy_differs_by_how_ties_count() -> None:
    rng = np.random.default_rng(0)
    gold, noise = rng.normal(size=(3, 10)), rng.normal(size=(3, 10))
    gold += np.array([[0], [0.3], [1.0]])
    assert ours(gold, gold + noise) == pytest.approx(one_minus_pce(gold, gold + noise), abs=0.01)
    # The example of its test: exactly .875 there, where it draws .872, and .625 the other way round.
    people, metric = np.array([[1.0, 2, 3], [2, 3, 4]]), np.array([[2.0, 2, 4], [1, 3, 5]])
    assert (one_minus_pce(people, metric), one_minus_pce(people[::-1], metric[::-1])) == (0.875, 0.625)
    assert ours(people, metric) == pytest.approx(0.75, abs=0.01)
    assert ours(people[::-1], metric[::-1]) == pytest.approx(0.75, abs=0.01)
    # One item: theirs has p = 1/2 for the better system and 1 for the worse one or a tie; ours 1/4, 3/4 and 1/2.
    one = np.array([[1.0], [2.0]])
    assert (one_minus_pce(one, one[::-1]), ours(one, one[::-1])) == (0.5, pytest.approx(0.5, abs=0.01))
    tied = np.array([[1.0], [1.0]])
    assert (one_minus_pce(one, tied), ours(one, tied)) == (1.0, pytest.approx(0.75, abs=0.01))
    assert (one_minus_pce(one[::-1], tied), ours(one[::-1], tied)) == (0.5, pytest.approx(0.75, abs=0.01))


def test_pairwise_difference_is_pearson_of_all_differences_both_ways_round() -> None:
    # By hand: differences 2, -1, -3 and 4 of people, 1, 1, 0 and 4 of the metric, each with its negative.
    people, metric = np.array([[5, 3, 6], [1, 5, NONE]]), np.array([[3, 2, 2], [1, 5, 9]])
    by_hand = (2 * 1 + -1 * 1 + -3 * 0 + 4 * 4) / np.sqrt((4 + 1 + 9 + 16) * (1 + 1 + 0 + 16))
    kind = COEFFICIENTS["pairwise_difference"]
    assert estimate(metric, people, kind, "item").value == pytest.approx(by_hand)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(9, 5))
    y = x + rng.normal(size=x.shape)
    x[rng.random(x.shape) < 0.2] = NONE
    pairs = [
        (a[i] - a[j], b[i] - b[j]) for a, b in zip(x, y, strict=True) for i, j in itertools.permutations(range(5), 2)
    ]
    known = np.array([pair for pair in pairs if not np.isnan(pair).any()])
    found = estimate(x, y, kind, "item")
    assert found.value == pytest.approx(np.corrcoef(known.T)[0, 1])
    assert estimate(x + 100 * rng.normal(size=(9, 1)), y, kind, "item").value == pytest.approx(found.value)
    constant = estimate(np.ones((3, 2)), y[:3, :2], kind, "item")
    assert np.isnan(constant.value) and constant.reason == "the metric is constant within every item"
