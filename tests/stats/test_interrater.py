"""Agreement of raters: published values, literal counts, and how often the intervals hold."""

from __future__ import annotations

import math
from itertools import permutations, product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge.data.jsonable import jsonable
from nlgauge.maths.inference import Measured
from nlgauge.stats.arrays import Float
from nlgauge.stats.interrater import (
    LEVELS,
    alpha_interval,
    cohen_kappa,
    kappa_interval,
    krippendorff_alpha,
    rater_agreement,
)

NAN = math.nan
OBSERVERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
)
"""Krippendorff's example of four observers and twelve units"""


@pytest.mark.parametrize(
    ("level", "alpha"), [("nominal", 0.743421052631579), ("ordinal", 0.8153875037548814), ("interval", 0.849107142857)]
)
def test_alpha_of_four_observers(level: str, alpha: float) -> None:
    """Values of the package krippendorff 0.8; .743, .815 and .849 in Krippendorff (2011)."""
    assert_allclose(krippendorff_alpha(OBSERVERS, level), alpha, rtol=1e-10)


def literal_alpha(ratings: Float, level: str) -> float:
    """1 - observed / expected disagreement, by every ordered pair of ratings."""
    rows = [row[~np.isnan(row)].tolist() for row in ratings.T]
    rows = [row for row in rows if len(row) > 1]
    every = [value for row in rows for value in row]

    def distance(a: float, b: float) -> float:
        if level == "nominal":
            return float(a != b)
        if level == "interval":
            return (a - b) ** 2
        between = sum(min(a, b) <= value <= max(a, b) for value in every)
        return (between - (every.count(a) + every.count(b)) / 2) ** 2 if a != b else 0.0

    observed = sum(distance(a, b) / (len(row) - 1) for row in rows for a, b in permutations(row, 2)) / len(every)
    expected = sum(distance(a, b) for a, b in permutations(every, 2)) / (len(every) * (len(every) - 1))
    return 1 - observed / expected


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_with_missing_ratings_is_that_of_all_pairs(level: str) -> None:
    rng = np.random.default_rng(0)
    for count in (2, 3, 5):
        ratings = rng.integers(1, 6, (count, 30)).astype(float)
        ratings[rng.random(ratings.shape) < 0.3] = NAN
        assert_allclose(krippendorff_alpha(ratings, level), literal_alpha(ratings, level), rtol=1e-10)


def test_kappa_by_hand_and_as_scikit_learn() -> None:
    """Cohen's table of 20, 5, 10 and 15: observed .7, expected .5."""
    one = np.repeat([1.0, 1.0, 0.0, 0.0], [20, 5, 10, 15])
    other = np.repeat([1.0, 0.0, 1.0, 0.0], [20, 5, 10, 15])
    assert_allclose(cohen_kappa(one, other), 0.4, rtol=1e-12)
    rng = np.random.default_rng(0)
    one = rng.integers(1, 6, 40).astype(float)
    other = np.clip(one + rng.integers(-1, 2, 40), 1, 5)
    # sklearn.metrics.cohen_kappa_score 1.7, plain and weights="quadratic"
    assert_allclose(cohen_kappa(one, other), 0.39730372720063434, rtol=1e-10)
    assert_allclose(cohen_kappa(one, other, quadratic=True), 0.8981233243967829, rtol=1e-10)


def test_where_nothing_differs_there_is_no_coefficient() -> None:
    assert math.isnan(cohen_kappa(np.ones(5), np.ones(5))) and math.isnan(cohen_kappa(np.ones(0), np.ones(0)))
    assert math.isnan(krippendorff_alpha(np.ones((2, 5)), "nominal"))
    assert math.isnan(krippendorff_alpha(np.array([[1.0, NAN], [NAN, 2.0]]), "interval"))
    assert "undefined" in str(rater_agreement("a", {"x": {"1": 1.0}, "y": {"1": 1.0}}, 2))


def test_what_is_said_of_raters() -> None:
    found = rater_agreement("fine", {"x": {"1": 1.0, "2": 0.0, "3": 1.0}, "y": {"1": 1.0, "2": 0.0}}, 2)
    assert (found.rows, found.level, found.kappa.value) == (2, "nominal", 1)
    low = found.kappa.low
    none = rater_agreement("fine", {"x": {"1": 1.0}, "y": {"2": 1.0}}, 2)
    assert str(none) == "fine: raters x, y; no row is rated by two, so their agreement is not known"
    record = jsonable(found)
    assert (record["kappa"], record["kappa_low"], record["kappa_high"]) == (1.0, low, 1.0)
    assert str(found).startswith(
        f"fine: raters x, y; 2 rows rated by two or more: Cohen's kappa 1.000 [{low:.3f}, 1.000]"
    )


