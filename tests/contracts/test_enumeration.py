"""p-values against all sign patterns, and intervals of shares against their definitions at every level."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge.data.table import Column, ScoreTable
from nlgauge.maths.intervals import paired_shares, proportion
from nlgauge.stats.paired import paired, paired_totals

LEVELS = (0.8, 0.9, 0.95, 0.99)
SHARES = ((0, 1), (1, 1), (0, 12), (1, 12), (5, 12), (11, 12), (12, 12), (57, 60), (3, 250))
REPLICATES = 20_000


def share_of_patterns(sums: Sequence[float]) -> float:
    """The share of all sign patterns whose sum is at least as far from 0 as the one that was seen."""
    seen = abs(math.fsum(sums))
    patterns = list(itertools.product((1, -1), repeat=len(sums)))
    far = [abs(math.fsum(sign * one for sign, one in zip(signs, sums, strict=True))) for signs in patterns]
    return sum(one >= seen - 1e-9 for one in far) / len(patterns)


def near(p: float, exact: float) -> bool:
    """Whether a p-value is the exact one, or as near as drawn patterns let it be."""
    return abs(p - exact) <= 4.5 * math.sqrt(exact * (1 - exact) / REPLICATES) + 2 / REPLICATES


DIFFERENCES: dict[str, Sequence[float]] = {
    "two": [0.5, 0.25],
    "all for one": [0.3, 0.1, 0.4, 0.1, 0.5, 0.9, 0.2, 0.6],
    "all but one": [0.3, 0.1, 0.4, -0.1, 0.5, 0.9, 0.2],
    "skewed": [0.01, 0.02, 0.01, -0.03, 0.02, 2.0],
    "ties": [1, 1, -1, 1, 0, 0, 1, -1],
    "no difference": [0.25, -0.25, 0.5, -0.5],
    "the other": [-0.2, -0.3, 0.1, -0.4, -0.2],
}


@pytest.mark.parametrize("values", DIFFERENCES.values(), ids=DIFFERENCES)
@pytest.mark.parametrize("scale", [1.0, 1e-3])
def test_p_is_the_share_of_sign_patterns(values: Sequence[float], scale: float) -> None:
    found = paired(scale * np.array(values), replicates=REPLICATES)
    assert near(found.p, share_of_patterns(values)), (found.p, share_of_patterns(values))
    turned = paired(-scale * np.array(values), replicates=REPLICATES)
    assert near(turned.p, share_of_patterns(values))


@pytest.mark.parametrize(
    "clusters", [[0, 0, 0, 0, 1, 2, 3, 4], [0, 1, 1, 2, 2, 2, 3, 3], [0, 0, 1, 1, 2, 2, 3, 3]], ids=str
)
def test_clusters_change_sign_as_wholes(clusters: list[int]) -> None:
    for values in (DIFFERENCES["all for one"], [*DIFFERENCES["all but one"], -0.7]):
        sums = [math.fsum(one for one, own in zip(values, clusters, strict=True) if own == n) for n in set(clusters)]
        exact = share_of_patterns(sums)
        found = paired(np.array(values), np.array(clusters), replicates=REPLICATES)
        assert near(found.p, exact), (found.p, exact)


def test_p_of_totals_is_the_share_of_exchanges() -> None:
    generator = np.random.default_rng(8)
    one, other = (np.stack([generator.integers(low, 9, 6), generator.integers(9, 12, 6)], 1) for low in (4, 1))

    def value(counts: np.ndarray) -> np.ndarray:
        return np.asarray(counts[..., 0] / counts[..., 1])

    exchanges = [np.array(swap)[:, None] for swap in itertools.product((False, True), repeat=6)]
    totals = [(np.where(swap, other, one).sum(0), np.where(swap, one, other).sum(0)) for swap in exchanges]
    gaps = np.array([value(first) - value(second) for first, second in totals])
    exact = float((np.abs(gaps) >= abs(gaps[0]) - 1e-9).mean())
    found = paired_totals(one.astype(float), other.astype(float), value, replicates=REPLICATES)
    assert_allclose(found.difference, gaps[0])
    assert near(found.p, exact), (found.p, exact)


def wilson_by_definition(count: int, n: int, level: float) -> list[float]:
    """The shares p at which (count / n - p)^2 = z^2 p (1 - p) / n."""
    z, share = NormalDist().inv_cdf((1 + level) / 2), count / n
    return sorted(np.roots([1 + z * z / n, -2 * share - z * z / n, share * share]).real.tolist())


@pytest.mark.parametrize("level", LEVELS)
def test_the_interval_of_a_share_is_of_the_level_that_was_asked_for(level: float) -> None:
    for count, n in ((5, 12), (57, 60), (3, 250)):
        values = np.array([1.0] * count + [0.0] * (n - count))[:, None]
        rows = [("a", str(item)) for item in range(n)]
        (found,) = ScoreTable(rows, {"X": Column(("score",), values)}, {}).by_system(confidence=level)
        assert_allclose((found.low, found.high), wilson_by_definition(count, n, level), atol=1e-7)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("count", "n"), SHARES)
def test_the_exact_interval_leaves_half_of_the_error_on_each_side(count: int, n: int, level: float) -> None:
    def at_most(most: int, share: float) -> float:
        return math.fsum(math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(most + 1))

    low, high = proportion(count, n, level)
    assert low == 0 if not count else at_most(count - 1, low) == pytest.approx((1 + level) / 2, abs=1e-9)
    assert high == 1 if count == n else at_most(count, high) == pytest.approx((1 - level) / 2, abs=1e-9)


@pytest.mark.parametrize("level", LEVELS)
def test_paired_shares_are_walds_of_the_items_and_one_more_of_each_kind(level: float) -> None:
    for up, down, n in ((0, 0, 5), (4, 1, 20), (1, 4, 20), (9, 0, 9), (0, 9, 9), (30, 12, 200)):
        items = np.array([1.0] * (up + 1) + [-1.0] * (down + 1) + [0.0] * (n - up - down))
        half = NormalDist().inv_cdf((1 + level) / 2) * items.std() / math.sqrt(len(items))
        low, high = max(-1.0, items.mean() - half), min(1.0, items.mean() + half)
        assert_allclose(paired_shares(up, down, n, level), (low, high), atol=1e-12)
