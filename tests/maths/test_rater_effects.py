"""The spread of raters in an interval: literal formulas, what has none, and how often intervals hold."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge.maths.inference import Inference
from nlgauge.maths.prediction_powered import Design, Float
from nlgauge.maths.rated_means import RatedMean, inference, rated_means
from nlgauge.maths.rater_effects import ASSUMED, FEW, RaterSpread

NAN = math.nan


def split(rng: np.random.Generator, raters: int, rows: int, spread: float, mean: float = 0.75) -> Float:
    """Yes and no of raters who shared rows out among themselves: [raters, rows]."""
    strict = np.clip(mean + spread * rng.normal(size=raters), 0, 1)
    of = rng.permutation(np.arange(rows) % raters)
    given = np.full((raters, rows), NAN)
    given[of, np.arange(rows)] = rng.random(rows) < strict[of]
    return given


def said_of(given: Float) -> tuple[Inference, Inference, RatedMean]:
    """What ratings say, without and with the spread of raters, and their mean."""
    y = np.nanmean(given, axis=0)
    rated = ~np.isnan(y)
    mean = rated_means(y, np.zeros(len(y)), Design(rated, np.zeros(len(y), np.intp)), (0, 1), yes_no=True).taken
    said = inference([mean], [None], rated, (0, 1))
    return said, RaterSpread(ratings=given, length=1).widened(said, [mean], rated / rated.sum()), mean


def test_raters_of_the_same_rows_change_nothing() -> None:
    given = np.random.default_rng(0).integers(0, 2, (3, 60)).astype(float)
    said, widened, _ = said_of(given)
    assert widened.interval() == said.interval() and widened.p(0.5) == said.p(0.5)
    one, alone, _ = said_of(given[:1])
    assert alone.interval() == one.interval()


def test_the_variance_of_two_raters_by_hand() -> None:
    """9 of 10 and 4 of 10: .25 apart squared, less .01 and .0267 by their rows, half of it; then one more rater."""
    given = np.full((2, 20), NAN)
    given[0, :10], given[1, 10:] = np.arange(10) > 0, np.arange(10) < 4
    between = ((0.9 - 0.4) ** 2 - 0.9 * 0.1 / 9 - 0.4 * 0.6 / 9) / 2
    assert_allclose(RaterSpread(ratings=given, length=1).between, between, rtol=1e-12)
    said, widened, _ = said_of(given)
    variance = (ASSUMED**2 + between) / 2 / 2
    rows = said.laws[0].error ** 2
    freedom = (rows + variance) ** 2 / (rows**2 / said.laws[0].freedom + variance**2 / 2)
    law = widened.laws[-1]
    assert_allclose((law.error, law.freedom), (math.sqrt(rows + variance), freedom), rtol=1e-12)
    assert law.centre == said.laws[0].centre


def test_rows_that_both_rated_say_more_of_the_variance() -> None:
    """The difference of two raters' means on the same rows has the variance of their differences."""
    rng = np.random.default_rng(1)
    given = rng.integers(0, 2, (2, 50)).astype(float)
    given[1] = np.where(rng.random(50) < 0.7, given[0], given[1])
    apart = given[0] - given[1]
    expected = max(0.0, (apart.mean() ** 2 - apart.var(ddof=1) / 50) / 2)
    assert_allclose(RaterSpread(ratings=given, length=1).between, expected, atol=1e-12)
    # Without noise, it is half of the squared difference, whoever rated what.
    level = np.array([[0.2], [0.6], [0.4]])
    of = np.where(rng.random((3, 40)) < 0.6, level, NAN)
    of[:, :3] = level
    counts = (~np.isnan(of)).sum(1)
    pairs = [(counts[i] * counts[j], float(level[i, 0] - level[j, 0]) ** 2 / 2) for i, j in combinations(range(3), 2)]
    expected = sum(n * square for n, square in pairs) / sum(n for n, _ in pairs)
    assert_allclose(RaterSpread(ratings=of, length=1).between, expected, rtol=1e-9)


def test_four_raters_are_clusters() -> None:
    given = split(np.random.default_rng(3), FEW, 80, 0.2)
    said, widened, mean = said_of(given)
    sums = np.array([mean.influence[~np.isnan(one)].sum() for one in given])
    variance, rest = float(sums @ sums) * 4 / 3, float(mean.added @ mean.added)
    law = widened.laws[-1]
    freedom = (variance + rest) ** 2 / (variance**2 / 3 + rest**2 / said.laws[0].freedom)
    assert_allclose((law.error, law.freedom), (math.sqrt(variance + rest), freedom), rtol=1e-9)


@pytest.mark.parametrize(("raters", "spread"), [(2, 0.1), (3, 0.1), (4, 0.2), (6, 0.2), (12, 0.1)])
def test_intervals_hold_for_other_raters(raters: int, spread: float) -> None:
    """Of 400 draws, .93 to 1.00 with 2 or 3 raters up to a spread of .1 (.87 to .91 at .2), .93 to .99 with more.

    Without the spread of raters .44 to .90 at these spreads.
    """
    rng = np.random.default_rng(raters)
    true = float(np.clip(0.75 + spread * rng.normal(size=200_000), 0, 1).mean())
    held = []
    for _ in range(150):
        both = [said.interval() for said in said_of(split(rng, raters, 120, spread))[:2]]
        assert both[1][0] <= both[0][0] and both[0][1] <= both[1][1]
        held.append([low <= true <= high for low, high in both])
    assert np.mean(held, axis=0)[1] >= 0.90 > np.mean(held, axis=0)[0] - (raters == 12) / 10


def test_a_difference_holds_the_spread_where_each_system_had_its_own_rater() -> None:
    rng = np.random.default_rng(0)
    rows = 120
    first = np.arange(rows) < 60
    given = np.full((2, rows), NAN)
    mixed = given.copy()
    y = (rng.random(rows) < 0.7).astype(float)
    given[0, first], given[1, ~first] = y[first], y[~first]
    mixed[0, ::2], mixed[1, 1::2] = y[::2], y[1::2]
    means = []
    for rated in (first, ~first):
        design = Design(np.ones(60, bool), np.zeros(60, np.intp))
        mean = rated_means(y[rated], np.zeros(60), design, (0, 1), yes_no=True)[0]
        means.append(mean.placed(np.flatnonzero(rated), rows))
    said = inference(means, [np.arange(rows)], np.ones(rows, bool), (0, 1))
    shares = np.where(first, 1 / 60, -1 / 60)
    apart, together = (RaterSpread(ratings=of, length=1).widened(said, means, shares) for of in (given, mixed))
    lengths = [high - low for high, low in (of.interval()[::-1] for of in (said, together, apart))]
    assert_allclose(lengths[0], lengths[1], rtol=0.02)
    assert lengths[2] > 1.5 * lengths[0]
    assert apart.p(0) > together.p(0)
    # Four raters who each rated as many rows of both systems: what they share cancels in the difference.
    of = np.arange(rows) % 4
    four = np.where(of == np.arange(4)[:, None], y, NAN)
    widened = RaterSpread(ratings=four, length=1).widened(said, means, shares)
    sums = np.bincount(of, means[0].influence - means[1].influence)
    rest = sum(float(mean.added @ mean.added) for mean in means)
    assert_allclose(widened.laws[-1].error ** 2, float(sums @ sums) * 4 / 3 + rest, rtol=1e-9)
