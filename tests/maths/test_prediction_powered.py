"""Prediction-powered means: ppi-python's numbers, an independent bootstrap, designs that are drawn again and again."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge.maths import prediction_powered as ppi
from nlgauge.maths.intervals import effective_groups, share_interval, student_quantile
from nlgauge.maths.prediction_powered import Design, interval, powered, standard_error, tail_freedom, totals
from nlgauge.maths.rated_means import MeanInterval, rated_means


def at_random(rated: np.ndarray, clusters: np.ndarray | None = None) -> Design:
    return Design(rated, np.zeros(len(rated), np.intp), None, clusters)


def ends(ratings: np.ndarray, scores: np.ndarray, design: Design) -> tuple[float, float, float]:
    found = powered(ratings, scores, design)
    moved, cautious = (totals(influence, design.clusters) for influence in (found.influence, found.cautious))
    freedom = design.units - len(np.unique(design.strata))
    return found.estimate, *interval(found.estimate, moved, cautious, design.units, freedom, 0.95)


def whole_numbers() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """400 scores and ratings that are the same on every machine, and which 120 of them are rated."""
    k = np.arange(400)
    scores = k * 37 % 101 / 100
    return np.round(0.6 * scores + 0.4 * (k * 53 % 97) / 96, 2), scores, k * 61 % 400 < 120


def test_the_numbers_that_ppi_python_prints() -> None:
    """ppi_mean_pointestimate and ppi_mean_ci(alpha=0.05) of ppi-python 0.2.3."""
    ratings, scores, rated = whole_numbers()
    theirs = (0.5000768511511917, 0.4725002124383278, 0.5276534898640557)
    assert_allclose(ends(np.where(rated, ratings, np.nan), scores, at_random(rated)), theirs, rtol=0, atol=1e-9)


def test_a_least_weight_keeps_scores_from_being_turned_against_the_ratings() -> None:
    y = np.random.default_rng(0).normal(size=80)
    design = Design(np.arange(80) < 40, np.zeros(80, np.intp))
    assert powered(y, -y, design).weight < 0
    held = powered(y, -y, design, 0.0)
    alone = powered(y, np.zeros(80), design)
    assert held.weight == 0 and held.estimate == alone.estimate
    assert_allclose(held.influence, alone.influence, atol=1e-15)
    assert powered(y, y, design, 0.0).weight == powered(y, y, design).weight > 0


@pytest.mark.parametrize("whole", [True, False], ids=["clusters drawn", "rows drawn"])
def test_clusters_as_an_independent_bootstrap(whole: bool) -> None:
    """Whole clusters drawn again, the estimate computed again from nothing but its definition."""
    rng = np.random.default_rng(7)
    sizes = rng.integers(1, 7, 220)
    clusters = np.repeat(np.arange(220), sizes)
    shared = rng.normal(size=220)[clusters]
    scores = shared + rng.normal(size=len(clusters))
    ratings = shared + 0.5 * scores + rng.normal(size=len(clusters))
    rated = np.isin(clusters, rng.choice(220, 60, replace=False)) if whole else rng.random(len(clusters)) < 0.2
    found = powered(ratings, scores, at_random(rated, clusters))
    error = standard_error(totals(found.influence, clusters))
    sums = np.stack([np.bincount(clusters, x) for x in (rated, ratings * rated, scores * rated, scores, rated * 0 + 1)])
    drawn = rng.multinomial(220, np.full(220, 1 / 220), 20_000) @ sums.T
    again = drawn[:, 1] / drawn[:, 0] + found.weight * (drawn[:, 3] / drawn[:, 4] - drawn[:, 2] / drawn[:, 0])
    assert_allclose(error, again.std(), rtol=0.04)
    naive = standard_error(powered(ratings, scores, at_random(rated)).influence)
    assert naive < 0.9 * error


def by_strata(rng: np.random.Generator, scores: np.ndarray) -> Design:
    """Of three strata, more of the upper ones is drawn."""
    strata, rated = np.digitize(scores, [-0.5, 0.5]), np.zeros(600, bool)
    for stratum, n in ((0, 20), (1, 30), (2, 70)):
        rated[rng.choice(np.flatnonzero(strata == stratum), n, replace=False)] = True
    return Design(rated, strata)


def by_probability(rng: np.random.Generator, scores: np.ndarray) -> Design:
    probabilities = np.clip(0.2 + 0.15 * scores, 0.05, 0.9)
    return Design(rng.random(600) < probabilities, np.zeros(600, np.intp), probabilities)


@pytest.mark.parametrize("drawn", [by_strata, by_probability])
def test_rows_that_were_drawn_unequally_are_put_right(
    drawn: Callable[[np.random.Generator, np.ndarray], Design],
) -> None:
    """1,000 draws of 600 rows, of which few are rated: the share of intervals with the truth, and the mean error."""
    rng, hits, errors = np.random.default_rng(3), 0, []
    truth = 0.5 * math.erfc(0.5)  # P(N(0, 2) > 1)
    for _ in range(1000):
        scores = rng.normal(size=600)
        ratings = (scores + rng.normal(size=600) > 1).astype(float)
        design = drawn(rng, scores)
        estimate, low, high = ends(np.where(design.rated, ratings, np.nan), scores, design)
        hits += low <= truth <= high
        errors.append(estimate - truth)
    assert 0.93 <= hits / 1000 <= 0.97 and abs(np.mean(errors)) < 0.005


def test_few_skewed_ratings_keep_their_promise() -> None:
    """One rating in twelve is low, so that the normal interval ends too high."""
    rng, held = np.random.default_rng(3), []
    for _ in range(2000):
        ratings, design = (rng.random(400) < 11 / 12).astype(float), at_random(np.arange(400) < 60)
        if np.ptp(ratings[:60]):
            estimate, low, high = ends(ratings, rng.normal(size=400), design)
            half = 1.96 * ratings[:60].std() / math.sqrt(60)
            held.append((low <= 11 / 12 <= high, abs(estimate - 11 / 12) <= half))
    ours, normal = np.mean(held, axis=0)
    assert 0.93 <= ours <= 0.99 and normal < 0.925


def test_the_tails_of_a_difference_take_degrees_of_freedom() -> None:
    draw = np.random.default_rng(11)
    normal = draw.standard_normal(20_000)
    assert tail_freedom(normal, len(normal)) == pytest.approx(len(normal), rel=0.1)
    assert tail_freedom(np.resize([1.0, -1.0], 50), 50) > 10**9  # the variance of even signs is certain
    rare = np.zeros(200)
    rare[:4] = [-3.0, 3.0, 3.0, -3.0]
    assert tail_freedom(rare, 200) == 8  # 2 / (1 / 4 - 1 / 200)
    assert interval(0.0, rare, rare, 200, 198, 0.95)[1] == pytest.approx(1.959964 * 6)
    assert interval(0.5, np.zeros(20), np.zeros(20), 20, 18, 0.95) == (0.5, 0.5)
    wide = 2.306004 * 6 * math.sqrt(198 / 200)
    assert_allclose(interval(0.0, rare, rare, 200, 198, 0.95, difference=True), [-wide, wide], rtol=1e-6)


SIZES = np.array([1, 2, 9, 3, 1, 4, 12, 2, 5, 1, 3, 7] * 2)
CLUSTERS = np.repeat(np.arange(len(SIZES)), SIZES)


def drawn(shares: bool) -> tuple[np.ndarray, np.ndarray, Design]:
    """Ratings, scores and the design of a set of which the first twelve clusters are rated."""
    rng = np.random.default_rng(4)
    y = rng.normal(size=len(CLUSTERS)) + rng.normal(size=len(SIZES))[CLUSTERS]
    y = (y > 0).astype(float) if shares else y
    return y, y + rng.normal(size=len(y)), Design(CLUSTERS < 12, np.zeros(len(y), np.intp), None, CLUSTERS)


@pytest.mark.parametrize("shares", [True, False])
def test_clusters_of_unequal_size_leave_their_degrees_of_freedom(shares: bool) -> None:
    y, x, design = drawn(shares)
    scale = (0.0, 1.0) if shares else None
    mean, alone = rated_means(y, x, design, scale)
    sizes = SIZES[:12].astype(float)
    freedom = effective_groups(sizes) - 1
    assert freedom < 7 and mean.weight != 0 and alone.weight == 0
    for one in (mean, alone):
        found = MeanInterval([one], sizes, 1, CLUSTERS, True, scale, shares).ends(0.9)
        if shares:
            assert found == pytest.approx(share_interval(one.mean, one.items, 0.9, freedom))
        else:
            moved, cautious = ppi.totals(one.moved, CLUSTERS), ppi.totals(one.cautious, CLUSTERS)
            assert found == interval(one.mean, moved, cautious, 12, 11, 0.9, most=freedom)
            assert found != interval(one.mean, moved, cautious, 12, 11, 0.9)
    assert mean.items / alone.items == pytest.approx(
        float((ppi.totals(alone.cautious, CLUSTERS) ** 2).sum() / (ppi.totals(mean.cautious, CLUSTERS) ** 2).sum())
    )


def test_the_most_degrees_of_freedom_are_those_of_the_quantile() -> None:
    influence = np.array([1.0, -1.0] * 6)
    low, high = interval(0.0, influence, influence, 12, 11, 0.95, most=3.5)
    assert high == -low == pytest.approx(student_quantile(0.975, 3.5) * np.sqrt(12 * 11 / 12))


def test_the_p_of_a_difference_is_where_its_interval_reaches_0() -> None:
    draw = np.random.default_rng(4)
    for units, estimate in ((12, 0.4), (80, -0.1), (400, 0.05)):
        influence = (draw.standard_normal(units) ** 2 - 1) / units

        def ends_at(confidence: float, units=units, estimate=estimate, influence=influence) -> tuple[float, float]:
            return interval(estimate, influence, influence, units, units - 2, confidence, difference=True)

        p = ppi.chance(ends_at)
        low, high = ends_at(1 - p)
        assert min(abs(low), abs(high)) < 1e-6 and 0 < p < 1
