"""Prediction-powered means: ppi-python's numbers, an independent bootstrap, and designs that are drawn again and again.

How interval and test are made of them is in `test_rated_means.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge.maths.intervals import student_tail
from nlgauge.maths.prediction_powered import Design, leverage, powered, selection_p, standard_error, totals


def at_random(rated: np.ndarray, clusters: np.ndarray | None = None) -> Design:
    return Design(rated, np.zeros(len(rated), np.intp), None, clusters)


def of_ppi(y: np.ndarray, x: np.ndarray, rest: np.ndarray, weight: float) -> tuple[float, float]:
    """Estimate and standard error of PPI++: weight * mean of the other scores + mean of rating - weight * score."""
    error = math.sqrt((weight * rest).var() / len(rest) + (y - weight * x).var() / len(y))
    return weight * rest.mean() + (y - weight * x).mean(), error


def test_the_estimate_is_that_of_ppi_python_for_a_weight() -> None:
    """ppi_mean_pointestimate and ppi_mean_ci(alpha=0.05) of ppi-python 0.2.3, for 400 scores and 120 ratings."""
    k = np.arange(400)
    scores = k * 37 % 101 / 100
    ratings, rated = np.round(0.6 * scores + 0.4 * (k * 53 % 97) / 96, 2), k * 61 % 400 < 120
    y, x, rest = ratings[rated], scores[rated], scores[~rated]
    theirs = np.cov(y, x, ddof=0)[0, 1] / ((1 + 120 / 280) * scores.var(ddof=1))
    estimate, error = of_ppi(y, x, rest, theirs)
    assert_allclose(estimate, 0.5000768511511917, rtol=1e-13)
    assert_allclose(estimate + 1.959964 * error * np.array([-1, 1]), [0.4725002124383278, 0.5276534898640557])
    found = powered(np.where(rated, ratings, np.nan), scores, at_random(rated))
    # Their scores are those of the other rows, and ours those of all rows: 280 of 400 of the weight is theirs.
    ours = found.weight * 280 / 400
    assert_allclose((found.estimate, standard_error(found.influence)), of_ppi(y, x, rest, ours), rtol=1e-12)
    assert_allclose(ours, theirs, rtol=0.02)
    assert standard_error(found.influence) <= error, "no weight has a smaller error"
    assert error < standard_error(powered(ratings, np.zeros(400), at_random(rated)).influence)


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
    """1,000 draws of 600 rows, of which few are rated: the mean error, and its size beside the one that is told."""
    rng, errors, told = np.random.default_rng(3), [], []
    truth = 0.5 * math.erfc(0.5)  # P(N(0, 2) > 1)
    for _ in range(1000):
        scores = rng.normal(size=600)
        ratings = (scores + rng.normal(size=600) > 1).astype(float)
        design = drawn(rng, scores)
        found = powered(np.where(design.rated, ratings, np.nan), scores, design)
        errors.append(found.estimate - truth)
        told.append(standard_error(found.influence))
    assert abs(np.mean(errors)) < 0.005
    assert_allclose(np.mean(told), np.std(errors), rtol=0.06)


def test_leverage_is_a_rows_part_in_its_mean_and_in_the_weight() -> None:
    scores = np.array([1.0, 2, 3, 6, 0, 0, 0, 0, 0, 0])
    rated, strata = np.arange(10) < 4, np.array([0, 0, 1, 1, 0, 0, 0, 1, 1, 1])
    square = np.array([4.0, 1, 0, 9]) / 14
    found = leverage(scores, Design(rated, strata), np.array([1.0, 0.8]))
    assert_allclose(found, [*(np.array([0.5, 0.5, 0.4, 0.4]) + square).clip(max=0.9), *[1 / 3] * 6])
    unequal = Design(rated, np.zeros(10, np.intp), np.array([0.1, 0.2, 0.4, 0.4, *[1.0] * 6]))
    shares = np.array([10, 5, 2.5, 2.5]) / 20
    assert_allclose(leverage(scores, unequal, np.array([0.5]))[:4], shares / 2 + square)
    clusters = np.array([0, 0, 1, 2, 0, 3, 3, 4, 5, 6])
    of_clusters = leverage(scores, Design(rated, np.zeros(10, np.intp), None, clusters), np.array([1.0]))
    expected = np.array([0.5, 0.5, 0.25, 0.25]) + square
    assert_allclose(of_clusters, [*expected.clip(max=0.9), 1 / 6, 2 / 6, 2 / 6, 1 / 6, 1 / 6, 1 / 6])


def test_rated_rows_that_were_chosen_by_score_as_two_tests_of_ranks() -> None:
    """Student's t, with each group's own variance, of the ranks and of their distances from the middle."""
    values = np.array([3.0, 1, 4, 1, 5, 9, 2, 6, 5, 3, 8, 7])
    rated = np.arange(12) < 5
    ranks = np.array([(np.sum(values < one) + (np.sum(values == one) + 1) / 2) / 12 - 13 / 24 for one in values])
    tails = []
    for x in (ranks, abs(ranks)):
        variance = sum(x[of].var() / of.sum() for of in (rated, ~rated))
        tails.append(2 * student_tail(abs(x[rated].mean() - x[~rated].mean()) / math.sqrt(variance), 4))
    assert_allclose(selection_p(values, rated), 2 * min(tails))
    assert tails[0] < 0.5, "p of two tests is the smaller one, doubled"
    clusters, tails = np.array([0, 0, 1, 2, 2, 0, 1, 1, 3, 4, 4, 5]), []
    for x in (ranks, abs(ranks)):
        means = x[rated].mean(), x[~rated].mean()
        moves = [(x[i] - means[0]) / 5 if rated[i] else (means[1] - x[i]) / 7 for i in range(12)]
        error = math.sqrt(sum(sum(moves[i] for i in range(12) if clusters[i] == c) ** 2 for c in range(6)))
        tails.append(2 * student_tail(abs(means[0] - means[1]) / error, 2))  # three clusters have rated rows
    assert_allclose(selection_p(values, rated, clusters), 2 * min(tails))
    assert math.isnan(selection_p(values, np.zeros(12, bool))) and math.isnan(selection_p(values, np.ones(12, bool)))
    assert selection_p(np.ones(12), rated) == 1


def test_chosen_by_score_errs_as_often_as_it_says() -> None:
    rng = np.random.default_rng(6)
    p = np.array([selection_p(rng.normal(size=100), np.arange(100) < 30) for _ in range(1000)])
    assert 0.03 <= (p < 0.05).mean() <= 0.06
    both = np.abs(np.arange(100) - 49.5) > 30  # both ends were chosen
    assert selection_p(np.arange(100.0), both) < 1e-6 < selection_p(np.arange(100.0), np.arange(100) % 3 == 1)
