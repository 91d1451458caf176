"""The history of a gate as charts: a chart a series, places within its frame, alarms."""

from __future__ import annotations

import math
from dataclasses import replace

from nlgauge.reports.page.days import series
from nlgauge.stats.gate.history import Look

FIRST = Look(
    "2026-01-01T00:00:00Z", "M", "f1", "bot", "ab", 1, 20, 0.5, 0.6, -0.1, -0.3, 0.1, 0.4, 0.05, False, True
)  # fmt: skip


def test_a_look_without_an_interval_has_a_point() -> None:
    (one,) = series([replace(FIRST, low=math.nan, high=math.nan, now=0.6)])
    assert math.isnan(one.days[0].low) and math.isfinite(one.days[0].y)
