"""Estimates of the size of a closed population, here of two sets of points whose size is known.

Mordido and Meinel, "Mark-Evaluate: Assessing Language Generation using Population Estimation Methods", COLING 2020.
A set S of n points and a set S' of m; each point's ball reaches to its K-th nearest other point of its own set.

    a = points of S' in a ball of S           B1 = pairs of a point of S' and a ball of S that holds it
    b = points of S in a ball of S'           B2 = pairs of a point of S and a ball of S' that holds it

These counts give all three estimates P^ of P = n + m; no marking loop is run. What is set right of the paper:

- Equation 1 takes the max of |P^ - P| / P and 1, which leaves no score above 0. It is the min.
- Equations 4 and 6, as printed, add each ball's K + 1 neighbours once for every point of the other set. They are added
  once a ball: otherwise equal sets get P^ = 4 for P = 80.
- f(s, NN(s', S')) is, as the paper's prose has it, whether s lies in the ball of s', not in a ball drawn again inside
  the K + 1 neighbours.
- S u S' is disjoint (n + m points), as theorem A.2 counts it.
- Where K is more than a set has other points, it is their number.
"""

from __future__ import annotations

import math
from typing import NamedTuple


class Counts(NamedTuple):
    """What the estimators read; ``counts.swapped`` is the same with S and S' exchanged."""

    a: int
    b: int
    B1: int
    B2: int
    n: int
    m: int
    k: int

    @property
    def size(self) -> int:
        """P, of which every estimate is one."""
        return self.n + self.m

    @property
    def swapped(self) -> Counts:
        return Counts(self.b, self.a, self.B2, self.B1, self.m, self.n, self.k)

    @property
    def apart(self) -> Counts:
        """Sets of these sizes with nothing in common."""
        return Counts(0, 0, 0, 0, self.n, self.m, self.k)


class Estimate(NamedTuple):
    """An estimated size and the score that it gives."""

    population: float
    """P^; infinite where nothing was caught again"""
    score: float
    """1 - min(|P^ - P| / P, 1) (equations 1 and 8), from 0 to 1"""


def petersen(counts: Counts) -> Estimate:
    """One marking and one recapture (equation 3): P^ - P = (n - b)(m - a) / (a + b).

    The same for (S, S') and (S', S). P^ = P as soon as one of the sets is covered whole.
    """
    a, b, *_, n, m, _ = counts
    return _estimate(counts.size, (n - b) * (m - a), a + b)


def schnabel(counts: Counts) -> Estimate:
    """A marking and a recapture for every point of S' (equations 4 and 5), S being marked from the start.

    A point of S' that no ball of S holds is caught unmarked exactly once, when the first ball that reaches it is
    drawn, whatever the order of S'. So C = (K + 1) m + B2, R = C - (m - a), and P^ / P - 1 = (m - a) / R. It is at most
    1 / K: the score lives in [1 - 1/K, 1].
    """
    unmarked = counts.m - counts.a
    caught = (min(counts.k, counts.m - 1) + 1) * counts.m + counts.B2
    return _estimate(counts.size, unmarked * counts.size, caught - unmarked)


def capture(counts: Counts) -> Estimate:
    """The size of largest likelihood under model M0 of program CAPTURE (equations 6 and 7; Otis et al. 1978).

    Each of the T = P balls is an occasion, M = P points are marked at the end, and there are
    C = (K + 1) (n + m) + B1 + B2 captures. With N growing, ln L(N + 1) - ln L(N) falls from its start through 0 at most
    once: P^ is the first N >= M where it is not above 0.
    """
    P = counts.size
    C = sum((min(counts.k, size - 1) + 1) * size for size in (counts.n, counts.m)) + counts.B1 + counts.B2
    if C == P:  # each point was caught once only: the larger the likelier
        return Estimate(math.inf, 0.0)
    low, high = P - 1, P
    while _gain(high, P, C) > 0:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _gain(middle, P, C) > 0 else (low, middle)
    return _estimate(P, (high - P), 1)


def _gain(N: int, P: int, C: int) -> float:
    """ln L(N + 1) - ln L(N) of equation 6 with T = M = P, its large terms cancelled by hand."""
    free = P * N - C
    gain = math.log((N + 1) / (N + 1 - P)) - P * N * math.log1p(1 / N) + P * math.log1p(-C / (P * (N + 1)))
    return gain + free * math.log1p(P / free) if free else gain


def _estimate(size: int, excess: int, over: int) -> Estimate:
    """P^ = P + excess / over, neither negative."""
    if not over:
        return Estimate(math.inf, 0.0)
    return Estimate(size + excess / over, 1 - min(excess / over / size, 1.0))
