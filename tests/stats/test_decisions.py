"""AUROC and its interval: against all pairs counted one by one, and on designs on which an error near 0 misleads."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge.maths.intervals import student_quantile
from nlgauge.stats.decisions import auroc, auroc_without, chosen_share, rows_needed

Design = Callable[[np.random.Generator, np.ndarray], np.ndarray]


def counted(scores: np.ndarray, bad: np.ndarray) -> float:
    """The AUROC, pair by pair; a row without a score is as good as every other one."""
    pairs = [(x, y) for x in scores[~bad] for y in scores[bad]]
    return sum(0.5 if math.isnan(x + y) or x == y else float(x > y) for x, y in pairs) / len(pairs)


def test_it_is_the_share_of_pairs_and_is_left_out_by_cluster() -> None:
    rng = np.random.default_rng(0)
    scores, bad, of = rng.integers(0, 5, 40).astype(float), rng.random(40) < 0.4, np.arange(40) % 9
    scores[::7] = np.nan
    found = auroc_without(scores, bad, of)
    assert found is not None
    assert_allclose(found[0], counted(scores, bad))
    assert_allclose(found[1], [counted(scores[of != one], bad[of != one]) for one in range(9)])
    assert_allclose(found[2:], [[(kind & (of == one)).sum() for one in range(9)] for kind in (bad, ~bad)])


def test_rows_without_a_score_are_rows_of_which_nothing_is_known() -> None:
    """A scorer that is right on the 72 rows that it scores, and scores none of 48, is not perfect."""
    bad = np.arange(120) % 3 == 0
    scores = np.where(bad, 0.0, 1.0)
    scores[72:] = np.nan
    share = (~np.isnan(scores[bad])).mean() * (~np.isnan(scores[~bad])).mean()
    assert_allclose(auroc(scores, bad, np.arange(120)).value, share + (1 - share) / 2)


def test_the_interval_of_a_constant_scorer_holds_a_half() -> None:
    """By hand: Wilson's form at .5 with 3 times the 12 bad rows, and Student's t with 11 degrees of freedom."""
    bad = np.arange(60) < 12
    found = auroc(np.full(60, 7.0), bad, np.arange(60))
    t = student_quantile(0.975, 11)
    half = t / (1 + t * t / 36) * math.sqrt(0.25 / 36 + t * t / (4 * 36 * 36))
    assert_allclose(found, [0.5, 0.5 - half, 0.5 + half])
    # Of two bad rows nothing is left out of the values that it may have but the outermost.
    few = auroc(np.full(60, 7.0), np.arange(60) < 2, np.arange(60))
    assert few.low < 0.02 and few.high > 0.98
    assert math.isnan(auroc(np.full(60, 7.0), np.arange(60) < 1, np.arange(60)).low)


def test_the_interval_of_a_chosen_threshold_holds_for_all_thresholds_at_once() -> None:
    """By hand, Dvoretzky, Kiefer and Wolfowitz with Massart's constant: both sides share the 5 %, so 2 / 0.05."""
    hits, fitted = np.arange(80) < 48, np.arange(80) < 40
    half = math.sqrt(math.log(40) / 160)
    assert_allclose(chosen_share(hits, fitted, np.arange(80)), [0.5, 0.6 - half, 0.6 + half])
    assert_allclose(chosen_share(hits, fitted, np.arange(80), level=0.8)[1], 0.6 - math.sqrt(math.log(10) / 160))
    # As many rows make that half the margin.
    needed = rows_needed(hits, np.arange(80), 0.1, any_threshold=True)
    assert needed == math.ceil(math.log(40) / 0.02) == 185


