"""What no estimate may do, whatever is drawn: be certain out of nothing, gain by bad ratings, contradict its test."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import nlgauge
from nlgauge import Corpus, InputError, Row, ScoreTable
from nlgauge.answers.estimated_means import Estimate
from nlgauge.data.table import Column

ROWS, N = 200, 50
SEEDS = range(8)


class Drawn(NamedTuple):
    """One or two systems: [systems * rows] each."""

    y: np.ndarray
    x: np.ndarray
    rated: np.ndarray

    @property
    def systems(self) -> int:
        return len(self.y) // ROWS


def draw(seed: int, systems: int = 1, same: bool = True) -> Drawn:
    """Yes and no with an exact judge, one that errs, a noisy score or a useless one; .5 to 1 of the rows are good."""
    rng = np.random.default_rng(seed)
    y = (rng.random(ROWS) < rng.choice([0.5, 0.8, 0.95, 1.0])).astype(float)
    y = np.concatenate([y, np.where(rng.random(ROWS) < 0.1, 1 - y, y)])[: systems * ROWS]
    kinds = (y, np.where(rng.random(len(y)) < 0.1, 1 - y, y), y + rng.normal(size=len(y)) / 2, rng.normal(size=len(y)))
    chosen = [rng.permutation(ROWS) < N for _ in range(systems)]
    return Drawn(y, kinds[seed % 4], np.concatenate([chosen[0 if same else system] for system in range(systems)]))


def told(of: Drawn, clusters: np.ndarray | None = None, copies: int = 1, **options: Any) -> Estimate:
    """The record of the system, or that of the difference of two."""
    count = len(of.y) // of.systems
    keys = [("ab"[k // count], f"{k % count} {copy}") for copy in range(copies) for k in range(len(of.y))]
    table = ScoreTable(keys, {"M": Column(("score",), np.tile(of.x, copies)[:, None])}, {})
    rows = [
        Row(
            "x",
            system=system,
            item=item,
            scores={"good": float(of.y[k])} if of.rated[k] else {},
            extra={} if clusters is None else {"group": str(clusters[k])},
        )
        for (system, item), k in zip(keys, np.tile(np.arange(len(of.y)), copies), strict=True)
    ]
    if clusters is not None:
        options["cluster"] = "group"
    return nlgauge.estimate(table, Corpus(tuple(rows)), **{"scale": (0, 1), **options})[-1]


def lengths(one: Estimate) -> tuple[float, float]:
    """By the scores and the ratings, and by the ratings alone."""
    return one.high - one.low, one.alone.high - one.alone.low


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_certain_and_nothing_leaves_its_scale(seed: int) -> None:
    of = draw(seed)
    every = told(of._replace(rated=np.ones(ROWS, bool)))
    for one in (told(of), every, told(of, pooled=True), told(of, clusters=np.arange(ROWS) // 2)):
        assert 0 <= one.low <= one.estimate <= one.high <= 1 and min(lengths(one)) > 0.005
        assert one.ratings * 0.97 <= one.worth.value <= one.rows
        unknown = one is every or one.estimate == 1  # nothing is left to save, or all ratings are alike
        assert np.isnan([one.worth.low, one.worth.high]).all() == unknown
        assert unknown or one.worth.low <= one.worth.value <= one.worth.high <= one.rows
    assert (every.worth.value, every.weight) == (ROWS, 0)
    for same in (True, False):
        both = told(draw(seed, 2, same))
        assert -1 <= both.low <= both.estimate <= both.high <= 1 and min(lengths(both)) > 0.005
        assert 2 * N <= both.worth.value <= 2 * ROWS
        # Nothing is known of it where all ratings of a system are alike.
        assert np.isnan(both.worth.low) or both.worth.low <= both.worth.value <= both.worth.high


@pytest.mark.parametrize("seed", SEEDS)
def test_scores_make_no_interval_longer(seed: int) -> None:
    for one in (told(draw(seed)), *(told(draw(seed, 2, same)) for same in (True, False))):
        of_all, alone = lengths(one)
        assert of_all <= alone * 1.0001
        assert one.weight != 0 or (one.low, one.high, one.estimate) == (one.alone.low, one.alone.high, one.alone.value)


@pytest.mark.parametrize("scores", ["useless", "all good"])
def test_more_bad_ratings_never_make_an_interval_shorter(scores: str) -> None:
    of = draw(3)  # useless scores
    order = np.random.default_rng(1).permutation(np.flatnonzero(of.rated))
    x = of.x if scores == "useless" else np.where(of.rated, 1.0, np.random.default_rng(2).random(ROWS) < 0.95)
    last = (0.0, 0.0)
    for bad in range(N // 2 + 1):
        y = np.ones(ROWS)
        y[order[:bad]] = 0
        now = lengths(told(Drawn(y, x, of.rated), draw=None))
        assert now[0] >= last[0] - 1e-12 and now[1] >= last[1] - 1e-12
        last = now


@pytest.mark.parametrize("seed", SEEDS)
def test_clusters_never_make_an_interval_shorter(seed: int) -> None:
    of, rng = draw(seed), np.random.default_rng(seed)
    before = lengths(told(of))
    for clusters in (ROWS, 80, 40):
        try:
            now = lengths(told(of, clusters=rng.integers(0, clusters, ROWS)))
        except InputError:
            continue  # fewer than 20 clusters hold ratings
        assert now[0] >= before[0] - 1e-12 and now[1] >= before[1] - 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_a_second_rater_who_differs_on_a_row_never_makes_an_interval_shorter(seed: int) -> None:
    of = draw(seed)
    y = of.y.copy()
    y[np.random.default_rng(seed).choice(np.flatnonzero(of.rated))] = 0.5
    before, now = lengths(told(of)), lengths(told(of._replace(y=y)))
    assert now[1] >= before[1] and now[0] >= 0.97 * before[0], "a half may be what the score says"
    assert now[1] < 1.15 * before[1], "nor much longer"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_copy_of_all_rows_never_makes_an_interval_longer(seed: int) -> None:
    of = draw(seed)
    before = lengths(told(of))
    assert all(two <= one for one, two in zip(before, lengths(told(of, copies=2)), strict=True))
    # As clusters of two, the rows say as much as before, and Student's t is up to 6 % longer than Wilson's.
    both = lengths(told(of, copies=2, clusters=np.arange(ROWS)))
    assert all(two < 1.06 * one for one, two in zip(before, both, strict=True))


@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize("seed", SEEDS)
def test_exchanging_the_systems_exchanges_the_sign_and_test_and_interval_agree(seed: int, same: bool) -> None:
    of = draw(seed, 2, same)
    other = Drawn(*(np.roll(one, ROWS) for one in of))
    for confidence in (0.8, 0.95):
        one, turned = told(of, confidence=confidence), told(other, confidence=confidence)
        assert (one.system, turned.system) == ("a - b", "a - b")
        expected = (-one.estimate, -one.high, -one.low, one.p)
        assert (turned.estimate, turned.low, turned.high, turned.p) == pytest.approx(expected, abs=1e-12)
        assert (one.low <= 0 <= one.high) == (one.p >= 1 - confidence)
    at = told(of, confidence=1 - one.p)
    assert one.p == 1 or min(abs(at.low), abs(at.high)) < 1e-9
