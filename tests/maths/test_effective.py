"""The interval of the effective number of ratings, against simulated variances and where it has to be wide."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nlgauge.maths.effective import Gain, effective_ratings
from nlgauge.maths.intervals import student_quantile
from nlgauge.maths.prediction_powered import Design, powered


def simple(n: int, rows: int) -> Design:
    return Design(np.arange(rows) < n, np.zeros(rows, np.intp))


def ends_of(y: np.ndarray, x: np.ndarray, design: Design) -> tuple[float, float]:
    return effective_ratings([Gain.of(y, x, design)], design.rated, len(y), design.clusters)


def drawn(kind: str, rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Ratings and scores of rows."""
    if kind in ("yes and no", "accurate"):
        bad = rng.random(rows) < 0.25
        wrong = rng.random(rows) < (0.05 if kind == "accurate" else 0.15)
        return (~bad).astype(float), (bad == wrong).astype(float)
    if kind == "misses alone":
        bad = rng.random(rows) < 0.3
        return (~bad).astype(float), (~bad | (rng.random(rows) < 0.1)).astype(float)
    r = {"noise": 0.0, "weak": 0.3, "strong": 0.9}[kind]
    y = rng.normal(size=rows)
    return y, r * y + math.sqrt(1 - r * r) * rng.normal(size=rows)


@pytest.mark.parametrize(
    ("kind", "n", "rows"),
    [
        ("accurate", 30, 1000),
        ("yes and no", 60, 600),
        ("misses alone", 30, 3000),
        ("noise", 60, 600),
        ("weak", 40, 600),
        ("strong", 30, 600),
        ("strong", 100, 1000),
    ],
)
def test_it_holds_the_quotient_of_the_two_variances(kind: str, n: int, rows: int) -> None:
    """The variances of the mean with and without scores, over 400 draws, say how many ratings the scores are worth."""
    rng, design, means, ends = np.random.default_rng(0), simple(n, rows), [], []
    for _ in range(400):
        y, x = drawn(kind, rng, rows)
        if np.ptp(y[:n]):
            means.append([powered(y, scores, design).estimate for scores in (np.zeros(rows), x)])
            ends.append(ends_of(y, x, design))
    alone, helped = np.var(means, axis=0)
    worth, (low, high) = n * alone / helped, np.array(ends).T
    assert np.mean((low <= worth) & (worth <= high)) >= 0.92, (worth, np.median(low), np.median(high))
    assert (low < high).all() and (low > 0).all() and (high <= rows).all()
    if kind == "noise":
        assert np.mean(low > n) < 0.03
    if kind == "strong" and n == 100:
        assert np.mean(low > n) > 0.99 and np.median(high) < 2 * worth


def test_a_judge_that_was_never_seen_to_err_may_err() -> None:
    """None of 30 ratings says that up to 1 in 8 rows may be misjudged, so the lower end is not near the upper one."""
    y = (np.arange(1000) % 4 > 0).astype(float)
    low, high = ends_of(y, y, simple(30, 1000))
    assert low < 60 and high == 1000
    assert ends_of(y, y, simple(200, 1000))[0] > 3 * 200


def unseen(ratings: np.ndarray) -> float:
    """The mean square of every two ratings that differ."""
    return float(np.mean([(one - other) ** 2 for one in ratings for other in ratings if one != other]))


def fisher_ends(
    alone: np.ndarray, helped: np.ndarray, unseen: float, n: int, units: int, rows: int
) -> tuple[float, float]:
    """The ends by the influences of rows, or clusters, without scores and with them."""
    a, h = alone @ alone, helped @ helped
    r = math.sqrt(max(0.0, 1 - h / a))
    error = math.sqrt(((alone**2 / a - helped**2 / h) ** 2).sum()) / (2 * r) if r else 0.0
    half = student_quantile(0.975, units - 2) * max((units - 3) ** -0.5, error)
    low = min(n * math.cosh(max(0.0, math.atanh(r) - half)) ** 2, n * a / (h - math.log(0.025) * unseen))
    return low, min(rows, n * math.cosh(math.atanh(r) + half) ** 2)