DESIGNS: dict[str, Design] = {
    "noise": lambda rng, bad: rng.normal(size=len(bad)),
    "normal": lambda rng, bad: rng.normal(size=len(bad)) + 1.8 * ~bad,
    "nearly perfect": lambda rng, bad: rng.normal(size=len(bad)) + 2.9 * ~bad,
    "three values": lambda rng, bad: np.clip(np.round(rng.normal(size=len(bad)) + 2 * ~bad), -1, 1),
    "yes and no": lambda rng, bad: np.where(bad, rng.random(len(bad)) > 0.8, rng.random(len(bad)) < 0.9).astype(float),
    "few errors": lambda rng, bad: np.where(bad, rng.random(len(bad)) > 0.95, rng.random(len(bad)) < 0.95).astype(
        float
    ),
    "nearly constant": lambda rng, bad: np.where(bad & (rng.random(len(bad)) < 0.1), 0.0, 1.0),
}


@pytest.mark.parametrize(("rows", "bads"), [(60, 3), (60, 5), (60, 10), (120, 30), (60, 30), (60, 55)])
@pytest.mark.parametrize("name", DESIGNS)
def test_the_interval_holds_with_few_bad_rows_and_with_ties(name: str, rows: int, bads: int) -> None:
    """400 draws; DeLong's error alone holds .42 (nearly constant, 5 bad rows) to .76 (yes and no, 5 bad rows)."""
    design = DESIGNS[name]
    large = np.arange(40_000) < 20_000
    truth = auroc_without(design(np.random.default_rng(1), large), large, np.zeros(40_000, int))
    assert truth is not None
    rng, bad, held = np.random.default_rng(2), np.arange(rows) < bads, []
    for _ in range(400):
        found = auroc(design(rng, bad), bad, np.arange(rows))
        assert 0 <= found.low <= found.value <= found.high <= 1 and found.low < found.high
        held.append(found.low <= truth[0] <= found.high)
    assert np.mean(held) >= 0.925, np.mean(held)


def test_the_interval_is_delongs_where_both_kinds_are_frequent() -> None:
    """The error of DeLong et al. 1988 by the placements of 60 rows of each kind."""
    rng, bad = np.random.default_rng(3), np.arange(120) < 60
    scores = rng.normal(size=120) + 1.2 * ~bad
    wins = scores[~bad][:, None] > scores[bad]
    error = math.sqrt(wins.mean(0).var(ddof=1) / 60 + wins.mean(1).var(ddof=1) / 60)
    found = auroc(scores, bad, np.arange(120))
    assert_allclose(found.high - found.low, 2 * NormalDist().inv_cdf(0.975) * error, rtol=0.06)


def test_the_interval_holds_in_clusters_in_which_scores_are_alike() -> None:
    """300 draws of 15 clusters; the jackknife's error alone holds .74."""
    held = []
    for seed in range(301):
        rng = np.random.default_rng(seed)
        groups = 12_000 if seed == 300 else 15
        of = np.repeat(np.arange(groups), 1 + rng.integers(0, 9, groups))
        tone, kind = rng.normal(size=groups)[of], rng.normal(size=groups)[of]
        bad = 0.8 * kind + 0.6 * rng.normal(size=len(of)) < -0.6
        scores = np.where(bad & (tone > 1), 0.0, 1.0)
        held.append((auroc(scores, bad, of), bad))
    truth = held.pop()[0].value
    shown = [found.low <= truth <= found.high for found, bad in held if not math.isnan(found.low)]
    assert len(shown) > 280 and np.mean(shown) >= 0.93, np.mean(shown)


@pytest.mark.parametrize("name", DESIGNS)
def test_order_alone_matters_and_copies_in_a_cluster_say_nothing(name: str) -> None:
    rng, bad, rows = np.random.default_rng(4), np.arange(60) < 20, np.arange(60)
    scores = DESIGNS[name](rng, bad)
    found = auroc(scores, bad, rows)
    assert_allclose(auroc(np.exp(scores), bad, rows), found)
    assert_allclose(auroc(-scores, ~bad, rows), found)
    turned = auroc(-scores, bad, rows)
    assert_allclose([1 - turned.value, 1 - turned.high, 1 - turned.low], found)
    twice = (np.tile(one, 2) for one in (scores, bad, rows))
    assert_allclose(auroc(*twice), found)
