"""Pairs of systems: every difference with its test. Each pair is tested once, however often it is asked for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from nlgauge.answers.best import PairTest, pair_test
from nlgauge.answers.compare import Comparison, Difference, Systems
from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError

MOST_SYSTEMS = 12
"""The greatest number of systems for which a page shows all pairs"""


class Pairings:
    """The comparisons of the systems of a table, each made when it is first asked for."""

    def __init__(self, table: ScoreTable) -> None:
        self.table = table
        self._systems, self._order = Systems(table), table.systems
        self._made: dict[tuple[str, str], Comparison | str] = {}

    def of(self, a: str, b: str) -> Comparison | str:
        """Return the comparison of two systems, in the table's order, by every score; or why there is none."""
        first, second = sorted((a, b), key=self._order.index)
        key = first, second
        if key not in self._made:
            try:
                self._made[key] = self._systems.compared(*key)
            except InputError as error:
                self._made[key] = error.problem
        return self._made[key]

    def test(self, a: str, b: str, metric: str, part: str) -> PairTest:
        """Return how far system `a` is ahead of system `b` by one score, with the test of the difference."""
        comparison = self.of(a, b)
        if isinstance(comparison, str):
            return PairTest(math.nan, math.nan, comparison)
        difference = next(
            difference for difference in comparison if (difference.metric, difference.part) == (metric, part)
        )
        return pair_test(self.table, difference, turned=(comparison.a, comparison.b) != (a, b))


@dataclass(frozen=True)
class Line:
    """One score of a pair of systems: the difference, and how it is drawn."""

    difference: Difference
    name: str
    up: bool | None
    """Whether higher is better; None where no direction is better"""
    most: float
    """The value at the right end of the bar; the left end is its negative"""

    @property
    def verdict(self) -> str:
        """The better system, or words that say why no system is named."""
        difference = self.difference
        if self.up is None:
            return "neither is better"
        if difference.better is None:
            return "equal" if difference.difference == 0 else "–"
        if math.isnan(difference.p):
            return f"{difference.better} (not tested)"
        return difference.better if difference.adjusted < 0.05 else "no significant difference"


@dataclass(frozen=True)
class Pair:
    """A pair of systems, compared by every score."""

    a: str
    b: str
    lines: list[Line]
    notes: list[str]

    @property
    def told(self) -> dict[str, int]:
        """By name of a system, the number of scores by which it is significantly better.

        Under '' it has the number of scores by which the test finds neither better.
        """
        tested = [line for line in self.lines if not math.isnan(line.difference.adjusted)]
        won = {name: sum(line.verdict == name for line in tested) for name in (self.a, self.b)}
        return {**won, "": len(tested) - sum(won.values())}


def chosen(systems: Sequence[str], leading: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of systems that the page shows.

    Args:
        systems: the names of all systems.
        leading: the systems that at least one metric calls best.

    Returns:
        All pairs; with more than `MOST_SYSTEMS` systems only the pairs with a leading system.
    """
    every = list(combinations(systems, 2))
    return every if len(systems) <= MOST_SYSTEMS else [pair for pair in every if set(pair) & set(leading)]


def pair(tests: Pairings, a: str, b: str) -> Pair:
    """Return two systems compared by every score, for the page; `a` comes before `b` in the table."""
    comparison = tests.of(a, b)
    if isinstance(comparison, str):
        return Pair(a, b, [], [comparison])
    lines = []
    for difference in comparison:
        ends = [
            abs(value) for value in (difference.difference, difference.low, difference.high) if math.isfinite(value)
        ]
        column = tests.table.columns[difference.metric]
        up = None if difference.part in column.details else column.higher_is_better
        lines.append(
            Line(difference, column.label(difference.metric, difference.part), up, max(ends, default=0.0) or 1.0)
        )
    return Pair(a, b, lines, [*comparison.notes, *_reasons(lines)])


def _reasons(lines: Sequence[Line]) -> Iterator[str]:
    """Yield sentences on missing numbers, each reason once, and on how many items are left out."""
    why: dict[str, list[str]] = {}
    for line in lines:
        difference = line.difference
        if difference.undefined:
            items = f"{difference.undefined:,} of {difference.n + difference.undefined:,} items"
            why.setdefault(f"{items} are left out, where one of the two has no value", []).append(line.name)
        if difference.reason:
            why.setdefault(difference.reason, []).append(line.name)
    yield from (f"{', '.join(names)}: {reason}." for reason, names in why.items())
