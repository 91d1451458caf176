import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.metrics.mark_evaluate import Counts, capture, petersen, schnabel


def likelihood(sizes, P, C):
    """Equation 6 as it stands, with T = M = P."""
    special = pytest.importorskip("scipy.special", reason="needs the dependency group parity")
    gammaln, xlogy = special.gammaln, special.xlogy
    N = np.asarray(sizes, np.float64)
    return gammaln(N + 1) - gammaln(N - P + 1) + xlogy(C, C) + xlogy(P * N - C, P * N - C) - xlogy(P * N, P * N)


def marked(S, T, k):
    """Counts of two sets, and P^ of Petersen and of Schnabel by marking and catching, step by step as the paper."""
    n, m = len(S), len(T)

    def neighbours(points):
        order = [
            sorted(range(len(points)), key=lambda j: (j != i, abs(points[j] - points[i]))) for i in range(len(points))
        ]
        return [near[: min(k, len(points) - 1) + 1] for near in order]

    def balls(points, others):
        radii = [max(abs(points[j] - points[i]) for j in near) for i, near in enumerate(neighbours(points))]
        return [
            {j for j, other in enumerate(others) if abs(other - x) <= r} for x, r in zip(points, radii, strict=True)
        ]

    of_S, of_T = balls(S, T), balls(T, S)
    caught_T, caught_S = set().union(*of_S), set().union(*of_T)
    a, b = len(caught_T), len(caught_S)
    counts = Counts(a, b, sum(map(len, of_S)), sum(map(len, of_T)), n, m, k)
    single = (n + a) * (m + b) / (a + b) if a + b else math.inf
    marks, captures, recaptures = set(caught_T), 0, 0
    for near, ball in zip(neighbours(T), of_T, strict=True):
        captures += len(near) + len(ball)
        recaptures += len(ball) + len(marks & set(near))
        marks |= set(near)
    return counts, single, captures * (n + m) / recaptures if recaptures else math.inf


def score(estimated, P):
    return 1 - min(abs(estimated - P) / P, 1)


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=12),
    st.lists(st.integers(0, 40), min_size=1, max_size=12),
    st.integers(1, 14),
)
def test_closed_forms_are_what_marking_gives(S, T, k):
    counts, single, several = marked(S, T, k)
    P = len(S) + len(T)
    assert petersen(counts).population == pytest.approx(single, abs=1e-12, rel=1e-12)
    assert schnabel(counts).population == pytest.approx(several, abs=1e-12, rel=1e-12)
    assert petersen(counts).score == pytest.approx(score(single, P), abs=1e-12)
    assert schnabel(counts).score == pytest.approx(score(several, P), abs=1e-12)
    turned, _, _ = marked(T, S, k)
    assert counts.swapped == turned
    assert petersen(turned).score == pytest.approx(petersen(counts).score, abs=1e-12)
    assert capture(turned) == capture(counts)
    if k < len(T):
        assert schnabel(counts).score >= 1 - 1 / k - 1e-12


@settings(deadline=None)
@given(st.integers(2, 60), st.integers(2, 60), st.integers(1, 6), st.floats(0, 1), st.floats(0, 1))
def test_capture_finds_the_largest_likelihood(n, m, k, first, second):
    counts = Counts(0, 0, int(first * n * m), int(second * n * m), n, m, k)
    P = n + m
    C = (min(k, n - 1) + 1) * n + (min(k, m - 1) + 1) * m + counts.B1 + counts.B2
    sizes = np.arange(P, 10 * P)
    values = likelihood(sizes, P, C)
    best = sizes[np.flatnonzero(values >= values.max() - 1e-9)]
    assert capture(counts).population in best
    assert capture(counts).score == pytest.approx(score(capture(counts).population, P), abs=1e-12)


def test_the_likelihood_of_the_paper():
    """Theorem A.3's example: |S| = 10, K = 1, about -158 and -159."""
    assert capture(Counts(10, 10, 20, 20, 10, 10, 1)) == (20, 1)
    assert likelihood([20, 21], 20, 80) == pytest.approx([-157.82535295452135, -159.12319907665596])


@pytest.mark.parametrize(("k", "largest"), [(1, 29), (2, 208), (3, 1503), (4, 11035)])
def test_theorem_a3_holds_for_small_sets_only(k, largest):
    def equal(n):
        return capture(Counts(n, n, (k + 1) * n, (k + 1) * n, n, n, k)).score

    assert equal(largest) == 1 > equal(largest + 1)


def test_petersen_is_one_where_one_set_is_covered():
    assert petersen(Counts(30, 1, 99, 1, 1000, 30, 1)).score == 1