@pytest.mark.parametrize(("kind", "n"), [("noise", 40), ("strong", 40), ("yes and no", 60), ("accurate", 30)])
def test_it_is_fishers_interval_of_the_share_that_the_scores_explain(kind: str, n: int) -> None:
    """By the residuals of the ratings, one by one, as the formula has it."""
    rows = 500
    y, x = drawn(kind, np.random.default_rng(5), rows)
    rated = np.arange(rows) < n
    weight = powered(y, x, simple(n, rows)).weight
    alone = np.where(rated, y - y[:n].mean(), 0.0) / n
    residual = np.where(rated, (y - y[:n].mean()) - weight * (x - x[:n].mean()), 0.0) / n
    rest = np.where(rated, 0.0, weight * (x - x[n:].mean())) / rows
    of_rated = np.where(rated, weight * (x - x[:n].mean()), 0.0) / rows
    ends = fisher_ends(alone, residual + rest + of_rated, unseen(y[:n]) / n**2, n, n, rows)
    assert ends_of(y, x, simple(n, rows)) == pytest.approx(ends, rel=1e-6)


def test_it_grows_with_ratings_and_is_symmetric() -> None:
    y, x = drawn("strong", np.random.default_rng(1), 2000)
    widths = [high / low for low, high in (ends_of(y, x, simple(n, 2000)) for n in (25, 100, 400))]
    assert widths[0] > widths[1] > widths[2] > 1
    assert ends_of(y, -3 * x + 1, simple(50, 2000)) == pytest.approx(ends_of(y, x, simple(50, 2000)))


def test_groups_of_rows_widen_it() -> None:
    """Rows of one cluster have one rating and one score: they are one row."""
    y, x = drawn("strong", np.random.default_rng(2), 400)
    low, high = ends_of(y, x, simple(40, 400))
    of = np.repeat(np.arange(400), 3)
    copied = Design(np.repeat(np.arange(400) < 40, 3), np.zeros(1200, np.intp), None, of)
    found = ends_of(np.repeat(y, 3), np.repeat(x, 3), copied)
    assert found == pytest.approx((3 * low, 3 * high), rel=0.1)  # the weight of clusters is another estimate
    alone = ends_of(np.repeat(y, 3), np.repeat(x, 3), simple(120, 1200))
    assert found[0] < alone[0] and found[1] > alone[1]


@pytest.mark.parametrize(("n", "rows", "alike"), [(50, 50, False), (30, 100, True)], ids=["all rated", "all alike"])
def test_nothing_is_said_where_nothing_can_be_saved(n: int, rows: int, alike: bool) -> None:
    y, x = drawn("strong", np.random.default_rng(3), rows)
    ends = ends_of(np.ones(rows) if alike else y, x, simple(n, rows))
    assert all(map(math.isnan, ends))


def test_the_difference_of_two_systems_has_one_too() -> None:
    """300 draws of 60 items that two systems answered; both systems' outputs of 40 are rated."""
    rng, rated = np.random.default_rng(4), np.tile(np.arange(600) < 40, 2)
    items, design = np.tile(np.arange(600), 2), simple(40, 600)
    means, ends = [], []
    for _ in range(300):
        shared = rng.normal(size=600)
        parts = []
        for system in range(2):
            y = 0.6 * shared + 0.8 * rng.normal(size=600)
            x = y + 0.5 * rng.normal(size=600)
            parts.append((y, x, np.arange(600) + 600 * system))
        gains = [Gain.of(y, x, design).placed(places, 1200) for y, x, places in parts]
        ends.append(effective_ratings(gains, rated, 1200, items))
        means.append(
            [
                powered(parts[0][0], kind * parts[0][1], design).estimate
                - powered(parts[1][0], kind * parts[1][1], design).estimate
                for kind in (0, 1)
            ]
        )
    alone, helped = np.var(means, axis=0)
    low, high = np.array(ends).T
    assert np.mean((low <= 80 * alone / helped) & (80 * alone / helped <= high)) >= 0.92
    assert np.median(low) > 80
