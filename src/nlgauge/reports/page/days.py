"""The history of a gate: the score of each system by day, with the interval that holds at all days at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from nlgauge.stats.gate.history import Look

WIDTH, HEIGHT, MARGIN = 360, 150, 24
"""A chart's size and rim, in its own units"""


@dataclass(frozen=True)
class Day:
    """One look, and where it lies in the chart."""

    look: Look
    x: float
    y: float
    low: float
    """Where the interval ends, of the score as it is now: the baseline's mean and the interval of the difference"""
    high: float


@dataclass(frozen=True)
class Series:
    """All looks at one system beside one baseline."""

    name: str
    days: list[Day]
    before: float
    """Where the baseline's mean lies, on the items of the last look"""
    ends: tuple[float, float]
    """The values at the lower and the upper edge"""

    @property
    def alarms(self) -> list[Look]:
        """The looks at which the score was worse beyond chance."""
        return [day.look for day in self.days if day.look.alarm]


def series(looks: Sequence[Look]) -> list[Series]:
    """A chart for each system, part and baseline, in the order in which they were first looked at."""
    groups: dict[tuple[str, str, str, str], list[Look]] = {}
    for look in looks:
        groups.setdefault(look.series, []).append(look)
    return [_series(own) for own in groups.values()]


def _series(looks: Sequence[Look]) -> Series:
    ends = [(look.before + look.low, look.before + look.high) for look in looks]
    known = [end for pair in ends for end in pair if math.isfinite(end)]
    values = [*known, *(look.now for look in looks), *(look.before for look in looks)]
    low, high = min(values), max(values)
    low, high = (low, high) if high > low else (low - 0.5, high + 0.5)

    def place(value: float) -> float:
        if not math.isfinite(value):
            return math.nan
        return round(HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * (value - low) / (high - low), 1)

    step = (WIDTH - 2 * MARGIN) / max(1, len(looks) - 1)
    days = [
        Day(look, round(MARGIN + number * step, 1), place(look.now), place(one), place(other))
        for number, (look, (one, other)) in enumerate(zip(looks, ends, strict=True))
    ]
    first = looks[0]
    part = "" if first.part == "score" else f" {first.part}"
    return Series(f"{first.system}: {first.metric}{part}", days, place(looks[-1].before), (low, high))
