"""Williams' test: is one metric's Pearson correlation with the same ratings larger than another's?"""

from __future__ import annotations

import math
from typing import NamedTuple

from nlgauge.errors import InputError


class Williams(NamedTuple):
    """Williams' test: t, its degrees of freedom, and one-sided p that the first metric is the better one."""

    t: float
    df: int
    p: float

    @property
    def two_sided(self) -> float:
        """p that the two differ."""
        return 2 * min(self.p, 1 - self.p)


def williams(r12: float, r13: float, r23: float, n: int, df: str = "n-3") -> Williams:
    """Is r12 larger than r13, Pearson correlations of two metrics with the same ratings over n points? r23: of the two.

    K = 1 - r12^2 - r13^2 - r23^2 + 2 r12 r13 r23,
    t = (r12 - r13) sqrt((n - 1) (1 + r23) / (2 K (n - 1) / (n - 3) + (r12 + r13)^2 / 4 (1 - r23)^3)):
    Williams 1959; Steiger, *Tests for comparing elements of a correlation matrix*, 1980, equation 7, with n - 3 degrees
    of freedom; `df="n-2"` gives the number that R's psych::r.test prints. Two metrics that are one get p = 0.5.
    Raises InputError where n < 4 or where no three variables have these correlations; NaN in, NaN out.
    """
    if df not in ("n-3", "n-2"):
        raise InputError(f"df is {df!r}", remedy="give 'n-3', or 'n-2' for the number of R's psych::r.test")
    if n < 4:
        raise InputError(f"Williams' test needs four points, there are {n}")
    freedom = n - int(df[-1])
    k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    if k < -1e-9 or max(abs(r12), abs(r13), abs(r23)) > 1 + 1e-9:
        raise InputError(f"no three variables have the correlations {r12:g}, {r13:g} and {r23:g}")
    spread = 2 * max(k, 0.0) * (n - 1) / (n - 3) + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
    if math.isnan(spread):
        return Williams(math.nan, freedom, math.nan)
    if r12 == r13 or 1 - r23 < 1e-12:
        return Williams(0.0, freedom, 0.5)
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / spread) if spread > 0 else math.copysign(math.inf, r12 - r13)
    return Williams(t, freedom, student_tail(t, freedom))


def student_tail(t: float, df: float) -> float:
    """P(T > t) of Student's t with df degrees of freedom: half of I_x(df / 2, 1 / 2) with x = df / (df + t^2)."""
    if math.isinf(t):
        return 0.0 if t > 0 else 1.0
    half = _incomplete_beta(df / 2, 0.5, df / (df + t * t), t * t / (df + t * t)) / 2
    return half if t >= 0 else 1 - half


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """I_x(a, b), rest = 1 - x given apart for its digits; Lentz's way through the continued fraction (DLMF 8.17.22)."""
    if x <= 0 or rest <= 0:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, rest, x)
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
