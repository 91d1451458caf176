"""Williams' test: is one metric's Pearson correlation with the same ratings larger than another's?"""

from __future__ import annotations

import math
from typing import NamedTuple

from nlgauge.errors import InputError
from nlgauge.maths.intervals import student_tail


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
