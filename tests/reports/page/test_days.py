"""The history of a gate as charts: a chart a series, places within its frame, alarms."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from nlgauge.reports.page.days import HEIGHT, WIDTH, series
from nlgauge.stats.gate.history import Look

FIRST = Look(
    "2026-01-01T00:00:00Z", "M", "f1", "bot", "ab", 1, 20, 0.5, 0.6, -0.1, -0.3, 0.1, 0.4, 0.05, False, True
)  # fmt: skip


def test_a_chart_a_series_in_order() -> None:
    looks = [FIRST, replace(FIRST, system="cat"), replace(FIRST, look=2, alarm=True), replace(FIRST, baseline="cd")]
    charts = series(looks)
    assert [(one.name, len(one.days)) for one in charts] == [("bot: M f1", 2), ("cat: M f1", 1), ("bot: M f1", 1)]
    assert [look.look for look in charts[0].alarms] == [2]
    assert series([]) == []


def test_places_lie_in_the_frame_and_higher_is_up() -> None:
    (one,) = series([FIRST, replace(FIRST, look=2, now=0.7, difference=0.1, low=-0.1, high=0.3)])
    low, high = one.days
    assert 0 < low.x < high.x < WIDTH and high.y < low.y
    assert all(0 <= place <= HEIGHT for day in one.days for place in (day.y, day.low, day.high))
    assert one.ends == pytest.approx((0.3, 0.9)) and 0 < one.before < HEIGHT
    assert one.days[0].low > one.days[0].y > one.days[0].high


def test_a_look_without_an_interval_has_a_point() -> None:
    (one,) = series([replace(FIRST, low=math.nan, high=math.nan, now=0.6)])
    assert math.isnan(one.days[0].low) and math.isfinite(one.days[0].y)