def literal_kappa(rows: list[tuple[float, float, float]], quadratic: bool) -> float:
    """1 - observed / expected disagreement of weighted rows (one, other, weight)."""

    def away(x: float, y: float) -> float:
        return (x - y) ** 2 if quadratic else float(x != y)

    total = sum(weight for *_, weight in rows)
    observed = sum(weight * away(x, y) for x, y, weight in rows) / total
    expected = sum(v * w * away(x, y) for (x, _, v), (_, y, w) in product(rows, rows)) / total**2
    return 1 - observed / expected


@pytest.mark.parametrize("quadratic", [False, True])
def test_the_interval_is_a_jackknife_with_two_rows_more(quadratic: bool) -> None:
    stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
    rng = np.random.default_rng(2)
    one = rng.integers(1, 4, 25).astype(float)
    other = np.clip(one + rng.integers(-1, 2, 25), 1, 3).astype(float)
    rows = [(x, y, 1.0) for x, y in zip(one, other, strict=True)]
    rows += [(x, y, 2 / 9) for x, y in product((1.0, 2.0, 3.0), repeat=2)]
    middle = literal_kappa(rows, quadratic)
    square = 0.0
    for place, (x, y, weight) in enumerate(rows):
        rest = [*rows[:place], (x, y, 0.0), *rows[place + 1 :]]
        square += weight * ((literal_kappa(rest, quadratic) - middle) / weight) ** 2
    half = stats.t.ppf(0.975, 26) * math.sqrt(26 / 27 * square)
    found = kappa_interval(one, other, quadratic=quadratic)
    assert found.value == cohen_kappa(one, other, quadratic=quadratic)
    assert_allclose(found[1:], (middle - half, middle + half), rtol=1e-10)
    wider = kappa_interval(one, other, quadratic=quadratic, confidence=0.99)
    assert_allclose((wider.high - wider.low) / (2 * half), stats.t.ppf(0.995, 26) / stats.t.ppf(0.975, 26), rtol=1e-10)


def test_raters_who_never_disagree_are_not_certain() -> None:
    labels = np.repeat([1.0, 0.0], [18, 2])
    kappa, alpha = kappa_interval(labels, labels), alpha_interval(np.stack([labels] * 3), "nominal")
    assert kappa.value == alpha.value == 1 and kappa.high == alpha.high == 1
    assert 0 < kappa.low < 0.8 and 0 < alpha.low < 0.8
    more = kappa_interval(np.tile(labels, 5), np.tile(labels, 5))
    assert kappa.low < more.low < 1
    assert all(math.isnan(number) for number in kappa_interval(np.ones(9), np.ones(9)))


def two_raters(rng: np.random.Generator, n: int, share: float, kappa: float) -> Float:
    """Labels 0 and 1 of two raters alike, [2, n], whose kappa and alpha are this number in the long run."""
    apart = (1 - kappa) * share * (1 - share)
    cell = rng.choice(4, n, p=[1 - share - apart, apart, apart, share - apart])
    return np.array([cell // 2, cell % 2], float)


@pytest.mark.parametrize("n", [20, 50, 100])
@pytest.mark.parametrize(("share", "kappa"), [(0.5, 0.4), (0.8, 0.8), (0.9, 0.4), (0.95, 0.6)])
def test_intervals_hold_with_skewed_labels_too(n: int, share: float, kappa: float) -> None:
    """Of 500 draws of each of 48 designs they held .93 to 1.00; the plain jackknife .24 with 20 rows, .95 and .8."""
    rng, held = np.random.default_rng(n), []
    for _ in range(150):
        ratings = two_raters(rng, n, share, kappa)
        both = (kappa_interval(*ratings), alpha_interval(ratings, "nominal"))
        if not math.isnan(both[0].value):
            held.append([one.low <= kappa <= one.high for one in both])
            assert all(one.low <= one.value <= one.high and one.low < one.high for one in both)
    assert len(held) > 90 and np.mean(held, axis=0).min() >= 0.90


def test_alpha_of_three_raters_with_missing_ratings_holds_on_a_scale() -> None:
    """Four cuts of normal values that correlate by .6; the true alpha is that of 300,000 rows."""
    rng, held = np.random.default_rng(0), []

    def rated(rows: int) -> Float:
        values = math.sqrt(0.6) * rng.normal(size=rows) + math.sqrt(0.4) * rng.normal(size=(3, rows))
        ratings = np.searchsorted([-2.2, -1.8, -1.3, -0.6], values) + 1.0
        return np.asarray(np.where(rng.random(ratings.shape) < 0.3, NAN, ratings))

    true = krippendorff_alpha(rated(300_000), "ordinal")
    for _ in range(150):
        found = alpha_interval(rated(40), "ordinal")
        held.append(found.low <= true <= found.high)
    assert np.mean(held) >= 0.90
    assert isinstance(found, Measured) and found.low < found.value < found.high


def test_many_values_have_no_more_than_a_hundred_pairs_of_rows() -> None:
    one = np.random.default_rng(0).normal(size=60)
    found = alpha_interval(np.stack([one, one + 0.1]), "interval")
    assert 0.8 < found.low < found.value < found.high <= 1
