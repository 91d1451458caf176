"""Who wins: our metrics that read the model beside the best published number of a column."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from nlgauge.lab.reproduce.markdown import short
from nlgauge.lab.reproduce.published import Best, best
from nlgauge.lab.reproduce.suites import Suite
from nlgauge.meta.agreement import Agreement
from nlgauge.run.kept import NOT_SCORED

Key = tuple[str, str, str]
"""(aspect, level, coefficient)"""


@dataclass(frozen=True)
class Verdict:
    """The best of our metrics that read the model against the best published number, of one column."""

    suite: Suite
    key: Key
    metric: str
    """As the suite names it"""
    ours: Agreement
    published: Best
    floor: tuple[str, float] | None
    """The best of ours that read no model"""

    @property
    def ahead(self) -> bool:
        """Ours is the larger one."""
        return self.ours.value > self.published.value

    @property
    def clear(self) -> bool:
        """The published number lies outside the interval of ours."""
        return self.published.value < self.ours.low or self.published.value > self.ours.high

    def __str__(self) -> str:
        word = "ahead" if self.ahead else "behind"
        gap = short(abs(self.ours.value - self.published.value))
        return f"clearly {word} by {gap}" if self.clear else f"{word} by {gap}"


@dataclass(frozen=True)
class Measured:
    """A suite with its numbers."""

    suite: Suite
    rows: int
    items: int
    systems: int
    values: dict[str, dict[Key, Agreement]]
    """By the name of a row: a metric, with its part where that is not the first"""
    reasons: dict[str, str]
    """By metric: why there is no number at all"""
    models: list[str]
    reading: frozenset[str]
    """The metrics that read the model"""
    partial: dict[str, int]
    """By row's name: rows that are scored, where some are not; their numbers take no part in who wins"""

    def of(self, key: Key) -> dict[str, Agreement]:
        """The metrics that have a number in a column."""
        agreed = {name: by_key[key] for name, by_key in self.values.items() if key in by_key}
        return {name: one for name, one in agreed.items() if not math.isnan(one.value)}

    def verdict(self, key: Key) -> Verdict | None:
        """None where nothing is published, or nothing is ours."""
        published, agreed = best(self.suite.sources[0].file, *key), self.of(key)
        whole = {name: one for name, one in agreed.items() if name not in self.partial}
        ours = self.leader(whole, True)
        if published is None or ours is None:
            return None
        floor = self.leader(whole, False)
        height = None if floor is None else (floor, whole[floor].value)
        return Verdict(self.suite, key, ours, whole[ours], published, height)

    def leader(self, agreed: Mapping[str, Agreement], reading: bool) -> str | None:
        """The metric of the largest value, among those that read the model or those that do not."""
        names = [name for name in agreed if (name in self.reading) == reading]
        return max(names, key=lambda name: agreed[name].value, default=None)

    @property
    def keys(self) -> list[Key]:
        """The columns that the suite reports."""
        return [(aspect, *how) for how in self.suite.measured for aspect in self.suite.aspects]

    @property
    def waiting(self) -> list[str]:
        """The metrics that have scored no row yet."""
        return [spec for spec, reason in self.reasons.items() if reason == NOT_SCORED]

    @property
    def finished(self) -> bool:
        """Whether every metric that can be had has scored all rows."""
        return not self.partial and not self.waiting

    @property
    def verdicts(self) -> list[Verdict]:
        """The verdict on each column that has one."""
        return [verdict for key in self.keys if (verdict := self.verdict(key)) is not None]
