"""Raters: published values, literal counts, the published procedure of stand-ins, and what a ceiling is."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge import InputError, ScoreTable
from nlgauge.data.table import Column
from nlgauge.stats.arrays import Float
from nlgauge.stats.fitting import cross_fitted
from nlgauge.stats.interrater import LEVELS, cohen_kappa, krippendorff_alpha, rater_agreement
from nlgauge.stats.raters import raters

N = 80
RNG = np.random.default_rng(0)
QUALITY = RNG.normal(size=N)
RATINGS = {name: np.clip(np.round(3 + QUALITY + RNG.normal(size=N) * 0.8), 1, 5) for name in "abcd"}
GOOD, NOISE = QUALITY + RNG.normal(size=N) / 2, RNG.normal(size=N)
ROWS = [("s", str(n)) for n in range(N)]
TABLE = ScoreTable(ROWS, {"Good": Column(("score",), GOOD[:, None]), "Noise": Column(("score",), NOISE[:, None])}, {})
SOURCE = {name: dict(zip(ROWS, values.tolist(), strict=True)) for name, values in RATINGS.items()}


def test_the_test_is_the_published_procedure() -> None:
    stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
    _, good, noise, constant = raters(TABLE, SOURCE, list(RATINGS), level="pooled", replicates=20)
    mean = np.mean(list(RATINGS.values()), axis=0)
    for found, values in ((good, GOOD), (noise, NOISE)):
        predicted = cross_fitted(values[:, None], mean, np.arange(N), "nnls", 5, 0).predicted
        p, shares = [], []
        for name, own in RATINGS.items():
            others = np.stack([RATINGS[other] for other in RATINGS if other != name])
            metric, person = (-np.sqrt(((one - others) ** 2).mean(0)) for one in (predicted, own))
            gains = [*((person >= metric) * 1 - (metric >= person)), -1, 1]  # one more row of each kind
            p.append(stats.ttest_1samp(gains, 0.2, alternative="less").pvalue)
            shares.append((metric >= person).mean())
        assert_allclose(found.p, p, rtol=1e-9)
        assert found.advantage == pytest.approx(np.mean(shares))
        assert found.won == (stats.false_discovery_control(p, method="by") <= 0.05).sum()
    assert good.passed and good.won == 4
    assert constant.metric == "Constant" and math.isnan(constant.value)


def test_the_ceiling_is_a_rater_beside_the_mean_of_the_others() -> None:
    ceiling, good, noise, _ = raters(TABLE, SOURCE, list(RATINGS), level="pooled", replicates=200)
    means = {name: np.mean([RATINGS[other] for other in RATINGS if other != name], axis=0) for name in RATINGS}
    assert ceiling.value == pytest.approx(np.mean([np.corrcoef(RATINGS[n], means[n])[0, 1] for n in RATINGS]))
    assert good.value == pytest.approx(np.mean([np.corrcoef(GOOD, means[n])[0, 1] for n in RATINGS]))
    assert ceiling.low < ceiling.value < ceiling.high
    assert good.low > noise.high
    twice = TABLE.clustered([str(n // 4) for n in range(N)])
    assert raters(twice, SOURCE, list(RATINGS), level="pooled", replicates=50)[1].p != good.p


def test_raters_who_cannot_be_tested_are_refused() -> None:
    with pytest.raises(InputError, match="one rater"):
        raters(TABLE, SOURCE, ["a", "a"], level="pooled")
    few = {name: dict(list(scores.items())[:20]) for name, scores in SOURCE.items()}
    with pytest.raises(InputError, match=r"no rater has 30 rows .* the most is 20"):
        raters(TABLE, few, ["a", "b"], level="pooled")
    with pytest.raises(InputError, match="epsilon"):
        raters(TABLE, SOURCE, ["a", "b"], level="pooled", epsilon=2)


NAN = math.nan
OBSERVERS = np.array([
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
])  # fmt: skip
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
