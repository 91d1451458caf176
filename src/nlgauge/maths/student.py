"""Tail and quantile of Student's t distribution, without scipy."""

from __future__ import annotations

import math
from functools import cache


def student_tail(t: float, df: float) -> float:
    """P(T > t) of Student's t with df degrees of freedom: half of I_x(df / 2, 1 / 2) with x = df / (df + t^2)."""
    if math.isinf(t):
        return 0.0 if t > 0 else 1.0
    half = incomplete_beta(df / 2, 0.5, df / (df + t * t), t * t / (df + t * t)) / 2
    return half if t >= 0 else 1 - half


def incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """I_x(a, b) by Lentz's method (DLMF 8.17.22). rest: 1 - x, given separately for precision."""
    if x <= 0 or rest <= 0:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, rest, x)
    tiny = 1e-300
    c, d = 1.0, 1 / ((1 - (a + b) * x / (a + 1)) or tiny)
    fraction = d
    for m in range(1, 1000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            c, d = (1 + numerator / c) or tiny, 1 / ((1 + numerator * d) or tiny)
            fraction *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    log_front = a * math.log(x) + b * math.log(rest) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return math.exp(log_front) * fraction / a


@cache
def student_quantile(p: float, df: float) -> float:
    """The t that Student's t with df degrees of freedom exceeds with probability 1 - p; 0 < p < 1, df at least 1."""
    if p < 0.5:
        return -student_quantile(1 - p, df)
    low, high = 0.0, 1.0
    while student_tail(high, df) > 1 - p:
        low, high = high, 2 * high
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if student_tail(middle, df) > 1 - p else (low, middle)
    return (low + high) / 2
